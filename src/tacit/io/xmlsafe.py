"""XML from files that nobody vouches for, by the standard parser with its dangers switched off.

A document may describe its own elements (XMLBIF files do), but declares no entities and fetches
nothing; defaults of attributes are ignored. Depth and number of elements are limited, and nothing
here recurses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

from tacit.core.errors import FormatError, marked

MOST_DEPTH = 100
MOST_ELEMENTS = 1_000_000


@dataclass(slots=True)
class Element:
    """A tag with its attributes, its text without that of its children, and where it starts."""

    tag: str
    attributes: dict[str, str]
    start: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What stands between the tags, without the blanks around it."""
        return "".join(self.pieces).strip()

    def all(self, *tags: str) -> list[Element]:
        """The children with one of these tags, in any case."""
        return [child for child in self.children if child.tag.upper() in tags]


@dataclass(frozen=True, slots=True)
class Document:
    """The root of a document, and its text for messages."""

    root: Element
    text: str
    where: str

    def fail(self, element: Element, what: str) -> FormatError:
        """An error that shows the line where an element starts."""
        start = _position(self.text, element.start)
        end = self.text.find(">", start) + 1
        return FormatError(marked(self.text, start, end or start + 1, what, self.where))


def parse_xml(text: str, where: str) -> Document:
    """The elements of a document; anything damaged or dangerous is an error."""
    if not text.strip():
        raise FormatError(f"{where}: the file is empty")
    builder = _Builder(text, where)
    parser = builder.parser
    try:
        parser.Parse(text.encode(errors="replace"), True)
    except expat.ExpatError as problem:
        at = _position(text, max(0, parser.ErrorByteIndex))
        what = f"the XML is damaged here: {expat.ErrorString(problem.code)}"
        raise FormatError(marked(text, at, at + 1, what, where)) from None
    return Document(builder.path[0].children[0], text, where)


def _position(text: str, bytes_before: int) -> int:
    """Where a place that is given in bytes of UTF-8 lies in the text."""
    return len(text.encode(errors="replace")[:bytes_before].decode(errors="ignore"))


class _Builder:
    """Turns the parser's events into elements."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where = text, where
        self.path = [Element("", {}, 0)]
        self.count = 0
        parser = self.parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.specified_attributes = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.EntityDeclHandler = self.refuse_entity
        parser.UnparsedEntityDeclHandler = self.refuse_entity
        parser.ExternalEntityRefHandler = self.refuse_entity
        parser.SkippedEntityHandler = self.refuse_entity

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.path) > MOST_DEPTH or self.count > MOST_ELEMENTS:
            limit = (
                f"{MOST_DEPTH} deep" if len(self.path) > MOST_DEPTH else f"{MOST_ELEMENTS:,} in all"
            )
            self.fail(f"too many elements; the most are {limit}")
        element = Element(tag, attributes, self.parser.CurrentByteIndex)
        self.path[-1].children.append(element)
        self.path.append(element)

    def end(self, _: str) -> None:
        self.path.pop()

    def characters(self, text: str) -> None:
        self.path[-1].pieces.append(text)

    def refuse_entity(self, *_: Any) -> NoReturn:
        self.fail("entities are not allowed in network files")

    def fail(self, what: str) -> NoReturn:
        at = _position(self.text, self.parser.CurrentByteIndex)
        raise FormatError(marked(self.text, at, at + 1, what, self.where))
