"""Shares of hidden variables together, where they hang together in trees: no mean field.

With r(t) = Π r(t_i | hidden parents of it) for the marginal of the shares,

maximise  Σ_y weight log Z(y),   Z(y) = Σ_t r(t)^(1-γ) P(x[y], t)^γ,   plus γ Σ pseudo log θ

over r and θ. At its maximum r is the marginal of Q(t|y) = r(t)^(1-γ) P(x[y], t)^γ / Z(y) along the
tree, and the value is γ fit - (1-γ) W I, where I = -E log r(T) - H(T|Y) is no less than the
information I_Q(T; Y): the conditional form of a bottleneck whose hidden variables depend on each
other as they do in the network. At γ = 1 it is EM's. [HV2 2.8, general G_in, with the erratum;
HV2-13, HV2-14]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import OptionError, listed
from tacit.estimate.ruled.plan import Ruling
from tacit.learn.bottleneck.completion import (
    TINY,
    State,
    Work,
    logarithms,
    m_step,
    marginals,
    room,
)
from tacit.learn.bottleneck.contexts import Contexts, Joint


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A table with two hidden variables in it, seen from the one nearer to the root.

    rows   (contexts,) which configuration of the rest a context picks
    cells  (rows, states of upper, states of lower) positions in the flat vector
    """

    upper: int
    lower: int
    rows: Ints
    cells: Ints


@dataclass(frozen=True, slots=True)
class Tree:
    """A forest of hidden variables: its roots, and branches after those above them."""

    roots: tuple[int, ...]
    branches: tuple[Branch, ...]


def tree_of(contexts: Contexts) -> Tree | None:
    """How hidden variables hang together; None if in no trees, or if cells are missing too."""
    if any(not each.hidden for each in contexts.open):
        return None
    if any(len(joint.who) != 2 for joint in contexts.joints):
        return None
    roots, branches, waiting = list[int](), list[Branch](), list[int]()
    left, met = list(contexts.joints), set[int]()
    for root in range(len(contexts.open)):
        if root in met:
            continue
        roots.append(root)
        met.add(root)
        waiting.append(root)
        while waiting:
            upper = waiting.pop()
            for joint in [each for each in left if upper in each.who]:
                branch = _branch(joint, upper)
                if branch.lower in met:
                    return None
                left.remove(joint)
                met.add(branch.lower)
                waiting.append(branch.lower)
                branches.append(branch)
    return Tree(tuple(roots), tuple(branches))


def hanging(contexts: Contexts) -> Tree:
    """How hidden variables hang together; an error where they do not do so in trees."""
    found = tree_of(contexts)
    if found is None:
        gaps = [contexts.layout.names[each.variable] for each in contexts.open if not each.hidden]
        reason = f"{listed(gaps)} has gaps" if gaps else "they hang together in more than trees"
        raise OptionError(
            f'inference="exact" needs hidden variables in trees and no missing cells: {reason}'
            '\n\nuse inference="mean-field", which EM itself may finish'
        )
    return found


def _branch(joint: Joint, upper: int) -> Branch:
    first, second = joint.who
    if first == upper:
        return Branch(upper, second, joint.rows, joint.cells)
    return Branch(upper, first, joint.rows, joint.cells.swapaxes(1, 2))


def held(work: Work, weights: Floats) -> Floats:
    """log r(t_i | hidden parents), laid out as the tables of hidden variables; 0 elsewhere.

    weights  flat expected counts; parameters, where there are none yet. Under deterministic
             annealing nothing holds the shares back, and all of it is 0.
    """
    contexts, found = work.contexts, room(work.contexts)
    if work.entropic:
        return found
    hidden = {each.variable for each in contexts.open}
    for variable in hidden:
        axes = contexts.layout.axes[variable].variables
        seen = tuple(at for at, other in enumerate(axes[:-1]) if other not in hidden)
        table = np.maximum(contexts.layout.block(weights, variable), 0.0)
        table = table.sum(axis=seen, keepdims=True)
        rows = table.sum(axis=-1, keepdims=True)
        share = np.where(rows > 0, table / np.where(rows > 0, rows, 1.0), 1.0 / table.shape[-1])
        contexts.layout.block(found, variable)[...] = np.log(np.maximum(share, TINY))
    return found


def together(
    work: Work, tree: Tree, theta: Floats, gamma: float, apart: Floats, ruled: Ruling | None = None
) -> State:
    """The exact shares at these parameters, and what they are worth.

    apart  log r, as `held` lays it out
    """
    contexts, pseudo = work.contexts, work.problem.pseudo
    logs = logarithms(contexts, theta)
    tilted = gamma * logs + (1.0 - gamma) * apart
    shares, flat, scale = _passed(contexts, tree, tilted)
    against = float(flat @ tilted) - scale  # Σ weight Σ_t Q log Q, all hidden variables together
    expected = flat[:-1] + contexts.known
    weighed = expected + pseudo
    counted = weighed != 0
    fit = float(weighed[counted] @ logs[:-1][counted]) - against
    objective = gamma * fit - (1.0 - gamma) * (against - float(flat @ apart))
    told = _informations(contexts, shares)
    return State(gamma, theta, shares, expected, told, fit, objective, ruled)


def together_step(work: Work, tree: Tree, state: State) -> State:
    """M, then E, at the same gamma; the objective never falls."""
    theta, ruled = m_step(work, state)
    return together(work, tree, theta, state.gamma, held(work, state.expected), ruled)


def together_begun(work: Work, tree: Tree, theta: Floats, gamma: float) -> State:
    """The state after a first step from these parameters, which need not obey rules."""
    return together_step(work, tree, together(work, tree, theta, gamma, held(work, theta)))


def exact_log_likelihood(work: Work, tree: Tree, theta: Floats) -> float:
    """log P(cases), hidden variables summed out."""
    contexts = work.contexts
    logs = logarithms(contexts, theta)
    _, _, scale = _passed(contexts, tree, logs)
    counted = contexts.known != 0
    return scale + float(contexts.known[counted] @ logs[:-1][counted])


def shaken(work: Work, theta: Floats, noise: float, random: np.random.Generator) -> Floats:
    """Parameters with noise in the logarithms of those around hidden variables."""
    layout, found = work.contexts.layout, theta.copy()
    around = {family for each in work.contexts.open for family in layout.touching[each.variable]}
    for family in sorted(around):
        block = layout.block(found, family)
        block *= np.exp(random.normal(scale=noise, size=block.shape))
        block /= block.sum(axis=-1, keepdims=True)
    return found


def _passed(
    contexts: Contexts, tree: Tree, tilted: Floats
) -> tuple[tuple[Floats, ...], Floats, float]:
    """Shares of every variable, expected counts, flat, and Σ weight log Z.

    Messages go up and come down again; each is scaled by its largest part, so none underflows.
    """
    from tacit.kernels.bottleneck import counted, summed

    local, flat = [], room(contexts)
    for each in contexts.open:
        found = np.empty((contexts.weights.size, each.states))
        summed(each.seen, tilted[each.cells], found)
        local.append(found)
    sent = list[tuple[Floats, Floats, Floats]]()
    for branch in reversed(tree.branches):
        table = np.exp(tilted[branch.cells])
        below, top = _scaled(local[branch.lower])
        message = np.maximum(_up(branch, table, below), TINY)
        local[branch.upper] += np.log(message) + top
        sent.append((table, below, message))
    shares, scale = [np.empty(0)] * len(local), 0.0
    for root in tree.roots:
        part, top = _scaled(local[root])
        total = part.sum(axis=1, keepdims=True)
        shares[root] = part / total
        scale += float(contexts.weights @ (np.log(total) + top)[:, 0])
    for branch, (table, below, message) in zip(tree.branches, reversed(sent), strict=True):
        ratio = shares[branch.upper] / message
        np.add.at(flat, branch.cells, _pairs(contexts, branch, table, ratio, below))
        share = below * _down(branch, table, ratio)
        shares[branch.lower] = share / share.sum(axis=1, keepdims=True)
    for each, share in zip(contexts.open, shares, strict=True):
        part = np.empty(each.cells.shape)
        counted(each.seen, share, part)
        np.add.at(flat, each.cells, part)
    return tuple(shares), flat, scale


def _scaled(logs: Floats) -> tuple[Floats, Floats]:
    top = logs.max(axis=1, keepdims=True)
    return np.exp(logs - top), top


def _up(branch: Branch, table: Floats, below: Floats) -> Floats:
    if len(table) == 1:
        return np.asarray(below @ table[0].T)
    return np.asarray(np.einsum("yl,yul->yu", below, table[branch.rows]))


def _down(branch: Branch, table: Floats, ratio: Floats) -> Floats:
    if len(table) == 1:
        return np.asarray(ratio @ table[0])
    return np.asarray(np.einsum("yu,yul->yl", ratio, table[branch.rows]))


def _pairs(
    contexts: Contexts, branch: Branch, table: Floats, ratio: Floats, below: Floats
) -> Floats:
    """(rows, states of upper, states of lower) Σ weight Q(upper, lower | y)."""
    weighed = contexts.weights[:, None] * ratio
    if len(table) == 1:
        return np.asarray(table[0] * (weighed.T @ below))[None]
    mass, found = weighed[:, :, None] * below[:, None, :], np.zeros_like(table)
    np.add.at(found, branch.rows, mass)
    return np.asarray(found * table)


def _informations(contexts: Contexts, shares: Sequence[Floats]) -> tuple[float, ...]:
    """I_Q(T_i; Y) of every hidden variable by itself, in nats."""
    found = []
    for share, mean in zip(shares, marginals(contexts, shares), strict=True):
        each = (share * np.log(np.maximum(share, TINY))).sum(axis=1)
        known = float(contexts.weights @ each) / contexts.total
        found.append(max(known - float(mean @ np.log(np.maximum(mean, TINY))), 0.0))
    return tuple(found)
