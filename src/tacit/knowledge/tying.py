"""Rows and tables that are one and the same, as rows of equalities between cells."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Ints
from tacit.core.errors import listed, quoted
from tacit.knowledge.chunks import Chunk
from tacit.knowledge.faults import fault
from tacit.knowledge.influence import check_moving
from tacit.knowledge.meaning import rows_named
from tacit.knowledge.names import Names, layout_of
from tacit.knowledge.statements import Ignores, Rule, TableOf, Tie
from tacit.knowledge.terms import Word


def ignored(names: Names, rule: Rule, said: Ignores) -> list[Chunk]:
    """In every context, the rows of all states of the ignored parents are equal."""
    layout = layout_of(names, rule, said.child)
    allowed = rows_named(names, rule, layout, said.given)
    check_moving(names, rule, layout, said.parents, said.given)
    block = names.cells.block(said.child.text)
    block = block[np.ix_(*allowed.values(), layout.child.every)]
    places = [list(layout.parents).index(word.text) for word in said.parents]
    block = np.moveaxis(block, places, range(len(places)))
    return [equal(block.reshape(int(np.prod(block.shape[: len(places)])), -1))]


def equal(lists: Ints) -> Chunk:
    """lists[0] = lists[1] = ..., cell by cell."""
    pairs = np.stack([lists[:-1], lists[1:]], axis=-1)
    return Chunk(pairs.reshape(-1, 2), (1.0, -1.0), 0.0, True)


def tied(names: Names, rule: Rule, said: Tie) -> list[Chunk]:
    """Tables of one shape, equal position by position."""
    blocks = [_table(names, rule, each) for each in said.tables]
    for table, block in zip(said.tables[1:], blocks[1:], strict=True):
        if block.shape != blocks[0].shape:
            raise fault(
                rule, table.child, "tables that are one must have one shape",
                "\n".join(_shape(names, each) for each in (said.tables[0], table)),
            )  # fmt: skip
    return [equal(np.stack([block.ravel() for block in blocks]))]


def _table(names: Names, rule: Rule, said: TableOf) -> Ints:
    """The cells of a table, its parents in the order in which the rule names them."""
    layout = layout_of(names, rule, said.child)
    check_moving(names, rule, layout, said.parents, ())
    if len(said.parents) < len(layout.parents):
        missing = [each for each in layout.parents if each not in {w.text for w in said.parents}]
        raise fault(
            rule, said.child, f"a table is named with all its parents; here {missing[0]!r} lacks",
            f"write  {TableOf(said.child, tuple(map(Word, layout.parents)))}",
        )  # fmt: skip
    places = [list(layout.parents).index(word.text) for word in said.parents]
    return names.cells.block(said.child.text).transpose(*places, -1)


def _shape(names: Names, said: TableOf) -> str:
    axes = [names.variables[word.text] for word in (*said.parents, said.child)]
    sizes = listed(f"{quoted(axis.name)} {len(axis.states)}" for axis in axes)
    return f"states in {said}: {sizes}"
