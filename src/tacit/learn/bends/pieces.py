"""Cases with gaps, apart into pieces that have nothing to do with each other given what was seen.

Unknown variables that share a family hang together. What is unknown and has no observed descendant
says nothing and is left out with its family. Equal pieces of all cases stand side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.learn.bends.shape import Shape


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What was observed: (cases, variables), nan where nothing was, and weights of the cases."""

    values: Floats
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """The cases in which the same variables are unknown together.

    bends     the unknown parents of curves; given these everything is normal
    rest      the other unknown variables
    families  those that speak of one of both
    cases     which they are; `weights` theirs
    values    (cases, variables), nan where unknown
    """

    bends: Ints
    rest: Ints
    families: Ints
    cases: Ints
    weights: Floats
    values: Floats

    def some(self, chosen: Ints | slice) -> Piece:
        """Some of the cases."""
        return Piece(
            self.bends, self.rest, self.families, self.cases[chosen], self.weights[chosen],
            self.values[chosen],
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Divided:
    """All cases: what they show of every family whole, and pieces of the others.

    whole  per family which cases show it
    """

    told: Told
    whole: tuple[Ints, ...]
    pieces: tuple[Piece, ...]

    @staticmethod
    def of(shape: Shape, told: Told, *, all_unknown: bool = False) -> Divided:
        """The parts of cases; `all_unknown`: what says nothing is there as well."""
        gaps = np.isnan(told.values)
        kinds, which = np.unique(gaps, axis=0, return_inverse=True)
        found: dict[tuple[tuple[int, ...], tuple[int, ...]], list[Ints]] = {}
        for number, open_ in enumerate(kinds):
            cases, heard = np.flatnonzero(which.reshape(-1) == number), _heard(shape, open_)
            heard |= all_unknown
            for members in _together(shape, open_ & heard, heard):
                key = members, _families(shape, members, heard)
                found.setdefault(key, []).append(cases)
        pieces = [
            _piece(shape, key[0], np.sort(np.concatenate(found[key])), np.array(key[1]), told)
            for key in sorted(found)
        ]
        whole = tuple(
            np.flatnonzero(~gaps[:, [*parents.tolist(), at]].any(axis=1))
            for at, parents in enumerate(shape.parents)
        )
        return Divided(told, whole, tuple(pieces))


def _heard(shape: Shape, open_: Bools) -> Bools:
    """The variables that are observed, or that something observed descends from."""
    children: Mapping[str, Iterable[str]] = shape.dag.children
    places = {name: at for at, name in enumerate(shape.dag.names)}
    heard: Bools = ~open_
    for at in reversed(shape.order):
        below = [places[each] for each in children[shape.dag.names[at]]]
        heard[at] |= bool(heard[below].any())
    return heard


def _together(shape: Shape, open_: Bools, heard: Bools) -> list[tuple[int, ...]]:
    """Groups of unknown variables that share families."""
    unknown = set(np.flatnonzero(open_).tolist())
    groups: list[set[int]] = []
    for at in np.flatnonzero(heard).tolist():
        members = {each for each in (*shape.parents[at].tolist(), at) if each in unknown}
        for other in [each for each in groups if each & members]:
            groups.remove(other)
            members |= other
        if members:
            groups.append(members)
    return [tuple(sorted(each)) for each in groups]


def _piece(
    shape: Shape, members: tuple[int, ...], cases: Ints, families: Ints, told: Told
) -> Piece:
    """The piece of these unknown variables."""
    bends = {
        int(parent)
        for at in families.tolist()
        if shape.bent[at]
        for parent in shape.parents[at]
        if parent in members
    }
    rest = [at for at in members if at not in bends]
    return Piece(
        np.array(sorted(bends), dtype=np.int64), np.array(rest, dtype=np.int64), families, cases,
        told.weights[cases], told.values[cases],
    )  # fmt: skip


def _families(shape: Shape, members: tuple[int, ...], heard: Bools) -> tuple[int, ...]:
    """Those that speak of a member, and say something."""
    return tuple(
        at
        for at in np.flatnonzero(heard).tolist()
        if at in members or any(each in members for each in shape.parents[at].tolist())
    )
