"""Transfer spelled out: integrals by quadrature, pools cell by cell, every map and order listed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from math import log

import numpy as np
from scipy.integrate import quad
from scipy.special import betaln, gammaln
from scipy.stats import binom


def integral(ones: float, twos: float, low: float = 0.0, high: float = 1.0) -> float:
    """∫ θ^(ones-1) (1-θ)^(twos-1) over [low, high], by adaptive quadrature."""
    lower, upper = max(low, 0.0), min(high, 1.0)
    if upper - lower < 1:  # no singular end, or one that an ordinary rule can bear

        def plain(theta: float) -> float:
            return theta ** (ones - 1) * (1 - theta) ** (twos - 1)

        value, error = quad(plain, lower, upper, epsabs=0, epsrel=1e-10, limit=400)
    else:
        value, error = quad(
            lambda _: 1.0, 0, 1, weight="alg", wvar=(ones - 1, twos - 1), epsabs=0, epsrel=1e-10
        )
    assert error <= 1e-7 * value
    return float(value)


def log_factor(source, target, alpha, low: float = 0.0, high: float = 1.0) -> float:
    """ln P(both one table) - ln P(each its own), row by row of two states; the prior is held to
    first states within [low, high]."""
    total = 0.0
    for s, t, a in zip(
        *(np.reshape(each, (-1, 2)) for each in (source, target, alpha)), strict=True
    ):
        prior = integral(*a, low, high)
        both = integral(*(a + s + t), low, high) / prior
        apart = integral(*(a + s), low, high) * integral(*(a + t), low, high) / prior**2
        total += log(both / apart)
    return total


def log_factor_exact(source, target, alpha) -> float:
    """The same by beta functions, for two states."""
    rows = [np.reshape(each, (-1, 2)) for each in (source, target, alpha)]
    return float(
        sum(
            betaln(*(a + s + t)) - betaln(*(a + s)) - betaln(*(a + t)) + betaln(*a)
            for s, t, a in zip(*rows, strict=True)
        )
    )


def row_log_predictives(source, target, alpha: float = 1.0):
    """ln of what equation 5 sums, row by row: P(target cases of the row | the source's)."""
    aggregate = source + alpha
    total, more = aggregate.sum(axis=-1), target.sum(axis=-1)
    ratios = gammaln(target + aggregate) - gammaln(aggregate)
    return gammaln(total) - gammaln(more + total) + ratios.sum(axis=-1)


def exact_interval(seen: int, cases: int, level: float) -> tuple[float, float]:
    """All p that neither tail of the binomial excludes, found by halving."""
    tail = (1 - level) / 2

    def edge(excluded, inside: float, outside: float) -> float:
        for _ in range(200):
            middle = (inside + outside) / 2
            if excluded(middle):
                outside = middle
            else:
                inside = middle
        return inside

    middle = seen / cases
    low = edge(lambda p: binom.sf(seen - 1, cases, p) < tail, middle, 0.0)
    high = edge(lambda p: binom.cdf(seen, cases, p) < tail, middle, 1.0)
    return low, high


def divergence(one, other, floor: float = 1e-5) -> float:
    """The metric of 3.8, cell by cell, averaged over rows."""
    rows = list(zip(np.reshape(one, (-1, one.shape[-1])), np.reshape(other, (-1, one.shape[-1])),
                    strict=True))  # fmt: skip
    total = 0.0
    for p_row, q_row in rows:
        for p, q in zip(p_row, q_row, strict=True):
            if p > 0:
                total += 0.5 * p * log(p / max(q, floor))
            if q > 0:
                total += 0.5 * q * log(q / max(p, floor))
    return total / len(rows)


def maps_onto(theirs: int, ours: int) -> list[tuple[int, ...]]:
    """Every map of `theirs` states onto all of `ours`."""
    return [each for each in product(range(ours), repeat=theirs) if set(each) == set(range(ours))]


def together(counts, axis_maps, shape):
    """Cases of states that fall together, added one cell at a time."""
    out = np.zeros(shape)
    for cell in np.ndindex(*counts.shape):
        out[tuple(m[i] for m, i in zip(axis_maps, cell, strict=True))] += counts[cell]
    return out


def orders(theirs: tuple[int, ...], ours: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Parents in every order whose sizes are ours."""
    for order in permutations(range(len(theirs))):
        if tuple(theirs[at] for at in order) == ours:
            yield order


def summed_out(counts, extra: int):
    """Σ_w P(x | y, w) P(w | y) from counts [y, w..., x], w the axis `extra`, a row at a time."""
    moved = np.moveaxis(counts, extra, -2)
    flat = moved.reshape(-1, *moved.shape[-2:])
    out = np.zeros((flat.shape[0], flat.shape[-1]))
    for at, cells in enumerate(flat):
        for w in cells:
            if w.sum() > 0:
                out[at] += w / w.sum() * (w.sum() / cells.sum())
    return out.reshape(*moved.shape[:-2], moved.shape[-1])


def local_pool(target, source, trust: float):
    """Equation 12 a cell at a time, each row divided by its sum."""
    out = np.zeros_like(target)
    for at in np.ndindex(*target.shape[:-1]):
        if not target[at].any():
            out[at] = source[at]
        elif not source[at].any():
            out[at] = target[at]
        else:
            mixed = [
                trust * p + (1 - trust) * q for p, q in zip(target[at], source[at], strict=True)
            ]
            out[at] = np.array(mixed) / sum(mixed)
    return out
