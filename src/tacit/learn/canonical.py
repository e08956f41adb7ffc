"""The states of hidden variables in an order that does not depend on chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.infer.flat import Layout


def canonical_order(layout: Layout, expected: Floats, hidden: Sequence[int]) -> Ints:
    """Positions that put the states of every hidden variable in order, the most common first.

    Variables that meet in one axis of a shared table turn alike, by their counts together; they
    keep their order if one of them is observed.
    """
    turn = {}
    for group in _alike(layout):
        if set(group) <= set(hidden):
            weight = np.sum([_state_weights(layout, expected, v) for v in group], axis=0)
            turn.update(dict.fromkeys(group, np.argsort(-weight, kind="stable")))
    order = np.arange(layout.size, dtype=np.int64)
    done = set()
    for at, axes in enumerate(layout.axes):
        if axes.start in done:
            continue
        done.add(axes.start)
        block = layout.block(order, at)
        for axis, v in enumerate(axes.variables):
            if v in turn:
                block[...] = np.take(block, turn[v], axis=axis)
    return order


def _alike(layout: Layout) -> list[list[int]]:
    """The variables in groups: two are in one if they take the same place in a shared table."""
    leader = list(range(len(layout.names)))

    def first(v: int) -> int:
        while leader[v] != v:
            v = leader[v]
        return v

    families: dict[int, tuple[int, ...]] = {}
    for axes in layout.axes:
        for one, other in zip(
            families.setdefault(axes.start, axes.variables), axes.variables, strict=True
        ):
            leader[first(other)] = first(one)
    groups: dict[int, list[int]] = {}
    for v in range(len(leader)):
        groups.setdefault(first(v), []).append(v)
    return list(groups.values())


def _state_weights(layout: Layout, expected: Floats, v: int) -> Floats:
    """How many cases each state is expected in, by the variable's own family."""
    counts = layout.block(expected, v)
    return np.asarray(counts.reshape(-1, counts.shape[-1]).sum(axis=0))
