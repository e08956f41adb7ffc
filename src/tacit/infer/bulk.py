"""Posteriors of many cases, by whichever way costs less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.arrays import Bools, Codes, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import SizeError
from tacit.infer.contexts import Pieces, codes_of, find_pieces
from tacit.infer.engine import Engine, Observed
from tacit.infer.exact import all_posteriors
from tacit.infer.flat import Layout
from tacit.infer.lanes import LaneTree
from tacit.infer.pieces import Compiled, ContextPosteriors, compile_pieces, context_posteriors
from tacit.infer.planting import ONE_RUN

VARIABLE_SECONDS = 1e-6
"""What a variable of a missing piece costs to compile."""
CELL_SECONDS = 2.5e-9
"""What a cell of a whole clique tree costs, for one of many cases side by side."""
WORTH_A_TREE = 0.05
"""Seconds of compiling below which no other way is looked for."""
FEW = 4
"""Cases that are asked about one by one."""
WRITTEN_OUT = 2**24
"""Numbers up to which all posteriors are written out."""
VARIABLE_BYTES = 250
MOST_BYTES = 2**30
"""Compiled pieces that would take more are done in two halves."""


class Posteriors(Protocol):
    """P(variable | what is observed) of many cases."""

    @property
    def impossible(self) -> Bools:
        """Which cases have probability 0."""

    def of(self, place: int) -> Floats:
        """(cases, states) the posterior of a variable, where it is observed all mass there."""


@dataclass(frozen=True, slots=True, eq=False)
class ByContext:
    """Posteriors of missing pieces, equal ones once."""

    data: Dataset
    compiled: Compiled
    found: ContextPosteriors
    impossible: Bools

    def of(self, place: int) -> Floats:
        """The posterior of the context that each case has."""
        pieces, layout = self.compiled.pieces, self.compiled.layout
        values = np.zeros((len(self.data), layout.cards[place]))
        if layout.names[place] in self.data:
            codes = self.data[layout.names[place]]
            seen = np.flatnonzero(codes >= 0)
            values[seen, codes[seen]] = 1.0
        offset = self._offsets(place)[pieces.kind[pieces.context]]
        used = offset >= 0
        start = self.found.at[pieces.context[used]] + offset[used]
        values[pieces.case[used]] = self.found.values[start[:, None] + np.arange(values.shape[1])]
        return values

    def _offsets(self, place: int) -> Ints:
        """Per kind, where the posterior of a variable lies in that of a context; -1: nowhere."""
        planted, cards = self.compiled.planted, self.compiled.layout.graph.cards
        offsets = np.full(planted.cells.size + 1, -1, dtype=np.int64)
        found = np.flatnonzero(planted.members == place)
        kind = np.searchsorted(planted.member_at, found, side="right") - 1
        before = np.concatenate([[0], np.cumsum(cards[planted.members])])
        offsets[kind] = before[found] - before[planted.member_at[kind]]
        return offsets

    def side_by_side(self) -> SideBySide:
        """All posteriors written out."""
        from tacit.kernels.lanes import spread

        layout, pieces, planted = self.compiled.layout, self.compiled.pieces, self.compiled.planted
        codes = codes_of(self.data, layout, np.arange(len(self.data)))
        values = np.zeros(len(codes) * int(layout.state_at[-1]))
        start, kind = self.found.at[pieces.context], pieces.kind[pieces.context]
        spread(
            codes, layout.state_at, pieces.case, start, kind, planted.member_at, planted.members,
            self.found.values, values,
        )  # fmt: skip
        return SideBySide(layout, values, self.impossible)


@dataclass(frozen=True, slots=True, eq=False)
class SideBySide:
    """Posteriors of everything in every case: the variables one after the other, each
    (cases, states), flat."""

    layout: Layout
    values: Floats
    impossible: Bools

    def of(self, place: int) -> Floats:
        """Those of one variable."""
        cases = self.impossible.size
        first, last = self.layout.state_at[place : place + 2]
        return self.values[cases * first : cases * last].reshape(cases, last - first).copy()

    def put(self, case: int, posteriors: Floats) -> None:
        """Write the posteriors of all variables of one case."""
        cases, at = self.impossible.size, self.layout.state_at
        card = np.repeat(np.diff(at), np.diff(at))
        within = np.arange(at[-1]) - np.repeat(at[:-1], np.diff(at))
        self.values[cases * (np.arange(at[-1]) - within) + case * card + within] = posteriors


@dataclass(frozen=True, slots=True, eq=False)
class Halves:
    """Posteriors of the cases of one half, and of the other."""

    one: Posteriors
    other: Posteriors

    @property
    def impossible(self) -> Bools:
        """Of both."""
        return np.concatenate([self.one.impossible, self.other.impossible])

    def of(self, place: int) -> Floats:
        """Of both."""
        return np.concatenate([self.one.of(place), self.other.of(place)])


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
        parts = np.array_split(np.arange(len(cases)), 2)
        one, other = (posteriors(engine, cases.take(part), threads) for part in parts)
        return Halves(one, other)
    compiled = compile_pieces(cases, engine.layout, pieces, ONE_RUN)
    found = context_posteriors(compiled, engine.theta, threads)
    gone = np.zeros(len(cases), dtype=np.bool_)
    gone[pieces.case[found.log_masses[pieces.context] == -np.inf]] = True
    merged = ByContext(cases, compiled, found, gone)
    small = len(cases) * int(engine.layout.state_at[-1]) <= WRITTEN_OUT
    return merged.side_by_side() if small else merged


def _one_by_one(engine: Engine, cases: Dataset) -> SideBySide:
    layout = engine.layout
    codes = codes_of(cases, layout, np.arange(len(cases)))
    values = np.zeros(len(cases) * int(layout.state_at[-1]))
    found = SideBySide(layout, values, np.zeros(len(cases), dtype=np.bool_))
    _with_care(engine, codes, np.arange(len(cases)), found)
    return found


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
    codes = codes_of(cases, engine.layout, np.arange(len(cases)))
    values, masses = tree.posteriors(codes, engine.theta, threads)
    found = SideBySide(engine.layout, values, np.zeros(len(cases), dtype=np.bool_))
    _with_care(engine, codes, np.flatnonzero(masses == 0), found)
    return found


def _with_care(engine: Engine, codes: Codes, chosen: Ints, out: SideBySide) -> None:
    """The posteriors of some cases, however small their probability."""
    for case in chosen:
        observed = Observed(codes[case].astype(np.int64), engine.theta)
        mass, found = all_posteriors(engine, observed)
        out.put(case, found)
        out.impossible[case] = mass == -np.inf
