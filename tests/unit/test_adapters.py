"""Well-known models as rules: their estimates are those of pooled counts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tacit.core.errors import OptionError
from tacit.core.variables import Discrete
from tacit.estimate.ruled.recognise import recognise
from tacit.estimate.ruled.splits import Forest
from tacit.knowledge.adapters import (
    hidden_markov,
    ignores_when,
    multinet,
    same_module,
    same_slices,
    same_tables,
)
from tacit.knowledge.binding import bind
from tacit.knowledge.blocks import blocks_of
from tacit.knowledge.cells import Cells


def states(name, count):
    return Discrete(name, tuple(f"s{number}" for number in range(count)))


def families(parents, counts):
    """parents..., child of every variable; counts: how many states each has."""
    return {
        child: tuple(states(name, counts[name]) for name in (*who, child))
        for child, who in parents.items()
    }


def estimated(tables, rules, seed=1):
    """Counts and estimates of all tables under rules, each {child: values[parents..., child]}."""
    cells = Cells.of(tables)
    counts = np.random.default_rng(seed).integers(1, 30, cells.size).astype(float)
    blocks = blocks_of(bind(rules, cells))
    trees = [recognise(blocks[number]) for number in range(len(blocks))]
    assert None not in trees
    at = [blocks.cells[blocks.cell_at[n] : blocks.cell_at[n + 1]] for n in range(len(blocks))]
    theta = Forest.of(trees, at, cells.size).most_likely(counts)
    place = {child: cells.block(child) for child in tables}
    return ({c: counts[p] for c, p in place.items()}, {c: theta[p] for c, p in place.items()})


def normalised(counts):
    return counts / counts.sum(axis=-1, keepdims=True)


def test_a_hidden_markov_chain_pools_transitions_and_observations():
    parents = {"H1": (), "H2": ("H1",), "H3": ("H2",), "O1": ("H1",), "O2": ("H2",), "O3": ("H3",)}
    sizes = {name: 3 if name[0] == "H" else 4 for name in parents}
    rules = hidden_markov(["H1", "H2", "H3"], ["O1", "O2", "O3"])
    counts, theta = estimated(families(parents, sizes), rules)
    moves, seen = counts["H2"] + counts["H3"], counts["O1"] + counts["O2"] + counts["O3"]
    for name in ("H2", "H3"):
        assert_allclose(theta[name], normalised(moves), rtol=1e-12)  # Baum-Welch
    for name in ("O1", "O2", "O3"):
        assert_allclose(theta[name], normalised(seen), rtol=1e-12)


def test_a_dynamic_network_has_the_same_slices():
    parents = {"A1": (), "B1": ("A1",)}
    slices = [{f"A{t}": (f"A{t - 1}",), f"B{t}": (f"A{t}", f"B{t - 1}")} for t in (2, 3, 4)]
    for each in slices:
        parents |= each
    tables = families(parents, dict.fromkeys(parents, 2))
    counts, theta = estimated(tables, same_slices(slices))
    for letter in "AB":
        pooled = normalised(sum(counts[f"{letter}{t}"] for t in (2, 3, 4)))
        for t in (2, 3, 4):
            assert_allclose(theta[f"{letter}{t}"], pooled, rtol=1e-12)


def test_the_variables_of_a_module_share_a_table():
    parents = {"P": (), "Q": (), **dict.fromkeys("ABC", ("P", "Q"))}
    tables = families(parents, {"P": 2, "Q": 3, "A": 4, "B": 4, "C": 4})
    counts, theta = estimated(tables, [same_module(["A", "B", "C"], ["P", "Q"])])
    for name in "ABC":
        assert_allclose(theta[name], normalised(counts["A"] + counts["B"] + counts["C"]))


def test_in_a_context_rows_are_pooled_over_the_parents_that_are_ignored():
    tables = families({"Z": (), "Y": (), "X": ("Z", "Y")}, {"Z": 2, "Y": 3, "X": 3})
    counts, theta = estimated(tables, [ignores_when("X", ["Y"], {"Z": "s1"})])
    pooled = normalised(counts["X"][1].sum(axis=0))
    assert_allclose(theta["X"][1], np.tile(pooled, (3, 1)), rtol=1e-12)


def test_a_multinet_has_a_network_for_every_state():
    networks = {"s0": {"A": (), "B": ("A",)}, "s1": {"A": ("B",), "B": ()}}
    with_both = {"C": (), "A": ("C", "B"), "B": ("C", "A")}  # parents of tables alone: no dag
    tables = families(with_both, {"C": 2, "A": 3, "B": 2})
    rules = multinet("C", networks)
    assert [str(rule) for rule in rules] == ["A ignores B when C=s0", "B ignores A when C=s1"]
    counts, theta = estimated(tables, rules)
    assert_allclose(theta["A"][0], np.tile(normalised(counts["A"][0].sum(axis=0)), (2, 1)))
    assert_allclose(theta["B"][1], np.tile(normalised(counts["B"][1].sum(axis=0)), (3, 1)))


def test_tables_match_in_the_order_in_which_parents_are_given():
    parents = {"P": (), "Q": (), "A": ("P", "Q"), "B": ("Q", "P")}
    tables = families(parents, dict.fromkeys(parents, 2))
    counts, theta = estimated(tables, [same_tables({"A": ["P", "Q"], "B": ["P", "Q"]})])
    pooled = normalised(counts["A"] + counts["B"].swapaxes(0, 1))
    assert_allclose(theta["A"], pooled, rtol=1e-12)
    assert_allclose(theta["B"].swapaxes(0, 1), pooled, rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: same_tables({"A": []}),
         "same_tables needs two variables or more: {'X2': ['X1'], 'X3': ['X2']}"),
        (lambda: same_slices([{"A": []}]),
         "same_slices needs two slices or more, with as many variables in each"),
        (lambda: hidden_markov(["H1", "H2"], ["O1"]),
         "hidden_markov needs as many observed variables as hidden ones, not 1 for 2"),
    ],
)  # fmt: skip
def test_too_few_variables_are_an_error(call, message):
    with pytest.raises(OptionError) as caught:
        call()
    assert str(caught.value) == message
