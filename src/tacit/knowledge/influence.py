"""Monotone influence and synergy as rows: what `increases with` says of cells.

X increases with Y: in every context of the other parents, X is stochastically larger where Y is
larger, P(X >= c | y') >= P(X >= c | y) for every threshold c and all neighbours y < y'.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NoReturn

import numpy as np

from tacit.arrays import Ints
from tacit.core.errors import listed
from tacit.knowledge.chunks import Chunk
from tacit.knowledge.faults import fault
from tacit.knowledge.meaning import check_size, rows_named
from tacit.knowledge.names import Layout, Names, codes_of, layout_of, order_of, refuse
from tacit.knowledge.statements import Influence, Rule, Synergy
from tacit.knowledge.terms import Term, Word


def influenced(names: Names, rule: Rule, said: Influence) -> list[Chunk]:
    """Stochastic dominance between the rows of neighbouring states of the parent."""
    cells = _arranged(names, rule, said.child, (said.parent,), said.given)
    cells = cells[..., list(order_of(names, rule, said.child))]
    low, high = cells[:-1], cells[1:]
    if said.direction < 0:
        low, high = high, low
    chunks = []
    for states, upper in _tails(cells.shape[-1]):
        less, more = (low, high) if upper else (high, low)
        sides = (less[..., states], more[..., states])
        chunks.append(_chunk(sides, (1, -1)))
    return chunks


def additive(names: Names, rule: Rule, said: Synergy) -> list[Chunk]:
    """P(X >= c) gains at least as much (at most, if negative) from one parent as the other rises.

    For neighbours of both parents: P(. | hi, hi) + P(. | lo, lo) >= P(. | hi, lo) + P(. | lo, hi).
    """
    cells = _arranged(names, rule, said.child, said.parents, said.given)
    cells = cells[..., list(order_of(names, rule, said.child))]
    corners = _corners(cells)
    chunks = []
    for states, upper in _tails(cells.shape[-1]):
        turn = said.sign if upper else -said.sign
        sides = tuple(corner[..., states] for corner in corners)
        chunks.append(_chunk(sides, (-turn, -turn, turn, turn), -turn))
    return chunks


def product(names: Names, rule: Rule, said: Synergy) -> tuple[Ints, Ints]:
    """θ[left] · θ[left'] <= θ[right] · θ[right'] of one state, each (2, rows)."""
    layout = layout_of(names, rule, said.child)
    cells = _arranged(names, rule, said.child, said.parents, said.given)
    if said.state is None:
        state = order_of(names, rule, said.child)[-1]
    else:
        found = codes_of(names, rule, layout.child, said.state)
        if len(found) > 1:
            raise fault(rule, said.state, "product synergy is about one state, not a group")
        state = found[0]
    both, neither, first, second = (each[..., state].ravel() for each in _corners(cells))
    mixed, equal = np.stack([first, second]), np.stack([both, neither])
    return (mixed, equal) if said.sign > 0 else (equal, mixed)


def _arranged(
    names: Names, rule: Rule, child: Word, moving: Sequence[Word], given: Sequence[Term]
) -> Ints:
    """The cells of a table: moving parents first, low to high, the named contexts, the child."""
    layout = layout_of(names, rule, child)
    allowed = rows_named(names, rule, layout, given)
    check_moving(names, rule, layout, moving, given)
    for word in moving:
        allowed[word.text] = order_of(names, rule, word)
    count = len(layout.child.every)
    varied = {word.text for word in moving}
    rows = prod(len(codes) - (name in varied) for name, codes in allowed.items()) * (count - 1)
    check_size(rule, rows, 2 ** len(moving) * max(1, count // 4), list(allowed))
    block = names.cells.block(child.text)
    block = block[np.ix_(*allowed.values(), layout.child.every)]
    places = [list(allowed).index(word.text) for word in moving]
    return np.moveaxis(block, places, range(len(places)))


def check_moving(
    names: Names, rule: Rule, layout: Layout, moving: Sequence[Word], given: Sequence[Term]
) -> None:
    """The parents that a rule lets vary are parents, different, and not held in its condition."""
    for at, word in enumerate(moving):
        if word.text not in layout.parents:
            _refuse_parent(names, rule, layout, word)
        if word.text in {other.text for other in moving[:at]}:
            raise fault(rule, word, f"{word.text!r} is named twice")
    for term in given:
        if term.variable.text in {word.text for word in moving}:
            raise fault(
                rule, term.variable,
                f"{term.variable.text!r} is what varies here; it cannot be held behind 'when'",
            )  # fmt: skip


def _refuse_parent(names: Names, rule: Rule, layout: Layout, word: Word) -> NoReturn:
    if word.text not in names.variables and word.text not in names.others:
        refuse(names, rule, word)
    child = layout.child.name
    who = listed(layout.parents) if layout.parents else "none"
    raise fault(
        rule, word, f"{word.text!r} is no parent of {child!r}", f"parents of {child!r}: {who}"
    )


def _tails(states: int) -> Iterator[tuple[slice, bool]]:
    """For every threshold the shorter of {X >= c} and {X < c}, and whether it is the upper one."""
    for cut in range(1, states):
        upper = states - cut <= cut
        yield (slice(cut, None) if upper else slice(0, cut)), upper


def _corners(cells: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Both parents high, both low, the first alone high, the second alone high."""
    return cells[1:, 1:], cells[:-1, :-1], cells[1:, :-1], cells[:-1, 1:]


def _chunk(sides: Sequence[Ints], signs: Sequence[int], sign: int = 1) -> Chunk:
    """Σ signs · (mass of each side) <= 0; sides in the order of their cells, to sort faster."""
    width = sides[0].shape[-1]
    flat = [side.reshape(-1, width) for side in sides]
    order = sorted(range(len(flat)), key=lambda at: flat[at][0, 0] if flat[at].size else 0)
    cells = np.concatenate([flat[at] for at in order], axis=1)
    factors = [float(signs[at]) for at in order for _ in range(width)]
    return Chunk(cells, factors, 0.0, False, sign)
