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
BINDS = 1e8
DENSE_GAIN = 25.0  # how much faster dense elimination runs than sparse, per operation
MOST_DENSE = 8000

Solve = Callable[[Floats, Floats, Floats], tuple[Floats, Floats, Floats]]
Inner = Callable[[Floats, Floats], tuple[Floats, Floats]]


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
        try:
            solve = _factorised(problem, place)
        except (np.linalg.LinAlgError, RuntimeError):  # nothing is left of some pivot
            return best, step
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
    aimed = cells / place.theta + off.dual
    theta, z, y = solve(aimed, off.slack - rules / place.z, off.even)
    reduced = problem.equalities.T @ y + problem.rules.T @ z - off.dual
    return Place(theta, reduced, off.slack - problem.rules @ theta, y, z)


def _factorised(problem: Large, place: Place) -> Solve:
    """Solves H dθ + G'dλ + A'dy = first, G dθ - (S/Λ) dλ = second, A dθ = third.

    Rules far from binding are taken into the Hessian of the cells; those that bind stay explicit,
    for their Λ/S would drown it. Cells are scaled to a diagonal of ones, explicit rules likewise.
    """
    from scipy.sparse import diags_array, vstack

    stiff, room = place.z / place.slack, place.theta / place.reduced
    squares = problem.rules.multiply(problem.rules)
    binds = stiff * (squares @ room) > BINDS
    loose, bound = problem.rules[np.flatnonzero(~binds)], problem.rules[np.flatnonzero(binds)]
    scale = 1.0 / np.sqrt(1.0 / room + squares.T @ np.where(binds, 0.0, stiff))
    cells = diags_array(scale)
    inner = loose @ cells
    hessian = diags_array(scale * scale / room) + inner.T @ diags_array(stiff[~binds]) @ inner
    border = vstack([bound, problem.equalities], format="csr") @ cells
    give = np.concatenate([1.0 / stiff[binds], np.zeros(problem.even.size)])
    size = 1.0 / np.sqrt(border.multiply(border).sum(axis=1) + give)
    border, give = (diags_array(size) @ border).tocsr(), give * size * size
    eliminate = (_dense if problem.dense else _sparse)(hessian.tocsc(), border, give)

    def solve(first: Floats, second: Floats, third: Floats) -> tuple[Floats, Floats, Floats]:
        above = scale * (first - problem.rules.T @ np.where(binds, 0.0, stiff * -second))
        below = size * np.concatenate([second[binds], third])
        theta, prices = np.zeros(above.size), np.zeros(below.size)
        for _ in range(3):
            left = above - hessian @ theta - border.T @ prices
            more, further = eliminate(left, below - border @ theta + give * prices)
            theta, prices = theta + more, prices + further
        prices *= size
        dual = stiff * (problem.rules @ (scale * theta) - second)
        dual[binds] = prices[: bound.shape[0]]
        return scale * theta, dual, prices[bound.shape[0] :]

    return solve


def _dense(hessian: Any, border: Any, give: Floats) -> Inner:
    from scipy.linalg import cho_factor, cho_solve

    factor = cho_factor(hessian.toarray(), overwrite_a=True)
    wide = cho_solve(factor, border.T.toarray(), overwrite_b=True)
    outer = border @ wide
    outer[np.diag_indices_from(outer)] += give + TINY
    schur = cho_factor(outer, overwrite_a=True)

    def solve(first: Floats, second: Floats) -> tuple[Floats, Floats]:
        prices = cho_solve(schur, wide.T @ first - second)
        return cho_solve(factor, first) - wide @ prices, prices

    return solve


def _sparse(hessian: Any, border: Any, give: Floats) -> Inner:
    from scipy.sparse import block_array, diags_array
    from scipy.sparse.linalg import splu

    whole = block_array([[hessian, border.T], [border, -diags_array(give + TINY)]], format="csc")
    factor = splu(whole, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
                  options={"SymmetricMode": True})  # fmt: skip
    size = hessian.shape[0]

    def solve(first: Floats, second: Floats) -> tuple[Floats, Floats]:
        found = factor.solve(np.concatenate([first, second]))
        return found[:size], found[size:]

    return solve


def _to_zero(values: Floats, way: Floats) -> float:
    falls = way < 0
    return float(np.min(-values[falls] / way[falls], initial=np.inf))
