"""What a reader collects, and the network it becomes once every part is there and fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.errors import FormatError, NetworkError, TableError, TacitError, listed, nearest
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import MOST_AXES, TOLERANCE, Table, row_complaint
from tacit.io.words import floats, many, no_number, short

ROUNDED = 1.000001e-6
"""How far the sum of a row may be from one for the row to be taken as rounded, not as wrong.

A shade more than a millionth, for the sum is rounded too: three times 0.333333 is within.
"""
MOST_IMPLIED = 10_000_000
"""Cells that a file may imply without listing them, so that a short one cannot take all memory."""
MOST_SUGGESTIONS = 2000

Fail: TypeAlias = Callable[[str], FormatError]
FailAt: TypeAlias = Callable[[int, str], FormatError]
"""An error at the n-th of several places: of names, of rows."""


@dataclass(slots=True)
class Draft:
    """The variables and tables of a file as far as it is read, and what was noted on the way."""

    where: str
    variables: dict[str, Discrete] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def declare(self, name: str, states: Sequence[str], fail: Fail) -> None:
        """A variable, which may be declared once."""
        if name in self.variables:
            raise fail(f"variable {short(name)} is declared twice")
        try:
            self.variables[name] = Discrete(name, tuple(states))
        except NetworkError as problem:
            raise fail(str(problem)) from None

    def axes(self, names: Sequence[str], fail: FailAt) -> tuple[Discrete, ...]:
        """The parents, then the child, of a table written `child | parents`; each is checked."""
        child, parents = names[0], names[1:]
        if len(parents) >= MOST_AXES:
            most = MOST_AXES - 1
            raise fail(0, f"{short(child)} has more parents than a table can have, {most}")
        seen: set[str] = set()
        for at, name in enumerate(names):
            if name not in self.variables:
                near = (
                    nearest(name, self.variables) if len(self.variables) < MOST_SUGGESTIONS else ""
                )
                raise fail(at, f"there is no variable {short(name)}{near}")
            if name in seen:
                raise fail(at, f"{short(name)} stands twice in this table")
            seen.add(name)
        if child in self.tables:
            raise fail(0, f"{short(child)} has two tables")
        return tuple(self.variables[name] for name in (*parents, child))

    def add(self, axes: tuple[Discrete, ...], values: Floats, fail: FailAt) -> None:
        """A table given as parents..., child; rows that are only rounded are rescaled and noted.

        Rows that a `Table` takes as they are keep every bit.
        """
        shape = [len(axis.states) for axis in axes]
        rows, off = settled(axes, values.reshape(-1, shape[-1]), fail)
        if off is not None:
            self.notes.append(f"{self.where}: {rescaled(axes[-1].name, off)}")
        self.tables[axes[-1].name] = Table(axes, rows.reshape(shape))

    def add_text(self, axes: tuple[Discrete, ...], text: str, fail: Fail) -> None:
        """A table whose numbers stand in a text with blanks between, the child fastest."""
        values, whose = floats(text), f"the table of {short(axes[-1].name)}"
        if values is None:
            raise fail(f"{whose} holds a word that is no number: {short(no_number(text))}")
        if values.size != size_of(axes):
            raise fail(f"{whose} needs {many(size_of(axes))} numbers, not {values.size:,}")
        self.add(axes, values, lambda _, what: fail(what.replace("\n\n    ", ": ")))

    def network(self) -> Network:
        """The network, with the variables in the order of the file."""
        if not self.variables:
            raise FormatError(f"{self.where}: the file declares no variable")
        lacking = [name for name in self.variables if name not in self.tables]
        if lacking:
            raise FormatError(
                f"{self.where}: {short(lacking[0])} has no table of probabilities"
                + (f"; nor have {listed(map(short, lacking[1:]), 8)}" if lacking[1:] else "")
            )
        try:
            dag = Dag({name: self.tables[name].parents for name in self.variables})
        except TacitError as problem:
            raise placed(problem, self.where) from None
        return Network(dag, self.variables, self.tables)


def size_of(axes: Sequence[Discrete]) -> int:
    """How many cells a table over these variables has."""
    return prod(len(axis.states) for axis in axes)


def check_implied(axes: Sequence[Discrete], fail: Fail) -> None:
    """Nothing, or an error about a table that is large only by what the file leaves out."""
    if size_of(axes) > MOST_IMPLIED:
        raise fail(
            f"the table of {short(axes[-1].name)} has {many(size_of(axes))} cells that are not "
            f"listed; the most are {MOST_IMPLIED:,}"
        )


def settled(
    axes: Sequence[Discrete], rows: Floats, fail: FailAt
) -> tuple[Floats, tuple[int, float] | None]:
    """Rows that add up to one: how many had to be rescaled, and by how much at most they were off.

    Rows that are further off than rounding explains are an error that shows the first of them.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        sums = rows.sum(axis=1)
        away = np.abs(sums - 1)
        wrong = ~(away <= ROUNDED) | (rows < 0).any(axis=1)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise TableError(str(fail(at, row_complaint(axes, at, rows[at]))))
    off = away > TOLERANCE
    if not off.any():
        return rows, None
    rows = np.where(off[:, None], rows / sums[:, None], rows)
    return rows, (int(off.sum()), float(away.max()))


def rescaled(name: str, off: tuple[int, float]) -> str:
    """The note about rows that were rescaled."""
    count, most = off
    what = "1 row" if count == 1 else f"{count:,} rows"
    was, them = ("was", "it was") if count == 1 else ("were", "they were")
    return f"{what} of {name!r} {was} rescaled to add up to 1; {them} off by at most {most:.1g}"


def placed(problem: TacitError, where: str) -> TacitError:
    """The same error, its message beginning with the file it is about."""
    problem.args = (f"{where}: {problem}",)
    return problem
