"""What the families of a dag need from cases, batch by batch, without keeping the cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from math import isfinite
from operator import add, sub
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tacit.core.dag import Dag
from tacit.core.errors import CasesError, FormatError, NetworkError, OptionError, listed, quoted
from tacit.core.grid import Grid, counted, number
from tacit.core.network import Network
from tacit.core.variables import Discrete, Variable
from tacit.engines.axes import family_of, nothing, structure_of
from tacit.engines.memory import check_kinds, statistics
from tacit.engines.plain import (
    check_format,
    evidence_from_plain,
    evidence_to_plain,
    loaded,
    part,
    real,
    save_plain,
    variable_from_plain,
    variable_to_plain,
)
from tacit.engines.tasks import Evidence, Report
from tacit.engines.union import recoded, reindexed, united, within
from tacit.families.conditional_moments import AnyMoments, ConditionalMoments
from tacit.families.moments import Moments

FORMAT = "tacit-statistics"
VERSION = 1
Combine: TypeAlias = Callable[[Any, Any], Evidence]


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Statistics:
    """Counts or moments of every family of a dag; batches, merging and fading make new values.

    dag           the structure that says what is counted
    variables     every variable by name; none before the first batch if only a dag was given
    counts        `counts["X"]`: the statistics of X and its parents
    cases         how many cases were counted
    total_weight  how much they weigh, after fading
    fixed         whether a network fixed the states; if not, batches may bring new ones

    Any order of batches gives the statistics of all cases at once: exactly if weights are whole
    numbers, else up to rounding. [EST 1.6]
    """

    dag: Dag
    variables: Mapping[str, Variable]
    counts: Mapping[str, Evidence]
    cases: int
    total_weight: float
    fixed: bool

    def __init__(self, structure: Dag | Network | str | Path) -> None:
        """Nothing counted yet. A network fixes the states, a dag learns them from the batches.

        structure: a dag, its text, a network, or a file of either
        """
        dag, variables = structure_of(structure)
        counts = {name: nothing(family_of(dag, variables, name)) for name in variables}
        _fill(self, dag, variables, counts, 0, 0.0, bool(variables))

    def update(
        self,
        batch: Any,
        weights: str | npt.ArrayLike | None = None,
        *,
        missing: str = "refuse",
        threads: int | None = None,
        progress: Report | None = None,
    ) -> Statistics:
        """These statistics and those of a batch of cases.

        batch    anything that `tc.read_cases` takes
        weights  how often each case counts: the column that says so, or one number per case
        missing  "refuse": a missing cell is an error; "available": each family is counted on the
                 cases that are complete in it
        """
        from tacit.io.cases import as_dataset

        known = {name: v for name, v in self.variables.items() if self.fixed or not _learns(v)}
        data = as_dataset(batch, like=known, columns=self.dag.names, weights=weights)
        data = recoded(data, _common(self, data.variables))
        families = [family_of(self.dag, data.variables, name) for name in self.dag.names]
        found = statistics(data, families, threads=threads, missing=missing, progress=progress)
        counts = _by_family(add, _over(self, data.variables), found)
        cases, weight = self.cases + len(data), self.total_weight + data.total_weight
        return _made(self.dag, data.variables, counts, cases, weight, self.fixed)

    def __add__(self, other: Statistics) -> Statistics:
        """The statistics of the cases of both."""
        if not isinstance(other, Statistics):
            return NotImplemented
        cases, weight = self.cases + other.cases, self.total_weight + other.total_weight
        return _combined(self, other, add, cases, weight)

    def __sub__(self, other: Statistics) -> Statistics:
        """The statistics without the cases of the other, which must be among these."""
        if not isinstance(other, Statistics):
            return NotImplemented
        cases, weight = self.cases - other.cases, self.total_weight - other.total_weight
        if cases < 0:
            raise CasesError(
                f"{counted(other.cases, 'case')} cannot be taken away from "
                f"{counted(self.cases, 'case')}"
            )
        return _combined(self, other, sub, cases, max(0.0, weight))

    def __rmul__(self, strength: float) -> Statistics:
        """The same cases, each counting `strength` times as much: 0.9 fades, 2 doubles."""
        if isinstance(strength, bool) or not isinstance(strength, int | float | np.number):
            return NotImplemented
        if not (isfinite(strength) and strength >= 0):
            raise OptionError(f"statistics are scaled by a number, 0 or more, not {strength!r}")
        counts = {name: float(strength) * each for name, each in self.counts.items()}
        weight = float(strength) * self.total_weight
        return _made(self.dag, self.variables, counts, self.cases, weight, self.fixed)

    def __getitem__(self, name: str) -> Evidence:
        self.dag.check_name(name)
        if name not in self.counts:
            raise CasesError(f"no cases were counted yet, so nothing is known of {quoted(name)}")
        return self.counts[name]

    def to_plain(self) -> dict[str, Any]:
        """The statistics as JSON holds them."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "parents": {name: list(who) for name, who in self.dag.parents.items()},
            "variables": [variable_to_plain(each) for each in self.variables.values()],
            "fixed": self.fixed,
            "cases": self.cases,
            "total_weight": self.total_weight,
            "counts": {name: evidence_to_plain(each) for name, each in self.counts.items()},
        }

    @staticmethod
    def from_plain(plain: Any) -> Statistics:
        """The statistics that `to_plain` described; an error if they do not fit together."""
        check_format(plain, FORMAT, VERSION)
        dag = Dag({name: tuple(who) for name, who in part(plain, "parents", dict).items()})
        variables = {v.name: v for v in map(variable_from_plain, part(plain, "variables", list))}
        counts = {
            name: evidence_from_plain(each) for name, each in part(plain, "counts", dict).items()
        }
        _check_parts(dag, variables, counts)
        cases, fixed = part(plain, "cases", int), part(plain, "fixed", bool)
        return _made(dag, variables, counts, cases, real(plain, "total_weight"), fixed)

    def save(self, path: str | Path) -> None:
        """Write the statistics as JSON, whole or not at all; packed if the name ends in .gz."""
        save_plain(self.to_plain(), path)

    def grid(self, most_rows: int = 200) -> Grid:
        """One line per variable: its parents, how large its table is, the weight counted in it."""
        rows = tuple(
            (
                quoted(name),
                listed(map(quoted, self.dag.parents[name]), 8) or "-",
                _extent(self.counts[name]),
                number(self.counts[name].total),
            )
            for name in list(self.counts)[:most_rows]
        )
        more = len(self.counts) - len(rows)
        foot = f"  ... and {counted(more, 'more variable')}" if more else ""
        heads = ("variable", "parents", "kept", "weight")
        return Grid(repr(self)[1:-1], heads, rows, labels=3, foot=foot)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Statistics.from_plain, (self.to_plain(),)

    def __repr__(self) -> str:
        weighed = "" if self.total_weight == self.cases else f", weighing {self.total_weight:g}"
        families = counted(len(self.dag), "variable")
        return f"<Statistics of {counted(self.cases, 'case')}{weighed}, {families}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def load_statistics(path: str | Path) -> Statistics:
    """The statistics that `Statistics.save` wrote."""
    return loaded(path, Statistics.from_plain)


def statistics_of(
    dag: Dag,
    variables: Mapping[str, Variable],
    counts: Mapping[str, Evidence],
    cases: int,
    total_weight: float,
) -> Statistics:
    """Statistics that were counted elsewhere, of variables whose states are fixed."""
    _check_parts(dag, variables, counts)
    return _made(dag, dict(variables), dict(counts), cases, total_weight, True)


def _made(*values: Any) -> Statistics:
    made = object.__new__(Statistics)
    _fill(made, *values)
    return made


def _fill(made: Statistics, *values: Any) -> None:
    for place, value in zip(fields(Statistics), values, strict=True):
        held = MappingProxyType(dict(value)) if isinstance(value, Mapping) else value
        object.__setattr__(made, place.name, held)


def _combined(
    one: Statistics,
    other: Statistics,
    combine: Combine,
    cases: int,
    weight: float,
) -> Statistics:
    """Both brought over the same states, then combined family by family."""
    if one.dag != other.dag:
        raise NetworkError(
            f"statistics of different dags do not mix\n\none:   {one.dag}\nother: {other.dag}"
        )
    if not other.variables:
        return _made(one.dag, one.variables, one.counts, cases, weight, one.fixed)
    leads, follows = (other, one) if other.fixed and not one.fixed else (one, other)
    variables = _common(leads, follows.variables)
    counts = _by_family(combine, _over(one, variables), _over(other, variables))
    return _made(one.dag, variables, counts, cases, weight, leads.fixed)


def _by_family(
    combine: Combine, one: Mapping[str, Evidence], other: Mapping[str, Evidence]
) -> dict[str, Evidence]:
    return {name: combine(one[name], other[name]) for name in one}


def _learns(variable: Variable) -> bool:
    """Whether later batches may bring more states; what is real stays real."""
    return isinstance(variable, Discrete)


def _common(known: Statistics, others: Mapping[str, Variable]) -> dict[str, Variable]:
    """Variables for both: those of a network as they are, else with the states of either."""
    if not (known.variables and others):
        return dict(known.variables or others)
    join = within if known.fixed else united
    return {name: join(known.variables[name], others[name]) for name in known.dag.names}


def _over(held: Statistics, variables: Mapping[str, Variable]) -> dict[str, Evidence]:
    dag = held.dag
    if not held.variables:
        return {name: nothing(family_of(dag, variables, name)) for name in variables}
    return {
        name: reindexed(
            held.counts[name], family_of(dag, held.variables, name), family_of(dag, variables, name)
        )
        for name in variables
    }


def _check_parts(
    dag: Dag, variables: Mapping[str, Variable], counts: Mapping[str, Evidence]
) -> None:
    if {*variables} != {*counts} or (variables and {*variables} != {*dag.names}):
        raise FormatError("every variable of the dag needs its states and its statistics")
    for name, held in counts.items():
        family = family_of(dag, variables, name)
        check_kinds(family)
        empty = nothing(family)
        if type(held) is not type(empty) or _extent(held) != _extent(empty):
            raise FormatError(f"the statistics of {quoted(name)} do not fit its variables")


def _extent(held: Evidence) -> str:
    if isinstance(held, Moments):
        return f"moments of {counted(held.means.size, 'variable')}"
    if isinstance(held, ConditionalMoments):
        configurations = " x ".join(map(str, held.shape))
        return f"moments of {counted(held.size, 'variable')} in {configurations} configurations"
    assert not isinstance(held, AnyMoments)
    return " x ".join(map(str, held.shape)) + " cells"
