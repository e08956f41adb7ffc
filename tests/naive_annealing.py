"""Reweighting spelled out: the penalised objective of the adversary, slopes by differences."""

from __future__ import annotations

import numpy as np


def pushed(base, weights, slope, beta, gamma, eta=1.0):
    """argmin over distributions w of eta slope·w + beta KL(w || base) + gamma KL(w || weights)."""
    import cvxpy as cp

    share = cp.Variable(len(base))
    near = beta * cp.sum(cp.rel_entr(share, base)) + gamma * cp.sum(cp.rel_entr(share, weights))
    problem = cp.Problem(cp.Minimize(eta * slope @ share + near), [cp.sum(share) == 1])
    problem.solve(solver=cp.CLARABEL)
    assert problem.status == cp.OPTIMAL
    return np.asarray(share.value)


def penalised(share, base, weights, slope, beta, gamma, eta):
    """The objective that `pushed` minimises."""

    def divergence(one, other):
        return sum(p * np.log(p / q) for p, q in zip(one, other, strict=True) if p > 0)

    return eta * slope @ share + beta * divergence(share, base) + gamma * divergence(share, weights)


def set_against_tables(base, weights, families, beta, gamma):
    """argmin of the same with the greatest log-likelihood per case of tables itself.

    families  per family the cell and the row of every case; Σ S log(S / S of the row) is convex
    """
    import cvxpy as cp

    share = cp.Variable(len(base))
    total = beta * cp.sum(cp.rel_entr(share, base)) + gamma * cp.sum(cp.rel_entr(share, weights))
    for cells, rows in families:
        in_cell = np.eye(max(cells) + 1)[:, cells]
        row_of = [rows[np.flatnonzero(cells == cell)[0]] for cell in range(max(cells) + 1)]
        counts = in_cell @ share
        totals = np.eye(max(rows) + 1)[:, rows] @ share
        total += cp.sum(cp.rel_entr(counts, totals[row_of]))
    problem = cp.Problem(cp.Minimize(total), [cp.sum(share) == 1])
    problem.solve(solver=cp.CLARABEL)
    assert problem.status == cp.OPTIMAL
    return np.asarray(share.value)


def slope(score, weights, step=1e-4):
    """The derivative of score(weights) by each weight, by central differences of fourth order."""
    found = np.empty(len(weights))
    for case in range(len(weights)):
        there = np.zeros(len(weights))
        there[case] = step
        near = score(weights + there) - score(weights - there)
        far = score(weights + 2 * there) - score(weights - 2 * there)
        found[case] = (8 * near - far) / (12 * step)
    return found


def temperatures(start, end, cooling):
    """start, start x cooling, ..., while above the end."""
    found = []
    while start > end:
        found.append(start)
        start *= cooling
    return found
