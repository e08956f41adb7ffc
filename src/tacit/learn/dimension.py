"""How many parameters the observed variables can tell apart."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tacit.arrays import Codes, Floats
from tacit.core.errors import OptionError, nearest
from tacit.core.network import Network
from tacit.infer.engine import engine_of
from tacit.infer.flat import Layout

MOST_CASES = 4096
RANK_TOLERANCE = 1e-8


def effective_dimension(network: Network, hidden: Iterable[str], *, seed: int = 0) -> int:
    """The rank of the map from free parameters to the distribution of the observed variables.

    Below the number of free parameters the hidden variables are not fully identified: some
    directions change nothing that can be seen. The scores d log P(x) / d θ of observed cases x span
    the same space as the Jacobian; they are taken at generic parameters, for all x if there are at
    most 4,096 of them and for that many random ones otherwise. [Geiger, Heckerman, Meek 1996]
    """
    from tacit.kernels.cut import expected_by_tree

    engine = engine_of(network)
    layout = engine.layout
    unseen = frozenset(hidden)
    for name in unseen:
        if name not in layout.places:
            raise OptionError(
                f"there is no variable {name!r} to hide{nearest(name, layout.places)}"
            )
    random = np.random.default_rng(seed)
    theta = _generic(layout, random)
    seen = [v for v, name in enumerate(layout.names) if name not in unseen]
    codes = _observed(layout, seen, random)
    tree = engine.junction().tree
    scores, mass = np.zeros((len(codes), layout.size)), np.zeros(1)
    for case in range(len(codes)):
        expected_by_tree(tree, codes[case : case + 1], np.ones(1), theta, scores[case], mass)
    return int(np.linalg.matrix_rank(_free(layout, scores / theta, theta), tol=None))


def _generic(layout: Layout, random: np.random.Generator) -> Floats:
    starts, lengths = layout.rows
    weights = 0.2 + random.random(layout.size)
    return np.asarray(weights / np.repeat(np.add.reduceat(weights, starts), lengths))


def _observed(layout: Layout, seen: list[int], random: np.random.Generator) -> Codes:
    sizes = [layout.cards[v] for v in seen]
    codes = np.full((1, len(layout.names)), -1, dtype=np.int64)
    if np.prod(sizes, dtype=float) <= MOST_CASES:
        grid = np.stack([each.ravel() for each in np.indices(sizes)], axis=1)
    else:
        grid = np.stack([random.integers(0, size, MOST_CASES) for size in sizes], axis=1)
    codes = np.repeat(codes, len(grid), axis=0)
    codes[:, seen] = grid
    return codes


def _free(layout: Layout, slopes: Floats, theta: Floats) -> Floats:
    """Slopes in the free parameters: all cells of a row but its last, which takes what is left."""
    del theta
    starts, lengths = layout.rows
    last = starts + lengths - 1
    row = np.repeat(np.arange(starts.size), lengths)
    free = np.setdiff1d(np.arange(layout.size), last)
    return np.asarray(slopes[:, free] - slopes[:, last[row[free]]])
