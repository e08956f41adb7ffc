"""Evidence about a family of independent causes: the configurations that were seen, no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Codes, Column, Floats, Ints, code_type, readonly
from tacit.core.errors import CasesError, NetworkError
from tacit.families.counts import ROUNDING

_ROOM = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class CauseCounts:
    """N(configuration of the parents, child) for the configurations that were seen, in order.

    shape   states of the parents..., states of the child
    seen    (configurations, parents)  codes, no row twice, rising
    values  (configurations, states of the child)

    A table of them would have a row for every configuration there can be; with parents in the
    dozens hardly any of those is ever seen.
    """

    shape: tuple[int, ...]
    seen: Codes
    values: Floats

    def __post_init__(self) -> None:
        seen = np.array(self.seen, dtype=code_type(max(self.shape)))
        seen.flags.writeable = False
        object.__setattr__(self, "seen", seen)
        object.__setattr__(self, "values", readonly(self.values))

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

    @property
    def total(self) -> float:
        """The weight of all cases counted."""
        return float(self.values.sum())

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
        return CauseCounts(self.shape, left.seen[kept], np.maximum(left.values[kept], 0.0))

    def __rmul__(self, strength: float) -> CauseCounts:
        return CauseCounts(self.shape, self.seen, strength * self.values)

    def _with(self, other: CauseCounts, sign: float) -> CauseCounts:
        if self.shape != other.shape:
            raise NetworkError(
                f"counts of the shapes {self.shape} and {other.shape} are not of the same family"
            )
        both = np.concatenate([self.seen, other.seen]).astype(np.int64)
        which, example = distinct(both, self.shape[:-1])
        values = np.zeros((example.size, self.shape[-1]))
        np.add.at(values, which, np.concatenate([self.values, sign * other.values]))
        return CauseCounts(self.shape, both[example], values)


@dataclass(frozen=True, slots=True, eq=False)
class LinkCounts:
    """What each cause did by itself, as far as it was seen or is expected.

    values  (causes + 1, levels - 1, 2)  per cause, the leak last, and level: how often it stayed
            below the level, and how often it brought the level about, when it did not go beyond
    """

    values: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", readonly(self.values))

    @property
    def total(self) -> float:
        """The weight of all cases: the leak takes part in each of them at the highest level."""
        return float(self.values[-1, -1].sum())

    def __add__(self, other: LinkCounts) -> LinkCounts:
        return LinkCounts(self.values + other.values)

    def __rmul__(self, strength: float) -> LinkCounts:
        return LinkCounts(strength * self.values)


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
