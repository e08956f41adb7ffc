"""Fragments: a variable with its parents, hence one table, and the cases behind it.

Names carry no weight: a fragment of a source fits a table of the target if it has as many parents
with the same numbers of states, in some order. [estimation 3.5, Definition 1]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from tacit.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """One table of a source.

    counts   (parents..., child) cases behind it; fractions where a network was given with the
             number of cases that it is worth
    states   of every axis, where they are known
    nominal  whether nobody counted them
    """

    source: str
    child: str
    parents: tuple[str, ...]
    counts: Floats
    states: tuple[tuple[str, ...], ...] = ()
    nominal: bool = False

    @property
    def cases(self) -> float:
        """How many cases it rests on."""
        return float(self.counts.sum())

    def __str__(self) -> str:
        given = f" | {', '.join(self.parents)}" if self.parents else ""
        return f"P({self.child}{given})"


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A fragment laid over a table of the target.

    order   for every parent of the target, which parent of the fragment takes its place; -1 where
            none does and the table is repeated
    states  for every axis of the target, the state that each state of the fragment becomes;
            None where states stay as they are
    counts  the cases of the fragment, shaped like the table of the target
    price   log of the number of ways in which states could have been mapped
    """

    fragment: Fragment
    order: tuple[int, ...]
    states: tuple[Ints | None, ...]
    counts: Floats
    price: float = 0.0


def in_the_order_of(
    fragment: Fragment,
    states: Mapping[str, tuple[str, ...]],
    usual: Mapping[frozenset[str], tuple[str, ...]] | None = None,
) -> Fragment:
    """The fragment with the states of the target's variables of the same names in their order.

    usual: the one order in which the target has such a set of states, whatever the variable

    Names carry no weight, but a variable that is plainly the same must not be turned round. States
    that its cases do not show are added with none; a published network knows all of its own.
    """
    names = (*fragment.parents, fragment.child)
    counts, told = fragment.counts, list(fragment.states)
    for axis, (name, theirs) in enumerate(zip(names, fragment.states, strict=False)):
        ours = states.get(name) or (usual or {}).get(frozenset(theirs), theirs)
        if ours == theirs or not set(theirs) <= set(ours):
            continue
        if fragment.nominal and len(theirs) < len(ours):
            continue
        wide = np.zeros((*counts.shape[:axis], len(ours), *counts.shape[axis + 1 :]))
        places = [ours.index(state) for state in theirs]
        np.moveaxis(wide, axis, 0)[places] = np.moveaxis(counts, axis, 0)
        counts, told[axis] = wide, ours
    return replace(fragment, counts=counts, states=tuple(told))


def matches(fragment: Fragment, shape: tuple[int, ...]) -> Iterator[Match]:
    """Every order of the parents in which the fragment has the shape of the table."""
    theirs = fragment.counts.shape
    if len(theirs) != len(shape) or theirs[-1] != shape[-1]:
        return
    if sorted(theirs[:-1]) != sorted(shape[:-1]):
        return
    last = len(shape) - 1
    for order in orders(theirs[:-1], shape[:-1]):
        counts = np.transpose(fragment.counts, (*order, last))
        yield Match(fragment, order, (None,) * len(shape), counts)


def orders(theirs: tuple[int, ...], ours: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The orders of axes `theirs` that make their sizes `ours`."""
    for order in permutations(range(len(theirs))):
        if all(theirs[at] == size for at, size in zip(order, ours, strict=True)):
            yield order
