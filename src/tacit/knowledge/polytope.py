"""Which tables the rules allow: is there any, what do all of them have in common, one of them.

The tables that linear rules allow form, block by block, a polytope. Ratio lists are not linear and
are left out here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.bounded import NOTHING, bounded
from tacit.knowledge.guesses import guessed
from tacit.knowledge.programs import (
    MISSED,
    ROOM,
    UNIT,
    Part,
    batches,
    empty,
    part_of,
    sizes,
    solved,
    violations,
)

_INSIDE = 1e-9
_DROPPED = 1e-9
"""HiGHS takes smaller factors for 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Interior:
    """What all tables that the rules allow have in common, block by block.

    feasible  (blocks,)     whether the rules of the block can hold together
    point     (positions,)  tables inside: no rule holds with equality, no cell is 0, that need not;
                            nan where the rules cannot hold
    tight     (rules,)      inequalities that hold with equality whenever all rules hold
    zero      (positions,)  cells that are 0 whenever all rules hold
    """

    feasible: Bools
    point: Floats
    tight: Bools
    zero: Bools

    def chosen(self, positions: Ints, rules: Ints, blocks: Ints) -> Interior:
        """The same of some blocks: their positions and rules among all."""
        return Interior(
            self.feasible[blocks], self.point[positions], self.tight[rules], self.zero[positions]
        )


def relative_interior(blocks: Blocks) -> Interior:
    """Whether each block is feasible, what its tables have in common, and one table inside.

    Rows with bounds on disjoint masses have a closed form; elsewhere a table with room to spare,
    if one is guessed, says that nothing is forced; linear programs decide about the rest.
    """
    found = Interior(
        feasible=np.ones(len(blocks), dtype=np.bool_),
        point=np.full(blocks.cells.size, np.nan),
        tight=np.zeros(len(blocks.rules), dtype=np.bool_),
        zero=np.zeros(blocks.cells.size, dtype=np.bool_),
    )
    simple = bounded(blocks)
    found.point[simple.positions] = simple.inside
    found.zero[simple.positions] = simple.high < NOTHING
    found.tight[simple.rules] = True
    rest = np.flatnonzero(~simple.blocks)
    rest, point = guessed(blocks, np.flatnonzero(~simple.blocks))
    found.point[~np.isnan(point)] = point[~np.isnan(point)]
    for batch in batches(sizes(blocks)[rest]):
        _decide(blocks, rest[batch], found)
    return found


def _decide(blocks: Blocks, chosen: Ints, found: Interior) -> None:
    """Write to `found` what linear programs say of these blocks.

    Room: maximise r with  x >= r,  G x + r <= h,  A x = b,  rows summing to one; r > 0 says that
    nothing is forced, and that is all for most blocks. Where r is not positive, the least violation
    says whether the rules can hold at all, and `_forced` finds what they force.
    """
    part = part_of(blocks, chosen)
    if (roomy := _roomiest(part)) is not None:
        inside, room = roomy
        found.point[part.positions] = inside
        chosen = chosen[room <= _INSIDE]
    if not chosen.size:
        return
    part = part_of(blocks, chosen)
    missed, _ = violations(part)
    worst = np.bincount(part.rule_block, np.abs(missed), part.blocks)
    found.feasible[chosen] = worst <= MISSED
    found.point[part.positions] = np.nan
    part, missed = _kept(blocks, chosen[worst <= MISSED], part, missed)
    if part.blocks:
        filled = _forced(part, part.limits + missed)
        found.point[part.positions], found.tight[part.rules], found.zero[part.positions] = filled


def _kept(blocks: Blocks, chosen: Ints, part: Part, missed: Floats) -> tuple[Part, Floats]:
    """The same for fewer blocks."""
    fewer = part_of(blocks, chosen)
    return fewer, missed[np.searchsorted(part.rules, fewer.rules)]


def _roomiest(
    part: Part, free: tuple[Bools, Bools] | None = None, limits: Floats | None = None
) -> tuple[Floats, Floats] | None:
    """A point as far from all bounds as can be, and how far in each block; None if there is none.

    free  which inequalities and which cells must keep a distance; all where not said
    """
    from scipy.sparse import coo_array, eye_array, hstack, vstack

    size = part.block.size
    named = np.diff(part.matrix.indptr) > 0
    distant = named & ~part.equal if free is None else named & ~part.equal & free[0]
    kept = np.arange(size) if free is None else np.flatnonzero(free[1])
    rules, shape = np.flatnonzero(distant), (len(part.limits), part.blocks)
    apart = coo_array((np.ones(rules.size), (rules, part.rule_block[rules])), shape=shape)
    below = coo_array((np.ones(kept.size), (np.arange(kept.size), part.block[kept])),
                      shape=(kept.size, part.blocks))  # fmt: skip
    matrix = vstack([
        hstack([part.matrix, apart]),
        hstack([-eye_array(size, format="csr")[kept], below]),
    ], format="csr")  # fmt: skip
    bounds = np.concatenate([part.limits if limits is None else limits, np.zeros(kept.size)])
    equal = np.concatenate([part.equal, np.zeros(kept.size, dtype=np.bool_)])
    sums = hstack([part.sums, empty(part.sums.shape[0], part.blocks)])
    cost = np.concatenate([np.zeros(size), -np.ones(part.blocks)])
    low = np.concatenate([np.zeros(size), np.full(part.blocks, -np.inf)])
    if free is None:
        low[:size] = -np.inf
    solution = solved(cost, matrix, bounds, equal, sums, low=low)
    return None if solution is None else (solution.x[:size], solution.x[size:])


def _forced(part: Part, limits: Floats) -> tuple[Floats, Bools, Bools]:
    """A point inside, the inequalities that are tight and the cells that are zero.

    Maximise Σ min(slack, millionth) over the inequalities not yet seen to be strict, until the sum
    is zero: then each of them is tight. One round nearly always finds all. What is left then may
    be a small part of something that has its millionth already, so that the last rounds are
    without a cap. [Freund, Roundy and Todd 1985, with a fixed scale]
    """
    most = 1 / UNIT
    strict, positive = part.equal.copy(), _beyond_the_solver(part)
    point = np.zeros(part.block.size)
    while not (strict.all() and positive.all()):
        rules, cells = np.flatnonzero(~strict), np.flatnonzero(~positive)
        told = _most_strict(part, limits, rules, cells, most)
        if told is None:  # rules that leave less room than the solver sees force nothing for sure
            strict[:], positive[:] = True, True
            break
        point = told
        slack = limits - part.matrix @ point
        new_rules, new_cells = ~strict & (slack > ROOM), ~positive & (point > ROOM)
        if not (new_rules.any() or new_cells.any()):
            if most == np.inf:
                break
            most = np.inf
        strict, positive = strict | new_rules, positive | new_cells
    found = _roomiest(part, (strict, positive), limits)
    inside = np.maximum(found[0], 0.0) if found is not None else point
    return np.where(positive, inside, 0.0), ~strict, ~positive


def _beyond_the_solver(part: Part) -> Bools:
    """(cells,) those tied by factors that the solver takes for 0; they are no zeros for that."""
    small = np.abs(part.matrix.data) < _DROPPED
    tied = np.zeros(part.block.size, dtype=np.bool_)
    if small.any():
        owner = np.repeat(np.arange(len(part.limits)), np.diff(part.matrix.indptr))
        tied[part.matrix.indices[np.isin(owner, owner[small])]] = True
    return tied


def _most_strict(
    part: Part, limits: Floats, rules: Ints, cells: Ints, most: float
) -> Floats | None:
    """The point at which Σ min(slack, most) over these rules and cells is largest.

    None where the solver finds none, though there is one but for rounding.
    """
    from scipy.sparse import eye_array, hstack, vstack

    size = part.block.size
    slacks = eye_array(len(limits), format="csr")[:, rules]
    matrix = vstack([
        hstack([part.matrix, slacks, empty(len(limits), cells.size)]),
        hstack([-eye_array(size, format="csr")[cells], empty(cells.size, rules.size),
                eye_array(cells.size)]),
    ], format="csr")  # fmt: skip
    bounds = np.concatenate([limits, np.zeros(cells.size)])
    equal = np.concatenate([part.equal, np.zeros(cells.size, dtype=np.bool_)])
    wanted = rules.size + cells.size
    sums = hstack([part.sums, empty(part.sums.shape[0], wanted)])
    cost = np.concatenate([np.zeros(size), -np.ones(wanted)])
    high = np.concatenate([np.full(size, np.inf), np.full(wanted, most)])
    solution = solved(cost, matrix, bounds, equal, sums, high=high)
    return None if solution is None else np.maximum(solution.x[:size], 0.0)
