"""Splits from nested sets with tied masses, from the top down."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose, nan

import numpy as np

from tacit.estimate.ruled.families import ONE, Family, Shares
from tacit.estimate.ruled.flat import Split
from tacit.estimate.ruled.masses import TOLERANCE, NoTreeError

NOWHERE = -1
"""The class of what is left over: nothing is given as a part of it."""


@dataclass(slots=True)
class Part:
    """A set, or what is left of one, that is to be divided.

    scale     its mass, in units that all parts divided together have in common
    own       the class of its mass
    children  the sets in it
    """

    scale: float
    own: int
    children: list[int]


class Branching:
    """The splits of a family of sets.

    leaves   lists of ratios, which count as cells
    members  the sets of each class that do not lie within a set of the same class
    nested   whether what is left over was tied again: a sharing tree of several levels
    """

    def __init__(self, family: Family, splits: list[Split], leaves: set[int]) -> None:
        self.family, self.splits = family, splits
        self.nested = False
        self.members: dict[int, int] = {}
        for number in range(1, len(family.masses)):
            above = family.parent[number]
            if above not in leaves:
                label = family.label(number)[0]
                if above == ONE or family.label(above)[0] != label:
                    self.members[label] = self.members.get(label, 0) + 1

    def grow(self) -> None:
        """All splits of all rows; a mass that is known within one that is not is no tree."""
        rows = self.family.children[ONE]
        if self.members[ONE] != len(rows):
            raise NoTreeError
        for row in rows:
            if row in self.family.plain:
                self._cells(row)
        self._apart([Part(1.0, ONE, self.family.children[row]) for row in rows])

    def _apart(self, parts: list[Part]) -> None:
        """Divide parts of proportional mass; those that share no class have nothing to do."""
        parts = [part for part in parts if part.children]
        if len(parts) == 1:
            self._together(parts)
            return
        for component in self._components(parts):
            self.nested |= parts[0].own == NOWHERE and len(component) > 1
            self._together(component)

    def _components(self, parts: list[Part]) -> list[list[Part]]:
        first: dict[int, int] = {}
        group = list(range(len(parts)))

        def top(number: int) -> int:
            while group[number] != number:
                group[number] = group[group[number]]
                number = group[number]
            return number

        for number, part in enumerate(parts):
            for label in self._classes(part):
                group[top(number)] = top(first.setdefault(label, number))
        found: dict[int, list[Part]] = {}
        for number, part in enumerate(parts):
            found.setdefault(top(number), []).append(part)
        return list(found.values())

    def _classes(self, part: Part) -> set[int]:
        """The classes of all sets in a part, but for those that are given parts of it."""
        found, waiting = set(), list(part.children)
        while waiting:
            number = waiting.pop()
            label = self.family.label(number)[0]
            if label not in (part.own, ONE):
                found.add(label)
            waiting += self.family.children[number]
        return found

    def _together(self, parts: list[Part]) -> None:
        """One split of tied parts: a branch for every class that all have, one for the rest."""
        sets = [self._by_class(part) for part in parts]
        own, common = parts[0].own, self._common(parts, sets)
        if not common or (own not in common and any(own in each for each in sets)):
            raise NoTreeError
        rest = [
            [number for label, numbers in each.items() if label not in common for number in numbers]
            for each in sets
        ]
        if any(rest) and not all(rest):
            raise NoTreeError
        opened = self._split(sets, common, own, rest)
        for label in common:
            if label not in opened:
                self._within(label, [each[label] for each in sets], own)
        if any(rest):
            self._apart([Part(part.scale, NOWHERE, left)
                         for part, left in zip(parts, rest, strict=True)])  # fmt: skip

    def _by_class(self, part: Part) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for child in part.children:
            found.setdefault(self.family.label(child)[0], []).append(child)
        return found

    def _common(self, parts: list[Part], sets: list[dict[int, list[int]]]) -> Shares:
        """The classes that have the same share in every part."""
        shares: Shares = {}
        for label, numbers in sets[0].items():
            share = self._scale(numbers) / parts[0].scale
            if all(
                isclose(self._scale(each.get(label, [])), share * part.scale, rel_tol=TOLERANCE)
                for part, each in zip(parts[1:], sets[1:], strict=True)
            ):
                shares[label] = share
        return shares

    def _scale(self, numbers: list[int]) -> float:
        return sum(self.family.label(number)[1] for number in numbers)

    def _split(
        self, sets: list[dict[int, list[int]]], common: Shares, own: int, rest: list[list[int]]
    ) -> set[int]:
        """The split itself; classes whose cells are branches of it already."""
        at: list[int] = []
        branch: list[int] = []
        given: list[float] = []
        opened: set[int] = set()
        for label, share in common.items():
            numbers = [number for each in sets for number in each[label]]
            cells = [cell for number in numbers for cell in self.family.cells(number)]
            at += cells
            if len(common) > 1 and label != own and self._alone(label, numbers):
                opened.add(label)
                branch += range(len(given), len(given) + len(cells))
                given += [nan] * len(cells)
            elif len(sets) == 1 and label == own:
                for number in numbers:
                    branch += [len(given)] * self.family.masses[number][1].bit_count()
                    given.append(share * (self._scale([number]) / self._scale(numbers)))
            else:
                branch += [len(given)] * len(cells)
                given.append(share if label == own else nan)
        if any(rest):
            cells = [cell for left in rest for each in left for cell in self.family.cells(each)]
            at += cells
            branch += [len(given)] * len(cells)
            given.append(nan)
        self._add(at, branch, given)
        return opened

    def _alone(self, label: int, numbers: list[int]) -> bool:
        return self.members[label] == 1 and numbers[0] in self.family.plain

    def _add(self, at: list[int], branch: list[int], given: list[float]) -> None:
        if len(given) > 1:
            self.splits.append(Split(np.array(at), np.array(branch), np.array(given)))

    def _within(self, label: int, sets: list[list[int]], own: int) -> None:
        """The sets of one class: fixed shares where a part has several, then what is in them."""
        if label != own and sum(map(len, sets)) != self.members[label]:
            raise NoTreeError
        found: list[Part] = []
        for numbers in sets:
            if len(numbers) > 1 and (label != own or len(sets) > 1):
                self._fixed(numbers)
            for number in numbers:
                if number in self.family.plain:
                    self._cells(number)
                elif self.family.children[number]:
                    scale = self.family.label(number)[1]
                    found.append(Part(scale, label, self.family.children[number]))
        self._apart(found)

    def _fixed(self, numbers: list[int]) -> None:
        cells = [self.family.cells(number) for number in numbers]
        scales = [self.family.label(number)[1] for number in numbers]
        branch = [at for at, each in enumerate(cells) for _ in each]
        whole = sum(scales)
        self._add([cell for each in cells for cell in each], branch, [s / whole for s in scales])

    def _cells(self, number: int) -> None:
        """All cells of a set of which nothing more is said."""
        cells = self.family.cells(number)
        self._add(cells, list(range(len(cells))), [nan] * len(cells))
