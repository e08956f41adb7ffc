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
from tacit.infer.exact import marginals
from tacit.infer.flat import Layout
from tacit.infer.lanes import LaneTree
from tacit.infer.pieces import Compiled, ContextPosteriors, compile_pieces, context_posteriors

VARIABLE_SECONDS = 3e-6
"""What a variable of a missing piece costs to compile."""
CELL_SECONDS = 2.5e-9
"""What a cell of a whole clique tree costs, for one of many cases side by side."""
WORTH_A_TREE = 0.05
"""Seconds of compiling below which no other way is looked for."""
VARIABLE_BYTES = 250
MOST_BYTES = 2**30
"""Compiled pieces that would take more are done in two halves."""


class Posteriors(Protocol):
    """P(variable | what is observed) of many cases."""

    @property
    def impossible(self) -> Bools:
        """Which cases have probability 0."""

    def of(self, place: int) -> tuple[Ints, Floats]:
        """The cases in which a variable is missing, or more, and its posterior in each."""


@dataclass(frozen=True, slots=True, eq=False)
class ByContext:
    """Posteriors of missing pieces, equal ones once."""

    compiled: Compiled
    found: ContextPosteriors
    impossible: Bools

    def of(self, place: int) -> tuple[Ints, Floats]:
        """The posterior of the context that each case has."""
        pieces, layout = self.compiled.pieces, self.compiled.layout
        offset = self._offsets(place)[pieces.kind[pieces.context]]
        used = offset >= 0
        start = self.found.at[pieces.context[used]] + offset[used]
        states = np.arange(layout.cards[place])
        return pieces.case[used], self.found.values[start[:, None] + states]

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

    def of(self, place: int) -> tuple[Ints, Floats]:
        """All cases."""
        first = sum(self.layout.cards[:place])
        own = slice(first, first + self.layout.cards[place])
        return np.arange(len(self.values)), self.values[:, own]


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

    def of(self, place: int) -> tuple[Ints, Floats]:
        """Of both."""
        (case, values), (later, others) = self.one.of(place), self.other.of(place)
        return np.concatenate([case, later + self.middle]), np.concatenate([values, others])


def posteriors(engine: Engine, cases: Dataset, threads: int) -> Posteriors:
    """The posteriors of all that is missing: equal pieces merged, each by a clique tree of its own,
    or, where hardly any are equal, all cases by the tree of the whole network."""
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
    """The posteriors of one case whose probability is too small for a float; False if it is 0."""
    mass, found = marginals(engine, Observed(codes.astype(np.int64), engine.theta))
    if mass > -np.inf:
        out[:] = np.concatenate(found)
    return mass > -np.inf
