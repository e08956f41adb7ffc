"""Many clique trees as flat arrays, which kernels write and run."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

from tacit.arrays import Floats, Ints

Words: TypeAlias = npt.NDArray[np.uint64]

CELLS, AT, ABOVE, SEP_AT, SEP_CELLS, FIRST, LAST = range(7)
"""Columns of `Forest.cliques`."""
WHO, OUTER, INNER, LENGTH, RUN = range(5)
"""Columns of `Forest.slots`."""


class Graph(NamedTuple):
    """The families of a network, flat.

    cards                  (variables,)  how many states each variable has
    near_at, near          its neighbours: the variables it shares a family with
    touch_at, touch        the families it stands in
    axes_at, axes, strides the variables of each family and their strides in the parameters
    starts                 (families,)  where its block of parameters starts
    order, rank            the variables in a good order of elimination, and the place of each in it
    """

    cards: Ints
    near_at: Ints
    near: Ints
    touch_at: Ints
    touch: Ints
    axes_at: Ints
    axes: Ints
    strides: Ints
    starts: Ints
    order: Ints
    rank: Ints


class Forest(NamedTuple):
    """Clique trees of several kinds, children before parents.

    kinds    (kinds + 1,)  the cliques of a kind are kinds[k] .. kinds[k + 1]
    cliques  (cliques, 7)  CELLS; AT, where they start in the work space of the kind; ABOVE, the
                           clique above, -1 for a root; SEP_AT and SEP_CELLS of the message to it;
                           FIRST..LAST, its factors in `slots`; slot LAST is how the message lies
                           in the clique above
    slots    (slots, 5)    WHO, which of its context's bases a factor starts from, and a pattern
    views    (kinds,)      the slots that show single variables start here, where there are any:
                           one for every variable, WHO the clique
    offsets                lists that patterns point to

    The separator of a clique is its innermost dimensions. A pattern says where the cells of a
    clique lie in something else: cell (o * LENGTH + i) * RUN + r, for any r below RUN, at
    offsets[OUTER + o] + offsets[INNER + i]. Patterns of small cliques have one `o`, those of large
    ones two short lists instead of a long one.
    """

    kinds: Ints
    cliques: Ints
    slots: Ints
    views: Ints
    offsets: Words


class Space(NamedTuple):
    """Work space of one worker: potentials, messages up, messages on their way."""

    psi: Floats
    sep: Floats
    sent: Floats


@njit(cache=True, nogil=True)
def multiply(
    psi: Floats, start: int, cells: int, slots: Ints, slot: int, offsets: Words, values: Floats,
    base: int,
) -> None:  # fmt: skip
    """psi[cell] *= values[base + pattern(cell)] for the cells from `start` on.

    Positions are unsigned: others might count from the end, which costs a test each time.
    """
    outer, inner = np.uint64(slots[slot, OUTER]), np.uint64(slots[slot, INNER])
    length, run = np.uint64(slots[slot, LENGTH]), np.uint64(slots[slot, RUN])
    cell = np.uint64(start)
    for o in range(np.uint64(cells) // (length * run)):
        from_here = np.uint64(base) + offsets[outer + o]
        if run == 1:
            for i in range(length):
                psi[cell + i] *= values[from_here + offsets[inner + i]]
            cell += length
        else:
            for i in range(length):
                value = values[from_here + offsets[inner + i]]
                for r in range(run):
                    psi[cell + r] *= value
                cell += run


@njit(cache=True, nogil=True)
def add(
    psi: Floats, start: int, cells: int, slots: Ints, slot: int, offsets: Words, out: Floats,
    base: int, scale: float,
) -> None:  # fmt: skip
    """out[base + pattern(cell)] += scale * psi[cell] for the cells from `start` on."""
    outer, inner = np.uint64(slots[slot, OUTER]), np.uint64(slots[slot, INNER])
    length, run = np.uint64(slots[slot, LENGTH]), np.uint64(slots[slot, RUN])
    cell = np.uint64(start)
    for o in range(np.uint64(cells) // (length * run)):
        from_here = np.uint64(base) + offsets[outer + o]
        if run == 1:
            for i in range(length):
                out[from_here + offsets[inner + i]] += scale * psi[cell + i]
            cell += length
        else:
            for i in range(length):
                total = 0.0
                for r in range(run):
                    total += psi[cell + r]
                out[from_here + offsets[inner + i]] += scale * total
                cell += run
