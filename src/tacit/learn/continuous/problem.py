"""EM with continuous variables: what is known once, and what every step computes anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.errors import EstimateError, quoted
from tacit.core.network import Network
from tacit.engines.normal_expected import NormalExpectation, known_likelihood
from tacit.estimate.continuous.prior import Scales
from tacit.estimate.continuous.regression import Extra
from tacit.estimate.ruled.plan import Ruling
from tacit.families.counts import Counts, SparseCounts
from tacit.learn.continuous.families import NOTHING, Alike, Estimated, alike
from tacit.learn.continuous.obeying import Obeying
from tacit.learn.continuous.places import Places
from tacit.learn.continuous.vector import Vector

if TYPE_CHECKING:
    from tacit.kernels.reals_told import Sums

FAR = 3.0
"""How far the log of a variance may go beyond a plain step."""


@dataclass(frozen=True, slots=True, eq=False)
class NormalProblem:
    """maximise  log P(what was observed given θ) + Σ pseudo log θ + the prior of the Gaussians.

    pseudo   per table what the estimate adds to its counts
    extra    per Gaussian family what the estimate adds to its moments, where there is a prior
    kept     per Gaussian family (configurations,) which of them keep the regression they start with
    hidden   the continuous variables that no column measures
    scales   of all continuous ones
    units    (parameters,) what a change of each is measured in
    obeying  the rules, where there are some
    """

    vector: Vector
    expectation: NormalExpectation
    pseudo: Mapping[str, Floats]
    extra: Mapping[str, Extra]
    kept: Mapping[str, Bools]
    hidden: tuple[str, ...]
    scales: Scales
    units: Floats
    obeying: Obeying | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """A problem with its numbers where steps want them.

    alike   the regressions, those with as many parents together
    counts  (cells,) of the cases that show a table's family whole
    pseudo  (cells,) what the estimate adds to them
    """

    problem: NormalProblem
    places: Places
    alike: tuple[Alike, ...]
    counts: Floats
    pseudo: Floats

    @staticmethod
    def of(problem: NormalProblem) -> Ready:
        """The numbers of a problem, gathered once."""
        expectation, scales = problem.expectation, problem.scales
        plan = expectation.held.plan
        places = Places.of(plan, problem.vector)
        spreads = dict(zip(scales.names, scales.sds.tolist(), strict=True))
        asked = Estimated(problem.extra, problem.kept, problem.hidden, spreads)
        counts, pseudo = [np.zeros(0)], [np.zeros(0)]
        for name in plan.layout.names:
            held = expectation.known[name]
            if isinstance(held, Counts | SparseCounts):
                counts.append(held.dense().values.ravel())
                pseudo.append(problem.pseudo[name].ravel())
        return Ready(
            problem,
            places,
            alike(expectation, places, asked),
            np.concatenate(counts),
            np.concatenate(pseudo),
        )


@dataclass(frozen=True, slots=True, eq=False)
class NormalIterate:
    """Parameters with all that is known about them.

    sums    what the cases with gaps say under them
    before  the parameters one plain step earlier, where an extrapolation may start; None right
            after one was tried
    ruling  how ruled rows of tables were solved, where the next solution starts
    """

    theta: Floats
    sums: Sums
    log_likelihood: float
    objective: float
    before: Floats | None = None
    ruling: Ruling | None = None


def at(
    ready: Ready,
    theta: Floats,
    before: Floats | None = None,
    ruling: Ruling | None = None,
) -> NormalIterate:
    """E: expected statistics and objective of these parameters."""
    parameters = ready.places.parameters(theta)
    sums = ready.problem.expectation.infer(parameters)
    likelihood = _shown(ready, theta) + float(sums.mass.sum())
    objective = likelihood + _prior(ready, theta)
    return NormalIterate(theta, sums, likelihood, objective, before, ruling)


def _shown(ready: Ready, theta: Floats) -> float:
    """The log-likelihood of the families that cases show whole."""
    problem, places = ready.problem, ready.places
    if np.isneginf(theta[places.logs]).any():
        network, known = problem.vector.network(theta), problem.expectation.known
        return sum(known_likelihood(network, name, held) for name, held in known.items())
    real = sum(own.lines(theta).log_likelihood(own.known) for own in ready.alike)
    return real + _weighed(ready.counts, theta[places.cells])


def _weighed(weights: Floats, cells: Floats) -> float:
    """Σ weight log θ; cells without weight add 0."""
    used = weights != 0
    with np.errstate(divide="ignore"):
        return float(np.sum(weights[used] * np.log(cells[used])))


def _prior(ready: Ready, theta: Floats) -> float:
    real = sum(own.prior(theta) for own in ready.alike)
    return real + _weighed(ready.pseudo, theta[ready.places.cells])


def maximise(ready: Ready, here: NormalIterate) -> tuple[Floats, Ruling | None]:
    """M: the parameters that are best for the expected statistics, and obey the rules."""
    problem, theta = ready.problem, here.theta.copy()
    for own in ready.alike:
        own.step(own.moments(here.sums), theta)
    theta[ready.places.cells] = _shares(ready, here.sums)
    if problem.obeying is None:
        return theta, here.ruling
    vector, evidence = problem.vector, problem.expectation.evidence(here.sums)
    free = vector.network(theta)
    near = None if here.ruling is None else vector.network(here.theta)
    families, ruling = problem.obeying.families(free.families, evidence, here.ruling, near)
    return vector.of(Network(vector.dag, free.variables, families)), ruling


def _shares(ready: Ready, sums: Sums) -> Floats:
    """Each row of a table is (E[N] + pseudo) / Σ (E[N] + pseudo), rows of nothing even."""
    places = ready.places
    weights = ready.counts + sums.counts[places.flat] + ready.pseudo
    if weights.size and weights.min() < -NOTHING:
        worst = int(places.flat[int(np.argmin(weights))])
        raise EstimateError(
            f"the table of {quoted(places.table(worst))} has no most probable value: expected "
            f"counts plus prior of a cell come to {weights.min() + 1:.4g}, less than 1"
            "\n\nuse a prior of at least 1 per cell, tc.K2() for example, or estimate=tc.Smoothed()"
        )
    return places.rows(np.maximum(weights, 0.0))


def obedient(ready: Ready, theta: Floats) -> NormalIterate:
    """Where a run begins: at these parameters, or, under rules, at what a step makes of them."""
    begin = at(ready, theta)
    if ready.problem.obeying is None:
        return begin
    after, ruling = maximise(ready, begin)
    return at(ready, after, ruling=ruling)


def plain_step(ready: Ready, here: NormalIterate) -> NormalIterate:
    """One step of EM; it never lowers the objective. [Alg 3.3.3]"""
    after, ruling = maximise(ready, here)
    return at(ready, after, ruling=ruling)


def squarem_step(ready: Ready, here: NormalIterate) -> NormalIterate:
    """A plain step, then one that tries to go further the same way, as for tables: on cells,
    coefficients, intercepts and logs of variances; taken only if the objective is no lower."""
    problem = ready.problem
    after, ruling = maximise(ready, here)
    if here.before is None or not np.isfinite(after).all():
        return at(ready, after, here.theta, ruling)
    first, change = here.theta - here.before, after - 2 * here.theta + here.before
    bend = float(np.linalg.norm(change / problem.units))
    length = -float(np.linalg.norm(first / problem.units)) / bend if bend > 0 else -1.0
    if length < -1.0:
        far = here.before - 2 * length * first + length**2 * change
        far = _within(problem, far, after)
        obeying = problem.obeying
        if obeying is None or obeying.holds(problem.vector.network(far)):
            tried = at(ready, far, ruling=ruling)
            if tried.objective >= here.objective:
                return tried
    return at(ready, after, ruling=ruling)


def _within(problem: NormalProblem, far: Floats, after: Floats) -> Floats:
    """Parameters that went too far brought back: no cell below 0, no variance beyond all bounds."""
    found = far.copy()
    for cells, plain in zip(
        problem.vector.tables(found), problem.vector.tables(after), strict=True
    ):
        inside = np.where(cells > 0, cells, 0.01 * plain)
        cells[...] = inside / inside.sum(axis=1, keepdims=True)
    gaussians = problem.vector.gaussians
    for (*_, logs), (*_, plain) in zip(gaussians(found), gaussians(after), strict=True):
        np.clip(logs, plain - FAR, plain + FAR, out=logs)
    return found
