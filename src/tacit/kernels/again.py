"""Newton's method with a guess at which rules bind, mended at every step.

maximise Σ w log θ under rules is θ v = w, v = B'z with B θ = b for equalities, and for each
inequality either B θ = b or z = 0. An inequality is taken to bind if z + r / M > 0, where r is by
how much it is missed and r / M the multiplier that would mend it alone: the semismooth Newton, or
primal-dual active set, method. It needs few steps or fails; its end is checked, and then nothing
else need be asked.
"""

from __future__ import annotations

from numba import njit

from tacit.kernels.normal import Part, Room, factorise, solve_normal

BALANCED = 1e-14
ALLOWED = 1e-14
ENOUGH = 0.9
FREE = 1e7
"""How far a cell without weight moves per unit of its reduced cost, which is to become 0."""
COARSE = 0.01
"""Such a reduced cost need not be as near to 0 as the rest is balanced."""


@njit(cache=True, nogil=True, error_model="numpy")
def again(p: Part, room: Room, most_steps: int) -> int:
    """From a point to the optimum; how many steps, or -1 if it fails and the point is spoiled.

    Multipliers below their slacks are taken for 0. Cells without weight are 0, or their reduced
    costs are: whichever is the smaller, mended at every step like the rules.
    """
    for j in range(p.n):
        if room.weight[j] > 0.0 and p.theta[j] <= 0.0:
            return -1
    for i in range(p.e, p.m):
        if p.z[i] <= p.slack[i]:
            p.z[i] = 0.0
    for step in range(most_steps):
        _bind(p, room)
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
def _bind(p: Part, room: Room) -> None:
    """bend_slack := 1 for rules that bind, bend := 1 for cells that move; off_primal := B θ - b.

    M is about Σ factor² θ² / w, which is what the normal matrix has on its diagonal near the end.
    """
    binds, moves = room.bend_slack, room.bend
    for i in range(p.m):
        room.off_primal[i] = -p.limit[i]
        room.right[i] = 0.0
    for j in range(p.n):
        moves[j] = 1.0
        if room.weight[j] == 0.0 and p.theta[j] <= p.reduced[j]:
            moves[j] = 0.0
            p.theta[j] = 0.0
        if moves[j] > 0.0:
            bend = FREE
            if room.weight[j] > 0.0:
                bend = p.theta[j] * p.theta[j] / room.weight[j]
            for k in range(p.at[j], p.at[j + 1]):
                room.off_primal[p.rule[k]] += p.factor[k] * p.theta[j]
                room.right[p.rule[k]] += p.factor[k] * p.factor[k] * bend
    for i in range(p.m):
        pull = p.z[i] * room.right[i] + room.off_primal[i]
        binds[i] = 1.0 if i < p.e or pull > 0.0 else 0.0
        if binds[i] == 0.0:
            p.z[i] = 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _balance(p: Part, room: Room) -> float:
    """The most that θ v is off w or a rule that binds off its limit; -1 if v is not positive.

    right := what Newton's equations have there, d_theta := (w - θ v) / v.
    """
    binds, off = room.bend_slack, 0.0
    for i in range(p.m):
        room.right[i] = room.off_primal[i]
        if binds[i] > 0.0:
            off = max(off, abs(room.off_primal[i]))
    for j in range(p.n):
        along = 0.0
        for k in range(p.at[j], p.at[j + 1]):
            along += p.factor[k] * p.z[p.rule[k]]
        p.reduced[j] = along
        room.d_theta[j] = 0.0
        if room.bend[j] == 0.0:
            continue
        if room.weight[j] == 0.0:
            off = max(off, COARSE * abs(along))
            room.d_theta[j] = -FREE * along
        else:
            if not along > 0.0:
                return -1.0
            gap = room.weight[j] - p.theta[j] * along
            off = max(off, abs(gap))
            room.d_theta[j] = gap / along
        for k in range(p.at[j], p.at[j + 1]):
            room.right[p.rule[k]] += p.factor[k] * room.d_theta[j]
    for i in range(p.m):
        room.right[i] *= binds[i]
    return off


@njit(cache=True, nogil=True, error_model="numpy")
def _normal_of_binding(p: Part, room: Room) -> None:
    """B diag(θ/v) B' of the rules that bind; nothing for the others."""
    normal, binds = room.normal, room.bend_slack
    for i in range(p.m):
        normal[i, i : p.m] = 0.0
    for j in range(p.n):
        if room.bend[j] == 0.0:
            continue
        scale = p.theta[j] / p.reduced[j] if room.weight[j] > 0.0 else FREE
        for k in range(p.at[j], p.at[j + 1]):
            i = p.rule[k]
            if binds[i] > 0.0:
                scaled = scale * p.factor[k]
                for other in range(k, p.at[j + 1]):
                    normal[i, p.rule[other]] += scaled * p.factor[other] * binds[p.rule[other]]


@njit(cache=True, nogil=True, error_model="numpy")
def _step(p: Part, room: Room) -> None:
    """Newton's step, as far as θ and v stay positive."""
    share = 1.0
    for j in range(p.n):
        if room.bend[j] == 0.0:
            continue
        along = 0.0
        for k in range(p.at[j], p.at[j + 1]):
            along += p.factor[k] * room.right[p.rule[k]]
        if room.weight[j] == 0.0:
            room.d_theta[j] -= FREE * along
            if p.theta[j] == 0.0 and room.d_theta[j] < 0.0:
                room.d_theta[j] = 0.0
        else:
            room.d_theta[j] -= p.theta[j] / p.reduced[j] * along
            if along < 0.0:
                share = min(share, -ENOUGH * p.reduced[j] / along)
        if room.d_theta[j] < 0.0:
            share = min(share, -ENOUGH * p.theta[j] / room.d_theta[j])
    for j in range(p.n):
        p.theta[j] += share * room.d_theta[j]
    for i in range(p.m):
        p.z[i] += share * room.right[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _optimal(p: Part, room: Room) -> bool:
    """Whether no inequality is missed, no multiplier and no reduced cost below 0; sets slacks."""
    for j in range(p.n):
        if p.reduced[j] < -ALLOWED / COARSE or p.theta[j] < 0.0:
            return False
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
