"""Weight annealing as printed: (3.2), (3.3), (3.4), (3.5), (3.8), algorithm 4 and the gradients."""

from __future__ import annotations

from math import ceil, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import climbs
import naive_annealing as naive
import naive_inference
import naive_scores
import questions
import tacit as tc
from tacit.engines.expected import expectation
from tacit.engines.gaussian_scores import gaussian_scorer
from tacit.engines.mixed_scores import mixed_scorer
from tacit.engines.prior_scores import PriorScorer
from tacit.engines.table_scores import TableScorer
from tacit.estimate.scores.tables import table_score
from tacit.infer.flat import layout_of
from tacit.learn.annealing.driver import anneal
from tacit.learn.annealing.reweighting import adversarial_weights, effective, random_weights
from tacit.learn.annealing.simulated import accept
from tacit.learn.annealing.slopes import slopes
from tacit.learn.annealing.weighed import Weighed

DRAWS = 4_000
SURE = 6.0
"""Standard errors that a mean of draws may lie off."""


def adversary(**options):
    return tc.WeightAnnealing(None, **{"least_effective": 0.0, **options})


@st.composite
def situations(draw):
    """Base weights, weights before, and a gradient; from a seed, in full precision."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    cases = draw(st.integers(2, 12))
    base, weights = rng.dirichlet(np.full(cases, 3.0)), rng.dirichlet(np.full(cases, 3.0))
    return base, weights, rng.normal(-5, 3, cases)


# --- (3.5), the adversary -------------------------------------------------------------------


@settings(max_examples=12)
@given(
    situations(), st.sampled_from([0.1, 0.5, 2.0]), st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    st.sampled_from([0.5, 1.0]),
)  # fmt: skip
def test_the_closed_form_minimises_the_linearised_objective(here, heat, memory, eta):
    base, weights, slope = here
    found = adversarial_weights(
        adversary(memory=memory, eta=eta), base, weights, lambda _: slope, heat
    )
    assert_allclose(found.weights.sum(), 1)
    near = (1 - memory) / heat, memory / heat
    oracle = naive.pushed(base, weights, slope, *near, eta)

    def of(share):
        return naive.penalised(share, base, weights, slope, *near, eta)

    assert_allclose(found.weights, oracle, atol=1e-3)
    assert of(found.weights) <= of(oracle / oracle.sum()) + 1e-9


@settings(max_examples=50)
@given(situations(), st.sampled_from([0.05, 0.2, 1.0]))
def test_it_is_the_printed_formula(here, heat):
    base, weights, slope = here
    printed = np.sqrt(base * weights) * np.exp(-heat * (slope - slope.min()))
    found = adversarial_weights(adversary(), base, weights, lambda _: slope, heat)
    assert_allclose(found.weights, printed / printed.sum(), rtol=1e-9, atol=2e-12)


def tables_of(rng, cases):
    """Two families over three variables: the cell and the row of every case, no cell unused."""
    a, b, c = rng.integers(0, 2, (3, cases))
    rows = np.unique(a * 2 + b, return_inverse=True)[1]
    cells = np.unique(rows * 2 + c, return_inverse=True)[1]
    alone = np.unique(b, return_inverse=True)[1]
    return [(cells, rows), (alone, np.zeros(cases, dtype=np.int64))]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("heat", [0.3, 1.0])
def test_the_exact_adversary_minimises_the_penalised_objective_itself(seed, heat):
    """The greatest likelihood is convex in the weights, so its minimum is the fixed point."""
    rng = np.random.default_rng(seed)
    base, weights = rng.dirichlet(np.full(9, 3.0)), rng.dirichlet(np.full(9, 3.0))
    families = tables_of(rng, 9)

    def slope(share):
        total = np.zeros(9)
        for cells, rows in families:
            total += np.log(np.bincount(cells, share)[cells] / np.bincount(rows, share)[rows])
        return total

    found = adversarial_weights(adversary(exact=True), base, weights, slope, heat)
    oracle = naive.set_against_tables(base, weights, families, 0.5 / heat, 0.5 / heat)
    assert found.settled
    assert_allclose(found.weights, oracle, atol=2e-5)


@settings(max_examples=50)
@given(situations())
def test_cases_that_are_explained_well_lose_weight_to_those_that_are_not(here):
    base, _, slope = here
    found = adversarial_weights(adversary(), base, base, lambda _: slope, 0.3)
    ratio = found.weights / base
    assert (np.diff(ratio[np.argsort(slope)]) <= 1e-12 * ratio.max()).all()


@settings(max_examples=25)
@given(situations(), st.integers(0, 10_000))
def test_cold_weights_are_the_cases_own(here, seed):
    base, weights, slope = here
    for heat in (1e-6, 1e-9):
        forgetful = adversarial_weights(adversary(memory=0.0), base, weights, lambda _: slope, heat)
        assert_allclose(forgetful.weights, base, rtol=100 * heat)
        drawn = random_weights(base, heat, np.random.default_rng(seed))
        assert_allclose(drawn, base, rtol=0, atol=20 * np.sqrt(heat))
    for _ in range(60):  # what is remembered of earlier weights halves every time
        weights = adversarial_weights(adversary(), base, weights, lambda _: slope, 1e-9).weights
    assert_allclose(weights, base, rtol=1e-6)
    assert_array_equal(random_weights(base, 0.0, np.random.default_rng(seed)), base)


def test_a_temperature_that_stays_moves_the_weights_twice_as_far():
    """r = r0 / 2 + r / 2 - tau g has the fixed point r0 - 2 tau g. [erratum E23]"""
    base, slope, heat = np.array([0.8, 0.2]), np.array([1.0, 0.0]), 0.7
    weights = base
    for _ in range(80):
        weights = adversarial_weights(adversary(), base, weights, lambda _: slope, heat).weights
    shift = log(weights[0] / weights[1]) - log(base[0] / base[1])
    assert_allclose(shift, -2 * heat, rtol=1e-10)


def test_the_floor_lets_a_case_come_back():
    base, slope = np.full(3, 1 / 3), np.array([5_000.0, 0.0, 1.0])
    gone = adversarial_weights(adversary(), base, base, lambda _: slope, 1.0).weights
    assert gone[0] == pytest.approx(1e-12 / 3, rel=1e-6)
    flat = np.zeros(3)
    for _ in range(50):
        gone = adversarial_weights(adversary(), base, gone, lambda _: flat, 1.0).weights
    assert_allclose(gone, base, rtol=1e-9)


@settings(max_examples=40)
@given(situations(), st.sampled_from([0.1, 0.4, 0.9]))
def test_enough_cases_stay_effective_and_no_more_is_cooled_than_needed(here, least):
    base, _, slope = here
    found = adversarial_weights(
        tc.WeightAnnealing(None, least_effective=least), base, base, lambda _: slope, 8.0
    )
    assert found.effective >= least
    assert_allclose(found.effective, 1 / np.sum(found.weights**2 / base))
    halvings = np.log2(8.0 / found.temperature)
    assert halvings == round(halvings)
    if halvings > 0:
        hotter = adversarial_weights(
            adversary(), base, base, lambda _: slope, 2 * found.temperature
        )
        assert hotter.effective < least


def test_an_impossible_case_counts_as_the_worst_explained():
    base, slope = np.full(3, 1 / 3), np.array([-np.inf, -4.0, -2.0])
    found = adversarial_weights(adversary(), base, base, lambda _: slope, 0.5).weights
    assert found[0] == found[1] > found[2]


# --- (3.2), (3.3), weights at random --------------------------------------------------------


@pytest.mark.parametrize("heat", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("cases", [5, 40])
def test_random_weights_have_the_spread_of_the_formula(heat, cases):
    """sd(M w) = sqrt((M - 1) / (M beta + 1)), and Σ w² follows from it."""
    rng, base = np.random.default_rng(cases), np.full(cases, 1 / cases)
    drawn = np.array([random_weights(base, heat, rng) for _ in range(DRAWS)])
    assert_allclose(drawn.sum(axis=1), 1)
    variance = (cases - 1) / (cases / heat + 1)
    squares = (cases * drawn[:, 0] - 1) ** 2
    assert abs(squares.mean() - variance) < SURE * squares.std() / np.sqrt(DRAWS)
    second = np.sum(drawn**2, axis=1)  # E Σ w² = (1 + variance) / M
    expected = (1 + variance) / cases
    assert abs(second.mean() - expected) < SURE * second.std() / np.sqrt(DRAWS)
    shares = np.array([effective(base, each) for each in drawn])
    assert_allclose(shares, 1 / (cases * second))


@pytest.mark.parametrize("heat", [0.2, 1.0, 4.0])
def test_the_effective_share_of_many_cases_falls_as_one_over_one_plus_tau(heat):
    base = np.full(20_000, 1 / 20_000)
    drawn = random_weights(base, heat, np.random.default_rng(1))
    assert_allclose(effective(base, drawn), 1 / (1 + heat), rtol=0.1)


class Recorder:
    """Draws nothing; remembers what was asked for."""

    def dirichlet(self, parameters):
        self.parameters = parameters
        return parameters / parameters.sum()


@pytest.mark.parametrize("heat", [0.05, 0.5, 0.99])
def test_below_temperature_one_the_mode_is_at_the_base_weights(heat):
    base, asked = np.array([0.5, 0.0, 0.2, 0.3]), Recorder()
    found = random_weights(base, heat, asked)
    mode = (asked.parameters - 1) / (asked.parameters - 1).sum()
    assert_allclose(mode, base[base > 0])
    assert_allclose((asked.parameters - 1).sum(), 3 * (1 / heat - 1))  # c = M (beta - 1), E18
    assert found[1] == 0


@pytest.mark.parametrize("heat", [1.5, 10.0])
def test_above_temperature_one_the_mean_is_at_the_base_weights(heat):
    base, asked = np.array([0.5, 0.0, 0.2, 0.3]), Recorder()
    assert_allclose(random_weights(base, heat, asked), base)
    assert_allclose(asked.parameters.sum(), 3 / heat)


@pytest.mark.parametrize("heat", [0.1, 1.0, 3.0])
def test_even_base_weights_have_beta_in_every_case(heat):
    asked = Recorder()
    random_weights(np.full(7, 1 / 7), heat, asked)
    assert_allclose(asked.parameters, 1 / heat)


# --- (3.8), weighted statistics -------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["contexts", "trees"])
@pytest.mark.parametrize("seed", range(3))
def test_expected_counts_are_those_of_the_weighted_cases(strategy, seed):
    truth = questions.random_network(seed, size=5)
    cases = tc.sample(truth, 25, seed=seed, missing=tc.AtRandom(0.15))
    cases = cases.select([name for name in cases.names if name != "V1"] if seed else cases.names)
    families = {name: truth[name].variables for name in truth}
    layout = layout_of(truth.dag, truth.variables)
    weighed = Weighed.of(cases, layout, expectation(cases, layout, families, strategy))
    rng = np.random.default_rng(seed)
    weights = len(cases) * rng.dirichlet(np.full(len(cases), 0.7))
    weights[3] = 0.0
    theta = layout.parameters(questions.random_network(seed, size=5))
    tables = naive_inference.tables_of(truth)
    expected, _ = naive_inference.expected_counts(
        tables, truth.dag.parents, naive_inference.cases_in(cases), weights
    )
    counts = weighed.counts(weights, theta)
    for name in truth:
        block = layout.block(counts, layout.places[name])
        assert_allclose(block, expected[name], atol=1e-9)
        assert_allclose(block.sum(), weights.sum())
    by_case = weighed.log_likelihoods(theta)
    assert_allclose(by_case, tc.log_likelihood(truth, cases).per_case, atol=1e-9)


# --- gradients ------------------------------------------------------------------------------

STATES = (2, 3, 2, 4)
DAG = ((), (0,), (0, 1), (2,))


def centred(values):
    return values - values.mean()


def table_cases(seed):
    rng = np.random.default_rng(seed)
    codes = climbs.leaning(rng, STATES, 30)
    return codes, 30 * rng.dirichlet(np.full(30, 2.0))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("kind", "score"),
    [
        ("BDeu", tc.BDeu(3.5)), ("K2", tc.K2()), ("Jeffreys", tc.Jeffreys()),
        ("LogLikelihood", tc.LogLikelihood()), ("BIC", tc.BIC()),
    ],
)  # fmt: skip
def test_slopes_of_table_scores_are_central_differences(kind, score, seed):
    codes, weights = table_cases(seed)
    scorer = TableScorer.of(climbs.columns(codes, STATES), table_score(score))

    def of(many):
        return naive_scores.of_dag(kind, codes, many, STATES, DAG)

    found = slopes(scorer.weighted(weights), DAG)
    by_difference = naive.slope(of, weights)
    if kind == "BIC":  # the price depends on the sum of all weights
        found, by_difference = centred(found), centred(by_difference)
    assert_allclose(found, by_difference, atol=1e-6)
    if kind == "BDeu":  # by the share of a case there is the factor M [erratum E19]
        by_share = naive.slope(lambda share: of(30 * share), weights / 30, step=1e-5)
        assert_allclose(30 * found, by_share, rtol=1e-5, atol=1e-4)


def test_slopes_under_a_prior_of_its_own_are_central_differences():
    codes, weights = table_cases(5)
    columns = climbs.columns(codes, STATES)
    names = [variable.name for variable in columns.variables]
    alpha = {name: 0.5 + at for at, name in enumerate(names)}
    scorer = PriorScorer(columns, tc.Dirichlet(alpha))

    def of(many):
        there = scorer.weighted(many)
        return sum(there.family(child, who) for child, who in enumerate(DAG))

    assert_allclose(slopes(scorer.weighted(weights), DAG), naive.slope(of, weights), atol=1e-6)


def real_cases(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(3, 2, 40), rng.normal(0, 1, 40)
    c = 100 + 2 * a - b + rng.normal(0, 0.5, 40)
    return {"A": a, "B": b, "C": c, "D": np.sin(c) + rng.normal(0, 1, 40)}


@pytest.mark.parametrize("score", [tc.BIC(), tc.LogLikelihood(), tc.BGe(), tc.BGe(2.0, 9.0)])
def test_slopes_of_gaussian_scores_are_central_differences(score):
    scorer = gaussian_scorer(tc.read_cases(real_cases(1)), score)
    weights = 40 * np.random.default_rng(2).dirichlet(np.full(40, 2.0))

    def of(many):
        there = scorer.weighted(many)
        return sum(there.family(child, who) for child, who in enumerate(DAG))

    found, expected = slopes(scorer.weighted(weights), DAG), naive.slope(of, weights)
    assert_allclose(centred(found), centred(expected), atol=1e-6)


def test_slopes_of_mixed_scores_are_central_differences():
    rng = np.random.default_rng(3)
    columns = {**real_cases(4), "S": rng.choice(["x", "y"], 40), "T": rng.choice(["u", "v"], 40)}
    scorer = mixed_scorer(tc.read_cases(columns), tc.BIC())
    assert scorer.names == ("A", "B", "C", "D", "S", "T")
    dag = ((4,), (), (0, 1, 4), (2,), (5,), ())
    weights = 40 * rng.dirichlet(np.full(40, 2.0))

    def of(many):
        there = scorer.weighted(many)
        return sum(there.family(child, who) for child, who in enumerate(dag))

    found, expected = slopes(scorer.weighted(weights), dag), naive.slope(of, weights)
    assert_allclose(centred(found), centred(expected), atol=1e-6)


# --- algorithm 4 ----------------------------------------------------------------------------


@given(
    st.floats(1e-3, 50), st.floats(1e-4, 5), st.floats(0.05, 0.97),
)  # fmt: skip
def test_the_number_of_rounds_is_the_formula(start, end, cooling):
    told = tc.WeightAnnealing(None, start=start, end=end, cooling=cooling)
    cooled = naive.temperatures(start, end, cooling)
    assert_allclose(list(told.temperatures()), cooled[: told.rounds], rtol=1e-9)
    assert abs(told.rounds - len(cooled)) <= 1  # rounding may take the last for equal to the end
    if start > end:
        assert abs(told.rounds - ceil(log(end / start) / log(cooling))) <= 1
    simulated = tc.SimulatedAnnealing(start=start, end=end, cooling=cooling)
    assert simulated.rounds == told.rounds


@pytest.mark.parametrize(("start", "rounds"), [(0.2, 29), (1.0, 44), (0.1, 22), (0.3, 33)])
def test_the_rounds_of_the_calibration_are_those_printed(start, rounds):
    """22, 33 and 44 iterations in the table of the check run, delta 0.9 and tau_min 0.01."""
    assert tc.WeightAnnealing(None, start=start).rounds == rounds


class Witness:
    """A problem that remembers at which weights it was asked."""

    weights = np.array([2.0, 1.0, 1.0])

    def __init__(self):
        self.asked, self.finished = [], []

    def optimise(self, weights, hypothesis):
        self.asked.append(weights)
        return hypothesis + 1

    def finish(self, hypothesis):
        self.finished.append(hypothesis)
        return hypothesis

    def gradient(self, weights, hypothesis):
        return np.array([1.0, 0.0, hypothesis])

    def objective(self, hypothesis):
        return -abs(hypothesis - 2.0)


def test_every_round_uses_its_own_temperature_and_the_end_the_cases_own_weights():
    """The first round is at the first temperature [erratum E20], `finish` comes last [E17]."""
    problem = Witness()
    how = tc.WeightAnnealing(None, start=0.5, end=0.1, cooling=0.5, least_effective=0.0)
    found = anneal(how, problem, 0.0)
    base = problem.weights / 4
    weights, expected = base, []
    for number, heat in enumerate((0.5, 0.25, 0.125)):
        slope = np.array([1.0, 0.0, number])
        weights = np.sqrt(base * weights) * np.exp(-heat * slope)
        weights /= weights.sum()
        expected.append(4 * weights)
    assert_allclose(problem.asked, expected, rtol=1e-9)
    assert [each.temperature for each in found.trace] == [0.5, 0.25, 0.125]
    assert [each.objective for each in found.trace] == [-1.0, 0.0, -1.0]
    assert problem.finished == [3.0]
    assert (found.hypothesis, found.objective) == (3.0, -1.0)


def test_the_best_that_was_seen_is_returned_if_that_is_wanted():
    problem = Witness()
    how = tc.WeightAnnealing(None, start=0.5, end=0.1, cooling=0.5, return_best=True)
    found = anneal(how, problem, 0.0)
    assert (found.hypothesis, found.objective) == (2.0, 0.0)


# --- simulated annealing --------------------------------------------------------------------


@pytest.mark.parametrize(("gain", "heat"), [(-1.0, 2.0), (-3.0, 1.5), (-0.2, 0.1), (-5.0, 50.0)])
def test_a_move_downhill_is_accepted_as_often_as_the_formula_says(gain, heat):
    """exp(d / tau); the sign of the source would accept everything. [erratum E16]"""
    rng, draws = np.random.default_rng(8), 20_000
    share = np.mean([accept(gain, heat, rng) for _ in range(draws)])
    chance = np.exp(gain / heat)
    assert abs(share - chance) < SURE * np.sqrt(chance * (1 - chance) / draws)


def test_uphill_is_always_accepted_and_downhill_never_when_cold():
    rng = np.random.default_rng(9)
    assert all(accept(1e-12, heat, rng) for heat in (0.0, 1.0, 100.0))
    assert not any(accept(-1e-3, 0.0, rng) for _ in range(100))
    assert not any(accept(-np.inf, 1e6, rng) for _ in range(100))
