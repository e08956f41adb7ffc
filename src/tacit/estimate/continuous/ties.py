"""Regressions that rules tie together, estimated block by block.

maximise  Σ_f -½ n_f log v_f - R_f(β_f) / 2 v_f   over the regressions f of a block,

subject to linear rules on all β and to bounds and ratios of the v, where R_f(β) is the sum of
squares that β leaves. For given variances the β are a quadratic program; for given squares the logs
of the variances are a convex problem in which bounds and ratios are linear. The two are solved in
turn, and neither lowers the objective. Where no rule joins coefficients of two regressions, the
variances do not move the β, one round is enough, and the optimum is the only one. [PDK-35, PDK-36]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.continuous.quadratic import Program, solve
from tacit.estimate.gaussians import ROUNDING
from tacit.families.moments import Moments

ROUNDS = 500
SETTLED = 1e-13
"""A round that gains less than this share of the objective is the last."""
TINY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """What is known of one regression: moments of (parents..., child), and what divides the squares
    that are left."""

    moments: Moments
    divisor: float


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Regressions that hang together by rules.

    squares      one per regression
    means        (rules, coefficients and intercepts of all regressions one after the other)
    mean_limits  and which of them are equalities: `mean_equal`
    noise        (rules, regressions) over logs of variances, likewise
    joins        whether a rule joins coefficients of several regressions
    """

    squares: tuple[Squares, ...]
    means: Floats
    mean_limits: Floats
    mean_equal: Bools
    noise: Floats
    noise_limits: Floats
    noise_equal: Bools

    @property
    def joins(self) -> bool:
        """Whether a rule joins coefficients of several regressions."""
        return joins(self.means, self.starts)

    @property
    def starts(self) -> Ints:
        """Where the coefficients of each regression begin, and where the last end."""
        return np.concatenate([[0], np.cumsum([each.moments.means.size for each in self.squares])])


@dataclass(frozen=True, slots=True, eq=False)
class Tied:
    """The optimum of a block.

    betas       per regression coefficients..., intercept
    variances   (regressions,)
    value       of the objective
    mean_pull   (rules,) what it would gain per unit of each limit
    noise_pull  the same of rules about variances, per unit of a log
    rounds      how often the two problems were solved
    """

    betas: tuple[Floats, ...]
    variances: Floats
    value: float
    mean_pull: Floats
    noise_pull: Floats
    rounds: int


def joins(rows: Floats, starts: Ints) -> bool:
    """Whether some row has factors in several of the spans that begin at `starts`."""
    if not len(rows):
        return False
    spans = np.split(np.abs(rows), starts[1:-1], axis=1)
    within = np.array([span.max(axis=1, initial=0.0) > 0 for span in spans])
    return bool((within.sum(axis=0) > 1).any())


def solve_block(block: Block) -> Tied:
    """The best of the maxima that two starts find: every regression's own noise, and the noise
    that rules on coefficients alone would leave if all variances were in their units equal."""
    frames = [_Frame.of(each.moments) for each in block.squares]
    divisors = np.array([each.divisor for each in block.squares])
    own = np.array([frame.left / n for frame, n in zip(frames, divisors, strict=True)])
    units = np.array([frame.unit**2 for frame in frames])
    found = _climbed(block, frames, np.maximum(own, TINY * units))
    if not block.joins:
        return found
    other = _climbed(block, frames, units)
    return other if other.value > found.value else found


def _climbed(block: Block, frames: Sequence[_Frame], variances: Floats) -> Tied:
    before = -np.inf
    for round_ in range(1, ROUNDS + 1):
        found = _round(block, frames, variances, round_)
        settled = found.value - before <= SETTLED * max(1.0, abs(found.value))
        if settled or not block.joins or not np.isfinite(found.value):
            break
        before, units = found.value, np.array([frame.unit**2 for frame in frames])
        variances = np.maximum(found.variances, TINY * units)
    return found


def _round(block: Block, frames: Sequence[_Frame], variances: Floats, number: int) -> Tied:
    """The coefficients for these variances, then the variances for what they leave."""
    betas, pull = _means(block, frames, variances)
    left = np.array([frame.residual(beta) for frame, beta in zip(frames, betas, strict=True)])
    divisors = np.array([each.divisor for each in block.squares])
    logs, noise_pull = _noise(block, left, divisors, [frame.unit**2 for frame in frames])
    exact = np.isneginf(logs)
    new = np.where(exact, 0.0, np.exp(np.where(exact, 0.0, logs)))
    value = -0.5 * divisors * logs - np.where(exact, 0.0, left / np.where(exact, 1.0, 2 * new))
    return Tied(tuple(betas), new, float(value.sum()), pull, noise_pull, number)


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """One regression in units in which its parents have mean 0 and variance 1.

    curvature, slope  R(β) / unit² = own - 2 slope·b + b·curvature·b
    point, turn       β = point + turn b, in the units of the cases
    left              the least R
    """

    curvature: Floats
    slope: Floats
    own: float
    unit: float
    point: Floats
    turn: Floats
    left: float

    @staticmethod
    def of(moments: Moments) -> _Frame:
        """The frame of these moments."""
        weight, inner = max(moments.weight, 1e-300), moments.scatter[:-1, :-1]
        scale = np.sqrt(np.diag(inner) / weight)
        scale = np.where(scale > TINY * (1 + np.abs(moments.means[:-1])), scale, 1.0)
        unit = float(np.sqrt(moments.scatter[-1, -1] / weight)) or 1.0
        size = scale.size + 1
        curvature, slope = np.zeros((size, size)), np.zeros(size)
        curvature[:-1, :-1], curvature[-1, -1] = inner / np.outer(scale, scale), moments.weight
        slope[:-1] = moments.scatter[:-1, -1] / (scale * unit)
        turn = np.diag(np.append(unit / scale, unit))
        turn[-1, :-1] = -moments.means[:-1] * unit / scale
        point = np.append(np.zeros(scale.size), moments.means[-1])
        own = float(moments.scatter[-1, -1]) / unit**2
        values, vectors = np.linalg.eigh(curvature)
        used = values > 1e-10 * max(float(values.max(initial=0.0)), 1e-300)
        along = vectors[:, used].T @ slope
        left = (own - float((along**2 / values[used]).sum())) * unit**2
        return _Frame(curvature, slope, own, unit, point, turn, max(left, 0.0))

    def residual(self, beta: Floats) -> float:
        """R(β)"""
        b = np.linalg.solve(self.turn, beta - self.point)
        left = (self.own - 2 * self.slope @ b + b @ self.curvature @ b) * self.unit**2
        return 0.0 if left <= ROUNDING * self.own * self.unit**2 else float(left)


def _means(
    block: Block, frames: Sequence[_Frame], variances: Floats
) -> tuple[list[Floats], Floats]:
    """minimise  Σ R_f(β_f) / 2 v_f  subject to the rules."""
    starts = block.starts
    size = int(starts[-1])
    curvature, slope = np.zeros((size, size)), np.zeros(size)
    turn, point = np.zeros((size, size)), np.zeros(size)
    for frame, first, last, v in zip(frames, starts[:-1], starts[1:], variances, strict=True):
        here, weight = slice(first, last), frame.unit**2 / v
        curvature[here, here], slope[here] = frame.curvature * weight, frame.slope * weight
        turn[here, here], point[here] = frame.turn, frame.point
    # one scale for all, so that no regression's curvature looks like none beside another's
    root = np.sqrt(np.where(np.diag(curvature) > 0, np.diag(curvature), 1.0))
    program = Program(
        curvature / np.outer(root, root),
        slope / root,
        block.means @ turn / root,
        block.mean_limits - block.means @ point,
        block.mean_equal,
    )
    found = solve(program)
    beta = point + turn @ (found.x / root)
    return np.split(beta, starts[1:-1]), found.pull


def _noise(
    block: Block, left: Floats, divisors: Floats, units: Sequence[float]
) -> tuple[Floats, Floats]:
    """minimise  Σ ½ n u + ½ R exp(-u)  over logs of variances u subject to the rules, by Newton's
    method: each step is a quadratic program, halved until the objective falls."""
    floor = TINY * TINY * np.array(units)
    free = np.log(np.maximum(left, floor) / divisors)
    if not len(block.noise):
        with np.errstate(divide="ignore"):
            return np.where(left > 0, free, -np.inf), np.zeros(0)
    squares = np.maximum(left, floor)
    u, pull = _noise_step(block, np.ones(free.size), free)
    for _ in range(100):
        bend = 0.5 * squares * np.exp(-u)
        target = u - (0.5 * divisors - bend) / bend
        after, pull = _noise_step(block, bend, target)
        step = after - u
        while _noise_value(u + step, squares, divisors) > _noise_value(u, squares, divisors):
            step = step / 2
            if np.abs(step).max() < 1e-14:
                break
        u = u + step
        if np.abs(step).max() < 1e-12:
            break
    return u, pull


def _noise_value(u: Floats, squares: Floats, divisors: Floats) -> float:
    with np.errstate(over="ignore"):  # far too small a variance: the step is halved
        return float(0.5 * (divisors @ u + squares @ np.exp(-u)))


def _noise_step(block: Block, bend: Floats, target: Floats) -> tuple[Floats, Floats]:
    """The logs nearest to a target in these curvatures that obey the rules."""
    root = np.sqrt(np.maximum(bend, 1e-12 * bend.max()))
    program = Program(
        np.eye(root.size), root * target, block.noise / root, block.noise_limits, block.noise_equal
    )
    found = solve(program)
    return found.x / root, found.pull
