"""UAI, the format of the inference competitions: numbers only.

`BAYES`, the number of variables, their numbers of states, the number of tables; then for each
table how many variables it has and which, the child last; then for each table how many numbers it
has and the numbers, the last variable fastest. There are no names: a file that is read has the
variables `X0`, `X1`, ... with the states `0`, `1`, ...
"""

from __future__ import annotations

from functools import partial

from tacit.arrays import Floats
from tacit.core.network import Network
from tacit.families.table import MOST_AXES
from tacit.io.draft import Draft, size_of
from tacit.io.scan import Run, Scanner, Syntax, Token
from tacit.io.words import many, short
from tacit.io.writing import numbers, tables_of

SYNTAX = Syntax.of(",", r"#[^\n]*+", "#")


def read_uai(text: str, where: str) -> tuple[Network, tuple[str, ...]]:
    """The network of a UAI file, and what was noted while reading it."""
    source, draft = Scanner(text, where, SYNTAX), Draft(where)
    if not source.taken("BAYES"):
        raise source.fail(
            source.peek(), "the UAI file of a network begins with 'BAYES'; this one does not"
        )
    sizes = [_count(source, "a number of states") for _ in range(_count(source, "a count")[0])]
    tables = _count(source, "a count")
    if tables[0] != len(sizes):
        raise source.fail(tables[1], f"there are {len(sizes):,} variables, so as many tables")
    scopes = [_scope(source, len(sizes)) for _ in sizes]
    run = Run(source, source.at, len(text))
    values = run.numbers()
    _declare(draft, source, sizes, values.size)
    at = 0
    for scope in scopes:
        at = _table(draft, scope, run, values, at)
    if at < values.size:
        raise run.fail_numbers(at, 1, "the last table ends before this number")
    return draft.network(), tuple(draft.notes)


def _declare(draft: Draft, source: Scanner, sizes: list[tuple[int, Token]], cells: int) -> None:
    """Variables with generic names; no more states than the tables can have numbers for."""
    for at, (size, place) in enumerate(sizes):
        cells -= size
        if cells < 0:
            raise source.fail(place, f"{many(size)} states, but the tables hold too few numbers")
        states = tuple(map(str, range(size)))
        draft.declare(f"X{at}", states, partial(source.fail, place))


def _count(source: Scanner, what: str) -> tuple[int, Token]:
    token = source.take()
    if token.kind != "word" or not (token.text.isascii() and token.text.isdecimal()):
        raise source.fail(token, f"{what} is expected here")
    return int(token.text[:18]), token


def _scope(source: Scanner, variables: int) -> list[Token]:
    """The variables of one table, the child last."""
    size, place = _count(source, "the number of variables of a table")
    if not 0 < size <= MOST_AXES:
        raise source.fail(place, f"a table has 1 to {MOST_AXES} variables")
    scope = []
    for _ in range(size):
        variable, token = _count(source, "the position of a variable")
        if variable >= variables:
            raise source.fail(token, f"the variables have the positions 0 to {variables - 1}")
        scope.append(token._replace(text=f"X{variable}"))
    return scope


def _table(draft: Draft, scope: list[Token], run: Run, values: Floats, at: int) -> int:
    """Add the table whose size stands at this number; where the next one begins."""
    names = [scope[-1], *scope[:-1]]
    axes = draft.axes(
        [name.text for name in names], lambda which, what: run.source.fail(names[which], what)
    )
    wanted, width, first = size_of(axes), len(axes[-1].states), at + 1
    whose = f"the table of {short(axes[-1].name)} needs {many(wanted)} numbers"
    if at < values.size and values[at] != wanted:
        raise run.fail_numbers(at, 1, f"{whose}, not {values[at]:g}")
    if values.size - first < wanted:
        raise run.fail_numbers(values.size - 1, 1, f"{whose}, but the file ends")
    draft.add(
        axes,
        values[first : first + wanted],
        lambda row, what: run.fail_numbers(first + row * width, width, what.partition("\n")[0]),
    )
    return first + wanted


def write_uai(network: Network) -> str:
    """The network as UAI; the names of variables and states are lost."""
    tables = list(tables_of(network, "UAI"))
    position = {table.child: at for at, table in enumerate(tables)}
    lines = ["BAYES", str(len(tables))]
    lines += [" ".join(str(table.values.shape[-1]) for table in tables), str(len(tables))]
    for table in tables:
        scope = [position[name] for name in (*table.parents, table.child)]
        lines.append(" ".join(map(str, (len(scope), *scope))))
    for table in tables:
        rows = table.values.reshape(-1, table.values.shape[-1])
        lines += ["", str(table.values.size), *(f" {numbers(row, ' ')}" for row in rows)]
    return "\n".join(lines) + "\n"
