"""Fits from complete cases, or from the complete part of them: counting, in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.core.network import Network
from tacit.estimate.continuous.prior import Scales
from tacit.estimate.continuous.regression import Extra
from tacit.knowledge.knowledge import Knowledge
from tacit.learn.causes.counting import CausedParts, caused_notes, fit_causes
from tacit.learn.causes.kinds import kinds_said, order_notes
from tacit.learn.causes.linking import linking_of
from tacit.learn.causes.statuses import link_statuses
from tacit.learn.choices import Choices
from tacit.learn.continuous.rules import TiedParts, obey_ties
from tacit.learn.counted import Counted
from tacit.learn.curved import curves_said
from tacit.learn.fits import Fit, Stop
from tacit.learn.local.choosing import Local
from tacit.learn.local.counting import LocalParts, fit_local, local_notes
from tacit.learn.local.rules import spoken_of
from tacit.learn.notes import fit_notes
from tacit.learn.obeyed import Obeyed, obey, resisted_notes, unruled
from tacit.learn.parts import Part, estimate_part, normal_pseudo, pseudo_counts
from tacit.learn.ruled import Ruled, ruled
from tacit.learn.settings import settings_of
from tacit.learn.structures import Structure


def fit_counted(
    structure: Structure, counted: Counted, choices: Choices, knowledge: Knowledge | None = None
) -> Fit:
    """maximise  Σ (N + pseudo) log θ  family by family, block by block where rules tie them
    together; Gaussians by least squares."""
    plain = counted.plain
    linked = linking_of(counted.causes, knowledge)
    spoken = spoken_of(counted.local, linked.rest)
    others = {**counted.causes, **counted.local}
    known = ruled(spoken.rest, structure.dag, plain.families, without=others)
    others |= counted.curves
    alpha = pseudo_counts(choices.prior, plain.families, others)
    scales = Scales.within(counted.evidence, counted.families)
    normal = normal_pseudo(choices, plain.families, scales)
    parts = {
        name: estimate_part(axes, evidence, alpha.get(name), choices.estimate, normal.get(name))
        for name, axes in plain.families.items()
        for evidence in [unruled(known, name, plain.evidence[name])]
    }
    extra = {name: Extra.of(each, choices.estimate) for name, each in normal.items()}
    tied = obey_ties(None if known is None else known.ties, plain.evidence, parts, extra)
    obeyed = obey(known, plain.evidence, alpha, tied.parts, choices.estimate, normal)
    rules = obeyed.rules if known is None else known.in_order(obeyed.rules, tied.rules)
    caused = fit_causes(linked.causes, counted, choices)
    local = fit_local(spoken.local, counted.evidence, choices)
    every = {**obeyed.parts, **caused.parts, **local.parts, **_curves(counted)}
    families = {name: part.family for name, part in every.items()}
    objective = sum(part.objective for part in every.values())
    said = {**_knowledge(knowledge, known), **_families(counted, spoken.local)}
    link_rules = link_statuses(linked, counted.evidence, caused.alpha, choices.estimate)
    return Fit(
        network=Network(structure.dag, counted.variables, families),
        objective=objective,
        trace=(objective,),
        stop=_stop(counted, obeyed, tied),
        rules=(*rules, *link_rules, *spoken.rules),
        settings=settings_of(structure, choices, said),
        seed=choices.seed,
        notes=(
            *structure.notes,
            *_notes(counted, choices, obeyed, caused, local, tied),
            *resisted_notes(link_rules),
        ),
        evidence=counted.evidence,
        pseudo={**alpha, **caused.alpha, **local.alpha},
        log_likelihood=sum(part.log_likelihood for part in every.values()),
        log_marginal_likelihood=None if others else obeyed.log_marginal_likelihood,
        cases=counted.cases,
        proof=obeyed.proof,
        normal=normal,
    )


def _knowledge(knowledge: Knowledge | None, known: Ruled | None) -> dict[str, Any]:
    """What was said, whoever obeys it."""
    if knowledge is None:
        return {}
    return {**(known.settings if known else {}), "knowledge": str(knowledge)}


def _families(counted: Counted, local: Mapping[str, Local]) -> dict[str, dict[str, str]]:
    """The families that were chosen, as the settings of a fit keep them; nothing where none was."""
    curves = curves_said({name: type(each.family) for name, each in counted.curves.items()})
    said = {**kinds_said(counted.causes, local).get("families", {}), **curves}
    return {"families": said} if said else {}


def _curves(counted: Counted) -> dict[str, Part]:
    return {
        name: Part(each.family, each.log_likelihood, each.log_likelihood)
        for name, each in counted.curves.items()
    }


def _stop(counted: Counted, obeyed: Obeyed, tied: TiedParts) -> Stop:
    if obeyed.stop is not Stop.CLOSED_FORM:
        return obeyed.stop
    if tied.solver:
        return Stop.SOLVED
    if counted.curves:
        return Stop.CURVED
    return Stop.CONCAVE if counted.causes else Stop.CLOSED_FORM


def _notes(
    counted: Counted,
    choices: Choices,
    obeyed: Obeyed,
    caused: CausedParts,
    local: LocalParts,
    tied: TiedParts,
) -> tuple[str, ...]:
    return (
        *fit_notes(counted, {**obeyed.parts, **local.parts}, choices),
        *order_notes(counted.causes),
        *caused_notes(caused.parts),
        *local_notes(local.parts),
        *dict.fromkeys((*obeyed.notes, *tied.notes)),
    )
