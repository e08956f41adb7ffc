"""Rows whose density is a product over their cells, each between two limits: no sampler is needed.

The multinomial, the product of binomials of MPL-C and the normal factors of MPL-TC are all of this
kind, as long as rules bound single cells. [estimation 3.2, 3.3, 3.6]
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.bayes.density import Density
from tacit.estimate.ruled.splits import ImproperError
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.polytope import Interior

_DUST = 1e-14
_ROUGH = 1e-6
"""How far from 1 the means of a row may add up before they are taken as they are."""
_LONG = 60
"""Rows of more cells are left to others."""


@dataclass(frozen=True, slots=True, eq=False)
class Separable:
    """What the posterior says of such rows.

    mean, sd      (cells,)
    log_constant  (rows,) log ∫ of the density over what the limits leave, cells without a width
                  at their values; cells that are 0 take no part
    """

    mean: Floats
    sd: Floats
    log_constant: Floats


def separable(rows_at: Ints, density: Density, lower: Floats, upper: Floats) -> Separable:
    """Means, standard deviations and constants of many rows at once.

    rows_at       (rows + 1,) where the cells of each row start; each row adds up to 1
    lower, upper  (cells,) limits that can hold together
    """
    from tacit.kernels.remaining import solved

    held = _Held.of(rows_at, lower, upper)
    constant = held.fixed_part(density)
    mean, sd = held.value.copy(), np.zeros(held.value.size)
    if held.numbers.size:
        mean[held.moving], sd[held.moving], found = solved(*held.cells(density))
        mean = np.clip(held.whole(mean), held.low, held.high)
        constant[held.numbers] += found
    return Separable(mean, sd, constant)


def draws(
    rows_at: Ints, density: Density, limits: tuple[Floats, Floats],
    random: np.random.Generator, size: int,
) -> Floats:  # fmt: skip
    """(size, cells) independent draws of such rows.

    limits: lower and upper, (cells,) each
    """
    from tacit.kernels.unfolded import drawn

    held = _Held.of(rows_at, *limits)
    found = np.tile(held.value, (size, 1))
    if held.numbers.size:
        chances = random.random((size, held.moving.size))
        values = drawn(*held.cells(density), chances)
        found[:, held.moving] = np.clip(values, held.low[held.moving], held.high[held.moving])
    return found


def interval(
    rows_at: Ints, density: Density, limits: tuple[Floats, Floats], level: float
) -> tuple[Floats, Floats]:
    """(cells,) where each cell lies with this probability, equal tails cut off."""
    from tacit.kernels.unfolded import quantiles

    held = _Held.of(rows_at, *limits)
    found = np.tile(held.value, (2, 1))
    if held.numbers.size:
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        found[:, held.moving] = quantiles(*held.cells(density), tails)
    return found[0], found[1]


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """Rows with the cells that cannot move set apart.

    row      (cells,) of each cell
    value    (cells,) of cells that cannot move; 0 elsewhere
    moving   (cells,) positions of those that can; numbers (rows,) the rows that have some
    low, high, capped  (cells,) limits that each cell can reach, and whether the upper is a rule's
    """

    row: Ints
    value: Floats
    moving: Ints
    numbers: Ints
    low: Floats
    high: Floats
    capped: Bools

    @staticmethod
    def of(rows_at: Ints, lower: Floats, upper: Floats) -> _Held:
        """A cell has at least what the others at most leave to it, and at most what they must."""
        count = rows_at.size - 1
        row = np.repeat(np.arange(count), np.diff(rows_at))
        lower, upper = np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)
        left = 1.0 - (np.bincount(row, lower, count)[row] - lower)
        must = 1.0 - (np.bincount(row, upper, count)[row] - upper)
        low = np.maximum(lower, np.where(must < _DUST, 0.0, must))
        high = np.maximum(np.minimum(upper, left), low)
        still = high - low <= _DUST
        alone = np.bincount(row[~still], minlength=count)[row] < 2
        still |= alone
        value = np.where(still, np.where(low < _DUST, 0.0, low), 0.0)
        moving = np.flatnonzero(~still)
        return _Held(row, value, moving, np.unique(row[moving]), low, high, upper < left - _DUST)

    def fixed_part(self, density: Density) -> Floats:
        """(rows,) the log density of cells that cannot move and are not 0."""
        at = np.flatnonzero(self.value > 0)
        count = int(self.row[-1]) + 1 if self.row.size else 0
        log = density.of(at[:, None]).log(self.value[at[:, None]])
        return np.asarray(np.bincount(self.row[at], log, count), dtype=np.float64)

    def whole(self, mean: Floats) -> Floats:
        """The means with rows that add up to 1 to the last digit: each was integrated by itself,
        to eight or nine of them. A row that is further off stays so, for its table to refuse."""
        at = self.moving
        total = np.bincount(self.row[at], mean[at], int(self.row[-1]) + 1)
        left = 1.0 - np.bincount(self.row, self.value)
        scale = np.divide(left, total, out=np.ones_like(left), where=total > 0)
        scale[np.abs(scale - 1.0) > _ROUGH] = 1.0
        found = mean.copy()
        found[at] *= scale[self.row[at]]
        return found

    def cells(self, density: Density) -> tuple[Floats, Ints, Floats]:
        """The cells that move as the kernel takes them, where rows of them start, their masses."""
        from tacit.kernels.separable import COLUMNS

        at = self.moving
        poor = at[(density.alpha[at] <= 0) & (self.low[at] == 0)]
        if poor.size:
            raise ImproperError(poor[:1], float(density.alpha[poor[0]]))
        size = np.bincount(self.row[at], minlength=int(self.row[-1]) + 1)[self.numbers]
        found = np.zeros((at.size, COLUMNS))
        found[:, 0] = density.alpha[at]
        if density.misses is not None:
            found[:, 1] = density.misses[at]
        if density.centre is not None and density.spread is not None:
            found[:, 2], found[:, 3] = density.centre[at], density.spread[at] ** -2.0
        found[:, 4], found[:, 5], found[:, 6] = self.low[at], self.high[at], self.capped[at]
        starts = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
        mass = 1.0 - np.bincount(self.row, self.value)[self.numbers]
        return found, starts, np.asarray(mass, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Celled:
    """The rows among blocks whose rules bound single cells.

    blocks     (rows,) their numbers
    positions  (cells,) of their cells, row by row; at (rows + 1,) where those of each start
    lower, upper  (cells,)
    asked      the last density, and what was found of it
    """

    blocks: Ints
    positions: Ints
    at: Ints
    lower: Floats
    upper: Floats
    asked: list[tuple[Density, Separable]] = field(default_factory=list, repr=False)

    @staticmethod
    def of(blocks: Blocks, inside: Interior, which: Bools) -> Celled:
        """Those of the blocks `which` that are of this kind."""
        lower, upper, odd = _single(blocks, inside)
        lengths = np.diff(blocks.cell_at)
        fits = which & inside.feasible & (np.diff(blocks.row_at) == 1) & (lengths <= _LONG)
        fits[blocks.rule_block[odd]] = False
        fits[[each.block for each in blocks.ratios]] = False
        numbers = np.flatnonzero(fits)
        positions = np.flatnonzero(fits[blocks.cell_block])
        at = np.concatenate([[0], np.cumsum(lengths[numbers])]).astype(np.int64)
        return Celled(numbers, positions, at, lower[positions], upper[positions])

    def told(self, density: Density) -> Separable:
        """Means, standard deviations and constants, once for every density asked about."""
        if not (self.asked and self.asked[0][0] is density):
            with _at(self.positions):
                found = separable(self.at, density.of(self.positions), self.lower, self.upper)
            self.asked[:] = [(density, found)]
        return self.asked[0][1]

    def draw(self, density: Density, random: np.random.Generator, size: int) -> Floats:
        """(size, cells) independent draws."""
        with _at(self.positions):
            limits = self.lower, self.upper
            return draws(self.at, density.of(self.positions), limits, random, size)

    def interval(self, density: Density, level: float) -> tuple[Floats, Floats]:
        """(cells,) where each cell lies with this probability, equal tails cut off."""
        with _at(self.positions):
            return interval(self.at, density.of(self.positions), (self.lower, self.upper), level)


@contextmanager
def _at(positions: Ints) -> Iterator[None]:
    """Errors about cells name them as all blocks do."""
    try:
        yield
    except ImproperError as error:
        error.positions = positions[error.positions]
        raise


def _single(blocks: Blocks, inside: Interior) -> tuple[Floats, Floats, Bools]:
    """(positions,) the limits that rules of single cells give; (rules,) those of several.

    Cells that must be 0 do not count. A rule of all cells but one, weighed alike, is one of that
    cell; so is every rule of two.
    """
    rules, size = blocks.rules, blocks.cells.size
    live = ~inside.zero[rules.cells]
    owner, cells, factors = rules.owner[live], rules.cells[live], rules.factors[live]
    count = np.bincount(owner, minlength=len(rules))
    first = np.zeros(len(rules), dtype=np.int64)
    first[owner[::-1]] = np.arange(owner.size)[::-1]
    here = np.bincount(blocks.cell_block[~inside.zero], minlength=len(blocks))[blocks.rule_block]
    places = np.arange(size)[~inside.zero].astype(np.float64)
    sums = np.bincount(blocks.cell_block[~inside.zero], places, len(blocks))[blocks.rule_block]
    lead = factors[np.minimum(first, max(factors.size - 1, 0))] if factors.size else first * 0.0
    other = np.bincount(owner, factors, len(rules)) - lead
    uneven = np.bincount(owner, factors != lead[owner], len(rules)) > 0
    rest = (count == here - 1) & (here > 2) & ~uneven
    pair = (count == 2) & (here == 2)
    base = np.where(rest, lead, np.where(pair, other, 0.0))
    slope = np.where(rest, 0.0, lead) - base
    missing = np.rint(sums - np.bincount(owner, cells.astype(np.float64), len(rules)))
    named = cells[np.minimum(first, max(cells.size - 1, 0))] if cells.size else first
    cell = np.where(rest, missing.astype(np.int64), named)
    single = ((count == 1) | rest | pair) & (slope != 0)
    lower, upper = np.zeros(size), np.where(inside.zero, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = (rules.limits - base) / slope
    above = single & (rules.equal | (slope > 0))
    below = single & (rules.equal | (slope < 0))
    np.minimum.at(upper, cell[above], limit[above])
    np.maximum.at(lower, cell[below], limit[below])
    return lower, upper, ~single & (count > 0) & (uneven | (count < here))
