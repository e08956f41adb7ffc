"""How many cases stand behind each row of each table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.families.cause_counts import CauseCounts
from tacit.families.conditional_moments import AnyMoments, ConditionalMoments
from tacit.families.shared import SharedRows
from tacit.families.table import Table
from tacit.learn.fits import Fit

FEW = 5
"""Rows on fewer cases than this are pointed out."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The table of one variable, row by row, with the evidence of the cases alone.

    values  (rows, states)  the fitted probabilities
    counts  (rows, states)  N
    cases   (rows,)         the cases in each row
    """

    table: Table
    values: Floats
    counts: Floats
    cases: Floats


def rows_of(fit: Fit, name: str) -> Rows | None:
    """The rows of a variable's table; None if it has another family.

    Rows that several configurations share are those of a table of one axis, `when`.
    """
    table, evidence = fit.network[name], fit.evidence[name]
    if isinstance(table, SharedRows) and isinstance(evidence, CauseCounts):
        rows = Table((table.row_axis, table.variables[-1]), table.values)
        pooled = table.pooled(evidence).values
        return Rows(rows, table.values, pooled, pooled.sum(axis=1))
    if not isinstance(table, Table) or isinstance(evidence, AnyMoments):
        return None
    counts = evidence.dense().rows()
    return Rows(table, table.values.reshape(counts.shape), counts, counts.sum(axis=1))


def all_rows(fit: Fit) -> Iterator[Rows]:
    """The tables of the network, parents before children."""
    for name in fit.network:
        rows = rows_of(fit, name)
        if rows is not None:
            yield rows


def row_cases(fit: Fit, name: str) -> Floats | None:
    """The cases in each row, the regressions of a conditional Gaussian family being its rows.

    None if the family has no rows.
    """
    held = fit.evidence[name]
    if isinstance(held, ConditionalMoments):
        return held.weights.reshape(-1)
    rows = rows_of(fit, name)
    return None if rows is None else rows.cases


def median_cases(fit: Fit, name: str) -> float:
    """Half of the rows rest on this many cases or more; all cases where there are no rows."""
    cases = row_cases(fit, name)
    return float(fit.evidence[name].total) if cases is None else float(np.median(cases))


def inferred(fit: Fit) -> bool:
    """Whether what is missing was inferred, which uses every case, rather than left out."""
    method = str(fit.settings["method"])
    by_em = method.startswith(("EM(", "structural EM")) or "hidden=True" in method
    return bool(fit.known or fit.settings.get("hidden")) or (bool(fit.cases.missing) and by_em)
