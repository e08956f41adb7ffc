"""States of a source mapped onto fewer states of the target, or onto others of them.

A table with three states can speak of two of them taken together: every map of the source's states
onto all of the target's is tried, cases of states that fall together are added, and the log of the
number of maps is paid for the choice. [EXT-1, EXT-2]
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.transfer.fragments import Fragment, Match

MOST_MAPS = 5_000
"""Ways to map the states of one fragment that are tried at most."""


def mapped(fragment: Fragment, shape: tuple[int, ...], *, relabel: bool = False) -> Iterator[Match]:
    """The fragment with its states taken together, wherever it has at least as many of each.

    relabel: also where it has as many states, their order may be another
    """
    theirs = fragment.counts.shape
    if len(theirs) != len(shape) or theirs[-1] < shape[-1]:
        return
    for order in _orders(theirs[:-1], shape[:-1]):
        axes = (*order, len(shape) - 1)
        sizes = [theirs[at] for at in axes]
        choices = [_maps(size, ours, relabel) for size, ours in zip(sizes, shape, strict=True)]
        number = int(np.prod([len(each) for each in choices], dtype=np.float64))
        if number == 1 or number > MOST_MAPS:
            continue
        turned = np.transpose(fragment.counts, axes)
        for states in product(*choices):
            if all(map(_is_identity, states)):
                continue  # a match as it is, which is free
            counts = turned
            for axis, each in enumerate(states):
                counts = _added(counts, axis, each, shape[axis])
            told = tuple(None if _is_identity(each) else each for each in states)
            yield Match(fragment, tuple(order), told, counts, float(np.log(number)))


def _orders(theirs: tuple[int, ...], ours: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    from itertools import permutations

    for order in permutations(range(len(theirs))):
        if all(theirs[at] >= size for at, size in zip(order, ours, strict=True)):
            yield order


@lru_cache(maxsize=256)
def _maps(theirs: int, ours: int, relabel: bool) -> tuple[Ints, ...]:
    """Every map of so many states onto all of ours; the identity alone where they are as many."""
    if theirs == ours and not relabel:
        return (np.arange(ours),)
    found = (np.array(each) for each in product(range(ours), repeat=theirs))
    return tuple(each for each in found if np.unique(each).size == ours)


def _added(counts: Floats, axis: int, states: Ints, size: int) -> Floats:
    out = np.zeros((*counts.shape[:axis], size, *counts.shape[axis + 1 :]))
    front = np.moveaxis(out, axis, 0)
    np.add.at(front, states, np.moveaxis(counts, axis, 0))
    return out


def _is_identity(states: Ints) -> bool:
    return bool(np.array_equal(states, np.arange(states.size)))
