"""The section on rules: what each of them asked, what it got, what it costs."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.ruled.status import RESISTED, RuleStatus
from tacit.families.table import Table
from tacit.learn.fits import Fit
from tacit.reporting.support import all_rows
from tacit.reporting.wording import finite

VERDICTS = ("resisted", "overruled", "binding", "believed", "free")
"""In the order in which the reader hears of them."""


def rules(fit: Fit) -> dict[str, Any] | None:
    """`rules`: the resisted ones first, then those that bind, then the free, dear ones first.

    A rule has the fields of its `RuleStatus`, with its `number` in the order of writing, `slack`
    and `verdict`; `counts` says how many there are of each verdict. `cost` is what all rules
    together take from the objective, in nats, at least so much if `at_least`; None where it is not
    known. Rules of a smaller chance than `resisted_below` are said to be resisted. `proof` says how
    far the estimate can be from the optimum.
    """
    if not fit.rules:
        return None
    told = ranked(fit)
    counts = Counter(one["verdict"] for one in told)
    return {
        "rules": told,
        "counts": {verdict: counts[verdict] for verdict in VERDICTS},
        "cost": together(fit),
        "at_least": bool(fit.known) or any(status.at_least for status in fit.rules),
        "resisted_below": RESISTED,
        "proof": None if fit.proof is None else asdict(fit.proof),
    }


def ranked(fit: Fit) -> list[dict[str, Any]]:
    """Every rule as plain data, in the order of verdicts and costs."""
    told = (_rule(status, number) for number, status in enumerate(fit.rules, 1))
    return sorted(told, key=_rank)


def _rule(status: RuleStatus, number: int) -> dict[str, Any]:
    return {
        "number": number,
        "text": status.text,
        "by": status.by,
        "confidence": finite(status.confidence),
        "source": status.source,
        "line": status.line,
        "verdict": status.verdict,
        "value": finite(status.value),
        "limit": finite(status.limit),
        "slack": finite(status.slack),
        "instances": status.instances,
        "binding": status.binding,
        "price": finite(status.price),
        "cost": finite(status.cost),
        "alone": finite(status.alone),
        "dearest": status.dearest,
        "at_least": status.at_least,
        "freedom": status.freedom,
        "chance": finite(status.chance),
        "probability": finite(status.probability),
        "solved_by": status.solved_by,
    }


def _rank(one: dict[str, Any]) -> tuple[int, float, int]:
    unknown = np.inf if one["verdict"] == "resisted" else 0.0  # resisted: it was infinite
    known = [nats for nats in (one["cost"], one["alone"]) if nats is not None]
    return VERDICTS.index(one["verdict"]), -max(known, default=unknown), one["number"]


def together(fit: Fit) -> float | None:
    """What all rules together take from the objective, Σ w log (free θ / θ) in nats.

    w = N + pseudo; the free rows are w / Σ w [Thm 2.2.1 to 2.2.3], whatever the rules say.
    With expected cases it is a lower bound: without rules they would be inferred anew, and no EM
    step lowers the objective. None for posterior means and for the mean over doubted rules, which
    are no maximum, and for tied tables.
    """
    kind = str(fit.settings["estimate"]).partition("(")[0]
    doubted = any(status.probability is not None for status in fit.rules)
    if kind not in _ADDED or "tied" in fit.settings or doubted:
        return None
    if not all(isinstance(fit.network[name], Table) for name in fit.network):
        return None
    lost = 0.0
    for rows in all_rows(fit):
        alpha = fit.pseudo[rows.table.child].reshape(rows.counts.shape)
        scale, shift = _ADDED[kind]
        lost += _lost(np.maximum(rows.counts + scale * alpha + shift, 0.0), rows.values)
    return None if not np.isfinite(lost) else max(lost, 0.0)


_ADDED = {"ML": (0.0, 0.0), "Smoothed": (1.0, 0.0), "MAP": (1.0, -1.0)}
"""What an estimate adds to counts: so many alpha, and a number."""


def _lost(weights: Floats, values: Floats) -> float:
    free = weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    seen = weights > 0
    with np.errstate(divide="ignore"):
        return float((weights[seen] * np.log(free[seen] / values[seen])).sum())
