"""Posteriors of many cases, by whichever way costs less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.arrays import Bools, Codes, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import SizeError
from tacit.infer.contexts import Pieces, code_matrix, find_pieces
from tacit.infer.engine import Engine, Observed
from tacit.infer.exact import all_posteriors
from tacit.infer.flat import Layout
from tacit.infer.lanes import LaneTree
from tacit.infer.pieces import Compiled, ContextPosteriors, compile_pieces, context_posteriors

VARIABLE_SECONDS = 3e-6
"""What a variable of a missing piece costs to compile."""
CELL_SECONDS = 2.5e-9
"""What a cell of a whole clique tree costs, for one of many cases side by side."""
WORTH_A_TREE = 0.05
"""Seconds of compiling below which no other way is looked for."""
FEW = 4
"""Cases that are asked about one by one."""
VARIABLE_BYTES = 250
MOST_BYTES = 2**30
"""Compiled pieces that would take more are done in two halves."""


class Posteriors(Protocol):
    """P(variable | what is observed) of many cases."""

    @property
    def impossible(self) -> Bools:
        """Which cases have probability 0."""

    def put(self, place: int, out: Floats) -> None:
        """Write the posterior of a variable, (cases, states), at least where it is missing."""


@dataclass(frozen=True, slots=True, eq=False)
class ByContext:
    """Posteriors of missing pieces, equal ones once."""

    compiled: Compiled
    found: ContextPosteriors
    impossible: Bools

    def put(self, place: int, out: Floats) -> None:
        """The posterior of the context that each case has."""
        pieces = self.compiled.pieces
        offset = self._offsets(place)[pieces.kind[pieces.context]]
        used = offset >= 0
        start = self.found.at[pieces.context[used]] + offset[used]
        out[pieces.case[used]] = self.found.values[start[:, None] + np.arange(out.shape[1])]

    def _offsets(self, place: int) -> Ints:
        """Per kind, where the posterior of a variable lies in that of a context; -1: nowhere."""
        planted, cards = self.compiled.planted, self.compiled.layout.graph.cards
        offsets = np.full(planted.cells.size + 1, -1, dtype=np.int64)
        found = np.flatnonzero(planted.members == place)
        kind = np.searchsorted(planted.member_at, found, side="right") - 1
        before = np.concatenate([[0], np.cumsum(cards[planted.members])])
        offsets[kind] = before[found] - before[planted.member_at[kind]]
        return offsets


@dataclass(frozen=True, slots=True, eq=False)
class SideBySide:
    """Posteriors of everything in every case: (cases, states of all variables)."""

    layout: Layout
    values: Floats
    impossible: Bools

    def put(self, place: int, out: Floats) -> None:
        """The columns of the variable."""
        first = self.layout.state_at[place]
        out[:] = self.values[:, first : first + out.shape[1]]


@dataclass(frozen=True, slots=True, eq=False)
class Halves:
    """Posteriors of the cases before `middle`, and of the others."""

    one: Posteriors
    other: Posteriors
    middle: int

    @property
    def impossible(self) -> Bools:
        """Of both."""
        return np.concatenate([self.one.impossible, self.other.impossible])

    def put(self, place: int, out: Floats) -> None:
        """Of both."""
        self.one.put(place, out[: self.middle])
        self.other.put(place, out[self.middle :])


def posteriors(engine: Engine, cases: Dataset, threads: int) -> Posteriors:
    """The posteriors of all that is missing: equal pieces merged, each by a clique tree of its own,
    or, where hardly any are equal, all cases by the tree of the whole network."""
    if len(cases) <= FEW:
        return _one_by_one(engine, cases)
    pieces = find_pieces(cases, engine.layout)
    tree = _tree_instead(engine, pieces, len(cases))
    if tree is not None:
        return _side_by_side(engine, tree, cases, threads)
    if VARIABLE_BYTES * _variables(pieces) > MOST_BYTES and len(cases) > 1:
        middle = len(cases) // 2
        parts = np.split(np.arange(len(cases)), [middle])
        one, other = (posteriors(engine, cases.take(part), threads) for part in parts)
        return Halves(one, other, middle)
    compiled = compile_pieces(cases, engine.layout, pieces)
    found = context_posteriors(compiled, engine.theta, threads)
    gone = np.zeros(len(cases), dtype=np.bool_)
    gone[pieces.case[found.log_masses[pieces.context] == -np.inf]] = True
    return ByContext(compiled, found, gone)


def _one_by_one(engine: Engine, cases: Dataset) -> SideBySide:
    layout = engine.layout
    codes = code_matrix(cases, layout.names, np.arange(len(cases)))
    values = np.zeros((len(cases), int(layout.state_at[-1])))
    gone = [not _with_care(engine, row, out) for row, out in zip(codes, values, strict=True)]
    return SideBySide(layout, values, np.array(gone, dtype=np.bool_))


def _variables(pieces: Pieces) -> int:
    """How many variables all kinds have together."""
    _, example = np.unique(pieces.kind, return_index=True)
    return int(pieces.size[example].sum())


def compiling(pieces: Pieces) -> float:
    """About how many seconds it takes to compile the kinds of these pieces."""
    return VARIABLE_SECONDS * _variables(pieces)


def _tree_instead(engine: Engine, pieces: Pieces, cases: int) -> LaneTree | None:
    """The tree of the whole network, if that costs less than to compile the pieces."""
    if compiling(pieces) < WORTH_A_TREE:
        return None
    try:
        tree = engine.lanes()
    except SizeError:
        return None
    return tree if CELL_SECONDS * tree.cells * cases < compiling(pieces) else None


def _side_by_side(engine: Engine, tree: LaneTree, cases: Dataset, threads: int) -> SideBySide:
    codes = code_matrix(cases, engine.layout.names, np.arange(len(cases)))
    values, masses = tree.posteriors(codes, engine.theta, threads)
    gone = np.zeros(len(cases), dtype=np.bool_)
    for case in np.flatnonzero(masses == 0):
        gone[case] = not _with_care(engine, codes[case], values[case])
    return SideBySide(engine.layout, values, gone)


def _with_care(engine: Engine, codes: Codes, out: Floats) -> bool:
    """The posteriors of one case, however small its probability; False if that is 0."""
    mass, out[:] = all_posteriors(engine, Observed(codes.astype(np.int64), engine.theta))
    return mass > -np.inf
