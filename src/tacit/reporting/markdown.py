"""A report as markdown, for wikis and pull requests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.reporting.blocks import Block, Bullets, Code, Paragraph
from tacit.reporting.outline import blocks
from tacit.reporting.wording import in_line, visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#|~!$])")


def page(facts: Mapping[str, Any]) -> str:
    """All sections, as headings of the second level."""
    parts = [f"# {escaped(facts['title'])}"]
    for section in facts["sections"]:
        parts.append(f"## {escaped(section['title'])}")
        parts.extend(map(_laid_out, blocks(section)))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Text in which nothing is markdown, and nothing HTML."""
    safe = in_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", safe)


def _laid_out(block: Block) -> str:
    match block:
        case Paragraph(text):
            return escaped(text)
        case Bullets(title, items):
            return "\n".join([f"**{escaped(title)}**", "", *(f"- {escaped(i)}" for i in items)])
        case Code(text):
            return _fenced(visible(text))
    lines = [f"### {escaped(block.title)}", ""] if block.title else []
    right = len(block.heads) - block.labels
    lines += [_line(block.heads), "|" + " --- |" * block.labels + " ---: |" * right]
    lines += map(_line, block.rows)
    return "\n".join([*lines, "", escaped(block.foot)] if block.foot else lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escaped(cell) or " " for cell in cells) + " |"


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
