"""Soft completions of a hidden variable: shares of its states by context, and what they count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Codes, Floats, Ints


class Seen(NamedTuple):
    """What is known about one open variable in every context.

    rows     (contexts, factors) for each table around it, which of its rows the context picks
    weights  (contexts,) how many cases have the context
    held     (contexts,) the state it is known to have there; -1 where it is open
    """

    rows: Codes
    weights: Floats
    held: Ints


@njit(cache=True, nogil=True)
def complete(
    seen: Seen, logs: Floats, more: Floats, tilt: Floats, power: float, shares: Floats,
    counts: Floats,
) -> tuple[float, float]:  # fmt: skip
    """shares[y, t] = exp(tilt[t] + power (more[y, t] + Σ_f logs[row of f, t])) / Z(y)

    logs    (rows, states)      log-parameters around the variable, state last
    more    (contexts, states)  what other tables add to them, or nothing at all
    counts  (rows, states)      filled with Σ_y weight shares[y, t]

    Returns Σ weight Σ_t shares log shares, and Σ weight log Z. [HV2 (6.4)]
    """
    rows, weights, held = seen
    states = logs.shape[1]
    work, added = np.empty(states), more.shape[0] > 0
    counts[:] = 0.0
    known, scale = 0.0, 0.0
    for y in range(rows.shape[0]):
        work[:] = 0.0
        _sum_rows(rows[y], logs, work)
        for t in range(states):
            work[t] = tilt[t] + power * (work[t] + (more[y, t] if added else 0.0))
        each = _softmax(work, shares[y])
        if held[y] >= 0:
            shares[y] = 0.0
            shares[y, held[y]] = 1.0
            each = work[held[y]]
        else:
            for t in range(states):
                known += weights[y] * shares[y, t] * (work[t] - each)
        scale += weights[y] * each
        for t in range(states):
            work[t] = weights[y] * shares[y, t]
        _add_rows(rows[y], work, counts)
    return known, scale


@njit(cache=True, nogil=True)
def counted(seen: Seen, shares: Floats, counts: Floats) -> None:
    """counts[row, t] = Σ over contexts with this row of weight · shares[y, t]."""
    work = np.empty(shares.shape[1])
    counts[:] = 0.0
    for y in range(seen.rows.shape[0]):
        for t in range(work.size):
            work[t] = seen.weights[y] * shares[y, t]
        _add_rows(seen.rows[y], work, counts)


@njit(cache=True, nogil=True)
def summed(seen: Seen, table: Floats, out: Floats) -> None:
    """out[y, t] = Σ_f table[row of f, t]."""
    out[:] = 0.0
    for y in range(seen.rows.shape[0]):
        _sum_rows(seen.rows[y], table, out[y])


@njit(cache=True, nogil=True)
def _sum_rows(rows: Codes, table: Floats, out: Floats) -> None:
    """Add some rows of a table; four at a time, for a short row costs more to enter than to add."""
    whole = rows.size // 4 * 4
    for f in range(0, whole, 4):
        a, b, c, d = table[rows[f]], table[rows[f + 1]], table[rows[f + 2]], table[rows[f + 3]]
        for t in range(out.size):
            out[t] += (a[t] + b[t]) + (c[t] + d[t])
    for f in range(whole, rows.size):
        last = table[rows[f]]
        for t in range(out.size):
            out[t] += last[t]


@njit(cache=True, nogil=True)
def _add_rows(rows: Codes, values: Floats, table: Floats) -> None:
    for f in range(rows.size):
        row = table[rows[f]]
        for t in range(values.size):
            row[t] += values[t]


@njit(cache=True, nogil=True)
def _softmax(logs: Floats, out: Floats) -> float:
    """exp(logs) scaled to add up to one; returns the log of its sum."""
    top = logs[0]
    for t in range(1, logs.size):
        top = max(top, logs[t])
    total = 0.0
    for t in range(logs.size):
        out[t] = np.exp(logs[t] - top)
        total += out[t]
    for t in range(logs.size):
        out[t] /= total
    return float(top + np.log(total))


@njit(cache=True, nogil=True)
def dependence(
    codes: Codes, shares: Floats, cards: Ints, groups: Ints, apart: Floats, together: Floats
) -> None:
    """What the members of every group say of each other, and how unsure they are, given T.

    codes   (cases, columns) states of observed variables; -1 where unknown
    shares  (cases, states)  weight Q(t|y)
    groups  (groups, 3)      columns

    Fills together[g] = H(C|T) and apart[g] = Σ_i H(X_i|T) - H(C|T), over the cases that have all
    members of the group. [HV2 2.11]
    """
    states, most = shares.shape[1], cards.max()
    table = np.empty((most * most * most, states))
    alone = np.empty((3, most, states))
    for g in range(groups.shape[0]):
        a, b, c = groups[g]
        width, height = cards[c], cards[b]
        cells = cards[a] * height * width
        table[:cells] = 0.0
        for y in range(codes.shape[0]):
            if codes[y, a] < 0 or codes[y, b] < 0 or codes[y, c] < 0:
                continue
            row = table[(codes[y, a] * height + codes[y, b]) * width + codes[y, c]]
            for t in range(states):
                row[t] += shares[y, t]
        alone[:] = 0.0
        for cell in range(cells):
            for t in range(states):
                alone[0, cell // (height * width), t] += table[cell, t]
                alone[1, cell // width % height, t] += table[cell, t]
                alone[2, cell % width, t] += table[cell, t]
        total, base = 0.0, 0.0
        for t in range(states):
            mass = alone[0, :, t].sum()
            total += mass
            base += _log_times(mass)
        if total <= 0:
            apart[g], together[g] = 0.0, 0.0
            continue
        whole = (base - _sum_log_times(table[:cells])) / total
        together[g] = whole
        apart[g] = (3 * base - _sum_log_times(alone.reshape(3 * most, states))) / total - whole


@njit(cache=True, nogil=True)
def _sum_log_times(values: Floats) -> float:
    """Σ x log x."""
    found = 0.0
    for row in range(values.shape[0]):
        for at in range(values.shape[1]):
            found += _log_times(values[row, at])
    return found


@njit(cache=True, nogil=True)
def _log_times(value: float) -> float:
    """x log x, 0 at 0."""
    return float(value * np.log(value)) if value > 0 else 0.0
