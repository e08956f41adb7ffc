"""Dags of hierarchies, their exact likelihood and EM, against enumeration."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_inference
import tacit as tc
from tacit.experiments.elidan.planted import measured, planted_hierarchy


@pytest.mark.parametrize(("levels", "hidden", "children"), [(3, 5, 64), (4, 21, 16)])
def test_an_image_of_sixteen_by_sixteen_has_so_many_hidden_variables(levels, hidden, children):
    dag = tc.quadrant_hierarchy(16, 16, levels=levels)
    inner = [name for name in dag if dag.children[name]]
    assert len(inner) == hidden
    assert len(dag) == hidden + 256
    assert Counter(len(dag.children[name]) for name in inner) == {
        4: hidden - 4 ** (levels - 2),
        children: 4 ** (levels - 2),
    }
    assert all(len(who) == (name != "H") for name, who in dag.parents.items())


def test_pixels_of_one_block_have_one_parent():
    dag = tc.quadrant_hierarchy(8, 8, levels=4, pixel=lambda row, column: f"{row},{column}")
    for row in range(8):
        for column in range(8):
            (parent,) = dag.parents[f"{row},{column}"]
            (above,) = dag.parents[parent]
            corner = f"{row // 2 * 2},{column // 2 * 2}"
            assert dag.parents[corner] == (parent,)
            far = f"{row // 4 * 4},{column // 4 * 4}"
            assert dag.parents[dag.parents[far][0]] == (above,)


def test_groups_of_groups_make_levels_and_several_roots_a_forest():
    dag = tc.grouped_hierarchy(
        {"Heat": ["h1", "h2"], "Acid": ["a1", "a2"], "Stress": ["Heat", "Acid"], "Sugar": ["s"]}
    )
    assert dag == tc.Dag.parse(
        "Heat -> h1; Heat -> h2; Acid -> a1; Acid -> a2; Stress -> Heat; Stress -> Acid; Sugar -> s"
    )


SMALL = tc.grouped_hierarchy({"A": ["x1", "x2"], "B": ["x3", "x4"], "R": ["A", "B", "x5"]})
STATES = {"R": 2, "A": 3, "B": 2, "x1": 2, "x2": 3, "x3": 2, "x4": 2, "x5": 2}


def test_the_exact_likelihood_of_a_tree_is_that_of_enumeration():
    network = planted_hierarchy(SMALL, STATES, seed=1)
    cases = measured(network, 30, seed=2)
    tables = naive_inference.tables_of(network)
    oracle = [
        np.log(sum(p for _, p in naive_inference.completions(tables, SMALL.parents, case)))
        for case in naive_inference.cases_in(cases)
    ]
    assert_allclose(tc.log_likelihood(network, cases).per_case, oracle, rtol=1e-12)


def test_exact_em_of_a_tree_is_em_by_enumeration():
    network = planted_hierarchy(SMALL, STATES, seed=1, stays=0.7, sharp=1.0)
    cases = measured(network, 40, seed=3)
    hidden = {"R": 2, "A": 3, "B": 2}
    method = tc.EM(max_steps=6, tolerance=0, accelerate=False)
    fit = tc.fit(network, cases, hidden=hidden, start="given", method=method, seed=1)
    tables = naive_inference.tables_of(network)
    pseudo = {name: np.full(table.shape, 1 / table.size) for name, table in tables.items()}
    steps = len(fit.trace) - 1
    found = naive_inference.em(
        tables, SMALL.parents, naive_inference.cases_in(cases), np.ones(40), pseudo, steps
    )
    learned = found[0] if isinstance(found, tuple) else found
    for name, table in naive_inference.tables_of(fit.network).items():
        assert_allclose(table, learned[name], atol=1e-9)


def test_a_planted_hierarchy_has_the_dag_and_states_it_was_asked_for():
    network = planted_hierarchy(SMALL, STATES, seed=5)
    assert network.dag == SMALL
    assert {name: len(network.variables[name].states) for name in network} == STATES
    assert measured(network, 7, seed=1).names == ("x1", "x2", "x3", "x4", "x5")
