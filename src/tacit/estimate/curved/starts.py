"""Where climbs begin: tables at random, brought to the rules or as near as can be."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.curved.problem import Problem

_ROOM = 1e-3
"""The room that a start should leave to its inequalities."""
_LONGEST = 3.0


def starts(problem: Problem, count: int, seed: int) -> Iterator[Floats]:
    """So many tables with every cell above 0: the free optimum first, then even, then random ones;
    each as near to the rules as Gauss and Newton bring it."""
    free, even = free_rows(problem), even_rows(problem)
    for number in range(count):
        random = np.random.default_rng([seed, number])
        if number == 0:
            start = 0.99 * free + 0.01 * even
        elif number == 1:
            start = even
        else:
            start = _random_rows(problem, random)
        yield nearest(problem, start)


def free_rows(problem: Problem) -> Floats:
    """The most likely rows without any rule, even where there is no evidence. [Thm 2.2.1]"""
    totals = np.bincount(problem.row, problem.weights)[problem.row]
    shares = problem.weights / np.where(totals > 0, totals, 1.0)
    return np.asarray(np.where(totals > 0, shares, even_rows(problem)))


def even_rows(problem: Problem) -> Floats:
    """Every row divided evenly."""
    return np.asarray(1.0 / np.bincount(problem.row)[problem.row])


def _random_rows(problem: Problem, random: np.random.Generator) -> Floats:
    drawn = random.standard_exponential(problem.size) + 1e-3
    return np.asarray(drawn / np.bincount(problem.row, drawn)[problem.row])


def nearest(problem: Problem, theta: Floats, steps: int = 60) -> Floats:
    """Tables near these that keep the rules, or miss them by less.

    Damped Gauss-Newton on the square of what is missed, in logarithms of the cells, so that rows
    add up and cells stay above 0 whatever the step.
    """
    logs = np.log(np.maximum(theta, 1e-12))
    with np.errstate(all="ignore"):
        missed = _missed(problem, theta)
        for _ in range(steps):
            size = float(missed @ missed)
            if size < 1e-24 or not np.isfinite(size):
                break
            moved = _shorter(problem, logs, missed, size)
            if moved is None:
                break
            logs, theta, missed = moved
    return theta


def _shorter(
    problem: Problem, logs: Floats, missed: Floats, size: float
) -> tuple[Floats, Floats, Floats] | None:
    theta = _rows(problem, logs)
    slopes = problem.jacobian(theta)[_used(problem)] * (missed != 0)[:, None]
    inner = slopes * theta
    first = np.flatnonzero(np.diff(problem.row, prepend=-1))
    along = inner - np.add.reduceat(inner, first, axis=1)[:, problem.row] * theta
    change = -np.linalg.lstsq(along, missed, rcond=1e-8)[0]
    change *= min(1.0, _LONGEST / max(float(np.abs(change).max(initial=0.0)), 1e-300))
    for _ in range(25):
        tried = logs + change
        theta = _rows(problem, tried)
        left = _missed(problem, theta)
        if float(left @ left) < (1 - 1e-6) * size:
            return tried, theta, left
        change = change / 2
    return None


def _rows(problem: Problem, logs: Floats) -> Floats:
    highest = np.full(int(problem.row[-1]) + 1, -np.inf)
    np.maximum.at(highest, problem.row, logs)
    parts = np.exp(logs - highest[problem.row])
    return np.asarray(parts / np.bincount(problem.row, parts)[problem.row])


def _used(problem: Problem) -> slice:
    """Rules, without the sums of rows, which hold by themselves."""
    return slice(int(problem.row[-1]) + 1, None)


def _missed(problem: Problem, theta: Floats) -> Floats:
    values, equal = problem.values(theta)[_used(problem)], problem.equal[_used(problem)]
    return np.asarray(np.where(equal, values, np.maximum(values + _ROOM, 0.0)))
