"""JSON as cases: one object per line, or one array of objects; a key is a column."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from tacit.core.errors import FormatError
from tacit.frames import Labels, RawColumn, RawTable, from_values
from tacit.io.files import read_text
from tacit.io.joining import joined
from tacit.io.textfiles import CHUNK, text_lines, unpacked

_Record = dict[str, Any]


def _unique(pairs: list[tuple[str, Any]]) -> _Record:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise FormatError("an object names the same key twice")
    return record


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def _parsed(text: str, *place: object) -> Any:
    try:
        return _DECODER.decode(text)
    except FormatError as problem:
        raise FormatError(f"{_joined(place)}: {problem}") from None
    except json.JSONDecodeError as problem:
        column = f" at column {problem.colno}" if problem.lineno == 1 else ""
        raise FormatError(f"{_joined(place)}: no JSON{column}: {problem.msg}") from None
    except (ValueError, RecursionError):
        raise FormatError(f"{_joined(place)}: a number or a nesting too large to read") from None


def _checked(record: Any, *place: object) -> _Record:
    if not isinstance(record, dict):
        raise FormatError(f'{_joined(place)}: a case is an object such as {{"Smoker": "yes"}}')
    return record


def _joined(place: tuple[object, ...]) -> str:
    return "".join(map(str, place))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers."""
    with unpacked(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig")
        try:
            yield from (
                (at, line) for at, line in enumerate(text_lines(path, text), 1) if line.strip()
            )
        except UnicodeDecodeError:
            raise FormatError(f"{path}: this is no text file in UTF-8") from None


def _is_array(path: Path) -> bool:
    first = next(_lines(path), (1, ""))[1]
    return first.lstrip().startswith("[")


def _records(path: Path) -> Iterator[_Record]:
    if _is_array(path):
        for case, record in enumerate(_parsed(read_text(path), path), 1):
            yield _checked(record, path, ": case ", case)
    else:
        for line, text in _lines(path):
            yield _checked(_parsed(text, path, ":", line), path, ":", line)


def from_json(paths: Sequence[Path]) -> RawTable:
    """The columns of one or more files; a key that a case lacks is a missing cell."""
    parts: dict[str, list[RawColumn]] = {}
    cases = 0
    for path in paths:
        records = _records(path)
        while chunk := list(islice(records, CHUNK)):
            for key, values in _columns(chunk, list(parts)).items():
                _check_cells(key, values, lambda at: _place(paths, at), cases)
                given = parts.setdefault(key, [_nothing(key, cases)])
                given.append(from_values(key, values))
            cases += len(chunk)
    if not cases:
        raise FormatError(f"{paths[0]}: there are no cases")
    columns = [joined(name, given) for name, given in parts.items()]
    return RawTable(
        tuple(parts), lambda wanted: (columns[at] for at in wanted), lambda at: _place(paths, at)
    )


def _columns(chunk: Sequence[_Record], known: Sequence[str]) -> dict[str, Sequence[Any]]:
    """The values of every key, those known before first; None where a case lacks it."""
    shapes = set(map(tuple, chunk))
    if len(shapes) == 1 and (only := shapes.pop()) and {*known} <= {*only}:
        return dict(
            zip(only, zip(*(record.values() for record in chunk), strict=True), strict=True)
        )
    keys = dict.fromkeys([*known, *(key for record in chunk for key in record)])
    return {key: [record.get(key) for record in chunk] for key in keys}


def _check_cells(key: str, values: Sequence[Any], place: Callable[[int], str], before: int) -> None:
    if set(map(type, values)) & {dict, list}:
        at = next(at for at, value in enumerate(values) if isinstance(value, dict | list))
        kind = "an object" if isinstance(values[at], dict) else "an array"
        raise FormatError(f"{place(before + at)}: {key!r} is {kind}; a cell is one value")


def _nothing(name: str, cases: int) -> Labels:
    return Labels(name, (), np.full(cases, -1, dtype=np.int8))


def _place(paths: Sequence[Path], case: int) -> str:
    """The file, and the line where it has one case per line."""
    for path in paths:
        if _is_array(path):
            inside = len(list(_records(path)))
            if case < inside:
                return f"{path}: case {case + 1}"
            case -= inside
            continue
        for at, _ in _lines(path):
            if case == 0:
                return f"{path}:{at}"
            case -= 1
    return str(paths[0])
