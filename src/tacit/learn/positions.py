"""Tables and the positions of a plan: which cells of which table the rules speak of."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.families.conditional_moments import AnyMoments
from tacit.learn.fits import Evidence
from tacit.learn.ruled import Ruled


def tables_named(known: Ruled) -> dict[str, Ints]:
    """Per table that rules speak of, the positions of the plan that lie in it."""
    cells, found = known.plan.blocks.cells, {}
    for name in known.bound.cells.families:
        block = known.bound.cells.block(name)
        first, last = int(block.flat[0]), int(block.flat[-1])
        inside = np.flatnonzero((cells >= first) & (cells <= last))
        if inside.size:
            found[name] = inside
    return found


def held_at(known: Ruled, tables: Mapping[str, Evidence]) -> Floats:
    """What tables hold in the cells of the plan."""
    cells = known.plan.blocks.cells
    out = np.zeros(cells.size)
    for name, inside in tables_named(known).items():
        held = tables[name]
        assert not isinstance(held, AnyMoments)
        start = known.bound.cells.starts[name]
        out[inside] = held.dense().values.ravel()[cells[inside] - start]
    return out


def tables_counted(evidence: Mapping[str, Evidence]) -> dict[str, Floats]:
    """The counts of every table; Gaussian families have none."""
    return {
        name: held.dense().values
        for name, held in evidence.items()
        if not isinstance(held, AnyMoments)
    }


def free_rows(known: Ruled, name: str, inside: Ints | None, shape: tuple[int, ...]) -> Bools:
    """(rows,) the rows of a table that no rule speaks of."""
    free = np.ones(shape[0], dtype=np.bool_)
    if inside is not None:
        at = known.plan.blocks.cells[inside] - known.bound.cells.starts[name]
        free[at // shape[1]] = False
    return free
