"""The section on the network: its variables and arcs, as plain data."""

from __future__ import annotations

from typing import Any

from tacit.core.variables import Discrete
from tacit.families.cause_counts import CauseCounts
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.curved import CurvedGaussian
from tacit.learn.fits import Fit
from tacit.reporting.information import SAID, arc_information
from tacit.reporting.support import median_cases, row_cases
from tacit.reporting.wording import finite


def network(fit: Fit) -> dict[str, Any]:
    """`variables` with the support of their tables, `arcs` with the information they carry.

    Arcs that are not `closed` lead into a conditional or curved Gaussian: no formula says how much
    they carry, for what is averaged over makes of a bell curve a mixture of many.
    """
    hidden = set(fit.settings.get("hidden", ()))
    return {
        "measure": SAID,
        "variables": [_variable(fit, name, name in hidden) for name in fit.network],
        "arcs": [arc for name in fit.network for arc in _arcs(fit, name)],
    }


def _variable(fit: Fit, name: str, hidden: bool) -> dict[str, Any]:
    family = fit.network[name]
    child = family.variables[-1]
    states = len(child.states) if isinstance(child, Discrete) else None
    cases, support = row_cases(fit, name), median_cases(fit, name)
    rows = None if cases is None else cases.size
    return {"name": name, "states": states, "rows": rows, "support": support, "hidden": hidden}


def _arcs(fit: Fit, child: str) -> list[dict[str, Any]]:
    closed = not isinstance(fit.network[child], ConditionalGaussian | CurvedGaussian)
    held = fit.evidence[child]
    closed &= not (isinstance(held, CauseCounts) and held.values.sum() == 0)
    return [
        {
            "parent": parent,
            "child": child,
            "information": finite(told.alone),
            "given_others": finite(told.beside),
            "closed": closed,
        }
        for parent, told in zip(
            fit.network[child].parents, arc_information(fit, child), strict=True
        )
    ]
