"""Equations read as statements about masses of sets of cells.

A set lies within one row of a table; it is named by that row and by the bits of its cells there.
"""

from __future__ import annotations

from math import isclose
from typing import NamedTuple, TypeAlias

import numpy as np

from tacit.knowledge.blocks import Block

TOLERANCE = 1e-9
"""Numbers that differ by less, in proportion, are the same."""
NOTHING = 1e-300
"""A mass below this is 0; every larger one is a number like any other."""
_PRECISE = 1e-6
"""A smaller share is kept as it is: 1 - (1 - share) would lose its digits."""
ROUNDED = 2.3e-16
"""What is left of 1 by rounding, for every number that was added up."""

Mass: TypeAlias = tuple[int, int]
"""A row, and the cells of the set in it as bits."""
Groups: TypeAlias = dict[int, dict[float, int]]
"""For each row of a table the cells that one equation gives each factor."""


class NoTreeError(Exception):
    """These equations are no tree of splits; the general solver takes them."""


class Statement(NamedTuple):
    """The mass of `left` is `factor` times the mass of `right`, or `factor` itself."""

    left: Mass
    right: Mass | None
    factor: float


def statements_of(block: Block, starts: list[int], full: list[int]) -> list[Statement]:
    """What the equations of a block say of masses.

    starts: the first position of each row; full: all cells of each row, as bits
    """
    rows, rules = block.row.tolist(), block.rules
    cells, factors, at = rules.cells.tolist(), rules.factors.tolist(), rules.at.tolist()
    limits = rules.limits.tolist()
    found: list[Statement] = []
    for number in np.flatnonzero(rules.equal).tolist():
        groups: Groups = {}
        for entry in range(at[number], at[number + 1]):
            cell, factor = cells[entry], factors[entry]
            row = rows[cell]
            group = groups.setdefault(row, {})
            group[factor] = group.get(factor, 0) | 1 << (cell - starts[row])
        found += _meaning(groups, full, limits[number])
    return found


def _meaning(groups: Groups, full: list[int], limit: float) -> list[Statement]:
    """Since every row adds up to 1, any number may be taken from all factors of a row.

    That leaves one set in each of two rows, or two sets, or a set and a number, in one.
    """
    left: dict[int, list[tuple[float, int]]] = {}
    for row, group in groups.items():
        values = list(group.items())
        covered = sum(group.values())
        if covered != full[row]:
            values.append((0.0, full[row] ^ covered))
        if len(values) == 1:
            limit -= values[0][0]
        else:
            left[row] = values
    if not left:
        if abs(limit) > TOLERANCE * max(abs(each) for group in groups.values() for each in group):
            raise NoTreeError
        return []
    if len(left) == 1:
        ((row, values),) = left.items()
        return _in_one_row(row, values, limit)
    if len(left) == 2:
        return _in_two_rows(left, limit)
    raise NoTreeError


def _in_one_row(row: int, values: list[tuple[float, int]], limit: float) -> list[Statement]:
    if len(values) == 2:
        (first, one), (second, other) = values
        share = (limit - second) / (first - second)
        if not -TOLERANCE <= share <= 1 + TOLERANCE:
            raise NoTreeError
        if one.bit_count() > other.bit_count() and share > _PRECISE:
            one, share = other, 1 - share
        return [Statement((row, one), None, share)]
    moved = [(value - limit, mask) for value, mask in values if not _near(value, limit)]
    return _balance([(value, (row, mask)) for value, mask in moved])


def _in_two_rows(left: dict[int, list[tuple[float, int]]], limit: float) -> list[Statement]:
    (one, these), (other, those) = left.items()
    if len(these) != 2 or len(those) != 2:
        raise NoTreeError
    size = max(abs(value) for value, _ in these + those)
    for (taken, _), (value, mask) in (these[::-1], these):
        for (rest, _), (weight, cells) in (those[::-1], those):
            if _near(taken + rest, limit, size):
                return _balance([(value - taken, (one, mask)), (weight - rest, (other, cells))])
    raise NoTreeError


def _balance(parts: list[tuple[float, Mass]]) -> list[Statement]:
    """Factors times masses that add up to 0."""
    if all(value > 0 for value, _ in parts) or all(value < 0 for value, _ in parts):
        return [Statement(mass, None, 0.0) for _, mass in parts]
    if len(parts) != 2:
        raise NoTreeError
    (first, one), (second, other) = parts
    return [Statement(one, other, -second / first)]


def _near(one: float, other: float, size: float = 0.0) -> bool:
    """Whether two numbers are one, where they came from additions of numbers of this size."""
    return isclose(one, other, rel_tol=1e-12, abs_tol=4 * ROUNDED * size)


def without(
    said: list[Statement], zero: dict[int, int], full: list[int]
) -> tuple[list[Statement], dict[int, int]]:
    """The statements over what is left when cells that must be 0 are taken out.

    A set is 0 where it is said to be, where all its cells are, or where an equal one is.
    """
    zero = dict(zero)
    while True:
        kept: list[Statement] = []
        before = dict(zero)
        for left, right, factor in said:
            one = _less(left, zero)
            other = None if right is None else _less(right, zero)
            if right is None and factor < NOTHING:
                zero[left[0]] = zero.get(left[0], 0) | left[1]
            elif one[1] == 0 or (other is not None and other[1] == 0):
                if other is None:
                    raise NoTreeError
                for row, mask in (one, other):
                    zero[row] = zero.get(row, 0) | mask
            else:
                kept.append(Statement(one, other, factor))
        if zero == before:
            break
    if any(mask == full[row] for row, mask in zero.items()):
        raise NoTreeError
    return kept, zero


def _less(mass: Mass, zero: dict[int, int]) -> Mass:
    return mass[0], mass[1] & ~zero.get(mass[0], 0)
