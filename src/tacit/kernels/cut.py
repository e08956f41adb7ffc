"""A clique tree cut down to the entries that agree with the findings of one case.

The tree is compiled once for the whole network; a case leaves out the dimensions it has observed,
so that its potentials hold only what is still open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Codes, Floats, Ints
from tacit.kernels.propagate import collect, distribute, expect
from tacit.kernels.strided import room_for
from tacit.kernels.trees import Program, Room


class Tree(NamedTuple):
    """A program of one kind over all variables of a network.

    variables  (dims,)       the variable of each dimension
    home       (variables,)  a clique that holds each variable
    axes_at, axes, axes_strides, starts   the families, flat, for base positions
    most_dims                of any clique
    """

    program: Program
    variables: Ints
    home: Ints
    axes_at: Ints
    axes: Ints
    axes_strides: Ints
    starts: Ints
    most_dims: int


class Cut(NamedTuple):
    """Room for the cut of a tree: its program, base positions, and notes per variable."""

    program: Program
    bases: Ints
    stride_of: Ints
    seen_in: Ints


@njit(cache=True, nogil=True)
def cut_room(tree: Tree) -> Cut:
    """Room for any cut of this tree."""
    p = tree.program
    cliques, size = p.cells.size, tree.home.size
    program = Program(
        np.array([0, cliques]), np.zeros(cliques + 1, np.int64), np.empty_like(p.cards),
        np.empty_like(p.cells), np.empty_like(p.at), p.slots, np.empty_like(p.slot_strides),
        p.slot_local, p.parent, np.empty_like(p.sep_at), np.empty_like(p.sep_cells),
        np.empty_like(p.up), np.empty_like(p.down), np.empty_like(p.strides),
    )  # fmt: skip
    bases = np.empty(tree.starts.size, dtype=np.int64)
    return Cut(program, bases, np.zeros(size, np.int64), np.empty(size, np.int64))


@njit(cache=True, nogil=True)
def cut_tree(tree: Tree, codes: Codes, out: Cut) -> tuple[int, int]:
    """Leave out the dimensions that `codes` has observed; how many cells and messages remain.

    codes: (variables,) the state found, -1 where open.
    """
    p, mine = tree.program, out.program
    cells = messages = dims = strides = 0
    out.seen_in[:] = -1
    for c in range(p.cells.size):
        size = 1
        for dim in range(p.dims[c], p.dims[c + 1]):
            if codes[tree.variables[dim]] < 0:
                mine.cards[dims] = p.cards[dim]
                size *= p.cards[dim]
                dims += 1
        mine.dims[c + 1] = dims
        mine.cells[c], mine.at[c] = size, cells
        cells += size
        for slot in range(p.slots[c], p.slots[c + 1]):
            mine.slot_strides[slot] = strides
            for dim in range(p.dims[c], p.dims[c + 1]):
                if codes[tree.variables[dim]] < 0:
                    mine.strides[strides] = p.strides[p.slot_strides[slot] + dim - p.dims[c]]
                    strides += 1
        strides, size = _cut_separator(tree, codes, out, c, strides)
        mine.sep_at[c], mine.sep_cells[c] = messages, size
        messages += size
    _cut_bases(tree, codes, out.bases)
    return cells, messages


@njit(cache=True, nogil=True)
def _cut_separator(tree: Tree, codes: Codes, out: Cut, c: int, strides: int) -> tuple[int, int]:
    """The strides of the message from clique c over what is open in it and in its parent."""
    p, mine, seen_in = tree.program, out.program, out.seen_in
    above, size, own = p.parent[c], 1, -2 - c
    if above >= 0:
        for dim in range(p.dims[above], p.dims[above + 1]):
            seen_in[tree.variables[dim]] = c
    for dim in range(p.dims[c + 1] - 1, p.dims[c] - 1, -1):
        v = tree.variables[dim]
        out.stride_of[v] = 0
        if codes[v] < 0 and above >= 0 and seen_in[v] == c:
            out.stride_of[v] = size
            size *= p.cards[dim]
    mine.up[c] = strides
    for dim in range(p.dims[c], p.dims[c + 1]):
        v = tree.variables[dim]
        if codes[v] < 0:
            mine.strides[strides] = out.stride_of[v]
            strides += 1
        seen_in[v] = own
    mine.down[c] = strides
    if above >= 0:
        for dim in range(p.dims[above], p.dims[above + 1]):
            v = tree.variables[dim]
            if codes[v] < 0:
                mine.strides[strides] = out.stride_of[v] if seen_in[v] == own else 0
                strides += 1
    return strides, size


@njit(cache=True, nogil=True)
def _cut_bases(tree: Tree, codes: Codes, bases: Ints) -> None:
    """Where the entries of every family that agree with the findings start."""
    for family in range(tree.starts.size):
        base = tree.starts[family]
        for at in range(tree.axes_at[family], tree.axes_at[family + 1]):
            if codes[tree.axes[at]] > 0:
                base += codes[tree.axes[at]] * tree.axes_strides[at]
        bases[family] = base


@njit(cache=True, nogil=True)
def _posterior(tree: Tree, codes: Codes, theta: Floats, out: Cut) -> tuple[float, Room]:
    """The posterior of every clique given the findings, and the log mass; -inf: impossible."""
    cells, messages = cut_tree(tree, codes, out)
    room = room_for(cells, messages, tree.most_dims)
    mass = collect(out.program, 0, tree.program.cells.size, out.bases, 0, theta, room)
    if mass > -np.inf:
        distribute(out.program, 0, tree.program.cells.size, room)
    return mass, room


@njit(cache=True, nogil=True)
def expected_by_tree(
    tree: Tree, codes: Codes, weights: Floats, theta: Floats, out: Floats, log_masses: Floats
) -> None:
    """Expected counts of whole cases (cases, variables), each by its own cut of one tree."""
    mine = cut_room(tree)
    for case in range(codes.shape[0]):
        mass, room = _posterior(tree, codes[case], theta, mine)
        log_masses[case] = mass
        if mass > -np.inf:
            cliques = tree.program.cells.size
            expect(mine.program, 0, cliques, mine.bases, 0, weights[case], out, room)
