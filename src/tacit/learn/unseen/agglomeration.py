"""`agglomerate`: how many states a variable has that nobody measured, by merging states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import CasesError, ColumnError, OptionError, listed, nearest, quoted
from tacit.core.independence import markov_blanket
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.io.cases import as_dataset, bind
from tacit.learn.structures import as_structure
from tacit.learn.unseen.agglomerated import Agglomeration, Tree
from tacit.learn.unseen.merging import (
    MOST_COMPARED,
    PER_CELL,
    PRIORS,
    Column,
    FirstStates,
    TableWeights,
    numbered,
    walk,
)

BLANKET, CASE = "blanket", "case"


def agglomerate(
    cases: Any,
    dag: Dag | Network | str | Path,
    hidden: str,
    *,
    prior: str = PER_CELL,
    strength: float | None = None,
    init: str = BLANKET,
) -> Agglomeration:
    """How many states a hidden variable of a dag has, by merging the pair that costs least.

    It begins with one state for every configuration of its Markov blanket in the cases, each case
    in the state of its configuration, so that all counts are complete. Merging two states adds
    their counts; the pair is merged that changes the log marginal likelihood of the completed cases
    most for the better, until one state is left. The number of states on the way that scores
    highest is the answer; one means that the variable is of no use.
    [Elidan 2004, section 5.1; HV1 4.2, errata E34 to E36]

    cases     anything `tc.read_cases` takes; those with a missing cell in the blanket are left out
    dag       with the hidden variable in its place
    hidden    its name; all of its blanket must be measured
    prior     of the tables around it: "per_cell" gives every cell `strength` cases; where the truth
              is known it is right most often with many cases, and says fewer states with few;
              "uniform_k" scores k states as `tc.BDeu(strength)` does; "summed", the source's, adds
              the priors of merged states, and says too many states more often
    strength  how many cases the prior is worth, 1 a cell, or 5 a table, unless given
    init      "blanket", or "case" for a state per case

    Each case is in one state, so classes that overlap are sometimes counted too high. The states
    are where EM begins best: `found.start(k)`.
    """
    known = table_weights(prior, strength)
    if init not in (BLANKET, CASE):
        raise OptionError(f'init={init!r} must be "blanket" or "case"')
    data, whole = cases_of(cases, dag)
    check_hidden(hidden, whole, data)
    around = blanket_of(whole, hidden)
    for name in around:
        if name not in data:
            raise ColumnError(
                f"{quoted(name)}, in the blanket of {quoted(hidden)}, is no column of the cases"
                f"{nearest(name, data.names)}\n\ncolumns: {listed(data.names)}"
            )
    columns = {name: measured(data, name) for name in around}
    lines = complete_lines(data, columns)
    if not lines.any():
        raise CasesError(f"no case has all of the blanket of {quoted(hidden)}: {listed(around)}")
    return merged_states(Setting(data, whole, hidden, known), columns, lines, init == CASE)


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What agglomeration is asked of one hidden variable."""

    data: Dataset
    dag: Dag
    hidden: str
    prior: TableWeights


def merged_states(
    setting: Setting, columns: Mapping[str, Column], lines: Bools, apart: bool = False
) -> Agglomeration:
    """Merge from one state per configuration of the columns, or per case, to a single one.

    columns  the blanket, by name
    lines    which cases are looked at
    """
    data = setting.data
    weights = np.ones(len(data)) if data.weights is None else data.weights
    leaf_of, line_of = _first_states(columns, lines, weights, apart)
    held = np.asarray(np.bincount(leaf_of[lines], weights[lines]), dtype=np.float64)
    leaves = {
        name: Column(column.codes[line_of], column.shares) for name, column in columns.items()
    }
    first = FirstStates.of(setting.dag, setting.hidden, leaves, held, setting.prior)
    codes = np.stack([column.codes for column in leaves.values()], axis=1)
    tree = Tree(walk(first), tuple(leaves), codes, held)
    left_out = len(data) - int(np.count_nonzero(lines))
    return Agglomeration(
        setting.hidden, setting.dag, data, leaf_of, tree, setting.prior, _notes(tree, left_out)
    )


def _notes(tree: Tree, left_out: int) -> tuple[str, ...]:
    notes = []
    if left_out:
        notes.append(
            f"{left_out:,} case{' has' if left_out == 1 else 's have'} a missing cell in the "
            "blanket, or no weight, and no part in this"
        )
    if tree.states > MOST_COMPARED:
        notes.append(
            f"of {tree.states:,} first states the {MOST_COMPARED:,} with the most cases were "
            "compared all with all; the others each joined the best of these before"
        )
    return tuple(notes)


def _first_states(
    columns: Mapping[str, Column], lines: Bools, weights: Floats, apart: bool
) -> tuple[Ints, Ints]:
    """The first state of every case, -1 where it is not looked at, and a case of each state.

    States with more cases come first, of equals the one met first in the cases: no name or order
    of variables or states counts.
    """
    places = np.flatnonzero(lines)
    codes = [column.codes[places] for column in columns.values()]
    number = np.arange(places.size) if apart else numbered(codes, places.size)[0]
    states, first = np.unique(number, return_index=True)
    held = np.bincount(number, weights[places], states.size)
    order = np.lexsort((first, -held))
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    leaf_of = np.full(lines.size, -1)
    leaf_of[places] = rank[number]
    return leaf_of, places[first[order]]


def table_weights(prior: str, strength: float | None) -> TableWeights:
    """The prior that was asked for; an error if there is no such."""
    if prior not in PRIORS:
        raise OptionError(f"prior={prior!r} must be one of {', '.join(sorted(PRIORS))}")
    chosen = PRIORS[prior] if strength is None else strength
    if isinstance(chosen, bool) or not isinstance(chosen, int | float | np.number):
        raise OptionError(f"strength={chosen!r} must be a number above 0")
    if not (isfinite(chosen) and chosen > 0):
        raise OptionError(f"strength={chosen!r} must be a number above 0")
    return TableWeights(prior, float(chosen))


def cases_of(cases: Any, dag: Dag | Network | str | Path) -> tuple[Dataset, Dag]:
    """The cases, in the states that a network declares, and the dag."""
    structure, data = as_structure(dag), as_dataset(cases)
    declared = structure.variables or {}
    both = {name: declared[name] for name in structure.dag.names if name in declared}
    both = {name: variable for name, variable in both.items() if name in data}
    if both:
        bound = bind(data.select(list(both)), both)
        data = Dataset(
            {**data.variables, **bound.variables},
            {**data.columns, **bound.columns},
            data.weights,
            data.kinds,
            data.notes,
            data.source,
        )
    return data, structure.dag


def blanket_of(dag: Dag, hidden: str) -> tuple[str, ...]:
    """The Markov blanket in the order in which the dag lists its variables."""
    around = markov_blanket(dag, hidden)
    return tuple(name for name in dag.names if name in around)


def measured(data: Dataset, name: str) -> Column:
    """The column of a variable each of whose states has the same share of the prior."""
    variable = data.variables[name]
    if not isinstance(variable, Discrete):
        raise OptionError(
            f"{quoted(name)} is continuous: states are merged by tables only"
            "\n\nmake it discrete with tc.discretise"
        )
    states = len(variable.states)
    return Column(data[name].astype(np.int64), np.full(states, 1 / states))


def complete_lines(data: Dataset, names: Mapping[str, Any] | Sequence[str]) -> Bools:
    """Which cases have all of these cells, and weigh something."""
    lines = np.ones(len(data), dtype=np.bool_)
    for name in names:
        lines &= ~absent(data[name])
    if data.weights is not None:
        lines &= data.weights > 0
    return lines


def check_hidden(hidden: str, dag: Dag, data: Dataset) -> None:
    """Nothing, or an error about a variable that is measured, or has no children."""
    if not isinstance(hidden, str):
        raise OptionError(f"hidden={hidden!r} must be the name of one variable")
    dag.check_name(hidden)
    if hidden in data:
        raise OptionError(
            f"{quoted(hidden)} has a column in the cases, so it is not hidden"
            f"\n\nleave the column out to see how many states agglomeration gives it"
        )
    if not dag.children[hidden]:
        raise OptionError(
            f"{quoted(hidden)} has no child in the dag, so the cases say nothing about it"
        )
