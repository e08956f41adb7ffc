"""An interior-point method for many small blocks: maximise Σ w log θ under linear rules.

    maximise  Σ w_i log θ_i   subject to  B θ = b (the first rules),  B θ + s = b (the others),
                                          θ >= 0,  s >= 0

The optimum has multipliers z, and λ >= 0 among them for the inequalities, with w_i = θ_i v_i where
v = B'z >= 0, and s λ = 0. The method keeps θ, v, s, λ positive and drives

    θ_i v_i = w_i + μ,   s_j λ_j = μ

to μ = 0 with predictor and corrector. μ is a pseudo-count on every cell, so cells without weight
are no special case. The Hessian is diagonal, which leaves the normal equations
(B diag(θ/v) B' + diag(0, s/λ)) dz = r, as large as there are rules. [Mehrotra 1992]
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.again import again
from tacit.kernels.landing import land, sharpen
from tacit.kernels.normal import (
    Memory,
    Part,
    Point,
    Program,
    Room,
    factorise,
    normal_matrix,
)
from tacit.kernels.steps import after, complementarity, direction, move, reach, residuals

MOST_STEPS = 80
CLOSE = 1e-8
FLOOR = 1e-15
REMEMBERED = 1e-3
SIMILAR = 0.05
NEAR = 1e-12
SHORT = 0.1
MOST_CENTRED = 0.3
APART = 0.1
TRIED = (1e-5, 1e-8)
"""From these μ on, Newton's method is tried for the rest of the way."""
LITTLE, MUCH = 1e-9, 1e-7
"""How much steps are damped, and how much where that was not enough."""
FIRST_TRY, NEXT_TRY = 15, 6
"""How many steps it gets."""


@njit(cache=True, nogil=True, error_model="numpy")
def solve_blocks(
    program: Program,
    chosen: Ints,
    weights: Floats,
    point: Point,
    memory: Memory,
    room: Room,
    steps: Ints,
) -> None:
    """Move the point of each chosen block to its optimum; count the steps.

    weights  (cells,)  add up to 1 in each block
    memory   from where to start a block whose weights are still about those it remembers; what is
             to be remembered is written there
    """
    for block in chosen:
        c0, c1 = program.cell_at[block], program.cell_at[block + 1]
        r0, r1 = program.rule_at[block], program.rule_at[block + 1]
        part = _part(program, block, point, LITTLE)
        kept = Memory(
            memory.weight[c0:c1], memory.theta[c0:c1], memory.reduced[c0:c1],
            memory.slack[r0:r1], memory.multiplier[r0:r1], memory.end_theta[c0:c1],
            memory.end_slack[r0:r1], memory.end_multiplier[r0:r1],
        )  # fmt: skip
        room.weight[: part.n] = weights[c0:c1]
        _begin(part, room, kept)
        steps[block] = again(part, room, FIRST_TRY)
        if steps[block] >= 0:
            _end(part, kept)
            continue
        warm = np.abs(room.weight[: part.n] - kept.weight).sum() <= SIMILAR
        if warm:
            part.theta[:], part.reduced[:] = kept.theta, kept.reduced
            part.slack[:], part.z[:] = kept.slack, kept.multiplier
        else:
            _start(part, room)
        steps[block], landed = _solve(part, room, kept, warm)
        if steps[block] == MOST_STEPS:
            held = _part(program, block, point, MUCH)
            _start(held, room)
            more, landed = _solve(held, room, kept, False)
            steps[block] += more
        if not landed:
            land(part, room)
            sharpen(part, room)
        _end(part, kept)


@njit(cache=True, nogil=True, error_model="numpy")
def _begin(p: Part, room: Room, kept: Memory) -> None:
    """The optimum of the weights before, or, where there is none, that without rules."""
    p.reduced[:] = 1.0
    if kept.end_theta.max() > 0.0:
        p.theta[:], p.slack[:], p.z[:] = kept.end_theta, kept.end_slack, kept.end_multiplier
        return
    p.slack[:], p.z[:] = 0.0, 0.0
    for j in range(p.n):
        p.z[p.rule[p.at[j]]] += room.weight[j]
    for j in range(p.n):
        total = p.z[p.rule[p.at[j]]]
        p.theta[j] = room.weight[j] / total if total > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _end(p: Part, kept: Memory) -> None:
    kept.end_theta[:], kept.end_slack[:], kept.end_multiplier[:] = p.theta, p.slack, p.z


@njit(cache=True, nogil=True, error_model="numpy")
def polish_blocks(
    program: Program, chosen: Ints, weights: Floats, point: Point, room: Room
) -> None:
    """The last digits of points that were found elsewhere."""
    for block in chosen:
        part, first = _part(program, block, point, LITTLE), program.cell_at[block]
        room.weight[: part.n] = weights[first : first + part.n]
        land(part, room)
        sharpen(part, room)


@njit(cache=True, nogil=True, error_model="numpy")
def _part(program: Program, block: int, point: Point, damping: float) -> Part:
    c0, c1 = program.cell_at[block], program.cell_at[block + 1]
    r0, r1 = program.rule_at[block], program.rule_at[block + 1]
    return Part(
        c1 - c0, r1 - r0, program.equal[block], program.at[c0 : c1 + 1], program.rule,
        program.factor, program.limit[r0:r1], point.theta[c0:c1], point.reduced[c0:c1],
        point.slack[r0:r1], point.multiplier[r0:r1], damping,
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _start(p: Part, room: Room) -> None:
    """The optimum without rules after μ = 1/n pseudo-counts, and slacks that are not small.

    Each cell's first rule is the sum of its row.
    """
    mu = 1.0 / p.n
    p.z[:] = 0.0
    for j in range(p.n):
        p.z[p.rule[p.at[j]]] += room.weight[j] + mu
    for i in range(p.m):
        p.slack[i] = p.limit[i]
    for j in range(p.n):
        p.reduced[j] = p.z[p.rule[p.at[j]]]
        p.theta[j] = (room.weight[j] + mu) / p.reduced[j]
        for k in range(p.at[j], p.at[j + 1]):
            p.slack[p.rule[k]] -= p.factor[k] * p.theta[j]
    p.slack[: p.e] = 0.0
    for i in range(p.e, p.m):
        p.slack[i] = max(p.slack[i], APART)
        p.z[i] = mu / p.slack[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _solve(p: Part, room: Room, kept: Memory, warm: bool) -> tuple[int, bool]:
    """Steps until μ is nothing, or until rounding keeps it from falling, or until Newton's method
    can finish; how many, and whether it did."""
    before, tries = np.inf, 0
    for step in range(MOST_STEPS):
        primal, dual = residuals(p, room)
        mu = complementarity(p, room)
        if mu <= FLOOR and max(primal, dual) <= CLOSE:
            return step, False
        if tries < len(TRIED) and mu <= TRIED[tries] and max(primal, dual) <= APART:
            _save(p, room)
            more = again(p, room, NEXT_TRY)
            if more >= 0:
                return step + more, True
            _restore(p, room)
            residuals(p, room)
            tries += 1
        if not warm and mu <= REMEMBERED:
            _remember(p, room, kept)
            warm = True
        normal_matrix(p, room)
        dependent = factorise(p.m, room)
        if mu <= NEAR and max(primal, dual) <= CLOSE and (dependent or mu > 0.2 * before):
            return step, False
        before = mu
        direction(p, room, 0.0, False, 0)
        up, down = reach(p, room)
        sigma = after(p, room, up, down) / mu
        for j in range(p.n):
            room.bend[j] = room.d_theta[j] * room.d_reduced[j]
        for i in range(p.e, p.m):
            room.bend_slack[i] = room.d_slack[i] * room.d_multiplier[i]
        direction(p, room, min(MOST_CENTRED, sigma * sigma * sigma) * mu, True, 1)
        up, down = reach(p, room)
        if min(up, down) < SHORT:
            direction(p, room, mu, False, 1)
            up, down = reach(p, room)
        move(p, room, min(1.0, 0.995 * up), min(1.0, 0.995 * down))
    return MOST_STEPS, False


@njit(cache=True, nogil=True, error_model="numpy")
def _save(p: Part, room: Room) -> None:
    """Where `again` does not write."""
    room.d_reduced[: p.n], room.off_dual[: p.n] = p.theta, p.reduced
    room.d_slack[: p.m], room.d_multiplier[: p.m] = p.slack, p.z


@njit(cache=True, nogil=True, error_model="numpy")
def _restore(p: Part, room: Room) -> None:
    p.theta[:], p.reduced[:] = room.d_reduced[: p.n], room.off_dual[: p.n]
    p.slack[:], p.z[:] = room.d_slack[: p.m], room.d_multiplier[: p.m]


@njit(cache=True, nogil=True, error_model="numpy")
def _remember(p: Part, room: Room, kept: Memory) -> None:
    kept.weight[:] = room.weight[: p.n]
    kept.theta[:], kept.reduced[:] = p.theta, p.reduced
    kept.slack[:], kept.multiplier[:] = p.slack, p.z
