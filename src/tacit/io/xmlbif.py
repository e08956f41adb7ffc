"""XMLBIF, the Interchange Format as XML: VARIABLE elements, then DEFINITION elements.

    <DEFINITION><FOR>Cancer</FOR><GIVEN>Smoker</GIVEN><TABLE>0.1 0.9 0.01 0.99</TABLE></DEFINITION>

The first GIVEN is slowest, the states of FOR are fastest. Properties are not kept.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from tacit.core.network import Network
from tacit.io.draft import Draft
from tacit.io.words import short
from tacit.io.writing import Rule, check_names, numbers, tables_of
from tacit.io.xmlsafe import Document, Element

XML_TEXT = r"[^\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]"
_TEXT = Rule(
    re.compile(rf"(?!\s){XML_TEXT}+(?<!\s)"),
    "names without line breaks, control characters or blanks at either end",
)
_HEAD = """<?xml version="1.0"?>
<BIF VERSION="0.3">
<NETWORK>
<NAME>unknown</NAME>"""


def read_xmlbif(document: Document) -> tuple[Network, tuple[str, ...]]:
    """The network of an XMLBIF document, and what was noted while reading it."""
    draft = Draft(document.where)
    networks = document.root.all("NETWORK")
    if document.root.tag.upper() != "BIF" or len(networks) != 1:
        raise document.fail(document.root, "an XMLBIF file is a BIF element with one NETWORK")
    for element in networks[0].all("VARIABLE"):
        _variable(document, draft, element)
    for element in networks[0].all("DEFINITION", "PROBABILITY"):
        _definition(document, draft, element)
    return draft.network(), tuple(draft.notes)


def _variable(document: Document, draft: Draft, element: Element) -> None:
    name = _only(document, element, "NAME").text
    kind = element.attributes.get("TYPE", "nature")
    if kind.lower() not in ("nature", "discrete"):
        raise document.fail(
            element, f"{short(name)} is of type {short(kind)}; only 'nature' is read"
        )
    states = [outcome.text for outcome in element.all("OUTCOME", "VALUE")]
    draft.declare(name, states, lambda what: document.fail(element, what))


def _definition(document: Document, draft: Draft, element: Element) -> None:
    places = [_only(document, element, "FOR"), *element.all("GIVEN")]
    axes = draft.axes(
        [place.text for place in places], lambda at, what: document.fail(places[at], what)
    )
    cells = _only(document, element, "TABLE")
    draft.add_text(axes, cells.text, lambda what: document.fail(cells, what))


def _only(document: Document, element: Element, tag: str) -> Element:
    found = element.all(tag)
    if len(found) != 1:
        raise document.fail(element, f"{element.tag} needs one {tag}, and has {len(found)}")
    return found[0]


def write_xmlbif(network: Network) -> str:
    """The network as XMLBIF."""
    check_names(network, "XMLBIF", _TEXT, _TEXT)
    lines = [_HEAD]
    tables = list(tables_of(network, "XMLBIF"))
    for table in tables:
        lines += ['<VARIABLE TYPE="nature">', f"  <NAME>{escape(table.child)}</NAME>"]
        lines += [f"  <OUTCOME>{escape(state)}</OUTCOME>" for state in table.variables[-1].states]
        lines.append("</VARIABLE>")
    for table in tables:
        lines += ["<DEFINITION>", f"  <FOR>{escape(table.child)}</FOR>"]
        lines += [f"  <GIVEN>{escape(parent)}</GIVEN>" for parent in table.parents]
        rows = table.values.reshape(-1, table.values.shape[-1])
        lines += ["  <TABLE>", *(f"    {numbers(row, ' ')}" for row in rows), "  </TABLE>"]
        lines.append("</DEFINITION>")
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"
