"""The missing pieces of cases, compiled: a clique tree per kind, base positions per context."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Codes, Ints
from tacit.kernels.desk import CARD, MEMBER, ORDER, PLACE, QUEUE, ROWS, Desk
from tacit.kernels.forests import Graph
from tacit.kernels.orders import eliminate
from tacit.kernels.plans import cells_of, plan
from tacit.kernels.planting import NO_ROOM, SHORT_DESK, TOO_LARGE, Draft, plant


class Limits(NamedTuple):
    """What clique trees may cost.

    one_clique  up to so many joint states a tree is not worth it
    cells       the most that all cliques together may have
    effort      how much trying further orders of elimination may take, in runs of the tree
    """

    one_clique: float
    cells: float
    effort: float


@njit(cache=True, nogil=True)
def _take_piece(graph: Graph, codes: Codes, row: int, start: int, rows: Ints) -> int:
    """Put the missing piece of one case that contains `start` on the desk, in the order of the
    graph, or all that is missing if `start` is -1; its size."""
    count, at, first, last = 0, 0, 0, graph.cards.size - 1
    if start >= 0:
        rows[QUEUE, 0], rows[PLACE, start], count = start, 0, 1
        first = last = graph.rank[start]
    for v in range(graph.cards.size if start < 0 else 0):
        if codes[row, v] < 0:
            rows[PLACE, v] = 0
    while at < count:
        here = rows[QUEUE, at]
        first, last, at = min(first, graph.rank[here]), max(last, graph.rank[here]), at + 1
        for each in range(graph.near_at[here], graph.near_at[here + 1]):
            other = graph.near[each]
            if codes[row, other] < 0 and rows[PLACE, other] < 0:
                rows[PLACE, other], rows[QUEUE, count] = 0, other
                count += 1
    at = 0
    for rank in range(first, last + 1):
        v = graph.order[rank]
        if rows[PLACE, v] >= 0:
            rows[MEMBER, at], rows[CARD, at], rows[PLACE, v] = v, graph.cards[v], at
            at += 1
    return at


@njit(cache=True, nogil=True)
def order_of_all(graph: Graph, order: Ints, rank: Ints) -> None:
    """A good order in which to eliminate all variables, and the place of each in it."""
    size = graph.cards.size
    desk = Desk(np.zeros((ROWS, size + 2), np.int64), np.empty(8 * size, np.int64), order)
    for v in range(size):
        desk.rows[MEMBER, v], desk.rows[PLACE, v], desk.rows[CARD, v] = v, v, graph.cards[v]
    while not eliminate(graph, desk, size, 0.0, -1.0):
        desk = Desk(desk.rows, np.empty(2 * desk.held.size, np.int64), order)
    for step in range(size):
        order[step] = desk.rows[ORDER, step]
        rank[order[step]] = step


@njit(cache=True, nogil=True)
def compile_kinds(
    graph: Graph, codes: Codes, row: Ints, first: Ints, begin: int, limits: Limits, desk: Desk,
    draft: Draft,
) -> int:  # fmt: skip
    """A clique tree for the missing piece around first[k] of every row row[k] of codes, from
    `begin` on.

    Returns the kind at which it stopped: the number of kinds when all are done; else the desk or
    the draft is too small for it, or it takes more cells than it may (used[TOO_LARGE] is set).
    """
    rows = desk.rows
    for kind in range(begin, first.size):
        size, done = _take_piece(graph, codes, row[kind], first[kind], rows), False
        draft.used[NO_ROOM] = SHORT_DESK
        if eliminate(graph, desk, size, limits.one_clique, limits.effort):
            draft.used[NO_ROOM] = 0
            cliques = plan(desk, size)
            if cells_of(desk, cliques) > limits.cells:
                draft.used[TOO_LARGE] = cliques
            else:
                plant(graph, desk, size, cliques, kind, draft)
                done = not draft.used[NO_ROOM]
        for place in range(size):
            rows[PLACE, rows[MEMBER, place]] = -1
        if not done:
            return kind
    return first.size


@njit(cache=True, nogil=True)
def base_positions(
    graph: Graph, codes: Codes, row: Ints, kind: Ints, family_at: Ints, families: Ints, at: Ints,
    bases: Ints,
) -> None:  # fmt: skip
    """Where the entries of every family that agree with the findings of a context start.

    row        (contexts,)   of `codes`, which has -1 where a cell is missing
    family_at  (kinds + 1,)  the families around each kind
    at         (contexts,)   where the bases of a context go
    """
    for context in range(kind.size):
        first = family_at[kind[context]]
        for local in range(family_at[kind[context] + 1] - first):
            family = families[first + local]
            base = graph.starts[family]
            for axis in range(graph.axes_at[family], graph.axes_at[family + 1]):
                state = codes[row[context], graph.axes[axis]]
                if state > 0:
                    base += state * graph.strides[axis]
            bases[at[context] + local] = base
