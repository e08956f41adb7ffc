"""Sharing inside one distribution, Niculescu 2005, section 8.1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_experiments as naive
import tacit as tc
from tacit.experiments import niculescu_sharing as sharing
from tacit.experiments.learner import Learner
from tacit.experiments.outcome import Outcome, Settings
from tacit.experiments.registry import find, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reproductions.md"
X = tc.Discrete("X", tuple(str(state + 1) for state in range(sharing.STATES)))
DAG = tc.Dag({"X": ()})
seeds = st.integers(0, 2**32)


@pytest.fixture(scope="module")
def small() -> Outcome:
    return run(find(sharing.NAME), Settings("smoke"))


@given(seeds)
def test_about_half_of_the_states_stand_in_groups_of_two_to_five(seed: int) -> None:
    truth = sharing.draw_truth(np.random.default_rng(seed))
    grouped = [state for group in truth.groups for state in group]
    assert grouped == list(range(len(grouped)))
    assert 25 <= len(grouped) <= 29
    assert all(2 <= len(group) <= 5 for group in truth.groups)
    assert all(np.ptp(truth.values[group]) == 0 for group in truth.groups)
    assert len(np.unique(truth.values)) == len(truth.groups) + sharing.STATES - len(grouped)
    assert truth.values.sum() == pytest.approx(1)


@given(seeds)
def test_estimates_are_those_printed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = sharing.draw_truth(rng)
    counts = rng.poisson(2, sharing.STATES).astype(float)
    plain = Learner.of(DAG, {"X": X}, tc.Dirichlet(2), tc.MAP())
    shared = Learner.of(DAG, {"X": X}, tc.Dirichlet(2), tc.MAP(), truth.rules)
    assert_allclose(plain.tables({"X": counts})["X"], naive.standard(counts), rtol=1e-12)
    expected = naive.shared_within(counts, truth.groups)
    assert_allclose(shared.tables({"X": counts})["X"], expected, rtol=1e-12)


def test_a_learner_gives_what_fit_gives() -> None:
    rng = np.random.default_rng(5)
    truth = sharing.draw_truth(rng)
    codes = rng.choice(sharing.STATES, 80, p=truth.values)
    cases = tc.Dataset({"X": X}, {"X": codes})
    fit = tc.fit(DAG, cases, knowledge=truth.rules, prior=tc.Dirichlet(2), estimate=tc.MAP())
    counts = {"X": np.bincount(codes, minlength=sharing.STATES).astype(float)}
    learner = Learner.of(DAG, {"X": X}, tc.Dirichlet(2), tc.MAP(), truth.rules)
    assert_allclose(learner.network(counts)["X"].values, fit.network["X"].values, rtol=1e-12)


def test_curves_are_the_divergences_of_the_first_cases() -> None:
    rng, again = np.random.default_rng(3), np.random.default_rng(3)
    truth = sharing.draw_truth(rng)
    sharing.draw_truth(again)
    cases = again.choice(sharing.STATES, sharing.CASES, p=truth.values)
    sizes = np.array([1, 17, 400])
    found = sharing.curves(truth, sizes, rng)
    for at, size in enumerate(sizes):
        counts = np.bincount(cases[:size], minlength=sharing.STATES)
        plain = naive.kl(truth.values, naive.standard(counts))
        shared = naive.kl(truth.values, naive.shared_within(counts, truth.groups))
        assert_allclose([found.plain[at], found.shared[at]], [plain, shared], rtol=1e-10)


def test_cases_needed_are_the_first_that_come_as_near() -> None:
    rng = np.random.default_rng(8)
    found = sharing.curves(sharing.draw_truth(rng), np.arange(1, sharing.CASES + 1), rng)
    sizes = np.array([20, 100, 300, 1000])
    for size, needed in zip(sizes, found.needed(sizes), strict=True):
        first = naive.first_as_near(found.plain.tolist(), found.shared[size - 1])
        if first is None:
            assert np.isnan(needed)
        else:
            assert first - 1 <= needed <= first


def test_a_small_run_has_the_table_and_the_trend(small: Outcome) -> None:
    table = small.tables[0]
    assert [row[0] for row in table.rows] == [str(size) for size in sharing.ROWS]
    assert all(len(row) == len(table.heads) for row in table.rows)
    assert (small.done, small.asked) == (4, 4)
    told = {claim.text: claim.holds for claim in small.claims}
    assert told["KL(T, PDKBN) falls as cases are added"]
    assert told["PDKBN is nearer to the truth, at every size from 5 on"]


def test_one_seed_gives_one_outcome(small: Outcome) -> None:
    assert str(run(find(sharing.NAME), Settings("smoke"))) == str(small)
    assert run(find(sharing.NAME), Settings("smoke", seed=2)).plain != small.plain


def test_an_interruption_leaves_what_was_done() -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    outcome = run(find(sharing.NAME), Settings("smoke", progress=stop))
    assert (outcome.done, outcome.asked, outcome.plain["instances"]) == (2, 4, 2)
    assert "interrupted: 2 of 4 repetitions were made" in str(outcome)


@pytest.mark.full
def test_a_hundred_instances_agree_with_the_paper() -> None:
    outcome = run(find(sharing.NAME), Settings("default"))
    assert all(claim.holds for claim in outcome.claims)
    page = PAGE.read_text(encoding="utf-8")
    assert all(str(table) in page for table in outcome.tables)
    assert outcome.plain["nearer_from_20_on"] == outcome.done
    gap = outcome.plain["largest_gap"]
    assert gap["mean"] == pytest.approx(sharing.PAPER_GAP, abs=2 * gap["sd"])
    assert 30 <= gap["at"] <= 120
