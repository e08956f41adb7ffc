"""Searches set up for tests: tables of cases, made-up scores, limits at random."""

from __future__ import annotations

import numpy as np

from tacit.arrays import code_type
from tacit.core.variables import Discrete
from tacit.engines.table_scores import Columns, TableScorer
from tacit.estimate.scores.tables import table_score
from tacit.estimate.scores.values import BIC
from tacit.knowledge.limits import Limits
from tacit.learn.structure.climbing import Task, begun, climb
from tacit.learn.structure.ledger import Ledger


def columns(codes, states, weights=None):
    """Cases as kernels read them."""
    variables = tuple(
        Discrete(f"V{at}", tuple(map(str, range(many)))) for at, many in enumerate(states)
    )
    codes = np.asarray(codes)
    kind = code_type(int(max(states)))
    return Columns(variables, codes.astype(kind), np.asarray(states, dtype=np.int64), weights)


def leaning(rng, states, many):
    """Codes of cases in which each variable leans on two before it."""
    codes = np.array([rng.integers(0, each, many) for each in states])
    for at in range(1, len(states)):
        first, second = rng.integers(0, at, 2)
        told = rng.random(many) < 0.7
        codes[at, told] = (codes[first, told] + codes[second, told]) % states[at]
    return codes


def table_ledger(here, score=None, limits=None, terms=None, threads=1):
    """Scores of these cases."""
    scorer = TableScorer.of(here, table_score(score or BIC()), threads)
    return Ledger(scorer, limits or Limits.none(scorer.names), terms)


class MadeUp:
    """A score at random for every family, the same whenever it is asked for."""

    def __init__(self, n, seed):
        self.names = tuple(f"V{at}" for at in range(n))
        self.seed = seed

    def family(self, child, parents):
        rng = np.random.default_rng([self.seed, child, *(parent + 1 for parent in parents)])
        return float(rng.normal(-10, 3)) - 0.8 * len(parents)

    def adding(self, child, parents, candidates):
        sets = [tuple(sorted((*parents, int(each)))) for each in candidates]
        return np.array([self.family(child, each) for each in sets])

    def total(self, dag):
        return sum(self.family(child, parents) for child, parents in enumerate(dag))


def random_limits(rng, n):
    """Limits that some dag obeys, and the dag of the required arcs alone."""
    order = rng.permutation(n)
    place = np.argsort(order)
    forward = place[:, None] < place[None, :]
    required = forward & (rng.random((n, n)) < 0.15)
    allowed = (required | (rng.random((n, n)) < 0.6)) & ~np.eye(n, dtype=bool)
    most = required.sum(axis=0) + rng.integers(0, 3, n)
    start = tuple(tuple(np.flatnonzero(required[:, head]).tolist()) for head in range(n))
    return Limits(tuple(f"V{at}" for at in range(n)), required, allowed, most), start


def searched(ledger, settings, start=None, seed=0, heard=None, resampled=None):
    """The walk of a whole search, and why it ended."""
    start = start or tuple(() for _ in range(ledger.n))
    walk = begun(ledger, start)
    return walk, resumed(ledger, settings, walk, np.random.default_rng(seed), heard, resampled)


def resumed(ledger, settings, walk, rng, heard=None, resampled=None):
    """Why the search, taken up at this walk, ended."""
    return climb(
        Task(ledger, settings, rng, heard or (lambda _: None), resampled or (lambda _: ledger)),
        walk,
    )
