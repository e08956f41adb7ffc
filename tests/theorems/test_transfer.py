"""Transfer as its papers print it: fitness by integrals, checks by their definition, CPTAgg."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_transfer as naive
import tacit as tc
from tacit.estimate.transfer.averaging import averaged
from tacit.estimate.transfer.choosing import Candidate, weighted
from tacit.estimate.transfer.fitness import (
    compared_under,
    log_bayes_factor,
    log_predictive,
    related,
    row_log_bayes_factors,
)
from tacit.estimate.transfer.fragments import Fragment, matches
from tacit.estimate.transfer.metric import most_likely_rows
from tacit.estimate.transfer.pools import confidence
from tacit.families.table import Table

PAIR = "A -> B"
small_counts = st.lists(st.integers(0, 9), min_size=8, max_size=8).map(
    lambda each: np.array(each, dtype=float).reshape(2, 2, 2)
)
priors = st.sampled_from([0.25, 0.5, 1.0, 2.5])


def pair(counts) -> dict[str, list[str]]:
    """Cases of A -> B with these counts [A, B]."""
    a, b = [], []
    for (row, column), number in np.ndenumerate(np.array(counts)):
        a += ["n", "y"][row : row + 1] * int(number)
        b += ["n", "y"][column : column + 1] * int(number)
    return {"A": a, "B": b}


def coin(heads: int, tails: int) -> dict[str, list[str]]:
    return {"A": ["n"] * heads + ["y"] * tails}


@settings(max_examples=15)
@given(small_counts, small_counts, priors)
def test_fitness_is_the_ratio_of_integrals_over_one_table_and_over_two(source, target, alpha):
    prior = np.full((2, 2, 2), alpha)
    ours = log_bayes_factor(source, target, prior)
    assert ours == pytest.approx(naive.log_factor(source, target, prior), abs=1e-6)
    assert ours == pytest.approx(naive.log_factor_exact(source, target, prior), abs=1e-9)


@given(small_counts, small_counts, priors)
def test_fitness_is_the_same_both_ways_and_a_row_without_cases_is_a_factor_of_one(
    source, target, alpha
):
    prior = np.full((2, 2, 2), alpha)
    assert log_bayes_factor(source, target, prior) == pytest.approx(
        log_bayes_factor(target, source, prior), abs=1e-9
    )
    target = target.copy()
    target[0, 1] = 0
    assert row_log_bayes_factors(source, target, prior)[0, 1] == pytest.approx(0, abs=1e-9)


@given(small_counts, small_counts, priors)
def test_with_the_same_belief_in_all_sources_the_best_predicts_the_target_best(
    source, target, alpha
):
    prior = np.full((2, 2, 2), alpha)
    others = [source, source[::-1], target]
    factors = [log_bayes_factor(each, target, prior) for each in others]
    predicted = [log_predictive(each, target, prior) for each in others]
    assert_allclose(np.diff(factors), np.diff(predicted), atol=1e-9)
    printed = [naive.row_log_predictives(each, target, alpha).sum() for each in others]
    assert_allclose(predicted, printed, atol=1e-9)


def test_rows_multiply_where_the_printed_sum_would_hide_them():
    source = np.array([[40.0, 0.0], [0.0, 0.0]])
    target = np.array([[0.0, 40.0], [3.0, 2.0]])
    prior = np.ones((2, 2))
    rows = row_log_bayes_factors(source, target, prior)
    assert rows[1] == 0
    assert log_bayes_factor(source, target, prior) == pytest.approx(rows[0])
    assert rows[0] < -40
    assert related(rows.sum(), 0.5) < 1e-17


def test_the_probability_of_one_table_is_bayes_rule():
    for factor, before in ((1.3, 0.2), (-4.0, 0.9), (0.0, 0.5)):
        odds = np.exp(factor) * before / (1 - before)
        assert related(factor, before) == pytest.approx(odds / (1 + odds))
    assert related(50.0, 0.0) == 0
    assert related(-50.0, 1.0) == 1
    assert related(-5000.0, 0.5) == 0


def test_mixtures_weigh_every_candidate_and_none_by_bayes_rule():
    counts = [np.array([9.0, 3.0]), np.array([2.0, 8.0]), np.array([30.0, 12.0])]
    target, prior = np.array([6.0, 2.0]), np.ones(2)
    names = ["one", "one", "two"]
    found = [
        Candidate(match, log_bayes_factor(each, target, prior), np.zeros(0, dtype=np.int64))
        for name, each in zip(names, counts, strict=True)
        for match in matches(Fragment(name, "X", (), each), (2,))
    ]
    told = weighted(found, {"one": 0.6, "two": 0.4}, 0.0)
    # each source is the one that may fit with probability 1/2, each of its fragments alike
    believed = np.array([0.5, 0.6 / 2 / 2, 0.6 / 2 / 2, 0.4 / 2])
    factors = [1.0] + [np.exp(naive.log_factor_exact(each, target, prior)) for each in counts]
    masses = believed * factors / (believed @ factors)
    assert_allclose(told.weights, masses[1:])
    assert told.own == pytest.approx(masses[0])
    assert not weighted(found, {"one": 0.6, "two": 0.4}, 0.9999).candidates


def test_tables_are_compared_under_a_prior_of_at_least_one_case_per_state():
    weak = np.array([[0.1, 0.3], [0.2, 0.2], [4.0, 1.0]])
    assert_allclose(compared_under(weak), [[0.5, 1.5], [1, 1], [4, 1]])
    for own in (np.ones((2, 3)), np.full((2, 3), 5.0)):
        assert_allclose(compared_under(own), own)


@given(small_counts, small_counts, small_counts, priors)
def test_borrowed_cases_make_the_estimate_the_mean_over_what_may_be(target, one, two, alpha):
    own = target + alpha
    weights = (0.5, 0.3)
    added = np.sum(averaged(own, [one, two], weights), axis=0)
    wanted = 0.2 * own / own.sum(-1, keepdims=True)
    for weight, each in zip(weights, (one, two), strict=True):
        both = own + each
        wanted += weight * both / both.sum(-1, keepdims=True)
    assert_allclose((own + added) / (own + added).sum(-1, keepdims=True), wanted, atol=1e-12)
    assert_allclose(averaged(own, [one], [1.0])[0], one, atol=1e-9)
    assert not averaged(own, [one], [0.0])[0].any()


@pytest.mark.parametrize("related_before", [0.2, 0.5, 0.9])
def test_a_fit_that_borrows_is_the_mean_over_one_table_and_two(related_before):
    own, other = np.array([[4.0, 2.0], [0.0, 0.0]]), np.array([[30.0, 12.0], [9.0, 44.0]])
    fit = tc.fit(
        tc.fit(PAIR, pair(np.ones((2, 2)))).network,
        pair(own),
        prior=tc.K2(),
        sources=[tc.Source(pair(other), "L", related=related_before)],
        transfer=tc.BestFragment(threshold=0.0, learned=False),
    )
    (loan,) = next(each for each in fit.borrowed if each.variable == "B").loans
    assert loan.fragment == "B"
    odds = np.exp(naive.log_factor_exact(other, own, np.ones((2, 2))))
    odds *= related_before / (1 - related_before)
    same = odds / (1 + odds)
    assert loan.probability == pytest.approx(same)
    alone, both = own + 1, own + other + 1
    rows = [each / each.sum(-1, keepdims=True) for each in (alone, both)]
    assert_allclose(fit.network["B"].values, (1 - same) * rows[0] + same * rows[1])


# rules ----------------------------------------------------------------------------------------

CHECKED = [
    # source cases, rule, excluded by: nothing, the strict check, both
    ((8, 2), "0.78 <= P(A=n) <= 0.82", ""),
    ((7, 3), "0.78 <= P(A=n) <= 0.82", "strict"),
    ((10, 90), "0.78 <= P(A=n) <= 0.82", "strict tolerant"),
    ((0, 50), "P(A=n) = 0", ""),
    ((1, 49), "P(A=n) = 0", "strict tolerant"),
    ((50, 0), "P(A=n) = 1", ""),
    ((0, 3), "P(A=n) >= 0.3", "strict"),
    ((0, 300), "P(A=n) >= 0.3", "strict tolerant"),
]


TWO_STATES = tc.fit("A", {"A": ["n", "y"]}).network


@pytest.mark.parametrize(("cases", "rule", "excluded"), CHECKED)
@pytest.mark.parametrize("check", ["strict", "tolerant", "none"])
def test_checks_exclude_what_rules_contradict(check, cases, rule, excluded):
    own = {" 0": ["y"], " 1": ["n"]}.get(rule[-2:], ["n", "y"])  # that the rule itself allows
    fit = tc.fit(
        TWO_STATES,
        {"A": own},
        knowledge=rule,
        sources=[tc.Source(coin(*cases), "L", structure=TWO_STATES)],
        transfer=tc.BestFragment(check=check, threshold=0.0),
    )
    (table,) = fit.borrowed
    assert bool(table.refused) == (check in excluded.split())
    assert bool(table.loans) != bool(table.refused)
    if table.refused:
        assert table.refused == (("L", "P(A)", rule),)
        assert table.why == "rules speak against every fragment of this shape"


@pytest.mark.parametrize(
    ("counts", "source", "low", "high"),
    [((3, 5), (20, 30), 0.3, 0.6), ((3, 5), (30, 4), 0.3, 0.6), ((0, 2), (2, 50), 0.0, 0.2)],
)
def test_guided_fitness_is_a_ratio_of_integrals_within_the_rules(counts, source, low, high):
    fit = tc.fit(
        TWO_STATES,
        coin(*counts),
        knowledge=f"P(A=n) >= {low}; P(A=n) <= {high}",
        prior=tc.K2(),
        sources=[tc.Source(coin(*source), "L")],
        transfer=tc.BestFragment(check="none", guided=True, threshold=0.0),
    )
    wanted = naive.log_factor(np.array(source), np.array(counts), np.ones(2), low, high)
    assert fit.borrowed[0].loans[0].log_factor == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("transfer", [tc.BestFragment(threshold=0.0), tc.Mixture()])
def test_guided_fitness_is_the_plain_one_where_no_rule_speaks(transfer):
    own, other = pair([[4, 2], [3, 9]]), pair([[30, 12], [9, 44]])
    kind = type(transfer)
    told = []
    for guided in (False, True):
        fit = tc.fit(
            PAIR,
            own,
            knowledge="P(A=n) <= 0.9",
            sources=[tc.Source(other, "L")],
            transfer=kind(threshold=0.0, guided=guided),
        )
        told.append(next(each for each in fit.borrowed if each.variable == "B").loans[0])
    assert told[0].fragment == told[1].fragment == "B"
    assert told[0].log_factor == pytest.approx(told[1].log_factor, abs=1e-9)


@pytest.mark.parametrize("check", ["strict", "tolerant"])
def test_rules_across_tables_exclude_what_no_table_of_the_other_variable_could_make_right(check):
    rule = "P(B=y | A=y) <= P(A=y)"
    own = pair([[60, 20], [15, 5]])  # P(A=y) is about a fifth
    for most, excluded in ((10, False), (95, True)):
        other = pair([[70, 30], [100 - most, most]])
        fit = tc.fit(
            PAIR,
            own,
            knowledge=rule,
            sources=[tc.Source(other, "L")],
            transfer=tc.BestFragment(check=check, threshold=0.0),
        )
        told = next(each for each in fit.borrowed if each.variable == "B")
        assert bool(told.refused) == excluded


@pytest.mark.parametrize("name", ["cancer", "asia"])
def test_rows_multiplied_find_the_right_fragment_more_often_than_rows_added(example_models, name):
    truth = tc.read(example_models / f"{name}.bif.gz")
    better = []
    for seed in range(80):
        random = np.random.default_rng(seed)
        own = _counts(truth, 100, random)
        sources = [_counts(_noisy(truth, random), many, random) for many in (200, 300, 400)]
        shares = [
            np.mean([_nearest(counts, sources, add) == child for child, counts in own.items()])
            for add in (np.sum, np.logaddexp.reduce)
        ]
        better.append(shares[0] - shares[1])
    assert np.mean(better) > 2 * np.std(better, ddof=1) / np.sqrt(len(better))


def _noisy(truth: tc.Network, random: np.random.Generator) -> tc.Network:
    """A fifth of the tables drawn anew: even numbers, divided by their sums. [estimation 3.8]"""
    tables = dict(truth.families)
    for name in random.choice(list(truth), max(1, round(0.2 * len(truth))), replace=False):
        values = random.random(truth[name].values.shape)
        tables[name] = Table(truth[name].variables, values / values.sum(-1, keepdims=True))
    return tc.Network(truth.dag, truth.variables, tables)


def _counts(network: tc.Network, cases: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    told = tc.fit(network, tc.sample(network, cases, seed=int(random.integers(2**31)))).evidence
    return {name: np.asarray(each.dense().values) for name, each in told.items()}


def _nearest(counts, sources, add) -> str:
    """The variable whose fragment fits best, rows of equation 5 taken together by `add`."""
    factors = [
        (float(add(naive.row_log_predictives(match.counts, counts).ravel())), child)
        for source in sources
        for child, theirs in source.items()
        for match in matches(Fragment("L", child, ("",) * (theirs.ndim - 1), theirs), counts.shape)
    ]
    return max(factors)[1]


# CPTAgg ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("low", ["printed", "linear"])
@pytest.mark.parametrize(("own", "cells"), [([[4, 2], [0, 0]], 4), ([[40, 12], [9, 71]], 4)])
def test_aggregates_are_equation_12_with_the_nearest_fragment(low, own, cells):
    other = np.array([[30.0, 12.0], [9.0, 44.0]])
    structure = tc.fit(PAIR, pair(np.ones((2, 2)))).network
    fit = tc.fit(
        structure,
        pair(own),
        prior=tc.K2(),
        sources=[tc.Source(pair(other), "L")],
        transfer=tc.Aggregate(low=low),
    )
    mine = np.array(own, dtype=float)
    trust = confidence(mine.sum(), cells, low)
    wanted = naive.local_pool(most_likely_rows(mine), most_likely_rows(other), trust)
    assert_allclose(fit.network["B"].values, wanted)
    assert fit.log_likelihood == pytest.approx(float(tc.log_likelihood(fit.network, pair(own))))
    assert fit.objective == fit.log_likelihood
    (loan,) = next(each for each in fit.borrowed if each.variable == "B").loans
    shares = [1 - trust if row.sum() else 1.0 for row in mine]
    assert loan.worth == pytest.approx(np.mean(shares) * other.sum())
    factor = naive.log_factor_exact(other, mine, np.ones((2, 2)))
    assert loan.log_factor == pytest.approx(factor)


def test_aggregates_choose_the_fragment_with_the_smallest_divergence(example_models):
    asia = tc.read(example_models / "asia.bif.gz")
    own, other = tc.sample(asia, 80, seed=4), tc.sample(asia, 300, seed=5)
    fit = tc.fit(asia, own, sources=[tc.Source(other, "L")], transfer=tc.Aggregate())
    theirs = {
        name: np.asarray(each.dense().values) for name, each in tc.fit(asia, other).evidence.items()
    }
    for table in fit.borrowed:
        mine = most_likely_rows(fit.evidence[table.variable].dense().values)
        near = {}
        for name, counts in theirs.items():
            for order in naive.orders(counts.shape[:-1], mine.shape[:-1]):
                turned = np.transpose(counts, (*order, counts.ndim - 1))
                parents = tuple(asia[name].parents[at] for at in order)
                near[name, parents] = naive.divergence(mine, most_likely_rows(turned))
        least = min(near.values())
        assert near[table.loans[0].fragment, table.loans[0].order] == pytest.approx(least)
        assert table.tried == len(near)


@pytest.mark.parametrize("variant", ["distance", "linear", "logarithmic"])
def test_other_pools_make_whole_tables_of_both(variant):
    own, other = [[4, 2], [3, 9]], [[30, 12], [9, 44]]
    fit = tc.fit(
        PAIR,
        pair(own),
        sources=[tc.Source(pair(other), "L")],
        transfer=tc.Aggregate(variant=variant),
    )
    found = fit.network["B"].values
    ends = np.stack([most_likely_rows(np.array(each, dtype=float)) for each in (own, other)])
    assert_allclose(found.sum(-1), 1)
    assert (found >= ends.min(axis=0) - 1e-12).all()
    assert (found <= ends.max(axis=0) + 1e-12).all()
    if variant == "linear":
        assert_allclose(found, (18 * ends[0] + 95 * ends[1]) / 113)
