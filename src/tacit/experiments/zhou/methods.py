"""The estimates that the paper compares, of all rows of a network at once.

Flat arrays of cells in, flat arrays out. MPL-C and MPL-TC as printed: a product of binomials, one
normal prior for every cell, the posterior mean. [estimation 3.2 to 3.7]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.separable import separable
from tacit.estimate.transfer.metric import row_divergences
from tacit.estimate.transfer.moments import normal_factors
from tacit.estimate.transfer.normal_prior import NormalPrior
from tacit.estimate.transfer.pools import confidence, local_pool
from tacit.experiments.zhou.search import Loan, Search, Stack
from tacit.experiments.zhou.worlds import Limits, World

PRINTED = NormalPrior(bootstrap=100, floor=0.01, coherent=False)
"""A hundred resamples, one factor per cell; a spread of 0 would be a prior that no case moves."""
COHERENT = NormalPrior()


def distance(world: World, estimate: Floats) -> float:
    """½ Σ p ln(p / q) + q ln(q / p) from the truth, averaged over all rows of the network."""
    each = [
        row_divergences(world.table(world.theta, number), world.table(estimate, number))
        for number in range(len(world.shapes))
    ]
    return float(np.concatenate(each).mean())


def most_likely(world: World, counts: Floats) -> Floats:
    """MLE: N / Σ N; all zero in rows without cases."""
    return counts / np.maximum(world.totals(counts), 1.0)


def smoothed(world: World, counts: Floats) -> Floats:
    """MAP, that is K2: (N + 1) / Σ (N + 1)."""
    return (counts + 1.0) / (world.totals(counts) + world.states)


def aggregated(world: World, counts: Floats, stacks: tuple[Stack, ...]) -> Floats:
    """CPTAgg: f p_target + (1 - f) p_source, the source with the nearest most likely table.

    As printed: rows need not add up to one. [Luis, Sucar, Morales 2010, eq. 8 and 12]
    """
    ours = most_likely(world, counts)
    theirs = most_likely(world, Search.nearest(world, stacks, ours).loan().counts)
    cases = float(counts[: world.shapes[0][-1]].sum())
    mixed = [
        local_pool(
            world.table(ours, number),
            world.table(theirs, number),
            confidence(cases, int(np.prod(shape))),
            renormalise=False,
        ).ravel()
        for number, shape in enumerate(world.shapes)
    ]
    return np.concatenate(mixed)


@dataclass(frozen=True, slots=True)
class Mode:
    """How counts and the cases of a source become a posterior.

    check     whether a source must keep the rules itself, or only not exclude them
    binomial  a product of binomials, as printed; otherwise the multinomial
    prior     how cases of a source become normal priors
    """

    check: str = "strict"
    binomial: bool = True
    prior: NormalPrior = PRINTED

    def floored(self, spread: float) -> Mode:
        """The same with another floor of the spreads."""
        return replace(self, prior=replace(self.prior, floor=spread))


PAPER = Mode()
OURS = Mode("tolerant", binomial=False, prior=COHERENT)


def constrained(world: World, counts: Floats, limits: Limits, mode: Mode = PAPER) -> Floats:
    """MPL-C: the posterior mean under the rules, every θ uniform before."""
    return _mean(world, _density(world, counts, mode), limits)


def transferred(
    world: World,
    counts: Floats,
    limits: Limits,
    loan: Loan,
    rng: np.random.Generator,
    mode: Mode = PAPER,
) -> Floats:
    """MPL-TC: MPL-C with the cases of a source as normal priors; MPL-C itself where none fits."""
    centre, spread = _factors(world, loan, mode, rng)
    plain = _density(world, counts, mode)
    return _mean(world, Density(plain.alpha, plain.misses, centre, spread), limits)


def expected_before(
    world: World, loan: Loan, rng: np.random.Generator, mode: Mode = PAPER
) -> Floats:
    """The centres of the normal priors; even rows where nothing was borrowed."""
    centre, spread = _factors(world, loan, mode, rng)
    return np.where(np.isfinite(spread), centre, 1.0 / world.states)


def _factors(
    world: World, loan: Loan, mode: Mode, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(cells,) centre and spread; a spread of inf, no factor, where there are no cases."""
    each = [
        normal_factors(world.table(loan.counts, number), mode.prior, rng)
        for number in range(len(world.shapes))
    ]
    centre, spread = (np.concatenate([pair[at].ravel() for pair in each]) for at in (0, 1))
    return centre, spread


def _density(world: World, counts: Floats, mode: Mode) -> Density:
    return Density(counts + 1.0, world.totals(counts) - counts if mode.binomial else None)


def _mean(world: World, density: Density, limits: Limits) -> Floats:
    """The posterior mean; rows of which nobody knows anything are even, and need no integral."""
    told = (density.alpha > 1) | limits.ruled
    if density.spread is not None:
        told |= np.isfinite(density.spread)
    cells = np.flatnonzero(np.bincount(world.row, told)[world.row])
    mean = 1.0 / world.states
    _, sizes = np.unique(world.row[cells], return_counts=True)
    rows_at = np.concatenate([[0], np.cumsum(sizes)])
    found = separable(rows_at, density.of(cells), limits.lower[cells], limits.upper[cells])
    mean[cells] = found.mean
    return mean
