"""What text and markdown are made of: paragraphs, lists, sheets, code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list, with a heading if it has one."""

    title: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of text; the first `labels` columns name the row."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1
    foot: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to be copied."""

    text: str


Block: TypeAlias = Paragraph | Bullets | Sheet | Code
Section: TypeAlias = Mapping[str, Any]
