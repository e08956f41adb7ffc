"""Lists of cells that are multiples of each other: equal ratios. [Thm 4.6.1, 4.10.1]

A list is a set of its own in its row. Its mass is free, or tied as rules say of it; what is inside
is divided alike in all lists. Seen from above, a list is one cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from math import isclose, nan
from typing import TypeAlias

import numpy as np

from tacit.arrays import Ints
from tacit.estimate.ruled.families import Family
from tacit.estimate.ruled.flat import Split
from tacit.estimate.ruled.masses import ROUNDED, TOLERANCE, NoTreeError

Lists: TypeAlias = list[tuple[int, ...]]
"""Positions, list by list; columns match."""


def merged(ratios: Sequence[Ints]) -> list[Lists]:
    """Lists that share cells as one: longer where they share columns, more where they share lists.

    a : b = a' : b' and b : c = b' : c' are together a : b : c = a' : b' : c'.
    """
    groups: list[Lists] = []
    for lists in ratios:
        found = list(dict.fromkeys(map(tuple, lists.tolist())))
        if len(found) > 1 and len(found[0]) > 1:
            groups.append(found)
    while True:
        before = len(groups)
        for join in (_under, _beside):
            groups = _joined(groups, join)
        if len(groups) == before:
            break
    used = [cell for group in groups for each in group for cell in each]
    if len(set(used)) < len(used):
        raise NoTreeError
    return groups


def _joined(groups: list[Lists], join: Callable[[Lists, Lists], Lists | None]) -> list[Lists]:
    """Each group joined to the first one before it that shares a cell and takes it."""
    kept: list[Lists] = []
    holder: dict[int, int] = {}
    for group in groups:
        cells = [cell for each in group for cell in each]
        for number in sorted({holder[cell] for cell in cells if cell in holder}):
            both = join(kept[number], group)
            if both is not None:
                kept[number] = both
                break
        else:
            number = len(kept)
            kept.append(group)
        holder.update(dict.fromkeys(cells, number))
    return kept


def _under(one: Lists, other: Lists) -> Lists | None:
    """Both as one if they share a list; its order says how columns match."""
    sets = {frozenset(each): each for each in one}
    for each in other:
        same = sets.get(frozenset(each))
        if same is not None:
            order = [each.index(cell) for cell in same]
            turned = [tuple(row[at] for at in order) for row in other]
            return list(dict.fromkeys([*one, *turned]))
    return None


def _beside(one: Lists, other: Lists) -> Lists | None:
    """Both as one if they share a column; it says how lists match."""
    columns = {frozenset(column): column for column in zip(*one, strict=True)}
    theirs = list(zip(*other, strict=True))
    for column in theirs:
        same = columns.get(frozenset(column))
        if same is not None and len(one) == len(other):
            order = [column.index(cell) for cell in same]
            turned = [tuple(each[at] for at in order) for each in theirs]
            return list(zip(*dict.fromkeys([*columns.values(), *turned]), strict=True))
    return None


@dataclass(slots=True)
class Ratio:
    """Proportional lists among the sets of a family.

    sets     the set of each list
    columns  the single cells of each column, list by list
    joined   columns in fixed proportion: the first such column, and the share in its units
    """

    sets: list[int]
    columns: list[tuple[int, ...]]
    joined: list[tuple[int, float]] = field(default_factory=list)

    def enclose(self, family: Family) -> None:
        """The lists become cells of the sets around them; nothing else may lie inside."""
        for number in self.sets:
            if len(family.children[number]) != len(self.columns):
                raise NoTreeError
            family.children[number] = []

    def tied(self, family: Family) -> bool:
        """Whether the masses of all lists are in proportion."""
        return len({family.label(number)[0] for number in self.sets}) == 1

    def dissolve(self, family: Family) -> None:
        """Lists whose masses are tied share their cells."""
        first = family.label(self.sets[0])[1]
        for at, number in enumerate(self.sets):
            family.children[number] = [cells[at] for cells in self.columns]
            factor = family.label(number)[1] / first
            for cells in self.columns:
                family.tie(cells[at], cells[0], factor)

    def fold(self, family: Family) -> None:
        """Say what tied cells inside the lists mean for columns and lists.

        Equal cells in one list put their columns in proportion; in two lists they tie the lists.
        """
        place = {cell: (at, column) for column, cells in enumerate(self.columns)
                 for at, cell in enumerate(cells)}  # fmt: skip
        self.joined = [(column, 1.0) for column in range(len(self.columns))]
        tied = {family.label(cell)[0] for cell in place if not family.single(cell)}
        if not tied:
            return
        members = family.classes()
        for cell, (at, _) in place.items():
            label = family.label(cell)[0]
            given = label == family.label(self.sets[at])[0]
            if label in tied and not given and not place.keys() >= set(members[label]):
                raise NoTreeError
        classes = [[cell for cell in members[label] if cell in place] for label in sorted(tied)]
        for cells in classes:
            for one, other in combinations(cells, 2):
                if place[one][0] == place[other][0]:
                    self._join(place[one][1], place[other][1], _ratio(family, one, other))
        for cells in classes:
            for one, other in pairwise(cells):
                self._tie(family, place[one], place[other], _ratio(family, one, other))

    def _tie(
        self, family: Family, one: tuple[int, int], other: tuple[int, int], factor: float
    ) -> None:
        """The cell at `one` (list, column) is `factor` times that at `other`."""
        (at, column), (to, beside) = one, other
        (first, part), (second, share) = self.joined[column], self.joined[beside]
        if first != second:
            raise NoTreeError
        family.tie(self.sets[at], self.sets[to], factor * share / part)

    def _join(self, one: int, other: int, factor: float) -> None:
        """The share of column `one` is `factor` times that of `other`."""
        (first, part), (second, share) = self.joined[one], self.joined[other]
        if first == second:
            if not isclose(part, factor * share, rel_tol=TOLERANCE):
                raise NoTreeError
            return
        for column, (top, scale) in enumerate(self.joined):
            if top == second:
                self.joined[column] = (first, scale * part / (factor * share))

    def splits(self, family: Family) -> list[Split]:
        """The split of all lists, and those of columns in fixed proportion."""
        heads = sorted({top for top, _ in self.joined})
        given = np.array([self._given(family, head) for head in heads])
        left = 1.0 - np.nansum(given)
        least = ROUNDED * (given.size + 2)
        if left <= least if np.isnan(given).any() else abs(left) > TOLERANCE:
            raise NoTreeError
        at = np.array([family.cells(cell)[0] for cells in self.columns for cell in cells])
        of = np.repeat([heads.index(top) for top, _ in self.joined], len(self.sets))
        found = [Split(at, of, given, apart=True)]
        for head in heads:
            parts = [column for column, (top, _) in enumerate(self.joined) if top == head]
            if len(parts) > 1:
                shares = np.array([self.joined[column][1] for column in parts])
                cells = np.array(
                    [family.cells(cell)[0] for column in parts for cell in self.columns[column]]
                )
                branch = np.repeat(np.arange(len(parts)), len(self.sets))
                found.append(Split(cells, branch, shares / shares.sum(), apart=True))
        return found

    def _given(self, family: Family, head: int) -> float:
        """The share of joined columns where a cell in them is known as a part of its list."""
        total = sum(share for top, share in self.joined if top == head)
        known: list[float] = []
        for cells, (top, share) in zip(self.columns, self.joined, strict=True):
            for cell, whole in zip(cells, self.sets, strict=True):
                if top == head and family.label(cell)[0] == family.label(whole)[0]:
                    known.append(_ratio(family, cell, whole) * total / share)
        if any(not isclose(each, known[0], rel_tol=TOLERANCE) for each in known):
            raise NoTreeError
        return known[0] if known else nan


def _ratio(family: Family, one: int, other: int) -> float:
    return family.label(one)[1] / family.label(other)[1]


def placed(groups: list[Lists], family: Family, rows: list[int]) -> list[Ratio]:
    """These lists as sets of the family; before it is nested."""
    found = []
    for group in groups:
        sets = []
        for cells in group:
            row = rows[cells[0]]
            mask = sum(1 << (cell - family.starts[row]) for cell in cells)
            if any(rows[cell] != row for cell in cells) or mask & ~family.full[row]:
                raise NoTreeError
            sets.append(family.add((row, mask)))
        columns = [
            tuple(family.add((rows[cell], 1 << (cell - family.starts[rows[cell]])))
                  for cell in column)
            for column in zip(*group, strict=True)
        ]  # fmt: skip
        found.append(Ratio(sets, columns))
    return found
