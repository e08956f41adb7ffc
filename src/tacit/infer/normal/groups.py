"""Cases sorted by what they lack: those with the same missing variables are solved together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Codes, Floats, Ints
from tacit.core.dataset import Dataset, absent
from tacit.infer.contexts import Pieces, find_pieces
from tacit.infer.normal.kinds import Kind, Plan, kind_of


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Cases that lack the same variables, and agree in the states that choose regressions.

    cases  their positions
    codes  (held discrete parents,) the states they agree in, in the order of `kind.held`
    """

    kind: Kind
    cases: Ints
    codes: Codes


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """All missing pieces of all cases.

    reals  (cases, continuous variables) as observed, nan where missing
    codes  (cases, variables of the layout) states, -1 where missing; 0 where a real was observed
    """

    plan: Plan
    groups: tuple[Group, ...]
    reals: Floats
    codes: Codes


def grouped(plan: Plan, cases: Dataset, count: int | None = None) -> Grouped:
    """The cases by their missing pieces; a case stands in one group for each of its pieces.

    count: how many cases there are, which cases without any column do not say
    """
    names, frame, count = plan.layout.names, plan.frame, len(cases) if count is None else count
    codes = np.full((count, len(names)), -1, dtype=np.int32)
    reals = np.full((count, len(frame)), np.nan)
    for at, name in enumerate(names):
        if name in cases:
            column = cases[name]
            if name in frame.places:
                reals[:, frame.places[name]] = column
                column = np.where(absent(column), np.int8(-1), np.int8(0))
            codes[:, at] = column
    return Grouped(plan, tuple(_groups(plan, codes)), reals, codes)


def _groups(plan: Plan, codes: Codes) -> Iterator[Group]:
    columns = {name: codes[:, at] for at, name in enumerate(plan.layout.names)}
    found = find_pieces(Dataset(plan.coded, columns), plan.layout)
    of_kind = found.kind[found.context]
    order = np.argsort(of_kind, kind="stable")
    _, starts = np.unique(of_kind[order], return_index=True)
    for mine in np.split(order, starts[1:]):
        if mine.size:
            kind = kind_of(plan, _members(plan, found, int(found.context[mine[0]])))
            yield from _split(kind, np.sort(found.case[mine]), codes)


def _members(plan: Plan, found: Pieces, context: int) -> Ints:
    """The missing variables of a context, reached from its lowest."""
    gone: Bools = found.codes[found.row[context]] < 0
    waiting, members = [int(found.first[context])], {int(found.first[context])}
    while waiting:
        for near in plan.layout.neighbours[waiting.pop()]:
            if gone[near] and near not in members:
                members.add(near)
                waiting.append(near)
    return np.array(sorted(members), np.int64)


def _split(kind: Kind, cases: Ints, codes: Codes) -> Iterator[Group]:
    """One group for each combination of states of the held parents."""
    held = codes[cases][:, list(kind.held)]
    if not kind.held:
        yield Group(kind, cases, held[0])
        return
    states, which = np.unique(held, axis=0, return_inverse=True)
    which = which.reshape(-1)
    for at, each in enumerate(states):
        yield Group(kind, cases[which == at], each)
