"""Tables from evidence: the rows that maximise Σ (N + pseudo) log θ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.errors import EstimateError
from tacit.core.variables import Discrete
from tacit.estimate.estimates import MAP, Estimate
from tacit.families.counts import AnyCounts
from tacit.families.table import Table, row_label

SLACK = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class TableEstimate:
    """A table, and the rows (by position) that no case and no prior determined."""

    table: Table
    undetermined: tuple[int, ...]


def estimate_table(
    variables: tuple[Discrete, ...], counts: AnyCounts, alpha: Floats, estimate: Estimate
) -> TableEstimate:
    """Each row is (N + pseudo) / Σ (N + pseudo); rows of nothing follow the estimate's policy."""
    pseudo = estimate.pseudo(alpha)
    weights = (counts.dense().values + pseudo).reshape(-1, alpha.shape[-1])
    weights = _not_negative(weights, variables, estimate)
    totals = weights.sum(axis=1)
    undetermined = totals <= 0
    rows = weights / np.where(undetermined, 1.0, totals)[:, None]
    if undetermined.any():
        rows = _filled(rows, undetermined, alpha.reshape(rows.shape), estimate, variables)
    partial = estimate.empty in ("nan", "zeros") and bool(undetermined.any())
    table = Table(variables, rows.reshape(alpha.shape), partial)
    return TableEstimate(table, tuple(map(int, np.flatnonzero(undetermined))))


def _not_negative(weights: Floats, variables: tuple[Discrete, ...], estimate: Estimate) -> Floats:
    wrong = (weights < -SLACK).any(axis=1)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        state = variables[-1].states[int(np.argmin(weights[at]))]
        more = f" (and in {wrong.sum() - 1} more rows)" if wrong.sum() > 1 else ""
        what = "counts plus prior" if isinstance(estimate, MAP) else "the evidence"
        raise EstimateError(
            f"{row_label(variables, at)} has no most probable value: "
            f"{what} of {state!r} come to {weights[at].min() + 1:.4g}, less than 1{more}"
            "\n\nuse a prior of at least 1 per cell, tc.K2() for example, "
            "or estimate=tc.PosteriorMean()"
        )
    return np.maximum(weights, 0.0)


def _filled(
    rows: Floats,
    undetermined: Bools,
    alpha: Floats,
    estimate: Estimate,
    variables: tuple[Discrete, ...],
) -> Floats:
    """Rows without evidence by the estimate's policy."""
    if estimate.empty == "error":
        at = int(np.flatnonzero(undetermined)[0])
        more = f" (nor for {undetermined.sum() - 1} more rows)" if undetermined.sum() > 1 else ""
        raise EstimateError(
            f"there is no case for {row_label(variables, at)}{more}"
            "\n\nuse a prior, or another policy for such rows: tc.ML(empty='uniform')"
        )
    fill = {"nan": np.nan, "zeros": 0.0}.get(estimate.empty, 1.0 / rows.shape[1])
    filled = np.where(undetermined[:, None], fill, rows)
    if estimate.empty == "prior":
        mass = alpha.sum(axis=1)
        known = undetermined & (mass > 0)
        filled[known] = alpha[known] / mass[known, None]
    return filled


def log_probability(table: Table, pseudo: Floats) -> float:
    """Σ pseudo log θ, the prior's part of the objective; cells without pseudo-counts add 0."""
    used = pseudo != 0
    with np.errstate(divide="ignore"):
        return float(np.sum(pseudo[used] * np.log(table.values[used])))
