"""How well a fragment fits: one table for both sites against a table for each.

H1: source and target share one table; H0: each has its own. Rows are independent given either, so

ln BF = Σ_rows ln B(α + N_s + N_t) - ln B(α + N_s) - ln B(α + N_t) + ln B(α),

where B is the multivariate beta function; a row without target cases adds nothing. The printed sum
over rows is a product. [estimation 3.5, eq. 4 and 5, settled question 2]
"""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats


def log_bayes_factor(source: Floats, target: Floats, alpha: Floats) -> float:
    """ln BF of tables shaped alike, rows on all but the last axis."""
    return float(row_log_bayes_factors(source, target, alpha).sum())


def row_log_bayes_factors(source: Floats, target: Floats, alpha: Floats) -> Floats:
    """ln BF row by row."""
    both = _log_beta(alpha + source + target) - _log_beta(alpha + source)
    return np.asarray(both - _log_beta(alpha + target) + _log_beta(alpha))


def log_predictive(source: Floats, target: Floats, alpha: Floats) -> float:
    """ln P(target cases given the source's, one table for both)."""
    return float((_log_beta(alpha + source + target) - _log_beta(alpha + source)).sum())


def compared_under(alpha: Floats) -> Floats:
    """The prior that tables are compared under: that of the fit, its rows raised to one case per
    state where they are weaker.

    A weak prior such as BDeu(1) on a large table expects rows near 0 and 1; any two rows that are
    not surprise it less together than apart, and unrelated tables would pass for one.
    """
    mass = alpha.sum(axis=-1, keepdims=True)
    return np.asarray(alpha * np.maximum(1.0, alpha.shape[-1] / mass))


def related(log_factor: float, before: float) -> float:
    """P(H1 given both): how probable it is that the table is one and the same.

    before: P(H1) without any case
    """
    if before <= 0:
        return 0.0
    if before >= 1:
        return 1.0
    odds = log_factor + np.log(before) - np.log1p(-before)
    return float(1.0 / (1.0 + np.exp(-odds))) if odds > -700 else 0.0


def _log_beta(alpha: Floats) -> Floats:
    from scipy.special import gammaln

    return np.asarray(gammaln(alpha).sum(axis=-1) - gammaln(alpha.sum(axis=-1)))
