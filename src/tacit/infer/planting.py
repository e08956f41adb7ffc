"""Clique trees for many sets of variables at once, compiled by kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tacit.arrays import Codes, Ints
from tacit.infer.cliques import CliqueTree
from tacit.infer.flat import Layout
from tacit.infer.sizes import MEMORY_LIMIT, check_piece

if TYPE_CHECKING:
    from tacit.kernels.desk import Desk
    from tacit.kernels.forests import Forest, Space
    from tacit.kernels.planting import Draft

ROUNDS = 200
"""Orders of elimination that are tried for the most costly trees."""
BUCKETS = 8192


@dataclass(frozen=True, slots=True, eq=False)
class Planted:
    """A clique tree for every kind.

    members, member_at    (kinds + 1,)  the variables of each kind, rising
    families, family_at   (kinds + 1,)  the families around each, in the order of base positions
    cells                 (kinds,)      of all cliques of a kind
    work                  the cells and the messages of the largest
    """

    forest: Forest
    member_at: Ints
    members: Ints
    family_at: Ints
    families: Ints
    cells: Ints
    work: tuple[int, int]

    def space(self) -> Space:
        """Work space for one worker."""
        from tacit.kernels.forests import Space

        cells, messages = self.work
        return Space(np.empty(cells), np.empty(messages), np.empty(messages))

    def widths(self, cards: Ints) -> Ints:
        """(kinds,) how many states the variables of each kind have together."""
        total = np.concatenate([[0], np.cumsum(cards[self.members])])
        return np.asarray(total[self.member_at[1:]] - total[self.member_at[:-1]])


@dataclass(frozen=True, slots=True, eq=False)
class Scopes:
    """The variables of the cliques of one tree.

    at, variables  (cliques + 1,)  those of each clique, the ones it passes on last
    own            (cliques,)      how many it does not pass on
    """

    at: Ints
    variables: Ints
    own: Ints


def plant(layout: Layout, codes: Codes, first: Ints, one_clique: int) -> Planted:
    """A clique tree for the missing piece around variable first[k] of every case codes[k].

    codes       (kinds, variables)  -1 where missing
    one_clique  pieces with at most this many joint states get a single clique
    """
    return _planted(_compiled(layout, codes, first, one_clique, _desk(len(layout.names)))[1])


def plant_one(layout: Layout, codes: Ints, joined: Sequence[int] = ()) -> tuple[Planted, Scopes]:
    """One clique tree for all that is missing in a case, connected or not.

    joined  variables that must stand in one clique
    """
    from tacit.kernels.desk import DIMS_AT, JOINED, MEMBER, OWN

    desk = _desk(len(layout.names))
    place = np.cumsum(codes < 0) - 1
    desk.rows[JOINED, place[list(joined)]] = len(joined) > 1
    first = np.array([-1], dtype=np.int64)
    desk, draft = _compiled(layout, codes[None, :], first, 0, desk)
    planted, rows = _planted(draft), desk.rows
    cliques = int(planted.forest.kinds[1])
    at = rows[DIMS_AT, : cliques + 1].copy()
    variables = rows[MEMBER][desk.dims[: at[-1]]]
    return planted, Scopes(at, variables, rows[OWN, :cliques].copy())


def _compiled(
    layout: Layout, codes: Codes, first: Ints, one_clique: int, desk: Desk
) -> tuple[Desk, Draft]:
    """Compile all kinds, with twice the room where it does not suffice."""
    from tacit.kernels.kinds import Limits, compile_kinds
    from tacit.kernels.planting import TOO_LARGE

    draft, done = _draft(first.size, len(layout.names)), 0
    limits = Limits(float(one_clique), MEMORY_LIMIT / 8, ROUNDS)
    while True:
        done = compile_kinds(layout.graph, codes, first, done, limits, desk, draft)
        if done == first.size:
            return desk, draft
        if draft.used[TOO_LARGE]:
            check_piece(layout, _tree_on(desk, int(draft.used[TOO_LARGE])))
        desk = desk._replace(held=_doubled(desk.held), dims=_doubled(desk.dims))
        draft = draft._replace(
            **{
                name: _doubled(getattr(draft, name))
                for name in ("cliques", "slots", "members", "families", "offsets")
            }
        )


def _desk(variables: int) -> Desk:
    from tacit.kernels.desk import PLACE, ROWS, SEEN, Desk

    rows = np.zeros((ROWS, variables + 2), dtype=np.int64)
    rows[[PLACE, SEEN]] = -1
    return Desk(rows, _room(8 * variables + 64), _room(8 * variables + 64))


def _draft(kinds: int, variables: int) -> Draft:
    """Room for many small pieces or one that holds every variable, a long chain for example."""
    from tacit.kernels.planting import USES, Draft

    pieces = kinds + variables
    return Draft(
        kinds=np.zeros((kinds + 1, 4), dtype=np.int64),
        cliques=_room(2 * pieces + 64, 7),
        slots=_room(8 * pieces + 256, 5),
        members=_room(4 * pieces + 64),
        families=_room(8 * pieces + 64),
        offsets=_room(16_384),
        known=np.zeros((BUCKETS, 2), dtype=np.int64),
        used=np.zeros(USES, dtype=np.int64),
    )


def _room(*shape: int) -> Ints:
    return np.empty(shape, dtype=np.int64)


def _doubled(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    more = np.empty((2 * len(values), *values.shape[1:]), dtype=values.dtype)
    more[: len(values)] = values
    return more


def _planted(draft: Draft) -> Planted:
    from tacit.kernels.forests import CELLS, Forest
    from tacit.kernels.planting import MOST_CELLS, MOST_MESSAGES

    kinds, member_at, family_at, views = (column.copy() for column in draft.kinds.T)
    cells = np.concatenate([[0], np.cumsum(draft.cliques[: kinds[-1], CELLS])])
    return Planted(
        forest=Forest(kinds, draft.cliques, draft.slots, views, draft.offsets.view(np.uint64)),
        member_at=member_at,
        members=draft.members[: member_at[-1]],
        family_at=family_at,
        families=draft.families[: family_at[-1]],
        cells=cells[kinds[1:]] - cells[kinds[:-1]],
        work=(int(draft.used[MOST_CELLS]), int(draft.used[MOST_MESSAGES])),
    )


def _tree_on(desk: Desk, cliques: int) -> CliqueTree:
    """The tree that a desk was left with."""
    from tacit.kernels.desk import ABOVE_OF, DIMS_AT, MEMBER

    members, at = desk.rows[MEMBER], desk.rows[DIMS_AT]
    scopes = [members[desk.dims[at[c] : at[c + 1]]] for c in range(cliques)]
    return CliqueTree(
        tuple(tuple(scope.tolist()) for scope in scopes),
        tuple(desk.rows[ABOVE_OF, :cliques].tolist()),
    )
