"""Pieces too large to write out, cut apart by setting some of their cells in every way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.dataset import Dataset
from tacit.engines.splitting import Cut, Split, settled
from tacit.infer.contexts import find_pieces
from tacit.infer.flat import Layout
from tacit.infer.pieces import Compiled, compile_pieces, context_posteriors
from tacit.infer.planting import ONE_RUN

MOST = (4096, 256)
"""Joint states of a piece that are written out; lines that a case may be cut into, from which on
cells are drawn."""


def split(
    cases: Dataset,
    layout: Layout,
    theta: Floats,
    seed: int | Sequence[int],
) -> tuple[Split, Compiled]:
    """The cases, those with large missing pieces in several lines, and the pieces of the lines.

    A cell of a large piece is set to each of its states in turn, weighed by its posterior; what is
    left falls apart. That is exact. Where a case would become too many lines the cell is drawn in
    each line instead: right on average only, and counted in `drawn`.
    """
    most_states, most_lines = MOST
    here = Split.of(cases, dict(zip(layout.names, layout.cards, strict=True)))
    rng, drawn = np.random.default_rng(seed), np.zeros(len(cases), dtype=np.bool_)
    while True:
        compiled = compile_pieces(here.cases, layout, find_pieces(here.cases, layout), ONE_RUN)
        large = _large(compiled, most_states)
        if not large[compiled.batch.kind][compiled.pieces.context].any():
            return replace(here, drawn=int(drawn.sum())), compiled
        cut = _cut(here, compiled, large, context_posteriors(compiled, theta).values, most_lines)
        drawn[here.case[cut.line[cut.drawing]]] = True
        here = settled(here, layout, cut, rng)


def _large(compiled: Compiled, most_states: int) -> Bools:
    """(kinds,) whether a piece has too many joint states; one variable alone never has."""
    planted = compiled.planted
    logs = np.concatenate([[0.0], np.cumsum(np.log(compiled.layout.cards)[planted.members])])
    size = logs[planted.member_at[1:]] - logs[planted.member_at[:-1]]
    return np.asarray((size > np.log(most_states) + 1e-6) & (np.diff(planted.member_at) > 1))


def _cut(here: Split, compiled: Compiled, large: Bools, values: Floats, most_lines: int) -> Cut:
    """One cell of the first large piece of every line that has one: that with most neighbours."""
    layout, pieces, planted = compiled.layout, compiled.pieces, compiled.planted
    kind = compiled.batch.kind
    mine = np.flatnonzero(large[kind][pieces.context]) if kind.size else pieces.case
    line, first = np.unique(pieces.case[mine], return_index=True)
    context = pieces.context[mine[first]]
    centre, offset = np.zeros((2, large.size), dtype=np.int64)
    for each in np.flatnonzero(large):
        piece = planted.members[planted.member_at[each] : planted.member_at[each + 1]].tolist()
        near = [len(layout.neighbours[variable].intersection(piece)) for variable in piece]
        at = int(np.argmax(near))
        centre[each], offset[each] = piece[at], sum(layout.cards[v] for v in piece[:at])
    cards = np.array(layout.cards, dtype=np.int64)
    widths = planted.widths(cards)[kind]
    starts = np.cumsum(widths) - widths
    variable = centre[kind[context]]
    start = starts[context] + offset[kind[context]]
    return Cut.of(here, line, variable, cards[variable], start, values, most_lines)
