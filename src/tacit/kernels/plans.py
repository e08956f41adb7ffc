"""An elimination turned into a tree of maximal cliques, on the desk."""

from __future__ import annotations

from numba import njit

from tacit.kernels.desk import (
    ABOVE_OF,
    CARD,
    CLIQUE,
    DIMS_AT,
    END,
    HELD_AT,
    ORDER,
    OWN,
    STANDS,
    STEP,
    UP,
    Desk,
)  # fmt: skip


@njit(cache=True, nogil=True)
def plan(desk: Desk, size: int) -> int:
    """The cliques, each after all that hang below it; how many there are.

    A clique hangs below that in which its next variable goes. If that one is all of its own but the
    variable that went, it is absorbed; so what a clique has absorbed is what it does not pass on.
    """
    rows, held = desk.rows, desk.held
    for step in range(size):
        rows[STEP, rows[ORDER, step]] = step
        rows[STANDS, step] = step
    for step in range(size):
        up = size
        for at in range(rows[HELD_AT, step] + 1, rows[HELD_AT, step + 1]):
            up = min(up, rows[STEP, held[at]])
        rows[UP, step] = up
    for step in range(size):
        if rows[STANDS, step] != step:
            continue
        here, up = step, rows[UP, step]
        while up < size and rows[STANDS, up] == up:
            length = rows[HELD_AT, here + 1] - rows[HELD_AT, here]
            if rows[HELD_AT, up + 1] - rows[HELD_AT, up] != length - 1:
                break
            rows[STANDS, up], here = step, up
            up = rows[UP, here]
        rows[END, step] = here
    return _list_cliques(desk, size)


@njit(cache=True, nogil=True)
def _list_cliques(desk: Desk, size: int) -> int:
    """Number the cliques by the last step that each absorbed, and list their variables."""
    rows, held, dims = desk.rows, desk.held, desk.dims
    count = end = 0
    for step in range(size):
        first = rows[STANDS, step]
        if rows[END, first] != step:
            continue
        rows[CLIQUE, first], rows[DIMS_AT, count] = count, end
        here = first
        while True:
            dims[end] = rows[ORDER, here]
            end += 1
            if here == step:
                break
            here = rows[UP, here]
        rows[OWN, count] = end - rows[DIMS_AT, count]
        for at in range(rows[HELD_AT, step] + 1, rows[HELD_AT, step + 1]):
            dims[end] = held[at]
            end += 1
        count += 1
    rows[DIMS_AT, count] = end
    for step in range(size):
        first = rows[STANDS, step]
        rows[CLIQUE, step] = rows[CLIQUE, first]
    for step in range(size):
        if rows[END, rows[STANDS, step]] == step:
            up = rows[UP, step]
            rows[ABOVE_OF, rows[CLIQUE, step]] = rows[CLIQUE, up] if up < size else -1
    return count


@njit(cache=True, nogil=True)
def cells_of(desk: Desk, cliques: int) -> float:
    """The cells of all cliques, as a number that cannot overflow."""
    total = 0.0
    for c in range(cliques):
        cells = 1.0
        for at in range(desk.rows[DIMS_AT, c], desk.rows[DIMS_AT, c + 1]):
            cells *= desk.rows[CARD, desk.dims[at]]
        total += cells
    return total
