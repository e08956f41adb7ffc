"""The section on the network: its variables and arcs, as plain data."""

from __future__ import annotations

from math import isnan
from typing import Any

from tacit.core.variables import Discrete
from tacit.learn.fits import Fit
from tacit.reporting.information import SAID, arc_information
from tacit.reporting.support import median_cases, row_cases
from tacit.reporting.wording import finite


def network(fit: Fit) -> dict[str, Any]:
    """`variables` with the support of their tables, `arcs` with the information they carry.

    An arc names as `unsaid` which of the two is not computed: that of an integral over more than
    two variables at once, or where no cases speak.
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
    return [
        {
            "parent": parent,
            "child": child,
            "information": finite(told.alone),
            "given_others": finite(told.beside),
            "unsaid": [
                what
                for what, value in (("information", told.alone), ("given_others", told.beside))
                if isnan(value)
            ],
        }
        for parent, told in zip(
            fit.network[child].parents, arc_information(fit, child), strict=True
        )
    ]
