"""Everything a fit is given, brought together: structure, cases, hidden variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tacit.core.dataset import Dataset, absent
from tacit.core.errors import ColumnError, MissingError, OptionError, listed, nearest
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.io.cases import as_dataset
from tacit.learn.causes.kinds import Caused
from tacit.learn.curved import Curves
from tacit.learn.hidden import Hidden, hidden_variables
from tacit.learn.local.choosing import Local
from tacit.learn.structures import Structure, families_of

_UNMEASURED = "a variable that no column measures"


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Cases of the observed variables, and all variables, hidden ones included.

    causes  which of them get a family of independent causes
    local   which of them get local structure
    curves  which of them get a curve for a straight line
    """

    structure: Structure
    cases: Dataset
    hidden: Mapping[str, Variable]
    variables: Mapping[str, Variable]
    causes: Mapping[str, Caused] = field(default_factory=dict)
    local: Mapping[str, Local] = field(default_factory=dict)
    curves: Curves = field(default_factory=dict)

    @property
    def unseen(self) -> Mapping[str, Discrete]:
        """The hidden variables that have states."""
        return {name: each for name, each in self.hidden.items() if isinstance(each, Discrete)}

    @property
    def families(self) -> Mapping[str, tuple[Variable, ...]]:
        """Parents..., child of every variable."""
        return families_of(self.structure.dag, self.variables)

    @property
    def missing(self) -> Mapping[str, int]:
        """Missing cells per observed variable, where there are any."""
        return {name: cells for name, cells in self.cases.missing().items() if cells}


def gather(structure: Structure, data: Any, hidden: Hidden) -> Gathered:
    """The cases in the variables of the structure; errors for what is missing or named wrongly."""
    names = structure.dag.names
    if hidden is None:
        try:
            cases = as_dataset(data, like=structure.variables, columns=names)
        except ColumnError as problem:
            raise unmeasured(problem, 'hidden={"H": 3}') from None
        _refuse_empty(cases, structure)
        return Gathered(structure, cases, {}, cases.variables)
    whole = as_dataset(data)
    unseen = hidden_variables(hidden, structure, whole.names)
    seen = [name for name in names if name not in unseen]
    if not seen:
        raise OptionError("every variable is hidden: no column says anything about them")
    declared = structure.variables
    like = None if declared is None else {name: declared[name] for name in seen}
    cases = as_dataset(whole, like=like, columns=seen)
    _refuse_empty(cases, structure)
    variables = {name: unseen.get(name) or cases.variables[name] for name in names}
    return Gathered(structure, cases, unseen, variables)


def gather_measured(structure: Structure, data: Any, advice: str) -> Gathered:
    """Cases that have a column for every variable; `advice` says what to do where one has none."""
    try:
        return gather(structure, data, None)
    except ColumnError as problem:
        told, unnamed, _ = str(problem).partition(f"\n\n{_UNMEASURED}")
        raise ColumnError(f"{told}\n\n{advice}" if unnamed else told) from None
    except MissingError as problem:
        told, *_ = str(problem).partition(", or leave the column out")
        raise MissingError(f"{told}\n\n{advice}") from None


def _refuse_empty(cases: Dataset, structure: Structure) -> None:
    """Nothing, or an error about a column of gaps alone whose states nobody gave."""
    for name in cases.names if len(cases) and structure.variables is None else ():
        variable = cases.variables[name]
        if isinstance(variable, Continuous) and bool(absent(cases[name]).all()):
            raise MissingError(
                f"the column {name!r} has no value in any case, so nothing says what its states are"
                "\n\ntake the structure from a network that gives them, or leave the column out "
                f"and say how many there are: hidden={{{name!r}: 2}}"
            )


def unmeasured(problem: ColumnError, example: str) -> ColumnError:
    """The error about a column that is not there, with what to do if nobody measured it."""
    told = str(problem)
    if not told.startswith("the cases have no column") or "did you mean" in told:
        return problem
    return ColumnError(f"{told}\n\n{_UNMEASURED} is named by {example}")


def tied_groups(
    tied: Sequence[Sequence[str]] | None, families: Mapping[str, tuple[Variable, ...]]
) -> tuple[tuple[str, ...], ...]:
    """Groups of variables whose tables are one and the same; they must have the same shape."""
    groups = tuple(tuple(group) for group in tied or ())
    seen: set[str] = set()
    for group in groups:
        shapes = set()
        for name in group:
            if name not in families:
                raise OptionError(f"there is no variable {name!r} to tie{nearest(name, families)}")
            if name in seen:
                raise OptionError(f"{name!r} is tied twice")
            seen.add(name)
            shapes.add(_shape(families[name]))
        if len(shapes) > 1:
            raise OptionError(
                f"the tables of {listed(group, 4)} have different shapes and cannot be one: "
                + " and ".join(sorted(" x ".join(map(str, shape)) for shape in shapes))
            )
    return groups


def _shape(axes: tuple[Variable, ...]) -> tuple[int, ...]:
    return tuple(len(axis.states) for axis in axes if isinstance(axis, Discrete))
