"""One code for cases that came apart: states found in either, and what was counted moved along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

import numpy as np

from tacit.arrays import Ints, code_type
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, quoted
from tacit.core.variables import Discrete, Variable
from tacit.engines.axes import Family, discrete
from tacit.engines.tables import check_size, shape_of
from tacit.engines.tasks import Evidence
from tacit.families.conditional_moments import AnyMoments, ConditionalMoments, check_moments
from tacit.families.counts import DENSE_CELLS, Counts, SparseCounts
from tacit.families.moments import Moments


def united(one: Variable, other: Variable) -> Variable:
    """The variable that has the states of both.

    A declared order that lists all of them is kept. Otherwise they come in natural order, which
    is an inferred one; it does not depend on which of the two came first.
    """
    if not (isinstance(one, Discrete) and isinstance(other, Discrete)):
        if type(one) is type(other):
            return one
        raise CasesError(
            f"{quoted(one.name)} has states in some cases and takes real values in others"
            "\n\nread all of them alike: tc.read_cases takes continuous=[...] and discrete=[...]"
        )
    if one.states == other.states:
        return other if one.inferred_order else one
    states = dict.fromkeys((*one.states, *other.states))
    declared = [each for each in (one, other) if not each.inferred_order]
    whole = [each for each in declared if len(each.states) == len(states)]
    if len(whole) == 1:
        return whole[0]
    from tacit.io.states import natural_order

    return Discrete(one.name, tuple(natural_order(states)), inferred_order=True)


def within(fixed: Variable, other: Variable) -> Variable:
    """The fixed variable, if it has all states of the other."""
    if isinstance(fixed, Discrete) and isinstance(other, Discrete):
        known = set(fixed.states)
        for state in (state for state in other.states if state not in known):
            fixed.code(state)  # the error that says which states there are
        return fixed
    return united(fixed, other)


def recoded(data: Dataset, variables: Mapping[str, Variable]) -> Dataset:
    """The columns of these variables, coded by them."""
    columns = {}
    for name, variable in variables.items():
        column, before = data[name], data.variables[name]
        if isinstance(variable, Discrete) and isinstance(before, Discrete) and before != variable:
            lookup = np.append(_moves(before, variable), -1)  # -1 finds the last
            column = lookup.astype(code_type(len(variable.states)))[column]
        columns[name] = column
    kinds = {name: kind for name, kind in data.kinds.items() if name in columns}
    return replace(data, variables=variables, columns=columns, kinds=kinds)


def _moves(before: Discrete, after: Discrete) -> Ints:
    place = {state: at for at, state in enumerate(after.states)}
    return np.array([place[state] for state in before.states], dtype=np.int64)


def reindexed(evidence: Evidence, before: Family, after: Family) -> Evidence:
    """What was counted over some states, over more of them or in another order."""
    if isinstance(evidence, Moments) or before == after:
        return evidence
    old, new = discrete(before), discrete(after)
    moves, shape = list(map(_moves, old, new)), shape_of(new)
    if isinstance(evidence, ConditionalMoments):
        return _rearranged(evidence, moves, shape)
    assert not isinstance(evidence, AnyMoments)
    check_size(new)
    if isinstance(evidence, Counts) and prod(shape) <= DENSE_CELLS:
        values = np.zeros(shape)
        values[np.ix_(*moves)] = evidence.values
        return Counts(values)
    flat = evidence.values.ravel()
    at = evidence.at if isinstance(evidence, SparseCounts) else np.flatnonzero(flat)
    held = evidence.values if isinstance(evidence, SparseCounts) else flat[at]
    codes = np.unravel_index(at, evidence.shape)
    moved = np.ravel_multi_index(
        [move[code] for move, code in zip(moves, codes, strict=True)], shape
    )
    order = np.argsort(moved)
    return SparseCounts(shape, np.asarray(moved, dtype=np.int64)[order], held[order])


def _rearranged(
    moments: ConditionalMoments, moves: list[Ints], shape: tuple[int, ...]
) -> ConditionalMoments:
    size = moments.size
    check_moments(shape, size)
    weights, means = np.zeros(shape), np.zeros((*shape, size))
    scatter, places = np.zeros((*shape, size, size)), np.ix_(*moves)
    weights[places], means[places] = moments.weights, moments.means
    scatter[places] = moments.scatter
    return ConditionalMoments(weights, means, scatter)
