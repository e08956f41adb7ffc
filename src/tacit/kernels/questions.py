"""The part of a network that one question needs, and its answer from a clique tree."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Bools, Codes, Floats, Ints
from tacit.kernels.flow import collect
from tacit.kernels.forests import (
    ABOVE,
    AT,
    CELLS,
    LAST,
    SEP_AT,
    SEP_CELLS,
    Forest,
    Graph,
    Space,
    add,
)


@njit(cache=True, nogil=True)
def narrow(graph: Graph, codes: Codes, wanted: Ints, near: bool, kept: Bools, part: Graph) -> None:
    """Mark in `kept` the families that bear on what is marked in it, and write them into `part`.

    near  leave out also what findings separate from the wanted variables
    """
    _mark_above(graph, kept)
    if near:
        _mark_near(graph, codes, wanted, kept)
    _restrict(graph, kept, part)


@njit(cache=True, nogil=True)
def _mark_above(graph: Graph, kept: Bools) -> None:
    """Mark also the parents of marked variables, and theirs: whatever else there is sums to one.

    The family of a variable has its number, the variable last.
    """
    waiting, count = np.empty(kept.size, np.int64), 0
    for v in range(kept.size):
        if kept[v]:
            waiting[count] = v
            count += 1
    while count:
        count -= 1
        family = waiting[count]
        for at in range(graph.axes_at[family], graph.axes_at[family + 1] - 1):
            parent = graph.axes[at]
            if not kept[parent]:
                kept[parent], waiting[count] = True, parent
                count += 1


@njit(cache=True, nogil=True)
def _mark_near(graph: Graph, codes: Codes, wanted: Ints, kept: Bools) -> None:
    """Leave marked only the families that findings do not separate from the wanted variables.

    Open variables are joined by the families they share; those of other pieces add a factor that
    does not depend on the wanted ones.
    """
    waiting, count = np.empty(kept.size, np.int64), 0
    near, seen = np.zeros(kept.size, np.bool_), np.zeros(kept.size, np.bool_)
    for v in wanted:
        seen[v], waiting[count] = True, v
        count += 1
    while count:
        count -= 1
        v = waiting[count]
        for each in range(graph.touch_at[v], graph.touch_at[v + 1]):
            family = graph.touch[each]
            if not kept[family] or near[family]:
                continue
            near[family] = True
            for at in range(graph.axes_at[family], graph.axes_at[family + 1]):
                other = graph.axes[at]
                if codes[other] < 0 and not seen[other]:
                    seen[other], waiting[count] = True, other
                    count += 1
    for family in range(kept.size):
        kept[family] &= near[family]


@njit(cache=True, nogil=True)
def _restrict(graph: Graph, kept: Bools, part: Graph) -> None:
    """Write into `part` the families that each variable stands in, and its neighbours, as far as
    families are marked; the rest of it is shared."""
    touches = nears = 0
    seen = np.full(kept.size, -1, dtype=np.int64)
    for v in range(kept.size):
        part.touch_at[v], part.near_at[v], seen[v] = touches, nears, v
        for each in range(graph.touch_at[v], graph.touch_at[v + 1]):
            family = graph.touch[each]
            if not kept[family]:
                continue
            part.touch[touches] = family
            touches += 1
            for at in range(graph.axes_at[family], graph.axes_at[family + 1]):
                other = graph.axes[at]
                if seen[other] != v:
                    seen[other], part.near[nears] = v, other
                    nears += 1
    part.touch_at[kept.size], part.near_at[kept.size] = touches, nears


@njit(cache=True, nogil=True)
def mass_of_found(graph: Graph, kept: Bools, codes: Codes, theta: Floats) -> float:
    """The log probability of the marked families whose variables are all found."""
    total = 0.0
    for family in range(kept.size):
        base, found = graph.starts[family], kept[family]
        for at in range(graph.axes_at[family], graph.axes_at[family + 1]):
            found &= codes[graph.axes[at]] >= 0
            base += codes[graph.axes[at]] * graph.strides[at]
        if found:
            if theta[base] == 0.0:
                return -np.inf
            total += np.log(theta[base])
    return total


@njit(cache=True, nogil=True)
def joint_of(
    f: Forest, bases: Ints, theta: Floats, home: int, cards: Ints, strides: Ints, space: Space,
    out: Floats,
) -> float:  # fmt: skip
    """The posterior of some variables of clique `home`: each cell is added to `out` by the strides
    of its dimensions; the log mass.

    Messages go back only to that clique.
    """
    mass = collect(f, 0, bases, 0, theta, space)
    if mass == -np.inf:
        return mass
    cliques, psi, sep, sent = f.cliques, space.psi, space.sep, space.sent
    below = np.full(f.kinds[1], -1, dtype=np.int64)
    c = home
    while cliques[c, ABOVE] >= 0:
        below[cliques[c, ABOVE]] = c
        c = cliques[c, ABOVE]
    while below[c] >= 0:
        above, c = c, below[c]
        first, size = cliques[c, SEP_AT], cliques[c, SEP_CELLS]
        for place in range(first, first + size):
            sent[place] = 0.0
        start, cells = cliques[above, AT], cliques[above, CELLS]
        add(psi, start, cells, f.slots, cliques[c, LAST], f.offsets, sent, first, 1.0)
        for place in range(first, first + size):
            sent[place] = sent[place] / sep[place] if sep[place] > 0.0 else 0.0
        start, cells = cliques[c, AT], cliques[c, CELLS]
        for cell in range(cells):
            psi[start + cell] *= sent[first + cell % size]
    _add_by_strides(psi, cliques[home, AT], cards, strides, out)
    return mass


@njit(cache=True, nogil=True)
def _add_by_strides(psi: Floats, start: int, cards: Ints, strides: Ints, out: Floats) -> None:
    digits, cell, place = np.zeros(cards.size, np.int64), start, 0
    while True:
        out[place] += psi[cell]
        cell += 1
        dim = cards.size - 1
        while dim >= 0 and digits[dim] == cards[dim] - 1:
            place -= digits[dim] * strides[dim]
            digits[dim] = 0
            dim -= 1
        if dim < 0:
            return
        digits[dim] += 1
        place += strides[dim]
