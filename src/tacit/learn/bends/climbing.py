"""EM of lines and curves: steps, extrapolation, and where a climb begins."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.network import Network
from tacit.estimate.continuous.regression import residual
from tacit.learn.bends.expecting import Expected, expect
from tacit.learn.bends.maximising import Known, maximise
from tacit.learn.bends.pieces import Divided
from tacit.learn.bends.shape import Numbers, Shape
from tacit.learn.climb import climb
from tacit.learn.continuous.problem import FAR

LOOSE, SOON = 1e-6, 200
"""Tolerance and most steps of the straight lines that curves begin from."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """maximise  log P(what was observed given the numbers) + the prior of the lines."""

    shape: Shape
    divided: Divided
    known: Known


@dataclass(frozen=True, slots=True, eq=False)
class Iterate:
    """Numbers with what is known about them.

    error   how sure the log-likelihood is: of lattices at most, and a standard error of draws
    before  the numbers one plain step earlier, where an extrapolation may start
    """

    theta: Floats
    expected: tuple[Expected, ...]
    log_likelihood: float
    objective: float
    before: Floats | None = None


def at(problem: Problem, theta: Floats, before: Floats | None = None) -> Iterate:
    """E: points, and the objective at these numbers."""
    numbers = Numbers.of(problem.shape, theta)
    expected = tuple(expect(problem.shape, numbers, problem.divided))
    found = sum(float(each.piece.weights @ each.logs) for each in expected)
    found += _shown(problem, numbers)
    return Iterate(theta, expected, found, found + _prior(problem, numbers), before)


def _shown(problem: Problem, numbers: Numbers) -> float:
    """The log-likelihood of the families that cases show whole."""
    shape, total = problem.shape, 0.0
    for place, (rows, weights) in enumerate(
        zip(problem.known.rows, problem.known.weights, strict=True)
    ):
        above = shape.parents[place]
        activation = (rows[:, :-1] - shape.centre[above]) @ numbers.slopes[place, above]
        answer = numbers.rise[place] * shape.response(place).value(activation)
        squares = (rows[:, -1] - numbers.base[place] - answer) ** 2 / np.exp(numbers.logs[place])
        total -= 0.5 * float(weights @ (squares + numbers.logs[place] + np.log(2 * np.pi)))
    return total


def _prior(problem: Problem, numbers: Numbers) -> float:
    """The prior's part, over the lines of what was measured."""
    shape, total = problem.shape, 0.0
    for place, extra in problem.known.extra.items():
        above = shape.parents[place]
        slopes = numbers.slopes[place, above]
        level = float(numbers.base[place] - slopes @ shape.centre[above])
        squares = residual(slopes, level, extra.moments)
        total -= 0.5 * float(
            extra.weight * numbers.logs[place] + squares / np.exp(numbers.logs[place])
        )
    return total


def plain_step(problem: Problem, here: Iterate) -> Iterate:
    """One step of EM."""
    return at(problem, _after(problem, here))


def squarem_step(problem: Problem, here: Iterate) -> Iterate:
    """A plain step, then one that tries to go further the same way; taken only if the objective is
    no lower. [Varadhan and Roland 2008]"""
    after = _after(problem, here)
    if here.before is None:
        return at(problem, after, here.theta)
    units = problem.shape.units
    first, change = here.theta - here.before, after - 2 * here.theta + here.before
    bend = float(np.linalg.norm(change / units))
    length = -float(np.linalg.norm(first / units)) / bend if bend > 0 else -1.0
    if length < -1.0:
        far = here.before - 2 * length * first + length**2 * change
        logs = len(problem.shape.variables)
        far[-logs:] = np.clip(far[-logs:], after[-logs:] - FAR, after[-logs:] + FAR)
        if np.isfinite(far).all():
            tried = at(problem, far)
            if tried.objective >= here.objective:
                return tried
    return at(problem, after)


def _after(problem: Problem, here: Iterate) -> Floats:
    numbers = Numbers.of(problem.shape, here.theta)
    return maximise(problem.shape, numbers, problem.known, here.expected).vector(problem.shape)


def straightened(problem: Problem, begin: Numbers) -> tuple[Shape, Numbers]:
    """The best straight lines near these, and the shape whose centre are the means of
    all variables along them: where curves have their thresholds."""
    shape = problem.shape.straight()
    lines = Problem(shape, Divided.of(shape, problem.divided.told), problem.known)
    found = climb(
        lambda here: squarem_step(lines, here),
        at(lines, begin.vector(shape)),
        tolerance=LOOSE,
        max_steps=SOON,
    )
    numbers = Numbers.of(shape, found.iterate.theta)
    mean = shape.centre.copy()
    for place in shape.order:
        above = shape.parents[place]
        off = mean[above] - shape.centre[above]
        mean[place] = numbers.base[place] + float(numbers.slopes[place, above] @ off)
    moved = numbers.base + numbers.slopes @ (mean - shape.centre)
    return replace(problem.shape, centre=mean), replace(numbers, base=moved)


def begun(problem: Problem, numbers: Numbers, bends: Floats) -> Iterate:
    """Curves through what straight lines expect, and the iterate there.

    A hidden variable that is known along straight lines alone keeps its children straight for
    ever, so the climb begins with its children bent.

    bends  (variables,) sds of the activations of the curves below hidden variables
    """
    shape = problem.shape
    lines = expect(shape.straight(), numbers, problem.divided)
    first = maximise(shape, numbers, problem.known, lines, bends)
    return at(problem, first.vector(shape))


def bends_of(shape: Shape, number: int, random: np.random.Generator) -> Floats:
    """How bent the curves below hidden variables are where a run of this number begins: all a
    little, all steeply, then at random."""
    from tacit.kernels.responses import SPREADS

    _, bent, steep = SPREADS
    many = len(shape.variables)
    if number < 2:
        return np.full(many, (bent, steep)[number])
    return random.choice(np.array(SPREADS), size=many)


def resumed(problem: Problem, network: Network) -> Iterate:
    """One step on from a network of the same lines and curves."""
    numbers = Numbers.of_network(problem.shape, network)
    return plain_step(problem, at(problem, numbers.vector(problem.shape)))


def written(problem: Problem, here: Iterate) -> Network:
    """The network of an iterate."""
    return Numbers.of(problem.shape, here.theta).network(problem.shape)
