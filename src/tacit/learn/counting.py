"""Fits from complete cases, or from the complete part of them: counting, in closed form."""

from __future__ import annotations

from tacit.core.network import Network
from tacit.knowledge.knowledge import Knowledge
from tacit.learn.choices import Choices
from tacit.learn.counted import Counted
from tacit.learn.fits import Fit
from tacit.learn.notes import fit_notes
from tacit.learn.obeyed import obey, unruled
from tacit.learn.parts import estimate_part, pseudo_counts
from tacit.learn.ruled import ruled
from tacit.learn.settings import settings_of
from tacit.learn.structures import Structure


def fit_counted(
    structure: Structure, counted: Counted, choices: Choices, knowledge: Knowledge | None = None
) -> Fit:
    """maximise  Σ (N + pseudo) log θ  family by family, block by block where rules tie them
    together; Gaussians by least squares."""
    known = ruled(knowledge, structure.dag, counted.families)
    alpha = pseudo_counts(choices.prior, counted.families)
    parts = {
        name: estimate_part(axes, evidence, alpha.get(name), choices.estimate)
        for name, axes in counted.families.items()
        for evidence in [unruled(known, name, counted.evidence[name])]
    }
    obeyed = obey(known, counted.evidence, alpha, parts, choices.estimate)
    families = {name: part.family for name, part in obeyed.parts.items()}
    objective = sum(part.objective for part in obeyed.parts.values())
    return Fit(
        network=Network(structure.dag, counted.variables, families),
        objective=objective,
        trace=(objective,),
        stop=obeyed.stop,
        rules=obeyed.rules,
        settings=settings_of(structure, choices, known.settings if known else None),
        seed=choices.seed,
        notes=(*structure.notes, *fit_notes(counted, obeyed.parts, choices), *obeyed.notes),
        evidence=counted.evidence,
        pseudo=alpha,
        log_likelihood=sum(part.log_likelihood for part in obeyed.parts.values()),
        log_marginal_likelihood=obeyed.log_marginal_likelihood,
        cases=counted.cases,
        proof=obeyed.proof,
    )
