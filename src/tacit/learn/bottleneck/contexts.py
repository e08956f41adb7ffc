"""Cases merged by what hidden variables see of them, and the tables through which they see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Codes, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.infer.contexts import code_matrix
from tacit.infer.flat import Axes, Layout

if TYPE_CHECKING:
    from tacit.kernels.bottleneck import Seen


@dataclass(frozen=True, slots=True, eq=False)
class Open:
    """A variable that is unknown in some contexts, with the tables in which it is alone so.

    hidden  whether no column measures it; a cell that is missing is open as well
    cells   (rows, states) where the parameters of each row stand in the flat vector
    """

    variable: int
    states: int
    hidden: bool
    seen: Seen
    cells: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A family in which several variables are open at once.

    who    the open ones, by their number, in the order of the table's axes
    rows   (contexts,) which configuration of the rest a context picks
    cells  (rows, states of each open one...) positions in the flat vector
    """

    who: tuple[int, ...]
    rows: Ints
    cells: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The distinct surroundings of the open variables over all cases.

    codes    (contexts, variables) the cells of one case that has the context; -1 where unknown
    case     (cases,) the context of each case; -1 where it weighs nothing
    known    flat counts of the families without an open variable
    """

    layout: Layout
    weights: Floats
    codes: Codes
    case: Ints
    open: tuple[Open, ...]
    joints: tuple[Joint, ...]
    known: Floats

    @property
    def total(self) -> float:
        """What all cases weigh."""
        return float(self.weights.sum())

    @property
    def hidden(self) -> tuple[int, ...]:
        """Which of the open variables are hidden."""
        return tuple(at for at, each in enumerate(self.open) if each.hidden)

    @property
    def exact(self) -> bool:
        """Whether one variable at most is open in any table: then shares are posteriors."""
        return len(self.open) == 1


def merged(data: Dataset, layout: Layout, hidden: Sequence[int], known: Floats) -> Contexts:
    """The contexts of some cases.

    known  counts of every family on the cases complete in it, flat

    A missing cell below which nothing is seen says nothing and is left out. Any other is an open
    variable of its own: its shares are posteriors that no bottleneck narrows.
    """
    every = np.arange(len(data), dtype=np.int64)
    weights = np.ones(len(data)) if data.weights is None else data.weights
    every = every[weights > 0]
    codes = code_matrix(data, layout.names, every)
    barren = _barren(layout, codes, hidden)
    gaps = (codes < 0) & ~barren
    gaps[:, list(hidden)] = False
    opened = tuple(sorted({*hidden, *map(int, np.flatnonzero(gaps.any(axis=0)))}))
    touched = _touched(layout, opened)
    columns = np.where(barren, -2, codes)[:, _around(layout, touched, opened)]
    _, first, which = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    which = np.asarray(which, dtype=np.int64).reshape(-1)
    share = np.bincount(which, weights[every], first.size).astype(np.float64)
    case = np.full(len(data), -1, dtype=np.int64)
    case[every] = which
    parts = _Parts(layout, codes[first], barren[first], opened, share)
    constant = known.copy()
    for family in touched:
        layout.block(constant, family)[...] = 0.0
    return Contexts(
        layout, share, codes[first], case,
        tuple(parts.open(at, variable in hidden) for at, variable in enumerate(opened)),
        tuple(parts.joint(family) for family in touched if len(parts.of(family)) > 1), constant,
    )  # fmt: skip


def _barren(layout: Layout, codes: Codes, hidden: Sequence[int]) -> Bools:
    """(cases, variables) the missing cells with nothing but such cells below them."""
    found = codes < 0
    found[:, list(hidden)] = False
    for child in reversed(range(len(layout.names))):  # names are in topological order
        for parent in layout.axes[child].variables[:-1]:
            found[:, parent] &= found[:, child]
    return found


def _touched(layout: Layout, opened: Sequence[int]) -> tuple[int, ...]:
    """The families in which an open variable stands."""
    return tuple(sorted({family for variable in opened for family in layout.touching[variable]}))


def _around(layout: Layout, families: Sequence[int], opened: Sequence[int]) -> list[int]:
    """The variables of these families, but for those that are hidden everywhere."""
    return sorted({v for family in families for v in layout.axes[family].variables} | set(opened))


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """What is needed to lay tables out for the contexts."""

    layout: Layout
    codes: Codes
    barren: Bools
    opened: tuple[int, ...]
    weights: Floats

    def of(self, family: int) -> tuple[int, ...]:
        """The open variables of a family, by number."""
        return tuple(
            self.opened.index(v) for v in self.layout.axes[family].variables if v in self.opened
        )

    def open(self, number: int, hidden: bool) -> Open:
        from tacit.kernels.bottleneck import Seen

        variable = self.opened[number]
        states = self.layout.cards[variable]
        alone = [f for f in self.layout.touching[variable] if len(self.of(f)) == 1]
        rows, cells, at = [], [np.zeros((0, states), dtype=np.int64)], 0
        for family in alone:
            row, places = self._rows(family)
            rows.append(row + at)
            cells.append(places)
            at += len(places)
        stacked = np.stack(rows, axis=1) if rows else np.zeros((len(self.codes), 0), dtype=np.int64)
        held = self.codes[:, variable].astype(np.int64)
        held[self.barren[:, variable]] = 0  # it says nothing, and nothing counts it
        seen = Seen(stacked.astype(np.uint32), self.weights, held)
        return Open(variable, states, hidden, seen, np.concatenate(cells))

    def joint(self, family: int) -> Joint:
        rows, cells = self._rows(family)
        return Joint(self.of(family), rows, cells)

    def _rows(self, family: int) -> tuple[Ints, Ints]:
        """Which row of a family each context picks, and the flat positions of those picked.

        A family whose child says nothing picks a row beyond the parameters.
        """
        axes, nothing = self.layout.axes[family], self.layout.size
        base = np.full(len(self.codes), axes.start, dtype=np.int64)
        for variable, stride in zip(axes.variables, axes.strides, strict=True):
            if variable not in self.opened:
                base += stride * self.codes[:, variable].astype(np.int64)
        silent = self.barren[:, axes.variables[-1]]
        picked, row = np.unique(np.where(silent, nothing, base), return_inverse=True)
        steps = _steps(self.layout, axes, self.opened)
        cells = picked.reshape(-1, *[1] * steps.ndim) + steps
        cells[picked == nothing] = nothing
        return np.asarray(row, dtype=np.int64).reshape(-1), cells


def _steps(layout: Layout, axes: Axes, opened: Sequence[int]) -> Ints:
    """How far each configuration of a family's open variables is from their first."""
    which = [at for at, v in enumerate(axes.variables) if v in opened]
    shape = [layout.cards[axes.variables[at]] for at in which]
    steps = np.zeros(shape, dtype=np.int64)
    for number, at in enumerate(which):
        many = np.arange(shape[number], dtype=np.int64) * axes.strides[at]
        steps += many.reshape(-1, *[1] * (len(shape) - number - 1))
    assert steps.size == prod(shape)
    return steps
