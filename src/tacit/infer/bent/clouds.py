"""Points of a density, drawn where it is large, with weights, and its integral.

Adaptive importance sampling: a mixture of Student's t is fitted to weighted points, new ones are
drawn from it, and so on until their weights are even. Of a last mixture that is then left alone
several independent sets of scrambled Sobol points are drawn: how much the sets differ is the error.
[Cappé, Guillin, Marin and Robert 2004; Owen 1997]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import lgamma, log, pi

import numpy as np

from tacit.arrays import Floats, Ints

SETS = 16
"""Independent sets of points."""
ROUNDS = 8
EVEN = 0.5
"""Weights that are worth this share of their points are even enough."""
KERNELS = 128
FREEDOM = 5.0
SHARES = (0.6, 0.3, 0.1)
"""Of kernels around points, of one t around all, and of one as wide as before any finding."""

Law = Callable[[Floats], Floats]
"""(points, dimensions) to logs of the density."""


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """Weighted points.

    points   (n, dimensions), the sets one after the other
    logs     (n,) logs of the density over that which they were drawn from
    """

    points: Floats
    logs: Floats

    @property
    def weights(self) -> Floats:
        """(n,) adding up to one."""
        raw = np.exp(self.logs - self.logs.max())
        return np.asarray(raw / raw.sum())

    @property
    def size(self) -> float:
        """How many independent points they are worth."""
        return float(1 / (self.weights**2).sum())

    @property
    def log_total(self) -> float:
        """log of the integral of the density."""
        top = float(self.logs.max())
        return top + float(np.log(np.exp(self.logs - top).mean()))

    def error(self, values: Floats) -> Floats:
        """(...) Monte Carlo error of the weighted mean of (n, ...) values, from what the sets say
        one by one."""
        weights = self.weights.reshape(SETS, -1)
        split = values.reshape(SETS, weights.shape[1], -1)
        sums = np.einsum("sn,snv->sv", weights, split)
        total = weights.sum(axis=1)
        off = sums - total[:, None] * (sums.sum(axis=0) / total.sum())
        found = np.sqrt((off**2).sum(axis=0) * SETS / (SETS - 1)) / total.sum()
        return np.asarray(found.reshape(values.shape[1:]))

    @property
    def total_error(self) -> float:
        """Monte Carlo error of `log_total`."""
        sums = self.weights.reshape(SETS, -1).sum(axis=1)
        return float(np.sqrt(SETS * ((sums - sums.mean()) ** 2).sum() / (SETS - 1)))


@dataclass(frozen=True, slots=True, eq=False)
class _Mixture:
    """Student's t around centres.

    root   (kinds,) of Cholesky factors, `kind` says which each centre has
    share  (centres,)
    """

    centres: Floats
    kind: Ints
    share: Floats
    roots: Floats

    def placed(self, cube: Floats) -> Floats:
        """Points of the unit cube, two coordinates more than dimensions, as points of the
        mixture."""
        from scipy.special import chdtri, ndtri

        ends = np.cumsum(self.share)
        which = np.minimum(np.searchsorted(ends, cube[:, 0] * ends[-1]), ends.size - 1)
        longer = np.sqrt(FREEDOM / chdtri(FREEDOM, cube[:, 1]))
        away = np.einsum("nij,nj->ni", self.roots[self.kind[which]], ndtri(cube[:, 2:]))
        return np.asarray(self.centres[which] + longer[:, None] * away)

    def log_density(self, points: Floats) -> Floats:
        """(n,)"""
        size, total = points.shape[1], np.zeros(len(points))
        constant = lgamma((FREEDOM + size) / 2) - lgamma(FREEDOM / 2) - size / 2 * log(pi * FREEDOM)
        for kind, root in enumerate(self.roots):
            back = np.linalg.inv(root)
            mine = self.kind == kind
            near, centres = points @ back.T, self.centres[mine] @ back.T
            squares = ((near[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
            height = (1 + squares / FREEDOM) ** (-(FREEDOM + size) / 2)
            total += height @ self.share[mine] / np.abs(np.diag(root)).prod()
        return np.asarray(np.log(total / self.share.sum()) + constant)


def explored(law: Law, start: Floats, logs: Floats, many: int, seed: int) -> Cloud:
    """A cloud of about so many points.

    start, logs: points drawn before, and logs of their weights, however uneven
    """
    random = np.random.default_rng([seed, 11])
    broad = _root(start, np.full(len(start), 1 / len(start)))
    points, each = start, 2 ** int(np.ceil(np.log2(max(many, 2 * SETS) / SETS)))
    best, rival = (
        Cloud(points, logs),
        _Mixture(start[:1], np.zeros(1, int), np.ones(1), broad[None]),
    )
    for round_ in range(ROUNDS):
        mixture = _fitted(best, broad, start.mean(axis=0), random)
        points = mixture.placed(_cube(max(1024, 2 * each), points.shape[1], random))
        cloud = Cloud(points, law(points) - mixture.log_density(points))
        better = round_ == 0 or cloud.size > best.size
        best, rival = (cloud, mixture) if better else (best, rival)
        if best.size > EVEN * len(points) or (round_ > 2 and not better):
            break
    sets = [rival.placed(_cube(each, points.shape[1], random)) for _ in range(SETS)]
    last = np.concatenate(sets)
    return Cloud(last, law(last) - rival.log_density(last))


def _cube(many: int, size: int, random: np.random.Generator) -> Floats:
    """Scrambled Sobol points, strictly inside the unit cube."""
    from scipy.stats.qmc import Sobol

    drawn = Sobol(size + 2, scramble=True, seed=random).random(many)
    return np.clip(drawn, 1e-12, 1 - 1e-12)


def _fitted(cloud: Cloud, broad: Floats, middle: Floats, random: np.random.Generator) -> _Mixture:
    """A mixture that suits the cloud; where the weights of this are uneven they are flattened."""
    weights, size = _flattened(cloud.logs), cloud.points.shape[1]
    effective = min(KERNELS, 1 / float((weights**2).sum()))
    root = _root(cloud.points, weights)
    width = (4 / ((size + 2) * effective)) ** (1 / (size + 4))
    ends = np.cumsum(weights)
    at = (np.arange(KERNELS) + random.random()) / KERNELS * ends[-1]
    kernels = cloud.points[np.minimum(np.searchsorted(ends, at), ends.size - 1)]
    centres = np.concatenate([kernels, [weights @ cloud.points], [middle]])
    kind = np.array([0] * KERNELS + [1, 2])
    share = np.array([SHARES[0] / KERNELS] * KERNELS + [*SHARES[1:]])
    roots = np.array([width * root, 1.2 * root, 1.5 * broad])
    return _Mixture(centres, kind, share, roots)


def _flattened(logs: Floats) -> Floats:
    """Weights whose logs are scaled down until they are worth some points."""
    wanted = min(200.0, 0.2 * logs.size)
    top, low, high = logs - logs.max(), 0.0, 1.0
    power = 1.0
    for _ in range(60):
        raw = np.where(np.isneginf(top), 0.0, np.exp(np.maximum(power * top, -700.0)))
        if raw.sum() ** 2 / (raw**2).sum() >= min(wanted, 0.9 * np.count_nonzero(raw)):
            low = power
            if power == 1.0:
                break
        else:
            high = power
        power = (low + high) / 2
    raw = np.where(np.isneginf(top), 0.0, np.exp(np.maximum(low * top, -700.0)))
    return np.asarray(raw / raw.sum())


def _root(points: Floats, weights: Floats) -> Floats:
    """The Cholesky root of the weighted covariance, made regular."""
    off = points - weights @ points
    covariance = (off * weights[:, None]).T @ off
    scale = np.sqrt(np.diag(covariance))
    scale = np.where(scale > 0, scale, 1e-300)
    shaped = covariance / np.outer(scale, scale)
    return np.asarray(
        scale[:, None] * np.linalg.cholesky(shaped + 1e-9 * np.eye(scale.size)), dtype=np.float64
    )
