"""What curved rules are made of, as functions of cells: masses of rows, probabilities of events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.estimate.curved.enumeration import Summed, summed
from tacit.estimate.curved.matrices import Matrix, matrix
from tacit.knowledge.cells import Cells
from tacit.knowledge.curves import Atom, Event, Mass


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """Atoms 0, 1, ...; their cells are numbered by `support`, the cells of all of them.

    numbers  the number of each atom
    at       (atoms + 1,) where the cells of each start in `cells`, which are places in `support`
    events   the atoms that are no masses
    """

    numbers: Mapping[Atom, int]
    support: Ints
    at: Ints
    cells: Ints
    events: Mapping[int, Summed]

    @staticmethod
    def of(found: Sequence[Atom], cells: Cells, dag: Dag) -> Atoms:
        """These atoms; an error where an event is too wide to be summed."""
        numbers: dict[Atom, int] = {}
        for atom in found:
            numbers.setdefault(atom, len(numbers))
        events = {number: summed(cells, dag, atom)
                  for atom, number in numbers.items()
                  if isinstance(atom, Event) and atom.held}  # fmt: skip
        own = [_cells(atom, events.get(number)) for atom, number in numbers.items()]
        flat = np.concatenate([np.zeros(0, dtype=np.int64), *own])
        support, places = np.unique(flat, return_inverse=True)
        at = np.cumsum([0, *(each.size for each in own)])
        return Atoms(numbers, support, at, places, events)

    def cells_of(self, which: Sequence[int]) -> Ints:
        """The cells that some atoms depend on, rising."""
        own = [self.cells[self.at[number] : self.at[number + 1]] for number in which]
        places = np.concatenate([np.zeros(0, dtype=np.int64), *own])
        return np.asarray(self.support[np.unique(places)])

    def values(self, theta: Floats) -> Floats:
        """(atoms,)"""
        found = self._masses(theta)
        for number, event in self.events.items():
            found[number] = event.value(theta)
        return found

    def slopes(self, theta: Floats) -> tuple[Floats, Matrix]:
        """Their values, and (atoms, support) their derivatives."""
        values, data = self._masses(theta), np.ones(self.cells.size)
        for number, event in self.events.items():
            inside = slice(self.at[number], self.at[number + 1])
            values[number], data[inside] = event.gradient(theta)
        owner = np.repeat(np.arange(len(self.numbers)), np.diff(self.at))
        shape = (len(self.numbers), int(self.support.size))
        return values, matrix([(owner, self.cells, data)], shape)

    def add_bends(self, theta: Floats, weights: Floats, found: Floats) -> None:
        """Add Σ weight · second derivatives of the atoms to (support, support)."""
        for number, event in self.events.items():
            if weights[number] == 0.0:
                continue
            places = self.cells[self.at[number] : self.at[number + 1]]
            bends = weights[number] * event.hessian(theta)
            if np.unique(places).size == places.size:
                found[np.ix_(places, places)] += bends
            else:  # tables that are one
                np.add.at(found, np.ix_(places, places), bends)

    def _masses(self, theta: Floats) -> Floats:
        """The sums of the cells of each atom, which are their values where they are masses."""
        owner = np.repeat(np.arange(len(self.numbers)), np.diff(self.at))
        found = np.bincount(owner, theta[self.support[self.cells]], len(self.numbers))
        for atom, number in self.numbers.items():
            if isinstance(atom, Event) and not atom.held:
                found[number] = 1.0
        return np.asarray(found, dtype=np.float64)


def _cells(atom: Atom, event: Summed | None) -> Ints:
    if isinstance(atom, Mass):
        return np.array(atom.cells, dtype=np.int64)
    return np.zeros(0, dtype=np.int64) if event is None else event.cells
