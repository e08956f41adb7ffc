"""Cardinality along a path: one state more where all are in use, one less where two are alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import quoted
from tacit.core.grid import counted
from tacit.learn.bottleneck.continuation import Heard, Settled
from tacit.learn.bottleneck.effective import States, proper
from tacit.learn.bottleneck.reshaping import Ground, by_case, reshaped, shape_of
from tacit.learn.bottleneck.shape import resized

APART = 0.01
"""By how much the halves of a state that is split differ, as a share of it."""


def states_of(here: Settled, name: str) -> States:
    """The expected counts around a hidden variable, one column per state."""
    layout = here.route.work.contexts.layout
    alpha = proper(layout, here.route.alpha)
    return States.of(layout, here.state.expected, alpha, layout.places[name])


def in_use(here: Settled, name: str) -> bool:
    """Whether merging any two states would lower the BDe score. [HV2 2.10, sign as the errata]"""
    gains = states_of(here, name).gains()
    return bool((gains[np.triu_indices(len(gains), 1)] < 0).all())


def grown(ground: Ground, here: Settled, heard: Heard) -> Settled:
    """One state more for every hidden variable whose states are all in use. [HV2 2.10]

    The most probable state is split into halves that differ by noise; what the prior weighs in all
    stays the same.
    """
    shape, fresh, said = shape_of(here), dict[str, Floats](), list[str]()
    random = np.random.default_rng([*here.route.seed, 2, int(here.state.gamma * 2**40)])
    for name, many in shape_of(here).states.items():
        if many < ground.settings.most_states and in_use(here, name):
            fresh[name] = split(by_case(here, name), np.asarray(ground.data.weights), random)
            shape = resized(shape, name, many + 1)
            said.append(f"{quoted(name)} gets {counted(many + 1, 'state')}")
    if not fresh:
        return here
    return reshaped(ground, replace(here, said=(*here.said, *said)), shape, heard, fresh)


def split(share: Floats, weights: Floats, random: np.random.Generator) -> Floats:
    """(cases, states + 1) the shares with the most probable state in two halves."""
    state = int(np.argmax(weights @ share))
    part = 0.5 + APART * random.uniform(-1.0, 1.0, size=len(share))
    found = np.column_stack([share, share[:, state] * (1.0 - part)])
    found[:, state] *= part
    return np.asarray(found)


def merged_alike(ground: Ground, here: Settled, heard: Heard, fewest: int) -> Settled:
    """States that are not worth telling apart become one, the best pair first.

    fewest  states that a variable keeps, whatever that costs
    """
    shape, fresh, said = shape_of(here), dict[str, Floats](), list[str]()
    weights = np.asarray(ground.data.weights)
    for name, many in shape_of(here).states.items():
        left, share = states_of(here, name), by_case(here, name)
        while left.counts.shape[1] > fewest:
            gains = savings(left, share, weights, here.state.gamma)
            i, j = map(int, np.unravel_index(int(np.argmax(gains)), gains.shape))
            if gains[i, j] <= 0:
                break
            left, share = left.merged(i, j), joined(share, i, j)
        if share.shape[1] < many:
            fresh[name], shape = share, resized(shape, name, share.shape[1])
            said.append(f"{quoted(name)} keeps {counted(share.shape[1], 'state')}")
    if not fresh:
        return here
    return reshaped(ground, replace(here, said=(*here.said, *said)), shape, heard, fresh)


def fewer_states(ground: Ground, here: Settled) -> Iterator[tuple[str, Floats]]:
    """For every hidden variable its shares with the two states as one that it loses least by."""
    weights = np.asarray(ground.data.weights)
    for name, many in shape_of(here).states.items():
        if many > 2:
            share = by_case(here, name)
            gains = savings(states_of(here, name), share, weights, here.state.gamma)
            i, j = map(int, np.unravel_index(int(np.argmax(gains)), gains.shape))
            yield name, joined(share, i, j)


def savings(states: States, share: Floats, weights: Floats, gamma: float) -> Floats:
    """(states, states) by how much `worth` grows when states i and j become one:

    γ (Δ_ij + W ΔH(T|Y)) - (1 - γ) W ΔI(T; Y).

    Δ_ij, by which the source decides, is of cases whose states are known; of two that are hard to
    tell apart case by case it counts what their names cost, and not the ΔH that is got back for
    leaving these open. The source's rule says when states are added; what is taken away at the end
    must be worth it. [HV2 2.10]
    """
    found = states.gains()
    mean = weights @ share / weights.sum()
    for i in range(len(found) - 1):
        for j in range(i + 1, len(found)):
            lost = weights @ _mixing(share[:, i], share[:, j])
            told = weights.sum() * float(_mixing(mean[i : i + 1], mean[j : j + 1])[0]) - lost
            found[i, j] = gamma * (found[i, j] - lost) + (1.0 - gamma) * told
    return np.asarray(np.where(np.tri(len(found), dtype=bool), -np.inf, found))


def _mixing(one: Floats, other: Floats) -> Floats:
    """What is left open between two: (a + b) H(a / (a + b))."""
    from scipy.special import xlogy

    both = one + other
    return np.asarray(xlogy(both, both) - xlogy(one, one) - xlogy(other, other))


def joined(share: Floats, i: int, j: int) -> Floats:
    """(cases, states - 1) Q(ij|y) = Q(i|y) + Q(j|y). [HV2 (6.26)]"""
    found = np.delete(share, j, axis=1)
    found[:, i - (j < i)] = share[:, i] + share[:, j]
    return found
