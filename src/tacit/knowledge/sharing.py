"""Sharing trees: which cells rows have in common, level by level.

The states that a level names have one probability in all rows of its scope; the levels below
split its rows. What no level shares belongs to each row alone.
[parameter sharing trees, Sec. 4.8.1; parameter domain knowledge 2.7]
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacit.arrays import Bools, Ints
from tacit.knowledge.chunks import Chunk
from tacit.knowledge.faults import fault
from tacit.knowledge.meaning import rows_named
from tacit.knowledge.names import Layout, Names, codes_of, layout_of
from tacit.knowledge.statements import Level, Rule, Share
from tacit.knowledge.terms import Term
from tacit.knowledge.tying import equal


def shared(names: Names, rule: Rule, said: Share) -> list[Chunk]:
    """Equalities between the rows of every level's scope, for each state that it shares."""
    target = said.rows.targets[0]
    if len(said.rows.targets) > 1 or target.states is not None:
        raise fault(
            rule, said.rows.targets[-1].variable, "a sharing tree is over the rows of one table",
            f"write  share {type(said.rows)((Term(target.variable),), said.rows.given)}",
        )  # fmt: skip
    layout = layout_of(names, rule, target.variable)
    rows = names.cells.block(target.variable.text).reshape(-1, len(layout.child.every))
    scope = _rows(names, rule, layout, said.rows.given)
    scope &= _rows(names, rule, layout, said.root.scope)
    return list(_level(names, rule, layout, (said.root, scope, frozenset(), rows)))


def _rows(names: Names, rule: Rule, layout: Layout, given: tuple[Term, ...]) -> Bools:
    """Which rows of the table a condition names."""
    allowed = rows_named(names, rule, layout, given)
    inside = np.zeros([len(axis.every) for axis in layout.parents.values()], dtype=np.bool_)
    inside[np.ix_(*allowed.values())] = True
    return inside.ravel()


def _level(
    names: Names, rule: Rule, layout: Layout, at: tuple[Level, Bools, frozenset[int], Ints]
) -> Iterator[Chunk]:
    """The equalities of a level and of those below; `above` are the states already shared."""
    level, scope, above, rows = at
    codes: list[int] = []
    for word in level.states:
        for code in codes_of(names, rule, layout.child, word):
            if code in above or code in codes:
                raise fault(
                    rule, word, f"{word.text!r} is shared twice on one path of the tree",
                    "the rows of this level share it already",
                )  # fmt: skip
            codes.append(code)
    if codes:
        yield equal(rows[np.flatnonzero(scope)][:, codes])
    taken = np.zeros_like(scope)
    for child in level.children:
        where = child.scope[0].variable if child.scope else None
        inside = scope & _rows(names, rule, layout, child.scope)
        if not child.states and not child.children:
            raise fault(rule, where, "this level shares nothing and has no levels below it")
        if not inside.any():
            raise fault(rule, where, "this level has no row: the level above has none of its rows")
        if (inside & taken).any():
            raise fault(
                rule, where, "this level takes rows that a level beside it has already",
                "levels side by side must split the rows of the level above",
            )  # fmt: skip
        taken |= inside
        yield from _level(names, rule, layout, (child, inside, above | set(codes), rows))
