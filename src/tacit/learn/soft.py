"""Fits under rules of which some were said with less than certainty.

The estimate is the mean over the sets of doubted rules that may hold, each estimate weighed by
the probability of its set given the cases: θ = Σ P(S given cases) θ(S). Certain rules that are
linear hold in every θ(S), so they hold in their mean. [PDKX-3, EXT-10]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import KnowledgeError, OptionError
from tacit.core.network import Network
from tacit.core.variables import Variable
from tacit.estimate.bayes.density import Density
from tacit.estimate.curved.functions import functions_of
from tacit.estimate.estimates import Estimate, PosteriorMean
from tacit.estimate.ruled.impossible import ImpossibleEvidenceError
from tacit.estimate.ruled.plan import compile_blocks, solve
from tacit.estimate.ruled.status import RuleStatus
from tacit.estimate.tables import log_probability
from tacit.families.conditional_moments import AnyMoments
from tacit.families.table import Table
from tacit.infer.likelihood import log_likelihood
from tacit.knowledge.binding import bind
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.expansion import instance
from tacit.knowledge.knowledge import Knowledge
from tacit.learn.bent import refuse_doubts
from tacit.learn.choices import Choices
from tacit.learn.counted import Counted
from tacit.learn.counting import fit_counted
from tacit.learn.doubts import Weighed, doubts_of, weigh
from tacit.learn.fits import Fit
from tacit.learn.gathered import Gathered
from tacit.learn.inferred import fit_inferred
from tacit.learn.mixing import NEGLIGIBLE
from tacit.learn.parts import discrete_axes
from tacit.learn.positions import tables_counted
from tacit.learn.progress import Report
from tacit.learn.ruled import about_tables, certain_part, doubted_part
from tacit.learn.structures import Structure
from tacit.learn.told import flat
from tacit.learn.whole import Asking, whole
from tacit.learn.wishes import Wishes

ROUNDS = 5
"""How often EM is run anew because other rules are believed than before."""


def fit_counted_softly(
    structure: Structure, counted: Counted, choices: Choices, knowledge: Knowledge
) -> Fit:
    """A fit to complete cases."""
    base = fit_counted(structure, counted, choices, certain_part(knowledge))
    blended = _blended(base, knowledge, counted.families, choices)
    network = blended.network
    likelihood, objective = base.log_likelihood, base.objective
    for name in base.pseudo:  # families without a table stay as they are
        after, before = (
            _log_probabilities(base, each, name, choices.estimate)
            for each in (network, base.network)
        )
        likelihood += after[0] - before[0]
        objective += after[1] - before[1]
    return replace(
        base,
        network=network,
        rules=_statuses(base, knowledge, blended),
        log_likelihood=likelihood,
        objective=objective,
        trace=(objective,),
        notes=(*base.notes, *blended.notes),
        settings=_settings(base, knowledge),
        log_marginal_likelihood=None,
    )


def fit_inferred_softly(gathered: Gathered, choices: Choices, wishes: Wishes, told: Report) -> Fit:
    """A fit to incomplete cases: rules that are believed at the expected counts are held by EM,
    which runs again until the same ones are believed; then the estimates are averaged."""
    knowledge = wishes.knowledge
    assert knowledge is not None
    if wishes.tied or wishes.checkpoint is not None:
        raise OptionError(
            "rules said with less than certainty go with neither tied= nor checkpoint="
            "\n\nleave out their confidence, or the option"
        )
    held: frozenset[int] = frozenset()
    seen: set[frozenset[int]] = set()
    for _ in range(ROUNDS):
        seen.add(held)
        base = fit_inferred(
            gathered, choices, replace(wishes, knowledge=_held(knowledge, held)), told
        )
        blended = _blended(base, knowledge, gathered.families, choices)
        held = blended.believed
        if held in seen:
            break
    likelihood = log_likelihood(blended.network, gathered.cases)
    prior = sum(
        log_probability(table, choices.estimate.pseudo(alpha))
        for name, alpha in base.pseudo.items()
        for table in [blended.network[name]]
        if isinstance(table, Table) and choices.estimate.uses_prior
    )
    return replace(
        base,
        network=blended.network,
        rules=_statuses(base, knowledge, blended),
        log_likelihood=float(likelihood),
        objective=float(likelihood) + float(prior),
        notes=(*base.notes, *blended.notes),
        settings=_settings(base, knowledge),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Blend:
    """The averaged network, and how probable every doubted rule is.

    believed  the numbers of rules that are more probable than not, among those doubted
    """

    network: Network
    bound: Bound
    theta: Floats
    probability: Mapping[int, float]
    notes: tuple[str, ...]

    @property
    def believed(self) -> frozenset[int]:
        """Numbers of the rules that are at least as probable as not."""
        return frozenset(at for at, sure in self.probability.items() if sure >= 0.5)


def _blended(
    base: Fit, knowledge: Knowledge, axes: Mapping[str, tuple[Variable, ...]], choices: Choices
) -> _Blend:
    families = {name: discrete_axes(axes[name]) for name in base.pseudo}
    cells = Cells.of(families)
    others = [name for name in axes if name not in families]
    said = about_tables(knowledge).rules
    bound = bind(said, cells, ordered=cells.declared, others=others)
    _refuse_curved(bound)
    doubts = doubts_of(bound)
    if bound.curved:
        refuse_doubts(bound, doubts, functions_of(bound, base.network.dag))
    prior = flat(cells, base.pseudo)
    counts = flat(cells, tables_counted(base.evidence))
    before = (base.network[name] for name in families)
    theta = flat(cells, {each.child: each.values for each in before if isinstance(each, Table)})
    probability: dict[int, float] = {}
    asking = Asking(seed=choices.seed or 0)
    pooled = False
    for doubt in doubts:
        weighed = weigh(bound, doubt, prior, counts, asking)
        pooled |= weighed.pooled
        theta[doubt.cells] = _mean(weighed, prior, counts, choices.estimate, asking)[doubt.cells]
        probability |= {rule: weighed.probability(rule) for rule in doubt.rules}
    tables = {
        name: Table(families[name], theta[cells.block(name)]) if name in families else family
        for name, family in ((name, base.network[name]) for name in base.network)
    }
    network = Network(base.network.dag, base.network.variables, tables)
    return _Blend(network, bound, theta, probability, _notes(bound, probability))


def _refuse_curved(bound: Bound) -> None:
    for curved in bound.curved:
        rule = bound.rules[curved.rule]
        if rule.confidence < 1:
            raise KnowledgeError(
                f"a rule that is not linear cannot be said with less than certainty\n\n    {rule}"
                "\n\nleave out its confidence, or the rule"
            )


def _mean(
    weighed: Weighed, prior: Floats, counts: Floats, estimate: Estimate, asking: Asking
) -> Floats:
    """Σ weight · estimate over the sets of rules; over all cells, 0 elsewhere."""
    out, total = np.zeros(prior.size), 0.0
    for scheme, weight in zip(weighed.schemes, weighed.weights.tolist(), strict=True):
        ground = scheme.ground
        if weight < NEGLIGIBLE:
            continue
        at = ground.blocks.cells
        if isinstance(estimate, PosteriorMean):
            density = Density(prior[at] + counts[at], pooled=weighed.pooled)
            theta = whole(ground.blocks, ground.inside, density, asking).mean
        else:
            weights = np.maximum(counts[at] + estimate.pseudo(prior[at]), 0.0)
            zero = ground.inside.zero
            weights[zero] = counts[at][zero]
            try:
                theta = solve(compile_blocks(ground.blocks, ground.inside), weights).theta
            except ImpossibleEvidenceError:
                continue
        out[at] += weight * theta
        total += weight
    return out / total


def _held(knowledge: Knowledge, held: frozenset[int]) -> Knowledge:
    """The certain rules and those believed, as certain ones; numbers are among parameters."""
    believed = {id(knowledge.parameters[at]) for at in held}
    doubted = set(map(id, doubted_part(knowledge)))
    kept = (rule for rule in knowledge.rules if id(rule) not in doubted or id(rule) in believed)
    return Knowledge(tuple(replace(rule, confidence=1.0) for rule in kept))


def _statuses(base: Fit, knowledge: Knowledge, blended: _Blend) -> tuple[RuleStatus, ...]:
    """Certain rules as the fit under them found, doubted ones with their probability."""
    certain = {(rule.text, rule.line, rule.source): rule for rule in base.rules}
    numbers = {id(rule): number for number, rule in enumerate(blended.bound.rules)}
    found = []
    for rule in knowledge.parameters:
        if rule.confidence == 1:
            found.append(certain[(rule.text, rule.line, rule.source)])
        else:
            found.append(_status(blended, numbers[id(rule)]))
    return tuple(found)


def _status(blended: _Blend, at: int) -> RuleStatus:
    bound = blended.bound
    rule, rows = bound.rules[at], bound.rows
    mine = np.flatnonzero(rows.rule == at)
    value = limit = float("nan")
    nearest = ""
    if mine.size:
        values = rows.values(blended.theta)[mine]
        over = values - rows.limits[mine]
        worst = int(np.argmax(np.where(rows.equal[mine], np.abs(over), over)))
        sign = float(rows.sign[mine[worst]])
        value, limit = sign * float(values[worst]), sign * float(rows.limits[mine[worst]])
        nearest = instance(bound, int(mine[worst])) if mine.size > 1 else ""
    return RuleStatus(
        text=rule.text, value=value, limit=limit, binding=0, price=None, cost=None,
        solved_by="mean over the sets of rules that may hold", by=rule.by,
        confidence=rule.confidence, source=rule.source, line=rule.line,
        instances=max(1, int(mine.size)), dearest=nearest, probability=blended.probability[at],
    )  # fmt: skip


def _notes(bound: Bound, probability: Mapping[int, float]) -> tuple[str, ...]:
    found = []
    for at, sure in probability.items():
        if sure < 0.5:
            rule = bound.rules[at]
            text = " ".join(rule.text.split())
            found.append(f"the data overrule {text}: it holds with probability {sure:.2g}")
    return tuple(found[:5])


def _log_probabilities(
    base: Fit, network: Network, name: str, estimate: Estimate
) -> tuple[float, float]:
    """Log-likelihood and objective of one table."""
    table, held = network[name], base.evidence[name]
    assert isinstance(table, Table)
    assert not isinstance(held, AnyMoments)
    counts = held.dense().values
    full = np.maximum(counts + estimate.pseudo(base.pseudo[name]), 0.0)
    return log_probability(table, counts), log_probability(
        table, np.where(table.values > 0, full, counts)
    )


def _settings(base: Fit, knowledge: Knowledge) -> dict[str, object]:
    return {**base.settings, "knowledge": str(knowledge)}
