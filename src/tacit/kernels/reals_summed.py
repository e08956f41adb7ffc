"""Sums over what is expected: weights, Σ z and Σ z zᵀ of every family of the parts of a group."""

from __future__ import annotations

from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.reals_told import Parts, Regressions, Room, Sums


@njit(cache=True, nogil=True)
def name_unknowns(part: int, parts: Parts, column: Ints, named: bool) -> None:
    """Write down which columns the unknowns of a part have, or that they have none."""
    first = parts.rows_at[part]
    for at in range(parts.unknown[part]):
        column[parts.rows[first + at]] = at if named else -1


@njit(cache=True, nogil=True)
def collect(
    some: tuple[int, int], many: int, parts: Parts, families: Regressions, room: Room, out: Sums
) -> None:
    """Weights, Σ z and Σ z zᵀ of every family of every part, without the spread of unknowns."""
    line, mean = 0, room.column.size
    for part in range(some[0], some[1]):
        rows = parts.rows[parts.rows_at[part] : parts.rows_at[part + 1]]
        name_unknowns(part, parts, room.column, True)
        for configuration in range(parts.configurations[part]):
            choice = parts.choice[parts.choice_at[part] + configuration * rows.size :]
            chance = room.density[line, :many]
            weight = _sum(chance)
            room.total[line] += weight
            for at in range(rows.size):
                out.weight[families.level_at[rows[at]] + choice[at]] += weight
                _add_products(rows[at], choice[at], chance, mean, families, room, out)
            line, mean = line + 1, mean + parts.unknown[part]
        name_unknowns(part, parts, room.column, False)


@njit(cache=True, nogil=True, inline="always")
def _add_products(
    row: int, choice: int, chance: Floats, mean: int, families: Regressions, room: Room, out: Sums
) -> None:
    first, last = families.axes_at[row], families.axes_at[row + 1]
    size = last - first
    sums = out.sums[families.sums_at[row] + choice * size :]
    products = out.products[families.products_at[row] + choice * size**2 :]
    for one in range(size):
        mine = _line(families.axes[first + one], mean, room.column)
        weighted = room.mass[: chance.size]
        for case in range(chance.size):
            weighted[case] = chance[case] * room.held[mine, case]
        sums[one] += _sum(weighted)
        for other in range(one + 1):
            its = room.held[_line(families.axes[first + other], mean, room.column)]
            products[one * size + other] += _dot(weighted, its)


@njit(cache=True, nogil=True, inline="always")
def _sum(values: Floats) -> float:
    """The sum, in four parts that a processor adds side by side."""
    a = b = c = d = 0.0
    whole = values.size - values.size % 4
    for at in range(0, whole, 4):
        a += values[at]
        b += values[at + 1]
        c += values[at + 2]
        d += values[at + 3]
    for at in range(whole, values.size):
        a += values[at]
    return (a + b) + (c + d)


@njit(cache=True, nogil=True, inline="always")
def _dot(one: Floats, other: Floats) -> float:
    """The sum of products, likewise."""
    a = b = c = d = 0.0
    whole = one.size - one.size % 4
    for at in range(0, whole, 4):
        a += one[at] * other[at]
        b += one[at + 1] * other[at + 1]
        c += one[at + 2] * other[at + 2]
        d += one[at + 3] * other[at + 3]
    for at in range(whole, one.size):
        a += one[at] * other[at]
    return (a + b) + (c + d)


@njit(cache=True, nogil=True, inline="always")
def _line(variable: int, mean: int, column: Ints) -> int:
    """Where the values of a variable stand, observed or expected."""
    own = column[variable]
    return variable if own < 0 else mean + own


@njit(cache=True, nogil=True)
def add_spread(
    some: tuple[int, int], parts: Parts, families: Regressions, room: Room, out: Sums
) -> None:
    """The covariance of unknowns, as often as their configuration is expected."""
    line, place = 0, 0
    for part in range(some[0], some[1]):
        rows = parts.rows[parts.rows_at[part] : parts.rows_at[part + 1]]
        unknown = parts.unknown[part]
        name_unknowns(part, parts, room.column, True)
        for configuration in range(parts.configurations[part]):
            choice = parts.choice[parts.choice_at[part] + configuration * rows.size :]
            middle = place + unknown * rows.size
            inverse = room.factors[middle : middle + unknown**2].reshape(unknown, unknown)
            for at in range(rows.size if unknown else 0):
                _spread(rows[at], choice[at], room.total[line], inverse, families, room, out)
            line, place = line + 1, middle + unknown**2
        name_unknowns(part, parts, room.column, False)


@njit(cache=True, nogil=True)
def _spread(
    row: int,
    choice: int,
    weight: float,
    inverse: Floats,
    families: Regressions,
    room: Room,
    out: Sums,
) -> None:
    first, last = families.axes_at[row], families.axes_at[row + 1]
    size = last - first
    products = out.products[families.products_at[row] + choice * size**2 :]
    for one in range(size):
        mine = room.column[families.axes[first + one]]
        for other in range(one + 1 if mine >= 0 else 0):
            its = room.column[families.axes[first + other]]
            if its >= 0:
                total = 0.0
                for at in range(max(mine, its), inverse.shape[0]):
                    total += inverse[mine, at] * inverse[its, at]
                products[one * size + other] += weight * total
