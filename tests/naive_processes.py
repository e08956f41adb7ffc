"""Hidden processes, spelled out: dense designs, plain least squares, no sharing of work."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import least_squares


def design(length, starts, lengths):
    """(times, unknowns) a one where a process shows a value of its course."""
    matrix = np.zeros((length, sum(lengths)))
    for process, start in starts:
        offset = sum(lengths[:process])
        for tau in range(lengths[process]):
            if 0 <= start + tau < length:
                matrix[start + tau, offset + tau] += 1
    return matrix


def stacked(trials, lengths):
    """All trials: (values (times, series), [(process, start)]) below each other."""
    designs = np.concatenate([design(len(x), starts, lengths) for x, starts in trials])
    return designs, np.concatenate([x for x, _ in trials])


def own(trials, lengths):
    """Per series: the least-norm course by numpy's lstsq on what was measured, and the variance."""
    matrix, values = stacked(trials, lengths)
    courses, variances = [], []
    for x in values.T:
        there = ~np.isnan(x)
        course = np.linalg.lstsq(matrix[there], x[there], rcond=None)[0]
        courses.append(course)
        variances.append(np.mean((x[there] - matrix[there] @ course) ** 2))
    return np.array(courses).T, np.array(variances)


def shared_rest(trials, lengths, courses, scales):
    """(times, series) what shared courses leave."""
    matrix, values = stacked(trials, lengths)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    return values - np.stack([matrix @ (courses * c[owner]) for c in scales.T], axis=1)


def shared(trials, lengths, series, starts=8, seed=0):
    """The least squares of shared courses, by a general solver from several random starts."""
    size, random = sum(lengths), np.random.default_rng(seed)

    def rest(theta):
        courses, scales = theta[:size], theta[size:].reshape(len(lengths), series)
        left = shared_rest(trials, lengths, courses, scales)
        return left[~np.isnan(left)]

    best = np.inf
    for _ in range(starts):
        theta = random.standard_normal(size + len(lengths) * series)
        found = least_squares(rest, theta, method="trf", xtol=1e-14, ftol=1e-14, gtol=1e-12)
        best = min(best, 2 * found.cost)
    return best


def log_likelihood(rest, variances):
    """Normal log-likelihood of what is left, missing measurements aside."""
    total = 0.0
    for column, variance in zip(rest.T, np.broadcast_to(variances, rest.shape[1]), strict=True):
        left = column[~np.isnan(column)]
        total += -0.5 * left.size * np.log(2 * np.pi * variance) - 0.5 * left @ left / variance
    return total


def covariance(trials, lengths, courses, scales, variances):
    """Of courses and scales whose scales have mean square 1: the inverse of a bordered information.

    The full information of all courses and scales at once, and the constraint Σ c δc = 0 for every
    process as a border.
    """
    matrix, values = stacked(trials, lengths)
    size, (many, series) = sum(lengths), scales.shape
    owner = np.repeat(np.arange(many), lengths)
    rows, weights = [], []
    for v in range(series):
        for at in np.flatnonzero(~np.isnan(values[:, v])):
            row = np.zeros(size + many * series)
            row[:size] = matrix[at] * scales[owner, v]
            for k in range(many):
                block = owner == k
                row[size + k * series + v] = matrix[at, block] @ courses[block]
            rows.append(row)
            weights.append(1 / variances[v])
    rows = np.array(rows)
    information = rows.T @ (np.array(weights)[:, None] * rows)
    border = np.zeros((many, size + many * series))
    for k in range(many):
        border[k, size + k * series : size + (k + 1) * series] = scales[k]
    whole = np.block([[information, border.T], [border, np.zeros((many, many))]])
    return np.linalg.inv(whole)[: size + many * series, : size + many * series]


def log_likelihood_of_open(values, windows, lengths, courses, scales, variances):
    """log Σ over all onsets of one trial; windows: (process, starts, log prior)."""
    terms = []
    for way in product(*[range(len(starts)) for _, starts, _ in windows]):
        starts = [(window[0], int(window[1][at])) for window, at in zip(windows, way, strict=True)]
        prior = sum(window[2][at] for window, at in zip(windows, way, strict=True))
        rest = shared_rest([(values, starts)], lengths, courses, scales)
        terms.append(prior + log_likelihood(rest, variances))
    return float(np.logaddexp.reduce(terms))
