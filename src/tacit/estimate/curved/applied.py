"""Functions given in Python, by the chain rule through quotients of atoms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.curved.matrices import Matrix, matrix
from tacit.knowledge.calling import gradient_at, hessian_at, value_at
from tacit.knowledge.curves import Applied, Atom


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """sign · (f(v) - limit) of function number `number`; v = over / under, atom by atom.

    under is the atom behind the last where nothing divides: it is 1
    """

    number: int
    said: Applied
    over: Ints
    under: Ints

    def arguments(self, atoms: Floats) -> tuple[Floats, Floats]:
        """v, and what divides; nan where that is 0."""
        below = np.append(atoms, 1.0)[self.under]
        below = np.where(below > 0, below, np.nan)
        return np.asarray(atoms[self.over] / below), np.asarray(below)

    def value(self, atoms: Floats) -> float:
        """nan where the function has no value."""
        at, _ = self.arguments(atoms)
        if np.isnan(at).any():
            return float("nan")
        return self.said.sign * (value_at(self.said.said, at) - self.said.limit)

    def slopes(self, atoms: Floats) -> tuple[Ints, Floats]:
        """Atoms, and the derivatives by them."""
        at, below = self.arguments(atoms)
        outer = self._outer(at)
        return self._atoms(), np.concatenate([outer / below, -outer * at / below])

    def bends(self, atoms: Floats) -> tuple[Ints, Floats]:
        """Atoms, and the second derivatives by each two of them.

        v = o / u has ∂v = (1/u, -v/u), ∂²v = (0, -1/u²; -1/u², 2v/u²).
        """
        at, below = self.arguments(atoms)
        outer = self._outer(at)
        if np.isnan(at).any():
            return self._atoms(), np.full((2 * at.size,) * 2, np.nan)
        inner = np.vstack([np.diag(1.0 / below), np.diag(-at / below)])
        found = inner @ (self.said.sign * hessian_at(self.said.said, at)) @ inner.T
        mixed, twice = np.diag(-outer / below**2), np.diag(2.0 * outer * at / below**2)
        return self._atoms(), found + np.block([[np.zeros_like(mixed), mixed], [mixed, twice]])

    def _outer(self, at: Floats) -> Floats:
        if np.isnan(at).any():
            return np.full(at.size, np.nan)
        return np.asarray(self.said.sign * gradient_at(self.said.said, at))

    def _atoms(self) -> Ints:
        return np.concatenate([self.over, self.under])


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """All functions of rules that are given in Python; count of all functions, size of atoms."""

    calls: tuple[Call, ...]
    count: int
    size: int

    @staticmethod
    def of(said: Sequence[tuple[int, Applied]], numbers: Mapping[Atom, int], count: int) -> Calls:
        """These functions, each with its number."""
        calls = []
        for number, each in said:
            over = np.array([numbers[up] for up, _ in each.of], dtype=np.int64)
            under = [len(numbers) if low is None else numbers[low] for _, low in each.of]
            calls.append(Call(number, each, over, np.array(under, dtype=np.int64)))
        return Calls(tuple(calls), count, len(numbers))

    def values(self, atoms: Floats) -> Floats:
        """(all functions,) 0 where a function is none of these."""
        found = np.zeros(self.count)
        for call in self.calls:
            found[call.number] = call.value(atoms)
        return found

    def slopes(self, atoms: Floats) -> Matrix:
        """(all functions, atoms) derivatives."""
        parts = []
        for call in self.calls:
            which, slopes = call.slopes(atoms)
            parts.append((np.full(which.size, call.number), which, slopes))
        return matrix(parts, (self.count, self.size))

    def bends(self, atoms: Floats, multipliers: Floats) -> Matrix:
        """(atoms, atoms) Σ multiplier · second derivatives."""
        parts = []
        for call in self.calls:
            which, bends = call.bends(atoms)
            row, column = (each.ravel() for each in np.meshgrid(which, which, indexing="ij"))
            parts.append((row, column, multipliers[call.number] * bends.ravel()))
        return matrix(parts, (self.size, self.size))
