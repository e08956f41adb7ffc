"""A block solved again for weights near the last ones: Newton with the rules that bound there."""

from __future__ import annotations

from numba import njit

from tacit.kernels.normal import Part, Room, factorise, solve_normal

MOST_STEPS = 8
BALANCED = 1e-14
ALLOWED = 1e-14


@njit(cache=True, nogil=True, error_model="numpy")
def again(p: Part, room: Room) -> int:
    """From the optimum of other weights to that of these; how many steps, or -1 if it fails.

    The inequalities that bound there are taken for equalities, the others for nothing, and
    θ v = w, B θ = b is solved by Newton's method, which needs few steps. The end is the optimum if
    no inequality is missed and no multiplier is below 0; then nothing else need be asked. Cells
    without weight are left to the interior-point method.
    """
    for j in range(p.n):
        if room.weight[j] <= 0.0 or p.theta[j] <= 0.0:
            return -1
    binds = room.bend_slack
    for i in range(p.m):
        binds[i] = 1.0 if i < p.e or p.z[i] > p.slack[i] else 0.0
        if binds[i] == 0.0:
            p.z[i] = 0.0
    for step in range(MOST_STEPS):
        off = _balance(p, room)
        if off < 0.0:
            return -1
        if off <= BALANCED:
            return step if _optimal(p, room) else -1
        _normal_of_binding(p, room)
        factorise(p.m, room)
        solve_normal(p.m, room)
        _step(p, room)
    return -1


@njit(cache=True, nogil=True, error_model="numpy")
def _balance(p: Part, room: Room) -> float:
    """The most that θ v is off w or a rule that binds off its limit; -1 if v is not positive.

    right := what Newton's equations have there, d_theta := (w - θ v) / v.
    """
    binds, off = room.bend_slack, 0.0
    for i in range(p.m):
        room.off_primal[i] = -p.limit[i]
        room.right[i] = 0.0
    for j in range(p.n):
        along = 0.0
        for k in range(p.at[j], p.at[j + 1]):
            along += p.factor[k] * p.z[p.rule[k]]
            room.off_primal[p.rule[k]] += p.factor[k] * p.theta[j]
        if not along > 0.0:
            return -1.0
        p.reduced[j] = along
        gap = room.weight[j] - p.theta[j] * along
        off = max(off, abs(gap))
        room.d_theta[j] = gap / along
        for k in range(p.at[j], p.at[j + 1]):
            room.right[p.rule[k]] += p.factor[k] * room.d_theta[j]
    for i in range(p.m):
        if binds[i] > 0.0:
            off = max(off, abs(room.off_primal[i]))
            room.right[i] += room.off_primal[i]
        else:
            room.right[i] = 0.0
    return off


@njit(cache=True, nogil=True, error_model="numpy")
def _normal_of_binding(p: Part, room: Room) -> None:
    """B diag(θ/v) B' of the rules that bind; nothing for the others."""
    normal, binds = room.normal, room.bend_slack
    for i in range(p.m):
        normal[i, i : p.m] = 0.0
    for j in range(p.n):
        scale = p.theta[j] / p.reduced[j]
        for k in range(p.at[j], p.at[j + 1]):
            scaled, i = scale * p.factor[k] * binds[p.rule[k]], p.rule[k]
            if scaled != 0.0:
                for other in range(k, p.at[j + 1]):
                    normal[i, p.rule[other]] += scaled * p.factor[other] * binds[p.rule[other]]


@njit(cache=True, nogil=True, error_model="numpy")
def _step(p: Part, room: Room) -> None:
    """Newton's step, as far as θ and v stay positive."""
    share = 1.0
    for j in range(p.n):
        along = 0.0
        for k in range(p.at[j], p.at[j + 1]):
            along += p.factor[k] * room.right[p.rule[k]]
        room.d_theta[j] -= p.theta[j] / p.reduced[j] * along
        if room.d_theta[j] < 0.0:
            share = min(share, -0.9 * p.theta[j] / room.d_theta[j])
        if along < 0.0:
            share = min(share, -0.9 * p.reduced[j] / along)
    for j in range(p.n):
        p.theta[j] += share * room.d_theta[j]
    for i in range(p.m):
        p.z[i] += share * room.right[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _optimal(p: Part, room: Room) -> bool:
    """Whether no inequality is missed and no multiplier is below 0; slacks are set."""
    for i in range(p.e, p.m):
        slack = -room.off_primal[i]
        if room.bend_slack[i] > 0.0:
            if p.z[i] < 0.0:
                return False
            slack = 0.0
        elif slack < -ALLOWED:
            return False
        p.slack[i] = max(slack, 0.0)
    return True
