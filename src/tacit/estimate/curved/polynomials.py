"""Many polynomials in atoms at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.curved.matrices import Matrix, matrix
from tacit.knowledge.curves import Atom, Polynomial, Terms


@dataclass(frozen=True, slots=True, eq=False)
class Polynomials:
    """Σ factor · product of atoms, term by term.

    which    the number of each polynomial among all functions
    owner    (terms,) the function of each term
    factors  (terms,)
    atoms    (terms, degree) filled up with the atom behind the last, which is 1
    count    of all functions; size: of atoms
    under    of each polynomial what it was multiplied with, with powers
    """

    which: Ints
    owner: Ints
    factors: Floats
    atoms: Ints
    count: int
    size: int
    under: tuple[tuple[tuple[Terms, int], ...], ...]

    @staticmethod
    def of(
        said: Sequence[tuple[int, Polynomial]], numbers: Mapping[Atom, int], count: int
    ) -> Polynomials:
        """These polynomials, each with its number."""
        terms = [(at, *term) for at, each in said for term in each.terms]
        degree = max((len(atoms) for _, _, atoms in terms), default=0)
        places = np.full((len(terms), degree), len(numbers), dtype=np.int64)
        for row, (_, _, atoms) in enumerate(terms):
            places[row, : len(atoms)] = [numbers[atom] for atom in atoms]
        return Polynomials(
            np.array([at for at, _ in said], dtype=np.int64),
            np.array([at for at, _, _ in terms], dtype=np.int64),
            np.array([factor for _, factor, _ in terms], dtype=np.float64),
            places, count, len(numbers), tuple(each.under for _, each in said),
        )  # fmt: skip

    def terms(self, atoms: Floats, without: Sequence[int] = ()) -> Floats:
        """(terms,) each term; `without` the atoms of these columns."""
        every = np.append(atoms, 1.0)[self.atoms]
        every[:, list(without)] = 1.0
        return np.asarray(self.factors * every.prod(axis=1))

    def values(self, atoms: Floats) -> Floats:
        """(all functions,) 0 where a function is no polynomial."""
        return np.asarray(np.bincount(self.owner, self.terms(atoms), self.count))

    def slopes(self, atoms: Floats) -> Matrix:
        """(all functions, atoms) derivatives."""
        parts = [(self.owner, self.atoms[:, at], self.terms(atoms, (at,)))
                 for at in range(self.atoms.shape[1])]  # fmt: skip
        return matrix(parts, (self.count, self.size))

    def bends(self, atoms: Floats, multipliers: Floats) -> Matrix:
        """(atoms, atoms) Σ multiplier · second derivatives."""
        held = multipliers[self.owner]
        parts = [(self.atoms[:, one], self.atoms[:, two], held * self.terms(atoms, (one, two)))
                 for one, two in _pairs(self.atoms.shape[1])]  # fmt: skip
        return matrix(parts, (self.size, self.size))

    def scaled(self, atoms: Floats) -> tuple[Polynomials, Floats]:
        """Each divided by its largest term there, and (all functions,) what that was."""
        largest, factor = np.zeros(self.count), np.zeros(self.count)
        np.maximum.at(largest, self.owner, np.abs(self.terms(atoms)))
        np.maximum.at(factor, self.owner, np.abs(self.factors))
        size = np.where(largest > 0, largest, np.where(factor > 0, factor, 1.0))
        return Polynomials(
            self.which, self.owner, self.factors / size[self.owner], self.atoms,
            self.count, self.size, self.under,
        ), size  # fmt: skip

    def divided(self, values: Floats, atoms: Floats, numbers: Mapping[Atom, int]) -> Floats:
        """The values of all functions, with what each was multiplied with divided out again."""
        found = values.copy()
        for at, under in zip(self.which.tolist(), self.under, strict=True):
            for terms, power in under:
                found[at] /= _value(terms, atoms, numbers) ** power
        return found


def _value(terms: Terms, atoms: Floats, numbers: Mapping[Atom, int]) -> np.float64:
    products = [factor * np.prod([atoms[numbers[a]] for a in each]) for factor, each in terms]
    return np.float64(sum(products))


def _pairs(degree: int) -> Iterator[tuple[int, int]]:
    return ((one, two) for one in range(degree) for two in range(degree) if one != two)
