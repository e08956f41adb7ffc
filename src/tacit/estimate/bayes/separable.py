"""Rows whose density is a product over their cells, each between two limits: no sampler is needed.

The multinomial, the product of binomials of MPL-C and the normal factors of MPL-TC are all of this
kind, as long as rules bound single cells. [estimation 3.2, 3.3, 3.6]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.bayes.density import Density

_DUST = 1e-14


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
        mean = np.clip(mean, held.low, held.high)
        constant[held.numbers] += found
    return Separable(mean, sd, constant)


def draws(
    rows_at: Ints, density: Density, limits: tuple[Floats, Floats],
    random: np.random.Generator, size: int,
) -> Floats:  # fmt: skip
    """(size, cells) independent draws of such rows.

    limits: lower and upper, (cells,) each
    """
    from tacit.kernels.remaining import drawn

    held = _Held.of(rows_at, *limits)
    found = np.tile(held.value, (size, 1))
    if held.numbers.size:
        chances = random.random((size, held.moving.size))
        values = drawn(*held.cells(density), chances)
        found[:, held.moving] = np.clip(values, held.low[held.moving], held.high[held.moving])
    return found


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

    def cells(self, density: Density) -> tuple[Floats, Ints, Floats]:
        """The cells that move as the kernel takes them, where rows of them start, their masses."""
        from tacit.kernels.separable import COLUMNS

        at = self.moving
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
