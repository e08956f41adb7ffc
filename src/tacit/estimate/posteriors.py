"""What counts and a Dirichlet prior say in full: marginal likelihood, intervals, draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError
from tacit.families.counts import AnyCounts, SparseCounts


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """Where each parameter lies with probability `level`, equal tails cut off."""

    lower: Floats
    upper: Floats
    level: float


def log_marginal_likelihood(counts: AnyCounts, alpha: Floats | float) -> float:
    """log P(cases given the prior) of one table, in closed form:

    Σ_rows [ ln Γ(α) - ln Γ(α + N) + Σ_states ( ln Γ(α_i + N_i) - ln Γ(α_i) ) ].

    alpha: the whole table, or one number for all its cells. Rows that were not seen add nothing.
    [EST 1.3; Dirichlet constant, Sec. 2.2.4.1]
    """
    rows = counts.rows()
    given = np.asarray(alpha, dtype=np.float64)
    if not given.ndim:
        prior = np.full(rows.shape, given)
    elif isinstance(counts, SparseCounts):
        prior = given.reshape(-1, counts.shape[-1])[counts.seen_rows()]
    else:
        prior = given.reshape(rows.shape)
    if (prior <= 0).any():
        raise OptionError("the marginal likelihood needs a prior above 0 in every cell")
    of_rows = _log_gamma_ratio(prior.sum(axis=1), rows.sum(axis=1))
    of_cells = _log_gamma_ratio(prior, rows)
    return float(of_cells.sum() - of_rows.sum())


def _log_gamma_ratio(start: Floats, more: Floats) -> Floats:
    """ln Γ(start + more) - ln Γ(start), exact also where both are huge and nearly the same.

    From 100 on by Stirling's series, whose leading terms cancel on paper and not in rounding.
    """
    from scipy.special import gammaln

    large = start >= 100
    x = np.where(large, start, 100.0)
    end = x + more
    leading = (x - 0.5) * np.log1p(more / x) + more * (np.log(end) - 1)
    rest = (1 / end - 1 / x) / 12 - (end**-3.0 - x**-3.0) / 360
    small = np.where(large, 1.0, start)
    plain = gammaln(small + more) - gammaln(small)
    return np.asarray(np.where(large, leading + rest, plain))


def cell_interval(posterior: Floats, level: float) -> Interval:
    """The interval of every cell of a table whose rows are Dirichlet(posterior).

    One cell of a Dirichlet row is Beta(a, Σ a - a). [EST 1.3]
    """
    from scipy.special import betaincinv

    check_level(level)
    others = posterior.sum(axis=-1, keepdims=True) - posterior
    if posterior.shape[-1] == 1:
        return Interval(np.ones_like(posterior), np.ones_like(posterior), level)
    proper = (posterior > 0) & (others > 0)
    one, other = np.where(proper, posterior, 1.0), np.where(proper, others, 1.0)
    lower = np.where(proper, betaincinv(one, other, (1 - level) / 2), 0.0)
    upper = np.where(proper, betaincinv(one, other, (1 + level) / 2), 1.0)
    return Interval(lower, upper, level)


def cell_variance(posterior: Floats) -> Floats:
    """The variance of every cell: m (1 - m) / (Σ a + 1) with m the mean."""
    total = posterior.sum(axis=-1, keepdims=True)
    mean = posterior / total
    return np.asarray(mean * (1 - mean) / (total + 1))


def draw_rows(posterior: Floats, random: np.random.Generator) -> Floats:
    """One draw of the whole table: independent Dirichlet rows, as normalised gammas.

    In logarithms, since gammas of small parameters underflow: G(a) = G(a + 1) U^(1/a). Cells whose
    parameter is 0 stay at 0; every row needs one above.
    """
    uniform = 1.0 - random.random(posterior.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(random.standard_gamma(posterior + 1.0)) + np.log(uniform) / posterior
    logs = np.where(posterior > 0, logs, -np.inf)
    shares = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def check_level(level: float) -> None:
    """Nothing, or an error about a level that is no probability."""
    if not isinstance(level, int | float) or not 0 < level < 1:
        raise OptionError(f"level={level!r} must lie between 0 and 1, 0.95 for example")
