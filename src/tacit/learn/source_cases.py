"""Cases of a related site: which of its columns can lend, and what is counted of them.

Only tables are lent, so only columns with states are read. In a network that a source may have,
a variable with states has none but such parents: those columns are a network by themselves, and
what is counted or expected of its tables is what they would lend beside any column of real values.
A gap there is filled in by the columns with states alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import ColumnError, OptionError, listed, quoted
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.io.cases import as_dataset
from tacit.io.states import number
from tacit.learn.fits import Evidence
from tacit.learn.structures import Structure, as_structure

ALL_REAL = (
    "it has no table to lend: all its variables are continuous"
    "\n\nmake them discrete with tc.discretise, or leave this source out"
)


@dataclass(frozen=True, slots=True, eq=False)
class SourceCounts:
    """Counts of the tables that a source can lend, over its variables with states, and what to say
    of those that it cannot lend."""

    dag: Dag
    variables: Mapping[str, Variable]
    evidence: Mapping[str, Evidence]
    notes: tuple[str, ...] = ()


def counted_there(
    structure: Dag | Network | str | Path | None,
    data: Any,
    target: Dag,
    ours: Mapping[str, Variable],
) -> SourceCounts:
    """What the cases of a source say of its tables; with gaps, what EM expects.

    structure  of the source; that of the target if not given, as far as its variables have states
    ours       the variables of the target, as far as they are known
    """
    if structure is None:
        real = {name for name, each in ours.items() if isinstance(each, Continuous)}
        given = Structure(part_of(target, [name for name in target.names if name not in real]))
        cases = _in_our_states(_read(data, given, own=False), ours)
    else:
        given = as_structure(structure)
        cases = _read(data, given, own=True)
    columns = Columns.of(given.dag, cases)
    kept = columns.kept
    if not columns.whole:
        raise OptionError(columns.nothing)
    from tacit.learn.fit import fit

    dag = part_of(given.dag, kept)
    own = dag if structure is None or dag != given.dag else structure
    learned = fit(own, cases.select(kept))
    evidence = {name: learned.evidence[name] for name in columns.whole}
    said = tuple(columns.said(own=structure is not None))
    return SourceCounts(dag, learned.network.variables, evidence, said)


def part_of(dag: Dag, names: Sequence[str]) -> Dag:
    """The dag over these variables alone."""
    kept = set(names)
    return Dag({name: tuple(p for p in dag.parents[name] if p in kept) for name in names})


def _read(data: Any, given: Structure, *, own: bool) -> Dataset:
    """The columns of a structure, its own or that of the target."""
    try:
        return as_dataset(data, like=given.variables, columns=given.dag.names)
    except ColumnError as problem:
        right = (
            "a source with other variables says how they hang together: "
            'tc.Source(cases, structure="A -> B")'
        )
        if own:
            right = "every variable in the structure of a source needs a column"
        raise ColumnError(f"{problem}\n\n{right}") from None


def _in_our_states(cases: Dataset, ours: Mapping[str, Variable]) -> Dataset:
    """The cases, columns of numbers that are all states of ours in these states."""
    alike: dict[str, Variable] = {}
    for name, theirs in cases.variables.items():
        own = ours.get(name)
        if not isinstance(theirs, Continuous) or not isinstance(own, Discrete):
            continue
        if _only(np.asarray(cases[name]), own):
            alike[name] = own
    return as_dataset(cases, like={**cases.variables, **alike}) if alike else cases


def _only(column: Floats, variable: Discrete) -> bool:
    """Whether all numbers are states of the variable, each of one state only."""
    sizes = [number(state) for state in variable.states]
    known = np.array([size for size in sizes if size is not None], dtype=np.float64)
    distinct = np.unique(known).size == len(sizes)
    return distinct and bool(np.isin(column[~np.isnan(column)], known).all())


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a source by what they are good for.

    kept   with states
    whole  those of them whose parents have states too: theirs are the tables
    below  the others
    real   with real values
    empty  without any value
    """

    kept: tuple[str, ...]
    whole: tuple[str, ...]
    below: tuple[str, ...]
    real: tuple[str, ...]
    empty: tuple[str, ...]

    @staticmethod
    def of(dag: Dag, cases: Dataset) -> Columns:
        """The columns that a structure asks for."""
        empty = [name for name in dag.names if bool(absent(cases[name]).all())]
        seen = [name for name in dag.names if name not in empty]
        real = [name for name in seen if isinstance(cases.variables[name], Continuous)]
        kept = [name for name in seen if name not in real]
        whole = [name for name in kept if set(dag.parents[name]) <= set(kept)]
        below = [name for name in kept if not set(real).isdisjoint(dag.parents[name])]
        return Columns(*map(tuple, (kept, whole, below, real, empty)))

    @property
    def nothing(self) -> str:
        """Why there is no table to lend, and what to do."""
        if self.empty:
            why = f"{_have(self.empty)} no value in any case"
            right = "give it cases that show states, or leave this source out"
        elif self.kept:
            why = f"{_have(self.below)} a parent with real values"
            right = "make that parent discrete with tc.discretise, or give the source a structure "
            right += "without it"
        else:
            return ALL_REAL
        return f"it has no table to lend: {why}\n\n{right}"

    def said(self, *, own: bool) -> Iterator[str]:
        """Notes about tables that were asked for and are not lent.

        own  the structure was given with the source, so that real values are no surprise
        """
        if self.empty:
            them = "it" if len(self.empty) == 1 else "them"
            yield f"{_have(self.empty)} no value in any case, so no table with {them} can be lent"
        if self.real and not own:
            yield f"{_have(self.real)} real values there and states here, and {_lends(self.real)}"
        if self.below and own:
            yield f"{_have(self.below)} a parent with real values there, and {_lends(self.below)}"


def _have(names: Sequence[str]) -> str:
    return f"{listed(map(quoted, names), 6)} {'has' if len(names) == 1 else 'have'}"


def _lends(names: Sequence[str]) -> str:
    return "lends no table" if len(names) == 1 else "lend no table"
