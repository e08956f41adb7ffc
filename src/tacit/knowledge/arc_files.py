"""Lists of arcs, from files or pairs, as rules: whitelists, blacklists, required arcs."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from tacit.core.dag import Dag
from tacit.core.dagtext import parse_dag
from tacit.core.errors import KnowledgeError, OptionError, marked, nearest
from tacit.knowledge.knowledge import Knowledge, text_of
from tacit.knowledge.statements import Arcs, Rule
from tacit.knowledge.terms import Word, spoken

VERBS = ("require", "forbid", "allow")
_HEADERS = (("from", "to"), ("source", "target"), ("tail", "head"), ("parent", "child"))
_DELIMITERS = (",", "\t", ";", "|", " ")
_LIKE = "a file of arcs has a line for each, like  Smoker,Cancer  with the parent first"

Pair: TypeAlias = tuple[str, str]
ArcsLike: TypeAlias = "str | Path | Dag | Iterable[Pair]"
"""A file of arcs, a dag that has them, or pairs of parent and child."""


def arcs_from(arcs: ArcsLike, verb: str) -> Knowledge:
    """A rule for each of many arcs, that requires, forbids or allows it.

    arcs  a text file with a line for each arc, the parent first, perhaps behind a row number; with
          a header (`from,to` as bnlearn has it, `source,target`, `tail,head` or `parent,child`)
          other columns may stand beside them; a file `.dag`; a dag; or pairs of names
    verb  "require", "forbid" or "allow"
    """
    if verb not in VERBS:
        raise OptionError(
            f"arcs are required, forbidden or allowed, not {verb!r}{nearest(str(verb), VERBS)}"
            f"\n\nverbs: {', '.join(VERBS)}"
        )
    if isinstance(arcs, Dag):
        arcs = arcs.arcs
    source = str(arcs) if isinstance(arcs, str | Path) else ""
    found = _of_file(source) if source or isinstance(arcs, str) else _of_pairs(arcs)
    rules: dict[Pair, Rule] = {}
    for line, pair in found:
        if pair not in rules:
            rules[pair] = _rule(verb, pair, line, source)
    if not rules:
        raise KnowledgeError(f"{source}: the file holds no arcs" if source else "no arcs are given")
    return Knowledge(tuple(rules.values()), source=source)


def _rule(verb: str, pair: Pair, line: int, source: str) -> Rule:
    """`forbid A -> B`, its words where they stand in that text."""
    tail, head = map(spoken, pair)
    text = f"{verb} {tail} -> {head}"
    first = len(verb) + 1
    words = (
        Word(pair[0], first, first + len(tail)),
        Word(pair[1], len(text) - len(head), len(text)),
    )
    return Rule(Arcs(verb, (words,)), text=text, line=line, source=source)


def _of_pairs(arcs: Any) -> Iterator[tuple[int, Pair]]:
    if not isinstance(arcs, Iterable) or isinstance(arcs, bytes):
        raise KnowledgeError(f"arcs are a file or pairs of names, not {arcs!r:.80}")
    for given in arcs:
        pair = tuple(given) if isinstance(given, tuple | list) else ()
        if len(pair) != 2 or not all(isinstance(name, str) and name.strip() for name in pair):
            raise KnowledgeError(
                f"an arc is a pair of names, parent and child, not {given!r:.80}"
                '\n\npairs are written like  [("Smoker", "Cancer"), ("Genes", "Cancer")]'
            )
        if pair[0] == pair[1]:
            raise KnowledgeError(f"{pair[0]!r} cannot be its own parent")
        yield 0, (pair[0], pair[1])


def _of_file(path: str) -> Iterator[tuple[int, Pair]]:
    text = text_of(path, "arcs")
    if not text.strip():
        raise KnowledgeError(f"{path}: the file is empty\n\n{_LIKE}")
    if path.lower().removesuffix(".gz").endswith(".dag"):
        dag = parse_dag(text, path)
        return iter([(0, arc) for arc in dag.arcs])
    return _of_lines(path, text)


def _of_lines(path: str, text: str) -> Iterator[tuple[int, Pair]]:
    lines = text.split("\n")
    first = next(line for line in lines if line.strip())
    delimiter = "\t" if path.lower().removesuffix(".gz").endswith(".tsv") else _delimiter(first)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    columns: tuple[int, int] | None = None
    begun, line = False, 1
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                header = None if begun else _header(cells)
                if header is None:
                    yield line, _pair(path, text, line, _chosen(cells, columns))
                columns, begun = header or columns, True
            line = reader.line_num + 1
    except csv.Error as problem:
        what = "this is no line of two columns"
        raise KnowledgeError(f"{path}:{line}: {what}: {problem}\n\n{_LIKE}") from None


def _delimiter(line: str) -> str:
    return next((sign for sign in _DELIMITERS if sign in line.strip()), ",")


def _header(cells: list[str]) -> tuple[int, int] | None:
    """Where parent and child stand, if this line says so."""
    lower = [cell.lower() for cell in cells]
    named = [(lower.index(tail), lower.index(head)) for tail, head in _HEADERS
             if tail in lower and head in lower]  # fmt: skip
    return named[0] if named else None


def _chosen(cells: list[str], columns: tuple[int, int] | None) -> list[str]:
    """The two cells that name an arc; where they are not two, all that there are."""
    if columns is not None and len(cells) > max(columns):
        return [cells[at] for at in columns]
    return cells[1:] if len(cells) == 3 and cells[0].isdecimal() else cells


def _pair(path: str, text: str, line: int, cells: list[str]) -> Pair:
    what = ""
    if len(cells) != 2:
        what = f"this line has {len(cells)} column{'' if len(cells) == 1 else 's'}, not two"
    elif not all(cells):
        what = "a name is missing here"
    elif cells[0] == cells[1]:
        what = f"{cells[0]!r} cannot be its own parent"
    if what:
        lines = text.split("\n")
        start = sum(len(each) + 1 for each in lines[: line - 1])
        raise KnowledgeError(
            f"{marked(text, start, start + len(lines[line - 1]), what, path)}\n\n{_LIKE}"
        )
    return cells[0], cells[1]
