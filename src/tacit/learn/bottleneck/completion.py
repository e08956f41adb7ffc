"""The objective of information bottleneck EM, and the two halves of a step at a fixed gamma."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.ruled.plan import Ruling
from tacit.learn.bottleneck.contexts import Contexts, Joint
from tacit.learn.expectation import Problem, maximise

TINY = 1e-300
"""Parameters and shares below are taken for it: a state that is gone leaves logarithms finite."""


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """What stays the same along a path.

    problem   prior, rules and the E-step of EM
    entropic  deterministic annealing: shares are posteriors to the power gamma, and the marginal of
              a hidden variable does not hold them back
    """

    problem: Problem
    contexts: Contexts
    entropic: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Everything at one point of a path.

    shares       Q(t|y) per open variable: (contexts, states)
    expected     counts under these shares, flat, known ones included
    information  I_Q(T; Y) per hidden variable, in nats
    fit          F[Q, P] W + Σ pseudo log θ: what EM maximises; with one hidden variable no more
                 than its objective, with several no more than a bound of it
    objective    gamma fit - (1 - gamma) W Σ information, W being what all cases weigh
    """

    gamma: float
    theta: Floats
    shares: tuple[Floats, ...]
    expected: Floats
    information: tuple[float, ...]
    fit: float
    objective: float
    ruled: Ruling | None = None


def marginals(contexts: Contexts, shares: Sequence[Floats]) -> tuple[Floats, ...]:
    """Q(t) of every open variable."""
    return tuple(contexts.weights @ each / contexts.total for each in shares)


def counts_of(contexts: Contexts, shares: Sequence[Floats]) -> Floats:
    """The expected counts of all families under these shares, flat. [HV2 (6.16), (6.17)]"""
    from tacit.kernels.bottleneck import counted

    flat = room(contexts)
    for each, share in zip(contexts.open, shares, strict=True):
        part = np.empty(each.cells.shape)
        counted(each.seen, share, part)
        np.add.at(flat, each.cells, part)
    return _with_joints(contexts, shares, flat)


def m_step(work: Work, state: State) -> tuple[Floats, Ruling | None]:
    """The parameters that are most likely at the expected counts, under prior and rules."""
    return maximise(work.problem, state.expected, state.ruled, state.theta)


def e_step(
    work: Work, theta: Floats, shares: Sequence[Floats], gamma: float, ruled: Ruling | None = None
) -> State:
    """Q(t|y) = Q(t)^(1 - gamma) exp(gamma E log P(x[y], t, others)) / Z, one variable at a time.

    Each update is the best for its variable while Q(t) on the right and the shares of the others
    stand still, and Q(t) is then the best for the shares: the objective never falls. Updated at
    once, variables that depend on each other may make it fall. [HV2 (6.4), Prop 6.4.1]
    """
    from tacit.kernels.bottleneck import complete

    contexts = work.contexts
    logs, latest = logarithms(contexts, theta), [each.copy() for each in shares]
    flat, against = room(contexts), []
    for at, (each, before) in enumerate(
        zip(contexts.open, marginals(contexts, shares), strict=True)
    ):
        tilt, power = np.zeros(each.states), 1.0
        if each.hidden:
            power = gamma
            tilt += 0.0 if work.entropic else (1.0 - gamma) * np.log(np.maximum(before, TINY))
        part, table = np.empty(each.cells.shape), logs[each.cells]
        more = from_joints(contexts, logs, latest, at)
        known, _ = complete(each.seen, table, more, tilt, power, latest[at], part)
        against.append(known)
        np.add.at(flat, each.cells, part)
    expected = _with_joints(contexts, latest, flat)
    return _valued(work, State(gamma, theta, tuple(latest), expected, (), 0.0, 0.0, ruled), against)


def step(work: Work, state: State) -> State:
    """M, then E, at the same gamma."""
    theta, ruled = m_step(work, state)
    return e_step(work, theta, state.shares, state.gamma, ruled)


def begun(work: Work, shares: Sequence[Floats], gamma: float, theta: Floats) -> State:
    """The state after a first step from these shares.

    theta  parameters before, from where rules without a closed form are solved
    """
    return step(work, state_at(work, theta, shares, gamma))


def state_at(work: Work, theta: Floats, shares: Sequence[Floats], gamma: float) -> State:
    """Any shares with any parameters at any gamma, and what they are worth."""
    expected = counts_of(work.contexts, shares)
    against = [negentropy(work.contexts.weights, share) for share in shares]
    return _valued(work, State(gamma, theta, tuple(shares), expected, (), 0.0, 0.0), against)


def _valued(work: Work, state: State, against: Sequence[float]) -> State:
    """The state with its information and objective.

    against  Σ weight Σ_t Q(t|y) log Q(t|y) of every open variable

    With r = Q(t) the objective is gamma (E log P + Σ pseudo log θ) - Σ against + (1 - gamma) W
    Σ Q(t) log Q(t); a cell that is merely missing enters with gamma on both sides. [HV2 Thm 6.2.3]
    """
    contexts, pseudo = work.contexts, work.problem.pseudo
    logs, total = logarithms(contexts, state.theta)[:-1], contexts.total
    weighed = state.expected + pseudo
    counted = weighed != 0
    fit = float(weighed[counted] @ logs[counted]) - sum(against)
    information, held = [], 0.0
    for each, known, mean in zip(
        contexts.open, against, marginals(contexts, state.shares), strict=True
    ):
        if each.hidden:
            common = total * float(mean @ np.log(np.maximum(mean, TINY)))
            information.append(max(known - common, 0.0) / total)
            held += known if work.entropic else known - common
    objective = state.gamma * fit - (1.0 - state.gamma) * held
    return replace(state, information=tuple(information), fit=fit, objective=objective)


def log_joint(contexts: Contexts, theta: Floats, shares: Sequence[Floats], at: int) -> Floats:
    """(contexts, states) E_Q(others) log P(x[y], t, others) of one open variable, up to what does
    not depend on t."""
    from tacit.kernels.bottleneck import summed

    logs, each = logarithms(contexts, theta), contexts.open[at]
    found = np.empty((len(contexts.weights), each.states))
    summed(each.seen, logs[each.cells], found)
    more = from_joints(contexts, logs, shares, at)
    return found + more if more.size else found


def log_likelihood(contexts: Contexts, theta: Floats) -> float:
    """log P(cases) where only one variable is open: Σ weight log Σ_t P(x[y], t)."""
    from tacit.kernels.bottleneck import complete

    assert contexts.exact
    logs, (each,) = logarithms(contexts, theta), contexts.open
    part, share = np.empty(each.cells.shape), np.empty((len(contexts.weights), each.states))
    none, zero = np.empty((0, each.states)), np.zeros(each.states)
    _, scale = complete(each.seen, logs[each.cells], none, zero, 1.0, share, part)
    counted = contexts.known != 0
    return float(contexts.known[counted] @ logs[:-1][counted]) + scale


def negentropy(weights: Floats, share: Floats) -> float:
    """Σ weight Σ_t Q(t|y) log Q(t|y)."""
    return float(weights @ (share * np.log(np.maximum(share, TINY))).sum(axis=1))


def room(contexts: Contexts) -> Floats:
    """Flat counts of nothing, with one place more for what says nothing."""
    return np.zeros(contexts.layout.size + 1)


def logarithms(contexts: Contexts, theta: Floats) -> Floats:
    """Log-parameters, flat, with a last one for what says nothing."""
    logs = np.zeros(contexts.layout.size + 1)
    logs[:-1] = np.log(np.maximum(theta, TINY))
    return logs


def from_joints(contexts: Contexts, logs: Floats, shares: Sequence[Floats], at: int) -> Floats:
    """(contexts, states) what families with further open variables add, in the mean over these.

    Nothing at all, with no line, where there are none.
    """
    mine = [joint for joint in contexts.joints if at in joint.who]
    states = contexts.open[at].states
    if not mine:
        return np.empty((0, states))
    found = np.zeros((len(contexts.weights), states))
    for joint in mine:
        found += _mean(joint, logs[joint.cells], shares, at)
    return found


def _mean(joint: Joint, logs: Floats, shares: Sequence[Floats], at: int) -> Floats:
    """(contexts, states) E log θ over the other open variables of a family."""
    one = len(logs) == 1
    table, spelt = (logs[0], "") if one else (logs[joint.rows], "y")
    axes = "abcdefghijklmnop"[: len(joint.who)]
    others = [(axis, shares[who]) for axis, who in zip(axes, joint.who, strict=True) if who != at]
    words = ",".join([spelt + axes, *(f"y{axis}" for axis, _ in others)])
    mine = axes[joint.who.index(at)]
    return np.asarray(np.einsum(f"{words}->y{mine}", table, *(s for _, s in others), optimize=True))


def _with_joints(contexts: Contexts, shares: Sequence[Floats], flat: Floats) -> Floats:
    """The counts with those of families in which several variables are open, and the known ones."""
    for joint in contexts.joints:
        np.add.at(flat, joint.cells, _joint_counts(contexts, joint, shares))
    return np.asarray(flat[:-1] + contexts.known)


def _joint_counts(contexts: Contexts, joint: Joint, shares: Sequence[Floats]) -> Floats:
    """(rows, states of each...) Σ weight Π Q over the contexts with each row."""
    first = contexts.weights[:, None] * shares[joint.who[0]]
    if len(joint.cells) == 1 and len(joint.who) == 2:
        return np.asarray(first.T @ shares[joint.who[1]])[None]
    mass = first
    for who in joint.who[1:]:
        mass = (mass[:, :, None] * shares[who][:, None, :]).reshape(len(mass), -1)
    order = np.argsort(joint.rows, kind="stable")
    starts = np.searchsorted(joint.rows[order], np.arange(len(joint.cells)))
    return np.asarray(np.add.reduceat(mass[order], starts, axis=0)).reshape(joint.cells.shape)
