"""How many distributions a multinomial can tell apart: its log normalising sum."""

from __future__ import annotations

from math import log, sqrt


def log_complexity(cases: float, cells: float) -> float:
    """log C(N, K): the log of Σ over all counts of N cases in K cells of their greatest likelihood.

    The closed form in K / N of Szpankowski and Weinberger (2012), for any real N and K: less than
    0.1 nats above the sum for two cells, and closer the more cells there are.
    """
    if cases <= 0 or cells <= 1:
        return 0.0
    share = cells / cases
    half = 0.5 + 0.5 * sqrt(1 + 4 / share)
    growth = log(share) + (share + 2) * log(half) - 1 / half
    return cases * growth - 0.5 * log(half + 2 / share)
