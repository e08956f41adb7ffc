"""The section on missing cells: where they are, which go together, what rests on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.learn.fits import Fit
from tacit.reporting.support import Rows, all_rows, inferred

LEAST = 1.0
"""Expected cases from which a row is worth asking what it rests on."""


def missing(fit: Fit) -> dict[str, Any] | None:
    """Missing `cells` per variable, `patterns` of them, and what rests on them.

    `inferred` is whether they were filled in, which uses every case; if not, `families` are those
    that rest on fewer cases. `complete` cases lack nothing. `imputed` counts the rows whose cases
    were mostly inferred, not seen, per table.
    """
    absent = {name: cells for name, cells in fit.cases.missing.items() if cells}
    if not absent:
        return None
    cases = fit.cases.cases
    return {
        "cases": cases,
        "weight": fit.cases.weight,
        "method": str(fit.settings["method"]),
        "inferred": inferred(fit),
        "complete": None if fit.cases.gaps is None else fit.cases.gaps.complete,
        "cells": [
            {"variable": name, "cells": cells, "share": cells / cases if cases else None}
            for name, cells in absent.items()
        ],
        "patterns": _patterns(fit),
        "families": _families(fit),
        "imputed": imputed(fit),
    }


def _patterns(fit: Fit) -> dict[str, Any] | None:
    gaps = fit.cases.gaps
    if gaps is None:
        return None
    common = [
        {"missing": list(columns), "cases": cases, "share": cases / fit.cases.cases}
        for columns, cases in gaps.common
    ]
    return {"number": gaps.patterns, "common": common}


def _families(fit: Fit) -> list[dict[str, Any]]:
    if inferred(fit):
        return []
    return [
        {
            "variable": name,
            "weight": float(fit.evidence[name].total),
            "share": float(fit.evidence[name].total / fit.cases.weight),
        }
        for name in fit.network
        if fit.evidence[name].total < fit.cases.weight - 1e-9
    ]


def imputed(fit: Fit) -> dict[str, Any] | None:
    """How many rows rest mostly on inferred cases, in all and per table; hidden ones apart."""
    counted = [(rows, known) for rows in all_rows(fit) if (known := seen(fit, rows)) is not None]
    if not counted:
        return None
    tables = [
        {
            "variable": rows.table.child,
            "rows": int(mostly(rows, known).sum()),
            "of": int(rows.cases.size),
            "seen": float(known.sum()),
            "cases": float(rows.cases.sum()),
        }
        for rows, known in counted
    ]
    return {
        "rows": sum(table["rows"] for table in tables),
        "of": sum(table["of"] for table in tables),
        "tables": [table for table in tables if table["rows"]],
    }


def seen(fit: Fit, rows: Rows) -> Floats | None:
    """The cases of each row that were counted; None without inference, or where a hidden variable
    takes part, so that nothing could be."""
    name = rows.table.child
    hidden = set(fit.settings.get("hidden", ()))
    if name not in fit.known or hidden & {name, *rows.table.parents}:
        return None
    return np.asarray(fit.known[name].rows().sum(axis=1))


def mostly(rows: Rows, known: Floats) -> Bools:
    """Which rows rest mostly on inferred cases: fewer than half of theirs were seen."""
    return np.asarray((rows.cases >= LEAST) & (known < 0.5 * rows.cases))
