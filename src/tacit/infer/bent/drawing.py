"""Samples given findings, around curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Column, Floats, Ints, code_type
from tacit.core.errors import listed, quoted
from tacit.core.network import Network
from tacit.infer.bent.posed import POINTS, HeldCases
from tacit.infer.bent.questions import as_findings, bent_of
from tacit.infer.normal.bulk import above
from tacit.infer.normal.components import system_of
from tacit.infer.normal.drawing import draw_states, sample_real
from tacit.infer.normal.findings import AnyFinding
from tacit.infer.normal.kinds import Part
from tacit.infer.normal.posterior import Found, codes_of, solution_of, solved


def sample_bent(
    network: Network, cases: int, findings: Sequence[AnyFinding], random: np.random.Generator
) -> tuple[dict[str, Column], tuple[str, ...]]:
    """Columns of cases drawn from P(everything | findings), and what to know about them.

    Where values on all sides make the curves straight that is exact; else the bends are picked from
    weighted draws, as often as their weights say, and everything else is drawn given them. What no
    finding bears on is drawn along the arcs.
    """
    part = above(network, {each.name for each in findings})
    columns, notes = _sampled(part, cases, findings, random)
    for name in network:
        if name not in columns:
            family = network[name]
            parents = [columns[each] for each in family.parents]
            columns[name] = family.sample(parents, cases, random)
    return columns, notes


def _sampled(
    part: Network, cases: int, findings: Sequence[AnyFinding], random: np.random.Generator
) -> tuple[dict[str, Column], tuple[str, ...]]:
    """The part of a network that findings bear on from below."""
    bent = bent_of(part, tuple(part), findings)
    straight = bent.straight
    if not straight.bends:
        found = sample_real(straight.network, cases, as_findings(straight, findings), random)
        return {name: found[name] for name in part}, ()
    seed = int(random.integers(2**31))
    cloud = bent.cloud(max(POINTS, 4 * cases), seed)
    ends = np.cumsum(cloud.weights)
    at = np.minimum(np.searchsorted(ends, random.random(cases) * ends[-1]), ends.size - 1)
    held = bent.held(cloud.points[at])
    columns = _completed(held, random)
    names = listed(map(quoted, straight.bends), 4)
    note = (
        f"drawn around curves, which is not exact: values of {names} were picked from "
        f"{ends.size:,} weighted draws, worth {cloud.size:,.0f}"
    )
    return {name: columns[name] for name in part}, (note,)


def _completed(held: HeldCases, random: np.random.Generator) -> dict[str, Column]:
    """Everything unknown, drawn: states first, then reals given them."""
    plan = held.held.plan
    codes, reals = held.held.codes.astype(np.int64), held.held.reals.copy()
    for group in held.held.groups:
        soft = held.bent.soft_factors(held.held, group)
        for found in solved(held.held, group, held.parameters, (), soft):
            if found.beliefs is not None:
                for place, drawn in draw_states(found.beliefs, found.cases.size, random).items():
                    codes[found.cases, place] = drawn
            for part in group.kind.parts:
                if part.component.size:
                    _draw_reals(held, found, part, codes, reals, random)
    layout, frame = plan.layout, plan.frame
    return {
        name: reals[:, frame.places[name]]
        if name in frame.places
        else codes[:, at].astype(code_type(layout.cards[at]))
        for at, name in enumerate(layout.names)
    }


def _draw_reals(
    held: HeldCases, found: Found, part: Part, codes: Ints, reals: Floats,
    random: np.random.Generator,
) -> None:  # fmt: skip
    """Write the unknown reals of a part: the solution with right sides shaken by their noise."""
    which = np.zeros(found.cases.size, np.int64)
    for place, card in zip(part.opened, part.shape, strict=True):
        which = which * card + codes[found.cases, place]
    choice = part.choice(codes_of(found.group.kind, part, found.group.codes))
    for at in np.unique(which):
        numbers = held.parameters.numbers
        system = system_of(held.held.plan.frame, part.component, numbers, choice[[at]])
        mine = found.cases[which == at]
        known = system.known(held.held.reals[mine])
        known += np.sqrt(system.noise)[:, None, :] * random.standard_normal(known.shape)
        reals[mine[:, None], part.component.unknown] = solution_of(system).means(known)[0]
