"""The interior-point method for one large block, with sparse matrices.

The method of `kernels/interior.py`; only the linear system is another. Inequalities are taken into
the Hessian of the cells, H = V/Θ + G'(Λ/S)G, and equalities border it. It is factorised sparse, or
dense where elimination would fill it anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tacit.arrays import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from tacit.kernels.normal import Point, Program

MOST_STEPS = 100
FLOOR = 1e-12
CLOSE = 1e-6
PATIENCE = 4
TINY = 1e-14
DENSE_GAIN = 25.0  # how much faster dense elimination runs than sparse, per operation
MOST_DENSE = 8000

Solve = Callable[[Floats, Floats], tuple[Floats, Floats]]


@dataclass(frozen=True, slots=True, eq=False)
class Large:
    """One block as matrices; weights add up to 1. The first equalities are the sums of its rows."""

    equalities: csr_array
    rules: csr_array
    even: Floats
    limits: Floats
    weights: Floats
    dense: bool


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where the method stands, or a direction: θ, v, s, and the multipliers y and λ."""

    theta: Floats
    reduced: Floats
    slack: Floats
    y: Floats
    z: Floats

    def moved(self, way: Place, up: float, down: float) -> Place:
        """As far along this way for θ and s as `up`, for the others as `down`."""
        return Place(
            self.theta + up * way.theta, self.reduced + down * way.reduced,
            self.slack + up * way.slack, self.y + down * way.y, self.z + down * way.z,
        )  # fmt: skip

    def reach(self, way: Place) -> tuple[float, float]:
        """How far θ and s, v and λ can go before one of them is 0; at most 1."""
        up = min(_to_zero(self.theta, way.theta), _to_zero(self.slack, way.slack))
        down = min(_to_zero(self.reduced, way.reduced), _to_zero(self.z, way.z))
        return min(1.0, 0.995 * up), min(1.0, 0.995 * down)


class Missed(NamedTuple):
    """v - A'y - G'λ, h - G θ - s and b - A θ."""

    dual: Floats
    slack: Floats
    even: Floats


def solve_large(program: Program, block: int, weights: Floats, point: Point) -> int:
    """Move the point of this block to its optimum; the steps it took."""
    cells = slice(int(program.cell_at[block]), int(program.cell_at[block + 1]))
    rules = slice(int(program.rule_at[block]), int(program.rule_at[block + 1]))
    problem = _problem(program, block, cells, rules, weights[cells])
    place, steps = _climb(problem, _start(problem))
    point.theta[cells], point.reduced[cells] = place.theta, place.reduced
    point.slack[rules] = np.concatenate([np.zeros(problem.even.size), place.slack])
    point.multiplier[rules] = np.concatenate([place.y, place.z])
    return steps


def _problem(program: Program, block: int, cells: slice, rules: slice, weights: Floats) -> Large:
    from scipy.sparse import csc_array

    equal = int(program.equal[block])
    at = program.at[cells.start : cells.stop + 1]
    entries = slice(at[0], at[-1])
    limits = program.limit[rules]
    whole = csc_array(
        (program.factor[entries], program.rule[entries], at - at[0]),
        shape=(limits.size, weights.size),
    ).tocsr()
    return Large(
        whole[:equal], whole[equal:], limits[:equal], limits[equal:], weights, _fills(whole, equal)
    )


def _fills(rules: csr_array, equal: int) -> bool:
    """Whether dense elimination is the faster one: by the profile after Cuthill and McKee."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    size = rules.shape[1]
    if size + equal > MOST_DENSE:
        return False
    linked = (abs(rules).T @ abs(rules)).tocsr()
    order = reverse_cuthill_mckee(linked, symmetric_mode=True)
    moved = linked[order][:, order].tocoo()
    reach = np.zeros(size)
    np.maximum.at(reach, moved.row, moved.row - moved.col)
    return bool(np.sum(reach * reach) * DENSE_GAIN > float(size) ** 3)


def _start(problem: Large) -> Place:
    """The optimum without rules after μ = 1/n pseudo-counts, and slacks that are not small."""
    mu = 1.0 / problem.weights.size
    columns = problem.equalities.tocsc()
    row = columns.indices[columns.indptr[:-1]]
    totals = np.bincount(row, problem.weights + mu).astype(np.float64)
    theta = (problem.weights + mu) / totals[row]
    slack = np.maximum(problem.limits - problem.rules @ theta, 0.1)
    y = np.zeros(problem.even.size)
    y[: totals.size] = totals
    return Place(theta, totals[row], slack, y, mu / slack)


def _climb(problem: Large, place: Place) -> tuple[Place, int]:
    """Predictor and corrector until μ is nothing, or until rounding keeps it from falling."""
    pairs = place.theta.size + place.slack.size
    best, lowest, since = place, np.inf, 0
    for step in range(MOST_STEPS):
        off = _residuals(problem, place)
        mu = _complementarity(problem, place)
        merit = max(mu * pairs, *(np.abs(part).max(initial=0.0) for part in off))
        best, since = (place, 0) if merit < 0.5 * lowest else (best, since + 1)
        lowest = min(lowest, merit)
        if merit <= FLOOR or (lowest <= CLOSE and since >= PATIENCE):
            return best, step
        solve = _factorised(problem, place)
        straight = _direction(problem, place, off, solve, (0.0, None))
        there = place.moved(straight, *place.reach(straight))
        sigma = min(0.3, (_complementarity(problem, there) / mu) ** 3)
        way = _direction(problem, place, off, solve, (sigma * mu, straight))
        if min(place.reach(way)) < 0.1:
            way = _direction(problem, place, off, solve, (mu, None))
        place = place.moved(way, *place.reach(way))
    return best, MOST_STEPS


def _residuals(problem: Large, place: Place) -> Missed:
    """What of the rules and of v = B'z is missed."""
    dual = place.reduced - problem.equalities.T @ place.y - problem.rules.T @ place.z
    slack = problem.limits - problem.rules @ place.theta - place.slack
    return Missed(dual, slack, problem.even - problem.equalities @ place.theta)


def _complementarity(problem: Large, place: Place) -> float:
    off = np.abs(place.theta * place.reduced - problem.weights).sum() + place.slack @ place.z
    return float(off / (place.theta.size + place.slack.size))


def _direction(
    problem: Large, place: Place, off: Missed, solve: Solve, aim: tuple[float, Place | None]
) -> Place:
    """The step to θ v = w + μ, s λ = μ, bent by what a straight one leaves of second order."""
    mu, straight = aim
    cells = problem.weights + mu - place.theta * place.reduced
    rules = mu - place.slack * place.z
    if straight is not None:
        cells = cells - straight.theta * straight.reduced
        rules = rules - straight.slack * straight.z
    fixed = (rules - place.z * off.slack) / place.slack
    stiff = place.z / place.slack
    aimed = cells / place.theta + off.dual - problem.rules.T @ fixed
    theta, y = solve(aimed, off.even)
    along = problem.rules @ theta
    z = fixed + stiff * along
    reduced = problem.equalities.T @ y + problem.rules.T @ z - off.dual
    return Place(theta, reduced, off.slack - along, y, z)


def _factorised(problem: Large, place: Place) -> Solve:
    """Solves H dθ + A'dy = first, A dθ = second; H and A scaled to a diagonal of ones."""
    from scipy.sparse import diags_array

    stiff = place.z / place.slack
    squares = problem.rules.multiply(problem.rules)
    scale = 1.0 / np.sqrt(place.reduced / place.theta + squares.T @ stiff)
    rules = problem.rules @ diags_array(scale)
    hessian = diags_array(scale * scale * place.reduced / place.theta)
    hessian = (hessian + rules.T @ diags_array(stiff) @ rules).tocsc()
    border = (problem.equalities @ diags_array(scale)).tocsr()
    inner = _dense(hessian, border) if problem.dense else _sparse(hessian, border)

    def solve(first: Floats, second: Floats) -> tuple[Floats, Floats]:
        theta, y = np.zeros(first.size), np.zeros(second.size)
        for _ in range(3):
            left = scale * first - hessian @ theta - border.T @ y
            more, further = inner(left, second - border @ theta)
            theta, y = theta + more, y + further
        return scale * theta, y

    return solve


def _dense(hessian: Any, border: Any) -> Solve:
    from scipy.linalg import cho_factor, cho_solve

    factor = cho_factor(hessian.toarray() + TINY * np.eye(hessian.shape[0]), overwrite_a=True)
    wide = cho_solve(factor, border.T.toarray(), overwrite_b=True)
    outer = border @ wide
    outer[np.diag_indices_from(outer)] *= 1.0 + TINY
    schur = cho_factor(outer, overwrite_a=True)

    def solve(first: Floats, second: Floats) -> tuple[Floats, Floats]:
        y = cho_solve(schur, wide.T @ first - second)
        return cho_solve(factor, first) - wide @ y, y

    return solve


def _sparse(hessian: Any, border: Any) -> Solve:
    from scipy.sparse import block_array, eye_array
    from scipy.sparse.linalg import splu

    size, rows = hessian.shape[0], border.shape[0]
    whole = block_array([
        [hessian + TINY * eye_array(size), border.T],
        [border, -TINY * eye_array(rows)],
    ], format="csc")  # fmt: skip
    factor = splu(whole, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
                  options={"SymmetricMode": True})  # fmt: skip

    def solve(first: Floats, second: Floats) -> tuple[Floats, Floats]:
        found = factor.solve(np.concatenate([first, second]))
        return found[:size], found[size:]

    return solve


def _to_zero(values: Floats, way: Floats) -> float:
    falls = way < 0
    return float(np.min(-values[falls] / way[falls], initial=np.inf))
