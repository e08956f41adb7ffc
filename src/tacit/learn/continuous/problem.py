"""EM with continuous variables: what is known once, and what every step computes anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.engines.normal_expected import NormalExpectation
from tacit.estimate.continuous.prior import Scales
from tacit.estimate.continuous.regression import Extra
from tacit.estimate.continuous.regressions import Gaussian, joined, regressions
from tacit.estimate.ruled.plan import Ruling
from tacit.estimate.tables import log_probability
from tacit.families.table import Table
from tacit.learn.continuous.families import (
    best_gaussian,
    best_table,
    prior_value,
    standard_gaussian,
)
from tacit.learn.continuous.obeying import Obeying
from tacit.learn.continuous.vector import Vector
from tacit.learn.fits import Evidence

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

    def spread(self, name: str) -> float:
        """The standard deviation of a continuous variable."""
        return float(self.scales.sds[self.scales.names.index(name)])


@dataclass(frozen=True, slots=True, eq=False)
class NormalIterate:
    """Parameters with all that is known about them.

    before  the parameters one plain step earlier, where an extrapolation may start; None right
            after one was tried
    ruling  how ruled rows of tables were solved, where the next solution starts
    """

    theta: Floats
    network: Network
    evidence: Mapping[str, Evidence]
    log_likelihood: float
    objective: float
    before: Floats | None = None
    ruling: Ruling | None = None


def at(
    problem: NormalProblem,
    theta: Floats,
    before: Floats | None = None,
    ruling: Ruling | None = None,
) -> NormalIterate:
    """E: expected statistics and objective of these parameters."""
    network = problem.vector.network(theta)
    found = problem.expectation.run(network)
    objective = found.log_likelihood + _prior(problem, network)
    likelihood = found.log_likelihood
    return NormalIterate(theta, network, found.evidence, likelihood, objective, before, ruling)


def _prior(problem: NormalProblem, network: Network) -> float:
    total = 0.0
    for name, kept in problem.kept.items():
        family = network[name]
        assert isinstance(family, Gaussian)
        total += prior_value(family, problem.extra.get(name), _settled(problem, name, kept))
    for name, pseudo in problem.pseudo.items():
        table = network[name]
        assert isinstance(table, Table)
        total += log_probability(table, pseudo)
    return total


def _settled(problem: NormalProblem, name: str, kept: Bools) -> Bools:
    """The configurations of which the prior says nothing."""
    if name not in problem.hidden:
        return kept
    first = kept.copy()
    first[0] = True
    return first


def maximise(problem: NormalProblem, here: NormalIterate) -> tuple[Floats, Ruling | None]:
    """M: the parameters that are best for the expected statistics, and obey the rules."""
    families: dict[str, Family] = {}
    for name, axes in problem.vector.families.items():
        evidence, family = here.evidence[name], here.network[name]
        if isinstance(axes[-1], Discrete):
            families[name] = best_table(axes, evidence, problem.pseudo[name])
            continue
        assert isinstance(family, Gaussian)
        kept = _settled(problem, name, problem.kept[name])
        found = best_gaussian(family, evidence, problem.extra.get(name), kept, problem.spread(name))
        if name in problem.hidden:
            rest = regressions(found)
            found = joined(axes, [standard_gaussian(found, evidence), *rest[1:]])
        families[name] = found
    ruling = here.ruling
    if problem.obeying is not None:
        near = None if ruling is None else here.network
        families, ruling = problem.obeying.families(families, here.evidence, ruling, near)
    variables = {name: axes[-1] for name, axes in problem.vector.families.items()}
    return problem.vector.of(Network(problem.vector.dag, variables, families)), ruling


def obedient(problem: NormalProblem, theta: Floats) -> NormalIterate:
    """Where a run begins: at these parameters, or, under rules, at what a step makes of them."""
    begin = at(problem, theta)
    if problem.obeying is None:
        return begin
    after, ruling = maximise(problem, begin)
    return at(problem, after, ruling=ruling)


def plain_step(problem: NormalProblem, here: NormalIterate) -> NormalIterate:
    """One step of EM; it never lowers the objective. [Alg 3.3.3]"""
    after, ruling = maximise(problem, here)
    return at(problem, after, ruling=ruling)


def squarem_step(problem: NormalProblem, here: NormalIterate) -> NormalIterate:
    """A plain step, then one that tries to go further the same way, as for tables: on cells,
    coefficients, intercepts and logs of variances; taken only if the objective is no lower."""
    after, ruling = maximise(problem, here)
    if here.before is None:
        return at(problem, after, here.theta, ruling)
    first, change = here.theta - here.before, after - 2 * here.theta + here.before
    bend = float(np.linalg.norm(change / problem.units))
    length = -float(np.linalg.norm(first / problem.units)) / bend if bend > 0 else -1.0
    if length < -1.0:
        far = here.before - 2 * length * first + length**2 * change
        far = _within(problem, far, after)
        obeying = problem.obeying
        if obeying is None or obeying.holds(problem.vector.network(far)):
            tried = at(problem, far, ruling=ruling)
            if tried.objective >= here.objective:
                return tried
    return at(problem, after, ruling=ruling)


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
