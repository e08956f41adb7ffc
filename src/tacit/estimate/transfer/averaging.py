"""Borrowed cases that make the estimate the mean over all ways the table may have come about.

A table is the target's own with probability w_0 and that of source k with w_k. Given the latter its
row is estimated from α + N_t + N_k, and the mean over them all is, with t_k = S_k / (A + S_k) the
share of the source in it (A = Σ α + N_t, S_k = Σ N_k),

m = (1 - u) m_0 + Σ_k u_k q_k,   u_k = w_k t_k,  u = Σ u_k,

where m_0 is the row without sources and q_k that of source k alone. Adding u_k A / (1 - u) cases in
the proportions q_k gives exactly this mean. What a source is worth follows: all its cases where it
is certain, and hardly more than the target's own where it is not, for these are what could
contradict it. [estimation 3.6, Zhou, Hospedales and Fenton 2016; EXT-3]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Floats


def averaged(own: Floats, sources: Sequence[Floats], weights: Sequence[float]) -> list[Floats]:
    """The cases to borrow from every source, shaped like its counts.

    own: α + N_t; weights add up to 1 at most
    """
    mass = own.sum(axis=-1, keepdims=True)
    sizes = [each.sum(axis=-1, keepdims=True) for each in sources]
    shares = [weight * size / (mass + size) for weight, size in zip(weights, sizes, strict=True)]
    none = max(0.0, 1.0 - sum(weights))
    rest = none + sum(  # 1 - u, without subtracting what is nearly the same
        weight * mass / (mass + size) for weight, size in zip(weights, sizes, strict=True)
    )
    return [
        each * (share * mass / (rest * np.where(size > 0, size, 1.0)))
        for each, share, size in zip(sources, shares, sizes, strict=True)
    ]
