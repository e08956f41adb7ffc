"""Curved rules as functions of the vector of all cells, with first and second derivatives.

A rule is a polynomial in atoms, or a function of quotients of them; an atom is a mass of one row
or the probability of an event. So derivatives by cells follow from those by atoms:

    ∇g = Σ ∂g/∂u ∇u,    ∇²g = Σ ∂²g/∂u∂v ∇u ∇vᵀ + Σ ∂g/∂u ∇²u.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dag import Dag
from tacit.estimate.curved.applied import Calls
from tacit.estimate.curved.atoms import Atoms
from tacit.estimate.curved.matrices import full
from tacit.estimate.curved.polynomials import Polynomials
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.curves import Applied, Atom, Instance, Polynomial


@dataclass(frozen=True, slots=True, eq=False)
class Functions:
    """The instances of curved rules, each brought to g = 0 or, where not `equal`, to g <= 0.

    equal      (functions,)
    rule       (functions,)  the number of the rule each comes from
    support    the cells that any of them depends on, rising
    touched    of each function the cells that it depends on, rising
    texts      each in the language
    size       (functions,)  what each was divided by: its largest term where all rows are even
    """

    equal: Bools
    rule: Ints
    support: Ints
    touched: tuple[Ints, ...]
    texts: tuple[str, ...]
    size: Floats
    atoms: Atoms
    polynomials: Polynomials
    calls: Calls

    def __len__(self) -> int:
        return int(self.equal.size)

    def values(self, theta: Floats) -> Floats:
        """(functions,) each to be 0, or at most 0; nan where a function has no value."""
        atoms = self.atoms.values(theta)
        return self.polynomials.values(atoms) + self.calls.values(atoms)

    def jacobian(self, theta: Floats) -> Floats:
        """(functions, support) their slopes."""
        atoms, inner = self.atoms.slopes(theta)
        outer = self.polynomials.slopes(atoms) + self.calls.slopes(atoms)
        return full(outer @ inner)

    def hessian(self, theta: Floats, multipliers: Floats) -> Floats:
        """(support, support) Σ multiplier · second derivatives."""
        atoms, inner = self.atoms.slopes(theta)
        outer = self.polynomials.slopes(atoms) + self.calls.slopes(atoms)
        bends = self.polynomials.bends(atoms, multipliers) + self.calls.bends(atoms, multipliers)
        found = full(inner.T @ bends @ inner)
        self.atoms.add_bends(theta, outer.T @ multipliers, found)
        return np.asarray((found + found.T) / 2.0)

    def excess(self, theta: Floats) -> Floats:
        """(functions,) how far each is from holding, as it is written: 0 where it holds.

        nan where a rule divides by 0.
        """
        atoms = self.atoms.values(theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            plain = self.size * self.polynomials.values(atoms)
            found = self.polynomials.divided(plain, atoms, self.atoms.numbers)
        found += self.calls.values(atoms)
        return np.asarray(np.where(self.equal, np.abs(found), np.maximum(found, 0.0)))


def functions_of(bound: Bound, dag: Dag, which: Ints | None = None) -> Functions:
    """The curved rules of a network as functions; `which` of them, in their sequence, or all.

    An error where the probability of an event cannot be summed in reasonable memory.
    """
    said = [(part.rule, part.equal, each) for part in bound.curved for each in part.instances]
    if which is not None:
        said = [said[at] for at in which.tolist()]
    instances = [each for _, _, each in said]
    needed = [list(_atoms(each)) for each in instances]
    also = [atom for each in instances for atom in _below(each)]
    atoms = Atoms.of([*(a for own in needed for a in own), *also], bound.cells, dag)
    bent = [(at, each) for at, each in enumerate(instances) if isinstance(each, Polynomial)]
    applied = [(at, each) for at, each in enumerate(instances) if isinstance(each, Applied)]
    plain = Polynomials.of(bent, atoms.numbers, len(said))
    polynomials, size = plain.scaled(atoms.values(_even(bound.cells)))
    return Functions(
        equal=np.array([equal for _, equal, _ in said], dtype=np.bool_),
        rule=np.array([rule for rule, _, _ in said], dtype=np.int64),
        support=atoms.support,
        touched=tuple(atoms.cells_of([atoms.numbers[a] for a in own]) for own in needed),
        texts=tuple(each.text for each in instances),
        size=size,
        atoms=atoms,
        polynomials=polynomials,
        calls=Calls.of(applied, atoms.numbers, len(said)),
    )


def _atoms(said: Instance) -> Iterator[Atom]:
    """What a function is made of."""
    if isinstance(said, Polynomial):
        yield from (atom for _, atoms in said.terms for atom in atoms)
    else:
        yield from (atom for pair in said.of for atom in pair if atom is not None)


def _below(said: Instance) -> Iterator[Atom]:
    """What it was multiplied with."""
    if isinstance(said, Polynomial):
        yield from (a for terms, _ in said.under for _, atoms in terms for a in atoms)


def _even(cells: Cells) -> Floats:
    """Tables of which every row is even."""
    theta = np.zeros(cells.size)
    for name, axes in cells.families.items():
        theta[cells.block(name)] = 1.0 / len(axes[-1].states)
    return theta
