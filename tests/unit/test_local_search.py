"""Searches for dags whose families are trees, lists of rows or links: scores inside the moves."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest

import naive_local
import tacit as tc
from tacit.core.variables import Discrete

NO_YES = ("no", "yes")
A, B, C, X = (Discrete(name, NO_YES) for name in "ABCX")
TREE = {"A": {"yes": [0.05, 0.95], "no": {"B": {"no": [0.7, 0.3], "yes": {"C": {
    "no": [0.1, 0.9], "yes": [0.9, 0.1]}}}}}}  # fmt: skip
TRUTH = tc.Network.of(
    [*(tc.table(each, [], [0.6, 0.4]) for each in (A, B, C)), tc.TreeTable.of(X, (A, B, C), TREE)]
)
CAUSES = [Discrete(f"C{at}", NO_YES) for at in range(5)]
FEVER = Discrete("Fever", NO_YES)
SICK = tc.Network.of(
    [
        *(tc.table(each, [], [0.8, 0.2]) for each in CAUSES),
        tc.NoisyOr.of(FEVER, dict(zip(CAUSES, [0.6, 0.5, 0.7, 0.4, 0.8], strict=True)), 0.05),
    ]
)


def subsets(names: list[str]) -> list[tuple[str, ...]]:
    return list(chain.from_iterable(combinations(names, many) for many in range(len(names) + 1)))


@pytest.mark.parametrize(
    ("score", "worth"),
    [
        (tc.BIC(), naive_local.bic(300, 2)),
        (tc.BDeu(4), naive_local.marginal(4, 0)),
    ],
)
def test_the_parents_found_are_those_whose_best_tree_scores_highest(score, worth):
    data = tc.sample(TRUTH, 300, seed=3)
    cells = {name: data[name].tolist() for name in data.names}
    scores = {}
    for parents in subsets(["A", "B", "C"]):
        cases = list(zip(*(cells[name] for name in (*parents, "X")), strict=True))
        priced = bool(parents)
        sizes = [2] * len(parents)
        scores[parents] = naive_local.best_tree(cases, sizes, 2, worth, priced=priced)
    best = max(scores, key=scores.__getitem__)
    found = tc.search(
        data, score=score, families={"X": tc.GrowTree(exact=True)}, seed=1,
        knowledge="order A, B, C < X; forbid A -> B, A -> C, B -> A, B -> C, C -> A, C -> B",
    )  # fmt: skip
    assert set(found.dag.parents["X"]) == set(best)
    assert found.found.families["X"] == pytest.approx(scores[best], abs=1e-9)
    roots = sum(
        naive_local.best_tree([(code,) for code in cells[name]], [], 2, worth, priced=False)
        for name in "ABC"
    )
    assert found.score == pytest.approx(scores[best] + roots, abs=1e-9)
    assert isinstance(found.network["X"], tc.TreeTable)


def test_trees_keep_parents_that_whole_tables_cannot_afford():
    data = tc.sample(TRUTH, 300, seed=1)
    rules = "order A, B, C < X"
    tables = tc.search(data, knowledge=rules, seed=1)
    trees = tc.search(data, knowledge=rules, seed=1, family=tc.GrowTree(exact=True))
    assert trees.score > tables.score
    assert trees.settings["local"] == "GrowTree(exact=True)"


def test_links_keep_more_causes_than_tables_and_a_score_says_why():
    data = tc.sample(SICK, 300, seed=2)
    rules = f"order {', '.join(each.name for each in CAUSES)} < Fever"
    tables = tc.search(data, knowledge=rules, seed=1)
    links = tc.search(data, knowledge=rules, seed=1, families={"Fever": tc.NoisyOr})
    assert len(links.dag.parents["Fever"]) == 5 > len(tables.dag.parents["Fever"])
    family = tc.fit(links.dag, data, families={"Fever": tc.NoisyOr}, estimate=tc.ML()).network[
        "Fever"
    ]
    columns = [data[name] for name in (*family.parents, "Fever")]
    worth = family.log_prob(columns).sum() - 0.5 * np.log(300) * family.free_parameters
    assert links.found.families["Fever"] == pytest.approx(worth, abs=1e-4)


def test_a_search_with_trees_is_saved_and_comes_back(tmp_path):
    found = tc.search(tc.sample(TRUTH, 200, seed=5), families=tc.TreeTable, seed=1)
    found.save(tmp_path / "search.json")
    again = tc.load_fit(tmp_path / "search.json")
    assert again.dag == found.dag
    assert dict(again.network.families) == dict(found.network.families)
    facts = {each["kind"]: each for each in tc.report(found).facts["sections"]}
    assert "families=tc.GrowTree()" in facts["again"]["python"]
    assert "--family tree-table" in facts["again"]["command"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"families": tc.NoisyOr, "score": tc.BDeu(1)},
            "BDeu(1) is no score of a noisy-or: its marginal likelihood has no formula"
            "\n\nuse tc.BIC() or tc.AIC()",
        ),
        (
            {"families": {"X": tc.GrowTree(score=tc.AIC())}},
            "GrowTree(score=AIC()) of X has a score of its own, and the dag is scored by BIC()"
            "\n\nleave out score= of the one or make both the same",
        ),
        (
            {"families": {"Y": tc.TreeTable}},
            "families= names 'Y', which is no column of the cases\n\ncolumns: A, B, C, X",
        ),
        (
            {"families": {"X": TRUTH["X"]}},
            "families= gives X rows, and a search has yet to find its parents"
            "\n\ngive tc.TreeTable alone, and its rows are found with them",
        ),
    ],
)
def test_what_a_search_cannot_do_with_such_families_is_said(options, message):
    with pytest.raises(tc.TacitError) as caught:
        tc.search(tc.sample(TRUTH, 50, seed=1), **options)
    assert str(caught.value) == message
