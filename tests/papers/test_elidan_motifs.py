"""Motifs in sequences, Elidan 2004, section 3.6: every figure against the formula, spelled out."""

from __future__ import annotations

from collections import Counter
from math import comb, exp, log
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tacit.arrays import Codes, Floats
from tacit.experiments.elidan import motifs
from tacit.experiments.elidan.binding import LENGTH, Binding, Motif, best_step
from tacit.experiments.elidan.sequences import BACKGROUND, Sequences, implanted, log_odds
from tacit.experiments.elidan.words import enrichment, good_seeds, lacking
from tacit.experiments.outcome import Outcome, Settings
from tacit.experiments.registry import find, run
from tacit.learn.annealing.driver import anneal
from tacit.learn.annealing.settings import WeightAnnealing

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reproductions.md"


def sequences(cases: int, length: int, seed: int) -> Sequences:
    """A few short sequences, half of them bound, without any motif."""
    random = np.random.default_rng(seed)
    letters = random.choice(4, (cases, length), p=BACKGROUND).astype(np.int8)
    return Sequences(letters, np.arange(cases) < cases // 2, np.zeros(8, dtype=np.int64))


@pytest.fixture(scope="module")
def held() -> Sequences:
    return sequences(12, 40, 1)


@pytest.fixture(scope="module")
def problem(held: Sequences) -> Binding:
    return Binding.of(held)


def spelled_out(letters: Codes, bound: bool, matrix: Floats, log_v: float) -> float:
    """log P(label) = log logistic(± log(v / K Σ_j exp Σ_i w_i[s_(i + j)])). [3.6, erratum E27]"""
    windows = range(len(letters) - len(matrix) + 1)
    scores = [sum(matrix[i][letters[i + j]] for i in range(len(matrix))) for j in windows]
    top = max(scores)
    odds = log_v - log(len(letters)) + top + log(sum(exp(each - top) for each in scores))
    signed = odds if bound else -odds
    return -log(1 + exp(-signed)) if signed > -30 else signed


@pytest.mark.parametrize("size", [0.0, 1.0, 300.0])
def test_the_probability_of_a_label_is_the_one_printed(
    held: Sequences, problem: Binding, size: float
) -> None:
    random = np.random.default_rng(2)
    matrix, log_v = size * random.normal(size=(LENGTH, 4)), float(random.normal())
    found = problem.motif(np.append(matrix, log_v)).fits
    expected = [
        spelled_out(row, bool(label), matrix, log_v)
        for row, label in zip(held.letters, held.bound, strict=True)
    ]
    assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_the_slope_of_the_weighted_objective_is_that_of_differences(problem: Binding) -> None:
    random = np.random.default_rng(3)
    here, weights = random.normal(size=4 * LENGTH + 1), random.gamma(1, size=12)
    value, slope = problem.slope(here, weights)
    assert value == pytest.approx(float(weights @ problem.motif(here).fits))
    for at in range(here.size):
        step = np.zeros_like(here)
        step[at] = 1e-5
        up, down = (weights @ problem.motif(here + sign * step).fits for sign in (1, -1))
        assert slope[at] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-7)


def test_a_step_along_a_line_finds_the_top_of_a_parabola_and_never_falls() -> None:
    for top in (0.003, 0.3, 7.0):

        def height(step: float, top: float = top) -> float:
            return -((step - top) ** 2)

        assert best_step(height, height(0.0)) == pytest.approx(top)
    assert best_step(lambda step: -step, 0.0) == 0.0


def test_a_search_along_the_gradient_raises_the_weighted_objective(problem: Binding) -> None:
    random = np.random.default_rng(4)
    start = problem.settled(problem.seeded(np.array([0, 1, 2, 3, 0, 1])))
    for _ in range(3):
        weights = 12 * random.dirichlet(np.ones(12))
        after = problem.optimise(weights, start)
        assert weights @ after.fits > weights @ start.fits
        start = after


def test_a_seed_gives_the_middle_sequence_the_odds_of_a_label(held: Sequences) -> None:
    few = Binding.of(Sequences(held.letters, np.arange(12) < 3, held.consensus))
    start = few.settled(few.seeded(np.array([0, 1, 2, 3, 0, 1])))
    assert start.consensus[7:13].tolist() == [0, 1, 2, 3, 0, 1]
    odds = [
        log(-1 / np.expm1(spelled_out(row, False, start.matrix, start.log_v)) - 1)
        for row in held.letters
    ]
    assert -np.median(odds) == pytest.approx(log(3 / 9))


def test_conjugate_gradients_end_where_it_is_flat(problem: Binding) -> None:
    found = problem.finish(problem.settled(problem.seeded(np.array([3, 1, 2, 3, 0, 1]))))
    _, slope = problem.slope(found.flat, problem.weights)
    assert np.abs(slope).max() / 12 <= 1e-3


def test_without_temperature_annealing_is_the_baseline(problem: Binding) -> None:
    start = problem.settled(problem.seeded(np.array([3, 1, 2, 3, 0, 1])))
    cold = anneal(WeightAnnealing(None, start=0.0), problem, start)
    assert_allclose(cold.hypothesis.flat, problem.finish(start).flat, rtol=0, atol=0)
    hot = [anneal(WeightAnnealing(None), problem, start) for _ in range(2)]
    assert_allclose(hot[0].hypothesis.flat, hot[1].hypothesis.flat, rtol=0, atol=0)
    assert hot[0].objective == pytest.approx(float(hot[0].hypothesis.fits.sum()))


def test_the_adversary_lowers_the_weights_of_labels_that_are_likely(problem: Binding) -> None:
    start = problem.settled(problem.seeded(np.array([3, 1, 2, 3, 0, 1])))
    assert_allclose(problem.gradient(problem.weights, start), start.fits)


def test_enrichment_is_the_hypergeometric_probability(held: Sequences) -> None:
    texts = ["".join("ACGT"[each] for each in row) for row in held.letters]
    chance = enrichment(held)
    counted = Counter({text[at : at + 6] for text in texts for at in range(35)})
    for word in sorted(counted)[::40]:
        there = sum(word in text for text in texts)
        among = sum(word in text for text in texts[:6])
        expected = sum(
            comb(there, many) * comb(12 - there, 6 - many) for many in range(among, 7)
        ) / comb(12, 6)
        number = sum("ACGT".index(each) * 4 ** (5 - at) for at, each in enumerate(word))
        assert chance[number] == pytest.approx(log(expected), abs=1e-9)


def test_good_seeds_are_those_that_chance_hardly_gives() -> None:
    none = good_seeds(sequences(40, 60, 5), 3)
    assert len(none) == 1
    letters = sequences(40, 60, 5).letters.copy()
    letters[:20, 30:38] = [0, 1, 2, 3, 0, 0, 1, 2]
    planted = good_seeds(Sequences(letters, np.arange(40) < 20, np.zeros(8, dtype=np.int64)), 3)
    assert sorted(map(tuple, planted)) == [
        (0, 1, 2, 3, 0, 0),
        (1, 2, 3, 0, 0, 1),
        (2, 3, 0, 0, 1, 2),
    ]


def test_letters_are_lacking_at_the_place_that_fits_best() -> None:
    consensus = np.array([0, 1, 2, 3])
    assert lacking(np.array([3, 3, 0, 1, 2, 3, 3]), consensus) == 0
    assert lacking(np.array([0, 1, 0, 3, 3]), consensus) == 1
    assert lacking(np.array([3, 2, 1, 0]), consensus) == 4


def test_a_strong_motif_is_found_from_its_seed() -> None:
    random = np.random.default_rng(6)
    consensus = np.array([0, 1, 2, 3, 0, 0, 1, 2, 3])
    letters = random.choice(4, (80, 100), p=BACKGROUND).astype(np.int8)
    for case in range(40):
        at = int(random.integers(0, 91))
        letters[case, at : at + 9] = consensus
    strong = Sequences(letters, np.arange(80) < 40, consensus)
    trial = motifs.Trial(
        strong, Binding.of(strong), Binding.of(strong), Binding.seeded(good_seeds(strong, 1)[0])
    )
    assert trial.baseline().lacking <= 1
    done = trial.annealed(WeightAnnealing(None), (1,))
    assert done.annealed.lacking <= 1
    assert done.equal.passes >= done.annealed.passes
    assert done.equal.likelihood >= trial.baseline().likelihood


def test_the_implanted_matrix_tells_bound_sequences() -> None:
    made, _ = implanted(8, 1)
    problem = Binding.of(made)
    start: Motif = problem.settled(motifs.centred(log_odds(made.consensus)))
    bound = float(problem.labels.mean())
    alone = bound * log(bound) + (1 - bound) * log(1 - bound)
    assert start.fits.mean() > alone
    assert lacking(start.consensus, made.consensus) == 0


@pytest.fixture(scope="module")
def small() -> Outcome:
    return run(find(motifs.NAME), Settings("smoke"))


def test_a_small_run_has_its_tables(small: Outcome) -> None:
    for table in small.tables:
        assert all(len(row) == len(table.heads) for row in table.rows)
    assert [row[0] for row in small.tables[0].rows] == ["1"]
    for row in small.plain["rows"]:
        for each in (row["adversary"], *row["random"]):
            assert each["equal"]["passes"] >= each["annealed"]["passes"]


@pytest.mark.full
def test_the_page_shows_what_comes_out() -> None:
    outcome = run(find(motifs.NAME), Settings("default"))
    page = PAGE.read_text(encoding="utf-8")
    assert all(claim.holds for claim in outcome.claims)
    assert all(str(table) in page for table in outcome.tables)
