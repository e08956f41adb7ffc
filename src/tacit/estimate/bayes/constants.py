"""The log marginal likelihood of rows under rules, and what rules are worth.

log P(counts | rules) = log Z(α + N, Ω) - log Z(α, Ω): exact where both constants are, else by
independent draws from the same trees without inequalities, else by a bridge from prior to
posterior within the rules. [parameter domain knowledge 1.7, 5.1; estimation 2.8]
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import EstimateError
from tacit.estimate.bayes.bridges import bridged
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.bayes.feasible import filled
from tacit.estimate.bayes.masses import (
    SELDOM,
    Mass,
    by_draws,
    by_levels,
    chosen,
    seed_of,
    without_inequalities,
)
from tacit.estimate.bayes.sampler import sample
from tacit.estimate.ruled.splits import ImproperError
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.polytope import Interior, relative_interior

MOST_CASES = 1e8
"""Cases of one cell beyond which rounding outweighs what draws can tell."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """log P(counts) of every block, its standard error, and how it was found."""

    value: Floats
    error: Floats
    how: tuple[str, ...]


def log_evidence(
    blocks: Blocks,
    exact: Exact,
    alpha: Floats,
    counts: Floats,
    settings: Sampling,
    seed: int,
    *,
    pooled: bool = False,
    threads: int = 1,
    inside: Interior | None = None,
) -> Evidence:
    """(blocks,) the log marginal likelihood of the counts under the prior held to the rules.

    alpha, counts  (n,) over positions; a prior that cannot be integrated is an error
    """
    found = inside if inside is not None else relative_interior(blocks)
    with _advised():
        value = exact_log_evidence(exact, alpha, counts, pooled=pooled)
        error = np.where(np.isnan(value), np.nan, 0.0)
        how = [exact.kinds.get(block, "") for block in range(len(blocks))]
        if np.isnan(value).any() and counts.max(initial=0.0) > MOST_CASES:
            raise EstimateError(
                f"the marginal likelihood of more than {MOST_CASES:,.0f} cases under these rules "
                "has no closed form, and draws cannot tell it"
                "\n\ncompare held-out cases instead: tc.cross_validate"
            )
        for way in (_independent, _bridge):
            left = np.flatnonzero(np.isnan(value))
            if left.size:
                part, within = chosen(blocks, found, left)
                prior = Density(alpha[part.cells], pooled=pooled)
                ask = _Ask(part, within, prior, counts[part.cells], settings, seed, threads)
                told = way(ask)
                value[left], error[left] = told.value, told.error
                for block, said in zip(left.tolist(), told.how, strict=True):
                    how[block] = said
    return Evidence(value, error, tuple(how))


@dataclass(frozen=True, slots=True, eq=False)
class _Ask:
    """A question about blocks: how probable are these counts under this prior and the rules?"""

    blocks: Blocks
    inside: Interior
    prior: Density
    counts: Floats
    settings: Sampling
    seed: int
    threads: int

    @property
    def posterior(self) -> Density:
        return replace(self.prior, alpha=self.prior.alpha + self.counts)


def exact_log_evidence(exact: Exact, alpha: Floats, counts: Floats, *, pooled: bool) -> Floats:
    """(blocks,) a ratio of constants and powers of given shares; nan where it is not known."""
    prior, posterior = (Density(each, pooled=pooled) for each in (alpha, alpha + counts))
    value = exact.log_constant(posterior) - exact.log_constant(prior)
    forest = exact.forest
    seen = np.flatnonzero((forest.tree >= 0) & (counts > 0))
    with np.errstate(divide="ignore"):
        logs = counts[seen] * np.log(forest.fixed[seen])
    value[exact.trees] += np.bincount(forest.tree[seen], logs, minlength=forest.trees)
    for block, parts in exact.patches.items():
        at = slice(exact.blocks.cell_at[block], exact.blocks.cell_at[block + 1])
        if counts[at][~filled(parts)].any():
            value[block] = -np.inf
    return value


def _independent(ask: _Ask) -> Evidence:
    """By the part of independent draws that obey, of prior and posterior; nan where it is small."""
    fewer, loose = without_inequalities(ask.blocks, ask.inside)
    free = Exact.of(fewer, loose, ask.prior)
    value = exact_log_evidence(free, ask.prior.alpha, ask.counts, pooled=ask.prior.pooled)
    variance = np.zeros(len(ask.blocks))
    for sign, density in ((-1, ask.prior), (1, ask.posterior)):
        seed = seed_of(ask.seed, 1 + sign)
        part, draws = by_draws(ask.blocks, ask.inside, density, ask.settings, seed)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = value + sign * np.where(part >= SELDOM, np.log(part), np.nan)
            variance = variance + (1 - part) / (part * draws)
    how = ("independent draws from the same rows without inequalities",) * len(ask.blocks)
    return Evidence(value, np.sqrt(variance), how)


def _bridge(ask: _Ask) -> Evidence:
    """By draws within the rules, from the prior to the posterior."""
    blocks, settings = ask.blocks, replace(ask.settings, precision=None)
    block, seen = blocks.cell_block, np.flatnonzero(ask.counts > 0)

    def energies(which: Ints, at: Floats, step: int) -> Floats:
        share = np.zeros(len(blocks))
        share[which] = at
        density = replace(ask.prior, alpha=ask.prior.alpha + share[block] * ask.counts)
        draws = sample(
            blocks, which, density, settings, seed_of(ask.seed, step), threads=ask.threads,
            inside=ask.inside,
        ).values  # fmt: skip
        with np.errstate(divide="ignore"):
            logs = ask.counts[seen] * np.log(draws[:, :, seen])
        starts = np.searchsorted(block[seen], which)
        ends = np.searchsorted(block[seen], which, side="right")
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        return np.stack([logs[:, :, start:end].sum(axis=2) for start, end in spans])

    found = bridged(len(blocks), energies)
    how = tuple(f"bridge from prior to posterior in {steps} steps" for steps in found.steps)
    return Evidence(found.value, found.error, how)


def log_mass(
    blocks: Blocks,
    exact: Exact,
    density: Density,
    settings: Sampling,
    seed: int,
    *,
    threads: int = 1,
    inside: Interior | None = None,
) -> Evidence:
    """(blocks,) log P(the inequalities hold) under the Dirichlet held to the equations alone.

    The normaliser Z(α, Ω) of the inequalities: exact, by independent draws, or by levels.
    """
    found = inside if inside is not None else relative_interior(blocks)
    with _advised():
        value = exact.log_mass(density)
        error = np.where(np.isnan(value), np.nan, 0.0)
        how = [exact.kinds.get(block, "") for block in range(len(blocks))]
        left = np.flatnonzero(np.isnan(value))
        if left.size:
            part, within = chosen(blocks, found, left)
            prior = replace(density, alpha=density.alpha[part.cells])
            nothing = np.zeros(part.cells.size)
            told = _mass(_Ask(part, within, prior, nothing, settings, seed, threads))
            value[left], error[left] = told.value, told.error
            for block, said in zip(left.tolist(), told.how, strict=True):
                how[block] = said
    return Evidence(value, error, tuple(how))


def _mass(ask: _Ask) -> Mass:
    part, draws = by_draws(ask.blocks, ask.inside, ask.prior, ask.settings, ask.seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        value, error = np.log(part), np.sqrt((1 - part) / (part * draws))
    how = ["independent draws from the same rows without inequalities"] * len(ask.blocks)
    seldom = np.flatnonzero(~(part >= SELDOM))
    if seldom.size:
        told = by_levels(ask.blocks, seldom, ask.prior, ask.settings, ask.seed,
                         threads=ask.threads, inside=ask.inside)  # fmt: skip
        value[seldom], error[seldom] = told.value[seldom], told.error[seldom]
        for block in seldom.tolist():
            how[block] = told.how[block]
    return Mass(value, error, tuple(how))


def log_factor(
    blocks: Blocks,
    exact: Exact,
    alpha: Floats,
    counts: Floats,
    settings: Sampling,
    seed: int,
    *,
    pooled: bool = False,
    threads: int = 1,
    inside: Interior | None = None,
) -> Evidence:
    """(blocks,) the log Bayes factor of the inequalities against the equations alone.

    log P(Ω | counts) - log P(Ω): above 0 where the data favour what the expert said. [2.8]
    """
    found = inside if inside is not None else relative_interior(blocks)
    prior, posterior = (
        log_mass(blocks, exact, Density(each, pooled=pooled), settings, seed_of(seed, step),
                 threads=threads, inside=found)
        for step, each in enumerate((alpha, alpha + counts))
    )  # fmt: skip
    error = np.hypot(prior.error, posterior.error)
    how = tuple(
        one if one == other else f"{one}; {other}"
        for one, other in zip(prior.how, posterior.how, strict=True)
    )
    return Evidence(posterior.value - prior.value, error, how)


@contextmanager
def _advised() -> Iterator[None]:
    """An improper prior is an error that says what to do about it."""
    try:
        yield
    except ImproperError as error:
        error.args = (f"{error}, or add up the alphas of tied cells: pooled=True",)
        raise
