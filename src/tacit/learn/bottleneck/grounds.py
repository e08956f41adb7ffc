"""Cases of a fit as a path needs them whose network changes on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, quoted
from tacit.estimate.priors import K2, BDeu, Dirichlet, Jeffreys, Prior
from tacit.learn.bottleneck.reshaping import Ground, Made, distinct
from tacit.learn.bottleneck.running import Bottleneck, PathClimb
from tacit.learn.bottleneck.shape import Shape
from tacit.learn.climb import Climb
from tacit.learn.em import best_run
from tacit.learn.expectation import EmIterate, Problem
from tacit.learn.parts import discrete_axes, pseudo_counts
from tacit.learn.structures import families_of

if TYPE_CHECKING:
    from tacit.learn.incomplete import Incomplete


def shaped(cases: Incomplete, shape: Shape, data: Dataset) -> Incomplete:
    """The same cases, or a part of them, under another network."""
    assert cases.prior is not None
    variables = {name: cases.variables[name] for name in cases.variables if name in data}
    families = {
        name: discrete_axes(axes)
        for name, axes in families_of(shape.dag, {**variables, **shape.hidden()}).items()
    }
    alpha = pseudo_counts(cases.prior, families)
    hidden = tuple(shape.states)
    return replace(
        cases, dag=shape.dag, data=data, families=families, hidden=hidden, alpha=alpha
    )  # fmt: skip


def growing(
    job: Bottleneck, cases: Incomplete, brought: Callable[[Incomplete], Problem]
) -> Bottleneck:
    """The job with all that changing the network takes; itself where nothing changes.

    brought  brings cases to their problem
    """
    if not job.settings.changes:
        return job
    assert cases.prior is not None
    _check(job, cases, cases.prior)
    variables = cases.variables
    states = {name: len(variables[name].states) for name in cases.hidden}
    shape = Shape(cases.dag, states)
    if (job.settings.structure or job.settings.enrichment is not None) and not shape.hierarchy:
        raise OptionError(
            "structure=True and enrich= change hierarchies, in which every variable has one "
            "parent at most, and that a hidden one\n\nwrite the dag so, begin with "
            "tc.learn_hierarchy, or learn other dags with tc.structural_em"
        )

    def made(shape: Shape, data: Dataset) -> Made:
        larger = shaped(cases, shape, data)
        problem = brought(larger)
        flat = np.zeros(problem.layout.size)
        for name in problem.layout.names:
            place = problem.layout.places[name]
            problem.layout.block(flat, place)[...] = larger.alpha[name]
        return Made(problem, flat)

    observed = {name: variables[name] for name in variables if name not in cases.hidden}
    ground = Ground(made, job.settings, distinct(cases.data), observed, cases.prior)
    return replace(job, shape=shape, ground=ground)


def best_path(climbs: Sequence[Climb[EmIterate]]) -> int:
    """The path whose network is worth most where networks changed, the best run elsewhere."""
    scores = [each.score for each in climbs if isinstance(each, PathClimb) and each.shape]
    return int(np.argmax(scores)) if len(scores) == len(climbs) else best_run(climbs)


def _check(job: Bottleneck, cases: Incomplete, prior: Prior) -> None:
    """Nothing, or an error: what is said of single tables cannot be kept when these change."""
    if job.task.problem.plan is not None:
        raise OptionError(
            "rules speak of tables, and tc.IBEM() with cardinality='adapt', structure=True or "
            "enrich=True makes other ones\n\nleave the rules to a fit of the network that it finds"
        )
    even = isinstance(prior, BDeu | K2 | Jeffreys) or (
        isinstance(prior, Dirichlet) and not hasattr(prior.alpha, "keys")
    )
    if not even:
        raise OptionError(
            f"prior={prior.describe()} speaks of single tables, and the network changes on the way"
            "\n\nuse tc.BDeu(1), tc.K2(), tc.Jeffreys() or tc.Dirichlet(1.0)"
        )
    for name in cases.hidden:
        states = cases.variables[name].states
        if states != tuple(str(at + 1) for at in range(len(states))):
            raise OptionError(
                f"the states of {quoted(name)} have names, and their number changes on the way"
                f"\n\nsay how many there are at the beginning: hidden={{{name!r}: {len(states)}}}"
            )
