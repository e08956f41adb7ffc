"""EM on flat parameters: what is known once, and what every step computes anew."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import EstimateError
from tacit.engines.expected import Expectation
from tacit.estimate.ruled.plan import FEW, Near, Plan, Ruling, solve
from tacit.infer.flat import Layout

if TYPE_CHECKING:
    from tacit.learn.causes.chained import Links
    from tacit.learn.local.pooling import Pools


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """maximise  log P(cases given θ) + Σ pseudo log θ.

    expected  the E-step of the cases: counts known once, and the rest inferred
    pseudo    0 for ML, alpha for Smoothed, alpha - 1 for MAP
    plan      how the rows that rules speak of are estimated, over the same cells
    links     families of independent causes, whose chains are cells of the layout, too
    pools     cells that are one and the same, because rows are shared
    """

    layout: Layout
    expected: Expectation
    pseudo: Floats
    threads: int = 1
    plan: Plan | None = None
    links: Links | None = None
    pools: Pools | None = None


@dataclass(frozen=True, slots=True, eq=False)
class EmIterate:
    """Parameters with all that is known about them.

    before  the parameters one plain step earlier, where an extrapolation may start; None right
            after one was tried
    ruled   how the ruled rows were solved, where the next solution starts
    """

    theta: Floats
    expected: Floats
    log_likelihood: float
    objective: float
    before: Floats | None = None
    ruled: Ruling | None = None


def at(
    problem: Problem, theta: Floats, before: Floats | None = None, ruled: Ruling | None = None
) -> EmIterate:
    """E: expected counts and objective of these parameters."""
    counts, inferred = problem.expected.run(theta, problem.threads)
    constant = problem.expected.constant
    with np.errstate(divide="ignore"):
        logs = np.log(theta)
    seen, said = constant > 0, problem.pseudo != 0
    likelihood = float(constant[seen] @ logs[seen]) + inferred
    objective = likelihood + float(problem.pseudo[said] @ logs[said])
    if problem.links is not None:
        whole, with_prior = problem.links.values(theta)
        likelihood, objective = likelihood + whole, objective + with_prior
    return EmIterate(theta, constant + counts, likelihood, objective, before, ruled)


def maximise(
    problem: Problem, expected: Floats, ruled: Ruling | None = None, here: Floats | None = None
) -> tuple[Floats, Ruling | None]:
    """M: each row is (E[N] + pseudo) / Σ (E[N] + pseudo), rows of nothing even; ruled rows are the
    most likely ones that obey the rules, found from where the last solution ended.

    here: the parameters before; under curved rules no worse ones are taken
    """
    weights = np.maximum(evidence(problem, expected), 0.0)
    theta = normalised(problem.layout, weights)
    if problem.links is not None:
        theta = problem.links.maximised(theta, expected)
    if problem.plan is None:
        return theta, None
    return _obedient(problem, problem.plan, weights, theta, (ruled, here))


def projected(problem: Problem, theta: Floats, here: EmIterate | None = None) -> Floats:
    """The parameters nearest to these in divergence that obey the rules.

    Rows weigh as much as they do at `here`, where a solution near the one sought may start.
    """
    if problem.links is not None:
        theta = problem.links.straightened(theta)
    if problem.pools is not None:
        theta = problem.pools.pooled(theta)
    if problem.plan is None:
        return theta
    weights = theta.copy()
    if here is not None:
        starts, lengths = problem.layout.rows
        totals = np.add.reduceat(np.maximum(evidence(problem, here.expected), 0.0), starts)
        weights *= np.repeat(totals, lengths)
    weights[problem.plan.blocks.cells[problem.plan.zeros]] = 0.0
    before = (here.ruled, here.theta) if here is not None else (None, None)
    return _obedient(problem, problem.plan, weights, theta.copy(), before)[0]


def _obedient(
    problem: Problem,
    plan: Plan,
    weights: Floats,
    theta: Floats,
    before: tuple[Ruling | None, Floats | None],
) -> tuple[Floats, Ruling]:
    """The parameters with their ruled rows replaced; `before` is where a search may start."""
    cells, (ruled, here) = plan.blocks.cells, before
    near = Near(None if here is None else here[cells], FEW, wide=ruled is None, second=False)
    found = solve(plan, weights[cells], ruled, problem.threads, prove=False, near=near)
    theta[cells] = found.theta
    return theta, found


def evidence(problem: Problem, expected: Floats) -> Floats:
    """E[N] + pseudo of every cell; an error where that is below zero and no maximum exists."""
    weights = expected + problem.pseudo
    if problem.pools is not None:
        weights = problem.pools.pooled(weights)
    if weights.size and weights.min() < -1e-9:
        raise _no_maximum(problem.layout, weights)
    return weights


def _no_maximum(layout: Layout, weights: Floats) -> EstimateError:
    lowest = [float(layout.block(weights, v).min()) for v in range(len(layout.names))]
    name, least = layout.names[int(np.argmin(lowest))], min(lowest) + 1
    return EstimateError(
        f"the table of {name!r} has no most probable value: expected counts plus prior of a cell "
        f"come to {least:.4g}, less than 1"
        "\n\nuse a prior of at least 1 per cell, tc.K2() for example, or estimate=tc.Smoothed()"
    )


def normalised(layout: Layout, weights: Floats) -> Floats:
    """Every row scaled to add up to one, even where it holds nothing."""
    starts, lengths = layout.rows
    totals = np.add.reduceat(weights, starts)
    empty = totals <= 0
    scale = np.repeat(np.where(empty, 1.0, totals), lengths)
    even = np.repeat(np.where(empty, 1.0 / lengths, 0.0), lengths)
    return np.asarray(weights / scale + even)


def plain_step(problem: Problem, here: EmIterate) -> EmIterate:
    """One step of EM; it never lowers the objective. [Alg 3.3.3, with rules Alg 3.3.1]"""
    theta, ruled = maximise(problem, here.expected, here.ruled, here.theta)
    return at(problem, theta, ruled=ruled)


def squarem_step(problem: Problem, here: EmIterate) -> EmIterate:
    """A plain step, then one that tries to go further the same way.

    From θ0, θ1 = M(θ0), θ2 = M(θ1): θ0 - 2a r + a² v with r = θ1 - θ0, v = (θ2 - θ1) - r and
    a = -|r| / |v| (Varadhan and Roland 2008, SQUAREM S3), taken only if its own objective is no
    lower than that of θ1; otherwise θ2. So no step lowers the objective. What goes beyond the
    rules is brought back to the nearest parameters, in divergence, that obey them.
    """
    after, ruled = maximise(problem, here.expected, here.ruled, here.theta)
    if here.before is None:
        return at(problem, after, here.theta, ruled)
    first, change = here.theta - here.before, after - 2 * here.theta + here.before
    bend = float(np.linalg.norm(change))
    length = -float(np.linalg.norm(first)) / bend if bend > 0 else -1.0
    if length < -1.0:
        far = here.before - 2 * length * first + length**2 * change
        far = normalised(problem.layout, np.where(far > 0, far, 0.01 * after))
        tried = at(problem, projected(problem, far, here), ruled=ruled)
        if tried.objective >= here.objective:
            return tried
    return at(problem, after, ruled=ruled)


def reordered(here: EmIterate, order: Ints) -> EmIterate:
    """The same iterate with its parameters in another order (states of hidden variables)."""
    return replace(
        here, theta=here.theta[order], expected=here.expected[order], before=None, ruled=None
    )
