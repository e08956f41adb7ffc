"""Delimited text files by DuckDB, where that must give what the careful reader gives.

DuckDB reads a hundred megabytes in a second, but it forgives: it skips empty lines, drops a
delimiter at the end of a line, strips spaces before quotes. A quick look at the bytes of a file
tells whether it gives any occasion to forgive; only if not, and if the number of cases is then
the one expected, is its result taken.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.frames import Labels, RawColumn, RawTable
from tacit.io.sqlcases import connect, from_relation
from tacit.io.textfiles import TextFile, careful, place, unpacked

SMALL = 30_000
"""Bytes per column below which the careful reader is the faster one: plans cost time too."""
BLOCK = 1 << 16
NEWLINE, RETURN, QUOTE = 10, 13, 34
READ = """
    SELECT * FROM read_csv($paths, auto_detect = false, header = true, columns = $columns,
        delim = $delimiter, quote = '"', escape = '"', comment = '', nullstr = '',
        strict_mode = true, null_padding = false, compression = $packed)
"""


@dataclass(slots=True)
class _Look:
    """What the bytes of a file have shown so far."""

    delimiter: int
    lines: int = 0
    delimiters: int = 0
    returns: int = 0
    returned: int = 0
    breaks: int = 0
    inside: bool = False
    regular: bool = True

    def at(self, before: int, block: bytes, after: int) -> None:
        """Look at a block, knowing the byte before and the byte after it."""
        self.regular &= b"\0" not in block
        letters = np.frombuffer(block, np.uint8)
        breaks, delimiters = letters == NEWLINE, letters == self.delimiter
        self.breaks += int(np.count_nonzero(breaks))
        self.returns += block.count(b"\r")
        self.returned += block.count(b"\r\n") + (before == RETURN and block[0] == NEWLINE)
        if self.inside or QUOTE in block:
            inside = self._quotes(before, letters, after)
            breaks, delimiters = breaks & ~inside, delimiters & ~inside
        self.lines += int(np.count_nonzero(breaks))
        self.delimiters += int(np.count_nonzero(delimiters))

    def _quotes(self, before: int, letters: Any, after: int) -> Any:
        """Which letters stand in quotes; those must open and close a whole cell, or be doubled."""
        quotes = letters == QUOTE
        inside = np.logical_xor.accumulate(quotes) ^ self.inside
        padded = np.concatenate([[before], letters, [after]]).astype(np.uint8)
        at = np.flatnonzero(quotes)
        opens = inside[at]
        edges = np.array([self.delimiter, NEWLINE, RETURN, QUOTE], dtype=np.uint8)
        self.regular &= bool(np.isin(padded[at[opens]], edges).all())
        self.regular &= bool(np.isin(padded[at[~opens] + 2], edges).all())
        self.inside = bool(inside[-1])
        return inside


def count_cases(file: TextFile) -> int | None:
    """How many cases a file has, if there is one way only to read it; else None."""
    look = _Look(ord(file.delimiter))
    last = NEWLINE
    with unpacked(file.path) as stream:
        block = stream.read(BLOCK).removeprefix(b"\xef\xbb\xbf")
        while block and look.regular:
            following = stream.read(BLOCK)
            look.at(last, block, following[0] if following else NEWLINE)
            last, block = block[-1], following
    lines = look.lines + (last != NEWLINE)
    same_ends = look.returns == 0 or look.returns == look.returned == look.breaks
    cells = look.delimiters == (len(file.names) - 1) * lines
    return lines - 1 if look.regular and same_ends and cells and not look.inside else None


def delimited(files: Sequence[TextFile], threads: int | None) -> RawTable:
    """The columns of files with the same header, by whichever reader suits them."""
    slow = careful(files)
    if sum(file.path.stat().st_size for file in files) < SMALL * (10 + len(slow.names)):
        return slow

    def load(wanted: Sequence[int]) -> Iterable[RawColumn]:
        counts = [count_cases(file) for file in files]
        cases = sum(count for count in counts if count is not None)
        found = None if None in counts else _by_duckdb(files, wanted, threads)
        if found is None or any(_length(column) != cases for column in found):
            return slow.load(wanted)
        return found

    return RawTable(slow.names, load, lambda case: place(files, case))


def _length(column: RawColumn) -> int:
    return len(column.codes if isinstance(column, Labels) else column.values)


def _by_duckdb(
    files: Sequence[TextFile], wanted: Sequence[int], threads: int | None
) -> list[RawColumn] | None:
    """The columns; None if DuckDB finds fault with a file, which the careful reader will word."""
    import duckdb

    packed = [_is_packed(file.path) for file in files]
    if any(packed) != all(packed):
        return None
    options = {
        "paths": [glob.escape(str(file.path)) for file in files],
        "columns": {f"c{at}": "VARCHAR" for at in range(len(files[0].names))},
        "delimiter": files[0].delimiter,
        "packed": "gzip" if all(packed) else "none",
    }
    try:
        with connect(threads) as connection:
            relation = connection.sql(READ, params=options)
            table = from_relation(relation, names=files[0].names, written=True)
            return list(table.load(wanted))
    except duckdb.Error:
        return None


def _is_packed(path: Path) -> bool:
    with path.open("rb") as raw:
        return raw.read(2) == b"\x1f\x8b"
