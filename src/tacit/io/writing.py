"""What formats that hold only tables share when they write: what they refuse, names, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import FormatError, quoted
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.families.noisy import Noisy
from tacit.families.shared import SharedRows
from tacit.families.table import Table

MOST_CELLS = 2**20
"""Of a table that another family is written out as."""
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ONE_LINE = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]+")
"""Texts that survive between quotes on one line."""


class Rule(NamedTuple):
    """Which names a format can hold, and in words."""

    pattern: re.Pattern[str]
    words: str


ANY_LINE = Rule(ONE_LINE, "names without line breaks or control characters")
PLAIN_WORD = Rule(IDENTIFIER, "letters, digits and _ only, no digit first")


def tables_of(network: Network, file_format: str) -> Iterator[Table]:
    """The table of every variable as listed, or an error about what the format cannot hold."""
    for name, family in network.families.items():
        if isinstance(family, Noisy | SharedRows):
            yield _expanded(family, file_format)
            continue
        if not isinstance(family, Table):
            kind = family.to_plain()["family"].replace("-", " ")
            raise FormatError(
                f"{file_format} holds tables only, and {quoted(name)} has a {kind} family"
                "\n\nwrite a .json file, which holds every family"
            )
        check_complete(family)
        yield family


def _expanded(family: Noisy | SharedRows, file_format: str) -> Table:
    """All rows of a noisy-or, a tree and the like, where that is not beyond reason."""
    cells = prod(len(variable.states) for variable in family.variables)
    if cells > MOST_CELLS:
        raise FormatError(
            f"{file_format} holds tables only, and the {family.kind} of {quoted(family.child)} "
            f"with {counted(len(family.parents), 'parent')} would become one of {cells:,} cells; "
            f"the most that is written out is {MOST_CELLS:,}"
            "\n\nwrite a .json file, which holds every family as it is"
        )
    return family.to_table()


def check_complete(table: Table) -> None:
    """Nothing, or an error if rows of the table are unknown."""
    rows = table.values.reshape(-1, table.values.shape[-1])
    unknown = int((~(rows.sum(axis=1) > 0.5)).sum()) if table.partial else 0
    if unknown or np.isnan(rows).any():
        raise FormatError(
            f"the table of {quoted(table.child)} has {counted(unknown, 'unknown row')}; "
            "a file holds complete networks only"
            '\n\nfill rows without cases when estimating, for example by ML(empty="uniform")'
        )


def check_names(network: Network, file_format: str, names: Rule, states: Rule) -> None:
    """Nothing, or an error about the first name or state that the format cannot hold."""
    for table in tables_of(network, file_format):
        if not names.pattern.fullmatch(table.child):
            raise _cannot_hold(file_format, f"the name {quoted(table.child)}", names)
        for state in table.variables[-1].states:
            if not states.pattern.fullmatch(state):
                what = f"the state {quoted(state)} of {quoted(table.child)}"
                raise _cannot_hold(file_format, what, states)


def _cannot_hold(file_format: str, what: str, rule: Rule) -> FormatError:
    return FormatError(
        f"{file_format} cannot hold {what}: it takes {rule.words}"
        "\n\nrename it, or write a .json file, which holds any name"
    )


def in_quotes(name: str) -> str:
    """A name in double quotes, as the scanner reads it back."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def numbers(row: Floats, between: str = ", ") -> str:
    """Numbers in the fewest digits that read back as the same bits."""
    return between.join(map(repr, row.tolist()))
