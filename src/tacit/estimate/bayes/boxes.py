"""The probability that all masses of a Dirichlet lie in given intervals.

m ~ Dir(a_1, ..., a_s),  P(low_k <= m_k <= high_k for all k).  Take one mass after the other: what
is left after the first j is divided by the rest as a Dirichlet again, so that the probability is a
recursion over functions of one number, the mass that is left. Between sums of limits these are
smooth, and are kept as Chebyshev interpolants of their logarithms. [3.2; several bounds]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.bayes.lines import FAR, levels_for, log_sum, nodes
from tacit.estimate.bayes.truncated import log_mass

VOUCHED = 1e-7
"""Two resolutions that differ by less, in proportion, are believed."""
_SMOOTH = 2
"""Powers at the ends of a piece are raised so much."""
_SAME = 1e-13
_PIECES = 40
_ORDERS = (24, 30, 60)
_TINY = 1e-300
_SPREADS = 10
_MORE = 4
"""Deviations that a level reaches beyond the one above it, so that no edge is felt there."""


def log_box(a: Floats, low: Floats, high: Floats) -> Floats:
    """(rows,) log P(low <= m <= high), m ~ Dir(a); nan where it is not known well enough.

    a, low, high  (rows, masses)
    """
    low, high = tightened(low, high)
    if a.shape[1] == 1:
        return np.zeros(a.shape[0])
    if a.shape[1] == 2:
        return log_mass(a[:, 0], a[:, 1], low[:, 0], high[:, 0])
    if a.shape[1] == 3:
        return _triples(a, low, high)
    found = np.empty(a.shape[0])
    for row in range(a.shape[0]):
        order = _order(a[row], low[row], high[row])
        found[row] = _vouched(a[row][order], low[row][order], high[row][order])
    return found


def _vouched(a: Floats, low: Floats, high: Floats) -> float:
    """The recursion with more and more nodes, until two of them agree."""
    before = np.nan
    for order in _ORDERS:
        found = _recursion(a, low, high, order)
        if abs(np.expm1(found - before)) < VOUCHED:
            return found
        before = found
    return float("nan")


def tightened(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The intervals that masses can fill at all, since they add up to 1."""
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    others_low = low.sum(axis=1, keepdims=True) - low
    others_high = high.sum(axis=1, keepdims=True) - high
    return np.maximum(low, 1 - others_high), np.minimum(high, 1 - others_low)


def _order(a: Floats, low: Floats, high: Floats) -> Ints:
    """The masses that are cut off least come last: there the recursion starts."""
    return np.lexsort((-a, -(high - low)))[::-1]


def _triples(a: Floats, low: Floats, high: Floats) -> Floats:
    """Three masses: one integral over an incomplete beta function, in pieces."""
    start, end = low[:, :1], high[:, :1]
    kinks = np.stack([1 - low[:, 1] - high[:, 2], 1 - high[:, 1] - low[:, 2]], axis=1)
    edges = np.concatenate([start, np.sort(np.clip(kinks, start, end), 1), end], axis=1)
    some = np.diff(edges, axis=1) > _SAME
    which = np.repeat(np.arange(a.shape[0]), some.sum(axis=1))
    rest, lows, highs = a[which, 1:], low[which, 1:], high[which, 1:]
    logs = np.full(some.shape, -np.inf)
    logs[some] = _integrals(
        (edges[:, :-1][some], edges[:, 1:][some]),
        (a[which, 0], rest.sum(axis=1)),
        np.ones(which.size),
        lambda left: _pair(rest, lows, highs, left),
    )
    return log_sum(logs)


def _pair(a: Floats, low: Floats, high: Floats, left: Floats) -> Floats:
    """The same of two masses, which add up to `left`: a, low and high are (lines, 2)."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        least = np.maximum(low[:, :1] / left, 1 - high[:, 1:] / left)
        most = np.minimum(high[:, :1] / left, 1 - low[:, 1:] / left)
    return log_mass(a[:, :1], a[:, 1:], np.clip(least, 0, 1), np.clip(most, 0, 1))


def _integrals(
    spans: tuple[Floats, Floats],
    a: tuple[Floats, Floats],
    left: Floats,
    inner: Callable[[Floats], Floats],
) -> Floats:
    """(lines,) log ∫ Beta(x / left; a) / left · e^inner(left - x) dx over each span.

    In logits of where x lies in its span, so that powers at either end do no harm.
    """
    from scipy.special import betaln, expit

    (start, end), (one, other) = spans, a
    width = end - start
    with np.errstate(divide="ignore"):
        ends, size = np.log([start / left, (left - end) / left]), np.log(width / left)

    def density(points: Floats) -> Floats:
        up, down = np.logaddexp(0, points), np.logaddexp(0, -points)
        rest = (left - end)[:, None] + width[:, None] * expit(-points)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = (
                (one - 1)[:, None] * np.logaddexp(ends[0][:, None], size[:, None] - down)
                + (other - 1)[:, None] * np.logaddexp(ends[1][:, None], size[:, None] - up)
                + inner(np.maximum(rest, _TINY))
                - up
                - down
            )
        return np.where(value < np.inf, value, -np.inf)  # no span, nothing

    far = np.full(left.size, FAR)
    points, weights = nodes(density, -far, far, levels_for(np.minimum(one, other)))
    with np.errstate(divide="ignore"):
        logs = log_sum(density(points) + weights) + np.log(width) - np.log(left)
    return np.asarray(np.where(width > _SAME, logs - betaln(one, other), -np.inf))


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """log P(the last masses lie in their intervals), as a function of what they add up to.

    edges         between which it is smooth
    coefficients  (order, pieces) of Chebyshev polynomials
    ends, powers  where it is 0, and how fast it gets there
    """

    edges: Floats
    coefficients: Floats
    ends: tuple[float, float]
    powers: tuple[float, float]

    def at(self, left: Floats) -> Floats:
        inside = np.clip(left, self.edges[0], self.edges[-1])
        piece = np.searchsorted(self.edges, inside, side="right") - 1
        piece = np.clip(piece, 0, self.edges.size - 2)
        with np.errstate(divide="ignore"):
            odds = (inside - self.edges[piece]) / (self.edges[piece + 1] - inside)
            turn = 1 - 2 / (1 + odds ** (1 / _SMOOTH))
            found = np.polynomial.chebyshev.chebval(turn, self.coefficients[:, piece], tensor=False)
            return np.asarray(found + self.falls(left))

    def falls(self, left: Floats) -> Floats:
        (start, end), (one, other) = self.ends, self.powers
        with np.errstate(divide="ignore"):
            rising = one * np.log(np.maximum(left - start, 0.0)) if one else 0.0
            return np.asarray(rising + other * np.log(np.maximum(end - left, 0.0)))


def _recursion(a: Floats, low: Floats, high: Floats, order: int) -> float:
    """log P by levels of so many nodes; nan where limits add up to too many sums."""
    most = a.size - 2
    edges = np.unique(np.add.outer([low[most], high[most]], [low[-1], high[-1]]))

    def inner(left: Floats) -> Floats:
        last, lows, highs = (
            np.broadcast_to(each[most:], (left.shape[0], 2)) for each in (a, low, high)
        )
        return _pair(last, lows, highs, left)

    for mass in range(most - 1, -1, -1):
        sums = np.add.outer([low[mass], high[mass]], edges).ravel()
        near, far = _reach(a, low, high, mass)
        least = max(low[mass:].sum(), 1 - high[:mass].sum(), near)
        largest = min(high[mass:].sum(), 1 - low[:mass].sum(), far)
        if mass == 0:
            return float(_convolved(np.ones(1), mass, (a, low, high), edges, inner)[0])
        kept = _distinct(sums, least, largest)
        if kept.size > _PIECES:
            return float("nan")
        inner = _level(kept, order, mass, (a, low, high), edges, inner).at
        edges = kept
    raise AssertionError("there are at least three masses")


def _reach(a: Floats, low: Floats, high: Floats, mass: int) -> tuple[float, float]:
    """Between which sums the masses from this one on matter: so many deviations from their mode.

    Held to a box, a Dirichlet spreads no more than it does without.
    """
    start, end = 0.0, 1e300
    for _ in range(200):
        middle = np.sqrt(max(start, 1e-300) * end)
        over = np.clip(middle * a, low, high).sum() > 1
        start, end = (start, middle) if over else (middle, end)
    mode, total = float(np.clip(end * a, low, high)[mass:].sum()), float(a.sum())
    spread = np.sqrt(max(mode * (1 - mode), 1 / total) / total)
    wide = (_SPREADS + _MORE * mass) * float(spread)
    return mode - wide, mode + wide


def _distinct(sums: Floats, least: float, largest: float) -> Floats:
    """The sums between two numbers, with these, each once."""
    inside = np.sort(sums[(sums > least + _SAME) & (sums < largest - _SAME)])
    inside = inside[np.diff(inside, prepend=-np.inf) > _SAME]
    return np.concatenate([[least], inside, [largest]])


def _level(
    edges: Floats, order: int, mass: int, box: tuple[Floats, Floats, Floats],
    below: Floats, inner: Callable[[Floats], Floats],
) -> _Level:  # fmt: skip
    a, low, high = box
    turn = np.cos(np.pi * (np.arange(order) + 0.5) / order)
    odds = ((1 + turn) / (1 - turn)) ** _SMOOTH
    left = edges[:-1, None] + np.diff(edges)[:, None] * (odds / (1 + odds))
    start, end = float(low[mass:].sum()), float(high[mass:].sum())
    corner = np.where(low[mass:] > 0, 1.0, a[mass:]).sum() - 1 if start > 0 else 0.0
    empty = _Level(edges, np.zeros((1, 1)), (start, end), (float(corner), a.size - mass - 1.0))
    values = _convolved(left.ravel(), mass, box, below, inner).reshape(left.shape)
    values = values - empty.falls(left)
    cosines = np.cos(np.arange(order)[:, None] * np.arccos(turn))
    coefficients = 2 / order * cosines @ values.T
    coefficients[0] /= 2
    return _Level(edges, coefficients, empty.ends, empty.powers)


def _convolved(
    left: Floats, mass: int, box: tuple[Floats, Floats, Floats],
    edges: Floats, inner: Callable[[Floats], Floats],
) -> Floats:  # fmt: skip
    """(left,) log P of this mass and all after it, by pieces between the edges of the latter."""
    a, low, high = box
    start = np.maximum(low[mass], left - high[mass + 1 :].sum())
    end = np.maximum(np.minimum(high[mass], left - low[mass + 1 :].sum()), start)
    inside = np.clip(left[:, None] - edges[::-1], start[:, None], end[:, None])
    cuts = np.concatenate([start[:, None], inside, end[:, None]], axis=1)
    pieces, lines = cuts.shape[1] - 1, left.size * (cuts.shape[1] - 1)
    whole = np.repeat(left, pieces)
    spans = cuts[:, :-1].ravel(), cuts[:, 1:].ravel()
    some = np.flatnonzero(spans[1] - spans[0] > _SAME)
    logs = np.full(lines, -np.inf)
    parameters = np.full(some.size, a[mass]), np.full(some.size, a[mass + 1 :].sum())
    logs[some] = _integrals((spans[0][some], spans[1][some]), parameters, whole[some], inner)
    return log_sum(logs.reshape(left.size, pieces))
