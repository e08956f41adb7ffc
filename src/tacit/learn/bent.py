"""Draws that keep rules which are not linear: those that break them are thrown away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.dag import Dag
from tacit.core.errors import EstimateError, KnowledgeError
from tacit.estimate.curved.functions import Functions, functions_of
from tacit.knowledge.bound import Bound
from tacit.learn.doubts import Doubt
from tacit.learn.whole import Asking, Whole, no_powers, precise

FEWEST = 100
"""Draws that must be left."""
MOST = 200_000
"""Draws that are made at most for them."""
HOLDS = 1e-9


def curves_of(bound: Bound, dag: Dag) -> Functions | None:
    """The rules that are not linear; an error about those that leave no volume, or are doubted."""
    for part in bound.curved:
        rule = bound.rules[part.rule]
        if rule.confidence < 1:
            raise KnowledgeError(
                f"a rule that is not linear cannot be said with less than certainty\n\n    {rule}"
                "\n\nleave out its confidence, or the rule"
            )
        if part.equal:
            raise KnowledgeError(
                f"a rule that is not linear and says = leaves nothing to draw from\n\n    {rule}"
                "\n\nsay that the two are about equal, ~ ... +- 0.01, or use tc.fit"
            )
    return functions_of(bound, dag) if bound.curved else None


def refuse_doubts(bound: Bound, doubts: Sequence[Doubt], curves: Functions) -> None:
    """Nothing, or an error about a rule that is not linear and a doubted one of the same rows.

    Sets of doubted rules are weighed and averaged by linear rules alone: what is certain and not
    linear would neither count against a doubted rule nor hold in the mean.
    """
    for number, cells in zip(curves.rule.tolist(), curves.touched, strict=True):
        for doubt in doubts:
            if np.isin(cells, doubt.cells).any():
                raise KnowledgeError(
                    "a rule that is not linear and one said with less than certainty speak of the "
                    f"same rows\n\n    {bound.rules[number]}\n    {bound.rules[doubt.rules[0]]}"
                    "\n\nleave out the confidence, or one of the two"
                )


def keeping(found: Whole, curves: Functions, cells: int) -> Bools:
    """(draws,) whether the draw keeps the rules."""
    theta = np.zeros(cells)
    kept = np.zeros(found.draws.shape[0], dtype=np.bool_)
    for at, drawn in enumerate(found.draws):
        theta[found.cells] = drawn
        kept[at] = bool((curves.values(theta) <= HOLDS).all())
    return kept


def wanted_draws(kept: Bools, wished: int) -> int:
    """How many draws it takes so that about as many as wished are left."""
    share = max(float(kept.mean()), 1 / kept.size)
    return min(MOST, int(np.ceil(1.1 * wished / share)))


def filtered(found: Whole, kept: Bools, asking: Asking) -> Whole:
    """The posterior by the draws that keep the rules."""
    left = int(kept.sum())
    if left < FEWEST:
        raise EstimateError(
            f"only {left} of {kept.size:,} draws keep the rules that are not linear: too few to "
            "say anything\n\nuse tc.fit, which looks for the most likely parameters that keep "
            "them, or say more by linear rules"
        )
    draws = found.draws[kept]
    tails = [(1 - asking.level) / 2, (1 + asking.level) / 2]
    lower, upper = np.quantile(draws, tails, axis=0)
    sd = np.asarray(draws.std(axis=0, ddof=1))
    size = np.minimum(found.size, kept.size) * (left / kept.size)
    error: Floats = sd / np.sqrt(size)
    ways = {
        **found.ways,
        f"{left / kept.size:.1%} of the draws keep the rules that are not linear": 1,
    }
    return replace(
        found, mean=draws.mean(axis=0), sd=sd, lower=lower, upper=upper, draws=draws, error=error,
        size=size, exact=np.zeros(found.cells.size, dtype=np.bool_), ways=ways,
        block=np.zeros(found.cells.size, dtype=np.int64), powers=no_powers,
        settled=found.settled and precise(error, asking.sampling),
    )  # fmt: skip
