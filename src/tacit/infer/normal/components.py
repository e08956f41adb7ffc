"""What is unknown and hangs together: linear equations with noise in the unknown reals.

Given what is observed, the unknown continuous variables u of a connected component stand in

    loadings · u = known + noise,        noise ~ Normal(0, diag(variance)),

one row for each family that speaks of one of them: their own families first, which makes the
upper part of the loadings unit lower triangular, then those of their observed children. Sums,
posteriors and samples of u follow from these rows alone, whatever method solves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.infer.normal.frames import Frame, Numbers

SPARSE = 2**14
"""Cells of a matrix of coefficients from which on it is worth being sparse."""


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Coefficients of a component: the row and column each stands in, and where to find it.

    first, step  it is slopes[first + step * configuration of its row]
    """

    row: Ints
    column: Ints
    first: Ints
    step: Ints

    def values(self, numbers: Numbers, choice: Ints) -> Floats:
        """(configurations, entries) the coefficients under each choice of regressions."""
        return numbers.slopes[self.first + self.step * choice[:, self.row]]


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """The structure of the equations; the same for all cases that lack the same variables.

    unknown  (unknowns,) places, parents before children
    rows     (rows,) places of the families: of the unknowns, then of their observed children
    inner    coefficients of unknown parents; columns count the unknowns
    outer    coefficients of observed parents; columns count `outside`
    outside  places of the observed parents
    """

    unknown: Ints
    rows: Ints
    inner: Entries
    outer: Entries
    outside: Ints

    @property
    def size(self) -> int:
        """How many unknowns there are."""
        return int(self.unknown.size)

    @property
    def seen(self) -> Ints:
        """Places of the observed children."""
        return self.rows[self.unknown.size :]


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """The equations in numbers, one set of them per configuration of discrete parents.

    inner, outer  (configurations, entries)
    level, noise  (configurations, rows)
    """

    component: Component
    inner: Floats
    outer: Floats
    level: Floats
    noise: Floats

    def loadings(self) -> Floats:
        """(configurations, rows, unknowns)"""
        part, many = self.component, len(self.level)
        found = np.zeros((many, part.rows.size, part.size))
        places = np.arange(part.size)
        found[:, places, places] = 1.0
        found[:, part.inner.row, part.inner.column] = -self.inner
        return found

    def known(self, reals: Floats) -> Floats:
        """(configurations, cases, rows) the right side, from (cases, all continuous variables)."""
        part, cases = self.component, len(reals)
        found = np.empty((len(self.level), cases, part.rows.size))
        found[...] = self.level[:, None, :]
        found[:, :, part.size :] -= reals[:, part.seen]
        if part.outside.size:
            held = reals[:, part.outside]
            for at, weights in enumerate(self.outer):
                found[at] += _times(held, weights, part)
        return found


def _times(held: Floats, weights: Floats, part: Component) -> Floats:
    """What observed parents add to every row."""
    if part.rows.size * part.outside.size > SPARSE:
        from scipy.sparse import csr_array

        shape = (part.rows.size, part.outside.size)
        matrix = csr_array((weights, (part.outer.row, part.outer.column)), shape=shape)
        return np.asarray((matrix @ held.T).T)
    dense = np.zeros((part.outside.size, part.rows.size))
    dense[part.outer.column, part.outer.row] = weights
    return np.asarray(held @ dense)


def component_of(frame: Frame, unknown: Ints) -> Component:
    """The component of these places, which rise."""
    held = set(unknown.tolist())
    below = {child for place in unknown.tolist() for child in frame.children[place].tolist()}
    return _component(frame, unknown, np.array(sorted(below - held), np.int64))


def observed_family(frame: Frame, place: int) -> Component:
    """A family of which all that is real was observed: one row, no unknowns."""
    return _component(frame, np.zeros(0, np.int64), np.array([place], np.int64))


def _component(frame: Frame, unknown: Ints, seen: Ints) -> Component:
    rows = np.concatenate([unknown, seen])
    column = {place: at for at, place in enumerate(unknown.tolist())}
    outside: dict[int, int] = {}
    inner: list[tuple[int, int, int, int]] = []
    outer: list[tuple[int, int, int, int]] = []
    for row, place in enumerate(rows.tolist()):
        near, start = frame.parents[place].tolist(), int(frame.slope_at[place])
        for at, parent in enumerate(near):
            if parent in column:
                inner.append((row, column[parent], start + at, len(near)))
            else:
                there = outside.setdefault(parent, len(outside))
                outer.append((row, there, start + at, len(near)))
    return Component(
        unknown, rows, _entries(inner), _entries(outer), np.array(list(outside), np.int64)
    )


def _entries(found: Sequence[tuple[int, int, int, int]]) -> Entries:
    table = np.array(found, np.int64).reshape(-1, 4)
    return Entries(*(np.ascontiguousarray(table[:, at]) for at in range(4)))


def system_of(frame: Frame, part: Component, numbers: Numbers, choice: Ints) -> System:
    """The equations under each choice, (configurations, rows): which regression each row has."""
    at = frame.level_at[part.rows] + choice
    inner, outer = part.inner.values(numbers, choice), part.outer.values(numbers, choice)
    return System(part, inner, outer, numbers.levels[at], numbers.noise[at])
