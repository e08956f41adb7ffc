"""The states of hidden variables in an order that does not depend on chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.infer.flat import Layout


def canonical_order(
    layout: Layout, expected: Floats, hidden: Sequence[int], together: bool
) -> Ints:
    """Positions that put the states of every hidden variable in order, the most common first.

    together  tables are shared between hidden variables, so all of one size turn alike
    """
    weight = {v: _state_weights(layout, expected, v) for v in hidden}
    if together:
        pooled = {
            card: np.sum([weight[v] for v in hidden if layout.cards[v] == card], axis=0)
            for card in {layout.cards[v] for v in hidden}
        }
        weight = {v: pooled[layout.cards[v]] for v in hidden}
    turn = {v: np.argsort(-weight[v], kind="stable") for v in hidden}
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


def _state_weights(layout: Layout, expected: Floats, v: int) -> Floats:
    """How many cases each state is expected in, by the variable's own family."""
    counts = layout.block(expected, v)
    return np.asarray(counts.reshape(-1, counts.shape[-1]).sum(axis=0))
