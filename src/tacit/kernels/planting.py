"""The clique tree on the desk written into a forest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Ints
from tacit.kernels.desk import (
    ABOVE_OF,
    CARD,
    CLIQUE,
    DIMS_AT,
    FACTORS,
    FAMILY,
    FAMILY_HOME,
    HOME,
    MEMBER,
    OWN,
    PLACE,
    SEEN,
    STEP,
    STRIDE,
    Desk,
)  # fmt: skip
from tacit.kernels.forests import (
    ABOVE,
    AT,
    CELLS,
    FIRST,
    INNER,
    LAST,
    LENGTH,
    OUTER,
    RUN,
    SEP_AT,
    SEP_CELLS,
    WHO,
    Graph,
)  # fmt: skip

LIST = 256
"""Patterns are made of lists of at most so many offsets, or of the states of one variable."""
CLIQUES, SLOTS, MEMBERS, FAMILIES, OFFSETS, MOST_CELLS, MOST_MESSAGES = range(7)
NO_ROOM, TRIALS, TOO_LARGE, USES = range(7, 11)
"""Places in `Draft.used`; NO_ROOM says what was too short, TOO_LARGE how many cliques a tree has
that takes too much memory."""
SHORT_DESK, SHORT_TABLES, SHORT_LISTS = 1, 2, 3
"""What may be too short."""


class Draft(NamedTuple):
    """A forest that is being written: arrays with room, and how much of each is used.

    kinds     (kinds + 1, 4)  where the cliques, members, families and views of each kind start
    families  those around each kind, in the order of its base positions
    known     (buckets, 3)    some lists: where they start, and two words that tell them apart
    """

    kinds: Ints
    cliques: Ints
    slots: Ints
    members: Ints
    families: Ints
    offsets: Ints
    known: Ints
    used: Ints


@njit(cache=True, nogil=True)
def plant(graph: Graph, desk: Desk, size: int, cliques: int, kind: int, draft: Draft) -> None:
    """Write one kind at the end of the draft; used[NO_ROOM] is set if it does not fit."""
    rows, used = desk.rows, draft.used
    used[TRIALS] += 1
    families = _take_families(graph, rows, size, cliques, used[TRIALS])
    if (
        used[CLIQUES] + cliques > draft.cliques.shape[0]
        or used[SLOTS] + families + cliques + size > draft.slots.shape[0]
        or used[MEMBERS] + size > draft.members.size
        or used[FAMILIES] + families > draft.families.size
    ):
        used[NO_ROOM] = SHORT_TABLES
        return
    for place in range(size):
        draft.members[used[MEMBERS] + place] = rows[MEMBER, place]
    for local in range(families):
        draft.families[used[FAMILIES] + local] = rows[FAMILY, local]
    _write_cliques(rows, desk.dims, cliques, draft)
    _write_factors(graph, rows, desk.dims, families, draft)
    _write_messages(rows, desk.dims, cliques, draft)
    views = used[SLOTS] + families + cliques
    _write_views(rows, desk.dims, size, cliques, views, draft)
    if used[NO_ROOM]:
        return
    draft.kinds[kind, 3] = views
    used[CLIQUES], used[SLOTS] = used[CLIQUES] + cliques, views + size
    used[MEMBERS], used[FAMILIES] = used[MEMBERS] + size, used[FAMILIES] + families
    for column in range(3):
        draft.kinds[kind + 1, column] = used[(CLIQUES, MEMBERS, FAMILIES)[column]]


@njit(cache=True, nogil=True)
def _take_families(graph: Graph, rows: Ints, size: int, cliques: int, mark: int) -> int:
    """List the families around the members, each with the clique in which the first of its
    variables goes: it holds them all. How many."""
    count = 0
    for c in range(cliques):
        rows[FACTORS, c] = 0
    for place in range(size):
        v = rows[MEMBER, place]
        for each in range(graph.touch_at[v], graph.touch_at[v + 1]):
            family = graph.touch[each]
            if rows[SEEN, family] == mark:
                continue
            first, rows[SEEN, family] = size, mark
            for at in range(graph.axes_at[family], graph.axes_at[family + 1]):
                other = rows[PLACE, graph.axes[at]]
                if other >= 0:
                    first = min(first, rows[STEP, other])
            rows[FAMILY, count], rows[FAMILY_HOME, count] = family, rows[CLIQUE, first]
            rows[FACTORS, rows[CLIQUE, first]] += 1
            count += 1
    return count


@njit(cache=True, nogil=True)
def _write_cliques(rows: Ints, dims: Ints, cliques: int, draft: Draft) -> None:
    """Sizes and places of all cliques of a kind, and their share of the slots."""
    table, used = draft.cliques, draft.used
    cells, messages, slot = 0, 0, used[SLOTS]
    for c in range(cliques):
        size, passed, row = 1, 1, used[CLIQUES] + c
        for at in range(rows[DIMS_AT, c], rows[DIMS_AT, c + 1]):
            size *= rows[CARD, dims[at]]
            if at >= rows[DIMS_AT, c] + rows[OWN, c]:
                passed *= rows[CARD, dims[at]]
        above = rows[ABOVE_OF, c]
        table[row, CELLS], table[row, AT] = size, cells
        table[row, SEP_CELLS], table[row, SEP_AT] = passed, messages
        table[row, ABOVE] = used[CLIQUES] + above if above >= 0 else -1
        table[row, FIRST], table[row, LAST] = slot, slot + rows[FACTORS, c]
        slot += rows[FACTORS, c] + 1
        cells, messages = cells + size, messages + passed
    used[MOST_CELLS] = max(used[MOST_CELLS], cells)
    used[MOST_MESSAGES] = max(used[MOST_MESSAGES], messages)


@njit(cache=True, nogil=True)
def _write_factors(graph: Graph, rows: Ints, dims: Ints, families: int, draft: Draft) -> None:
    """How every family lies in its clique; STRIDE is all 0 before and after."""
    first = draft.used[CLIQUES]
    for local in range(families):
        family, c = rows[FAMILY, local], rows[FAMILY_HOME, local]
        rows[FACTORS, c] -= 1
        slot = draft.cliques[first + c, FIRST] + rows[FACTORS, c]
        for at in range(graph.axes_at[family], graph.axes_at[family + 1]):
            place = rows[PLACE, graph.axes[at]]
            if place >= 0:
                rows[STRIDE, place] = graph.strides[at]
        _write_pattern(rows, dims, c, draft, slot)
        draft.slots[slot, WHO] = local
        for at in range(graph.axes_at[family], graph.axes_at[family + 1]):
            place = rows[PLACE, graph.axes[at]]
            if place >= 0:
                rows[STRIDE, place] = 0


@njit(cache=True, nogil=True)
def _write_messages(rows: Ints, dims: Ints, cliques: int, draft: Draft) -> None:
    """How the message of every clique lies in the clique above."""
    for c in range(cliques):
        if rows[ABOVE_OF, c] < 0:
            continue
        size, first = 1, rows[DIMS_AT, c] + rows[OWN, c]
        for at in range(rows[DIMS_AT, c + 1] - 1, first - 1, -1):
            rows[STRIDE, dims[at]] = size
            size *= rows[CARD, dims[at]]
        slot = draft.cliques[draft.used[CLIQUES] + c, LAST]
        _write_pattern(rows, dims, rows[ABOVE_OF, c], draft, slot)
        for at in range(first, rows[DIMS_AT, c + 1]):
            rows[STRIDE, dims[at]] = 0


@njit(cache=True, nogil=True)
def _write_views(rows: Ints, dims: Ints, size: int, cliques: int, views: int, draft: Draft) -> None:
    """How every variable lies in the smallest clique that holds it."""
    first = draft.used[CLIQUES]
    for place in range(size):
        rows[HOME, place] = -1
    for c in range(cliques):
        cells = draft.cliques[first + c, CELLS]
        for at in range(rows[DIMS_AT, c], rows[DIMS_AT, c + 1]):
            home = rows[HOME, dims[at]]
            if home < 0 or cells < draft.cliques[first + home, CELLS]:
                rows[HOME, dims[at]] = c
    for place in range(size):
        rows[STRIDE, place] = 1
        _write_pattern(rows, dims, rows[HOME, place], draft, views + place)
        draft.slots[views + place, WHO] = rows[HOME, place]
        rows[STRIDE, place] = 0


@njit(cache=True, nogil=True)
def _write_pattern(rows: Ints, dims: Ints, c: int, draft: Draft, slot: int) -> None:
    """How the cells of a clique lie in something else, in which its variables have the strides of
    the row STRIDE."""
    begin, last, run = rows[DIMS_AT, c], rows[DIMS_AT, c + 1], 1
    while last > begin and rows[STRIDE, dims[last - 1]] == 0:
        last -= 1
        run *= rows[CARD, dims[last]]
    first, length = last, 1
    while first > begin and (first == last or length * rows[CARD, dims[first - 1]] <= LIST):
        first -= 1
        length *= rows[CARD, dims[first]]
    draft.slots[slot, INNER] = _write_list(rows, dims, first, last, draft)
    draft.slots[slot, OUTER] = _write_list(rows, dims, begin, first, draft)
    draft.slots[slot, LENGTH], draft.slots[slot, RUN] = length, run


@njit(cache=True, nogil=True)
def _write_list(rows: Ints, dims: Ints, first: int, last: int, draft: Draft) -> int:
    """The offsets of some dimensions, the last fastest: where they are, written now or before.

    Two words tell lists apart, made of the cards and strides of their dimensions.
    """
    offsets, known, start = draft.offsets, draft.known, draft.used[OFFSETS]
    length, one, two = 1, np.uint64(1), np.uint64(2)
    for at in range(first, last):
        card, stride = rows[CARD, dims[at]], rows[STRIDE, dims[at]]
        length *= card
        one = (one ^ np.uint64(card + 1024 * stride)) * np.uint64(0x9E3779B97F4A7C15)
        one ^= one >> np.uint64(32)
        two = (two + np.uint64(stride + 1048576 * card)) * np.uint64(0xBF58476D1CE4E5B9)
        two ^= two >> np.uint64(29)
    bucket = np.int64(one & np.uint64(known.shape[0] - 1))
    if known[bucket, 1] == np.int64(one) and known[bucket, 2] == np.int64(two):
        return int(known[bucket, 0])
    if start + length > offsets.size:
        draft.used[NO_ROOM] = SHORT_LISTS
        return 0
    length, offsets[start] = 1, 0
    for at in range(last - 1, first - 1, -1):
        card, stride = rows[CARD, dims[at]], rows[STRIDE, dims[at]]
        for cell in range(length, length * card):
            offsets[start + cell] = offsets[start + cell - length] + stride
        length *= card
    known[bucket, 0], draft.used[OFFSETS] = start, start + length
    known[bucket, 1], known[bucket, 2] = np.int64(one), np.int64(two)
    return int(start)
