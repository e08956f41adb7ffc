"""A posterior made from counts: certain rules, doubted rules, rows without any."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import KnowledgeError
from tacit.core.network import Network
from tacit.estimate.bayes.constants import log_evidence
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.curved.functions import Functions
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.families.counts import Counts
from tacit.families.table import Table
from tacit.knowledge.orders import orders_taken
from tacit.learn.bent import curves_of, filtered, keeping, refuse_doubts, wanted_draws
from tacit.learn.doubts import Weighed, doubts_of, weigh
from tacit.learn.evidence import POOLED, LogEvidence, refuse_empty_prior
from tacit.learn.fits import CasesUsed
from tacit.learn.ground import Ground
from tacit.learn.mixing import NEGLIGIBLE, joined, mixed
from tacit.learn.positions import tables_counted
from tacit.learn.posteriors import Belief, Diagnostics, Mode, Posterior
from tacit.learn.told import (
    Scene,
    Told,
    certain_ground,
    flat,
    pools,
    refuse_impossible,
    scene_of,
)
from tacit.learn.whole import Asking, Whole, whole
from tacit.version import __version__

FEW = 100
"""Independent draws below which quantiles are not to be trusted."""


def posterior_of(told: Told) -> Posterior:
    """The posterior of complete cases, counted before."""
    assert told.counted is not None
    scene = scene_of(told)
    refuse_empty_prior(scene.known, told.alpha)
    held = tables_counted(told.counted.evidence)
    counts = flat(scene.cells, held)
    refuse_impossible(scene, counts)
    doubted = _weighed(told, scene, counts)
    curves = curves_of(scene.bound, told.structure.dag)
    if curves is not None:
        refuse_doubts(scene.bound, [each.doubt for each in doubted], curves)
    bent = None if curves is None else curves.support
    ground = certain_ground(scene, _cells(doubted), bent, every_row=not told.dirichlet)
    pooled = pools(ground, scene.prior, told.pooled)
    density = scene.density(ground.blocks.cells, counts, told.misses, pooled)

    def drawn(asking: Asking) -> Whole:
        parts = [whole(ground.blocks, ground.inside, density, asking)]
        parts += [
            _mixture(scene, each, counts, _apart(asking, number))
            for number, each in enumerate(doubted)
        ]
        return joined(parts, asking.sampling.draws)

    found = drawn(told.asking)
    if curves is not None:
        found = _kept(found, curves, told, drawn)

    silent = replace(told, asking=replace(told.asking, told=None))
    weighed = partial(_evidence, silent, scene, counts, ground, pooled, doubted)
    notes = notes_of(told, pooled or any(each.pooled for each in doubted), found)
    made = assembled(told, scene, held, found, told.counted.cases, notes)
    beliefs = tuple(belief for each in doubted for belief in _beliefs(scene, each))
    modes = (Mode(ground, density), *(_best(scene, each, counts) for each in doubted))
    weigher = weighed if told.dirichlet and curves is None else None
    return replace(made, beliefs=beliefs, modes=modes, weighed=weigher, counts=counts)


def _kept(found: Whole, curves: Functions, told: Told, drawn: Callable[[Asking], Whole]) -> Whole:
    """The draws that keep rules which are not linear; more of them where many do not."""
    cells = sum(each.size for each in told.alpha.values())
    kept = keeping(found, curves, cells)
    sampling = told.asking.sampling
    if wanted_draws(kept, sampling.draws) > 2 * sampling.draws:
        more = replace(sampling, draws=wanted_draws(kept, sampling.draws))
        found = drawn(replace(told.asking, sampling=more))
        kept = keeping(found, curves, cells)
    return filtered(found, kept, told.asking)


def _best(scene: Scene, weighed: Weighed, counts: Floats) -> Mode:
    """The most probable set of doubted rules."""
    ground = weighed.schemes[int(np.argmax(weighed.weights))].ground
    return Mode(ground, scene.density(ground.blocks.cells, counts, False, weighed.pooled))


def _cells(doubted: list[Weighed]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *(each.doubt.cells for each in doubted)])


def _weighed(told: Told, scene: Scene, counts: Floats) -> list[Weighed]:
    doubts = doubts_of(scene.bound)
    if doubts and not told.dirichlet:
        raise KnowledgeError(
            "rules said with less than certainty need a Dirichlet prior and the multinomial "
            "likelihood\n\nleave out their confidence, or likelihood= and tc.TruncatedNormal"
        )
    return [weigh(scene.bound, each, scene.prior, counts, told.asking) for each in doubts]


def _apart(asking: Asking, number: int) -> Asking:
    """With a seed of its own: rows that are independent are drawn so."""
    words = np.random.SeedSequence([asking.seed, 5, number]).generate_state(1, np.uint64)
    return replace(asking, seed=int(words[0] >> 1))


def _mixture(scene: Scene, weighed: Weighed, counts: Floats, asking: Asking) -> Whole:
    """The posterior of rows that doubted rules speak of."""
    kept = np.flatnonzero(weighed.weights > NEGLIGIBLE)
    parts = []
    for at in kept.tolist():
        ground = weighed.schemes[at].ground
        density = scene.density(ground.blocks.cells, counts, False, weighed.pooled)
        parts.append(whole(ground.blocks, ground.inside, density, asking))
    return mixed(parts, weighed.weights[kept], asking.level, asking.seed)


def _beliefs(scene: Scene, weighed: Weighed) -> list[Belief]:
    rules = [(scene.bound.rules[at], weighed.probability(at)) for at in weighed.doubt.rules]
    return [Belief(rule.text, rule.confidence, sure, rule.by) for rule, sure in rules]


def _evidence(
    told: Told,
    scene: Scene,
    counts: Floats,
    ground: Ground,
    pooled: bool,
    doubted: list[Weighed],
) -> LogEvidence:
    """Of all rows: those without rules in closed form, then block by block, then the mixtures."""
    cells = ground.blocks.cells
    prior = scene.prior[cells]
    density = replace(scene.density(cells, counts, False, pooled), alpha=prior)
    exact = Exact.of(ground.blocks, ground.inside, density)
    found = log_evidence(
        ground.blocks, exact, prior, counts[cells], told.asking.sampling, told.asking.seed,
        pooled=pooled, threads=told.asking.threads, inside=ground.inside,
    )  # fmt: skip
    free = _free_rows(scene, np.concatenate([cells, _cells(doubted)]))
    value = float(found.value.sum()) + sum(each.log_evidence for each in doubted)
    for lengths in np.unique(free[1]).tolist():
        at = free[0][free[1] == lengths][:, None] + np.arange(lengths)
        value += log_marginal_likelihood(Counts(counts[at]), scene.prior[at])
    errors = [float((found.error**2).sum()), *(each.error**2 for each in doubted)]
    return LogEvidence(value, float(np.sqrt(sum(errors))), pooled, found.how)


def _free_rows(scene: Scene, taken: Ints) -> tuple[Ints, Ints]:
    """First cell and length of every row outside."""
    starts, lengths = scene.cells.rows_of(np.arange(scene.cells.size))
    rows, at = np.unique(starts, return_index=True)
    outside = ~np.isin(rows, taken)
    return rows[outside], lengths[at][outside]


def assembled(
    told: Told,
    scene: Scene,
    counts: Mapping[str, Floats],
    found: Whole,
    cases: CasesUsed,
    notes: tuple[str, ...],
) -> Posterior:
    """The posterior as a value, its means as a network."""
    alpha = {name: told.alpha[name] + counts[name] for name in told.families}
    dag = told.structure.dag
    made = Posterior(
        network=even_network(told),
        cells=scene.cells,
        alpha=alpha,
        whole=found,
        level=told.asking.level,
        seed=told.asking.seed,
        diagnostics=_diagnostics(found),
        cases=cases,
        notes=notes,
        settings=_settings(told),
        scene=scene,
    )
    families = {name: Table(axes, made.mean[name]) for name, axes in told.families.items()}
    variables = {name: axes[-1] for name, axes in told.families.items()}
    return replace(made, network=Network(dag, variables, families))


def even_network(told: Told) -> Network:
    """A network of the right shape."""
    families = {
        name: Table(axes, alpha / alpha.sum(axis=-1, keepdims=True))
        for name, axes in told.families.items()
        for alpha in [np.ones([len(axis.states) for axis in axes])]
    }
    variables = {name: axes[-1] for name, axes in told.families.items()}
    return Network(told.structure.dag, variables, families)


def _diagnostics(found: Whole) -> Diagnostics:
    drawn = ~found.exact
    size = found.size[drawn & np.isfinite(found.size)]
    return Diagnostics(
        sampled=int(drawn.sum()),
        size=float(size.min(initial=np.inf)),
        rhat=float(found.rhat[drawn].max(initial=1.0)),
        error=float(found.error.max(initial=0.0)),
        settled=found.settled,
        ways=found.ways,
    )


def notes_of(told: Told, pooled: bool, found: Whole) -> tuple[str, ...]:
    notes = [*told.structure.notes]
    if told.knowledge is not None:
        variables = {name: axes[-1] for name, axes in told.families.items()}
        notes += orders_taken(told.knowledge.rules, variables)
    if pooled and told.pooled is None:
        notes.append(POOLED)
    if not found.settled:
        notes.append(
            "the sampler stopped before the wished precision was reached; diagnostics say how far "
            "it came"
        )
    size = float(found.size[~found.exact].min(initial=np.inf))
    if size < FEW:
        notes.append(
            f"the effective sample size of some cells is only {size:.0f}: their spreads and "
            "intervals are rough; a smaller precision= in tc.Sampling makes more draws"
        )
    if told.counted is not None:
        notes += told.counted.notes
    return tuple(notes)


def _settings(told: Told) -> dict[str, Any]:
    import scipy

    said = {
        "structure": str(told.structure.dag),
        "prior": told.prior,
        "likelihood": "binomial_product" if told.misses else "multinomial",
        "pooled": told.pooled,
        "sampling": told.asking.sampling.describe(),
        "level": told.asking.level,
        "seed": told.asking.seed,
    }
    if told.knowledge is not None:
        said["knowledge"] = str(told.knowledge)
    versions = {
        "tacit": __version__,
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
    return {**said, "versions": versions}
