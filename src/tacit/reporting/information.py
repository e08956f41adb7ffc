"""How much an arc tells: the mutual information of child and parent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.families.cause_counts import CauseCounts, distinct
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.counts import AnyCounts, Counts
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.curved import CurvedGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments
from tacit.families.noisy import Noisy
from tacit.families.shared import SharedRows
from tacit.families.table import Table
from tacit.learn.fits import Fit
from tacit.reporting.mixed_information import gain, left_open, of_curve, of_mixture

SAID = (
    "I(child; parent) in nats, where the parents of a variable are distributed as in the cases "
    "and the child given them as fitted"
)


@dataclass(frozen=True, slots=True)
class Information:
    """What one parent tells about the child, in nats; nan if no case speaks, inf if everything.

    alone   I(child; parent), the other parents averaged over
    beside  I(child; parent given the other parents): 0 if the arc could go
    """

    alone: float
    beside: float


def arc_information(fit: Fit, child: str) -> tuple[Information, ...]:
    """One entry per parent, in their order."""
    family, evidence = fit.network[child], fit.evidence[child]
    unknown = (Information(np.nan, np.nan),) * len(family.parents)
    if not family.parents or not evidence.total > 0:
        return unknown
    if isinstance(family, Table) and isinstance(evidence, AnyCounts):
        return _of_table(family.values, evidence.dense())
    if isinstance(family, Noisy | SharedRows) and isinstance(evidence, CauseCounts):
        if not evidence.values.any():
            return unknown
        return tuple(_of_cause(family, evidence, at) for at in range(len(family.parents)))
    if isinstance(family, LinearGaussian) and isinstance(evidence, Moments):
        return _of_gaussian(family, evidence)
    if isinstance(family, ConditionalGaussian) and isinstance(evidence, ConditionalMoments):
        return tuple(Information(*each) for each in of_mixture(family, evidence))
    if isinstance(family, CurvedGaussian) and isinstance(evidence, CurveEvidence):
        return tuple(Information(*each) for each in of_curve(family, evidence))
    return unknown


def _of_table(values: Floats, counts: Counts) -> tuple[Information, ...]:
    weights = counts.values.sum(axis=-1, keepdims=True) / counts.total
    joint = np.where(weights > 0, np.nan_to_num(values) * weights, 0.0)
    return tuple(_of_parent(joint, parent) for parent in range(joint.ndim - 1))


def _of_parent(joint: Floats, parent: int) -> Information:
    """I(C; P) = H(P) + H(C) - H(P, C);  I(C; P | O) = H(P, O) + H(C, O) - H(O) - H(P, C, O)."""
    child = joint.ndim - 1
    others = tuple(axis for axis in range(child) if axis != parent)
    pair = joint.sum(axis=others)
    alone = _entropy(pair.sum(axis=1)) + _entropy(pair.sum(axis=0)) - _entropy(pair)
    without = joint.sum(axis=parent)
    beside = _entropy(joint.sum(axis=child)) + _entropy(without)
    beside -= _entropy(without.sum(axis=-1)) + _entropy(joint)
    return Information(max(0.0, alone), max(0.0, beside))


def _of_cause(family: Noisy | SharedRows, counts: CauseCounts, at: int) -> Information:
    """The same over the configurations that were seen, the child given each as fitted."""
    shape, seen = counts.shape, counts.seen.astype(np.int64)
    columns, every = counts.columns(), range(shape[-1])
    logs = [family.log_prob([*columns, np.full(len(seen), state)]) for state in every]
    joint = np.exp(np.array(logs).T) * _weights(counts)
    others, _ = distinct(np.delete(seen, at, axis=1), np.delete(shape[:-1], at).tolist())
    pair, beside = np.zeros((shape[at], shape[-1])), np.zeros((*seen.shape[:1], *shape[-1:]))
    np.add.at(pair, seen[:, at], joint)
    np.add.at(beside, others, joint)
    alone = _entropy(pair.sum(axis=1)) + _entropy(pair.sum(axis=0)) - _entropy(pair)
    more = _entropy(joint.sum(axis=1)) + _entropy(beside)
    more -= _entropy(beside.sum(axis=1)) + _entropy(joint)
    return Information(max(0.0, alone), max(0.0, more))


def _weights(counts: CauseCounts) -> Floats:
    """(configurations, 1) the share of each among the cases that lack nothing."""
    return np.asarray(counts.values.sum(axis=1, keepdims=True) / counts.values.sum())


def _entropy(shares: Floats) -> float:
    used = shares[shares > 0]
    return float(-np.sum(used * np.log(used)))


def _of_gaussian(family: LinearGaussian, moments: Moments) -> tuple[Information, ...]:
    """-log(1 - r²) / 2, r the correlation of child and parent, or the one given the others."""
    spread = moments.scatter[:-1, :-1] / moments.weight
    slopes, noise = family.coefficients, family.sd**2
    shared = spread @ slopes
    total = float(slopes @ shared) + noise
    found = []
    for at, slope in enumerate(slopes):
        told = shared[at] ** 2 / spread[at, at] if spread[at, at] > 0 else 0.0
        own = float(slope**2) * left_open(spread, at)
        found.append(Information(gain(total, total - told), gain(noise + own, noise)))
    return tuple(found)
