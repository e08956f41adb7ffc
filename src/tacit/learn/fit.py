"""`fit`: structure, cases and a prior in; a fitted network and all that is known about it out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tacit.core.dag import Dag
from tacit.core.network import Network
from tacit.estimate.estimates import Estimate, Smoothed
from tacit.estimate.posteriors import check_level
from tacit.estimate.priors import BDeu, Prior
from tacit.infer.sampling import fresh_seed
from tacit.learn.counted import count_cases
from tacit.learn.fits import Fit, Stop
from tacit.learn.methods import AvailableCases
from tacit.learn.notes import fit_notes
from tacit.learn.parts import estimate_part, pseudo_counts, total_log_marginal_likelihood
from tacit.learn.progress import watched
from tacit.learn.settings import check_choices, settings_of
from tacit.learn.structures import as_structure


def fit(
    structure: Dag | Network | str | Path,
    data: Any,
    *,
    prior: Prior | None = None,
    estimate: Estimate | None = None,
    method: AvailableCases | None = None,
    level: float = 0.95,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | Callable[[int, int], None] | None = None,
) -> Fit:
    """Estimate the parameters of a network from its cases, in closed form:

    maximise  Σ over variables, rows and states of (N + pseudo) log θ,

    where N are the counts of the cases and pseudo is what `estimate` makes of the prior; linear
    Gaussian families by least squares. [Thm 2.2.1 to 2.2.4]

    structure  a dag, its text (`"A -> B"`), a network (its states count, its numbers do not), or
               a file of one
    data       anything `tc.read_cases` takes, or `tc.Statistics` counted before
    prior      `tc.BDeu(1)` if not given; it speaks of tables only
    estimate   `tc.Smoothed()` if not given
    method     `tc.AvailableCases()` lets each family skip cases that are incomplete in it;
               otherwise missing cells are refused
    level      of the credible intervals
    seed       kept with the fit; counting itself draws nothing at random
    """
    check_level(level)
    prior = BDeu(1) if prior is None else prior
    estimate = Smoothed() if estimate is None else estimate
    check_choices(prior, estimate, method)
    if seed is not None:
        seed = fresh_seed(seed)
    given = as_structure(structure)
    with watched(progress, "counting") as report:
        counted = count_cases(given, data, method, threads, report)
    alpha = pseudo_counts(prior, counted.families)
    parts = {
        name: estimate_part(axes, counted.evidence[name], alpha.get(name), estimate)
        for name, axes in counted.families.items()
    }
    families = {name: part.family for name, part in parts.items()}
    objective = sum(part.objective for part in parts.values())
    return Fit(
        network=Network(given.dag, counted.variables, families),
        objective=objective,
        trace=(objective,),
        stop=Stop.CLOSED_FORM,
        rules=(),
        settings=settings_of(given, prior, estimate, method, level),
        seed=seed,
        notes=(*given.notes, *fit_notes(counted, parts, estimate, method)),
        evidence=counted.evidence,
        pseudo=alpha,
        log_likelihood=sum(part.log_likelihood for part in parts.values()),
        log_marginal_likelihood=total_log_marginal_likelihood(counted.evidence, alpha),
        cases=counted.cases,
    )
