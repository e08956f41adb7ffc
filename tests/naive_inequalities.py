"""Most likely rows under inequalities, the slow way: definitions, and a solver that we trust."""

from __future__ import annotations

import warnings

import numpy as np

# a rule here: (cells, factors, limit, equal), as the tests write them


def matrix(rules, size):
    table = np.zeros((len(rules), size))
    for number, (cells, factors, _, _) in enumerate(rules):
        table[number, list(cells)] = factors
    return table


def most_likely(weights, lengths, rules):
    """The optimum Σ weights log θ that cvxpy and Clarabel find, and its θ."""
    import cvxpy as cp

    weights = np.asarray(weights, dtype=float)
    theta = cp.Variable(weights.size, nonneg=True)
    ends = np.cumsum(lengths)
    limits = [cp.sum(theta[end - size : end]) == 1 for size, end in zip(lengths, ends, strict=True)]
    for row, (_, _, limit, equal) in zip(matrix(rules, weights.size), rules, strict=True):
        limits.append(row @ theta == limit if equal else row @ theta <= limit)
    seen = np.flatnonzero(weights > 0)
    problem = cp.Problem(
        cp.Maximize(cp.sum(cp.multiply(weights[seen], cp.log(theta[seen])))), limits
    )
    for tolerance in (1e-11, 1e-10, 1e-9, 1e-8):  # the tightest that is reached
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            problem.solve(
                solver=cp.CLARABEL, tol_gap_abs=tolerance, tol_gap_rel=tolerance,
                tol_feas=tolerance, max_iter=500,
            )  # fmt: skip
        if problem.status == "optimal":
            break
    assert problem.status == "optimal", problem.status
    return float(problem.value), np.asarray(theta.value)


def log_likelihood(weights, theta):
    weights, theta = np.asarray(weights, dtype=float), np.asarray(theta)
    seen = weights > 0
    with np.errstate(divide="ignore"):
        return float(weights[seen] @ np.log(theta[seen]))


def worst_violation(theta, lengths, rules):
    """How far θ is from obeying the rules and from being distributions."""
    theta = np.asarray(theta)
    sums = np.add.reduceat(theta, np.cumsum(lengths) - lengths) - 1
    worst = max(np.abs(sums).max(), -theta.min())
    for row, (_, _, limit, equal) in zip(matrix(rules, theta.size), rules, strict=True):
        over = row @ theta - limit
        worst = max(worst, abs(over) if equal else over)
    return worst


def kkt_residual(weights, theta, lengths, rules, multipliers):
    """How far θ and the multipliers are from proving each other optimal, relative to the weights.

    With concave Σ w log θ and linear rules: w/θ = λ of the row + Σ multiplier · factor where
    θ > 0, at most that where θ = 0; multipliers of inequalities >= 0, and 0 where there is slack.
    """
    weights, theta = np.asarray(weights, dtype=float), np.asarray(theta)
    multipliers = np.asarray(multipliers)
    total = max(1.0, weights.sum())
    push = matrix(rules, theta.size).T @ multipliers if len(rules) else np.zeros(theta.size)
    row = np.repeat(np.arange(len(lengths)), lengths)
    pull = np.where(weights > 0, weights, 0.0) / np.where(theta > 0, theta, 1.0)
    price = np.bincount(row, weights - theta * push)
    gap = pull - push - price[row]
    worst = 0.0
    # w/θ of a tiny θ is huge: compare θ times the gap, and the sign of the gap where θ is 0
    worst = max(worst, np.abs(theta * gap).max(), gap[theta <= 0].max(initial=0.0))
    for each, multiplier in zip(rules, multipliers, strict=True):
        cells, factors, limit, equal = each
        slack = limit - np.dot(factors, theta[list(cells)])
        if not equal:
            worst = max(worst, -multiplier, abs(multiplier * slack))
    return worst / total


def clipped(counts, sizes, lower, upper):
    """Masses clip(u · counts, lower, upper) that add up to 1: u by the sorted breakpoints.

    Where the bounds of all groups with counts leave something over, those without share it
    by their sizes in the same way.
    """
    counts, sizes = np.asarray(counts, dtype=float), np.asarray(sizes, dtype=float)
    lower, upper = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    seen = counts > 0
    mass = lower.copy()
    rest = 1 - lower[~seen].sum()
    if upper[seen].sum() >= rest:
        mass[seen] = _at_breakpoints(counts[seen], lower[seen], upper[seen], rest)
        return mass
    mass[seen] = upper[seen]
    rest = 1 - upper[seen].sum()
    mass[~seen] = _at_breakpoints(sizes[~seen], lower[~seen], upper[~seen], rest)
    return mass


def _at_breakpoints(counts, lower, upper, total):
    points = np.unique(np.concatenate([[0.0], lower / counts, upper / counts]))
    sums = np.array([np.clip(u * counts, lower, upper).sum() for u in points])
    right = int(np.searchsorted(sums, total))
    if right == 0:
        u = points[0]
    elif right == points.size:
        u = points[-1]
    else:
        share = (total - sums[right - 1]) / (sums[right] - sums[right - 1])
        u = points[right - 1] + share * (points[right] - points[right - 1])
    return np.clip(u * counts, lower, upper)


def pooled(above, below):
    """Rising values nearest to above / below, by the formula: max over starts of min over ends."""
    above, below = np.asarray(above, dtype=float), np.asarray(below, dtype=float)
    size = above.size

    def mean(first, last):
        return above[first : last + 1].sum() / below[first : last + 1].sum()

    return np.array(
        [max(min(mean(a, b) for b in range(i, size)) for a in range(i + 1)) for i in range(size)]
    )


def sums_against_sums(counts, pairs):
    """Theorem 5.1.1 as printed: θ for disjoint pairs (A, B) with Σ A <= Σ B."""
    counts = np.asarray(counts, dtype=float)
    theta = counts / counts.sum()
    for low, high in pairs:
        a, b = counts[list(low)].sum(), counts[list(high)].sum()
        if a >= b:
            theta[list(low)] *= (a + b) / (2 * a)
            theta[list(high)] *= (a + b) / (2 * b)
    return theta


def upper_bounds(counts, sets, caps, add_if=np.greater_equal):
    """Algorithm 5.2.1 as printed, with the trace of λ: θ, the tight sets, λ after each addition."""
    counts = np.asarray(counts, dtype=float)
    totals = np.array([counts[list(each)].sum() for each in sets])
    caps = np.asarray(caps, dtype=float)
    tight = np.zeros(caps.size, dtype=bool)
    trace = []
    while True:
        trace.append(totals[~tight].sum() / (1 - caps[tight].sum()))
        over = np.flatnonzero(~tight & add_if(totals / caps, trace[-1]))
        if not over.size:
            break
        tight[over[0]] = True
    theta = np.empty(counts.size)
    for each, total, cap, at_cap in zip(sets, totals, caps, tight, strict=True):
        share = counts[list(each)] / total
        theta[list(each)] = share * (cap if at_cap else total / trace[-1])
    return theta, tight, np.array(trace)
