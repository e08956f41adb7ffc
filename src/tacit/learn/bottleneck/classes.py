"""Where a new hidden variable begins: classes that explain some children by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, prod

import numpy as np

from tacit.arrays import Codes, Floats
from tacit.core.dataset import Dataset
from tacit.core.variables import Discrete
from tacit.infer.contexts import code_matrix

STARTS, STEPS = 5, 50
"""Of the little EM."""
PRIOR = 0.5
"""Cases in every cell."""


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """The configurations of some variables: which states each has, and how often it is met.

    hits  (configurations, all states) 1 where a configuration has the state
    """

    hits: Floats
    cards: tuple[int, ...]
    weights: Floats


def classes(
    data: Dataset, children: Sequence[str], numbers: Sequence[int], random: np.random.Generator
) -> Floats:
    """(cases, states) posteriors of latent classes that explain some children alone.

    The source leaves open where a new variable begins; from noise it would have to find its
    meaning while its children have lost theirs. Of several starts the likeliest counts, and of
    several numbers of states the one with the best BIC, as far as the children can tell so many
    apart. [HV2 2.11]
    """
    codes = code_matrix(data, children, np.arange(len(data), dtype=np.int64))
    kinds, which = np.unique(codes, axis=0, return_inverse=True)
    which = np.asarray(which, dtype=np.int64).reshape(-1)
    variables = [data.variables[name] for name in children]
    cards = tuple(len(each.states) for each in variables if isinstance(each, Discrete))
    weights = np.zeros(len(kinds))
    np.add.at(weights, which, np.asarray(data.weights))
    group = _Group(_hits(kinds, cards), cards, weights)
    best, found = -np.inf, np.ones((len(kinds), 1))
    for states in numbers:
        free = states - 1 + states * sum(card - 1 for card in cards)
        if len(numbers) > 1 and states > 2 and free > prod(cards) - 1:
            break
        runs = [_run(group, states, random) for _ in range(STARTS)]
        share, likely = max(runs, key=lambda each: each[1])
        if likely - free * log(weights.sum()) / 2 > best:
            best, found = likely - free * log(weights.sum()) / 2, share
    return found[which]


def _hits(kinds: Codes, cards: Sequence[int]) -> Floats:
    found = np.zeros((len(kinds), sum(cards)))
    for at, column in enumerate(kinds.T):
        seen = np.flatnonzero(column >= 0)
        found[seen, sum(cards[:at]) + column[seen]] = 1.0
    return found


def _run(group: _Group, states: int, random: np.random.Generator) -> tuple[Floats, float]:
    """Posteriors over configurations after EM from a random start, and their log-likelihood."""
    share, likely = random.dirichlet(np.ones(states), len(group.hits)), 0.0
    cuts = np.cumsum([0, *group.cards])
    for _ in range(STEPS):
        weighed = group.weights[:, None] * share
        table, mean = group.hits.T @ weighed + PRIOR, weighed.sum(axis=0) + PRIOR
        table /= np.repeat(np.add.reduceat(table, cuts[:-1], axis=0), group.cards, axis=0)
        logs = group.hits @ np.log(table) + np.log(mean / mean.sum())
        top = logs.max(axis=1, keepdims=True)
        share = np.exp(logs - top)
        mass = share.sum(axis=1, keepdims=True)
        share /= mass
        likely = float(group.weights @ (top + np.log(mass))[:, 0])
    return share, likely
