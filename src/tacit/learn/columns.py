"""The columns to learn a structure from: those that say nothing of others are set aside.

A column that is empty has nothing to follow, one with a single value nothing to explain, and one
in which every case has a state of its own names cases: no distribution of it can be learned, and as
a parent it explains anything. A table may have any of these, so a learner of structure goes on
without them, and says so. What the caller named is kept: to leave it out would answer another
question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from tacit.arrays import Bools, Column
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import CasesError, ColumnError, listed, nearest, quoted
from tacit.core.network import Network
from tacit.core.options import names_in
from tacit.core.variables import Discrete
from tacit.engines.scales import is_still
from tacit.io.remarks import Remark, Topic, notes
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.mentions import mentioned

FEWEST = 10
"""Cases from which on a state for each is a name; among fewer it may be chance."""
NEARLY = 0.95
"""States for each case that is known from which on nearly every case has its own."""
SHOWN = 6


class Idle(Enum):
    """Why a column says nothing of others."""

    EMPTY = "empty"
    SAME = "one value throughout"
    OWN = "a different value in every case"
    NEARLY_OWN = "a different value in nearly every case"


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The columns to learn from, and those that are not.

    cases      with the columns to learn from alone; what was set aside is in their notes
    left_out   columns that the caller called no variables
    set_aside  those that say nothing of others, and why
    as_given   True where nothing was to be set aside, or the names that were not
    """

    cases: Dataset
    left_out: tuple[str, ...] = ()
    set_aside: Mapping[str, Idle] = field(default_factory=dict)
    as_given: bool | tuple[str, ...] = False

    @property
    def note(self) -> str:
        """What was set aside, why, and how it is kept; nothing where nothing was."""
        return f"set aside: {_told(self.set_aside)}; as_given=True keeps {_them(self.set_aside)}"

    @property
    def reminder(self) -> str:
        """The same below an error about too few columns."""
        return f"\n\n{self.note}" if self.set_aside else ""

    @property
    def settings(self) -> dict[str, Any]:
        """As plain data, what is usual left out."""
        aside = {name: why.value for name, why in self.set_aside.items()}
        given = list(self.as_given) if isinstance(self.as_given, tuple) else self.as_given
        return {
            **({"left_out": list(self.left_out)} if self.left_out else {}),
            **({"set_aside": aside} if aside else {}),
            **({"as_given": given} if given else {}),
        }


def columns_of(
    whole: Dataset,
    leave_out: Iterable[str] = (),
    as_given: bool | Sequence[str] = False,
    named: AbstractSet[str] = frozenset(),
) -> Columns:
    """The columns of the cases that a structure is learned from.

    leave_out  columns that are no variables
    as_given   True: whatever the others say, or names of columns that are kept
    named      what other arguments name, which is kept as well
    """
    gone = _known("leave out", names_in("leave_out", leave_out), whole)
    cases = whole.select([n for n in whole.names if n not in gone]) if gone else whole
    if isinstance(as_given, bool | np.bool_) and as_given:
        return Columns(cases, gone, as_given=True)
    kept = () if isinstance(as_given, bool | np.bool_) else names_in("as_given", as_given)
    kept = _known("keep", kept, whole)
    idle = idle_columns(cases)
    aside = {name: why for name, why in idle.items() if name not in named and name not in kept}
    found = Columns(cases, gone, aside, tuple(name for name in kept if name in idle))
    if not aside:
        return found
    rest = [name for name in cases.names if name not in aside]
    if not rest:
        raise CasesError(
            f"no column is left to learn from: {_told(aside)}\n\nas_given=True keeps {_them(aside)}"
        )
    told = (*_other_notes(cases, aside), found.note)
    return replace(found, cases=replace(cases.select(rest), notes=told))


def idle_columns(cases: Dataset) -> dict[str, Idle]:
    """The columns that say nothing of others among the cases that count, and why."""
    counts = None if cases.weights is None else cases.weights > 0
    if (len(cases) if counts is None else np.count_nonzero(counts)) < 2:
        return {}  # one case says nothing, whatever its columns are
    found = {name: _idle(cases, name, counts) for name in cases.names}
    return {name: why for name, why in found.items() if why is not None}


def _idle(cases: Dataset, name: str, counts: Bools | None) -> Idle | None:
    values: Column = cases[name]
    there = ~absent(values) if counts is None else ~absent(values) & counts
    if not there.any():
        return Idle.EMPTY
    if not isinstance(cases.variables[name], Discrete):
        return Idle.SAME if is_still(values[there].astype(np.float64)) else None
    used = np.count_nonzero(np.bincount(values[there]))
    if used == 1:
        return Idle.SAME
    many = float(np.count_nonzero(there))
    if cases.weights is not None:
        many = max(many, float(cases.weights[there].sum()))
    if many < FEWEST or used < NEARLY * many or cases.kinds.get(name, "text") != "text":
        return None  # few cases may differ by chance, and numbers tell more than that they differ
    return Idle.OWN if used == many else Idle.NEARLY_OWN


def _other_notes(cases: Dataset, aside: Mapping[str, Idle]) -> Iterable[str]:
    """What was noted on reading, less what is said again by that a column is set aside."""
    remarks = list[Remark]()
    for name, why in aside.items():
        variable = cases.variables[name]
        if why is Idle.EMPTY:
            remarks.append(Remark(Topic.EMPTY, name))
        elif isinstance(variable, Discrete):
            remarks.append(Remark(Topic.STATES, name, f"{len(variable.states):,}"))
    again = notes(remarks)
    return (note for note in cases.notes if note not in again)


def names_said(*given: Any) -> frozenset[str]:
    """All names that stand anywhere in what a learner was told: in rules, dags and networks, in
    the settings of a method, a score or a prior, in lists and in mappings."""
    return frozenset(name for each in given for name in _names(each))


def _names(said: Any) -> Iterable[str]:
    if isinstance(said, str):
        return (said,)
    if isinstance(said, Knowledge):
        return [name for rule in said for name in mentioned(rule)]
    if isinstance(said, Dag | Network):
        return tuple(said)
    if isinstance(said, Mapping):
        return names_said(*said, *said.values())
    if isinstance(said, list | tuple | set | frozenset):
        return names_said(*said)
    if is_dataclass(said) and not isinstance(said, type):
        return names_said(*(getattr(said, part.name) for part in fields(said)))
    return ()


def _known(verb: str, names: tuple[str, ...], cases: Dataset) -> tuple[str, ...]:
    """The names, each of them a column."""
    for name in names:
        if name not in cases:
            raise ColumnError(
                f"there is no column {quoted(name)} to {verb}{nearest(name, cases.names)}"
                f"\n\ncolumns: {listed(cases.names)}"
            )
    return names


def _told(aside: Mapping[str, Idle]) -> str:
    """The columns by what is wrong with them."""
    groups = {why: [repr(name) for name, each in aside.items() if each is why] for why in Idle}
    told = (f"{listed(names, SHOWN)} ({why.value})" for why, names in groups.items() if names)
    return "; ".join(told)


def _them(aside: Mapping[str, Idle]) -> str:
    return "it" if len(aside) == 1 else "them"
