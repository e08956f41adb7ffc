"""Several hidden variables that are in each other's blankets: one is merged at a time, in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Bools, Floats, Ints, code_type
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, ColumnError, OptionError, listed, nearest, quoted
from tacit.core.grid import Grid, counted
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.estimate.priors import Prior
from tacit.learn.unseen.agglomerated import Agglomeration, fitted_start
from tacit.learn.unseen.agglomeration import (
    Setting,
    blanket_of,
    cases_of,
    check_hidden,
    complete_lines,
    measured,
    merged_states,
    table_weights,
)
from tacit.learn.unseen.merging import (
    PER_CELL,
    SUMMED,
    Column,
    TableWeights,
    completed_score,
)

LEAST = 1e-6
"""What a visit must gain to count."""
MOST_VISITS = 50
"""Of each variable, where nothing guards the score."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One variable merged while the others stayed as they were.

    states    how many it had, and how many merging gives it
    scores    of the completed cases before and after, families with hidden variables only
    accepted  whether the new states were kept
    """

    hidden: str
    states: tuple[int, int]
    scores: tuple[float, float]
    accepted: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Agglomerations:
    """The states of several hidden variables.

    found   the last agglomeration of each that was kept; one that never left a single state has
            the agglomeration that says so
    states  of each
    codes   (cases,) the state of every case by variable, -1 where its blanket is not complete
    alone   variables whose blankets are all measured, each merged for itself
    visits  in order, alone ones not among them
    """

    dag: Dag
    cases: Dataset
    found: Mapping[str, Agglomeration]
    states: Mapping[str, int]
    codes: Mapping[str, Ints]
    alone: tuple[str, ...]
    visits: tuple[Visit, ...]

    @property
    def hidden(self) -> tuple[str, ...]:
        """The variables."""
        return tuple(self.states)

    @property
    def kept(self) -> Dag:
        """The dag without the variables that have one state, which say nothing."""
        gone = {name for name, states in self.states.items() if states == 1}
        parents = {
            name: tuple(parent for parent in self.dag.parents[name] if parent not in gone)
            for name in self.dag.names
            if name not in gone
        }
        return Dag(parents)

    def completed(self) -> Dataset:
        """The cases with a column for every variable of two states or more, named 1, 2, ..."""
        variables, columns = dict(self.cases.variables), dict(self.cases.columns)
        for name, states in self.states.items():
            if states > 1:
                variables[name] = Discrete(name, tuple(str(k + 1) for k in range(states)))
                columns[name] = self.codes[name].astype(code_type(states))
        return replace(self.cases, variables=variables, columns=columns)

    def start(self, prior: Prior | None = None) -> Network:
        """A network to start EM from: `kept` fitted to the cases as completed."""
        lines: Bools = np.ones(len(self.cases), dtype=np.bool_)
        for name, states in self.states.items():
            if states > 1:
                lines &= self.codes[name] >= 0
        return fitted_start(self.kept, self.completed(), lines, prior)

    def grid(self) -> Grid:
        """One line per visit."""
        rows = tuple(
            (
                quoted(visit.hidden),
                f"{visit.states[0]} -> {visit.states[1]}",
                f"{visit.scores[0]:,.2f}",
                f"{visit.scores[1] - visit.scores[0]:+,.2f}",
                "" if visit.accepted else "rejected",
            )
            for visit in self.visits
        )
        title = f"{counted(len(self.visits), 'visit')}, scores in nats"
        return Grid(title, ("variable", "states", "score before", "change", ""), rows)

    def __repr__(self) -> str:
        return f"<Agglomerations: {_said(self.states)}>"

    def __str__(self) -> str:
        alone = (f"each for itself: {listed(map(quoted, self.alone))}",) if self.alone else ()
        visits = (str(self.grid()),) if self.visits else ()
        return "\n".join([f"states: {_said(self.states)}", *alone, *visits])

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def _said(states: Mapping[str, int]) -> str:
    return ", ".join(f"{quoted(name)} {many}" for name, many in states.items())


def agglomerate_all(
    cases: Any,
    dag: Dag | Network | str | Path,
    hidden: Sequence[str],
    *,
    prior: str = PER_CELL,
    strength: float | None = None,
    guard: bool = True,
) -> Agglomerations:
    """How many states each of several hidden variables has.

    One whose blanket is all measured is merged for itself. The others begin with one state each and
    are visited in turn: a visit merges one of them, while the others keep the states that they give
    the cases. One is visited again once its blanket has changed; the end comes when none has.
    [Elidan 2004, section 5.3; HV1 4.4]

    hidden  the variables, in the order of the first visits
    guard   keeps what a visit finds only if the completed cases score higher by it; without it
            they can score lower, and visits need not end by themselves [erratum E37]
    prior, strength  as for `tc.agglomerate`
    """
    known = table_weights(prior, strength)
    data, whole = cases_of(cases, dag)
    if isinstance(hidden, str) or not isinstance(hidden, Sequence) or not hidden:
        raise OptionError(f"hidden={hidden!r} must list the names of hidden variables")
    names = tuple(dict.fromkeys(hidden))
    for name in names:
        check_hidden(name, whole, data)
    _check_measured(data, whole, names)
    found: dict[str, Agglomeration] = {}
    codes: dict[str, Ints] = {}
    visits: list[Visit] = []
    alone: list[str] = []
    for group in coupled(whole, names):
        turn = _Turn.of(data, whole, group, known)
        if len(group) == 1:
            alone += group
            turn.visit(group[0], guard=False)
        else:
            visits += turn.until_settled(guard)
        found |= turn.found
        codes |= {name: turn.codes(name) for name in group}
    states = {name: int(codes[name].max()) + 1 for name in names}
    ordered = {name: found[name] for name in names}
    return Agglomerations(whole, data, ordered, states, codes, tuple(alone), tuple(visits))


def coupled(dag: Dag, hidden: Sequence[str]) -> list[tuple[str, ...]]:
    """The hidden variables in groups: in each other's blankets, or by way of others."""
    groups: list[list[str]] = []
    for name in hidden:
        around = set(blanket_of(dag, name))
        joined = [group for group in groups if around & set(group)]
        groups = [group for group in groups if group not in joined]
        groups.append([*(each for group in joined for each in group), name])
    place = {name: at for at, name in enumerate(hidden)}
    ordered = [tuple(sorted(group, key=place.__getitem__)) for group in groups]
    return sorted(ordered, key=lambda group: place[group[0]])


def _check_measured(data: Dataset, dag: Dag, hidden: Sequence[str]) -> None:
    for name in hidden:
        for other in blanket_of(dag, name):
            if other not in data and other not in hidden:
                raise ColumnError(
                    f"{quoted(other)}, in the blanket of {quoted(name)}, is no column of the cases"
                    f"{nearest(other, data.names)}\n\nname it among the hidden variables, or add "
                    f"its column\n\ncolumns: {listed(data.names)}"
                )


@dataclass(slots=True, eq=False)
class _Turn:
    """Where a group of hidden variables stands: the only thing here that changes.

    lines    the cases with all measured cells of all blankets
    columns  every variable around, hidden ones with their states so far
    """

    data: Dataset
    dag: Dag
    group: tuple[str, ...]
    prior: TableWeights
    lines: Bools
    columns: dict[str, Column]
    found: dict[str, Agglomeration]

    @staticmethod
    def of(data: Dataset, dag: Dag, group: tuple[str, ...], prior: TableWeights) -> _Turn:
        """Every hidden variable with one state."""
        around = dict.fromkeys(name for each in group for name in blanket_of(dag, each))
        seen = [name for name in around if name not in group]
        lines = complete_lines(data, seen)
        if not lines.any():
            raise CasesError(
                f"no case has all of the blankets of {listed(map(quoted, group))}: "
                f"{listed(map(quoted, seen))}"
            )
        columns = {name: measured(data, name) for name in seen}
        one = Column(np.zeros(len(data), np.int64), np.ones(1))
        columns |= dict.fromkeys(group, one)
        return _Turn(data, dag, group, prior, lines, columns, {})

    def visit(self, name: str, guard: bool) -> Visit:
        """Merge one while the others stay."""
        around = {each: self.columns[each] for each in blanket_of(self.dag, name)}
        setting = Setting(self.data, self.dag, name, self.prior)
        found = merged_states(setting, around, self.lines)
        before = self.columns[name]
        score = self._score()
        self.columns[name] = self._column(found)
        after, new = self._score(), self.columns[name]
        accepted = not guard or after > score + LEAST
        if not accepted:
            self.columns[name] = before
        if accepted or name not in self.found:
            self.found[name] = found
        return Visit(name, (before.shares.size, new.shares.size), (score, after), accepted)

    def until_settled(self, guard: bool) -> list[Visit]:
        """Visit those whose blankets changed until there are none."""
        waiting, visits = list(self.group), list[Visit]()
        while waiting and len(visits) < MOST_VISITS * len(self.group):
            name = waiting.pop(0)
            before = self.columns[name]
            visits.append(self.visit(name, guard))
            if _same(before.codes[self.lines], self.columns[name].codes[self.lines]):
                continue
            near = [each for each in self.group if each in blanket_of(self.dag, name)]
            waiting += [each for each in near if each not in waiting]
        return visits

    def codes(self, name: str) -> Ints:
        """The state of every case."""
        return np.where(self.lines, self.columns[name].codes, -1)

    def _column(self, found: Agglomeration) -> Column:
        state_of, _ = found.tree.cut(found.states)
        shares: Floats = np.full(found.states, 1 / found.states)
        if self.prior.kind == SUMMED:
            shares = np.bincount(state_of) / state_of.size
        return Column(np.where(self.lines, found.assignment(), 0), shares)

    def _score(self) -> float:
        weights = self.data.weights
        weights = np.ones(len(self.data)) if weights is None else weights
        columns = {
            name: Column(column.codes[self.lines], column.shares)
            for name, column in self.columns.items()
        }
        return completed_score(self.dag, self.group, columns, weights[self.lines], self.prior)


def _same(one: Ints, other: Ints) -> bool:
    """Whether two assignments part the cases alike, whatever the states are called."""
    pairs = np.unique(np.stack([one, other]), axis=1).shape[1]
    return bool(pairs == np.unique(one).size == np.unique(other).size)
