"""Networks over time: one slice written once, unrolled, its tables shared by all slices."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import CasesError, ColumnError, DagError, OptionError, nearest
from tacit.core.variables import Discrete
from tacit.io.cases import as_dataset

_SLICED = re.compile(r"^(?P<name>.+)\[(?P<when>t(?:-(?P<back>\d+))?)\]$")


@dataclass(frozen=True, slots=True)
class Unrolled:
    """A dag over time and the groups of variables that share a table; `tc.fit` takes both.

    hidden  {variable: states} for every slice of the variables named hidden
    """

    dag: Dag
    tied: tuple[tuple[str, ...], ...]
    hidden: Mapping[str, int]


def unroll(text: str, length: int, *, hidden: Mapping[str, int] | None = None) -> Unrolled:
    """The dag of `length` slices, from one written with [t] and [t-1]:

        unroll('"H[t-1]" -> "H[t]" -> "X[t]"', 10, hidden={"H": 3})

    is a hidden Markov model over H[1]..H[10], X[1]..X[10]. The families of a variable share one
    table wherever they have all their parents; the first slices have tables of their own.
    Quotes may be left out.
    """
    if type(length) is not int or length < 1:
        raise OptionError(f"length={length!r} must be a whole number, 1 or more")
    template = Dag.parse(re.sub(r'(?<!")\b(\w+\[t(?:-\d+)?\])(?!")', r'"\1"', text))
    slices = {name: _slice(name) for name in template.names}
    _check_template(template, slices, hidden or {})
    parents: dict[str, tuple[str, ...]] = {}
    tied: dict[str, list[str]] = {}
    for t in range(1, length + 1):
        for name, (base, back) in slices.items():
            if back:
                continue
            who = [(slices[p][0], t - slices[p][1]) for p in template.parents[name]]
            present = tuple(f"{other}[{when}]" for other, when in who if when >= 1)
            parents[f"{base}[{t}]"] = present
            if len(present) == len(who):
                tied.setdefault(base, []).append(f"{base}[{t}]")
    groups = tuple(tuple(group) for group in tied.values() if len(group) > 1)
    unseen = {f"{base}[{t}]": states for base, states in (hidden or {}).items()
              for t in range(1, length + 1)}  # fmt: skip
    return Unrolled(Dag(parents), groups, unseen)


def _check_template(
    template: Dag, slices: Mapping[str, tuple[str, int]], hidden: Mapping[str, int]
) -> None:
    """Nothing, or an error about arcs into the past and variables that the present lacks."""
    present = {base for base, back in slices.values() if not back}
    for name, (base, back) in slices.items():
        if back and template.parents[name]:
            raise DagError(f"an arc leads into the past: {template.parents[name][0]} -> {name}")
        if base not in present:
            raise DagError(f"{name!r} is used, but nothing is said of {base + '[t]'!r}")
    for base in hidden:
        if base not in present:
            raise OptionError(f"there is no variable {base!r} to be hidden{nearest(base, present)}")


def _slice(name: str) -> tuple[str, int]:
    match = _SLICED.match(name)
    if match is None:
        raise DagError(f"{name!r} has no time; write {name}[t] or {name}[t-1]")
    return match["name"], int(match["back"] or 0)


def sequences(data: Any, *, of: str, at: str, columns: Sequence[str] | None = None) -> Dataset:
    """Long cases (one row a step) as wide ones (one row a sequence, columns X[1], X[2], ...).

    of  the column that names the sequence;  at  the column that orders its steps
    Shorter sequences have missing cells at the end.
    """
    cases = as_dataset(data)
    _check_long(cases, of, at)
    chosen = [name for name in cases.names if name not in (of, at)] if columns is None else columns
    group, ranks = np.unique(cases[of], return_inverse=True)[1], _ranks(cases, at)
    order = np.lexsort((ranks, group))
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    lengths = np.diff(np.append(starts, len(cases)))
    step = np.arange(len(cases)) - np.repeat(starts, lengths)
    same = (np.diff(group[order]) == 0) & (np.diff(ranks[order]) == 0)
    if same.any():
        first, second = sorted(int(order[np.argmax(same) + k]) + 1 for k in (0, 1))
        raise CasesError(f"cases {first} and {second} are the same step of one sequence")
    variables, wide = {}, {}
    for t in range(int(lengths.max(initial=0))):
        here = order[step == t]
        for name in chosen:
            variable = cases.variables[name]
            if not isinstance(variable, Discrete):
                raise ColumnError(f"{name!r} is continuous; sequences are of discrete columns")
            codes = np.full(starts.size, -1, dtype=np.int64)
            codes[group[here]] = cases[name][here]
            label = f"{name}[{t + 1}]"
            variables[label] = Discrete(label, variable.states, variable.inferred_order)
            wide[label] = codes
    return Dataset(variables, wide, source=cases.source, notes=cases.notes)


def _check_long(cases: Dataset, of: str, at: str) -> None:
    for name in (of, at):
        gaps = absent(cases[name])
        if gaps.any():
            raise CasesError(
                f"{name!r} is missing in case {int(np.argmax(gaps)) + 1}; "
                "every step needs its sequence and its place there"
            )
    if cases.weights is not None and (cases.weights != 1).any():
        raise CasesError("steps cannot be weighted: a weight is of a whole sequence")


def _ranks(cases: Dataset, at: str) -> Any:
    variable = cases.variables[at]
    if isinstance(variable, Discrete):
        try:
            return np.array([float(state) for state in variable.states])[cases[at]]
        except ValueError:
            return cases[at]
    return cases[at]
