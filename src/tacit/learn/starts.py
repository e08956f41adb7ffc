"""Where EM starts: near the data where there are any, at random where nothing was measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Floats
from tacit.infer.flat import Layout
from tacit.learn.expectation import normalised


def start_parameters(
    layout: Layout,
    known: Floats,
    hidden: Sequence[int],
    random: np.random.Generator,
    first: bool,
) -> Floats:
    """Parameters to begin a run with.

    known  the counts of families that are fully observed, flat
    first  the first run keeps observed families at their available cases; others shake them

    A family around a hidden variable gets rows drawn at random, near the child's own distribution
    where that was observed: states of the hidden variable differ from the start, so no symmetry
    holds EM at a saddle.
    """
    weights = known + _even(layout)
    theta = normalised(layout, weights)
    if not first:
        shaken = random.standard_gamma(np.maximum(theta * _row_lengths(layout), 0.2))
        theta = normalised(layout, 0.5 * theta + 0.5 * normalised(layout, shaken))
    unseen = frozenset(hidden)
    for at, axes in enumerate(layout.axes):
        if unseen.isdisjoint(axes.variables):
            continue
        block = layout.block(theta, at)
        centre = _child_distribution(layout, known, at) if at not in unseen else None
        block[...] = _random_rows(block.shape, centre, random)
    return theta


def _even(layout: Layout) -> Floats:
    """One case spread over each row."""
    return 1.0 / _row_lengths(layout)


def _row_lengths(layout: Layout) -> Floats:
    _, lengths = layout.rows
    return np.repeat(lengths, lengths).astype(np.float64)


def _child_distribution(layout: Layout, known: Floats, at: int) -> Floats:
    """How often each state of a variable was seen, in whatever family that counted it."""
    for family in (at, *layout.touching[at]):
        axes = layout.axes[family]
        counts = layout.block(known, family)
        other = tuple(n for n, v in enumerate(axes.variables) if v != at)
        seen = np.asarray(counts.sum(axis=other)) + 0.5
        if counts.sum() > 0:
            return np.asarray(seen / seen.sum())
    return np.full(layout.cards[at], 1.0 / layout.cards[at])


def _random_rows(
    shape: tuple[int, ...], centre: Floats | None, random: np.random.Generator
) -> Floats:
    """Dirichlet rows: flat, or around the centre with the weight of two cases a state."""
    strength = np.ones(shape[-1]) if centre is None else 2.0 * shape[-1] * centre
    rows = random.standard_gamma(np.broadcast_to(np.maximum(strength, 0.1), shape))
    rows = np.maximum(rows, 1e-6)
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))
