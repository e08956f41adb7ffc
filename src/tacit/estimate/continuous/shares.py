"""How probable it is that regressions keep inequalities which nothing holds them to."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.continuous.restrained import Restrained

DRAWS = 200_000
BLOCK = 20_000
LEAST = 100
"""Draws that must keep the inequalities before their share is told."""


def log_share(law: Restrained, seed: int) -> tuple[float, float] | None:
    """log P(the inequalities) under the law without them, and its Monte Carlo error.

    Exact for one direction of one regression, which is a Student's t; elsewhere by independent
    draws, and None where hardly any obeys.
    """
    held = law.held
    if not len(held.room) and not len(held.noise.room):
        return 0.0, 0.0
    exact = _along(law)
    if exact is not None:
        return exact, 0.0
    random, kept = np.random.default_rng([seed, 8]), 0
    for _ in range(0, DRAWS, BLOCK):
        kept += int(law.obeyed(*law.free_draws(BLOCK, random)).sum())
    if kept < LEAST:
        return None
    share = kept / DRAWS
    return float(np.log(share)), float(np.sqrt((1 - share) / kept))


def _along(law: Restrained) -> float | None:
    """Where all inequalities are about one number of one regression."""
    held, noise = law.held, law.held.noise
    if len(noise.room) or np.linalg.matrix_rank(held.rows, tol=1e-9) > 1:
        return None
    members = np.unique(held.owner[np.abs(held.rows).max(axis=0) > 0])
    member = int(members[0])
    own = noise.of[member]
    if members.size > 1 or (noise.of == own).sum() > 1 or not np.isnan(noise.fixed[own]):
        return None
    curvature, best, left = law.plane(member)
    freedom = law.known[member].divisor + held.taken(member)
    mine = held.rows[:, held.owner == member]
    first = mine[0]
    spread = float(first @ np.linalg.solve(curvature, first)) * left / freedom
    factor = mine @ first / (first @ first)
    ends = (held.room / factor - first @ best) / np.sqrt(spread)
    ends = ends * law.held.gauges[member].unit
    low = float(ends[factor < 0].max(initial=-np.inf))
    high = float(ends[factor > 0].min(initial=np.inf))
    return _log_between(low, high, freedom)


def _log_between(low: float, high: float, freedom: float) -> float:
    """log P(low <= t <= high), reckoned in the nearer tail."""
    from scipy.stats import t

    if low + high > 0:
        low, high = -high, -low
    top, bottom = np.asarray(t.logcdf(high, freedom)), np.asarray(t.logcdf(low, freedom))
    found: Floats = np.asarray(top + np.log1p(-np.exp(bottom - top)))
    return float(found)
