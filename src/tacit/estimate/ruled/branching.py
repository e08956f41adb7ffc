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
        shares = [self._shares(part) for part in parts]
        common = [
            label for label, share in shares[0].items()
            if all(isclose(each.get(label, 0.0), share, rel_tol=TOLERANCE) for each in shares)
        ]  # fmt: skip
        own = parts[0].own
        if not common or (own not in common and any(own in each for each in shares)):
            raise NoTreeError
        branches = {label: number for number, label in enumerate(common)}
        rest = [
            [c for c in part.children if self.family.label(c)[0] not in branches] for part in parts
        ]
        if any(rest) and not all(rest):
            raise NoTreeError
        given = [shares[0][label] if label == own else nan for label in common]
        self._split(parts, branches, given + [nan] * any(rest))
        for label in common:
            self._within(label, parts, check=label != own)
        if any(rest):
            self._apart([Part(part.scale, NOWHERE, left)
                         for part, left in zip(parts, rest, strict=True)])  # fmt: skip

    def _shares(self, part: Part) -> Shares:
        found: Shares = {}
        for child in part.children:
            label, scale = self.family.label(child)
            found[label] = found.get(label, 0.0) + scale / part.scale
        return found

    def _split(self, parts: list[Part], branches: dict[int, int], given: list[float]) -> None:
        if len(given) == 1:
            return
        at: list[int] = []
        branch: list[int] = []
        for part in parts:
            for child in part.children:
                cells = self.family.cells(child)
                number = branches.get(self.family.label(child)[0], len(branches))
                at += cells
                branch += [number] * len(cells)
        self.splits.append(Split(np.array(at), np.array(branch), np.array(given)))

    def _within(self, label: int, parts: list[Part], check: bool) -> None:
        """The sets of one class: fixed shares where a part has several, then what is in them."""
        found: list[Part] = []
        for part in parts:
            sets = [c for c in part.children if self.family.label(c)[0] == label]
            scales = np.array([self.family.label(number)[1] for number in sets])
            if len(sets) > 1:
                cells = [self.family.cells(number) for number in sets]
                branch = np.repeat(np.arange(len(sets)), [len(each) for each in cells])
                at = np.array([cell for each in cells for cell in each])
                self.splits.append(Split(at, branch, scales / scales.sum()))
            found += [
                Part(scale, label, self.family.children[number])
                for number, scale in zip(sets, scales.tolist(), strict=True)
            ]
        if check and len(found) != self.members[label]:
            raise NoTreeError
        self._apart(found)
