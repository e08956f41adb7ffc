"""Shared rows where cells are missing: EM on tables of which some rows are one and the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.core.variables import Discrete

NO_YES = ("no", "yes")
A, B, C = Discrete("A", NO_YES), Discrete("B", ("a", "b", "c")), Discrete("C", NO_YES)
X = Discrete("X", NO_YES)
LEFT = {"B": {"a": [0.5, 0.5], ("b", "c"): {"C": {"no": [0.2, 0.8], "yes": [0.8, 0.2]}}}}
PLANTED = tc.TreeTable.of(X, (A, B, C), {"A": {"yes": [0.05, 0.95], "no": LEFT}})
TRUTH = tc.Network.of(
    [tc.table(A, [], [0.5, 0.5]), tc.table(B, [], [0.3, 0.3, 0.4]), tc.table(C, [], [0.5, 0.5]),
     PLANTED]
)  # fmt: skip
SAME_ROWS = """
    X ignores B, C when A=yes
    X ignores C when A=no, B=a
    P(X | A=no, B=b, C=no) = P(X | A=no, B=c, C=no)
    P(X | A=no, B=b, C=yes) = P(X | A=no, B=c, C=yes)
"""


def gappy(cases: int, share: float, seed: int) -> tc.Dataset:
    data = tc.sample(TRUTH, cases, seed=seed)
    random = np.random.default_rng(1000 + seed)
    return tc.read_cases(
        {
            name: [
                None if random.random() < share else data.variables[name].states[code]
                for code in data[name]
            ]
            for name in data.names
        },
        like=TRUTH,
    )


def test_em_with_shared_rows_ends_where_em_under_rules_that_make_rows_equal_does():
    data = gappy(400, 0.2, 1)
    method = tc.EM(tolerance=1e-12)
    ours = tc.fit(TRUTH, data, estimate=tc.ML(), seed=1, method=method)
    ruled = tc.fit(TRUTH.dag, data, estimate=tc.ML(), seed=1, method=method, knowledge=SAME_ROWS)
    assert ours.log_likelihood == pytest.approx(ruled.log_likelihood, abs=1e-6)
    assert_allclose(ours.network["X"].to_table().values, ruled.network["X"].values, atol=1e-4)
    assert ours.log_likelihood == pytest.approx(tc.log_likelihood(ours.network, data), abs=1e-9)


@pytest.mark.parametrize("estimate", [tc.ML(), tc.Smoothed(), tc.MAP()])
def test_no_step_lowers_the_objective_and_missing_nothing_is_counting(estimate):
    prior = tc.BDeu(60)
    fit = tc.fit(TRUTH, gappy(200, 0.3, 2), prior=prior, estimate=estimate, seed=1)
    assert (np.diff(fit.trace) >= -1e-9 * abs(fit.objective)).all()
    whole = tc.sample(TRUTH, 200, seed=5)
    lost = {name: [whole.variables[name].states[c] for c in whole[name]] for name in whole.names}
    lost["A"].append(None)
    for name in "BCX":
        lost[name].append(None)  # a case that says nothing of anything
    counted = tc.fit(TRUTH, whole, prior=prior, estimate=estimate).network["X"].values
    data = tc.read_cases(lost, like=TRUTH)
    found = tc.fit(
        TRUTH, data, prior=prior, estimate=estimate, seed=1, method=tc.EM(tolerance=1e-13)
    )
    assert_allclose(found.network["X"].values, counted, atol=0.01)


def test_rows_are_found_anew_at_expected_counts():
    data = gappy(3000, 0.15, 3)
    fit = tc.fit(TRUTH.dag, data, families={"X": tc.GrowTree(exact=True)}, seed=1)
    assert sorted(fit.network["X"].labels()) == sorted(PLANTED.labels())
    assert_allclose(fit.network["X"].to_table().values, PLANTED.to_table().values, atol=0.08)
    assert any("rows were found" in note for note in fit.notes)
    assert fit.settings["families"] == {"X": "GrowTree(exact=True)"}


def test_a_hidden_parent_may_lead_through_a_tree_that_is_given():
    data = tc.sample(TRUTH, 400, seed=4)
    seen = tc.read_cases({n: [data.variables[n].states[c] for c in data[n]] for n in "BCX"})
    fit = tc.fit(TRUTH, seen, hidden="rest", seed=1, method=tc.EM(restarts=2))
    assert fit.network["X"].tree.axis == PLANTED.tree.axis
    assert fit.log_likelihood == pytest.approx(tc.log_likelihood(fit.network, seen), abs=1e-6)


def test_a_saved_fit_of_gaps_comes_back(tmp_path):
    fit = tc.fit(TRUTH, gappy(100, 0.2, 6), seed=1)
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.network["X"] == fit.network["X"]
    assert_allclose(again.evidence["X"].values, fit.evidence["X"].values)
    started = tc.fit(fit.network, gappy(100, 0.2, 6), start="given", seed=1)
    assert started.objective >= fit.objective - 1e-6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": tc.Gradient()},
            "Gradient() infers tables only, and X is to be a tree-table\n\nuse method=tc.EM()",
        ),
        (
            {"hidden": {"A": 2}},
            "X is to share rows, and A is in no case that could tell which\n\n"
            "give them: families={'X': tc.TreeTable.of(...)}",
        ),
    ],
)
def test_what_shared_rows_with_gaps_cannot_do_is_said(options, message):
    data = gappy(60, 0.2, 7)
    if "hidden" in options:
        data = data.select(["B", "C", "X"])
    with pytest.raises(tc.TacitError) as caught:
        tc.fit(TRUTH.dag, data, families={"X": tc.TreeTable}, **options)
    assert str(caught.value) == message
