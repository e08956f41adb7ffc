"""Noisy-or and its relatives: one number per cause instead of one row per configuration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from tacit.arrays import Column, Floats
from tacit.core.errors import quoted
from tacit.core.grid import Grid, counted, number
from tacit.core.variables import Discrete
from tacit.families.causes import Causes, Frame
from tacit.families.table import Table, check_size


class Noisy(ABC):
    """What the families of independent causes have in common."""

    __slots__ = ()
    kind: ClassVar[str]
    variables: tuple[Discrete, ...]
    absent: tuple[str, ...]

    @classmethod
    @abstractmethod
    def frame_for(cls, variables: Sequence[Discrete], absent: Sequence[str] | None = None) -> Frame:
        """Which states have an effect; an error if these variables cannot be so related."""

    @classmethod
    @abstractmethod
    def from_causes(cls, causes: Causes) -> Self:
        """The family with these effects."""

    @property
    @abstractmethod
    def causes(self) -> Causes:
        """What each cause does by itself."""

    @abstractmethod
    def to_plain(self) -> dict[str, Any]:
        """Kind, names and numbers, as JSON holds them."""

    @property
    def child(self) -> str:
        """The name of the variable it describes."""
        return self.variables[-1].name

    @property
    def parents(self) -> tuple[str, ...]:
        """The names of the variables it depends on."""
        return tuple(variable.name for variable in self.variables[:-1])

    @property
    def free_parameters(self) -> int:
        """One for each cause and level, the leak among the causes."""
        causes = self.causes
        return int(causes.values.shape[0] * (causes.values.shape[1] - 1))

    def log_prob(self, columns: Sequence[Column]) -> Floats:
        """log P(child given parents) of every case; nan where a cell is missing."""
        return self.causes.log_prob(columns)

    def sample(self, parents: Sequence[Column], cases: int, random: np.random.Generator) -> Column:
        """The child's codes, drawn given its parents'; missing where a parent is."""
        return self.causes.sample(parents, cases, random)

    def to_table(self) -> Table:
        """The same distribution with every row written out; an error where these are too many."""
        check_size(self.child, [len(variable.states) for variable in self.variables])
        return Table(self.variables, self.causes.table())

    def grid(self, most_rows: int = 60) -> Grid:
        """A line for every cause, the leak last."""
        shown = list(zip(range(most_rows), self._lines(), strict=False))
        rows = [line for _, line in shown]
        more = len(self.causes.frame) - len(shown)
        if more >= 0:
            rows.append(self._leak_line())
        foot = f"  ... and {counted(more, 'more cause')}" if more > 0 else ""
        return Grid(self._title(), self._heads(), tuple(rows), foot=foot)

    def _title(self) -> str:
        given = f" | {', '.join(map(quoted, self.parents))}" if self.parents else ""
        return f"{quoted(self.child)}{given} ~ {self.kind}"

    def _heads(self) -> tuple[str, ...]:
        return ("cause", f"{quoted(self.child)}={quoted(self._brought())}")

    def _brought(self) -> str:
        """The state that a cause brings about."""
        frame = self.causes.frame
        return self.variables[-1].states[frame.order[-1]]

    def _lines(self) -> Iterator[tuple[str, ...]]:
        causes = self.causes
        for (at, state), row in zip(causes.frame.causes, causes.values, strict=False):
            parent = self.variables[at]
            label = f"{quoted(parent.name)}={quoted(parent.states[state])}"
            yield (label, *self._numbers(row))

    def _leak_line(self) -> tuple[str, ...]:
        return ("(leak)", *self._numbers(self.causes.values[-1]))

    def _numbers(self, row: Floats) -> tuple[str, ...]:
        return (number(float(row[-1]), 4),)

    def _plain(self, links: Any, leak: Any) -> dict[str, Any]:
        return {
            "family": self.kind,
            "child": self.child,
            "parents": list(self.parents),
            "absent": list(self.absent),
            "links": links,
            "leak": leak,
        }

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Noisy)
            and type(self) is type(other)
            and (self.variables, self.absent) == (other.variables, other.absent)
            and np.array_equal(self.causes.values, other.causes.values)
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.variables, self.absent))

    def __repr__(self) -> str:
        title = self._title().split(" ~ ")[0]
        return f"<{type(self).__name__} {title}, {counted(len(self.causes.frame), 'cause')}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def absence(frame: Frame, kind: str) -> tuple[str, ...]:
    """The states that say "not there" of a frame."""
    lacking = kind == "noisy-and"
    off = [1 - code if lacking else code for code in frame.off]
    codes = (*off, frame.order[-1 if lacking else 0])
    return tuple(each.states[code] for each, code in zip(frame.variables, codes, strict=True))
