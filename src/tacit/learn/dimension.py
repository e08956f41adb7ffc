"""How many parameters the observed variables can tell apart."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np

from tacit.arrays import Codes, Floats
from tacit.core.errors import OptionError, SizeError, nearest
from tacit.core.network import Network, check_network
from tacit.infer.engine import CODE, engine_of
from tacit.infer.flat import Layout
from tacit.infer.sizes import MEMORY_LIMIT, check_cases
from tacit.learn.expectation import normalised

MOST_CASES = 4096


def effective_dimension(network: Network, hidden: Iterable[str], *, seed: int = 0) -> int:
    """The rank of the map from free parameters to the distribution of the observed variables.

    Below the number of free parameters the hidden variables are not fully identified: some
    directions change nothing that can be seen. The scores d log P(x) / d θ of observed cases x span
    the same space as the Jacobian; they are taken at generic parameters, for all x if there are at
    most 4,096 of them, else for random ones, at least twice as many as free parameters.
    [Geiger, Heckerman, Meek 1996]
    """
    from tacit.kernels.cut import expected_by_tree

    check_network(network)
    engine = engine_of(network)
    layout = engine.layout
    unseen = frozenset([hidden] if isinstance(hidden, str) else hidden)
    for name in unseen:
        if name not in layout.places:
            raise OptionError(
                f"there is no variable {name!r} to hide{nearest(name, layout.places)}"
            )
    seen = [v for v, name in enumerate(layout.names) if name not in unseen]
    if not seen:
        return 0
    random = np.random.default_rng(seed)
    theta, plan = _generic(layout, random), engine.junction()
    codes = _observed(layout, seen, random)
    check_cases(plan, codes)
    scores, mass = np.zeros((len(codes), layout.size)), np.zeros(1)
    for case in range(len(codes)):
        expected_by_tree(plan.tree, codes[case : case + 1], np.ones(1), theta, scores[case], mass)
    return int(np.linalg.matrix_rank(_free(layout, scores / theta)))


def _generic(layout: Layout, random: np.random.Generator) -> Floats:
    return normalised(layout, 0.2 + random.random(layout.size))


def _observed(layout: Layout, seen: list[int], random: np.random.Generator) -> Codes:
    """Every observed case, or as many random ones as the rank can need."""
    sizes = [layout.cards[v] for v in seen]
    most = max(MOST_CASES, 2 * (layout.size - layout.rows[0].size))
    if 8 * most * layout.size > MEMORY_LIMIT:
        raise SizeError(f"the rank of {layout.size:,} parameters is too large to compute")
    if prod(sizes) <= MOST_CASES:
        grid = np.stack([each.ravel() for each in np.indices(sizes)], axis=1)
    else:
        grid = np.stack([random.integers(0, size, most) for size in sizes], axis=1)
    codes = np.full((len(grid), len(layout.names)), -1, dtype=CODE)
    codes[:, seen] = grid
    return codes


def _free(layout: Layout, slopes: Floats) -> Floats:
    """Slopes in the free parameters: all cells of a row but its last, which takes what is left."""
    starts, lengths = layout.rows
    last = starts + lengths - 1
    row = np.repeat(np.arange(starts.size), lengths)
    free = np.setdiff1d(np.arange(layout.size), last)
    return np.asarray(slopes[:, free] - slopes[:, last[row[free]]])
