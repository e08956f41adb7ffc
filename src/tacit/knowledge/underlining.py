"""Rules in a list, each on one line, with the words at fault underlined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tacit.knowledge.statements import Rule
from tacit.knowledge.wording import place, written

Span: TypeAlias = tuple[int, int]
"""Where words stand in the text of a rule."""
_WIDEST = 100
_INDENT = "    "


def underlined(rule: Rule, spans: Sequence[Span] = ()) -> str:
    """`expert.know:3: require A -> B`, and below it a line that marks the spans."""
    line = _INDENT + written(rule)
    if not spans:
        return line
    before = len(_INDENT) + (len(place(rule)) + 2 if place(rule) else 0)
    marks = [" "] * len(line)
    for start, end in spans:
        first, last = (before + _at(rule.text, where) for where in (start, end))
        marks[first:last] = "^" * (last - first)
    first, last = marks.index("^"), len("".join(marks).rstrip())
    if len(line) > _WIDEST:
        cut = max(0, min(first - before - _WIDEST // 3, len(line) - before - _WIDEST))
        line = line[:before] + line[before + cut : before + cut + _WIDEST]
        marks = marks[:before] + marks[before + cut : before + cut + _WIDEST]
    return f"{line}\n{''.join(marks[:last]).rstrip()}"


def _at(text: str, where: int) -> int:
    """Where a place of a text of several lines is once they stand on one line, as `written`."""
    lines = text[:where].split("\n")
    last = lines[-1].lstrip() if len(lines) > 1 else lines[-1]
    return sum(len(line.strip()) + 1 for line in lines[:-1]) + len(last)
