"""Where the solution goes as gamma grows, and how far gamma may grow in one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.learn.bottleneck.completion import (
    TINY,
    State,
    Work,
    begun,
    from_joints,
    log_joint,
    marginals,
)
from tacit.learn.bottleneck.settings import IBEM

LEAST = 1e-12
"""Shares and predicted gains of information below count as this much."""
NUDGE = 1e-5
"""By how much shares and gamma are moved to see how a step of EM changes with them."""


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """dQ(t|y) / dγ of every hidden variable, and dI(T; Y) / dγ that it foretells, summed."""

    change: tuple[Floats, ...]
    gain: float


def direction(work: Work, settings: IBEM, state: State) -> Direction:
    """The direction in which the path goes on from a converged state.

    With P a function of Q the path solves G = -log Q(t|y) + (1 - γ) log Q(t) + γ log P(x[y], t) -
    log Z = 0, and dQ/dγ solves G_Q dQ = -G_γ. `simple` takes -1/Q for G_Q, `diagonal` the diagonal
    of G_Q, `exact` all of it. [HV2 2.4; the printed (6.24) lacks 1/Q, erratum]
    """
    if settings.direction == "exact":
        found = _exact(work, state)
        if found is not None:
            return _with_gain(work, state, found)
    pulls = [pull(work, state, at) for at in range(len(state.shares))]
    if settings.direction == "diagonal":
        scaled = [
            share * each / np.maximum(1.0 - share * curvature(work, state, at), 0.1)
            for at, (share, each) in enumerate(zip(state.shares, pulls, strict=True))
        ]
    else:
        scaled = [share * each for share, each in zip(state.shares, pulls, strict=True)]
    return _with_gain(work, state, scaled)


def pull(work: Work, state: State, at: int) -> Floats:
    """∂G/∂γ of one open variable: u(t, y) - Σ_t' Q(t'|y) u(t', y), u = log P(x[y], t) - log Q(t).

    Nothing for a cell that is merely missing: its shares follow those of the others. [HV2 (6.25)]
    """
    contexts, share = work.contexts, state.shares[at]
    if not contexts.open[at].hidden:
        return np.zeros_like(share)
    logs = log_joint(contexts, state.theta, state.shares, at)
    if not work.entropic:
        logs = logs - np.log(np.maximum(marginals(contexts, state.shares)[at], TINY))
    return np.asarray(logs - (share * logs).sum(axis=1, keepdims=True))


def curvature(work: Work, state: State, at: int) -> Floats:
    """(contexts, states) ∂G_{t,y}/∂Q(t|y) + 1/Q(t|y) of one hidden variable:

    Q(y) (1 - Q(t|y)) [(1 - γ)/Q(t) + γ D(y, y, t)],
    D(y, y, t) = Σ over child families 1/N(x, pa, t) - 1/N(pa, t), plus 1/N(pa, t) of its own, the
    counts holding the prior and being shares of all cases. Of a family with further open variables
    it takes the mean over them; rows under rules count as free. [HV2 2.4, erratum (6.21), (6.24)]
    """
    from tacit.kernels.bottleneck import summed

    contexts, share = work.contexts, state.shares[at]
    each = contexts.open[at]
    if not each.hidden:
        return np.zeros_like(share)
    spread = _spread(work, state, each.variable)
    found = np.empty(share.shape)
    summed(each.seen, spread[each.cells], found)
    more = from_joints(contexts, spread, state.shares, at)
    found = found + more if more.size else found
    mean = np.maximum(marginals(contexts, state.shares)[at], LEAST)
    common = 0.0 if work.entropic else (1.0 - state.gamma) / mean
    lines = contexts.weights[:, None] / contexts.total
    return np.asarray(lines * (1.0 - share) * (common + state.gamma * found))


def _spread(work: Work, state: State, hidden: int) -> Floats:
    """Flat, per cell of the families around a hidden variable, what D adds; 0 for nothing."""
    layout, total = work.contexts.layout, work.contexts.total
    weights = np.maximum(state.expected + work.problem.pseudo, LEAST) / total
    found = np.zeros(layout.size + 1)
    for family in layout.touching[hidden]:
        counts = layout.block(weights, family)
        place = layout.block(found, family)
        place[...] = 1.0 / counts
        if layout.axes[family].variables[-1] != hidden:
            place -= 1.0 / counts.sum(axis=-1, keepdims=True)
    return found


def _with_gain(work: Work, state: State, change: Sequence[Floats]) -> Direction:
    """The direction with dI = Σ Q(y) log(Q(t|y) / Q(t)) dQ(t|y) over hidden variables. [(6.9)]"""
    contexts, gain = work.contexts, 0.0
    for at, mean in enumerate(marginals(contexts, state.shares)):
        if contexts.open[at].hidden:
            share = np.maximum(state.shares[at], TINY)
            apart = np.log(share) - np.log(np.maximum(mean, TINY))
            gain += float(contexts.weights @ (apart * change[at]).sum(axis=1)) / contexts.total
    return Direction(tuple(change), gain)


def length(work: Work, settings: IBEM, state: State, along: Direction) -> float:
    """How far γ grows, such that I(T; Y) is foretold to grow by the wanted share of Σ log |T|."""
    most = sum(np.log(each.states) for each in work.contexts.open if each.hidden)
    wanted = settings.step * most / max(along.gain, LEAST)
    if settings.direction == "none":
        wanted = settings.longest
    bounded = min(max(wanted, settings.shortest), settings.longest)
    return float(min(bounded, settings.last - state.gamma))


def moved(settings: IBEM, state: State, along: Direction, by: float) -> tuple[Floats, ...]:
    """The shares after a step; taken in logarithms, so that they stay above 0 and add up to 1."""
    if settings.direction == "none":
        return state.shares
    return tuple(
        _scaled(share, by * change / np.maximum(share, LEAST))
        for share, change in zip(state.shares, along.change, strict=True)
    )


def disturbed(
    work: Work, shares: Sequence[Floats], noise: float, random: np.random.Generator
) -> tuple[Floats, ...]:
    """The shares of hidden variables with noise in their logarithms. [HV2 2.6]"""
    return tuple(
        _scaled(share, random.normal(scale=noise, size=share.shape)) if each.hidden else share
        for each, share in zip(work.contexts.open, shares, strict=True)
    )


def _scaled(share: Floats, logs: Floats) -> Floats:
    """Q exp(logs), each line adding up to 1."""
    logs = np.log(np.maximum(share, TINY)) + logs
    found = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _exact(work: Work, state: State) -> list[Floats] | None:
    """dQ/dγ that solves (I - ∂Φ/∂Q) dQ = ∂Φ/∂γ, Φ being one step of EM; None if none is found.

    Φ is differentiated numerically along whatever GMRES asks for: rules and families with several
    hidden variables need no formulas of their own.
    """
    from scipy.sparse.linalg import LinearOperator, gmres

    sizes = [share.size for share in state.shares]
    cuts, flat = np.cumsum(sizes)[:-1], _flat(state.shares)

    def phi(shares: Floats, gamma: float) -> Floats:
        parts = np.split(shares, cuts)
        cut = [part.reshape(s.shape) for part, s in zip(parts, state.shares, strict=True)]
        return _flat(begun(work, cut, gamma, state.theta).shares)

    def residual(change: Floats) -> Floats:
        size = float(np.abs(change).max())
        if size == 0:
            return change
        by = NUDGE / size
        there, back = phi(flat + by * change, state.gamma), phi(flat - by * change, state.gamma)
        return np.asarray(change - (there - back) / (2 * by))

    up, down = min(state.gamma + NUDGE, 1.0), max(state.gamma - NUDGE, 0.0)
    slope = (phi(flat, up) - phi(flat, down)) / (up - down)
    operator = LinearOperator((flat.size, flat.size), matvec=residual, dtype=np.float64)
    found, failed = gmres(operator, slope, rtol=1e-4, restart=40, maxiter=2)
    if failed or not np.isfinite(found).all():
        return None
    return [
        part.reshape(s.shape) for part, s in zip(np.split(found, cuts), state.shares, strict=True)
    ]


def _flat(shares: Sequence[Floats]) -> Floats:
    return np.concatenate([share.ravel() for share in shares])
