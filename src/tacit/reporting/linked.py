"""Families of independent causes in the section of tables: their links, and where these lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tacit.core.errors import quoted
from tacit.families.noisy import Noisy
from tacit.learn.fits import Fit
from tacit.reporting.wording import finite

MOST_LINKS = 2_000
"""Causes up to which intervals are computed."""


def links(fit: Fit, family: Noisy) -> dict[str, Any]:
    """A `value` for each of its `parameters`: the links, then the leak; of a noisy-max one for
    every state that a cause can bring about, and intervals where two levels give them."""
    return {
        "variable": family.child,
        "family": family.kind,
        "parents": [{"name": parent, "states": None} for parent in family.parents],
        "cases": float(fit.evidence[family.child].total),
        "parameters": list(_parameters(fit, family)),
    }


def _parameters(fit: Fit, family: Noisy) -> Iterator[dict[str, Any]]:
    causes = family.causes
    frame, child = causes.frame, family.variables[-1]
    interval = None
    if frame.levels == 2 and len(frame) <= MOST_LINKS:
        interval = fit.intervals[family.child]
    names = [f"{quoted(family.parents[at])}={quoted(_state(family, at, code))}"
             for at, code in frame.causes]  # fmt: skip
    for row, name in enumerate([*names, ""]):
        for level in range(1, frame.levels):
            state = quoted(child.states[frame.order[level]])
            said = name if frame.levels == 2 else f"{name or 'leak'} → {state}"
            yield {
                "kind": "link" if name or frame.levels > 2 else "leak",
                "parent": said,
                "value": float(causes.values[row, level]),
                "lower": None if interval is None else finite(interval.lower[row]),
                "upper": None if interval is None else finite(interval.upper[row]),
            }


def _state(family: Noisy, at: int, code: int) -> str:
    return family.variables[at].states[code]
