"""BIF, the Interchange Format: `variable` blocks, then `probability` blocks.

    probability ( Cancer | Smoker ) {
      (yes) 0.1, 0.9;
      default 0.01, 0.99;
    }

Instead of rows, `table` lists all numbers: the child's states slowest, then the parents' as they
are named, the last fastest. Names that are no single word stand in double quotes. Properties are
not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import product

from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.io.draft import Draft, size_of
from tacit.io.rows import Rows, check_declared, declared, head_of, state_code, wrong_labels
from tacit.io.scan import C_COMMENT, C_OPENING, Scanner, Syntax, Token
from tacit.io.words import floats, short
from tacit.io.writing import ANY_LINE, check_names, in_quotes, numbers, tables_of

SYNTAX = Syntax.of("{}()[]|,;", C_COMMENT, C_OPENING)
_WORD = re.compile(r"""(?:(?!//|/\*)[^\s"{}()\[\]|,;])+""")
_VARIABLE = re.compile(
    r"""\s*+variable\s++([^\s"{}()\[\]|,;/]++)\s*+\{\s*+type\s++discrete\s*+\[\s*+(\d{1,9})\s*+\]"""
    r"""\s*+\{([^"{}()\[\]|;/]*+)\}\s*+;\s*+\}"""
)
_ROW = re.compile(r"""\s*+\(([^()"/;{}]*+)\)([^();/"{}_]*+);""")


def read_bif(text: str, where: str) -> tuple[Network, tuple[str, ...]]:
    """The network of a BIF file, and what was noted while reading it."""
    source, draft = Scanner(text, where, SYNTAX), Draft(where)
    if not source.taken("network"):
        raise source.fail(source.peek(), "a BIF file begins with 'network'; this one does not")
    while not source.taken("{"):
        source.name("the name of the network or '{'")
    source.skip_block()
    _plain_variables(source, draft)
    while not source.done():
        if source.taken("variable"):
            _variable(source, draft)
            _plain_variables(source, draft)
        elif source.taken("probability"):
            _probability(source, draft)
        else:
            raise source.fail(source.peek(), "'variable' or 'probability' is expected here")
    return draft.network(), tuple(draft.notes)


def _plain_variables(source: Scanner, draft: Draft) -> None:
    """Take blocks that are as plain as most are, quickly; any other is left to the slow way."""
    while match := _VARIABLE.match(source.text, source.at):
        states = match[3].replace(",", " ").split()
        right = len(set(states)) == len(states) == int(match[2]) > 0
        if not right or match[1] in draft.variables:
            break
        draft.declare(match[1], states, partial(source.fail_at, *match.span(1)))
        source.at = match.end()


def _variable(source: Scanner, draft: Draft) -> None:
    name = source.name("the name of a variable")
    states: list[Token] | None = None
    source.expect("{")
    while not source.taken("}"):
        if not source.taken("type"):
            source.name("'type', 'property' or '}'")
            source.skip_statement()
            continue
        if not source.taken("discrete"):
            raise source.fail(source.peek(), f"{short(name.text)} is not discrete; BIF files "
                              "are read for discrete variables only")  # fmt: skip
        count, place = declared(source)
        source.expect("{")
        states = source.names("}", "a state")
        check_declared(source, count, place, states)
        source.taken(";")
    if states is None:
        raise source.fail(name, f"variable {short(name.text)} has no type")
    draft.declare(name.text, [state.text for state in states], lambda what: source.fail(name, what))


def _probability(source: Scanner, draft: Draft) -> None:
    axes, head = head_of(source, draft, bare=True)  # JavaBayes writes no bar
    rows = Rows(source, axes, head)
    codes = [{state: code for code, state in enumerate(axis.states)} for axis in axes[:-1]]
    source.expect("{")
    while not source.taken("}"):
        if _plain_row(source, rows, codes):
            continue
        if source.taken("table"):
            _whole_table(source, draft, rows)
            return
        if source.taken("default"):
            rows.default = source.run()
        elif source.taken("("):
            row = _row_of(source, axes, source.names(")", "a state"))
            rows.add(rows.row(row), source.run())
        else:
            source.name("a row of the table, 'property' or '}'")
            source.skip_statement()
            continue
        source.expect(";")
    rows.finish(draft)


def _plain_row(source: Scanner, rows: Rows, codes: list[dict[str, int]]) -> bool:
    """Take a row that is as plain as most are, quickly; any other is left to the slow way."""
    match = _ROW.match(source.text, source.at)
    if match is None:
        return False
    labels = [label.strip() for label in match[1].split(",")]
    if len(labels) != len(codes):
        return False
    found = [code.get(label) for label, code in zip(labels, codes, strict=True)]
    values = floats(match[2].replace(",", " "))
    if None in found or values is None or values.size != rows.width:
        return False
    row = rows.row([code for code in found if code is not None])
    if row in rows.found:
        return False
    rows.put(row, values, match.span(2))
    source.at = match.end()
    return True


def _row_of(source: Scanner, axes: tuple[Discrete, ...], labels: list[Token]) -> list[int]:
    if len(labels) != len(axes) - 1:
        raise wrong_labels(source, axes, labels)
    return [state_code(source, axis, label) for axis, label in zip(axes, labels, strict=False)]


def _whole_table(source: Scanner, draft: Draft, rows: Rows) -> None:
    """All numbers at once, the child's states slowest."""
    run = source.run()
    axes = rows.axes
    if rows.found or rows.default is not None:
        raise run.fail(f"{short(axes[-1].name)} has both rows and a table")
    values = run.values(size_of(axes), f"the table of {short(axes[-1].name)}")
    by_child = values.reshape(rows.width, -1).T
    source.expect(";")
    while not source.taken("}"):
        source.name("'property' or '}'")
        source.skip_statement()
    draft.add(axes, by_child, lambda _, what: run.fail(what.partition("\n")[0]))


def write_bif(network: Network) -> str:
    """The network as BIF."""
    check_names(network, "BIF", ANY_LINE, ANY_LINE)
    lines = ["network unknown {", "}"]
    tables = list(tables_of(network, "BIF"))
    for table in tables:
        states = table.variables[-1].states
        lines += [
            f"variable {bare_or_quoted(table.child)} {{",
            f"  type discrete [ {len(states)} ] {{ {', '.join(map(bare_or_quoted, states))} }};",
            "}",
        ]
    for table in tables:
        given = f" | {', '.join(map(bare_or_quoted, table.parents))}" if table.parents else ""
        lines += [f"probability ( {bare_or_quoted(table.child)}{given} ) {{", *_rows(table), "}"]
    return "\n".join(lines) + "\n"


def _rows(table: Table) -> Iterator[str]:
    rows = table.values.reshape(-1, table.values.shape[-1])
    given = [[bare_or_quoted(state) for state in axis.states] for axis in table.variables[:-1]]
    for labels, row in zip(product(*given), rows, strict=True):
        start = f"({', '.join(labels)})" if labels else "table"
        yield f"  {start} {numbers(row)};"


def bare_or_quoted(name: str) -> str:
    """A name as it stands, if it reads back as one word; otherwise in double quotes."""
    return name if _WORD.fullmatch(name) else in_quotes(name)
