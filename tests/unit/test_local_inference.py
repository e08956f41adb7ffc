"""Questions of networks with shared rows: the answers of their written-out tables, and of tables
that nobody could write out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import strategies
import tacit as tc
from tacit.core.variables import Discrete
from tacit.families.shared import SharedRows
from tacit.infer import readers

NO_YES = ("no", "yes")


def written(network: tc.Network) -> tc.Network:
    """The same network with tables only."""
    families = network.families.values()
    return tc.Network.of(f.to_table() if isinstance(f, SharedRows) else f for f in families)


@pytest.fixture
def read_always(monkeypatch):
    """Every table with shared rows is read parent by parent, however small."""
    monkeypatch.setattr(readers, "FEW_CELLS", 0)
    monkeypatch.setattr(readers, "WORTH", 0)


@pytest.mark.parametrize("kind", ["tree-table", "default-table"])
@settings(max_examples=40)
@given(data=st.data())
def test_reading_parents_in_any_order_finds_the_row(kind, data):
    network = data.draw(strategies.shared_networks(kind))
    for family in network.families.values():
        if isinstance(family, SharedRows) and family.parents:
            order = data.draw(st.permutations(range(len(family.parents))))
            steps = family.reading(order)
            shape = [len(parent.states) for parent in family.variables[:-1]]
            cases = np.indices(shape).reshape(len(shape), -1)
            state = np.zeros(cases.shape[1], dtype=np.int64)
            for axis, step in zip(order, steps, strict=True):
                state = step[state, cases[axis]]
            assert (state == family.rows_at(list(cases), cases.shape[1])).all()


@pytest.mark.parametrize("kind", ["tree-table", "default-table"])
@settings(max_examples=30)
@given(data=st.data())
def test_answers_are_those_of_the_written_out_network(kind, data):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(readers, "FEW_CELLS", 0)
        patched.setattr(readers, "WORTH", 0)
        network = data.draw(strategies.shared_networks(kind))
        plain = written(network)
        cases = data.draw(strategies.cases_of(network, least=1, missing=True))
        ours = tc.log_likelihood(network, cases).per_case
        theirs = tc.log_likelihood(plain, cases).per_case
        assert_allclose(ours, theirs, atol=1e-9)
        mine, others = tc.predict(network, cases), tc.predict(plain, cases)
        assert list(mine.impossible) == list(others.impossible)
        good = [at for at in range(len(cases)) if at not in set(mine.impossible)]
        for name in network:
            assert_allclose(np.array(mine[name])[good], np.array(others[name])[good], atol=1e-9)
        last = list(network)[-1]
        assert_allclose(tc.query(network, last).values, tc.query(plain, last).values, atol=1e-12)
        one, other = tc.most_probable(network), tc.most_probable(plain)
        assert one.log_probability == pytest.approx(other.log_probability)
        assert tc.divergence(network, plain) == pytest.approx(0.0, abs=1e-12)


def large(parents: int) -> tc.Network:
    """A tree of few leaves over many parents, which depend on each other in a chain."""
    variables = [Discrete(f"P{at}", NO_YES) for at in range(parents)]
    families = [tc.table(variables[0], [], [0.4, 0.6])]
    for before, here in pairwise(variables):
        families.append(tc.table(here, [before], [[0.7, 0.3], [0.2, 0.8]]))
    tree: object = [0.1, 0.9]
    for parent in reversed(variables[:: parents // 8]):
        tree = {parent.name: {"no": tree, "yes": [0.9, 0.1] if len(str(tree)) % 2 else [0.3, 0.7]}}
    child = Discrete("X", NO_YES)
    return tc.Network.of([*families, tc.TreeTable.of(child, variables, tree)])


def test_a_tree_over_40_parents_is_asked_without_its_table():
    network = large(40)
    cases = tc.sample(network, 20_000, seed=1)
    answer = tc.query(network, "P(X=yes)").values
    share = float(np.mean(cases["X"] == 1))
    assert answer == pytest.approx(share, abs=0.015)
    backwards = tc.query(network, "P(P0=yes | X=yes, P39=no)").values
    chosen = (cases["X"] == 1) & (cases["P39"] == 0)
    assert backwards == pytest.approx(np.mean(cases["P0"][chosen] == 1), abs=0.03)
    best = tc.most_probable(network, given={"X": "yes"})
    assert len(best.states) == 40


def test_a_small_tree_reads_as_its_table_where_it_is_read_parent_by_parent(read_always):
    network = large(8)
    plain = written(network)
    for query in ("P(X | P3=yes)", "P(P0 | X=no)", "P(P1, P5 | X=yes, P7=no)"):
        ours, theirs = tc.query(network, query), tc.query(plain, query)
        assert_allclose(np.array(ours.values), np.array(theirs.values), atol=1e-12)
