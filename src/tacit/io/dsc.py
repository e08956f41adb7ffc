"""DSC, the format of Microsoft's belief networks: `node` blocks, then `probability` blocks.

    probability ( Cancer | Smoker, Genes ) {
      (0, 1) : 0.1, 0.9;
    }

Rows give the positions of the parents' states, from zero. Other attributes are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.io.draft import Draft
from tacit.io.rows import Rows, check_declared, declared, head_of, state_code, wrong_labels
from tacit.io.scan import C_COMMENT, C_OPENING, Scanner, Syntax, Token
from tacit.io.words import short
from tacit.io.writing import ANY_LINE, PLAIN_WORD, check_names, in_quotes, numbers, tables_of

SYNTAX = Syntax.of("{}()[]|,;:=", C_COMMENT, C_OPENING)
_IS = (":", "=", "is")


def read_dsc(text: str, where: str) -> tuple[Network, tuple[str, ...]]:
    """The network of a DSC file, and what was noted while reading it."""
    source, draft = Scanner(text, where, SYNTAX), Draft(where)
    if not (source.taken("belief") and source.taken("network")):
        raise source.fail(
            source.peek(), "a DSC file begins with 'belief network'; this one does not"
        )
    if source.peek().kind == "quoted":
        source.take()
    while not source.done():
        if source.taken("node"):
            _node(source, draft)
        elif source.taken("probability"):
            _probability(source, draft)
        elif source.taken("properties", "network"):
            source.expect("{")
            source.skip_block()
        else:
            raise source.fail(source.peek(), "'node' or 'probability' is expected here")
    return draft.network(), tuple(draft.notes)


def _node(source: Scanner, draft: Draft) -> None:
    name = source.name("the name of a node")
    states: list[Token] | None = None
    source.expect("{")
    while not source.taken("}"):
        if not source.taken("type"):
            source.name("an attribute or '}'")
            source.skip_statement()
            continue
        source.taken(*_IS)
        if not source.taken("discrete"):
            what = f"{short(name.text)} is not discrete; DSC files are read for discrete nodes only"
            raise source.fail(source.peek(), what)
        count, place = declared(source)
        source.taken(*_IS)
        source.expect("{")
        states = source.names("}", "a state")
        check_declared(source, count, place, states)
        source.taken(";")
    if states is None:
        raise source.fail(name, f"node {short(name.text)} has no type")
    draft.declare(name.text, [state.text for state in states], lambda what: source.fail(name, what))


def _probability(source: Scanner, draft: Draft) -> None:
    axes, head = head_of(source, draft)
    rows = Rows(source, axes, head)
    source.expect("{")
    while not source.taken("}"):
        if source.taken("function", "leak"):
            raise source.fail(head, f"{short(head.text)} is given by a function, not by a table")
        if source.taken("default"):
            source.taken(*_IS)
            rows.default = source.run()
        else:
            row = rows.row(_codes(source, axes))
            rows.add(row, source.run())
        source.expect(";")
    rows.finish(draft)


def _codes(source: Scanner, axes: tuple[Discrete, ...]) -> list[int]:
    """The states in front of a row; a variable without parents has none."""
    if not source.taken("("):
        if len(axes) > 1:
            raise source.fail(source.peek(), "'(' is expected here")
        return []
    labels = source.names(")", "the position of a state")
    if len(labels) != len(axes) - 1:
        raise wrong_labels(source, axes, labels)
    source.taken(*_IS)
    return [_code(source, axis, label) for axis, label in zip(axes, labels, strict=False)]


def _code(source: Scanner, axis: Discrete, label: Token) -> int:
    if label.kind == "quoted" or not (label.text.isascii() and label.text.isdecimal()):
        return state_code(source, axis, label)
    code = int(label.text[:18])
    if code >= len(axis.states):
        last = len(axis.states) - 1
        raise source.fail(label, f"the states of {short(axis.name)} have the positions 0 to {last}")
    return code


def write_dsc(network: Network) -> str:
    """The network as DSC."""
    check_names(network, "DSC", PLAIN_WORD, ANY_LINE)
    lines = ['belief network "unknown"']
    tables = list(tables_of(network, "DSC"))
    for table in tables:
        states = table.variables[-1].states
        shown = ", ".join(map(in_quotes, states))
        lines += [
            f"node {table.child} {{",
            f"  type : discrete [ {len(states)} ] = {{ {shown} }};",
            "}",
        ]
    for table in tables:
        given = f" | {', '.join(table.parents)}" if table.parents else ""
        lines += [f"probability ( {table.child}{given} ) {{", *_rows(table), "}"]
    return "\n".join(lines) + "\n"


def _rows(table: Table) -> Iterator[str]:
    rows = table.values.reshape(-1, table.values.shape[-1])
    for codes, row in zip(product(*map(range, table.values.shape[:-1])), rows, strict=True):
        start = f"({', '.join(map(str, codes))}) : " if codes else ""
        yield f"  {start}{numbers(row)};"
