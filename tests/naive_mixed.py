"""Oracles where variables are continuous: joint normals written out, one for every way the states
could be. They import nothing of what they check; a network is read through its attributes alone.

Findings are {variable: a state, or a value}.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import erf, inf, log, sqrt
from typing import Any

import numpy as np

Found = Mapping[str, Any]
Normal = tuple[list[str], np.ndarray, np.ndarray]


def is_real(network: Any, name: str) -> bool:
    """Whether a variable has no states."""
    return not hasattr(network.variables[name], "states")


def joint_normal(network: Any, states: Mapping[str, str]) -> Normal:
    """Names, mean and covariance of all reals given a state for every discrete variable.

    Built up parents first: each variable's covariance with those before is that of its regression.
    """
    names = [name for name in network if is_real(network, name)]
    mean, covariance = np.zeros(len(names)), np.zeros((len(names), len(names)))
    for at, name in enumerate(names):
        family = network[name]
        held = [p for p in family.parents if not is_real(network, p)]
        index = tuple(network.variables[p].states.index(states[p]) for p in held)
        slopes = np.atleast_1d(np.asarray(family.coefficients)[index])
        intercept, sd = np.asarray(family.intercept)[index], np.asarray(family.sd)[index]
        before = [names.index(p) for p in family.parents if is_real(network, p)]
        mean[at] = intercept + slopes @ mean[before]
        covariance[at, :at] = slopes @ covariance[before][:, :at]
        covariance[:at, at] = covariance[at, :at]
        covariance[at, at] = slopes @ covariance[np.ix_(before, before)] @ slopes + sd**2
    return names, mean, covariance


def log_normal(values: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> float:
    """The log density of a normal distribution."""
    if not values.size:
        return 0.0
    off = values - mean
    sign, volume = np.linalg.slogdet(2 * np.pi * covariance)
    assert sign > 0
    return float(-0.5 * (off @ np.linalg.solve(covariance, off) + volume))


def conditioned(joint: Normal, found: Found) -> tuple[float, Normal]:
    """The log density of what was found, and the normal of the other reals given it."""
    names, mean, covariance = joint
    seen = [at for at, name in enumerate(names) if name in found]
    rest = [at for at in range(len(names)) if at not in seen]
    values = np.array([found[names[at]] for at in seen], dtype=float)
    gain = covariance[np.ix_(rest, seen)] @ np.linalg.pinv(covariance[np.ix_(seen, seen)])
    after = mean[rest] + gain @ (values - mean[seen])
    left = covariance[np.ix_(rest, rest)] - gain @ covariance[np.ix_(seen, rest)]
    density = log_normal(values, mean[seen], covariance[np.ix_(seen, seen)])
    return density, ([names[at] for at in rest], after, left)


def configurations(network: Any, found: Found) -> Iterator[tuple[dict[str, str], float, Normal]]:
    """Every way the states could be, its log P with all findings, and the normal of the rest."""
    discrete = [name for name in network if not is_real(network, name)]
    choices = [
        (found[name],) if name in found else network.variables[name].states for name in discrete
    ]
    for each in product(*choices):
        states = dict(zip(discrete, each, strict=True))
        chance = 1.0
        for name in discrete:
            at = [network.variables[p].states.index(states[p]) for p in network[name].parents]
            own = network.variables[name].states.index(states[name])
            chance *= float(network[name].values[(*at, own)])
        density, normal = conditioned(joint_normal(network, states), found)
        yield states, (log(chance) if chance > 0 else -inf) + density, normal


def mass(network: Any, found: Found) -> float:
    """log P(findings), a density where they are real."""
    return float(np.logaddexp.reduce([log_p for _, log_p, _ in configurations(network, found)]))


def state_posterior(network: Any, names: Sequence[str], found: Found) -> np.ndarray:
    """P(names | findings), one axis per name."""
    values = np.zeros([len(network.variables[name].states) for name in names])
    total = mass(network, found)
    for states, log_p, _ in configurations(network, found):
        at = tuple(network.variables[name].states.index(states[name]) for name in names)
        values[at] += np.exp(log_p - total)
    return values


def real_posterior(
    network: Any, names: Sequence[str], found: Found
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of some reals given findings."""
    total = mass(network, found)
    mean, square = np.zeros(len(names)), np.zeros((len(names), len(names)))
    for _, log_p, (rest, middle, covariance) in configurations(network, found):
        weight, at = np.exp(log_p - total), [rest.index(name) for name in names]
        mean += weight * middle[at]
        square += weight * (covariance[np.ix_(at, at)] + np.outer(middle[at], middle[at]))
    return mean, square - np.outer(mean, mean)


def share_below(network: Any, name: str, value: float, found: Found) -> float:
    """P(a real is no larger than a value | findings)."""
    total, share = mass(network, found), 0.0
    for _, log_p, (names, mean, covariance) in configurations(network, found):
        at = names.index(name)
        away = (value - mean[at]) / sqrt(2 * covariance[at, at])
        share += np.exp(log_p - total) * (1 + erf(away)) / 2
    return float(share)


def information(network: Any, one: str, other: str, found: Found, points: int = 1500) -> float:
    """I(one; other | findings) as a sum over states and over a fine grid of values."""
    total = mass(network, found)
    names = [one, other]
    reals = [name for name in names if is_real(network, name)]
    axes = {name: _grid(network, name, found, points) for name in reals}
    cells: dict[tuple[str | None, ...], np.ndarray] = {}
    for states, log_p, (rest, mean, covariance) in configurations(network, found):
        key = tuple(None if name in reals else states[name] for name in names)
        at = [rest.index(name) for name in reals]
        density = np.exp(log_p - total) * _density(
            [axes[name] for name in reals], mean[at], covariance[np.ix_(at, at)]
        )
        cells[key] = cells.get(key, np.zeros_like(density)) + density
    step = np.prod([axis[1] - axis[0] for axis in axes.values()])
    first = list(dict.fromkeys(key[0] for key in cells))
    second = list(dict.fromkeys(key[1] for key in cells))
    size = tuple(axis.size for axis in axes.values())
    blank = np.zeros(size)
    joint = np.array([[cells.get((a, b), blank) for b in second] for a in first]) * step
    shape = [axes[n].size if n in reals else 1 for n in names]
    joint = joint.reshape(len(first), len(second), *shape)
    mine = joint.sum(axis=(1, 3), keepdims=True)
    its = joint.sum(axis=(0, 2), keepdims=True)
    used = joint > 0
    return float(np.sum(joint[used] * np.log((joint / (mine * its))[used])))


def _grid(network: Any, name: str, found: Found, points: int) -> np.ndarray:
    ends = []
    for _, log_p, (rest, mean, covariance) in configurations(network, found):
        if log_p > -inf:
            at = rest.index(name)
            reach = 8 * sqrt(covariance[at, at])
            ends += [mean[at] - reach, mean[at] + reach]
    return np.linspace(min(ends), max(ends), points)


def _density(axes: list[np.ndarray], mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """The density of one or two reals on a grid; of none, 1."""
    if not axes:
        return np.ones(())
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1) - mean
    squares = np.einsum("...i,ij,...j->...", points, np.linalg.inv(covariance), points)
    return np.exp(-0.5 * squares) / sqrt(np.linalg.det(2 * np.pi * covariance))


def expected_family(network: Any, found: Found, axes: Sequence[str]) -> dict[tuple, tuple]:
    """E[1], E[z], E[z zᵀ] of some variables given findings, whether a family of the network or not,
    by the states of the discrete ones; z are the reals among them, in their order."""
    reals = [axis for axis in axes if is_real(network, axis)]
    total, out = mass(network, found), {}
    for states, log_p, (rest, mean, covariance) in configurations(network, found):
        weight = np.exp(log_p - total)
        at = tuple(
            network.variables[axis].states.index(states[axis])
            for axis in axes
            if not is_real(network, axis)
        )
        z = np.array([found[r] if r in found else mean[rest.index(r)] for r in reals])
        square = np.outer(z, z)
        for (i, one), (j, other) in product(enumerate(reals), enumerate(reals)):
            if one in rest and other in rest:
                square[i, j] += covariance[rest.index(one), rest.index(other)]
        before = out.get(at, (0.0, np.zeros(len(reals)), np.zeros_like(square)))
        new = (weight, weight * z, weight * square)
        out[at] = tuple(a + b for a, b in zip(before, new, strict=True))
    return out


def expected_sums(network: Any, found: Found) -> dict[str, dict[tuple[int, ...], tuple]]:
    """E[1], E[z], E[z zᵀ] of every family given findings, by the states of its discrete axes.

    z are the family's reals, parents before the child; the sums run over every way the states could
    be.
    """
    total, out = mass(network, found), {name: {} for name in network}
    for states, log_p, (rest, mean, covariance) in configurations(network, found):
        weight = np.exp(log_p - total)
        for name in network:
            axes = [*network[name].parents, name]
            reals = [axis for axis in axes if is_real(network, axis)]
            at = tuple(
                network.variables[axis].states.index(states[axis])
                for axis in axes
                if not is_real(network, axis)
            )
            z = np.array([found[r] if r in found else mean[rest.index(r)] for r in reals])
            square = np.outer(z, z)
            for (i, one), (j, other) in product(enumerate(reals), enumerate(reals)):
                if one in rest and other in rest:
                    square[i, j] += covariance[rest.index(one), rest.index(other)]
            before = out[name].get(at, (0.0, np.zeros(len(reals)), np.zeros_like(square)))
            new = (weight, weight * z, weight * square)
            out[name][at] = tuple(a + b for a, b in zip(before, new, strict=True))
    return out
