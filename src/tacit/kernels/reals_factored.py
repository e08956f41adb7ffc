"""Least squares of the parts of a group, factored: A = Q R in every configuration."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.reals_told import Numbers, Parts, Regressions, Room

HALF_LOG_TURN = float(0.5 * np.log(2 * np.pi))


@njit(cache=True, nogil=True)
def factor_all(
    some: tuple[int, int], parts: Parts, families: Regressions, numbers: Numbers, room: Room
) -> None:
    """Q and R⁻¹ of every configuration of every part."""
    place, line = 0, 0
    for part in range(some[0], some[1]):
        rows = parts.rows[parts.rows_at[part] : parts.rows_at[part + 1]]
        unknown = parts.unknown[part]
        for at in range(unknown):
            room.column[rows[at]] = at
        for configuration in range(parts.configurations[part]):
            choice = parts.choice[parts.choice_at[part] + configuration * rows.size :]
            middle = place + unknown * rows.size
            across = room.factors[place:middle].reshape(unknown, rows.size)
            inverse = room.factors[middle : middle + unknown**2].reshape(unknown, unknown)
            room.constant[line] = _factor(
                rows, choice, families, numbers, room.column, across, inverse
            )
            place, line = middle + unknown**2, line + 1
        for at in range(unknown):
            room.column[rows[at]] = -1


@njit(cache=True, nogil=True)
def _factor(
    rows: Ints,
    choice: Ints,
    families: Regressions,
    numbers: Numbers,
    column: Ints,
    across: Floats,
    inverse: Floats,
) -> float:
    """Q, transposed, and R⁻¹ of one configuration; the constant of its log density."""
    unknown, constant = inverse.shape[0], 0.0
    across[:, :] = 0.0
    inverse[:, :] = 0.0
    for at in range(rows.size):
        row = rows[at]
        regression = families.level_at[row] + choice[at]
        sd = np.sqrt(numbers.noise[regression])
        constant -= np.log(sd)
        if at < unknown:
            across[at, at] = 1.0 / sd
        first, last = families.axes_at[row], families.axes_at[row + 1] - 1
        start = families.slope_at[row] + choice[at] * (last - first)
        for axis in range(first, last):
            other = column[families.axes[axis]]
            if other >= 0:
                across[other, at] -= numbers.slopes[start + axis - first] / sd
    _orthogonalise(across, inverse)
    for one in range(unknown):
        constant -= np.log(inverse[one, one])
    _invert(inverse)
    return float(constant - (rows.size - unknown) * HALF_LOG_TURN)


@njit(cache=True, nogil=True)
def _orthogonalise(across: Floats, upper: Floats) -> None:
    """Lines become orthonormal, combined by `upper` into what they were.

    Each is freed of those before it twice, which is enough. (Giraud, Langou, Rozložník and van den
    Eshof 2005)
    """
    for one in range(across.shape[0]):
        own = across[one]
        for _ in range(2):
            for other in range(one):
                along = 0.0
                for at in range(own.size):
                    along += across[other, at] * own[at]
                for at in range(own.size):
                    own[at] -= along * across[other, at]
                upper[other, one] += along
        upper[one, one] = np.sqrt((own**2).sum())
        for at in range(own.size):
            own[at] /= upper[one, one]


@njit(cache=True, nogil=True)
def _invert(upper: Floats) -> None:
    """An upper triangular matrix becomes its inverse, column by column from the right."""
    size = upper.shape[0]
    for column in range(size):
        upper[column, column] = 1.0 / upper[column, column]
        for row in range(column):
            total = 0.0
            for at in range(row, column):
                total += upper[row, at] * upper[at, column]
            upper[row, column] = -total * upper[column, column]
