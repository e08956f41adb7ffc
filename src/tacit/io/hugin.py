"""Hugin's NET format: `node` blocks with states, `potential` blocks with data.

    potential ( Cancer | Smoker Genes ) {
      data = (((0.1 0.9)(0.2 0.8))((0.3 0.7)(0.4 0.6)));
    }

The first parent is slowest, the child fastest; parentheses only group. `%` starts a comment.
Other attributes (labels, positions, experience) are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.network import Network
from tacit.families.table import Table
from tacit.io.draft import Draft, size_of
from tacit.io.rows import head_of
from tacit.io.scan import Run, Scanner, Syntax, Token
from tacit.io.words import short
from tacit.io.writing import ANY_LINE, PLAIN_WORD, check_names, in_quotes, numbers, tables_of

SYNTAX = Syntax.of("{}()|,;=", r"%[^\n]*+", "%")


def read_net(text: str, where: str) -> tuple[Network, tuple[str, ...]]:
    """The network of a NET file, and what was noted while reading it."""
    source, draft = Scanner(text, where, SYNTAX), Draft(where)
    if not source.taken("net"):
        raise source.fail(source.peek(), "a NET file begins with 'net'; this one does not")
    source.expect("{")
    source.skip_block()
    while not source.done():
        source.taken("discrete")
        if source.taken("node"):
            _node(source, draft)
        elif source.taken("potential"):
            _potential(source, draft)
        else:
            raise _other_block(source, source.peek())
    return draft.network(), tuple(draft.notes)


def _other_block(source: Scanner, token: Token) -> Exception:
    if token.kind == "word" and token.text in ("continuous", "decision", "utility", "function"):
        what = f"a {token.text} node cannot be read; only discrete chance nodes with tables can"
        return source.fail(token, what)
    return source.fail(token, "'node' or 'potential' is expected here")


def _node(source: Scanner, draft: Draft) -> None:
    name = source.name("the name of a node")
    states: list[Token] | None = None
    source.expect("{")
    while not source.taken("}"):
        attribute = source.name("an attribute or '}'")
        source.expect("=")
        if attribute.text == "states":
            source.expect("(")
            states = source.names(")", "a state")
            source.expect(";")
        else:
            source.skip_statement()
    if not states:
        raise source.fail(name, f"node {short(name.text)} has no states")
    draft.declare(name.text, [state.text for state in states], lambda what: source.fail(name, what))


def _potential(source: Scanner, draft: Draft) -> None:
    axes, head = head_of(source, draft)
    child = short(axes[-1].name)
    data: Run | None = None
    source.expect("{")
    while not source.taken("}"):
        attribute = source.name("an attribute or '}'")
        source.expect("=")
        if attribute.text == "model_data":
            raise source.fail(attribute, f"the table of {child} is given by a formula, not by data")
        if attribute.text == "data":
            data = source.run()
        else:
            source.skip_statement()
            continue
        source.expect(";")
    if data is None:
        raise source.fail(head, f"{child} has no data")
    _check_parentheses(data)
    values = data.values(size_of(axes), f"the table of {child}")
    width = len(axes[-1].states)
    draft.add(
        axes,
        values,
        lambda row, what: data.fail_numbers(row * width, width, what.partition("\n")[0]),
    )


def _check_parentheses(data: Run) -> None:
    text = data.source.syntax.comment.sub("", data.source.text[data.start : data.end])
    if text.count("(") != text.count(")"):
        raise data.fail("the parentheses do not match")


def write_net(network: Network) -> str:
    """The network as NET."""
    check_names(network, "NET", PLAIN_WORD, ANY_LINE)
    lines = ["net {", "}"]
    tables = list(tables_of(network, "NET"))
    for table in tables:
        states = " ".join(map(in_quotes, table.variables[-1].states))
        lines += [f"node {table.child} {{", f"  states = ({states});", "}"]
    for table in tables:
        given = f" | {' '.join(table.parents)}" if table.parents else ""
        lines += [f"potential ( {table.child}{given} ) {{", *_data(table), "}"]
    return "\n".join(lines) + "\n"


def _data(table: Table) -> Iterator[str]:
    """One row a line; before it as many parentheses open as axes begin, behind it likewise."""
    rows = table.values.reshape(-1, table.values.shape[-1])
    shape = table.values.shape[:-1]
    for at, row in enumerate(rows):
        opened, closed = _edges(at, shape), _edges(len(rows) - 1 - at, shape)
        start = "  data = " if at == 0 else "    "
        end = ";" if at == len(rows) - 1 else ""
        yield f"{start}{'(' * (opened + 1)}{numbers(row, ' ')}{')' * (closed + 1)}{end}"


def _edges(at: int, shape: tuple[int, ...]) -> int:
    """Of how many axes, the last first, the row at this position is the first of its run."""
    count, size = 0, 1
    for length in reversed(shape):
        size *= length
        if at % size:
            break
        count += 1
    return count
