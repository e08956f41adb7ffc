"""The tables of a search: one table, or several that are one, with what is known of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.variables import Discrete
from tacit.learn.discovery.partitions import Items, terms

Unit: TypeAlias = tuple[int, ...]
"""Rows of one table that are one and the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A table as the search sees it.

    names   the variables whose tables are one; the first speaks for all
    axes    parents..., child of the first
    counts  (rows, states) cases of all of them
    alpha   (rows, states) their priors, added up
    open    (rows,) no rule of the expert speaks of the row, but that it is one with others
    given   rows that are one from the start
    others  parents..., child of the other tables
    """

    names: tuple[str, ...]
    axes: tuple[Discrete, ...]
    counts: Floats
    alpha: Floats
    open: Bools
    given: tuple[Unit, ...] = ()
    others: tuple[tuple[Discrete, ...], ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """How many states every parent has."""
        return tuple(len(axis.states) for axis in self.axes[:-1])

    @property
    def states(self) -> int:
        """How many the child has."""
        return int(self.counts.shape[1])

    @property
    def seen(self) -> Bools:
        """(rows,) rows that have cases."""
        return np.asarray(self.counts.sum(axis=1) > 0)

    def pooled(self, units: Sequence[Unit]) -> Items:
        """The units as items, counts and priors of their rows added up."""
        counts = [self.counts[list(unit)].sum(axis=0) for unit in units]
        alpha = [self.alpha[list(unit)].sum(axis=0) for unit in units]
        shape = (len(units), 1, self.states)
        return Items(
            np.array(counts).reshape(shape), np.array(alpha).reshape(shape), np.ones(self.states)
        )

    def cases(self, units: Sequence[Unit]) -> float:
        """The weight of the cases behind these rows."""
        return float(sum(self.counts[list(unit)].sum() for unit in units))

    @property
    def log_marginal_likelihood(self) -> float:
        """Of all rows, those that are one from the start together."""
        inside = set(chain(*self.given))
        rows = [(row,) for row in range(len(self.counts)) if row not in inside]
        items = self.pooled([*self.given, *rows])
        return float(terms(items.alpha, items.counts).sum())

    def context(self, row: int) -> dict[str, str]:
        """The state of every parent in a row."""
        return _context(self.axes, row)

    def places(self, unit: Unit) -> list[tuple[str, dict[str, str]]]:
        """All rows of a unit in all tables: the child and the states of its parents."""
        tables = (self.axes, *self.others)
        return [(axes[-1].name, _context(axes, row)) for axes in tables for row in unit]

    def speaker(self, unit: Unit) -> int:
        """The row that stands for a unit: the first that has cases."""
        return next((row for row in unit if self.counts[row].any()), unit[0])


def _context(axes: Sequence[Discrete], row: int) -> dict[str, str]:
    parents = axes[:-1]
    shape = tuple(len(axis.states) for axis in parents)
    codes = np.unravel_index(row, shape) if shape else ()
    return {axis.name: axis.states[int(code)] for axis, code in zip(parents, codes, strict=True)}


def sheet_of(
    axes: tuple[Discrete, ...], counts: Floats, alpha: Floats, shut: Bools, given: tuple[Unit, ...]
) -> Sheet:
    """The sheet of one table; the rows that are `shut` are not searched."""
    states = len(axes[-1].states)
    rows = counts.reshape(-1, states)
    return Sheet((axes[-1].name,), axes, rows, alpha.reshape(-1, states), ~shut, given)


def sheet_without_rules(axes: tuple[Discrete, ...], counts: Floats, alpha: Floats) -> Sheet:
    """The sheet of a table that no rule speaks of."""
    shut = np.zeros(counts.size // counts.shape[-1], dtype=np.bool_)
    return sheet_of(axes, counts, alpha, shut, ())


def together(sheets: Sequence[Sheet]) -> Sheet:
    """Several tables as one."""
    first = sheets[0]
    return Sheet(
        tuple(name for sheet in sheets for name in sheet.names),
        first.axes,
        np.sum([sheet.counts for sheet in sheets], axis=0),
        np.sum([sheet.alpha for sheet in sheets], axis=0),
        np.logical_and.reduce([sheet.open for sheet in sheets]),
        others=tuple(sheet.axes for sheet in sheets[1:]),
    )


def alike(sheets: Mapping[str, Sheet]) -> list[list[Sheet]]:
    """Tables that could be one: the states of the children are the same, and of the parents too.

    Tables that a rule speaks of, or that have no cases, are left out.
    """
    found: dict[tuple[tuple[str, ...], ...], list[Sheet]] = {}
    for sheet in sheets.values():
        if sheet.open.all() and not sheet.given and sheet.counts.any():
            found.setdefault(tuple(axis.states for axis in sheet.axes), []).append(sheet)
    return [group for group in found.values() if len(group) > 1]
