"""Evidence about a family of independent causes: the configurations that were seen, no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Codes, Column, Floats, Ints, code_type, readonly
from tacit.core.errors import CasesError, NetworkError
from tacit.families.counts import ROUNDING, AnyCounts, SparseCounts

_ROOM = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class CauseCounts:
    """N(configuration of the parents, child) for the configurations that were seen, in order.

    shape   states of the parents..., states of the child
    seen    (configurations, parents)  codes, no row twice, rising
    values  (configurations, states of the child)

    expected  (causes + 1, levels - 1, 2)  in the cases of which a cell is missing, per cause, the
              leak last, and level: how often it is expected to have stayed below the level, and to
              have brought it about, where no other had gone as far; None if no cell is missing

    A table of them would have a row for every configuration there can be; with parents in the
    dozens hardly any of those is ever seen.
    """

    shape: tuple[int, ...]
    seen: Codes
    values: Floats
    expected: Floats | None = None

    def __post_init__(self) -> None:
        seen = np.array(self.seen, dtype=code_type(max(self.shape)))
        seen.flags.writeable = False
        object.__setattr__(self, "seen", seen)
        object.__setattr__(self, "values", readonly(self.values))
        if self.expected is not None:
            object.__setattr__(self, "expected", readonly(self.expected))

    @staticmethod
    def of(
        shape: tuple[int, ...], columns: Sequence[Column], weights: Floats | None = None
    ) -> CauseCounts:
        """The statistics of cases without gaps: columns of the parents, then of the child."""
        codes = np.stack(columns, axis=1).astype(np.int64)
        which, example = distinct(codes[:, :-1], shape[:-1])
        values = np.zeros((example.size, shape[-1]))
        np.add.at(values, (which, codes[:, -1]), 1.0 if weights is None else weights)
        return CauseCounts(shape, codes[example, :-1], values)

    @staticmethod
    def seen_in(counts: AnyCounts) -> CauseCounts:
        """The configurations that a counted table has seen."""
        if isinstance(counts, SparseCounts):
            row, state = np.divmod(counts.at, counts.shape[-1])
            held = counts.values
        else:
            row, state = np.nonzero(counts.rows())
            held = counts.rows()[row, state]
        used, which = np.unique(row, return_inverse=True)
        values = np.zeros((used.size, counts.shape[-1]))
        values[which, state] = held
        seen = np.zeros((used.size, len(counts.shape) - 1), dtype=np.int64)
        for axis in range(len(counts.shape) - 2, -1, -1):
            used, seen[:, axis] = np.divmod(used, counts.shape[axis])
        return CauseCounts(counts.shape, seen, values)

    @property
    def total(self) -> float:
        """The weight of all cases: the leak takes part in each of them at the highest level."""
        inferred = 0.0 if self.expected is None else float(self.expected[-1, -1].sum())
        return float(self.values.sum()) + inferred

    def columns(self) -> list[Column]:
        """A column per parent, configuration by configuration."""
        return list(self.seen.T)

    def __add__(self, other: CauseCounts) -> CauseCounts:
        return self._with(other, 1.0)

    def __sub__(self, other: CauseCounts) -> CauseCounts:
        left = self._with(other, -1.0)
        if (left.values < -ROUNDING * np.maximum(1.0, self.values.max(initial=0.0))).any():
            raise CasesError(
                "more cases are taken away than were counted: a count would become "
                f"{left.values.min():g}"
            )
        kept = (left.values > 0).any(axis=1)
        rest = None if left.expected is None else np.maximum(left.expected, 0.0)
        return CauseCounts(self.shape, left.seen[kept], np.maximum(left.values[kept], 0.0), rest)

    def __rmul__(self, strength: float) -> CauseCounts:
        rest = None if self.expected is None else strength * self.expected
        return CauseCounts(self.shape, self.seen, strength * self.values, rest)

    def _with(self, other: CauseCounts, sign: float) -> CauseCounts:
        if self.shape != other.shape:
            raise NetworkError(
                f"counts of the shapes {self.shape} and {other.shape} are not of the same family"
            )
        both = np.concatenate([self.seen, other.seen]).astype(np.int64)
        which, example = distinct(both, self.shape[:-1])
        values = np.zeros((example.size, self.shape[-1]))
        np.add.at(values, which, np.concatenate([self.values, sign * other.values]))
        rest = self.expected
        if other.expected is not None:
            rest = sign * other.expected + (0.0 if rest is None else rest)
        return CauseCounts(self.shape, both[example], values, rest)


def distinct(codes: Ints, cards: Sequence[int]) -> tuple[Ints, Ints]:
    """(cases,) which of the different rows each one is, in rising order, and an example of each.

    Columns are taken together as far as their codes fit one number.
    """
    which = np.zeros(len(codes), dtype=np.int64)
    found, at = min(1, len(codes)), 0
    while at < len(cards):
        key, room = which.copy(), max(found, 1)
        while at < len(cards) and room * cards[at] < _ROOM:
            key = key * cards[at] + codes[:, at]
            room, at = room * cards[at], at + 1
        different, which = np.unique(key, return_inverse=True)
        found = different.size
    example = np.zeros(found, dtype=np.int64)
    example[which[::-1]] = np.arange(len(codes))[::-1]
    return which, example
