"""How far draws can be trusted: effective sample size, agreement of chains, Monte Carlo error."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats


def effective_size(values: Floats) -> Floats:
    """(n,) how many independent draws the mean of these is worth; values are (chains, draws, n).

    By autocorrelations up to where they are noise, with what the means of half chains differ
    added, so that chains in different places are worth little. inf where nothing varies.
    [Geyer 1992; Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021]
    """
    from tacit.kernels.autocorrelation import effective_sizes

    return effective_sizes(halves(values))


def split_rhat(values: Floats) -> Floats:
    """(n,) √ of the variance of all draws over that within half chains: 1 where they agree."""
    from tacit.kernels.autocorrelation import scale_reductions

    return scale_reductions(halves(values))


def error_of_mean(values: Floats) -> Floats:
    """(n,) the Monte Carlo standard error of the mean of all draws; 0 where nothing varies."""
    means = halves(values).mean(axis=1)
    within = halves(values).var(axis=1, ddof=1).mean(axis=0)
    half = values.shape[1] // 2
    spread = within * (half - 1) / half + means.var(axis=0, ddof=1)
    return np.asarray(np.sqrt(spread / effective_size(values)))


def halves(values: Floats) -> Floats:
    """(2 chains, draws / 2, n) every chain cut in two; a draw in the middle is left out."""
    half = values.shape[1] // 2
    return np.ascontiguousarray(np.concatenate([values[:, :half], values[:, -half:]]))
