"""Exact search finds what enumerating all dags finds, under every score and any limits."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_structures as naive
from tacit.core.errors import KnowledgeError
from tacit.core.variables import Discrete
from tacit.engines.subset_scores import members
from tacit.engines.table_scores import Columns, TableScorer
from tacit.estimate.priors import K2, BDeu
from tacit.estimate.scores.dag_priors import ArcBeliefs, DescriptionLength
from tacit.estimate.scores.tables import table_score
from tacit.estimate.scores.values import BIC, QNML, LogLikelihood
from tacit.knowledge.limits import Limits
from tacit.learn.structure.exact import best_dag, exact_search, narrowed

SCORES = {"BIC": BIC(), "BDeu": BDeu(3.5), "K2": K2(), "QNML": QNML()}


class Listed:
    """Family scores out of a table."""

    def __init__(self, table):
        self.table, self.names = table, tuple(f"V{at}" for at in range(len(table)))

    def local(self, child):
        return self.table[child].copy()


def sampled(rng, states, many):
    """Cases in which a variable often repeats one or two of those before it."""
    codes = np.array([rng.integers(0, each, many) for each in states])
    for at in range(1, len(states)):
        for other in rng.integers(0, at, 2):
            copied = rng.random(many) < 0.35
            codes[at, copied] = codes[other, copied] % states[at]
    variables = tuple(Discrete(f"V{at}", tuple("abcd"[:each])) for at, each in enumerate(states))
    return Columns(variables, codes.astype(np.int8), np.array(states))


def random_limits(rng, n):
    """Arcs required along an order and forbidden at random, so that some dag is left."""
    order = rng.permutation(n)
    required, allowed = np.zeros((n, n), bool), rng.random((n, n)) < 0.7
    for late in range(1, n):
        for early in range(late):
            required[order[early], order[late]] = rng.random() < 0.15
    allowed |= required
    np.fill_diagonal(allowed, False)
    most = np.maximum(required.sum(axis=0), rng.integers(0, n, n))
    return Limits(tuple(f"V{at}" for at in range(n)), required, allowed, most)


def check(kind, here, limits):
    states = here.states.tolist()
    table = naive.family_table(kind, here.codes, np.ones(here.cases), states)
    table = naive.limited(table, limits.required, limits.allowed, limits.most)
    found = exact_search(TableScorer.of(here, table_score(SCORES[kind])), limits)
    assert_allclose(found.score, naive.totals(table).max(), rtol=1e-11)
    assert found.families == np.isfinite(table).sum()
    numbers = [sum(1 << (p - (p > c)) for p in who) for c, who in enumerate(found.parents)]
    assert (naive.every_dag(len(states)) == numbers).all(axis=1).any()
    rescored = sum(table[child, number] for child, number in enumerate(numbers))
    assert_allclose(rescored, found.score, rtol=1e-11)


@pytest.mark.parametrize("kind", SCORES)
def test_no_dag_scores_more_than_the_one_that_exact_search_finds(kind):
    rng = np.random.default_rng(21)
    for states in ([2, 3, 2, 2, 3], [2, 2, 2, 4], [3, 2], [2]):
        here = sampled(rng, states, 120)
        free = Limits.none(tuple(f"V{at}" for at in range(len(states))))
        check(kind, here, free)
        check(kind, here, narrowed(free, 1))
        check(kind, here, random_limits(rng, len(states)))


@pytest.mark.full
@pytest.mark.parametrize("kind", SCORES)
def test_no_dag_of_six_variables_scores_more(kind):
    rng = np.random.default_rng(22)
    for _ in range(3):
        here = sampled(rng, [2, 3, 2, 2, 3, 2], 150)
        check(kind, here, Limits.none(tuple(f"V{at}" for at in range(6))))
        check(kind, here, random_limits(rng, 6))


def test_any_scores_at_all_and_any_limits_are_searched_exactly():
    rng = np.random.default_rng(23)
    for _ in range(150):
        n = int(rng.integers(1, 6))
        table = rng.normal(size=(n, 2 ** max(0, n - 1)))
        if rng.random() < 0.5:
            table = np.round(table)  # many ties
        table[rng.random(table.shape) < 0.1] = -np.inf
        table[:, 0] = np.maximum(table[:, 0], -5)
        limits = random_limits(rng, n)
        best = naive.totals(
            naive.limited(table, limits.required, limits.allowed, limits.most)
        ).max()
        if best == -np.inf:
            with pytest.raises(KnowledgeError):
                best_dag(Listed(table), limits)
        else:
            assert_allclose(best_dag(Listed(table), limits).score, best, rtol=1e-12, atol=1e-12)


def test_a_prior_over_dags_counts_like_any_part_of_the_score():
    rng = np.random.default_rng(24)
    names = ("V0", "V1", "V2", "V3")
    beliefs = {(one, other): rng.uniform(0.1, 0.9) for one in names for other in names}
    for prior in (DescriptionLength(), ArcBeliefs(beliefs, otherwise=0.3)):
        table, terms = rng.normal(size=(4, 8)), prior.terms(names)
        whole = table.copy()
        for child in range(4):
            for number in range(8):
                parents = list(members(number, child))
                whole[child, number] += terms.by_arc[parents, child].sum()
                whole[child, number] += terms.by_size[len(parents)]
        found = best_dag(Listed(table), Limits.none(names), terms)
        assert_allclose(found.score, naive.totals(whole).max(), rtol=1e-12)


def test_of_parents_that_score_alike_the_fewest_and_then_the_lowest_are_taken():
    free = Limits.none(("A", "B", "C", "D"))
    assert best_dag(Listed(np.zeros((4, 8))), free).parents == ((), (), (), ())
    table = np.full((4, 8), -1.0)
    table[:3, 0] = 1.0
    table[3, [0b011, 0b110, 0b101, 0b111]] = 1.0  # any two of A, B, C, or all
    assert best_dag(Listed(table), free).parents == ((), (), (), (0, 1))
    table[3, 0b100] = 1.0
    assert best_dag(Listed(table), free).parents == ((), (), (), (2,))


@pytest.mark.parametrize("score", [BIC(), BDeu(1), LogLikelihood()])
def test_equivalent_dags_are_told_apart_by_numbers_and_not_by_rounding(score):
    rng = np.random.default_rng(25)
    here = sampled(rng, [2, 3, 2, 2, 3, 2, 2], 400)
    limits = Limits.none(tuple(f"V{at}" for at in range(7)))
    first = exact_search(TableScorer.of(here, table_score(score)), limits).parents
    table = [naive_row(here, score, child) for child in range(7)]
    for _ in range(5):
        noisy = [row * (1 + 1e-15 * rng.normal(size=row.size)) for row in table]
        assert best_dag(Listed(np.array(noisy)), limits).parents == first


def naive_row(here, score, child):
    scorer = TableScorer.of(here, table_score(score))
    return np.array([scorer.family(child, members(some, child)) for some in range(64)])


def test_the_answer_is_the_same_on_any_number_of_threads_and_progress_reaches_its_end():
    rng = np.random.default_rng(26)
    here = sampled(rng, [2, 3, 2, 2, 3, 2, 2, 2], 200)
    limits = Limits.none(tuple(f"V{at}" for at in range(8)))
    heard = []
    scorer = TableScorer.of(here, table_score(BDeu(2)))
    one = exact_search(scorer, limits, threads=1, progress=lambda *told: heard.append(told))
    assert one == exact_search(scorer, limits, threads=3)
    done, total = zip(*heard, strict=True)
    assert len(set(total)) == 1
    assert list(done) == sorted(done)
    assert done[-1] == total[-1]


def test_an_interrupt_is_heard_between_phases():
    limits = Limits.none(tuple("ABCDEF"))
    heard = []

    def interrupt(done, total):
        heard.append(done)
        if done == 8:  # six children, then the second share of the sets
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        best_dag(Listed(np.zeros((6, 32))), limits, threads=1, progress=interrupt)
    assert heard == list(range(1, 9))
