"""The sets of cells that rules name, nested in each other, and which of their masses are tied."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose
from typing import TypeAlias

from tacit.estimate.ruled.masses import ROUNDED, TOLERANCE, Mass, NoTreeError, Statement

ONE = 0
"""The set whose mass is 1; whole rows are tied to it."""

Shares: TypeAlias = dict[int, float]
"""What a set gives to each class of sets within it."""
Seen: TypeAlias = dict[tuple[int, float, int, int], tuple[int, Shares]]


class Family:
    """Sets of cells, each within one row, nested or disjoint; some with masses in proportion.

    starts    the first position of each row; full: all cells of each row, as bits
    masses    the row and the cells of each set
    children  the largest sets within each set; none for a single cell or a list of ratios
    plain     sets of several cells of which nothing is said one by one
    parent    the smallest set around each set
    ties      how many classes have been joined
    """

    def __init__(self, starts: list[int], full: list[int]) -> None:
        self.starts, self.full = starts, full
        self.number: dict[Mass, int] = {}
        self.masses: list[Mass] = [(-1, 0)]
        self.parent: list[int] = []
        self.children: list[list[int]] = []
        self.plain: set[int] = set()
        self._cells: dict[int, list[int]] = {}
        self._above, self._ratio, self._sizes = [ONE], [1.0], [1]
        self.ties = 0
        for row, mask in enumerate(full):
            self.tie(self.add((row, mask)), ONE, 1.0)

    def add(self, mass: Mass) -> int:
        """The number of this set."""
        number = self.number.get(mass)
        if number is None:
            number = self.number[mass] = len(self.masses)
            self.masses.append(mass)
            self._above.append(number)
            self._ratio.append(1.0)
            self._sizes.append(1)
        return number

    def say(self, statement: Statement) -> None:
        """Take up one statement about masses."""
        right = ONE if statement.right is None else self.add(statement.right)
        self.tie(self.add(statement.left), right, statement.factor)

    def label(self, number: int) -> tuple[int, float]:
        """The class of a set, and its mass in units of that class."""
        above, ratio = self._above, self._ratio
        path = []
        while above[number] != number:
            path.append(number)
            number = above[number]
        scale = 1.0
        for each in reversed(path):
            scale *= ratio[each]
            above[each], ratio[each] = number, scale
        return number, scale

    def single(self, number: int) -> bool:
        """Whether a set is alone in its class."""
        return self._sizes[self.label(number)[0]] == 1

    def tie(self, one: int, other: int, factor: float) -> bool:
        """The mass of `one` is `factor` times that of `other`; whether that is news."""
        (first, scale), (second, unit) = self.label(one), self.label(other)
        if first == second:
            if not isclose(scale, factor * unit, rel_tol=TOLERANCE):
                raise NoTreeError
            return False
        share = factor * unit / scale
        if share <= 0:
            raise NoTreeError
        if first == ONE:
            first, second, share = second, first, 1 / share
        self._above[first], self._ratio[first] = second, share
        self._sizes[second] += self._sizes[first]
        self.ties += 1
        return True

    def nest(self) -> None:
        """Find what lies in what; sets that cross are no tree.

        The cells of a set that no other set in it names are together a set, a plain one.
        """
        inside: list[list[int]] = [[] for _ in self.full]
        for number, (row, _) in enumerate(self.masses[1:], 1):
            inside[row].append(number)
        self.parent = [ONE] * len(self.masses)
        self.children = [[] for _ in self.masses]
        for numbers in inside:
            self._nest_row(numbers)

    def _nest_row(self, numbers: list[int]) -> None:
        sized = sorted(numbers, key=lambda each: self.masses[each][1].bit_count())
        around = [(each, self.masses[each][1]) for each in sized if self._several(each)]
        rank = {each: at for at, (each, _) in enumerate(around)}
        left = dict(around)
        for number in sized:
            mask = self.masses[number][1]
            for larger, cells in around[rank.get(number, -1) + 1 :]:
                if mask & cells:
                    if mask & ~cells:
                        raise NoTreeError
                    self.parent[number] = larger
                    left[larger] &= ~mask
                    break
            self.children[self.parent[number]].append(number)
        for number, mask in around:
            if left[number] and left[number] != mask:
                self._add_plain(number, left[number])
            elif left[number]:
                self.plain.add(number)

    def _lone(self, label: int) -> bool:
        """Whether nothing else depends on the mass of a class."""
        return self.single(label) and (label in self.plain or not self._several(label))

    def _several(self, number: int) -> bool:
        mask = self.masses[number][1]
        return mask & (mask - 1) != 0

    def _add_plain(self, around: int, mask: int) -> None:
        number = self.add((self.masses[around][0], mask))
        self.parent.append(around)
        self.children.append([])
        self.children[around].append(number)
        self.plain.add(number)

    def classes(self) -> dict[int, list[int]]:
        """The sets of each class."""
        found: dict[int, list[int]] = {}
        for number in range(len(self.masses)):
            found.setdefault(self.label(number)[0], []).append(number)
        return found

    def cells(self, number: int) -> list[int]:
        """The positions of a set."""
        found = self._cells.get(number)
        if found is None:
            row, mask = self.masses[number]
            found = self._cells[number] = [self.starts[row] + bit for bit in bits_of(mask)]
        return found

    def conclude(self) -> dict[int, int]:
        """Tie every mass that the others determine; cells that must be 0, as bits per row.

        A class that is left over alone has what the others leave; sets of equal mass that agree
        in all parts but one agree in that too.
        """
        while True:
            news = False
            seen: Seen = {}
            for number in range(1, len(self.masses)):
                if not self.children[number]:
                    continue
                own = self.label(number)[0]
                shares, left = self._shares(number)
                if shares and left <= ROUNDED * (len(self.children[number]) + 2):
                    return self._outside(number, own)
                if len(shares) == 1:
                    ((label, share),) = shares.items()
                    if not self._lone(label):
                        news |= self.tie(label, own, left / share)
                elif len(self.full) > 1 and shares:
                    news |= self._same_rest((own, _rounded(left)), shares, seen)
            if not news:
                return {}

    def _shares(self, number: int) -> tuple[Shares, float]:
        """What a set gives to each class within it, in its own units; and what is not given."""
        own, scale = self.label(number)
        shares: Shares = {}
        for child in self.children[number]:
            label, part = self.label(child)
            shares[label] = shares.get(label, 0.0) + part / scale
        given = shares.pop(own, 0.0)
        if given > 1 + TOLERANCE or (not shares and given < 1 - TOLERANCE):
            raise NoTreeError
        return shares, 1 - given

    def _outside(self, number: int, own: int) -> dict[int, int]:
        zero: dict[int, int] = {}
        for child in self.children[number]:
            if self.label(child)[0] != own:
                row, mask = self.masses[child]
                zero[row] = zero.get(row, 0) | mask
        return zero

    def _same_rest(self, parent: tuple[int, float], shares: Shares, seen: Seen) -> bool:
        """Whether these agree with parts seen before in all classes but one, which is news."""
        hashes = {label: hash((label, _rounded(share))) for label, share in shares.items()}
        total, news = 0, False
        for each in hashes.values():
            total ^= each
        for label, each in hashes.items():
            other, theirs = seen.setdefault((*parent, len(hashes), total ^ each), (label, shares))
            if other != label and _agree(shares, label, theirs, other):
                news |= self.tie(label, other, theirs[other] / shares[label])
        return news


def _agree(one: Shares, but: int, other: Shares, and_but: int) -> bool:
    rest = {label: share for label, share in one.items() if label != but}
    return rest.keys() == other.keys() - {and_but} and all(
        isclose(share, other[label], rel_tol=TOLERANCE) for label, share in rest.items()
    )


def _rounded(share: float) -> float:
    """Its nine first digits."""
    return float(f"{share:.9g}")


def bits_of(mask: int) -> Iterator[int]:
    """The places of the bits that are set, from the lowest."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
