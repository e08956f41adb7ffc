"""Scores of families of discrete variables on complete cases held in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import log, prod
from typing import TypeAlias

import numpy as np

from tacit.arrays import Bools, Codes, Floats, Ints, code_type
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError
from tacit.core.variables import Discrete
from tacit.engines.bit_tables import Bits, Cells
from tacit.engines.tasks import in_order, thread_bound
from tacit.estimate.scores.tables import TableScore

Count: TypeAlias = Callable[[slice], None]
"""Scores the candidates of a span."""
Way: TypeAlias = Callable[["Asked", Floats], Count]
"""A way to score candidates into an array."""

WHOLE = 65_536
"""Cells of a table that is counted whole; larger ones configuration by configuration."""
WORTH_A_THREAD = 2_000_000
"""Codes to be read from which on candidates are shared among threads."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Complete cases as a kernel reads them.

    codes    (variables, cases)
    states   how many each variable has
    weights  how often each case counts; None if every case counts once
    """

    variables: tuple[Discrete, ...]
    codes: Codes
    states: Ints
    weights: Floats | None = None

    @staticmethod
    def of(data: Dataset, names: Sequence[str]) -> Columns:
        """These columns of the cases, all in one type; none may have a missing cell."""
        variables = tuple(v for v in map(data.variables.get, names) if isinstance(v, Discrete))
        if len(variables) < len(names):
            raise CasesError("only discrete variables have tables")
        states = np.array([len(v.states) for v in variables], dtype=np.int64)
        codes = np.empty((len(names), len(data)), dtype=code_type(int(states.max(initial=1))))
        for at, name in enumerate(names):
            codes[at] = data[name]
        return Columns(variables, codes, states, data.weights)

    @property
    def cases(self) -> int:
        """How many there are."""
        return int(self.codes.shape[1])

    @property
    def weight(self) -> float:
        """How many cases they count as."""
        return float(self.cases if self.weights is None else self.weights.sum())

    def rows(self, parents: Sequence[int]) -> float:
        """How many configurations these parents could have."""
        return float(prod(int(self.states[parent]) for parent in parents))


@dataclass(frozen=True, slots=True, eq=False)
class TableScorer:
    """A `Scorer` that counts: greatest likelihoods, or priors with the same alpha in all cells.

    weight   how many cases there are, by their weights
    known    n log n of the first counts, so that it need not be computed
    bits     the same cases as bits; None if they have weights
    threads  at most so many
    """

    columns: Columns
    score: TableScore
    weight: float
    known: Floats
    bits: Bits | None = None
    threads: int = 1

    @staticmethod
    def of(columns: Columns, score: TableScore, threads: int | None = None) -> TableScorer:
        """The scorer of these cases."""
        from tacit.kernels.families import LOOKUP

        counts = np.arange(min(LOOKUP, columns.cases + 1), dtype=np.float64)
        known = counts * np.log(np.maximum(counts, 1.0))
        bits = Bits.of(columns.codes, columns.states) if columns.weights is None else None
        return TableScorer(columns, score, columns.weight, known, bits, thread_bound(threads))

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return tuple(variable.name for variable in self.columns.variables)

    def weighted(self, weights: Floats) -> TableScorer:
        """The same cases, counting as often as `weights` says."""
        columns = replace(self.columns, weights=weights)
        return replace(self, columns=columns, weight=columns.weight, bits=None)

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents."""
        from tacit.kernels.families import score_rows

        here, states = self.columns, int(self.columns.states[child])
        cells = None if self.bits is None else self.bits.cells((*parents, child))
        table = _counted(here, child, parents) if cells is None else cells.totals
        rows = here.rows(parents)
        fit = score_rows(table, states, self.score.alpha(rows, states), self.known)
        return float(fit) - self.score.price(rows, states, self.weight)

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more."""
        here, states = self.columns, int(self.columns.states[child])
        sizes, which = np.unique(here.states[candidates], return_inverse=True)
        rows = [here.rows(parents) * float(each) for each in sizes]
        alphas = np.array([self.score.alpha(each, states) for each in rows])[which]
        prices = np.array([self.score.price(each, states, self.weight) for each in rows])[which]
        asked = Asked(child, parents, candidates, alphas, self.known)
        fits = np.empty(candidates.size)
        for some, way in self._ways(asked):
            if some.any():
                found = np.empty(int(np.count_nonzero(some)))
                self._shared(way(asked.only(some), found), found.size)
                fits[some] = found
        return np.asarray(fits - prices)

    def _ways(self, asked: Asked) -> Iterator[tuple[Bools, Way]]:
        """Which of the candidates are counted how."""
        few = np.zeros(asked.candidates.size, dtype=np.bool_)
        cells = None if self.bits is None else self.bits.cells((*asked.parents, asked.child))
        if self.bits is not None and cells is not None:
            few = self.bits.worth(cells, asked.candidates)
            yield few, partial(_by_bits, self.bits, cells)
        yield ~few, partial(_by_cases, self.columns)

    def _shared(self, count: Count, candidates: int) -> None:
        """Count on one thread, or on several if that is worth it."""
        shares = self.threads if candidates * self.columns.cases > WORTH_A_THREAD else 1
        if shares == 1:
            count(slice(0, candidates))
            return
        edges = np.linspace(0, candidates, shares + 1).astype(np.int64)
        in_order([partial(count, slice(*edge)) for edge in pairwise(edges)], shares)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A child with parents and each of some candidates as one more; `alphas` of the candidates."""

    child: int
    parents: tuple[int, ...]
    candidates: Ints
    alphas: Floats
    known: Floats

    def only(self, some: Bools) -> Asked:
        """Some of the candidates."""
        return replace(self, candidates=self.candidates[some], alphas=self.alphas[some])


def _by_bits(bits: Bits, cells: Cells, asked: Asked, out: Floats) -> Count:
    """How to score some of the candidates where the cells of the table are few."""
    from tacit.kernels.bits import score_by_bits

    def count(span: slice) -> None:
        score_by_bits(
            bits.words, bits.first, bits.states, asked.candidates[span], cells.words, cells.totals,
            int(bits.states[asked.child]), asked.alphas[span], asked.known, out[span],
        )  # fmt: skip

    return count


def _by_cases(here: Columns, asked: Asked, out: Floats) -> Count:
    """How to score some of the candidates: whole tables, or one configuration after the other."""
    from tacit.kernels.families import LANES, score_added, score_sorted

    child, parents, candidates = asked.child, asked.parents, asked.candidates
    alphas, known = asked.alphas, asked.known
    states, most = int(here.states[child]), int(here.states[candidates].max(initial=1))
    configuration, many = configurations(here, parents)
    size = many * states
    if size * most <= WHOLE:
        cells = (configuration * states + here.codes[child]).astype(np.uint16)
        kind = np.int32 if here.weights is None else np.float64

        def whole(span: slice) -> None:
            room = np.zeros((LANES, size * most), dtype=kind)
            score_added(
                here.codes, candidates[span], here.states, cells, size, states, here.weights,
                alphas[span], known, room, out[span],
            )  # fmt: skip

        return whole
    order, starts, single = _grouped(configuration, many, here.weights is None or alphas[0] < 0)
    # one case alone, with whatever candidate: 1 log 1 - 1 log 1, or log alpha - log(alpha states)
    told = -single * log(states) if alphas[0] > 0 else 0.0

    def by_configuration(span: slice) -> None:
        score_sorted(
            here.codes, candidates[span], here.states, here.codes[child], states, order, starts,
            here.weights, alphas[span], known, out[span],
        )  # fmt: skip
        out[span] += told

    return by_configuration


def _grouped(configuration: Ints, many: int, but_single: bool) -> tuple[Ints, Ints, int]:
    """The cases by configuration and where each begins; those alone only counted if so asked."""
    sizes = np.bincount(configuration, minlength=many)
    order = np.argsort(configuration, kind="stable")
    least = 2 if but_single else 1
    order = order[sizes[configuration[order]] >= least]
    single = int(np.count_nonzero(sizes == 1)) if but_single else 0
    return order, np.concatenate([[0], np.cumsum(sizes[sizes >= least])]), single


def _counted(here: Columns, child: int, parents: tuple[int, ...]) -> Floats:
    """The weight of the cases in each cell, without the rows of configurations in no case."""
    states = int(here.states[child])
    configuration, many = configurations(here, parents)
    cells = configuration * states + here.codes[child]
    return np.bincount(cells, here.weights, many * states).astype(np.float64)


def configurations(here: Columns, parents: Sequence[int]) -> tuple[Ints, int]:
    """The configuration of the parents in every case, numbered without large gaps, and how many."""
    found, many = np.zeros(here.cases, dtype=np.int64), 1
    for parent in parents:
        states = int(here.states[parent])
        found = found * states + here.codes[parent]
        many *= states
        if many > WHOLE // 4:
            found, many = _numbered(found, many)
    return found, many


def _numbered(values: Ints, many: int) -> tuple[Ints, int]:
    """The same classes, numbered in their order without gaps."""
    if many <= 8 * values.size + WHOLE:
        there = np.zeros(many, dtype=np.bool_)
        there[values] = True
        return (np.cumsum(there) - 1)[values], int(there.sum())
    seen, place = np.unique(values, return_inverse=True)
    return np.asarray(place, dtype=np.int64), int(seen.size)
