"""Tables under rules that are not linear, the slow way: enumeration, grids, SLSQP with differences.

A network is a mapping from names to parents, all variables with so many states; tables are arrays
shaped parents..., child. Nothing here is of the package.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import minimize


def joint(parents, tables):
    """P(every configuration), with an axis for each variable in the order of `parents`."""
    names = list(parents)
    shape = [tables[name].shape[-1] for name in names]
    found = np.zeros(shape)
    for states in product(*(range(size) for size in shape)):
        at = dict(zip(names, states, strict=True))
        found[states] = np.prod(
            [tables[name][(*(at[parent] for parent in parents[name]), at[name])] for name in names]
        )
    return found


def chance(parents, tables, event, given=None):
    """P(event | given), both as {name: state}, by adding up the joint."""
    whole, names = joint(parents, tables), list(parents)

    def mass(held):
        return whole[tuple(held.get(name, slice(None)) for name in names)].sum()

    given = given or {}
    return mass({**event, **given}) / mass(given)


def unpacked(parents, shapes, theta):
    """One vector of all cells as tables."""
    tables, start = {}, 0
    for name in parents:
        size = int(np.prod(shapes[name]))
        tables[name] = theta[start : start + size].reshape(shapes[name])
        start += size
    return tables


def objective(weights, theta):
    """Σ w log θ; cells without weight add nothing."""
    seen = weights > 0
    return float(weights[seen] @ np.log(theta[seen]))


def most_likely(parents, counts, rules, starts=6, seed=0):
    """The highest Σ counts log θ that SLSQP finds under rules, from several starts.

    counts  per variable, shaped like its table
    rules   (kind, function of tables): "eq" for 0, "ineq" for at least 0; differences for slopes
    """
    shapes = {name: counts[name].shape for name in parents}
    weights = np.concatenate([counts[name].ravel() for name in parents])
    lengths = [
        shapes[name][-1] for name in parents for _ in range(counts[name].size // shapes[name][-1])
    ]
    row = np.repeat(np.arange(len(lengths)), lengths)
    sums = (row == np.arange(len(lengths))[:, None]).astype(float)
    held = [{"type": "eq", "fun": lambda theta: sums @ theta - 1.0, "jac": lambda theta: sums}]
    held += [
        {"type": kind, "fun": lambda theta, rule=rule: rule(unpacked(parents, shapes, theta))}
        for kind, rule in rules
    ]
    random, best = np.random.default_rng(seed), None
    for _ in range(starts):
        drawn = random.exponential(size=weights.size) + 0.2
        start = drawn / (sums.T @ (sums @ drawn))
        found = minimize(
            lambda theta: -objective(weights, np.maximum(theta, 1e-12)) / weights.sum(),
            start, method="SLSQP", constraints=held, bounds=[(1e-9, 1.0)] * weights.size,
            options={"maxiter": 500, "ftol": 1e-12},
        )  # fmt: skip
        if found.success and (best is None or found.fun < best.fun):
            best = found
    assert best is not None, "SLSQP found nothing"
    assert np.abs(sums @ best.x - 1).max() < 1e-7
    tables = unpacked(parents, shapes, best.x)
    for kind, rule in rules:
        gap = np.min(rule(tables))
        assert gap > -1e-6 if kind == "ineq" else abs(gap) < 1e-6
    return -best.fun * weights.sum(), tables


def on_a_grid(weights, keeps, steps=400):
    """The best point (x, 1 - x), (y, 1 - y) of two rows of two on a grid, among those that keep."""
    x = (np.arange(steps) + 0.5) / steps
    first, second = np.meshgrid(x, x, indexing="ij")
    value = (
        weights[0] * np.log(first) + weights[1] * np.log(1 - first)
        + weights[2] * np.log(second) + weights[3] * np.log(1 - second)
    )  # fmt: skip
    value = np.where(keeps(first, second), value, -np.inf)
    at = np.unravel_index(np.argmax(value), value.shape)
    assert np.isfinite(value[at])
    return float(value[at]), np.array([x[at[0]], 1 - x[at[0]], x[at[1]], 1 - x[at[1]]])
