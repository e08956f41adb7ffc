"""Curved regressions fitted by damped least squares, and many of them one after the other.

child = base + rise r(a) + noise, a = coefficients · parents, all columns standardised, so that a is
0 where the parents are at their means. Base and rise are linear, so they are solved for at every
step: the search is over the coefficients alone. [Golub and Pereyra 1973; Marquardt 1963]
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints

SIGMOID, SOFTPLUS, IDENTITY = 0, 1, 2
"""Codes of the responses; `families/responses.py` says what they are."""
SPREADS = (0.4, 1.5, 5.0)
"""Standard deviations of the activation that the climbs begin at."""
MOST_STEPS = 60
ENOUGH = 1e-8
"""A step that lowers the squares by less, as a share of them, is the last but one."""
STEEPEST = 40.0
"""Standard deviations of the activation beyond which a response is a step for all cases."""


@njit(cache=True, nogil=True)
def respond(code: int, a: float) -> tuple[float, float]:
    """The response at one activation, and its slope."""
    if code == IDENTITY:
        return a, 1.0
    if a >= 0:
        low = math.exp(-a)
        share = 1.0 / (1.0 + low)
    else:
        high = math.exp(a)
        share = high / (1.0 + high)
    if code == SIGMOID:
        return share, share * (1.0 - share)
    return max(a, 0.0) + math.log1p(math.exp(-abs(a))), share


@njit(cache=True, nogil=True)
def solve(matrix: Floats, right: Floats, size: int) -> bool:
    """Cholesky in place: `right` becomes the solution; False where the matrix is singular."""
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i == j:
                if total <= 1e-14:
                    return False
                matrix[i, i] = math.sqrt(total)
            else:
                matrix[i, j] = total / matrix[j, j]
    for i in range(size):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]
    return True


@njit(cache=True, nogil=True)
def project(
    code: int, columns: Floats, who: Ints, child: Floats, weights: Floats, alpha: Floats,
    answer: Floats, slope: Floats, ends: Floats,
) -> float:  # fmt: skip
    """Base and rise at these coefficients into `ends`; the squares that they leave.

    answer, slope  (cases,)  the response of every case, and how it changes with the activation
    """
    cases, total, mean, middle = child.size, 0.0, 0.0, 0.0
    for m in range(cases):
        a = 0.0
        for i in range(who.size):
            a += alpha[i] * columns[who[i], m]
        answer[m], slope[m] = respond(code, a)
        total += weights[m]
        mean += weights[m] * answer[m]
        middle += weights[m] * child[m]
    mean /= total
    middle /= total
    spread = shared = own = 0.0
    for m in range(cases):
        off = answer[m] - mean
        spread += weights[m] * off * off
        shared += weights[m] * off * (child[m] - middle)
        own += weights[m] * (child[m] - middle) ** 2
    if spread <= 1e-13 * total:
        ends[0], ends[1] = middle, 0.0
        return own
    ends[1] = shared / spread
    ends[0] = middle - ends[1] * mean
    left = 0.0
    for m in range(cases):
        left += weights[m] * (child[m] - ends[0] - ends[1] * answer[m]) ** 2
    return left


@njit(cache=True, nogil=True)
def normal_equations(
    columns: Floats, who: Ints, child: Floats, weights: Floats, answer: Floats, slope: Floats,
    ends: Floats, matrix: Floats, right: Floats,
) -> None:  # fmt: skip
    """Σ w J Jᵀ and Σ w J residual, J the derivatives by (coefficients..., base, rise)."""
    k = who.size
    row = np.zeros(k + 2)
    matrix[:, :] = 0.0
    right[:] = 0.0
    for m in range(child.size):
        residual = child[m] - ends[0] - ends[1] * answer[m]
        for i in range(k):
            row[i] = ends[1] * slope[m] * columns[who[i], m]
        row[k], row[k + 1] = 1.0, answer[m]
        for i in range(k + 2):
            weighed = weights[m] * row[i]
            right[i] += weighed * residual
            for j in range(i + 1):
                matrix[i, j] += weighed * row[j]


@njit(cache=True, nogil=True)
def descend(
    code: int, columns: Floats, who: Ints, child: Floats, weights: Floats, alpha: Floats,
    ends: Floats,
) -> float:  # fmt: skip
    """Coefficients moved to a minimum of the squares near where they are; the squares left."""
    k, cases = who.size, child.size
    answer, slope = np.zeros(cases), np.zeros(cases)
    matrix, right = np.zeros((k + 2, k + 2)), np.zeros(k + 2)
    damped, step, tried, there = np.zeros((k + 2, k + 2)), np.zeros(k + 2), np.zeros(k), np.zeros(2)
    left = project(code, columns, who, child, weights, alpha, answer, slope, ends)
    damping = 1e-2
    for _ in range(MOST_STEPS):
        normal_equations(columns, who, child, weights, answer, slope, ends, matrix, right)
        better, small = False, False
        for _ in range(12):
            for i in range(k + 2):
                for j in range(i + 1):
                    damped[i, j] = matrix[i, j]
                damped[i, i] += damping * matrix[i, i] + 1e-12 * weights.size
                step[i] = right[i]
            if solve(damped, step, k + 2):
                steepness = 0.0
                for i in range(k):
                    tried[i] = alpha[i] + step[i]
                    steepness += tried[i] * tried[i]
                if steepness <= STEEPEST * STEEPEST:
                    found = project(code, columns, who, child, weights, tried, answer, slope, there)
                    if found < left:
                        small = left - found <= ENOUGH * left
                        better, left = True, found
                        alpha[:] = tried
                        ends[:] = there
                        damping = max(damping / 8, 1e-9)
                        break
            damping *= 6
        if not better or small:
            break
    return left


@njit(cache=True, nogil=True)
def direction(
    columns: Floats, who: Ints, child: Floats, weights: Floats, alpha: Floats
) -> float:  # fmt: skip
    """Coefficients of the straight regression into `alpha`; the sd of its prediction, 0 if
    the parents depend on each other."""
    k, total = who.size, weights.sum()
    matrix = np.zeros((k, k))
    alpha[:] = 0.0
    for m in range(child.size):
        for i in range(k):
            weighed = weights[m] * columns[who[i], m] / total
            alpha[i] += weighed * child[m]
            for j in range(i + 1):
                matrix[i, j] += weighed * columns[who[j], m]
    for i in range(k):
        matrix[i, i] *= 1 + 1e-10
    shared = alpha.copy()
    if not solve(matrix, alpha, k):
        return 0.0
    told = 0.0
    for i in range(k):
        told += alpha[i] * shared[i]
    return math.sqrt(max(told, 1e-12))


@njit(cache=True, nogil=True)
def fit_response(
    code: int, columns: Floats, who: Ints, child: int, weights: Floats, alpha: Floats, ends: Floats
) -> float:
    """The best of a few climbs: coefficients into `alpha`, (base, rise) into `ends`.

    The squares left, per weight; nan where the parents depend on each other. The climbs begin along
    the straight regression, flat, bent and steep, so the answer depends on the family alone.
    """
    here = columns[child]
    along, tried, there = np.zeros(who.size), np.zeros(who.size), np.zeros(2)
    spread = direction(columns, who, here, weights, along)
    if spread == 0.0:
        return math.nan
    best = math.inf
    for start in SPREADS:
        for i in range(who.size):
            tried[i] = along[i] * start / spread
        left = descend(code, columns, who, here, weights, tried, there)
        if left < best * (1 - 1e-10):
            best = left
            alpha[:] = tried
            ends[:] = there
    return float(best / weights.sum())


@njit(cache=True, nogil=True)
def fit_each(
    code: int, columns: Floats, parents: Ints, candidates: Ints, child: int, weights: Floats,
    left: Floats,
) -> None:  # fmt: skip
    """The squares left per weight with each candidate as one more parent, into `left`."""
    k = parents.size
    who, alpha, ends = np.zeros(k + 1, np.int64), np.zeros(k + 1), np.zeros(2)
    for at in range(candidates.size):
        place = 0
        for i in range(k):
            if parents[i] < candidates[at]:
                who[i] = parents[i]
                place = i + 1
            else:
                who[i + 1] = parents[i]
        who[place] = candidates[at]
        left[at] = fit_response(code, columns, who, child, weights, alpha, ends)
