"""Chains of quantities that must rise: neighbours that would fall share one value."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Bools, Floats, Ints
from tacit.kernels.nested import Orders

ABOVE, BELOW, LOW, HIGH, VALUE, CAP = range(6)
"""Rows of the work space: what the blocks pooled so far hold, and the caps of all members."""

ROUNDING = 1e-12
"""Values that differ by less, relatively, are one."""


@njit(cache=True, nogil=True)
def pool(
    first: int, last: int, above: Floats, below: Floats, tied: Bools, lower: Floats,
    upper: Floats, value: Floats, work: Floats, spans: Ints,
) -> bool:  # fmt: skip
    """The rising values nearest to above / below; whether some of them could be others as well.

    Members first..last-1 each bring a convex loss that is least at above / below, such that pooled
    losses are least at the ratio of the sums. Pooling adjacent violators is exact for convex
    losses, and a bound is one: infinite outside [lower, upper]. The least loss of pooled members is
    at the ratio of their sums, brought between the largest lower and the smallest upper bound.
    Where both members of a merger obey their bounds this range is not empty: its upper end is at
    least the left value, which exceeds the right value, which is at least its lower end.
    A member with nothing below has no loss: it takes 1/2 as nearly as its neighbours allow.
    [inequality constraints 2.5; Thm 5.1.1 is the chain of two]
    """
    cap = np.inf
    for k in range(last - 1, first - 1, -1):
        cap = min(cap, upper[k])
        work[CAP, k - first] = cap
    top, low, k = -1, -np.inf, first
    while k < last:
        begin, a, b = k, 0.0, 0.0
        while k == begin or (k < last and tied[k]):
            a, b, low = a + above[k], b + below[k], max(low, lower[k])
            k += 1
        if b <= 0:
            continue
        top += 1
        spans[top, 0], spans[top, 1] = begin, k
        work[ABOVE, top], work[BELOW, top] = a, b
        work[LOW, top], work[HIGH, top] = low, work[CAP, begin - first]
        work[VALUE, top] = min(max(a / b, low), work[HIGH, top])
        while top > 0 and work[VALUE, top - 1] > work[VALUE, top]:
            top -= 1
            work[ABOVE, top] += work[ABOVE, top + 1]
            work[BELOW, top] += work[BELOW, top + 1]
            work[LOW, top], spans[top, 1] = work[LOW, top + 1], spans[top + 1, 1]
            middle = work[ABOVE, top] / work[BELOW, top]
            work[VALUE, top] = min(max(middle, work[LOW, top]), work[HIGH, top])
    return _spread(first, last, top, tied, lower, value, work, spans)


@njit(cache=True, nogil=True)
def _spread(
    first: int, last: int, top: int, tied: Bools, lower: Floats, value: Floats,
    work: Floats, spans: Ints,
) -> bool:  # fmt: skip
    """Hand the value of each block to its members; those between blocks have no loss."""
    k, low, flat = first, -np.inf, False
    for block in range(top + 2):
        high = work[VALUE, block] if block <= top else np.inf
        end = spans[block, 0] if block <= top else last
        while k < end:
            begin = k
            while k == begin or (k < end and tied[k]):
                low = max(low, lower[k])
                k += 1
            most = min(high, work[CAP, begin - first])
            chosen = min(max(0.5, low), most)
            flat = flat or most > low
            value[begin:k] = chosen
            low = chosen
        if block <= top:
            value[k : spans[block, 1]] = high
            k, low = spans[block, 1], high
    return flat


@njit(cache=True, nogil=True)
def settle(
    first: int, last: int, pull: Floats, value: Floats, tied: Bools, lower: Floats,
    upper: Floats, press: Floats,
) -> None:  # fmt: skip
    """What bounds hold back of each pull: above 0 what the upper bound does, below 0 the lower.

    pull  the gain in log-likelihood from raising a member alone

    Members of equal value hand their pull on to later ones. Going forward, what falls below 0
    presses on the last lower bound met; going back, what is left on the nearest upper bound.
    """
    k = first
    while k < last:
        end = k + 1
        while end < last and value[end] - value[k] <= ROUNDING * value[end]:
            end += 1
        flow, bound = 0.0, -1
        for i in range(k, end):
            press[i] = 0.0
            bound = i if value[i] - lower[i] <= ROUNDING * value[i] else bound
            flow += pull[i]
            if flow < 0 and bound >= 0 and (i + 1 == end or not tied[i + 1]):
                press[bound] += flow
                flow = 0.0
        flow, bound = 0.0, -1
        for i in range(end - 1, k - 1, -1):
            bound = i if upper[i] - value[i] <= ROUNDING * value[i] else bound
            flow += pull[i] - press[i]
            if flow > 0 and bound >= 0 and (i == k or not tied[i]):
                press[bound] += flow
                flow = 0.0
        k = end


@njit(cache=True, nogil=True)
def flow_up(first: int, last: int, pull: Floats, value: Floats, up: Ints, flow: Floats) -> None:
    """What each member hands to the member it is linked to: all pull of what hangs on it."""
    flow[first:last] = pull[first:last]
    for k in range(last - 1, first - 1, -1):
        if up[k] < 0 or value[k] - value[up[k]] > ROUNDING * value[k]:
            flow[k] = 0.0
        else:
            flow[up[k]] += flow[k]


@njit(cache=True, nogil=True)
def solve_orders(which: Ints, orders: Orders, weights: Floats, theta: Floats, flat: Bools) -> None:
    """The most likely rising probabilities of these chains, written into theta."""
    members = orders.position.size
    above, below, value = np.empty(members), np.empty(members), np.empty(members)
    work, spans = np.empty((6, members)), np.empty((members, 2), dtype=np.int64)
    for chain in which:
        first, last = orders.member_at[chain]
        for k in range(first, last):
            at = orders.position[k]
            above[k], below[k] = weights[at + 1], weights[at] + weights[at + 1]
        flat[chain] = pool(
            first, last, above, below, orders.tied, orders.lower, orders.upper, value, work, spans
        )
        _write(first, last, orders.position, weights, value, theta)


@njit(cache=True, nogil=True)
def _write(
    first: int, last: int, position: Ints, weights: Floats, value: Floats, theta: Floats
) -> None:
    """Both cells of every member; what is left of 1 is counted where subtracting loses it."""
    k = first
    while k < last:
        end, no, yes = k, 0.0, 0.0
        while end < last and value[end] == value[k]:
            no, yes = no + weights[position[end]], yes + weights[position[end] + 1]
            end += 1
        other = 1.0 - value[k]
        if no > 0 and abs(no / (no + yes) - other) <= ROUNDING:
            other = no / (no + yes)
        for i in range(k, end):
            theta[position[i]], theta[position[i] + 1] = other, value[k]
        k = end


@njit(cache=True, nogil=True)
def price_orders(
    orders: Orders, weights: Floats, theta: Floats, press: Floats, flow: Floats
) -> None:
    """What bounds hold back and what links hand on, for every member of every chain."""
    members = orders.position.size
    pull, value = np.zeros(members), np.empty(members)
    for k in range(members):
        at = orders.position[k]
        value[k] = theta[at + 1]
        if theta[at + 1] > 0:
            pull[k] += weights[at + 1] / theta[at + 1]
        if theta[at] > 0:
            pull[k] -= weights[at] / theta[at]
    for chain in range(orders.member_at.shape[0]):
        first, last = orders.member_at[chain]
        settle(first, last, pull, value, orders.tied, orders.lower, orders.upper, press)
        for k in range(first, last):
            pull[k] -= press[k]
        flow_up(first, last, pull, value, orders.up, flow)
