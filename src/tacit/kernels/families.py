"""Scores of one child with the same parents and each of many candidates as one more.

The cell of a case is known but for the candidate: `cells` holds it for all candidates at once, so
that a candidate costs one pass over one column. Small tables are kept whole; where parents have
more configurations than that, the cases come sorted by configuration and only the rows of one
configuration exist at a time.
"""

from __future__ import annotations

from math import lgamma, log, pi
from typing import Any

import numpy as np
from numba import njit

from tacit.arrays import Codes, Floats, Ints

LANES = 4
"""Copies of a small table: equal neighbours go to different copies and need not wait for each
other."""
HALF_LOG_TAU = 0.5 * log(2 * pi)
LOOKUP = 65_536
"""Counts whose n log n is looked up."""


@njit(cache=True, nogil=True)
def _tally(column: Codes, cells: Codes, stride: int, weights: Any, table: Any) -> None:
    """Add every case to its cell, a quarter of them to each lane."""
    cases = column.size
    quarter = cases // LANES if table.shape[0] == LANES else 0
    step = np.uint32(stride)
    if weights is None:
        one, two = cells[:quarter], cells[quarter : 2 * quarter]
        three, four = cells[2 * quarter : 3 * quarter], cells[3 * quarter : 4 * quarter]
        for at in range(quarter):
            table[0, one[at] + step * np.uint32(column[at])] += 1
            table[1, two[at] + step * np.uint32(column[at + quarter])] += 1
            table[2, three[at] + step * np.uint32(column[at + 2 * quarter])] += 1
            table[3, four[at] + step * np.uint32(column[at + 3 * quarter])] += 1
        for at in range(LANES * quarter, cases):
            table[0, cells[at] + step * np.uint32(column[at])] += 1
    else:
        for at in range(quarter):
            for lane in range(LANES):
                case = at + lane * quarter
                table[lane, cells[case] + step * np.uint32(column[case])] += weights[case]
        for at in range(LANES * quarter, cases):
            table[0, cells[at] + step * np.uint32(column[at])] += weights[at]


@njit(cache=True, nogil=True)
def _n_log_n(count: float, known: Floats) -> float:
    if count == np.floor(count) and count < known.size:
        return float(known[int(count)])
    return float(count * log(count)) if count > 0 else 0.0


@njit(cache=True, nogil=True)
def log_gamma(x: float) -> float:
    """log Γ(x): Stirling's series where five terms give all digits of a double."""
    if x < 16.0:
        return lgamma(x)
    y = 1.0 / (x * x)
    rest = 1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))
    return (x - 0.5) * log(x) - x + HALF_LOG_TAU + rest / x


@njit(cache=True, nogil=True)
def _gamma_ratio(count: float, alpha: float, known: float) -> float:
    """log of Γ(alpha + count) / Γ(alpha), of which the log Γ(alpha) is known."""
    if count == 1.0:
        return log(alpha)
    if count == 2.0:
        return log(alpha * (alpha + 1.0))
    if count == 3.0:
        return log(alpha * (alpha + 1.0) * (alpha + 2.0))
    return log_gamma(alpha + count) - known


@njit(cache=True, nogil=True)
def score_rows(rows: Any, states: int, alpha: float, known: Floats) -> float:
    """What rows of `states` cells each say: the greatest log-likelihood if alpha is below 0, else
    the log marginal likelihood under alpha in every cell."""
    if alpha < 0:
        return _greatest(rows, states, known)
    total, whole = 0.0, alpha * states
    of_cell, of_row = log_gamma(alpha), log_gamma(whole)
    for start in range(0, rows.size, states):
        seen = 0.0
        for cell in range(start, start + states):
            count = float(rows[cell])
            if count > 0:
                seen += count
                total += _gamma_ratio(count, alpha, of_cell)
        if seen > 0:
            total -= _gamma_ratio(seen, whole, of_row)
    return total


@njit(cache=True, nogil=True)
def _greatest(rows: Any, states: int, known: Floats) -> float:
    total = 0.0
    for start in range(0, rows.size, states):
        seen = 0.0
        for cell in range(start, start + states):
            count = float(rows[cell])
            if count > 0:
                seen += count
                total += _n_log_n(count, known)
        if seen > 0:
            total -= _n_log_n(seen, known)
    return total


@njit(cache=True, nogil=True)
def score_added(
    columns: Any,
    candidates: Ints,
    states: Ints,
    cells: Codes,
    size: int,
    child_states: int,
    weights: Any,
    alphas: Floats,
    known: Floats,
    room: Any,
    out: Floats,
) -> None:
    """The fit of the child's rows with each candidate as one more parent.

    columns     (variables, cases)  codes
    cells       (cases,)  the cell in a table of parents x child, child fastest, of `size` cells
    alphas      (candidates,)  pseudo-counts of every cell; below 0 for the greatest likelihood
    known       n log n of the first counts
    room        (LANES, at least size x states of any candidate)  to count in
    """
    for number in range(candidates.size):
        which = candidates[number]
        total = size * states[which]
        lanes = LANES if total <= 4096 else 1
        table = room[:lanes]
        for lane in range(lanes):
            table[lane, :total] = 0
        _tally(columns[which], cells, size, weights, table)
        first = table[0, :total]
        for lane in range(1, lanes):
            more = table[lane]
            for cell in range(total):
                first[cell] += more[cell]
        out[number] = score_rows(first, child_states, alphas[number], known)


@njit(cache=True, nogil=True)
def score_sorted(
    columns: Any,
    candidates: Ints,
    states: Ints,
    child: Codes,
    child_states: int,
    order: Ints,
    starts: Ints,
    weights: Any,
    alphas: Floats,
    known: Floats,
    out: Floats,
) -> None:
    """The same where the parents have many configurations: cases sorted by them.

    child   (cases,)  codes of the child, in the order of the cases
    order   (cases,)  the cases, those of one configuration together
    starts  (configurations + 1,)  where each begins
    """
    most = 1
    for number in range(candidates.size):
        most = max(most, states[candidates[number]])
    table, seen = np.zeros(most * child_states), np.zeros(most)
    for number in range(candidates.size):
        column, total = columns[candidates[number]], 0.0
        for group in range(starts.size - 1):
            start, end = starts[group], starts[group + 1]
            for at in range(start, end):
                case = order[at]
                weight = 1.0 if weights is None else weights[case]
                table[column[case] * child_states + child[case]] += weight
                seen[column[case]] += weight
            total += _score_seen(
                order, start, end, column, child, child_states, alphas[number], known, table, seen
            )
        out[number] = total


@njit(nogil=True, inline="always")
def _score_seen(
    order: Ints,
    start: int,
    end: int,
    column: Codes,
    child: Codes,
    child_states: int,
    alpha: float,
    known: Floats,
    table: Floats,
    seen: Floats,
) -> float:
    """What the cells and rows of some cases say, each once; they are empty afterwards."""
    total, whole = 0.0, alpha * child_states
    of_cell, of_row = (log_gamma(alpha), log_gamma(whole)) if alpha > 0 else (0.0, 0.0)
    for at in range(start, end):
        case = order[at]
        row = column[case]
        cell = row * child_states + child[case]
        count, both = table[cell], seen[row]
        if count > 0:
            total += _n_log_n(count, known) if alpha < 0 else _gamma_ratio(count, alpha, of_cell)
        if both > 0:
            total -= _n_log_n(both, known) if alpha < 0 else _gamma_ratio(both, whole, of_row)
        table[cell], seen[row] = 0.0, 0.0
    return total
