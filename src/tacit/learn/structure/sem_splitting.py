"""Pieces too large to write out, cut apart by setting some of their cells in every way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.variables import Discrete
from tacit.infer.contexts import find_pieces
from tacit.infer.flat import Layout
from tacit.infer.pieces import Compiled, compile_pieces, context_posteriors
from tacit.infer.planting import ONE_RUN

MOST = (4096, 256)
"""Joint states of a piece that are written out; lines that a case may be cut into, from which on
cells are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Cases as lines, each with a share of its case.

    cases  the lines: cases some of whose missing cells were set, a column for every variable
    case   (lines,)  the case that a line is of
    share  (lines,)  the posterior of the cells that were set; the lines of a case add up to 1
    drawn  how many cases had cells drawn from their posterior, since there were too many ways
    """

    cases: Dataset
    case: Ints
    share: Floats
    drawn: int = 0


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
    here = Split(_all_columns(cases, layout), np.arange(len(cases)), np.ones(len(cases)))
    rng, drawn = np.random.default_rng(seed), np.zeros(len(cases), dtype=np.bool_)
    while True:
        compiled = compile_pieces(here.cases, layout, find_pieces(here.cases, layout), ONE_RUN)
        cut = _cut(here, compiled, _large(compiled, most_states), most_lines)
        if not cut.line.size:
            return replace(here, drawn=int(drawn.sum())), compiled
        drawn[here.case[cut.line[cut.drawing]]] = True
        values = context_posteriors(compiled, theta).values
        here = _settled(here, layout, cut, values, rng)


def _all_columns(cases: Dataset, layout: Layout) -> Dataset:
    """The cases with a column for every variable, so that hidden ones can be set as well."""
    cards = dict(zip(layout.names, layout.cards, strict=True))
    gone = {name: card for name, card in cards.items() if name not in cases}
    new = {name: Discrete(name, tuple(map(str, range(card)))) for name, card in gone.items()}
    empty = np.full(len(cases), -1, dtype=np.int64)
    return replace(
        cases,
        variables={**cases.variables, **new},
        columns={**cases.columns, **dict.fromkeys(gone, empty)},
    )


def _large(compiled: Compiled, most_states: int) -> Bools:
    """(kinds,) whether a piece has too many joint states; one variable alone never has."""
    planted = compiled.planted
    logs = np.concatenate([[0.0], np.cumsum(np.log(compiled.layout.cards)[planted.members])])
    size = logs[planted.member_at[1:]] - logs[planted.member_at[:-1]]
    return np.asarray((size > np.log(most_states) + 1e-6) & (np.diff(planted.member_at) > 1))


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """The lines to be cut, all arrays by them.

    variable, states  whose cell is set, and how many states it has
    start             where its posterior lies among those of all contexts
    drawing           whether a state is drawn
    """

    line: Ints
    variable: Ints
    states: Ints
    start: Ints
    drawing: Bools


def _cut(here: Split, compiled: Compiled, large: Bools, most_lines: int) -> _Cut:
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
    whose = here.case[line]
    lines = np.bincount(here.case) + np.bincount(
        whose, cards[variable] - 1, minlength=int(here.case.max(initial=-1)) + 1
    )
    start = starts[context] + offset[kind[context]]
    return _Cut(line, variable, cards[variable], start, lines[whose] > most_lines)


def _settled(
    here: Split, layout: Layout, cut: _Cut, values: Floats, rng: np.random.Generator
) -> Split:
    """The lines with the cells set: a line for every state, or one with a state drawn."""
    counts = np.ones(len(here.cases), dtype=np.int64)
    counts[cut.line] = np.where(cut.drawing, 1, cut.states)
    origin = np.repeat(np.arange(counts.size), counts)
    state = np.arange(origin.size) - np.repeat(np.cumsum(counts) - counts, counts)
    owner = np.full(counts.size, -1, dtype=np.int64)
    owner[cut.line] = np.arange(cut.line.size)
    owner = owner[origin]
    share, set_ = here.share[origin], owner >= 0
    drawn = set_ & cut.drawing[owner]
    for at in np.flatnonzero(drawn).tolist():
        first, states = int(cut.start[owner[at]]), int(cut.states[owner[at]])
        below = np.cumsum(values[first : first + states])
        state[at] = min(int(np.searchsorted(below, rng.random() * below[-1])), states - 1)
    exact = set_ & ~drawn
    share[exact] *= values[cut.start[owner[exact]] + state[exact]]
    columns = {name: column[origin] for name, column in here.cases.columns.items()}
    for variable in np.unique(cut.variable).tolist():
        column = columns[layout.names[variable]].copy()
        mine = set_ & (cut.variable[owner] == variable)
        column[mine] = state[mine]
        columns[layout.names[variable]] = column
    weights = None if here.cases.weights is None else here.cases.weights[origin]
    kept = np.flatnonzero(share > 0)
    whole = replace(here.cases, columns=columns, weights=weights).take(kept)
    return Split(whole, here.case[origin][kept], share[kept])
