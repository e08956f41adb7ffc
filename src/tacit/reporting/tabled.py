"""The section of tables: every number that was learned, and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.variables import Discrete
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.curved import CurvedGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.families.noisy import Noisy
from tacit.learn.fits import Fit
from tacit.reporting.bent import curve
from tacit.reporting.gaps import mostly, seen
from tacit.reporting.linked import links
from tacit.reporting.loans import NORMAL, counted_in, lenders
from tacit.reporting.support import FEW, Rows, rows_of
from tacit.reporting.wording import finite

MOST_ROWS = 5_000
"""Rows of one table that a report holds; of larger tables those with most cases."""
MOST_CELLS = 500_000
"""Cells of all tables together that a report holds; larger tables give way first."""
MOST_INTERVALS = 200_000
"""Cells of a table up to which intervals are computed."""
MOVED = 0.005
"""The prior, a rule or a source is said to have moved a cell from here on."""


def tables(fit: Fit) -> dict[str, Any]:
    """`tables`, parents before children; the `level` of intervals and the `prior` behind them.

    From a distance of `moved_from` on, the prior is said to have moved a cell, or a rule if it
    was `ruled`, or a source if some table was `lent`. Intervals say nothing of the rules, nor of
    what was borrowed unless `loans_counted`.
    A table has `parents` and `states` with their names and, for each row it holds, `position`,
    `probability`, `lower`, `upper`, `cases` and `moved`: the probability less the share of the
    state in the row's cases, and `inferred`: whether most of its cases were inferred rather than
    seen. `rows` is how many rows there are in all, `few` how many of them rest
    on fewer than 5 cases, `lenders` the sources that it was borrowed from. The rows of a
    conditional Gaussian family are its regressions: one `value` for each of its `parameters`.
    """
    names = list(fit.network)
    known = [rows_of(fit, name) for name in names]
    most = fair([(rows.values.shape if rows else (0, 1)) for rows in known], MOST_CELLS, MOST_ROWS)
    told = [
        _table(fit, rows, most) if rows else _continuous(fit, name, most)
        for name, rows in zip(names, known, strict=True)
    ]
    return {
        "level": float(fit.settings["level"]),
        "prior": _prior(fit),
        "moved_from": MOVED,
        "ruled": bool(fit.rules),
        "lent": any(each.loans for each in fit.borrowed),
        "loans_counted": counted_in(fit),
        "tables": told,
    }


def _prior(fit: Fit) -> str | None:
    """The prior behind the intervals, if it has a name."""
    name = str(fit.settings["prior"])
    return name if fit.pseudo and name != NORMAL else None


def fair(shapes: Sequence[tuple[int, ...]], cells: int, most: int) -> int:
    """How many rows each table may show so that all together show at most so many cells.

    The same for all: what small tables leave over goes to the larger ones, and none gets fewer
    than 4, however many tables there are.
    """
    low, high = 4, max(4, most)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(rows, middle) * states for rows, states in shapes) <= cells:
            low = middle
        else:
            high = middle - 1
    return low


def fullest(cases: Floats, most: int) -> Ints:
    """The positions of the rows with most cases, as many as asked for, in the table's order."""
    if cases.size <= most:
        return np.arange(cases.size)
    return np.sort(np.argsort(-cases, kind="stable")[:most])


def _table(fit: Fit, rows: Rows, most: int) -> dict[str, Any]:
    table, at = rows.table, fullest(rows.cases, most)
    lower = upper = None
    if rows.values.size <= MOST_INTERVALS:
        interval = fit.intervals[table.child]
        lower = _listed(interval.lower.reshape(rows.values.shape)[at])
        upper = _listed(interval.upper.reshape(rows.values.shape)[at])
    return {
        "variable": table.child,
        "family": "table",
        "parents": [
            {"name": parent.name, "states": list(parent.states)} for parent in table.variables[:-1]
        ],
        "states": list(table.variables[-1].states),
        "rows": int(rows.cases.size),
        "few": int((rows.cases < FEW).sum()),
        "position": at.tolist(),
        "probability": _listed(rows.values[at]),
        "lower": lower,
        "upper": upper,
        "cases": rows.cases[at].tolist(),
        "moved": _listed(_moved(rows, at)),
        "inferred": _inferred(fit, rows, at),
        "lenders": lenders(fit, table.child),
    }


def _inferred(fit: Fit, rows: Rows, at: Ints) -> list[bool]:
    known = seen(fit, rows)
    return [] if known is None else [bool(each) for each in mostly(rows, known)[at]]


def _moved(rows: Rows, at: Ints) -> Floats:
    """How far each cell stands from its share of the row's cases; nan where there are none."""
    cases = rows.cases[at][:, None]
    share = np.where(cases > 0, rows.counts[at] / np.where(cases > 0, cases, 1.0), np.nan)
    return np.asarray(rows.values[at] - share)


def _listed(values: Floats) -> list[list[float | None]]:
    if np.isfinite(values).all():
        plain: list[list[float | None]] = values.tolist()
        return plain
    return [[finite(value) for value in row] for row in values.tolist()]


def _continuous(fit: Fit, name: str, most: int) -> dict[str, Any]:
    family, held = fit.network[name], fit.evidence[name]
    if isinstance(family, ConditionalGaussian) and isinstance(held, ConditionalMoments):
        return _conditional(fit, family, held.weights.reshape(-1), most)
    if isinstance(family, Noisy):
        return links(fit, family)
    if isinstance(family, CurvedGaussian):
        return curve(fit, family)
    assert isinstance(family, LinearGaussian)
    return _gaussian(fit, family)


def _conditional(fit: Fit, family: ConditionalGaussian, cases: Floats, most: int) -> dict[str, Any]:
    at, interval, width = fullest(cases, most), fit.intervals[family.child], family.continuous
    values = np.concatenate(
        [family.coefficients, family.intercept[..., None], family.sd[..., None]], axis=-1
    )
    rows = (len(cases), len(width) + 1)
    slopes = [{"kind": "coefficient", "parent": parent.name} for parent in width[:-1]]
    return {
        "variable": family.child,
        "family": "conditional-gaussian",
        "parents": [
            {"name": each.name, "states": list(each.states) if isinstance(each, Discrete) else None}
            for each in family.variables[:-1]
        ],
        "parameters": [*slopes, *({"kind": kind, "parent": ""} for kind in ("intercept", "sd"))],
        "rows": len(cases),
        "few": int((cases < FEW).sum()),
        "position": at.tolist(),
        "value": _listed(values.reshape(rows)[at]),
        "lower": _listed(interval.lower.reshape(rows)[at]),
        "upper": _listed(interval.upper.reshape(rows)[at]),
        "cases": cases[at].tolist(),
    }


def _gaussian(fit: Fit, family: LinearGaussian) -> dict[str, Any]:
    name = family.child
    interval = fit.intervals[name]
    parameters = [
        *(("coefficient", *one) for one in zip(family.parents, family.coefficients, strict=True)),
        ("intercept", "", family.intercept),
        ("sd", "", family.sd),
    ]
    return {
        "variable": name,
        "family": "linear-gaussian",
        "parents": [{"name": parent, "states": None} for parent in family.parents],
        "cases": float(fit.evidence[name].total),
        "parameters": [
            {"kind": kind, "parent": parent, "value": float(value), "lower": low, "upper": high}
            for (kind, parent, value), low, high in zip(
                parameters, map(finite, interval.lower), map(finite, interval.upper), strict=True
            )
        ],
    }
