"""Fits from complete cases, or from the complete part of them: counting, in closed form."""

from __future__ import annotations

from tacit.core.network import Network
from tacit.learn.choices import Choices
from tacit.learn.counted import Counted
from tacit.learn.fits import Fit, Stop
from tacit.learn.notes import fit_notes
from tacit.learn.parts import estimate_part, pseudo_counts, total_log_marginal_likelihood
from tacit.learn.settings import settings_of
from tacit.learn.structures import Structure


def fit_counted(structure: Structure, counted: Counted, choices: Choices) -> Fit:
    """maximise  Σ (N + pseudo) log θ  family by family; Gaussians by least squares."""
    alpha = pseudo_counts(choices.prior, counted.families)
    parts = {
        name: estimate_part(axes, counted.evidence[name], alpha.get(name), choices.estimate)
        for name, axes in counted.families.items()
    }
    families = {name: part.family for name, part in parts.items()}
    objective = sum(part.objective for part in parts.values())
    return Fit(
        network=Network(structure.dag, counted.variables, families),
        objective=objective,
        trace=(objective,),
        stop=Stop.CLOSED_FORM,
        rules=(),
        settings=settings_of(structure, choices),
        seed=choices.seed,
        notes=(*structure.notes, *fit_notes(counted, parts, choices)),
        evidence=counted.evidence,
        pseudo=alpha,
        log_likelihood=sum(part.log_likelihood for part in parts.values()),
        log_marginal_likelihood=total_log_marginal_likelihood(counted.evidence, alpha),
        cases=counted.cases,
    )
