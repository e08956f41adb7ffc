"""Tables given row by row, in any order, each row with its parents' states or their positions."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import FormatError, listed
from tacit.core.grid import counted
from tacit.core.variables import Discrete
from tacit.families.table import MOST_AXES, row_label
from tacit.io.draft import Draft, check_implied, size_of
from tacit.io.scan import Run, Scanner, Token
from tacit.io.words import many, short


@dataclass(slots=True)
class Rows:
    """The rows of one table as far as they are read, with their places in the file."""

    source: Scanner
    axes: tuple[Discrete, ...]
    head: Token
    found: dict[int, tuple[int, int]] = field(default_factory=dict)
    values: array[float] = field(default_factory=lambda: array("d"))
    default: Run | None = None

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return len(self.axes[-1].states)

    def row(self, codes: Sequence[int]) -> int:
        """The position of the row with these parents' states."""
        at = 0
        for code, axis in zip(codes, self.axes, strict=False):
            at = at * len(axis.states) + code
        return at

    def add(self, row: int, run: Run) -> None:
        """The numbers of one row, which may be given once."""
        if row in self.found:
            raise run.fail(f"{row_label(self.axes, row)} is given twice")
        self.put(row, run.values(self.width, row_label(self.axes, row)), (run.start, run.end))

    def put(self, row: int, values: Floats, place: tuple[int, int]) -> None:
        """Numbers that are known to be right for a row that is new."""
        self.values.frombytes(values.tobytes())
        self.found[row] = place

    def finish(self, draft: Draft) -> None:
        """Add the table to the draft, all rows in their places."""
        wanted = size_of(self.axes[:-1])
        if self.default is None and len(self.found) < wanted:
            raise self._lacking(wanted)
        if self.default is not None:
            check_implied(self.axes, self.default.fail)
        values = np.empty((wanted, self.width))
        if self.default is not None:
            values[:] = self.default.values(self.width, "the default row")
        given = np.frombuffer(self.values) if self.values else np.empty(0)
        values[list(self.found)] = given.reshape(-1, self.width)
        draft.add(self.axes, values, self._fail_row)

    def _lacking(self, wanted: int) -> FormatError:
        child = short(self.axes[-1].name)
        if not self.found:
            return self.source.fail(self.head, f"{child} has no probabilities")
        if wanted > 2**62:
            what = f"the table of {child} has {len(self.found):,} rows of {many(wanted)}"
            return self.source.fail(self.head, what)
        first = next(row for row in range(wanted) if row not in self.found)
        return self.source.fail(self.head, f"{row_label(self.axes, first)} has no row")

    def _fail_row(self, row: int, what: str) -> FormatError:
        what = what.partition("\n")[0]
        if row in self.found:
            return Run(self.source, *self.found[row]).fail(what)
        return self.default.fail(what) if self.default else self.source.fail(self.head, what)


def head_of(
    source: Scanner, draft: Draft, bare: bool = False
) -> tuple[tuple[Discrete, ...], Token]:
    """`( child | parents )` in front of a table: parents..., child, and where the child stands.

    bare: the bar may be missing.
    """
    source.expect("(")
    names = [source.name("a variable")]
    if source.taken("|") or (bare and source.peek().is_name):
        names += source.names(")", "a variable", MOST_AXES)
    else:
        source.expect(")")
    axes = draft.axes([name.text for name in names], lambda at, what: source.fail(names[at], what))
    return axes, names[0]


def state_code(source: Scanner, axis: Discrete, token: Token) -> int:
    """The position of a state that a row names."""
    if token.text in axis.states:
        return axis.states.index(token.text)
    known = listed(map(short, axis.states))
    raise source.fail(
        token, f"{short(axis.name)} has no state {short(token.text)}; its states are {known}"
    )


def wrong_labels(source: Scanner, axes: Sequence[Discrete], labels: list[Token]) -> FormatError:
    """The error about a row that does not name one state of each parent."""
    child = short(axes[-1].name)
    what = f"{child} has {counted(len(axes) - 1, 'parent')}, but this row names "
    token = labels[-1] if labels else source.peek()
    return source.fail(token, what + counted(len(labels), "state"))


def declared(source: Scanner) -> tuple[int, Token]:
    """A count in brackets, `[ 3 ]`, and where it stands."""
    source.expect("[")
    token = source.take()
    if token.kind != "word" or not (token.text.isascii() and token.text.isdecimal()):
        raise source.fail(token, "the number of states is expected here")
    source.expect("]")
    return int(token.text[:18]), token


def check_declared(source: Scanner, count: int, token: Token, states: Sequence[Token]) -> None:
    """Nothing, or an error if another number of states is declared than listed."""
    if count != len(states):
        raise source.fail(token, f"{many(count)} states are declared, but {len(states):,} listed")
