"""Rows under equations, the slow way: dense matrices, certificates, quadrature, a solver."""

from __future__ import annotations

from itertools import product

import numpy as np


def system(block):
    """A and b of all that is linear: A θ = b, every row of a table adding up to 1."""
    rules, count = block.rules, int(block.row[-1]) + 1
    matrix = np.zeros((len(rules) + count, block.size))
    for number in range(len(rules)):
        entries = range(rules.at[number], rules.at[number + 1])
        for entry in entries:
            matrix[number, rules.cells[entry]] = rules.factors[entry]
    for position, row in enumerate(block.row):
        matrix[len(rules) + row, position] = 1.0
    return matrix, np.concatenate([rules.limits, np.ones(count)])


def worst(block, theta):
    """How far θ is from obeying everything: equations, sums, signs, ratios."""
    matrix, limits = system(block)
    gaps = [np.abs(matrix @ theta - limits).max(), -theta.min()]
    for lists in block.ratios:
        for one, other in product(lists, lists):
            products = np.outer(theta[one], theta[other])
            gaps.append(np.abs(products - products.T).max())
    assert np.isfinite(gaps).all()
    return max(gaps)


def slope(block, counts, theta):
    """The part of the gradient N / θ that no multiplier explains, relative to the gradient.

    The objective is concave and the rules are linear: 0 at a feasible point proves the optimum.
    """
    matrix, _ = system(block)
    gradient = counts / theta
    multipliers, *_ = np.linalg.lstsq(matrix.T, gradient, rcond=None)
    return np.abs(gradient - matrix.T @ multipliers).max() / np.abs(gradient).max()


def optimum(block, counts):
    """The largest Σ counts log θ that cvxpy and Clarabel find."""
    import cvxpy as cp

    matrix, limits = system(block)
    theta = cp.Variable(block.size, nonneg=True)
    problem = cp.Problem(cp.Maximize(counts @ cp.log(theta)), [matrix @ theta == limits])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    assert problem.status == cp.OPTIMAL, problem.status
    assert np.abs(matrix @ theta.value - limits).max() < 1e-7
    return problem.value


def integral(reach, value):
    """∫ value over coordinates x_k in [0, reach[k](x_1 .. x_k-1)]: exact for polynomials to 19.

    value, reach: functions of arrays, one for each coordinate
    """
    nodes, weights = np.polynomial.legendre.leggauss(10)
    at, mass = [], np.ones(1)
    for length in reach:
        longest = np.broadcast_to(length(*at), mass.shape)
        at = [np.repeat(each, nodes.size) for each in at]
        at.append(np.outer(longest / 2, nodes + 1).ravel())
        mass = np.outer(mass * longest / 2, weights).ravel()
    return mass @ np.broadcast_to(value(*at), mass.shape)


def outcomes(block, rows):
    """All ways in which cases in these rows of tables can turn out, as counts of positions."""
    cells = [np.flatnonzero(block.row == row) for row in rows]
    for chosen in product(*cells):
        yield np.bincount(chosen, minlength=block.size).astype(float)
