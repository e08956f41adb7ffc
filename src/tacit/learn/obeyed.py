"""Tables estimated from counts under rules: the ruled rows of all families, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import EstimateError
from tacit.core.grid import counted
from tacit.estimate.continuous.prior import Pseudo
from tacit.estimate.estimates import Estimate, PosteriorMean
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.estimate.ruled.multipliers import priced
from tacit.estimate.ruled.plan import (
    CURVED,
    GENERAL,
    Plan,
    Ruling,
    log_evidence,
    solve,
)
from tacit.estimate.ruled.prices import statuses
from tacit.estimate.ruled.proof import Proof, proof_of
from tacit.estimate.ruled.status import RuleStatus
from tacit.estimate.tables import SLACK, log_probability
from tacit.families.conditional_moments import AnyMoments
from tacit.families.counts import Counts
from tacit.families.table import Table
from tacit.knowledge.expansion import cell_label
from tacit.knowledge.orders import orders_taken
from tacit.learn.continuous.lines import lines_evidence
from tacit.learn.fits import Evidence, Stop
from tacit.learn.parts import Part, total_log_marginal_likelihood
from tacit.learn.positions import free_rows, held_at, tables_named
from tacit.learn.ruled import Ruled, impossible_in_words


@dataclass(frozen=True, slots=True, eq=False)
class Obeyed:
    """Every family as the rules want it, what became of the rules, and what to say about it.

    stop  whether a block needed a solver, and which
    """

    parts: Mapping[str, Part]
    rules: tuple[RuleStatus, ...]
    notes: tuple[str, ...]
    log_marginal_likelihood: float | None
    stop: Stop = Stop.CLOSED_FORM
    proof: Proof | None = None


def obey(
    known: Ruled | None,
    evidence: Mapping[str, Evidence],
    alpha: Mapping[str, Floats],
    parts: Mapping[str, Part],
    estimate: Estimate,
    normal: Mapping[str, Pseudo] | None = None,
) -> Obeyed:
    """maximise  Σ (N + pseudo) log θ  subject to the rules; rows no rule names stay as they are."""
    if known is None or not len(known.plan.blocks):
        free = known is None or known.ties is None
        marginal = total_log_marginal_likelihood(evidence, alpha, normal) if free else None
        if known is None:
            return Obeyed(parts, (), (), marginal)
        nothing = priced(known.plan, _NONE)
        return Obeyed(parts, statuses(known.bound, known.plan, nothing, _NONE), (), marginal)
    pseudo = {name: estimate.pseudo(each) for name, each in alpha.items()}
    counts = held_at(known, evidence)
    prior = held_at(known, {name: Counts(each) for name, each in alpha.items()})
    weights = counts + estimate.pseudo(prior)
    weights[known.plan.zeros] = counts[known.plan.zeros]
    _refuse_negative(known, weights)
    weights = np.maximum(weights, 0.0)
    with impossible_in_words(known):
        ruling = solve(known.plan, weights)
    theta = ruling.theta
    said: tuple[str, ...] = ()
    if isinstance(estimate, PosteriorMean):
        theta, said = _means(known, prior, counts)
    worth = priced(known.plan, weights, ruling)
    rules = statuses(known.bound, known.plan, worth, theta)
    return Obeyed(
        _replaced(known, evidence, pseudo, parts, theta, weights),
        rules,
        (*resisted_notes(rules), *rule_notes(known, weights), *local_notes(ruling), *said),
        _marginal(known, evidence, alpha, counts, prior, normal),
        _stop(ruling),
        proof_of(known.plan, worth),
    )


def _means(known: Ruled, prior: Floats, counts: Floats) -> tuple[Floats, tuple[str, ...]]:
    from tacit.learn.means import mean_under

    return mean_under(known, prior, counts)


_NONE = np.zeros(0)


MOST_TOLD = 5
"""Rules that the notes name."""


def unruled(known: Ruled | None, name: str, evidence: Evidence) -> Evidence:
    """The evidence of a table with one case in every cell of a ruled row.

    What its own estimate makes of such rows is replaced; it must not be refused for want of cases.
    """
    if known is None or isinstance(evidence, AnyMoments):
        return evidence
    first = known.bound.cells.starts[name]
    at = known.plan.blocks.cells - first
    inside = at[(at >= 0) & (at < np.prod(evidence.shape))]
    if not inside.size:
        return evidence
    counts = evidence.dense().values.copy()
    counts.flat[inside] = 1.0
    return Counts(counts)


def _refuse_negative(known: Ruled, weights: Floats) -> None:
    """Nothing, or an error about a cell of a ruled row that has less than nothing: no maximum."""
    worst = int(np.argmin(weights))
    if weights[worst] < -SLACK:
        cell = cell_label(known.bound.cells, int(known.plan.blocks.cells[worst]))
        raise EstimateError(
            f"{cell} has no most probable value under the rules: counts plus prior come to "
            f"{weights[worst] + 1:.4g}, less than 1"
            "\n\nuse a prior of at least 1 per cell, tc.K2() for example, or tc.Smoothed()"
        )


def _replaced(
    known: Ruled,
    evidence: Mapping[str, Evidence],
    pseudo: Mapping[str, Floats],
    parts: Mapping[str, Part],
    theta: Floats,
    weights: Floats,
) -> dict[str, Part]:
    """The parts with their ruled rows replaced; pseudo-counts of cells held at 0 do not count."""
    cells, changed = known.plan.blocks.cells, dict(parts)
    for name, inside in tables_named(known).items():
        table, held = parts[name].family, evidence[name]
        assert isinstance(table, Table)
        assert not isinstance(held, AnyMoments)
        values, counts = table.values.copy(), held.dense().values
        at = cells[inside] - known.bound.cells.starts[name]
        values.flat[at] = theta[inside]
        full = np.maximum(counts + pseudo[name], 0.0)
        full.flat[at] = weights[inside]
        ruled_rows = set((at // values.shape[-1]).tolist())
        left = tuple(row for row in parts[name].undetermined if row not in ruled_rows)
        new = Table(table.variables, values, table.partial and bool(left))
        changed[name] = replace(
            parts[name],
            family=new,
            log_likelihood=log_probability(new, counts),
            objective=log_probability(new, full),
            undetermined=left,
        )
    return changed


def _marginal(
    known: Ruled,
    evidence: Mapping[str, Evidence],
    alpha: Mapping[str, Floats],
    counts: Floats,
    prior: Floats,
    normal: Mapping[str, Pseudo] | None,
) -> float | None:
    """Log marginal likelihood under the rules, where trees of splits give it and no rule speaks of
    regressions; otherwise None."""
    if known.ties is not None or total_log_marginal_likelihood(evidence, alpha, normal) is None:
        return None
    ruled = log_evidence(known.plan, prior, counts)
    if ruled is None:
        return None
    total, named = ruled + lines_evidence(evidence, normal or {}), tables_named(known)
    for name, held in evidence.items():
        if isinstance(held, AnyMoments):
            continue
        rows, pseudo = held.dense().rows(), alpha[name].reshape(-1, alpha[name].shape[-1])
        free = free_rows(known, name, named.get(name), rows.shape)
        total += log_marginal_likelihood(Counts(rows[free]), pseudo[free])
    return total


def _stop(ruling: Ruling) -> Stop:
    highest = int(ruling.way.max(initial=0))
    return {GENERAL: Stop.SOLVED, CURVED: Stop.LOCAL}.get(highest, Stop.CLOSED_FORM)


def local_notes(ruling: Ruling) -> tuple[str, ...]:
    """What is known of the maxima under curved rules, block by block; equal ones once."""
    told = [f"rules that are not linear: {each.report}" for each in ruling.answers.values()]
    return tuple(dict.fromkeys(told))[:MOST_TOLD]


def refuse_means(estimate: Estimate) -> None:
    """Nothing, or an error: with missing cells the posterior mean under rules is no M-step."""
    if isinstance(estimate, PosteriorMean):
        raise EstimateError(
            "tc.PosteriorMean() under rules needs complete cases"
            "\n\nuse estimate=tc.Smoothed(), which maximises Σ (N + alpha) log θ under the rules"
        )


def rule_notes(known: Ruled, weights: Floats) -> tuple[str, ...]:
    """What the reader should know about a fit under rules."""
    variables = {name: axes[-1] for name, axes in known.bound.cells.families.items()}
    orders = orders_taken(known.knowledge.rules, variables)
    return (*orders, *_bare(known.plan, weights), *INTERVALS)


def resisted_notes(rules: Iterable[RuleStatus]) -> tuple[str, ...]:
    """The rules that the data speak against, each in a line."""
    told = []
    for rule in rules:
        if rule.verdict == "resisted":
            at = f"{rule.source}:{rule.line}: " if rule.source else ""
            cost = "" if rule.alone is None else f"; alone it costs {rule.alone:.3g} nats"
            text = " ".join(rule.text.split())
            told.append(f"the data resist {at}{text}{cost}, chance {rule.chance:.1g}")
    return tuple(told[:MOST_TOLD]) + (
        (f"... and {len(told) - MOST_TOLD} more rules",) if len(told) > MOST_TOLD else ()
    )


INTERVALS: tuple[str, ...] = (
    "intervals of ruled rows leave the rules aside: they may not even contain the estimate",
)


def _bare(plan: Plan, weights: Floats) -> Iterable[str]:
    bare = int((np.bincount(plan.blocks.row, weights) <= 0).sum())
    if bare:
        rests = "rests" if bare == 1 else "rest"
        yield (
            f"{counted(bare, 'ruled row')} {rests} on no case: what the rules leave open there was "
            "divided evenly"
        )
