"""Sums over what is expected: weights, Σ z and Σ z zᵀ of every family of the parts of a group."""

from __future__ import annotations

from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.reals_told import Parts, Regressions, Room, Sums
from tacit.kernels.reals_weighed import sum_of


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
            weight = sum_of(chance)
            room.total[line] += weight
            _add_products(rows, choice, weight, chance, mean, families, room, out)
            line, mean = line + 1, mean + parts.unknown[part]
        name_unknowns(part, parts, room.column, False)


@njit(cache=True, nogil=True)
def _add_products(
    rows: Ints,
    choice: Ints,
    weight: float,
    chance: Floats,
    mean: int,
    families: Regressions,
    room: Room,
    out: Sums,
) -> None:
    """The sums of all families of a part, in one of its configurations."""
    column, held = room.column, room.held
    axes, axes_at, sums_at = families.axes, families.axes_at, families.sums_at
    level_at, products_at = families.level_at, families.products_at
    for at in range(rows.size):
        row, own = rows[at], choice[at]
        first, size = axes_at[row], axes_at[row + 1] - axes_at[row]
        out.weight[level_at[row] + own] += weight
        sums, products = sums_at[row] + own * size, products_at[row] + own * size**2
        for one in range(size):
            mine = _line(axes[first + one], mean, column)
            for other in range(one + 1):
                its = _line(axes[first + other], mean, column)
                total, square = _weighted(chance, held, mine, its)
                out.products[products + one * size + other] += square
                if other == 0:
                    out.sums[sums + one] += total


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def _weighted(chance: Floats, held: Floats, mine: int, its: int) -> tuple[float, float]:
    """Σ w x and Σ w x y of two lines, added up as `sum_of` does."""
    total = square = 0.0
    for case in range(chance.size):
        own = chance[case] * held[mine, case]
        total += own
        square += own * held[its, case]
    return total, square


@njit(cache=True, nogil=True)
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
