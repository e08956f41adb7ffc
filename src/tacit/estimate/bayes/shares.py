"""Shares of splits that carry intervals: their constants, moments and draws, all at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.bayes import truncated
from tacit.estimate.bayes.boxes import log_box, tightened
from tacit.estimate.ruled.splits import Forest

_SELDOM = 1e-3
"""Boxes that are hit less often are drawn by chains."""
_SWEEPS = 20
_ENOUGH = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """The shares of a forest's splits, some of them held to intervals.

    forest   the splits
    low      (branches,)  the least share of each, and `high` the greatest
    pairs    (pairs, 2)   the branches of every two-way split with an interval
    boxes    the branches of every larger split with intervals: (splits, branches), by size
    """

    forest: Forest
    low: Floats
    high: Floats
    pairs: Ints
    boxes: tuple[Ints, ...]

    @staticmethod
    def of(forest: Forest, low: Floats, high: Floats, bounded: Bools) -> Shares:
        """bounded: (splits,) which splits carry intervals"""
        sizes = np.bincount(forest.paths.split, minlength=forest.owner.size)
        first = np.cumsum(sizes) - sizes
        found = []
        for size in np.unique(sizes[bounded]).tolist():
            starts = first[bounded & (sizes == size)]
            found.append(starts[:, None] + np.arange(size))
        pairs = [each for each in found if each.shape[1] == 2]
        boxes = tuple(each for each in found if each.shape[1] > 2)
        none = np.zeros((0, 2), dtype=np.int64)
        return Shares(forest, low, high, pairs[0] if pairs else none, boxes)

    def log_mass(self, c: Floats) -> Floats:
        """(trees,) log P(all intervals hold) for Dirichlet parameters `c` of the branches."""
        found = np.zeros(self.forest.trees)
        for at in (self.pairs, *self.boxes):
            if at.size:
                tree = self.forest.owner[self.forest.paths.split[at[:, 0]]]
                np.add.at(found, tree, log_box(c[at], self.low[at], self.high[at]))
        return found

    def means(self, c: Floats) -> Floats:
        """(branches,) the mean of every share."""
        split = self.forest.paths.split
        mean = c / np.bincount(split, c, minlength=self.forest.owner.size)[split]
        if self.pairs.size:
            one, other = c[self.pairs[:, 0]], c[self.pairs[:, 1]]
            middle, _ = truncated.moments(one, other, *self._interval())
            mean[self.pairs[:, 0]], mean[self.pairs[:, 1]] = middle, 1 - middle
        for at in self.boxes:
            mean[at] = _box_means(c[at], self.low[at], self.high[at])
            for row in at[np.isnan(mean[at]).any(axis=1)]:
                mean[row] = self._by_chains(c, row).mean(axis=0)
        return mean

    def moments(self, c: Floats) -> tuple[Floats, Floats]:
        """(branches,) the mean of every share, and that of its square."""
        split = self.forest.paths.split
        total = np.bincount(split, c, minlength=self.forest.owner.size)[split]
        mean = c / total
        square = mean * (c + 1) / (total + 1)
        if self.pairs.size:
            low, high = self._interval()
            one, other = c[self.pairs[:, 0]], c[self.pairs[:, 1]]
            middle, variance = truncated.moments(one, other, low, high)
            for side, value in ((0, middle), (1, 1 - middle)):
                mean[self.pairs[:, side]] = value
                square[self.pairs[:, side]] = value**2 + variance
        for at in self.boxes:
            mean[at], square[at] = _box_moments(c[at], self.low[at], self.high[at])
            for row in at[np.isnan(square[at]).any(axis=1)]:
                drawn = self._by_chains(c, row)
                mean[row], square[row] = drawn.mean(axis=0), (drawn**2).mean(axis=0)
        return mean, square

    def _by_chains(self, c: Floats, row: Ints) -> Floats:
        """Draws of a box whose constant is not known well enough, always the same."""
        low, high = (each[0] for each in tightened(self.low[row][None], self.high[row][None]))
        return _chains(c[row], low, high, np.random.default_rng(0), _ENOUGH)

    def draw(self, c: Floats, random: np.random.Generator, size: int) -> Floats:
        """(size, branches) independent draws of all shares."""
        split = self.forest.paths.split
        found = np.empty((size, c.size))
        starts = np.flatnonzero(np.diff(split, prepend=-1))
        for draw in found:
            logs = np.log(random.standard_gamma(c + 1.0))
            logs += np.log(1.0 - random.random(c.size)) / c
            top = np.maximum.reduceat(logs, starts)[split] if starts.size else logs
            shares = np.exp(logs - top)
            draw[:] = shares / np.bincount(split, shares, minlength=self.forest.owner.size)[split]
        if self.pairs.size:
            low, high = self._interval()
            one, other = c[self.pairs[:, 0]], c[self.pairs[:, 1]]
            drawn = truncated.draw(one, other, low, high, random, size)
            found[:, self.pairs[:, 0]], found[:, self.pairs[:, 1]] = drawn, 1 - drawn
        for at in self.boxes:
            for row in at:
                found[:, row] = _box_draws(c[row], self.low[row], self.high[row], random, size)
        return found

    def ranges(self) -> tuple[Floats, Floats]:
        """(branches,) the least and greatest share of each, two-way splits taken together."""
        low, high = self.low.copy(), self.high.copy()
        if self.pairs.size:
            low[self.pairs], high[self.pairs] = tightened(low[self.pairs], high[self.pairs])
        return low, high

    def _interval(self) -> tuple[Floats, Floats]:
        """Of the first branch of every pair."""
        low, high = tightened(self.low[self.pairs], self.high[self.pairs])
        return low[:, 0], high[:, 0]


def _box_means(c: Floats, low: Floats, high: Floats) -> Floats:
    """(rows, masses) ratios of constants with one parameter raised; the last is what is left."""
    base, mean = log_box(c, low, high), np.empty_like(c)
    for mass in range(c.shape[1] - 1):
        more = c.copy()
        more[:, mass] += 1
        mean[:, mass] = c[:, mass] / c.sum(axis=1) * np.exp(log_box(more, low, high) - base)
    mean[:, -1] = 1 - mean[:, :-1].sum(axis=1)
    return mean


def _box_moments(c: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """(rows, masses) means and mean squares: ratios of constants with one parameter raised."""
    base, total = log_box(c, low, high), c.sum(axis=1)
    mean, square = np.empty_like(c), np.empty_like(c)
    for mass in range(c.shape[1]):
        more = c.copy()
        more[:, mass] += 1
        once = log_box(more, low, high)
        more[:, mass] += 1
        twice = log_box(more, low, high)
        mean[:, mass] = c[:, mass] / total * np.exp(once - base)
        square[:, mass] = mean[:, mass] * (c[:, mass] + 1) / (total + 1) * np.exp(twice - once)
    return mean, square


def _box_draws(
    c: Floats, low: Floats, high: Floats, random: np.random.Generator, size: int
) -> Floats:
    """(size, masses) draws from the whole Dirichlet that fall into the box; where they seldom do,
    ends of independent chains that divide two masses anew at every step."""
    low, high = (each[0] for each in tightened(low[None], high[None]))
    if not np.exp(log_box(c[None], low[None], high[None])[0]) >= _SELDOM:
        return _chains(c, low, high, random, size)
    found, got = np.empty((size, c.size)), 0
    while got < size:
        drawn = random.dirichlet(c, 4 * size)
        kept = drawn[((drawn >= low) & (drawn <= high)).all(axis=1)][: size - got]
        found[got : got + len(kept)] = kept
        got += len(kept)
    return found


def _chains(c: Floats, low: Floats, high: Floats, random: np.random.Generator, size: int) -> Floats:
    room = (1 - low.sum()) / (high - low).sum()
    found = np.tile(low + room * (high - low), (size, 1))
    for _ in range(_SWEEPS * c.size):
        one, other = random.choice(c.size, 2, replace=False)
        both = found[:, one] + found[:, other]
        least = np.maximum(low[one], both - high[other]) / both
        most = np.minimum(high[one], both - low[other]) / both
        share = truncated.draw(
            np.full(size, c[one]),
            np.full(size, c[other]),
            least,
            np.maximum(most, least),
            random,
            1,
        )[0]
        found[:, one], found[:, other] = both * share, both * (1 - share)
    return found
