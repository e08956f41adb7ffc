"""Exact samples given findings, where variables are continuous."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from tacit.arrays import Column, Floats, Ints, code_type
from tacit.core.network import Network
from tacit.infer.normal.beliefs import Beliefs
from tacit.infer.normal.components import system_of
from tacit.infer.normal.findings import AnyFinding
from tacit.infer.normal.groups import Group
from tacit.infer.normal.kinds import Part
from tacit.infer.normal.posed import Posed, explain, pose
from tacit.infer.normal.posterior import solution_of


def sample_real(
    network: Network, cases: int, findings: Sequence[AnyFinding], random: np.random.Generator
) -> dict[str, Column]:
    """Columns of cases drawn from P(everything | findings): states first, then reals given them."""
    posed = pose(network, findings, tuple(network))
    if posed.mass() == -np.inf:
        raise explain(network, findings)
    held = posed.held
    codes = np.repeat(held.codes, cases, axis=0).astype(np.int64)
    reals = np.repeat(held.reals, cases, axis=0)
    for group in held.groups:
        beliefs = posed.found(group).beliefs
        if beliefs is not None:
            for place, drawn in draw_states(beliefs, cases, random).items():
                codes[:, place] = drawn
        for part in group.kind.parts:
            if part.component.size:
                _draw_reals(posed, group, part, codes, reals, random)
    layout, frame = held.plan.layout, held.plan.frame
    return {
        name: reals[:, frame.places[name]]
        if name in frame.places
        else codes[:, at].astype(code_type(layout.cards[at]))
        for at, name in enumerate(layout.names)
    }


def draw_states(beliefs: Beliefs, cases: int, random: np.random.Generator) -> Mapping[int, Ints]:
    """States of all open variables of one case, so often, or of so many cases: each clique given
    the one above it."""
    tree, found = beliefs.tree, dict[int, Ints]()
    for at in reversed(range(len(tree.tree.cliques))):
        clique = tree.tree.cliques[at]
        fixed = tuple(v for v in clique if v in found)
        free = tuple(v for v in clique if v not in found)
        if not free:
            continue
        shape = [tree.cards[v] for v in free]
        whole = beliefs.of((*fixed, *free))
        table = whole.reshape(len(whole), -1, prod(shape))
        row = np.zeros(cases, np.int64)
        for v in fixed:
            row = row * tree.cards[v] + found[v]
        line = np.arange(cases) if len(whole) == cases else np.zeros(cases, np.int64)
        shares = np.cumsum(table, axis=2)[line, row]
        below = random.random(cases)[:, None] * shares[:, -1:] >= shares
        drawn = np.minimum(below.sum(axis=1), prod(shape) - 1)
        found |= dict(zip(free, np.unravel_index(drawn, shape), strict=True))
    return found


def _draw_reals(
    posed: Posed,
    group: Group,
    part: Part,
    codes: Ints,
    reals: Floats,
    random: np.random.Generator,
) -> None:
    """Write the unknown reals of a part, drawn given the states.

    With the right sides shaken by the noise of their rows, the solution is a draw of the posterior
    (Papandreou and Yuille 2010): no covariance is written out.
    """
    held, unknown = posed.held, part.component.unknown
    which = np.zeros(len(codes), np.int64)
    for place, card in zip(part.opened, part.shape, strict=True):
        which = which * card + codes[:, place]
    seen = [group.kind.held.index(place) for place in part.held]
    choice = part.choice(group.codes[seen])
    for at in np.unique(which):
        chosen = choice[[at]]
        system = system_of(held.plan.frame, part.component, posed.parameters.numbers, chosen)
        mine = np.flatnonzero(which == at)
        known = np.repeat(system.known(held.reals), mine.size, axis=1)
        known += np.sqrt(system.noise)[:, None, :] * random.standard_normal(known.shape)
        reals[mine[:, None], unknown] = solution_of(system).means(known)[0]
