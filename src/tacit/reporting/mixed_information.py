"""How much an arc tells a continuous child whose distribution is no normal: a mixture, or a curve.

Both keep to what the linear case does: continuous parents are normal with the moments of the cases,
those of a mixture in each configuration of the discrete parents.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.errors import QueryError, SizeError
from tacit.core.variables import Discrete
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.curved import CurvedGaussian
from tacit.infer.normal.information import information
from tacit.infer.normal.mixtures import NormalAnswer, normals

Told = tuple[float, float]
"""I(child; parent), and that given the other parents, in nats; nan where neither is computed."""

MOST_NORMALS = 24
"""Of a mixture over a plane; an integral over a line bears `MOST_ALONG` of them."""
MOST_ALONG = 48
SIDE = 6.5
"""Standard deviations to either side that sums over a normal reach."""
NODES = 61
MOST_NODES = 1500


def of_mixture(family: ConditionalGaussian, moments: ConditionalMoments) -> tuple[Told, ...]:
    """Of every parent, by integrals over the child and at most one parent beside it."""
    joint, real = _joint(family, moments), family.variables[-1].name
    discrete = [each for each in family.variables if isinstance(each, Discrete)]
    found = []
    for name in family.parents:
        alone = _information(joint, name, [real])
        if name in joint.names:
            beside = _beside_real(family, moments, joint.names.index(name))
        else:
            others = [each.name for each in discrete if each.name != name]
            beside = _beside_states(joint, name, others)
        found.append((alone, beside))
    return tuple(found)


def _joint(family: ConditionalGaussian, moments: ConditionalMoments) -> NormalAnswer:
    """All parents and the child: a normal per configuration that the cases show."""
    discrete = tuple(each for each in family.variables if isinstance(each, Discrete))
    reals = tuple(each for each in family.variables if not isinstance(each, Discrete))
    seen = np.flatnonzero(moments.weights.reshape(-1) > 0)
    size = len(reals)
    means, covariances = np.zeros((seen.size, size)), np.zeros((seen.size, size, size))
    slopes = family.coefficients.reshape(moments.weights.size, size - 1)
    intercepts, noises = family.intercept.reshape(-1), family.sd.reshape(-1)
    for at, configuration in enumerate(seen.tolist()):
        held, slope = moments.at(configuration), slopes[configuration]
        spread = held.scatter[:-1, :-1] / held.weight
        shared = spread @ slope
        means[at] = [*held.means[:-1], held.means[:-1] @ slope + intercepts[configuration]]
        covariances[at, :-1, :-1], covariances[at, :-1, -1] = spread, shared
        covariances[at, -1, :-1] = shared
        covariances[at, -1, -1] = slope @ shared + noises[configuration] ** 2
    weights = moments.weights.reshape(-1)[seen] / moments.total
    shape = tuple(len(each.states) for each in discrete)
    places = np.stack(np.unravel_index(seen, shape), axis=1).astype(np.int64)
    return normals("as in the cases", discrete, reals, weights, means, covariances, places)


def _information(joint: NormalAnswer, one: str, others: Sequence[str]) -> float:
    """I(one; others) of this part of the joint; nan where that integral is too much."""
    part = _part(joint, (one, *others))
    if not _computed(len(part.reals), part.weights.size):
        return float("nan")
    try:
        return information(part, [one], others)
    except (QueryError, SizeError):
        return float("nan")


def _computed(reals: int, normal: int) -> bool:
    """Whether the integral over so many variables is computed of so many normals."""
    return reals <= 2 and normal <= (MOST_NORMALS if reals == 2 else MOST_ALONG)


def _part(joint: NormalAnswer, names: Sequence[str], kept: Bools | None = None) -> NormalAnswer:
    """The marginal of these variables, where `kept` of only these normals."""
    reals = [at for at, name in enumerate(joint.names) if name in names]
    held = [at for at, each in enumerate(joint.variables) if each.name in names]
    which = np.ones(joint.weights.size, dtype=np.bool_) if kept is None else kept
    return normals(
        joint.query,
        tuple(joint.variables[at] for at in held),
        tuple(joint.reals[at] for at in reals),
        joint.weights[which] / joint.weights[which].sum(),
        joint.means[which][:, reals],
        joint.covariances[which][:, reals][:, :, reals],
        joint.configurations[which][:, held],
    )


def _beside_states(joint: NormalAnswer, name: str, others: Sequence[str]) -> float:
    """I(child; states | others) = Σ P(s) [I(states; child, x | s) - I(states; x | s)], with s the
    states of the other parents and x the real ones."""
    places = [at for at, each in enumerate(joint.variables) if each.name in others]
    rows, total = joint.configurations[:, places], 0.0
    if not _computed(len(joint.names), joint.weights.size):
        return float("nan")
    for row in np.unique(rows, axis=0):
        kept = np.asarray((rows == row).all(axis=1))
        part = _part(joint, (name, *joint.names), kept)
        told = _information(part, name, joint.names)
        if len(joint.names) > 1:
            told -= _information(part, name, joint.names[:-1])
        total += float(joint.weights[kept].sum()) * float(np.maximum(0.0, told))
    return total


def _beside_real(family: ConditionalGaussian, moments: ConditionalMoments, at: int) -> float:
    """Σ P(s) ½ log(1 + β² left / sd²), left being the variance that other parents leave open."""
    slopes = family.coefficients.reshape(moments.weights.size, moments.size - 1)
    noises, total = family.sd.reshape(-1), 0.0
    for configuration in np.flatnonzero(moments.weights.reshape(-1) > 0).tolist():
        held, noise = moments.at(configuration), noises[configuration] ** 2
        own = slopes[configuration, at] ** 2 * left_open(held.scatter[:-1, :-1] / held.weight, at)
        total += held.weight / moments.total * gain(noise + own, noise)
    return total


def of_curve(family: CurvedGaussian, evidence: CurveEvidence) -> tuple[Told, ...]:
    """H(v) - H(v - told) and H(left) - H(0), H(v) being the entropy of the child, in the mean,
    where so much of the variance of the activation is open; if straight it is the linear case."""
    moments, slopes = evidence.moments, family.coefficients
    spread = moments.scatter[:-1, :-1] / moments.weight
    shared = spread @ slopes
    total, middle = float(slopes @ shared), float(slopes @ moments.means[:-1]) - family.threshold
    if total <= 0:
        return ((0.0, 0.0),) * len(slopes)

    def entropy(open_: float) -> float:
        return _entropy(family, middle, max(0.0, total - open_), max(0.0, min(open_, total)))

    found = []
    for at, slope in enumerate(slopes):
        told = shared[at] ** 2 / spread[at, at] if spread[at, at] > 0 else 0.0
        own = float(slope**2) * left_open(spread, at)
        alone, beside = entropy(total) - entropy(total - told), entropy(own) - entropy(0.0)
        found.append((float(np.maximum(0.0, alone)), float(np.maximum(0.0, beside))))
    return tuple(found)


def _entropy(family: CurvedGaussian, middle: float, known: float, unknown: float) -> float:
    """The mean over m ~ Normal(middle, known) of the entropy of the child where the activation is
    Normal(m, unknown): sums over even points, closer to each other than the noise is wide."""
    noise = float(np.log(family.sd * np.sqrt(2 * np.pi * np.e)))
    if unknown <= 1e-12 * (known + unknown):
        return noise
    needed = 2 * SIDE * np.sqrt(unknown) * _steepest(family, middle, known + unknown) / family.sd
    if needed > MOST_NODES:
        return float("nan")
    nodes = max(NODES, int(needed) + 1)
    centres, shares = _points(middle, known, NODES)
    return float(shares @ [_of_density(family, centre, unknown, nodes) for centre in centres])


def _steepest(family: CurvedGaussian, middle: float, variance: float) -> float:
    """How steep the mean gets in the activation, as far as a normal of it reaches."""
    places = np.linspace(middle - SIDE * np.sqrt(variance), middle + SIDE * np.sqrt(variance), 400)
    means = family.rise * family.response.value(places)
    return float(np.abs(np.diff(means)).max() / (places[1] - places[0]))


def _of_density(family: CurvedGaussian, centre: float, variance: float, nodes: int) -> float:
    """-∫ p log p, p the density of the child where the activation is Normal(centre, variance)."""
    places, weights = _points(centre, variance, nodes)
    means = family.base + family.rise * family.response.value(places)
    low, high = means.min() - 8 * family.sd, means.max() + 8 * family.sd
    values, step = np.linspace(low, high, int((high - low) / family.sd * 4) + 2, retstep=True)
    apart = (values[:, None] - means) / family.sd
    density = np.exp(-0.5 * apart**2) @ weights / (family.sd * np.sqrt(2 * np.pi))
    used = density[density > 0]
    return float(-step * (used * np.log(used)).sum())


def _points(middle: float, variance: float, nodes: int) -> tuple[Floats, Floats]:
    """Even points about the middle of a normal, and the share of it that each stands for."""
    if variance <= 0:
        return np.array([middle]), np.ones(1)
    standard = np.linspace(-SIDE, SIDE, nodes)
    weights = np.exp(-0.5 * standard**2)
    return middle + np.sqrt(variance) * standard, weights / weights.sum()


def left_open(spread: Floats, at: int) -> float:
    """The variance of one parent that the others do not explain."""
    others = np.delete(np.arange(len(spread)), at)
    cross = spread[at, others]
    explained = cross @ np.linalg.pinv(spread[np.ix_(others, others)]) @ cross
    return max(0.0, float(spread[at, at] - explained))


def gain(before: float, after: float) -> float:
    """½ log(before / after), of variances; inf where nothing is left."""
    if before <= 0:
        return 0.0
    return float(max(0.0, 0.5 * np.log(before / after))) if after > 1e-12 * before else np.inf
