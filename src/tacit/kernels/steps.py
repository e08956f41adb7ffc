"""One step of the interior-point method: residuals, direction, and how far to go along it."""

from __future__ import annotations

from numba import njit

from tacit.kernels.normal import Part, Room, solve_normal


@njit(cache=True, nogil=True, error_model="numpy")
def residuals(p: Part, room: Room) -> tuple[float, float]:
    """b - B θ - s and v - B'z, and how large they are."""
    primal = dual = 0.0
    for i in range(p.m):
        room.off_primal[i] = p.limit[i] - p.slack[i]
    for j in range(p.n):
        along = 0.0
        for k in range(p.at[j], p.at[j + 1]):
            room.off_primal[p.rule[k]] -= p.factor[k] * p.theta[j]
            along += p.factor[k] * p.z[p.rule[k]]
        room.off_dual[j] = p.reduced[j] - along
        dual = max(dual, abs(room.off_dual[j]) / (1.0 + p.reduced[j]))
    for i in range(p.m):
        primal = max(primal, abs(room.off_primal[i]))
    return primal, dual


@njit(cache=True, nogil=True, error_model="numpy")
def complementarity(p: Part, room: Room) -> float:
    """The average μ."""
    total = 0.0
    for j in range(p.n):
        total += abs(p.theta[j] * p.reduced[j] - room.weight[j])
    for i in range(p.e, p.m):
        total += p.slack[i] * p.z[i]
    return total / (p.n + p.m - p.e)


@njit(cache=True, nogil=True, error_model="numpy")
def direction(p: Part, room: Room, mu: float, bent: bool, rounds: int) -> None:
    """The step to θ v = w + μ, s λ = μ; `bent` by what the last direction left of second order."""
    if not bent:
        room.bend[: p.n] = 0.0
        room.bend_slack[: p.m] = 0.0
    for i in range(p.m):
        room.right[i] = -room.off_primal[i]
    for i in range(p.e, p.m):
        room.right[i] += (mu - room.bend_slack[i]) / p.z[i] - p.slack[i]
    for j in range(p.n):
        gap = room.weight[j] + mu - room.bend[j] - p.theta[j] * p.reduced[j]
        held = p.reduced[j] + p.damping * p.theta[j]
        room.d_theta[j] = (gap + p.theta[j] * room.off_dual[j]) / held
        for k in range(p.at[j], p.at[j + 1]):
            room.right[p.rule[k]] += p.factor[k] * room.d_theta[j]
    for j in range(p.n):
        room.d_reduced[j] = -room.off_dual[j]
    for i in range(p.e, p.m):
        room.d_slack[i] = (mu - room.bend_slack[i]) / p.z[i] - p.slack[i]
    room.d_multiplier[: p.m] = 0.0
    _along(p, room)
    for _ in range(rounds):
        _missed(p, room)
        _along(p, room)


@njit(cache=True, nogil=True, error_model="numpy")
def _along(p: Part, room: Room) -> None:
    """Solve the normal equations and take what they say into the direction."""
    solve_normal(p.m, room)
    for j in range(p.n):
        along = 0.0
        for k in range(p.at[j], p.at[j + 1]):
            along += p.factor[k] * room.right[p.rule[k]]
        room.d_reduced[j] += along
        room.d_theta[j] -= p.theta[j] / (p.reduced[j] + p.damping * p.theta[j]) * along
    for i in range(p.m):
        room.d_multiplier[i] += room.right[i]
    for i in range(p.e, p.m):
        room.d_slack[i] -= p.slack[i] / p.z[i] * room.right[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _missed(p: Part, room: Room) -> None:
    """By how much the direction misses the rules: what rounding has left."""
    for i in range(p.m):
        room.right[i] = -room.off_primal[i]
    for i in range(p.e, p.m):
        room.right[i] += room.d_slack[i]
    for j in range(p.n):
        for k in range(p.at[j], p.at[j + 1]):
            room.right[p.rule[k]] += p.factor[k] * room.d_theta[j]


@njit(cache=True, nogil=True, error_model="numpy")
def reach(p: Part, room: Room) -> tuple[float, float]:
    """How far θ and s, v and λ can go along the direction before one of them is 0."""
    up = down = 1e30
    for j in range(p.n):
        if room.d_theta[j] < 0.0:
            up = min(up, -p.theta[j] / room.d_theta[j])
        if room.d_reduced[j] < 0.0:
            down = min(down, -p.reduced[j] / room.d_reduced[j])
    for i in range(p.e, p.m):
        if room.d_slack[i] < 0.0:
            up = min(up, -p.slack[i] / room.d_slack[i])
        if room.d_multiplier[i] < 0.0:
            down = min(down, -p.z[i] / room.d_multiplier[i])
    return up, down


@njit(cache=True, nogil=True, error_model="numpy")
def after(p: Part, room: Room, up: float, down: float) -> float:
    """The average μ that this direction would leave."""
    up, down, total = min(1.0, up), min(1.0, down), 0.0
    for j in range(p.n):
        theta = p.theta[j] + up * room.d_theta[j]
        total += abs(theta * (p.reduced[j] + down * room.d_reduced[j]) - room.weight[j])
    for i in range(p.e, p.m):
        slack = p.slack[i] + up * room.d_slack[i]
        total += slack * (p.z[i] + down * room.d_multiplier[i])
    return total / (p.n + p.m - p.e)


@njit(cache=True, nogil=True, error_model="numpy")
def move(p: Part, room: Room, up: float, down: float) -> None:
    """Take the step."""
    for j in range(p.n):
        p.theta[j] += up * room.d_theta[j]
        p.reduced[j] += down * room.d_reduced[j]
    for i in range(p.m):
        p.z[i] += down * room.d_multiplier[i]
    for i in range(p.e, p.m):
        p.slack[i] += up * room.d_slack[i]
