"""What hidden processes need of measurements: normal equations of a convolution, as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tacit.arrays import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the courses of the processes stand in one vector: process k at `block(k)`."""

    lengths: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many unknowns the courses have together."""
        return sum(self.lengths)

    def block(self, process: int) -> slice:
        """The course of a process."""
        first = sum(self.lengths[:process])
        return slice(first, first + self.lengths[process])

    @property
    def blocks(self) -> tuple[slice, ...]:
        """All courses."""
        return tuple(map(self.block, range(len(self.lengths))))

    @property
    def owner(self) -> Ints:
        """(size,) the process of every unknown."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


@dataclass(frozen=True, slots=True, eq=False)
class ProcessMoments:
    """Evidence about courses and scales; it adds over trials.

    With D the 0/1 design whose row (trial, time) has a one in column (k, time - onset) for every
    process k that runs then [Sec. 6.3; it runs from its first measurement on, erratum 19], and x
    one series:

    gram     (batch, patterns, size, size)  D'D over the measurements that are there
    cross    (batch, size, series)          D'x
    squares  (batch, series)                x'x
    counts   (batch, series)                measurements that are there
    pattern  (series,)  which gram a series has: series that miss the same measurements share one

    Entries of the first axis, folds or starts, have nothing to do with each other.
    """

    gram: Floats
    cross: Floats
    squares: Floats
    counts: Floats
    pattern: Ints

    def __add__(self, other: ProcessMoments) -> ProcessMoments:
        return ProcessMoments(
            self.gram + other.gram,
            self.cross + other.cross,
            self.squares + other.squares,
            self.counts + other.counts,
            self.pattern,
        )

    def __rmul__(self, strength: float) -> ProcessMoments:
        return ProcessMoments(
            strength * self.gram,
            strength * self.cross,
            strength * self.squares,
            strength * self.counts,
            self.pattern,
        )

    def __sub__(self, other: ProcessMoments) -> ProcessMoments:
        return self + (-1.0) * other

    def batch(self, which: Ints | slice) -> ProcessMoments:
        """Only these entries of the batch."""
        return ProcessMoments(
            self.gram[which],
            self.cross[which],
            self.squares[which],
            self.counts[which],
            self.pattern,
        )

    def total(self) -> ProcessMoments:
        """The sum over the batch, as a batch of one."""
        return ProcessMoments(
            self.gram.sum(axis=0, keepdims=True),
            self.cross.sum(axis=0, keepdims=True),
            self.squares.sum(axis=0, keepdims=True),
            self.counts.sum(axis=0, keepdims=True),
            self.pattern,
        )

    def take(self, series: Ints) -> ProcessMoments:
        """Only these series."""
        used, pattern = np.unique(self.pattern[series], return_inverse=True)
        gram = self.gram if used.size == self.gram.shape[1] else self.gram[:, used]
        return ProcessMoments(
            gram,
            self.cross[:, :, series],
            self.squares[:, series],
            self.counts[:, series],
            pattern.astype(np.int64),
        )


def stacked(parts: Sequence[ProcessMoments]) -> ProcessMoments:
    """Entries of several batches as one batch."""
    return ProcessMoments(
        np.concatenate([part.gram for part in parts]),
        np.concatenate([part.cross for part in parts]),
        np.concatenate([part.squares for part in parts]),
        np.concatenate([part.counts for part in parts]),
        parts[0].pattern,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A process that starts at this measurement of a trial, with this probability.

    start   its first measurement, negative if it began before the trial
    acts    (series,) whether it acts on a series; None for all
    """

    process: int
    start: int
    chance: float = 1.0
    acts: Bools | None = None


Pair: TypeAlias = tuple[Placed, Placed, float]
"""Two processes of one trial, and the probability that they start like this together."""


def pairs_of(placed: Sequence[Placed]) -> list[Pair]:
    """All pairs of processes whose onsets are known."""
    return [
        (one, other, 1.0)
        for at, one in enumerate(placed)
        for to, other in enumerate(placed)
        if at != to
    ]


def trial_moments(
    layout: Layout,
    pattern: Ints,
    values: Floats,
    singles: Sequence[Placed],
    pairs: Sequence[Pair],
    centred: bool = False,
) -> ProcessMoments:
    """The moments of one trial; expected ones where onsets have probabilities.

    values  (times, series), nan where missing
    singles every process with every onset it may have; pairs: every two of them, in both orders
    centred whether every series has a level of its own in the trial, which is projected out
    """
    series, patterns = values.shape[1], int(pattern.max()) + 1
    there = ~np.isnan(values)
    filled = np.where(there, values, 0.0)
    first = np.unique(pattern, return_index=True)[1]
    gram = np.zeros((patterns, layout.size, layout.size))
    cross = np.zeros((layout.size, series))
    for one in singles:
        times, at = _overlap(layout, one, values.shape[0])
        part = one.chance * filled[times]
        cross[at] += part if one.acts is None else part * one.acts
        gram[:, at, at] += one.chance * _counted(there[times][:, first], one.acts, first)
    for one, other, chance in pairs:
        times, at, to = _both(layout, one, other, values.shape[0])
        seen = _counted(there[times][:, first], one.acts, first)
        gram[:, at, to] += chance * (
            seen if other.acts is None else seen * other.acts[first][:, None]
        )
    found = ProcessMoments(
        gram[None],
        cross[None],
        np.einsum("tv,tv->v", filled, filled)[None],
        there.sum(axis=0).astype(np.float64)[None],
        pattern,
    )
    if not centred:
        return found
    return found - _level(layout, pattern, values, singles, pairs)


def _level(
    layout: Layout, pattern: Ints, values: Floats, singles: Sequence[Placed], pairs: Sequence[Pair]
) -> ProcessMoments:
    """What a level per series explains of a trial: the part along the constant.

    With g = D'1 and n measurements, gg'/n, g(1'x)/n and (1'x)²/n; a measurement goes with it. The
    rest has the likelihood of what is left when the level is free.
    """
    there = ~np.isnan(values)
    first = np.unique(pattern, return_index=True)[1]
    many = there.sum(axis=0).astype(np.float64)
    share = 1.0 / np.maximum(many, 1.0)
    sums = np.nansum(values, axis=0)
    mass = np.zeros((first.size, layout.size))
    gram = np.zeros((first.size, layout.size, layout.size))

    def shown(one: Placed) -> tuple[Ints, Floats]:
        times, at = _overlap(layout, one, values.shape[0])
        return at, _counted(there[times][:, first], one.acts, first)

    for one in singles:
        at, seen = shown(one)
        mass[:, at] += one.chance * seen
        gram[:, at[:, None], at] += one.chance * seen[:, :, None] * seen[:, None]
    for one, other, chance in pairs:
        (at, seen), (to, met) = shown(one), shown(other)
        gram[:, at[:, None], to] += chance * seen[:, :, None] * met[:, None]
    return ProcessMoments(
        (gram * share[first][:, None, None])[None],
        (mass[pattern].T * (sums * share))[None],
        (sums**2 * share)[None],
        (many > 0).astype(np.float64)[None],
        pattern,
    )


def _counted(there: Bools, acts: Bools | None, first: Ints) -> Floats:
    """(patterns, times) which measurements a process meets."""
    seen = there.T.astype(np.float64)
    return seen if acts is None else seen * acts[first][:, None]


def _overlap(layout: Layout, one: Placed, length: int) -> tuple[Ints, Ints]:
    """The times of the trial at which it runs, and the unknowns that it shows then."""
    times = np.arange(max(one.start, 0), min(one.start + layout.lengths[one.process], length))
    return times, times - one.start + layout.block(one.process).start


def _both(layout: Layout, one: Placed, other: Placed, length: int) -> tuple[Ints, Ints, Ints]:
    """The times at which both run, and the unknowns of either."""
    here, there = layout.lengths[one.process], layout.lengths[other.process]
    begin = max(one.start, other.start, 0)
    times = np.arange(begin, max(begin, min(one.start + here, other.start + there, length)))
    at = times - one.start + layout.block(one.process).start
    return times, at, times - other.start + layout.block(other.process).start


def patterns_of(absent: Sequence[Bools], acts: Sequence[Bools]) -> Ints:
    """(series,) numbers of the patterns of series: equal numbers, equal grams.

    absent  per trial (times, series) which measurements are missing
    acts    per process that acts on some series only, on which
    """
    series = absent[0].shape[1]
    some = [array for array in absent if array.any()]
    if not some and not acts:
        return np.zeros(series, dtype=np.int64)
    bits = np.packbits(np.concatenate([*some, *(row[None] for row in acts)]), axis=0)
    return np.unique(bits, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)
