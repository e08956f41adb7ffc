"""Scores of all families of a few variables: every child with every set of the others.

A set of n variables is a number, bit v for variable v; a set of the others of a child is the same
without the child's bit, so that it counts from 0 to 2^(n-1) - 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tacit.arrays import Codes, Floats, Ints
from tacit.core.errors import SizeError
from tacit.core.grid import counted
from tacit.core.interrupts import asked_to_end
from tacit.engines.scoring import Scorer
from tacit.engines.table_scores import Columns, TableScorer
from tacit.engines.tasks import Report, in_order
from tacit.estimate.scores.tables import TableScore
from tacit.knowledge.limits import Limits

BEGINNINGS = 6
"""The walk through the sets is cut by which of so many variables a set has."""
KNOWN = 2**22
"""Terms of whole numbers that are computed before they are asked for."""
MOST_ASKED = 2_000_000
"""Families that are scored one after the other."""


class FamilyScores(Protocol):
    """Scores of every child with every set of the others."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""

    def local(self, child: int) -> Floats:
        """(2^(n-1),) the scores of the child by the set of its parents; -inf or nan: not asked."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedSets:
    """Family scores as differences of sums over the cells of sets.

    log P(child | parents) = f(parents and child) - g(parents) - price, where f adds a term for
    every cell of the set and g is f for equivalent scores; for the others it depends on how many
    states the child has. [Heckerman, Geiger and Chickering 1995, section 4]

    sums    (sums, 2^n)  nan for sets that are too large; the first is f
    rows    (n,)         which of them is g of each child
    sizes   (n, sizes)   the price of each child by the number of its parents' size
    steps   (n,)         how much each variable adds to the number of a size
    """

    names: tuple[str, ...]
    sums: Floats
    rows: Ints
    sizes: Floats
    steps: Ints

    def local(self, child: int) -> Floats:
        """The scores of the child by the set of its parents."""
        apart = (-1, 2, 1 << child)
        joint, rows = self.sums[0].reshape(apart)[:, 1], self.sums[self.rows[child]].reshape(apart)
        found: Floats = (joint - rows[:, 0]).ravel()
        if self.sizes[child].any():
            found -= self.sizes[child][additive(np.delete(self.steps, child))]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class AskedSets:
    """Family scores asked for one by one: of any scorer, for the families that limits allow."""

    scorer: Scorer
    limits: Limits

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return self.scorer.names

    def local(self, child: int) -> Floats:
        """The scores of the child by the set of its parents; -inf where limits forbid the set."""
        n, most = len(self.names), int(self.limits.most[child])
        found = np.full(1 << (n - 1), -np.inf)
        needed = tuple(np.flatnonzero(self.limits.required[:, child]).tolist())
        if len(needed) > most:
            return found
        free = self.limits.allowed[:, child] & ~self.limits.required[:, child]
        if not self.limits.keeps(child, needed):
            return found
        found[place(needed, child)] = self.scorer.family(child, needed)
        waiting = [(needed, np.flatnonzero(free))]
        while waiting:
            parents, more = waiting.pop()
            if len(parents) == most or not more.size:
                continue
            keeping = self.limits.keeping(child, parents)
            more = more if keeping is None else more[keeping[more]]
            scores = self.scorer.adding(child, parents, more)
            for at, one in enumerate(more.tolist()):
                larger = tuple(sorted((*parents, one)))
                found[place(larger, child)] = scores[at]
                waiting.append((larger, more[at + 1 :]))
        return found


def family_scores(
    scorer: Scorer, limits: Limits, *, threads: int | None = None, progress: Report | None = None
) -> FamilyScores:
    """Scores of all families that limits allow: counted together if the scorer counts tables."""
    if isinstance(scorer, TableScorer):
        most = most_parents(limits)
        return counted_sets(scorer.columns, scorer.score, most, threads=threads, progress=progress)
    _check_asked(limits)
    return AskedSets(scorer, limits)


def most_parents(limits: Limits) -> int:
    """The largest number of parents that any variable may have."""
    return int(np.minimum(limits.most, limits.allowed.sum(axis=0)).max(initial=0))


def counted_sets(
    columns: Columns,
    score: TableScore,
    most: int,
    *,
    threads: int | None = None,
    progress: Report | None = None,
) -> CountedSets:
    """The sums over the cells of all sets of at most `most` + 1 variables, on complete cases."""
    from tacit.kernels.subsets import Terms, fill_known

    states = columns.states
    sizes, steps = _sizes(states)
    joint, kinds = _alphas(score, states, sizes)
    alphas = np.vstack([joint, *kinds.values()])
    plain = bool((alphas == alphas[:, :1]).all())
    used, strides = (alphas[:, :1].copy(), np.zeros_like(steps)) if plain else (alphas, steps)
    weight = columns.weight
    whole = int(min(weight + 1, 4096, max(0, KNOWN // used.size)))
    known = np.empty((*used.shape, whole))
    fill_known(used, known)
    sums = _walk(columns, Terms(used, known, strides), most, threads, progress)
    of_kind = {kind: at for at, kind in enumerate(kinds, start=1)}
    rows = np.array([of_kind.get(int(each), 0) for each in states], dtype=np.int64)
    prices = {int(r): [score.price(q, int(r), weight) for q in sizes] for r in np.unique(states)}
    by_child = np.array([prices[int(each)] for each in states]).reshape(states.size, sizes.size)
    names = tuple(variable.name for variable in columns.variables)
    return CountedSets(names, sums, rows, by_child, steps)


def _sizes(states: Ints) -> tuple[Floats, Ints]:
    """How many cells the sets have, each size once, and what each variable adds to its number.

    How many variables of a set have 2, 3, ... states are the digits of the number of its size.
    """
    cells, steps = np.ones(1), np.zeros_like(states)
    for kind in np.unique(states):
        alike = states == kind
        steps[alike] = cells.size
        powers = float(kind) ** np.arange(np.count_nonzero(alike) + 1)
        cells = np.multiply.outer(powers, cells).ravel()
    return cells, steps


def _alphas(score: TableScore, states: Ints, sizes: Floats) -> tuple[Floats, dict[int, Floats]]:
    """alpha of the cells of a set by its size, and of its rows where that is not the same.

    A row of parents has the alphas of its cells together: for BDeu the alpha of the parents as a
    set, for one alpha per cell as many as the child has states.
    """
    joint = np.array([score.alpha(cells, 1) for cells in sizes])
    rows = dict[int, Floats]()
    for kind in np.unique(states).tolist():
        alphas = np.array([score.alpha(cells, kind) * kind for cells in sizes])
        if (joint >= 0).all() and not np.allclose(alphas, joint, rtol=1e-12, atol=0):
            rows[kind] = alphas
    return joint, rows


def _walk(
    columns: Columns, terms: Any, most: int, threads: int | None, progress: Report | None
) -> Floats:
    """(sums, 2^n) of all sets of at most `most` + 1 variables, the walk shared among threads."""
    from tacit.kernels.subsets import Cases, new_room, sum_sets, term

    codes, weights = merged(columns)
    order = _most_telling_first(codes, weights, columns.states)
    kinds, marks = np.unique(weights, return_inverse=True)
    states, n = columns.states[order], columns.states.size
    small = bool(states.max(initial=1) <= 256)
    cut: Codes = codes[order].astype(np.uint8) if small else codes[order].astype(np.int32)
    cases = Cases(cut, states, 1 << order, weights, marks.astype(np.int64), kinds)
    walked = terms._replace(steps=terms.steps[order])
    sums = np.full((terms.alphas.shape[0], 1 << n), np.nan)
    sums[:, 0] = [term(float(weights.sum()), alpha) for alpha in terms.alphas[:, 0]]
    first = min(n, BEGINNINGS)

    with asked_to_end() as asked:

        def walk(chosen: int) -> None:
            if asked():
                raise KeyboardInterrupt
            room = new_room(n, weights.size, kinds.size, int(states.max(initial=1)))
            sum_sets(cases, walked, room, min(n, most + 1), first, chosen, sums)

        in_order([partial(walk, chosen) for chosen in range(1 << first)], threads, progress)
    return sums


def merged(columns: Columns) -> tuple[Codes, Floats]:
    """The distinct cases (variables, cases), ordered by their codes, and what they weigh."""
    number, many = np.zeros(columns.cases, dtype=np.int64), 1
    for codes, states in zip(columns.codes, columns.states.tolist(), strict=True):
        if many * states >= 2**62:
            seen, place = np.unique(number, return_inverse=True)
            number, many = place.astype(np.int64), seen.size
        number, many = number * states + codes, many * states
    _, one, place = np.unique(number, return_index=True, return_inverse=True)
    weights = np.bincount(place, columns.weights, one.size).astype(np.float64)
    kept = weights > 0
    return columns.codes[:, one[kept]], weights[kept]


def _most_telling_first(codes: Codes, weights: Floats, states: Ints) -> Ints:
    """Variables by falling entropy: the first ones cut the cases finely, so that little is left."""
    total = max(float(weights.sum()), 1e-300)

    def entropy(at: int) -> float:
        shares = np.bincount(codes[at], weights, int(states[at])) / total
        return float(-(shares * np.log(np.maximum(shares, 1e-300))).sum())

    order = np.argsort([-entropy(at) for at in range(states.size)], kind="stable")
    return np.asarray(order, dtype=np.int64)


def additive(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """(2^n,) of each set the sum of the values of its members."""
    sums = np.zeros(1, dtype=values.dtype)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums


def place(parents: Sequence[int], child: int) -> int:
    """The number of a set of others of a child."""
    return sum(1 << (parent - (parent > child)) for parent in parents)


def members(others: int, child: int) -> tuple[int, ...]:
    """The variables in a set of others of a child, in rising order."""
    found = [at for at in range(others.bit_length()) if others >> at & 1]
    return tuple(at + (at >= child) for at in found)


def _check_asked(limits: Limits) -> None:
    from math import comb

    free = (limits.allowed & ~limits.required).sum(axis=0)
    room = limits.most - limits.required.sum(axis=0)
    asked = sum(
        comb(int(many), size)
        for many, most in zip(free, room, strict=True)
        for size in range(min(int(many), int(most)) + 1)
    )
    if asked > MOST_ASKED:
        raise SizeError(
            f"exact search over {counted(len(limits.names), 'variable')} would have to score "
            f"{asked:,} families one by one; at most {MOST_ASKED:,} are\n\n"
            "say `at most 3 parents` in knowledge=, or use tc.Tabu()"
        )
