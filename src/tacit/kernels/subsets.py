"""Sums over the cells of every set of discrete variables, in one walk through the sets.

The cases that share a cell of a set are a group. A set and one more variable cut the groups of the
set; a group of one case can be cut no further and is only remembered by its weight.
"""

from __future__ import annotations

from math import lgamma, log
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Codes, Floats, Ints


class Cases(NamedTuple):
    """Distinct cases.

    codes    (variables, cases)
    states   (variables,)  how many states each variable has
    bits     (variables,)  the bit that stands for each variable in a set
    weights  (cases,)      above 0
    marks    (cases,)      which of the distinct weights a case has
    kinds    (weights,)    the distinct weights
    """

    codes: Codes
    states: Ints
    bits: Ints
    weights: Floats
    marks: Ints
    kinds: Floats


class Terms(NamedTuple):
    """What a cell with cases of weight N adds to each sum.

    alphas  (sums, sizes)         lgamma(alpha + N) - lgamma(alpha); below 0: N log N
    known   (sums, sizes, whole)  the same for the first whole numbers
    steps   (variables,)          how much each variable of a set adds to the number of its size
    """

    alphas: Floats
    known: Floats
    steps: Ints


class Room(NamedTuple):
    """Groups of more than one case, at each level of the walk, and what the walk stands at.

    order   (levels, cases)      the cases, group by group
    starts  (levels, cases + 1)  where each group starts
    groups  (levels,)            how many there are
    alone   (levels, weights)    how many cases of each weight are groups of their own
    sets, sizes, after (levels,) the set, the number of its size, and the variable to add next
    cases, mass, place (states,) of the group that is being cut
    """

    order: Any
    starts: Any
    groups: Ints
    alone: Ints
    sets: Ints
    sizes: Ints
    after: Ints
    cases: Ints
    mass: Floats
    place: Ints


@njit(cache=True, nogil=True)
def term(mass: float, alpha: float) -> float:
    """What one cell adds."""
    if alpha < 0.0:
        return mass * log(mass) if mass > 0.0 else 0.0
    return lgamma(alpha + mass) - lgamma(alpha)


@njit(cache=True, nogil=True)
def fill_known(alphas: Floats, known: Floats) -> None:
    """The terms of the first whole numbers."""
    for at in range(alphas.shape[0]):
        for size in range(alphas.shape[1]):
            for whole in range(known.shape[2]):
                known[at, size, whole] = term(float(whole), alphas[at, size])


@njit(cache=True, nogil=True)
def _term(mass: float, at: int, size: int, terms: Terms) -> float:
    whole = int(mass)
    if whole < terms.known.shape[2] and whole == mass:
        return float(terms.known[at, size, whole])
    return float(term(mass, terms.alphas[at, size]))


@njit(cache=True, nogil=True)
def _add_alone(alone: Ints, size: int, cases: Cases, terms: Terms, sums: Any) -> None:
    for kind in range(alone.size):
        if alone[kind] > 0:
            for at in range(sums.size):
                sums[at] += alone[kind] * _term(cases.kinds[kind], at, size, terms)


@njit(cache=True, nogil=True)
def _add_cut(
    level: int, variable: int, size: int, cases: Cases, terms: Terms, room: Room, sums: Any
) -> None:
    """Add the terms of the groups of this level, cut by one more variable."""
    codes, order, starts = cases.codes[variable], room.order[level], room.starts[level]
    states, mass = cases.states[variable], room.mass
    for group in range(room.groups[level]):
        for at in range(starts[group], starts[group + 1]):
            case = order[at]
            mass[codes[case]] += cases.weights[case]
        for state in range(states):
            if mass[state] > 0.0:
                for at in range(sums.size):
                    sums[at] += _term(mass[state], at, size, terms)
                mass[state] = 0.0


@njit(cache=True, nogil=True)
def _cut(level: int, variable: int, cases: Cases, room: Room) -> None:
    """The groups of the next level: those of this one, cut by one more variable."""
    codes, order, starts = cases.codes[variable], room.order[level], room.starts[level]
    finer, begins = room.order[level + 1], room.starts[level + 1]
    count, place, alone = room.cases, room.place, room.alone[level + 1]
    alone[:] = room.alone[level]
    groups, end = 0, 0
    for group in range(room.groups[level]):
        for at in range(starts[group], starts[group + 1]):
            count[codes[order[at]]] += 1
        for state in range(cases.states[variable]):
            if count[state] > 1:
                place[state] = begins[groups] = end
                end += count[state]
                groups += 1
            elif count[state] == 1:
                place[state] = -1
            count[state] = 0
        for at in range(starts[group], starts[group + 1]):
            case = order[at]
            state = codes[case]
            if place[state] < 0:
                alone[cases.marks[case]] += 1
            else:
                finer[place[state]] = case
                place[state] += 1
    begins[groups] = end
    room.groups[level + 1] = groups


@njit(cache=True, nogil=True)
def _begin(cases: Cases, room: Room) -> None:
    """No variable: all cases are one group."""
    many = cases.weights.size
    room.alone[0] = 0
    room.sets[0] = room.sizes[0] = room.groups[0] = 0
    if many == 1:
        room.alone[0, cases.marks[0]] = 1
    elif many > 1:
        room.groups[0] = 1
        room.starts[0, 1] = many
        for case in range(many):
            room.order[0, case] = case


@njit(cache=True, nogil=True)
def _add(level: int, variable: int, cases: Cases, terms: Terms, room: Room, sums: Any) -> None:
    """Write the sums of this level's set with one more variable."""
    size = room.sizes[level] + terms.steps[variable]
    out = sums[:, room.sets[level] | cases.bits[variable]]
    out[:] = 0.0
    _add_alone(room.alone[level], size, cases, terms, out)
    _add_cut(level, variable, size, cases, terms, room, out)


@njit(cache=True, nogil=True)
def _descend(level: int, variable: int, cases: Cases, terms: Terms, room: Room) -> None:
    _cut(level, variable, cases, room)
    room.sets[level + 1] = room.sets[level] | cases.bits[variable]
    room.sizes[level + 1] = room.sizes[level] + terms.steps[variable]


@njit(cache=True, nogil=True)
def sum_sets(
    cases: Cases, terms: Terms, room: Room, most: int, first: int, chosen: int, sums: Floats
) -> None:
    """The sums of all sets of at most `most` variables that begin in one way.

    first, chosen  of the first variables, the sets have those whose bits `chosen` has set
    sums           (sums, sets)  written where a set is one of these; the empty set is not
    """
    _begin(cases, room)
    base = 0
    for variable in range(first):
        if chosen >> variable & 1:
            if base == most:
                return
            if chosen >> (variable + 1) == 0:  # the last one of the beginning
                _add(base, variable, cases, terms, room, sums)
            _descend(base, variable, cases, terms, room)
            base += 1
    level, variables = base, cases.states.size
    room.after[level] = first if base < most else variables
    while level >= base:
        variable = room.after[level]
        if variable == variables:
            level -= 1
            continue
        room.after[level] += 1
        _add(level, variable, cases, terms, room, sums)
        if variable + 1 < variables and level + 1 < most:
            _descend(level, variable, cases, terms, room)
            level += 1
            room.after[level] = variable + 1


def new_room(variables: int, cases: int, kinds: int, states: int) -> Room:
    """Space for a walk through the sets of so many variables."""
    levels = variables + 1
    return Room(
        np.empty((levels, cases), np.int32),
        np.zeros((levels, cases + 1), np.int32),
        np.zeros(levels, np.int64),
        np.zeros((levels, kinds), np.int64),
        np.zeros(levels, np.int64),
        np.zeros(levels, np.int64),
        np.zeros(levels, np.int64),
        np.zeros(states, np.int64),
        np.zeros(states, np.float64),
        np.zeros(states, np.int64),
    )
