"""Posterior means under rules, for a fit: exact where constants exist, else by the sampler."""

from __future__ import annotations

from tacit.arrays import Floats
from tacit.core.errors import EstimateError
from tacit.core.grid import counted
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.knowledge.polytope import relative_interior
from tacit.learn.evidence import POOLED, is_proper
from tacit.learn.ruled import Ruled
from tacit.learn.whole import Asking, whole

FEW = Sampling(draws=400)
"""Draws are not kept; only their precision matters."""


def mean_under(known: Ruled, prior: Floats, counts: Floats) -> tuple[Floats, tuple[str, ...]]:
    """E[θ] of every position of the plan, and what is to be said of it."""
    if known.bound.curved:
        raise EstimateError(
            "the posterior mean under rules that are not linear may break them"
            "\n\nuse estimate=tc.Smoothed(), or tc.posterior for means and draws"
        )
    pooled = not is_proper(known, prior)
    blocks = known.plan.blocks
    density = Density(prior + counts, pooled=pooled)
    found = whole(blocks, relative_interior(blocks), density, Asking(sampling=FEW))
    notes = [POOLED] if pooled else []
    drawn = int((~found.exact).sum())
    if drawn:
        notes.append(
            f"the means of {counted(drawn, 'cell')} under rules rest on draws: Monte Carlo error "
            f"at most {found.error.max():.1e}, worst R-hat {found.rhat.max():.3f}"
        )
    return found.mean, tuple(notes)
