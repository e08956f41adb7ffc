"""Perturbed weights of cases: drawn at random, or set against the learner.

Weights are probability vectors here. A gradient is per case: the derivative of the score by how
often a case counts, not by its share. [erratum E19]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tacit.arrays import Floats
from tacit.learn.annealing.settings import WeightAnnealing

Gradient: TypeAlias = Callable[[Floats], Floats]
"""The gradient of the score at these weights, per case."""
MOST_HALVINGS = 100
MOST_REPEATS = 500
SETTLED = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Reweighted:
    """New weights, how many of the cases they leave effective, and at which temperature.

    effective    1 / Σ w² / w0: the share of cases that an equal draw would need; with even weights
                 of their own it is 1 / (M Σ w²)
    temperature  the one that was used, less than asked where too few cases would have been left
    settled      whether the fixed point was reached; true where there is a closed form
    """

    weights: Floats
    effective: float
    temperature: float
    settled: bool = True


def random_weights(base: Floats, temperature: float, rng: np.random.Generator) -> Floats:
    """A draw from a Dirichlet distribution around the base weights, wider when hotter.

    With beta = 1 / temperature and M cases: 1 + M (beta - 1) w0 puts the mode at w0, and is beta
    for even weights. Above temperature 1 it may be negative; there M beta w0 puts the mean at w0.
    A case without weight stays without. sd(M w) is about sqrt(temperature).
    [(3.2), (3.3); erratum E18]
    """
    if temperature == 0.0:
        return base.copy()
    there = base > 0
    beta, cases = 1.0 / temperature, int(np.count_nonzero(there))
    around = cases * base[there]
    weights = np.zeros_like(base)
    weights[there] = rng.dirichlet(1 + (beta - 1) * around if beta >= 1 else beta * around)
    return weights


def adversarial_weights(
    settings: WeightAnnealing,
    base: Floats,
    weights: Floats,
    gradient: Gradient,
    temperature: float,
) -> Reweighted:
    """Weights that lower the score while staying near the base and the previous weights.

    minimise  eta Score(w) + beta KL(w || w0) + gamma KL(w || w before),  beta + gamma = 1 / tau.

    With the gradient g frozen at the previous weights the minimum has a closed form,
    w0^(1 - memory) w^memory exp(-eta tau g) / Z; otherwise it is the fixed point of the same with
    g at the new weights. Halving tau leaves more cases effective: at tau = 0 the new weights lie
    between the previous ones and the base. [(3.4), (3.5); HV1 2.4]
    """
    frozen = gradient(weights)
    for _ in range(MOST_HALVINGS):
        found = _pushed(settings, base, weights, frozen, temperature)
        settled = True
        if settings.exact:
            found, settled = _fixed_point(settings, (base, weights), found, gradient, temperature)
        share = effective(base, found)
        if share >= settings.least_effective:
            break
        temperature /= 2
    return Reweighted(found, share, temperature, settled)


def effective(base: Floats, weights: Floats) -> float:
    """The effective share of the cases, 1 / Σ w² / w0; 1 at the base weights themselves."""
    there = base > 0
    return float(1.0 / np.sum(weights[there] ** 2 / base[there]))


def _pushed(
    settings: WeightAnnealing, base: Floats, weights: Floats, slope: Floats, temperature: float
) -> Floats:
    """The closed form (3.5), in logarithms; a case held impossible counts as the worst of all."""
    there = base > 0
    slope = slope[there]
    finite = np.isfinite(slope)
    slope = np.maximum(slope, slope[finite].min() if finite.any() else 0.0)
    logs = (
        (1 - settings.memory) * np.log(base[there])
        + settings.memory * np.log(weights[there])
        - settings.eta * temperature * slope
    )
    share = np.exp(logs - logs.max())
    share /= share.sum()
    share = np.maximum(share, settings.floor * base[there])
    found = np.zeros_like(base)
    found[there] = share / share.sum()
    return found


def _fixed_point(
    settings: WeightAnnealing,
    near: tuple[Floats, Floats],
    found: Floats,
    gradient: Gradient,
    temperature: float,
) -> tuple[Floats, bool]:
    """Repeat the closed form with the gradient at its own result, in shorter steps if it swings."""
    there, step, last = near[0] > 0, 1.0, np.inf
    for _ in range(MOST_REPEATS):
        wanted = _pushed(settings, *near, gradient(found), temperature)
        change = np.log(wanted[there]) - np.log(found[there])
        apart = float(np.abs(change).max())
        if apart <= SETTLED:
            return found, True
        if apart > 0.9 * last:
            step = max(step / 2, 1 / 64)
        last = apart
        moved = found[there] * np.exp(step * change)
        found = found.copy()
        found[there] = moved / moved.sum()
    return found, apart <= 1e-6
