"""Tree tables and default tables: grown against every tree there is, and fitted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_local
import strategies
import tacit as tc
from tacit.core.variables import Discrete
from tacit.estimate.local.exact import best_tree
from tacit.estimate.local.growing import Told, grown_tree
from tacit.estimate.local.listing import listed_rows
from tacit.estimate.local.worth import RowWorth
from tacit.families import family_from_plain
from tacit.families.cause_counts import CauseCounts

NO_YES = ("no", "yes")
A, B, C = Discrete("A", NO_YES), Discrete("B", ("a", "b", "c")), Discrete("C", NO_YES)
X = Discrete("X", NO_YES)
RIGHT = {"C": {"no": [0.2, 0.8], "yes": [0.8, 0.2]}}
LEFT = {"B": {"a": [0.5, 0.5], ("b", "c"): RIGHT}}
PLANTED = tc.TreeTable.of(X, (A, B, C), {"A": {"yes": [0.05, 0.95], "no": LEFT}})
TRUTH = tc.Network.of(
    [tc.table(A, [], [0.5, 0.5]), tc.table(B, [], [0.3, 0.3, 0.4]), tc.table(C, [], [0.5, 0.5]),
     PLANTED]
)  # fmt: skip
SCORES = {
    "bic": (tc.BIC(), naive_local.bic),
    "bdeu": (tc.BDeu(2), lambda cases, states: naive_local.marginal(2, 0)),
    "k2": (tc.K2(), lambda cases, states: naive_local.marginal(0, 1)),
}


@st.composite
def few_cases(draw: st.DrawFn) -> tuple[list[int], int, list[tuple[int, ...]]]:
    sizes = draw(st.sampled_from([[2], [3], [2, 2], [2, 3], [2, 2, 2]]))
    states = draw(st.integers(2, 3))
    case = st.tuples(*(st.integers(0, size - 1) for size in (*sizes, states)))
    return sizes, states, draw(st.lists(case, min_size=1, max_size=40))


def counted(sizes: list[int], states: int, cases: list[tuple[int, ...]]) -> CauseCounts:
    return CauseCounts.of((*sizes, states), list(np.array(cases).T))


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("tests", ["any", "states", "one"])
@settings(max_examples=25)
@given(few=few_cases(), priced=st.booleans())
def test_the_exact_tree_is_the_best_of_all_trees_and_none_is_better(score, tests, few, priced):
    sizes, states, cases = few
    ours, theirs = SCORES[score]
    best = naive_local.best_tree(cases, sizes, states, theirs(len(cases), states), tests, priced)
    told, worth = Told.of(counted(*few)), RowWorth.of(ours, states, len(cases), priced)
    tree, value = best_tree(told, worth, tests)
    assert_allclose(value, best, atol=1e-9)
    grown, found = grown_tree(told, worth, tests)
    assert found <= best + 1e-9
    if not priced:
        assert_allclose(value, worth_of(tree, few, worth), atol=1e-9)
        assert_allclose(found, worth_of(grown, few, worth), atol=1e-9)


def worth_of(tree, few, worth: RowWorth) -> float:
    """The worth of a tree by its leaves."""
    sizes, states, cases = few
    columns = list(np.array(cases).T)
    leaf = tree.leaves_of(columns[:-1], len(cases))
    counts = np.zeros((tree.leaves, states))
    np.add.at(counts, (leaf, columns[-1]), 1.0)
    return float(worth.of_rows(counts, tree.shares(sizes)).sum())


@settings(max_examples=25)
@given(few=few_cases())
def test_no_list_of_rows_that_is_found_beats_the_best_of_all_lists(few):
    sizes, states, cases = few
    worth = RowWorth.of(tc.BIC(), states, len(cases))
    _, value = listed_rows(counted(*few), worth)
    best = naive_local.best_list(cases, sizes, states, naive_local.bic(len(cases), states))
    assert value <= best + 1e-9
    nothing = worth.of_rows(counted(*few).values.sum(axis=0, keepdims=True), np.ones(1))
    assert value >= nothing[0] - 1e-9


def test_a_planted_tree_is_recovered_from_2000_cases():
    data = tc.sample(TRUTH, 2000, seed=3)
    fit = tc.fit(TRUTH.dag, data, families={"X": tc.GrowTree(exact=True)})
    found = fit.network["X"]
    assert sorted(found.labels()) == sorted(PLANTED.labels())
    assert_allclose(found.to_table().values, PLANTED.to_table().values, atol=0.06)


def test_growth_looks_behind_a_question_that_gains_nothing():
    """Neither parent says anything alone; both together say everything."""
    cases = {"A": ["no", "no", "yes", "yes"] * 20, "C": ["no", "yes"] * 40,
             "X": ["no", "yes", "yes", "no"] * 20}  # fmt: skip
    fit = tc.fit("A -> X <- C", cases, families=tc.TreeTable, estimate=tc.ML())
    assert len(fit.network["X"].values) == 4
    assert fit.log_likelihood == pytest.approx(160 * np.log(0.5))


@pytest.mark.parametrize("estimate", [tc.ML(), tc.Smoothed(), tc.MAP()])
@pytest.mark.parametrize("prior", [tc.K2(), tc.BDeu(12), tc.Dirichlet(2.0)])
def test_rows_are_shares_of_the_pooled_counts_and_pseudo_counts(estimate, prior):
    if isinstance(estimate, tc.MAP) and isinstance(prior, tc.BDeu):
        prior = tc.BDeu(50)
    data = tc.sample(TRUTH, 300, seed=2)
    family = tc.fit(TRUTH, data, prior=prior, estimate=estimate).network["X"]
    columns = [data[name] for name in "ABC"]
    row = PLANTED.tree.leaves_of(columns, 300)
    for leaf, share in enumerate(PLANTED.shares):
        counts = np.bincount(data["X"][row == leaf], minlength=2).astype(float)
        alpha = {"BDeu": 0, "K2": 1.0, "Dirichlet": 2.0}[type(prior).__name__]
        alpha = alpha or prior.strength * share / 2
        pseudo = {"ML": 0.0, "Smoothed": alpha, "MAP": alpha - 1}[type(estimate).__name__]
        assert_allclose(family.values[leaf], (counts + pseudo) / (counts + pseudo).sum())


def test_a_network_keeps_the_trees_it_holds_and_a_family_that_is_given_its_rows():
    data = tc.sample(TRUTH, 100, seed=5)
    assert tc.fit(TRUTH, data).network["X"].tree.axis == PLANTED.tree.axis
    given = tc.DefaultTable.of(X, (A, B, C), {("yes", "a", "no"): [0.5, 0.5]}, [0.5, 0.5])
    fit = tc.fit(TRUTH, data, families={"X": given})
    assert fit.network["X"].listed.tolist() == [[1, 0, 0]]


def test_trees_obey_rules_about_what_is_ignored():
    data = tc.sample(TRUTH, 2000, seed=3)
    rules = "X ignores C when A=no; X ignores B when C=yes"
    fit = tc.fit(TRUTH.dag, data, families={"X": tc.GrowTree(exact=True)}, knowledge=rules)
    table = fit.network["X"].to_table().values
    assert_allclose(table[0, :, 0], table[0, :, 1])
    assert_allclose(table[:, 0, 1], table[:, 1, 1])
    assert [rule.text for rule in fit.rules] == ["X ignores C when A=no", "X ignores B when C=yes"]
    assert {rule.verdict for rule in fit.rules} == {"free"}
    full = tc.GrowTree(score=tc.LogLikelihood(), tests="states")
    made = tc.fit(TRUTH.dag, data, families={"X": full}, knowledge="X ignores B, C when A=yes")
    assert "A=yes" in list(made.network["X"].labels())
    assert len(made.network["X"].values) == 7


def test_a_rule_about_another_table_still_binds_beside_a_tree():
    data = tc.sample(TRUTH, 500, seed=1)
    rules = "P(A=yes) = 0.25; X ignores C when A=no"
    fit = tc.fit(TRUTH.dag, data, families={"X": tc.TreeTable}, knowledge=rules)
    assert fit.network["A"].values[1] == pytest.approx(0.25)
    assert len(fit.rules) == 2


def test_a_saved_fit_with_shared_rows_comes_back(tmp_path):
    data = tc.sample(TRUTH, 200, seed=1)
    for family in (tc.TreeTable, tc.DefaultTable):
        fit = tc.fit(TRUTH.dag, data, families={"X": family})
        fit.save(tmp_path / "fit.json")
        again = tc.load_fit(tmp_path / "fit.json")
        assert again.network["X"] == fit.network["X"]
        assert_allclose(again.intervals["X"].lower, fit.intervals["X"].lower)
        assert json.loads((tmp_path / "fit.json").read_text())["settings"]["families"]
        tc.write(fit.network, tmp_path / "n.json")
        assert tc.read(tmp_path / "n.json")["X"] == fit.network["X"]
        tc.write(fit.network, tmp_path / "n.bif")
        expanded = tc.read(tmp_path / "n.bif")["X"].values
        assert_allclose(expanded, fit.network["X"].to_table().values)


def test_a_report_has_a_line_for_every_row_that_is_shared(tmp_path):
    data = tc.sample(TRUTH, 400, seed=1)
    fit = tc.fit(TRUTH, data)
    tc.report(fit).save(tmp_path / "r.md")
    text = (tmp_path / "r.md").read_text()
    assert all(f"| {label} |" in text for label in PLANTED.labels())


def test_a_tree_prints_as_questions():
    assert str(PLANTED).splitlines() == [
        "P(X | A, B, C) ~ tree-table, 4 rows for 12 configurations",
        "  when          no    yes",
        "  A=no",
        "  · B=a      0.500  0.500",
        "  · B=not a",
        "  · · C=no   0.200  0.800",
        "  · · C=yes  0.800  0.200",
        "  A=yes      0.050  0.950",
    ]
    one = tc.TreeTable.of(X, (A,), [0.5, 0.5])
    assert str(one).splitlines()[2:] == ["  always  0.500  0.500"]


@settings(max_examples=20)
@given(data=st.data())
def test_the_rules_of_a_tree_make_a_table_with_the_same_rows(data):
    parents = [A, B, C]
    family = data.draw(strategies.tree_tables(X, parents))
    family = family.with_values(np.full(family.values.shape, 0.5))
    roots = [
        tc.table(each, [], np.full(len(each.states), 1 / len(each.states))) for each in parents
    ]
    network = tc.Network.of([*roots, family])
    cases = tc.sample(network, 60, seed=1)
    tree = tc.fit(network, cases, prior=tc.K2(), estimate=tc.ML())
    known = tc.tree_rules(family)
    assert tc.parse_knowledge(str(known)).rules == known.rules
    table = tc.fit(network.dag, cases, estimate=tc.ML(), knowledge=known if len(known) else None)
    assert table.log_likelihood == pytest.approx(tree.log_likelihood, abs=1e-6)


def test_a_tree_says_its_rules():
    assert str(tc.tree_rules(PLANTED)).splitlines() == [
        "X ignores C when A=no, B=a",
        "P(X | A=no, B=b, C=no) = P(X | A=no, B=c, C=no)",
        "P(X | A=no, B=b, C=yes) = P(X | A=no, B=c, C=yes)",
        "X ignores B, C when A=yes",
    ]


@pytest.mark.parametrize("family", [tc.NoisyMax, tc.TreeTable, tc.DefaultTable])
def test_statistics_counted_before_fit_the_same_families_as_the_cases(family):
    data = tc.sample(TRUTH, 500, seed=4)
    counted = tc.Statistics(TRUTH.dag).update(data)
    families = {"X": family}
    ours = tc.fit(TRUTH.dag, counted, families=families)
    assert ours.network["X"] == tc.fit(TRUTH.dag, data, families=families).network["X"]
    kept = tc.fit(TRUTH, tc.Statistics(TRUTH).update(data)).network["X"]
    assert kept == tc.fit(TRUTH, data).network["X"]


def test_a_tree_that_is_nested_too_deeply_is_refused():
    tree: object = [0.5, 0.5]
    for _ in range(5000):
        tree = {"parent": "A", "branches": [{"states": ["no"], "then": tree},
                                            {"states": ["yes"], "then": [0.5, 0.5]}]}  # fmt: skip
    plain = {"family": "tree-table", "child": "X", "parents": ["A"], "tree": tree}
    with pytest.raises(tc.TacitError) as caught:
        family_from_plain(plain, {"A": A, "X": X})
    assert str(caught.value) == "the tree of X is nested too deeply"
