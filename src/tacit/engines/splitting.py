"""Cases as lines: cells set in every way, or drawn, until what is missing together is small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.variables import Discrete
from tacit.infer.flat import Layout


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Cases as lines, each with a share of its case.

    cases  the lines: cases some of whose missing cells were set, a column for every variable that
           has states
    case   (lines,)  the case that a line is of
    share  (lines,)  the posterior of the cells that were set; the lines of a case add up to 1
    drawn  how many cases had cells drawn from their posterior, since there were too many ways
    """

    cases: Dataset
    case: Ints
    share: Floats
    drawn: int = 0

    @staticmethod
    def of(cases: Dataset, states: Mapping[str, int]) -> Split:
        """Every case one line, with a column for hidden variables too, so that they can be set.

        states  how many each variable has that may be hidden
        """
        gone = {name: many for name, many in states.items() if name not in cases}
        new = {name: Discrete(name, tuple(map(str, range(many)))) for name, many in gone.items()}
        empty = np.full(len(cases), -1, dtype=np.int64)
        whole = replace(
            cases,
            variables={**cases.variables, **new},
            columns={**cases.columns, **dict.fromkeys(gone, empty)},
        )
        return Split(whole, np.arange(len(cases)), np.ones(len(cases)))


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The lines to be cut, all arrays by them.

    variable, states  whose cell is set, and how many states it has
    start             where its posterior lies among `values`
    drawing           whether a state is drawn
    """

    line: Ints
    variable: Ints
    states: Ints
    start: Ints
    drawing: Bools
    values: Floats

    @staticmethod
    def of(
        here: Split, line: Ints, variable: Ints, states: Ints, start: Ints, values: Floats,
        most_lines: int,
    ) -> Cut:  # fmt: skip
        """The cut that draws where a case would come to more lines than `most_lines`."""
        whose = here.case[line]
        many = int(here.case.max(initial=-1)) + 1
        lines = np.bincount(here.case) + np.bincount(whose, states - 1, minlength=many)
        return Cut(line, variable, states, start, lines[whose] > most_lines, values)


def settled(here: Split, layout: Layout, cut: Cut, rng: np.random.Generator) -> Split:
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
        below = np.cumsum(cut.values[first : first + states])
        state[at] = min(int(np.searchsorted(below, rng.random() * below[-1])), states - 1)
    exact = set_ & ~drawn
    share[exact] *= cut.values[cut.start[owner[exact]] + state[exact]]
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
