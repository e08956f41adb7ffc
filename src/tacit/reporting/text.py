"""A report as plain text, for terminals and mails."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from tacit.core.grid import Grid
from tacit.reporting.blocks import Block, Bullets, Code, Paragraph
from tacit.reporting.outline import blocks
from tacit.reporting.wording import in_line, visible

WIDTH = 100


def page(facts: Mapping[str, Any]) -> str:
    """All sections, their titles underlined."""
    parts = [_underlined(facts["title"], "=")]
    for section in facts["sections"]:
        parts.append(_underlined(section["title"], "-"))
        parts.extend(map(_laid_out, blocks(section)))
    return "\n\n".join(parts) + "\n"


def _underlined(title: str, line: str) -> str:
    return f"{title}\n{line * len(title)}"


def _laid_out(block: Block) -> str:
    match block:
        case Paragraph(text):
            return _wrapped(text)
        case Bullets(title, items):
            return "\n".join([f"{title}:", *(_wrapped(item, "  - ", "    ") for item in items)])
        case Code(text):
            return textwrap.indent(visible(text), "    ")
    heads = tuple(map(in_line, block.heads))
    rows = tuple(tuple(map(in_line, row)) for row in block.rows)
    grid = Grid("", heads, rows, block.labels)
    title = f"{_wrapped(block.title)}\n" if block.title else ""
    return f"{title}{grid}" + (f"\n{_wrapped(block.foot, '  ', '  ')}" if block.foot else "")


def _wrapped(text: str, first: str = "", then: str = "") -> str:
    return textwrap.fill(
        in_line(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=then,
        break_long_words=False,
        break_on_hyphens=False,
    )
