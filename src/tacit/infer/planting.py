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
from tacit.infer.sizes import ASK, MEMORY_LIMIT, OBSERVE, too_large

if TYPE_CHECKING:
    from tacit.kernels.desk import Desk
    from tacit.kernels.forests import Forest, Graph, Space
    from tacit.kernels.kinds import Limits
    from tacit.kernels.planting import Draft

ONE_RUN, MANY_RUNS = 2.0, 10.0
"""How much time the search for a good tree may take, in runs of it."""
BUCKETS = 2**13


@dataclass(frozen=True, slots=True, eq=False)
class Planted:
    """A clique tree for every kind.

    members, member_at    (kinds + 1,)  the variables of each kind
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

    def of(self, clique: int) -> Ints:
        """The variables of one clique."""
        return self.variables[self.at[clique] : self.at[clique + 1]]

    def home(self, wanted: Sequence[int]) -> int:
        """The first clique that holds all of these variables."""
        cliques = [np.flatnonzero(self.variables == v) for v in wanted]
        homes = [np.searchsorted(self.at, each, side="right") - 1 for each in cliques]
        common = set.intersection(*(set(each.tolist()) for each in homes)) if homes else {0}
        return min(common)


def plant(
    layout: Layout, codes: Codes, row: Ints, first: Ints, one_clique: int, effort: float = MANY_RUNS
) -> Planted:
    """A clique tree for the missing piece around variable first[k] of every case codes[row[k]].

    codes       (cases, variables)  -1 where missing
    one_clique  pieces with at most this many joint states get a single clique
    effort      how much time the search for good trees may take, in runs of them
    """
    from tacit.kernels.kinds import Limits

    limits = Limits(float(one_clique), MEMORY_LIMIT / 8, effort)
    try:
        return _planted(
            _compiled(layout.graph, codes, row, first, limits, _desk(codes.shape[1]))[1]
        )
    except _TooLargeError as error:
        raise too_large(layout, error.tree, MEMORY_LIMIT, OBSERVE) from None


def plant_one(
    layout: Layout,
    codes: Ints,
    joined: Sequence[int] = (),
    part: Graph | None = None,
    limit: int = MEMORY_LIMIT,
    effort: float = ONE_RUN,
) -> tuple[Planted, Scopes]:
    """One clique tree for all that is missing in a case, connected or not.

    joined  variables that must stand in one clique
    part    some of the families, if not all count
    """
    from tacit.kernels.desk import DIMS_AT, JOINED, MEMBER, OWN
    from tacit.kernels.kinds import Limits

    desk, graph = _desk(codes.size), part or layout.graph
    place = np.cumsum(codes[graph.order] < 0) - 1  # members stand in the order of the graph
    desk.rows[JOINED, place[graph.rank[list(joined)]]] = len(joined) > 1
    first, row = np.full(1, -1), np.zeros(1, dtype=np.int64)
    limits = Limits(0.0, limit / 8, effort)
    try:
        desk, draft = _compiled(graph, codes[None, :], row, first, limits, desk)
    except _TooLargeError as error:
        raise too_large(layout, error.tree, limit, ASK) from None
    planted, rows = _planted(draft), desk.rows
    cliques = int(planted.forest.kinds[1])
    at = rows[DIMS_AT, : cliques + 1].copy()
    variables = rows[MEMBER][desk.dims[: at[-1]]]
    return planted, Scopes(at, variables, rows[OWN, :cliques].copy())


class _TooLargeError(Exception):
    """A tree that takes more memory than it may; never leaves this module."""

    def __init__(self, tree: CliqueTree) -> None:
        self.tree = tree


def _compiled(
    graph: Graph, codes: Codes, row: Ints, first: Ints, limits: Limits, desk: Desk
) -> tuple[Desk, Draft]:
    """Compile all kinds, with twice the room where it does not suffice."""
    from tacit.kernels.kinds import compile_kinds
    from tacit.kernels.planting import TOO_LARGE

    draft, done = _draft(first.size, codes.shape[1]), 0
    while True:
        done = compile_kinds(graph, codes, row, first, done, limits, desk, draft)
        if done == first.size:
            return desk, draft
        if draft.used[TOO_LARGE]:
            raise _TooLargeError(_tree_on(desk, int(draft.used[TOO_LARGE])))
        desk, draft = _with_room(desk, draft)


def _with_room(desk: Desk, draft: Draft) -> tuple[Desk, Draft]:
    """Twice the room for what was too short."""
    from tacit.kernels.planting import NO_ROOM, SHORT_DESK, SHORT_TABLES

    if draft.used[NO_ROOM] == SHORT_DESK:
        return desk._replace(held=_doubled(desk.held), dims=_doubled(desk.dims)), draft
    tables = ("cliques", "slots", "members", "families")
    short = tables if draft.used[NO_ROOM] == SHORT_TABLES else ("offsets",)
    return desk, draft._replace(**{name: _doubled(getattr(draft, name)) for name in short})


def _desk(variables: int) -> Desk:
    from tacit.kernels.desk import PLACE, ROWS, SEEN, Desk

    rows = np.zeros((ROWS, variables + 2), dtype=np.int64)
    rows[[PLACE, SEEN]] = -1
    return Desk(rows, _room(8 * variables + 64), _room(8 * variables + 64))


def _draft(kinds: int, variables: int) -> Draft:
    """Room for many small kinds, or for one of all variables."""
    from tacit.kernels.planting import USES, Draft

    return Draft(
        kinds=np.zeros((kinds + 1, 4), dtype=np.int64),
        cliques=_room(2 * kinds + variables, 7),
        slots=_room(8 * kinds + 5 * variables, 5),
        members=_room(4 * kinds + variables),
        families=_room(8 * kinds + 2 * variables),
        offsets=_room(16_384),
        known=np.zeros((BUCKETS, 3), dtype=np.int64),
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
