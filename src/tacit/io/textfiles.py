"""Delimited text files: the careful reader, which knows every line.

It is plain Python: slow on millions of cases, but it decides what a file means and words every
complaint. The fast reader (`fastcsv`) is used only where it must come to the same result.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from tacit.core.errors import ColumnError, FormatError, OptionError, listed
from tacit.frames import Labels, RawColumn, RawTable
from tacit.io.joining import Parts

CHUNK = 20_000
"""Cases coded at a time."""
LONGEST = 1 << 26
"""Characters beyond which a line is refused."""
DELIMITERS = {".tsv": "\t", ".csv": ",;\t|", ".txt": "\t,;| "}
"""By suffix, what may stand between cells; the first that the header has is taken."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A delimited text file: where it lies and what its first line says."""

    path: Path
    delimiter: str
    names: tuple[str, ...]


@contextmanager
def unpacked(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if it is gzip whatever its name; damage is a FormatError."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=raw) as stream:
                    yield io.BufferedReader(stream)
            else:
                yield raw
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise FormatError(f"{path}: the compressed file is damaged or cut short") from None
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror or problem}") from None


def records(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Every record with the number of its first line; what is no record is an error."""
    with unpacked(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        reader = csv.reader(text_lines(path, text), delimiter=delimiter, strict=True)
        line = 1
        try:
            for record in reader:
                yield line, record
                line = reader.line_num + 1
        except UnicodeDecodeError:
            raise _not_utf8(path) from None
        except csv.Error as problem:
            raise FormatError(f"{path}:{line}: {_complaint(str(problem))}") from None


def text_lines(path: Path, text: io.TextIOWrapper) -> Iterator[str]:
    """Line after line; what is no text, or has no lines to speak of, is an error."""
    while line := text.readline(LONGEST):
        if "\0" in line:
            raise FormatError(f"{path}: this is no text file in UTF-8 (it has zero bytes)")
        if len(line) == LONGEST:
            raise FormatError(f"{path}: a line has more than {LONGEST:,} characters")
        yield line


def _complaint(problem: str) -> str:
    if "end of data" in problem:
        return "a quoted cell that starts here has no end"
    if "limit" in problem:
        return f"a cell has more than {csv.field_size_limit():,} characters; is a quote not closed?"
    return 'text follows the closing quote of a cell; a quote inside a cell is doubled: ""'


def _not_utf8(path: Path) -> FormatError:
    with unpacked(path) as stream:
        if stream.read(2) in (b"\xff\xfe", b"\xfe\xff"):
            return FormatError(f"{path}: the file is written in UTF-16; save it as UTF-8")
        stream.seek(0)
        for number, line in enumerate(stream, 1):
            try:
                line.decode()
            except UnicodeDecodeError as problem:
                byte = line[problem.start]
                return FormatError(
                    f"{path}:{number}: the byte 0x{byte:02x} is no UTF-8"
                    f" (in Latin-1 it is {chr(byte)!r})\n\nsave the file as UTF-8"
                )
    return FormatError(f"{path}: this is no text file in UTF-8")


def open_text(path: Path, suffix: str, delimiter: str | None) -> TextFile:
    """The file with its header read; without a delimiter, the header shows which it is."""
    delimiter = delimiter or _guess(path, DELIMITERS.get(suffix, DELIMITERS[".csv"]))
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise OptionError(f"a delimiter is one character, and no quote, not {delimiter!r}")
    header = next(records(path, delimiter), None)
    if header is None:
        raise FormatError(f"{path}: the file is empty; its first line must name the columns")
    if not any(name.strip() for name in header[1]):
        raise FormatError(f"{path}:1: the first line is empty; it must name the columns")
    return TextFile(path, delimiter, tuple(header[1]))


def _guess(path: Path, candidates: str) -> str:
    """The candidate that cuts the header into most cells; a space only if no other cuts it."""

    def cells(delimiter: str) -> int:
        try:
            return len(next(records(path, delimiter), (0, [""]))[1])
        except FormatError:
            return 1

    visible = candidates.replace(" ", "")
    best = max(visible, key=cells)
    return " " if cells(best) == 1 and " " in candidates and cells(" ") > 1 else best


def cases_of(file: TextFile) -> Iterator[tuple[int, list[str]]]:
    """The cases with their lines, each as many cells as there are columns.

    With one column, an empty line is a missing cell; otherwise empty lines may only end a file.
    """
    width, blank = len(file.names), 0
    for line, record in islice(records(file.path, file.delimiter), 1, None):
        cells = record or ([""] if width == 1 else [])
        if not cells:
            blank = blank or line
            continue
        if blank:
            raise FormatError(f"{file.path}:{blank}: an empty line stands between the cases")
        if len(cells) != width:
            raise FormatError(_ragged(file, line, cells))
        yield line, cells


def _ragged(file: TextFile, line: int, cells: Sequence[str]) -> str:
    what = f"{len(cells)} cell{'' if len(cells) == 1 else 's'}"
    shown = file.delimiter.join(cells)
    shown = shown if len(shown) <= 90 else f"{shown[:87]}..."
    hint = ""
    if len(cells) > len(file.names):
        hint = f"\n\na cell that holds {file.delimiter!r} must stand in double quotes"
    return (
        f"{file.path}:{line}: {what} where the header names {len(file.names)} columns"
        f"\n\n    {shown!r}{hint}"
    )


def same_header(files: Sequence[TextFile]) -> None:
    """An error unless all files have the columns of the first, in the same order."""
    for file in files[1:]:
        if file.names != files[0].names:
            raise ColumnError(
                f"{file.path}: the columns differ from those of {files[0].path}"
                f"\n\nhere:  {listed(file.names)}\nthere: {listed(files[0].names)}"
            )


def careful(files: Sequence[TextFile]) -> RawTable:
    """The columns of one or more files with the same header."""
    names = files[0].names

    def load(wanted: Sequence[int]) -> Iterator[RawColumn]:
        parts = Parts([names[at] for at in wanted])
        for file in files:
            cases = cases_of(file)
            while chunk := [cells for _, cells in islice(cases, CHUNK)]:
                columns = list(zip(*chunk, strict=True))
                parts.add(_written(names[at], columns[at]) for at in wanted)
        return parts.joined()

    return RawTable(names, load, lambda case: place(files, case))


def _written(name: str, texts: Sequence[str]) -> Labels:
    book = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    codes = np.fromiter(map(book.__getitem__, texts), np.int32, len(texts))
    return Labels(name, tuple(book), codes, written=True)


def place(files: Sequence[TextFile], case: int) -> str:
    """The file and line where a case starts."""
    for file in files:
        for line, _ in cases_of(file):
            if case == 0:
                return f"{file.path}:{line}"
            case -= 1
    return str(files[0].path)
