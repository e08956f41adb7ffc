"""XDSL, the format of GeNIe and SMILE: one `cpt` element per variable.

    <cpt id="Cancer"><state id="yes"/><state id="no"/><parents>Smoker</parents>
      <probabilities>0.1 0.9 0.01 0.99</probabilities></cpt>

The first parent is slowest, the child fastest. A `deterministic` element, which names the state
for every configuration of the parents, is read as a table of zeros and ones. Names, positions and
notes of the drawing are not kept.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import quoteattr

import numpy as np

from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.io.draft import Draft, check_implied, size_of
from tacit.io.words import many, short
from tacit.io.writing import Rule, check_names, numbers, tables_of
from tacit.io.xmlsafe import Document, Element

_EXTENSIONS = """  <extensions>
    <genie version="1.0" app="Tacit" name="network" />
  </extensions>"""
_ID = Rule(re.compile(r"[A-Za-z][A-Za-z0-9_]*"), "letters, digits and _ only, a letter first")


def read_xdsl(document: Document) -> tuple[Network, tuple[str, ...]]:
    """The network of an XDSL document, and what was noted while reading it."""
    draft = Draft(document.where)
    nodes = document.root.all("NODES")
    if document.root.tag != "smile" or len(nodes) != 1:
        raise document.fail(document.root, "an XDSL file is a smile element with one list of nodes")
    for dynamic in document.root.all("DYNAMIC"):
        raise document.fail(dynamic, "this is a network over time, which cannot be read")
    for element in nodes[0].children:
        _declare(document, draft, element)
    for element in nodes[0].children:
        _define(document, draft, element)
    return draft.network(), tuple(draft.notes)


def _declare(document: Document, draft: Draft, element: Element) -> None:
    name = element.attributes.get("id", "")
    if element.tag not in ("cpt", "deterministic"):
        what = f"{short(name)} is a {element.tag} node; only cpt and deterministic nodes are read"
        raise document.fail(element, what)
    states = [state.attributes.get("id", "") for state in element.all("STATE")]
    draft.declare(name, states, lambda what: document.fail(element, what))


def _define(document: Document, draft: Draft, element: Element) -> None:
    name = element.attributes["id"]
    given = element.all("PARENTS")
    parents = " ".join(each.text for each in given).split()
    axes = draft.axes(
        [name, *parents], lambda at, what: document.fail(given[0] if at else element, what)
    )
    wanted = "probabilities" if element.tag == "cpt" else "resultingstates"
    cells = element.all(wanted.upper())
    if len(cells) != 1:
        what = f"{short(name)} needs one list of {wanted}, and has {len(cells)}"
        raise document.fail(element, what)
    if element.tag == "cpt":
        draft.add_text(axes, cells[0].text, lambda what: document.fail(cells[0], what))
    else:
        _add_states(document, draft, axes, cells[0])


def _add_states(
    document: Document, draft: Draft, axes: tuple[Discrete, ...], cells: Element
) -> None:
    """A table of zeros and ones from the state that each row has for certain."""
    child, wanted = axes[-1], size_of(axes[:-1])
    words = cells.text.split()
    if len(words) != wanted:
        what = f"{short(child.name)} needs {many(wanted)} states, not {len(words):,}"
        raise document.fail(cells, what)
    check_implied(axes, lambda what: document.fail(cells, what))
    codes = {state: code for code, state in enumerate(child.states)}
    values = np.zeros((wanted, len(codes)))
    for row, word in enumerate(words):
        if word not in codes:
            raise document.fail(cells, f"{short(child.name)} has no state {short(word)}")
        values[row, codes[word]] = 1.0
    draft.add(axes, values, lambda _, what: document.fail(cells, what))


def write_xdsl(network: Network) -> str:
    """The network as XDSL, parents before children as SMILE asks."""
    check_names(network, "XDSL", _ID, _ID)
    tables = {table.child: table for table in tables_of(network, "XDSL")}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<smile version="1.0" id="network">']
    lines.append("  <nodes>")
    for name in network:
        table = tables[name]
        lines.append(f"    <cpt id={quoteattr(name)}>")
        lines += [f"      <state id={quoteattr(state)} />" for state in table.variables[-1].states]
        if table.parents:
            lines.append(f"      <parents>{' '.join(table.parents)}</parents>")
        values = numbers(table.values.ravel(), " ")
        lines += [f"      <probabilities>{values}</probabilities>", "    </cpt>"]
    return "\n".join([*lines, "  </nodes>", _EXTENSIONS, "</smile>"]) + "\n"
