"""Regressions under rules drawn in turn: coefficients given variances, variances given these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.estimate.bayes.diagnostics import effective_size, error_of_mean, split_rhat
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.continuous.held import Held
from tacit.estimate.continuous.restrained import Restrained

if TYPE_CHECKING:
    from tacit.kernels.chance import State

PILOT = 4_096
"""Draws without inequalities that tell how many obey."""
SHARE = 0.005
"""With fewer of them a walk is quicker."""
WARM, THIN, SWEEPS = 200, 3, 4
"""Steps before draws are kept, steps between two that are kept, and sweeps in a step."""

INDEPENDENT = "regressions under rules, independent draws"
IN_TURN = "regressions under rules, drawn in turn"


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Where a walk is: z, and the variances of classes."""

    z: Floats
    t: Floats

    @staticmethod
    def start(held: Held) -> Steps:
        """Where all rules hold, with room on all sides."""
        noise = held.noise
        t = np.where(np.isnan(noise.fixed), np.exp(noise.inside), noise.fixed)
        return Steps(held.inside, t)

    def step(self, law: Restrained, state: State) -> Steps:
        """Both, drawn given each other."""
        z = _coefficients(law, self, state)
        return Steps(z, _variances(law, z, self.t, state))


def _coefficients(law: Restrained, here: Steps, state: State) -> Floats:
    """z given variances: a normal that inequalities cut off, swept in coordinates in which it is
    standard."""
    from tacit.kernels.wedge import sweep_normal

    held, noise = law.held, law.held.noise
    if not held.owner.size:
        return here.z
    weights = law.units / (here.t[noise.of] * noise.ratio)
    curvature = np.zeros((held.owner.size,) * 2)
    slope = np.zeros(held.owner.size)
    for member, form in enumerate(law.forms):
        first, last = held.starts[member], held.starts[member + 1]
        basis, origin = held.basis[first:last], held.origin[first:last]
        bent = basis.T @ form.curvature
        curvature += weights[member] * (bent @ basis)
        slope += weights[member] * (basis.T @ form.slope - bent @ origin)
    root = np.linalg.cholesky(curvature)
    middle = np.linalg.solve(curvature, slope)
    back = np.linalg.inv(root).T
    point: Floats = np.asarray(root.T @ (here.z - middle), dtype=np.float64)
    sweep_normal(state, point, held.rows @ back, held.room - held.rows @ middle, SWEEPS)
    return np.asarray(middle + back @ point)


def _variances(law: Restrained, z: Floats, t: Floats, state: State) -> Floats:
    """Variances given z: inverse gammas, one class after the other."""
    from tacit.kernels.wedge import cut_gamma

    held, noise = law.held, law.held.noise
    b = held.origin + held.basis @ z
    parts = [b[first:last] for first, last in zip(held.starts[:-1], held.starts[1:], strict=True)]
    squares = np.array([form.at(part) for form, part in zip(law.forms, parts, strict=True)])
    shape = np.array([own.divisor + part.size for own, part in zip(law.known, parts, strict=True)])
    shapes, rates = law.classes(shape / 2, squares * law.units / 2)
    logs = np.log(t)
    for at in np.flatnonzero(np.isnan(noise.fixed)):
        low, high = _ends(noise.rows, noise.room, logs, int(at))
        rate = rates[at]
        x = cut_gamma(state, shapes[at], rate * np.exp(-high), rate * np.exp(-low))
        logs[at] = np.log(rate / x)
    return np.asarray(np.exp(logs))


def _ends(rows: Floats, room: Floats, point: Floats, at: int) -> tuple[float, float]:
    """Between what ends a coordinate may lie, all others held."""
    factors = rows[:, at]
    left = room - rows @ point
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = point[at] + np.maximum(left, 0.0) / factors
    high = float(ends[factors > 0].min(initial=np.inf))
    return float(ends[factors < 0].max(initial=-np.inf)), high


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """Draws of all numbers of a group.

    values  (draws, numbers) coefficients..., intercept and variance of all members
    size    (numbers,) effective sample size of the means
    rhat    (numbers,)
    error   (numbers,) Monte Carlo error of the means, in standard deviations
    way     how they were made
    """

    values: Floats
    size: Floats
    rhat: Floats
    error: Floats
    way: str

    @staticmethod
    def of(chains: Floats, way: str) -> Walked:
        """Of (chains, draws, numbers)."""
        flat = chains.reshape(-1, chains.shape[2])
        spread = flat.std(axis=0)
        moves: Bools = np.asarray(spread > 1e-12 * np.abs(flat).max(axis=0, initial=1e-300))
        scaled = np.where(moves, chains / np.where(moves, spread, 1.0), 0.0)
        error = np.where(moves, error_of_mean(scaled), 0.0)
        size = np.where(moves, effective_size(scaled), np.inf)
        return Walked(flat, size, np.where(moves, split_rhat(scaled), 1.0), error, way)


def walked(law: Restrained, sampling: Sampling, seed: int, *keys: int) -> Walked:
    """Draws of the group."""
    each = max(4, sampling.draws // sampling.chains)
    random = np.random.default_rng([seed, 7, *keys])
    if not law.held.joined:
        found = _independent(law, sampling.chains * each, random)
        if found is not None:
            return Walked.of(found.reshape(sampling.chains, each, -1), INDEPENDENT)
    from tacit.kernels.chance import seeded

    kept = []
    for chain in range(sampling.chains):
        state, here = seeded(seed, 7, *keys, chain), Steps.start(law.held)
        places, sizes = [], []
        for step in range(WARM + THIN * each):
            here = here.step(law, state)
            if step >= WARM and (step - WARM) % THIN == 0:
                places.append(here.z)
                sizes.append(here.t)
        kept.append(law.numbers(np.array(places), np.array(sizes)))
    return Walked.of(np.array(kept), IN_TURN)


def _independent(law: Restrained, many: int, random: np.random.Generator) -> Floats | None:
    """So many draws that obey, or None where hardly any does."""
    found, made, have = [], 0, 0
    while have < many:
        z, t = law.free_draws(max(PILOT, many), random)
        kept = law.obeyed(z, t)
        found.append(law.numbers(z[kept], t[kept]))
        made, have = made + kept.size, have + int(kept.sum())
        if have < SHARE * made:
            return None
    return np.concatenate(found)[:many]
