"""Curved Gaussian families from cases: non-linear least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import EstimateError, quoted
from tacit.core.variables import Continuous
from tacit.estimate.gaussians import SINGULAR, STILL
from tacit.estimate.posteriors import Interval, check_level
from tacit.families.curve_evidence import CurveEvidence, tangent_rows
from tacit.families.curved import CurvedGaussian
from tacit.families.moments import Moments


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """Columns less their means, divided by their standard deviations; nan where a cell is missing.

    values  (variables, cases)
    """

    values: Floats
    means: Floats
    sds: Floats
    weights: Floats

    @staticmethod
    def of(cases: Floats, weights: Floats | None = None) -> Scaled:
        """Cases given as (cases, variables); a constant column becomes 0."""
        used = np.ones(len(cases)) if weights is None else np.asarray(weights, np.float64)
        shown = ~np.isnan(cases)
        totals = used @ shown
        means = used @ np.where(shown, cases, 0.0) / totals
        centred = cases - means
        sds = np.sqrt(used @ np.where(shown, centred, 0.0) ** 2 / totals)
        still = sds <= STILL * np.abs(means)
        values = centred / np.where(still, np.inf, sds)
        return Scaled(np.ascontiguousarray(values.T), means, np.where(still, 0.0, sds), used)


def estimate_curve(
    kind: type[CurvedGaussian],
    variables: tuple[Continuous, ...],
    cases: Floats,
    weights: Floats | None = None,
) -> CurvedGaussian:
    """maximise  Σ w log Normal(x; base + rise r(coefficients · u - threshold), sd²)

    that is, minimise the squares; sd² is what is left of them per case. The threshold is where
    the parents are at their means: a curve that is symmetric bends there. Climbs from a flat, a
    bent and a steep curve along the straight regression; the best is taken. [HV2 3.1]
    """
    from tacit.kernels.responses import fit_response

    child = quoted(variables[-1].name)
    if len(cases) == 0 or (weights is not None and not weights.sum() > 0):
        raise EstimateError(f"there is no case for {variables[-1].name!r}")
    scaled = Scaled.of(cases, weights)
    k = len(variables) - 1
    if not scaled.sds.all():
        at = variables[int(np.argmin(scaled.sds))].name
        raise EstimateError(f"{quoted(at)} has the same value in all cases: no curve fits {child}")
    alpha, ends = np.zeros(k), np.zeros(2)
    who = np.arange(k, dtype=np.int64)
    left = fit_response(kind.response.code, scaled.values, who, k, scaled.weights, alpha, ends)
    if not left > SINGULAR:
        raise EstimateError(
            f"the {kind.kind} of {child} has no estimate: its parents depend on each other, or "
            "it is an exact function of them\n\ngive it fewer parents, or leave families= out"
        )
    return _family(kind, variables, scaled, alpha, ends, float(left))


def _family(
    kind: type[CurvedGaussian],
    variables: tuple[Continuous, ...],
    scaled: Scaled,
    alpha: Floats,
    ends: Floats,
    left: float,
) -> CurvedGaussian:
    """From the units of standardised columns to those of the cases.

    A symmetric response falling is the same curve as its mirror image rising; the latter is taken.
    """
    base, rise = float(ends[0]), float(ends[1])
    if rise < 0 and np.isfinite(kind.response.high):
        alpha, base, rise = -alpha, base + rise, -rise
    coefficients = alpha / scaled.sds[:-1]
    threshold = float(coefficients @ scaled.means[:-1])
    mean, sd = float(scaled.means[-1]), float(scaled.sds[-1])
    return kind(variables, coefficients, mean + sd * base, sd * rise, threshold, sd * np.sqrt(left))


def curve_log_likelihood(
    family: CurvedGaussian, cases: Floats, weights: Floats | None = None
) -> float:
    """Σ w log density of the child."""
    logs = family.log_prob(list(cases.T))
    return float(logs.sum() if weights is None else weights @ logs)


def curve_gradient(family: CurvedGaussian, cases: Floats, weights: Floats | None = None) -> Floats:
    """The derivatives of the log-likelihood by (coefficients..., base, rise, log sd).

    The threshold moves with the coefficients, as in `estimate_curve`; all but the last are 0 at
    its estimate, and so is the last where sd² is what is left per case.
    """
    used = np.ones(len(cases)) if weights is None else weights
    means = Moments.of(cases, weights).means[:-1]
    rows = tangent_rows(family, cases[:, :-1], means)
    residual = cases[:, -1] - family.mean(list(cases[:, :-1].T), len(cases))
    by_mean = rows.T @ (used * residual) / family.sd**2
    by_log_sd = used @ (residual / family.sd) ** 2 - used.sum()
    return np.append(by_mean, by_log_sd)


def curve_interval(family: CurvedGaussian, evidence: CurveEvidence, level: float) -> Interval:
    """Intervals of coefficients..., base, rise and sd: Student's t at the tangent, chi squared.

    They hold where the curve is nearly straight within them; nan where too few cases leave
    nothing to judge by, or where the cases hardly say how the curve bends.
    """
    from scipy.stats import chi2, t

    check_level(level)
    size = len(evidence.tangent)
    freedom = evidence.total - size
    if freedom <= 0:
        unknown = np.full(size + 1, np.nan)
        return Interval(unknown, unknown, level)
    residual = family.sd**2 * evidence.total
    variances = _inverse_diagonal(evidence.tangent)
    reach = t.ppf((1 + level) / 2, freedom) * np.sqrt(residual / freedom * variances)
    centre = np.array([*family.coefficients, family.base, family.rise])
    low = np.sqrt(residual / chi2.ppf((1 + level) / 2, freedom))
    high = np.sqrt(residual / chi2.ppf((1 - level) / 2, freedom))
    return Interval(np.append(centre - reach, low), np.append(centre + reach, high), level)


def _inverse_diagonal(tangent: Floats) -> Floats:
    """The diagonal of the inverse; nan where the matrix is singular."""
    unit = np.sqrt(np.diag(tangent))
    if not unit.all():
        return np.full(len(tangent), np.nan)
    values, vectors = np.linalg.eigh(tangent / np.outer(unit, unit))
    if values[0] <= SINGULAR:
        return np.full(len(tangent), np.nan)
    return np.asarray((vectors**2 / values).sum(axis=1) / unit**2)
