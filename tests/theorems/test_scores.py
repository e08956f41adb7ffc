"""What is proved of scores: prediction case by case, equivalence, consistency.

HV1-6, HV1-7; T2, T3, T4.
"""

from __future__ import annotations

from itertools import permutations, product
from math import comb, exp, lgamma, log

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_scores as naive
import naive_structures
import tacit as tc
from climbs import columns, leaning, table_ledger
from tacit.estimate.priors import K2, BDeu, Dirichlet, Jeffreys
from tacit.estimate.scores.complexity import log_complexity
from tacit.estimate.scores.dag_priors import DescriptionLength
from tacit.estimate.scores.values import AIC, BIC, MDL, QNML, LogLikelihood

STATES = [2, 3, 2, 4]
DAG = ((), (0,), (0, 1), (1, 2))
ALPHAS = {
    BDeu(3.5): lambda rows, states: 3.5 / (rows * states),
    K2(): lambda rows, states: 1.0,
    Jeffreys(): lambda rows, states: 0.5,
    Dirichlet(0.3): lambda rows, states: 0.3,
}


@pytest.mark.parametrize("score", ALPHAS, ids=str)
def test_a_marginal_likelihood_predicts_case_after_case_in_any_order(score):
    rng = np.random.default_rng(1)
    codes = leaning(rng, STATES, 60)
    for _ in range(4):
        codes = codes[:, rng.permutation(60)]
        found = table_ledger(columns(codes, STATES), score).total(DAG)
        expected = naive.log_probability_in_turn(codes, STATES, DAG, ALPHAS[score])
        assert found == pytest.approx(expected, rel=1e-12)


def test_the_posterior_mean_is_the_ratio_of_two_marginal_likelihoods():
    codes = leaning(np.random.default_rng(2), STATES, 40)
    names = [f"V{at}" for at in range(4)]
    here = columns(codes, STATES)
    data = tc.Dataset(
        dict(zip(names, here.variables, strict=True)), dict(zip(names, codes, strict=True))
    )
    dag = tc.Dag({names[head]: tuple(names[at] for at in who) for head, who in enumerate(DAG)})
    network = tc.fit(dag, data, prior=tc.BDeu(3.5), progress=False).network
    before = table_ledger(here, BDeu(3.5)).total(DAG)
    for case in product(*map(range, STATES)):
        longer = np.column_stack([codes, case])
        after = table_ledger(columns(longer, STATES), BDeu(3.5)).total(DAG)
        rows = [network[name].values for name in names]
        told = [
            row[*(case[at] for at in who), case[head]]
            for head, (row, who) in enumerate(zip(rows, DAG, strict=True))
        ]
        assert exp(after - before) == pytest.approx(np.prod(told), rel=1e-9)


def classes(dags):
    """Dags by what they say: their links and the parents that no link joins."""
    found = []
    for dag in dags:
        same = next((known for known in found if naive.same_class(known[0], dag)), None)
        if same is None:
            found.append([dag])
        else:
            same.append(dag)
    return found


def all_dags(n):
    subsets = [naive_structures.subsets([at for at in range(n) if at != head]) for head in range(n)]
    return [
        tuple(subsets[head][number] for head, number in enumerate(dag))
        for dag in naive_structures.every_dag(n)
    ]


CLASSES = classes(all_dags(4))


def test_the_dags_of_four_variables_fall_into_185_classes():
    assert len(CLASSES) == 185  # Gillispie and Perlman 2001
    assert sum(map(len, CLASSES)) == 543


@pytest.mark.parametrize(
    "score", [BIC(), AIC(), LogLikelihood(), QNML(), BDeu(1.0), BDeu(7.3)], ids=str
)
def test_equivalent_dags_score_equal(score):
    ledger = table_ledger(columns(leaning(np.random.default_rng(3), STATES, 150), STATES), score)
    for same in CLASSES:
        assert_allclose([ledger.total(dag) for dag in same], ledger.total(same[0]), rtol=1e-12)


@pytest.mark.parametrize("score", [K2(), Jeffreys()], ids=str)
def test_the_same_alpha_in_every_cell_tells_equivalent_dags_apart(score):
    ledger = table_ledger(columns(leaning(np.random.default_rng(3), STATES, 150), STATES), score)
    apart = [np.ptp([ledger.total(dag) for dag in same]) for same in CLASSES if len(same) > 1]
    assert min(apart) > 1e-3


def test_bic_and_description_length_of_two_coins_by_hand():
    # 30 heads-heads, 10 heads-tails, 20 tails-heads, 40 tails-tails
    codes = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], [30, 10, 20, 40], axis=1)
    first = 40 * log(0.4) + 60 * log(0.6)
    second = 30 * log(3 / 4) + 10 * log(1 / 4) + 20 * log(1 / 3) + 40 * log(2 / 3)
    here = columns(codes, [2, 2])
    bic = first + second - 1.5 * log(100)
    assert table_ledger(here, BIC()).total(((), (0,))) == pytest.approx(bic)
    # each variable: log 2 for the number of its parents, log (2 choose 1) for which one
    terms = DescriptionLength().terms(("V0", "V1"))
    found = table_ledger(here, MDL(), terms=terms).total(((), (0,)))
    assert found == pytest.approx(bic - 2 * log(2) - log(2))
    assert table_ledger(here, AIC()).total(((), (0,))) == pytest.approx(first + second - 3)


def test_of_two_dags_that_fit_equally_well_the_smaller_wins():
    """The second coin is the same whatever the first shows, exactly."""
    codes = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], [30, 30, 20, 20], axis=1)
    here = columns(codes, [2, 2])
    alone, joined = ((), ()), ((), (0,))
    loglik = table_ledger(here, LogLikelihood())
    assert loglik.total(alone) == pytest.approx(loglik.total(joined))
    for score in (BIC(), AIC(), QNML(), BDeu(1), K2(), Jeffreys()):
        ledger = table_ledger(here, score)
        assert ledger.total(alone) > ledger.total(joined)


@pytest.mark.parametrize(("cases", "cells"), [(1, 2), (5, 2), (20, 3), (50, 4), (30, 7)])
def test_the_complexity_of_a_multinomial_is_the_sum_over_all_counts(cases, cells):
    """C(N, K) = Σ over counts of N! / Π n! Π (n / N)^n."""

    def log_term(counts):
        known = [n for n in counts if n]
        ways = lgamma(cases + 1) - sum(lgamma(n + 1) for n in known)
        return ways + sum(n * log(n / cases) for n in known)

    # the sum for K cells from those for fewer: Σ over what the last cell gets
    exact = dict.fromkeys(range(cases + 1), 1.0)
    for _ in range(cells - 1):
        exact = {
            n: sum(
                exact[n - last] * comb(n, last) * _power(last, n) * _power(n - last, n)
                for last in range(n + 1)
            )
            for n in range(cases + 1)
        }
    if cells == 2:
        direct = sum(exp(log_term((n, cases - n))) for n in range(cases + 1))
        assert exact[cases] == pytest.approx(direct)
    assert log_complexity(cases, cells) == pytest.approx(log(exact[cases]), abs=0.1)


def _power(part, whole):
    return (part / whole) ** part if whole else 1.0


TRUTH = ((), (), (0, 1), (2,))
"""Two causes, their effect, and what follows from it."""


def expected_cases(many):
    """Every case of a network of that dag, weighing as much as it is expected among so many."""
    cases = list(product((0, 1), repeat=4))
    effect = {(0, 0): 0.1, (0, 1): 0.6, (1, 0): 0.7, (1, 1): 0.95}
    weights = []
    for first, second, third, fourth in cases:
        p = (0.4, 0.6)[first] * (0.7, 0.3)[second]
        p *= effect[first, second] if third else 1 - effect[first, second]
        p *= 0.8 if fourth == third else 0.2
        weights.append(many * p)
    return columns(np.array(cases).T, [2] * 4, np.array(weights))


@pytest.mark.parametrize("score", [BIC(), BDeu(1.0), QNML()], ids=str)
def test_with_more_cases_the_class_of_the_truth_wins_by_ever_more(score):
    leads = []
    for many in (1e3, 1e4, 1e5):
        ledger = table_ledger(expected_cases(many), score)
        by_class = sorted(((ledger.total(same[0]), same) for same in CLASSES), key=lambda x: -x[0])
        assert any(naive.same_class(TRUTH, dag) for dag in by_class[0][1])
        leads.append(by_class[0][0] - by_class[1][0])
    assert leads[0] < leads[1] < leads[2]


def test_marginal_likelihood_and_bic_stay_within_a_bound_of_each_other():
    for same in CLASSES:
        dag = same[0]
        apart, price = [], []
        for many in (1e3, 1e5, 1e7):
            here = expected_cases(many)
            bic = table_ledger(here, BIC()).total(dag)
            apart.append(table_ledger(here, BDeu(1.0)).total(dag) - bic)
            price.append(table_ledger(here, LogLikelihood()).total(dag) - bic)
        assert price[2] - price[0] > 18  # what BIC takes off grows without a bound
        assert abs(apart[2] - apart[1]) < 0.05
        assert abs(apart[1] - apart[0]) < 0.5


def test_the_oracle_counts_orders_of_cases():
    """All orders of the same cases are as likely: the naive twin itself is exchangeable."""
    codes = np.array([[0, 1, 1, 0], [2, 0, 1, 1]])
    each = {
        round(
            naive.log_probability_in_turn(codes[:, list(order)], [2, 3], ((), (0,)), ALPHAS[K2()]),
            12,
        )
        for order in permutations(range(4))
    }
    assert len(each) == 1
