"""Many cases around curves: how probable they are, and what they lack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Column, Floats, Ints
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import ImpossibleError, QueryError
from tacit.core.family import Family
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.families.curved import CurvedGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.infer.bent.clouds import Cloud
from tacit.infer.bent.posed import Bent, HeldCases
from tacit.infer.bent.straight import Straight, straightened
from tacit.infer.known import joined, known_masses
from tacit.infer.normal.bulk import RealPosteriors, above, inferred_masses, real_posteriors
from tacit.infer.normal.groups import Grouped, grouped
from tacit.infer.normal.kinds import plan_of
from tacit.infer.normal.posterior import solved
from tacit.infer.normal.spreads import Spread, Spreads, mixture_of, normal_spreads

POINTS = 2_048
"""Weighted points of each case."""


@dataclass(frozen=True, slots=True, eq=False)
class Masses:
    """How probable cases are.

    logs   (cases,) of what was observed
    error  (cases,) its Monte Carlo error; 0 where it is exact
    """

    logs: Floats
    error: Floats

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about them; nothing where all are exact."""
        many = int((self.error > 0).sum())
        if not many:
            return ()
        total = float(np.sqrt((self.error**2).sum()))
        return (
            f"{counted(many, 'case')} with gaps above curves: integrated by weighted draws, with a "
            f"Monte Carlo error of {total:.2g} nats in all",
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Pattern:
    """Cases that lack the same cells, what is asked of them, and what is straight once bends have
    values."""

    straight: Straight
    cases: Ints
    seen: Dataset
    asked: frozenset[str]

    def completed(self) -> Dataset:
        """The cases with the means of curves, where nothing is bent."""
        columns: dict[str, Column] = {name: self.seen[name] for name in self.seen.names}
        whole = self.straight.completed(columns, len(self.cases))
        variables = self.straight.network.variables
        return Dataset({name: variables[name] for name in whole}, whole)

    def single(self, at: int) -> Bent:
        """One of the cases."""
        values = {name: self.seen[name][[at]] for name in self.seen.names}
        return Bent(self.straight, values, {})


def _patterns(
    network: Network, cases: Dataset, *, whole: bool, only: str | None = None
) -> Iterator[_Pattern]:
    """The incomplete cases; `whole`: all that they lack is asked for, or `only` one variable, else
    how probable they are."""
    names = list(network)
    none = np.ones(len(cases), np.bool_)
    gaps = np.column_stack([absent(cases[name]) if name in cases else none for name in names])
    kinds, which = np.unique(gaps, axis=0, return_inverse=True)
    for number, gone in enumerate(kinds):
        if not gone.any():
            continue
        known = [name for name, each in zip(names, gone, strict=True) if not each]
        at = np.flatnonzero(which.reshape(-1) == number)
        if not (known or whole):
            continue
        seen = Dataset(
            {name: network.variables[name] for name in known},
            {name: cases[name][at] for name in known},
        )
        asked = [[only]] if only else _asked(network, set(known))
        if not whole:
            asked = [list(above(network, set(known)).dag.names)]
        for some in asked:
            part = above(network, {*known, *some})
            unknown = frozenset(some) - set(known)
            if unknown or not whole:
                yield _Pattern(straightened(part, set(known), unknown), at, seen, unknown)


def _asked(network: Network, known: set[str]) -> list[list[str]]:
    """The unknown variables of which something exact can be said, and the others."""
    parts: list[list[str]] = [[], []]
    for name in network:
        if name not in known:
            part = above(network, {*known, name})
            parts[bool(straightened(part, known, {name}).bends)].append(name)
    return parts


def _cloud(pattern: _Pattern, at: int, *, total: bool = False) -> tuple[Bent, Cloud] | None:
    """The cloud of one case, None where it is impossible; `total` as in `Bent.cloud`."""
    bent, case = pattern.single(at), int(pattern.cases[at])
    try:
        return bent, bent.cloud(POINTS, case, total=total)
    except ImpossibleError:
        return None
    except QueryError as problem:
        raise QueryError(f"case {case + 1}: {problem}") from None


def bent_masses(network: Network, cases: Dataset) -> Masses:
    """How probable what is observed of each case is, the missing integrated out: exactly where
    nothing unknown stands above a curve."""
    total, error = known_masses(network, cases), np.zeros(len(cases))
    for pattern in _patterns(network, cases, whole=False):
        if not pattern.straight.bends:
            more = inferred_masses(pattern.straight.network, pattern.completed())
            total[pattern.cases] = joined(total[pattern.cases], more)
            continue
        for at, case in enumerate(pattern.cases.tolist()):
            found = _cloud(pattern, at, total=True)
            if found is None:
                total[case] = -np.inf
            else:
                total[case], error[case] = found[1].log_total, found[1].total_error
    return Masses(total, error)


@dataclass(frozen=True, slots=True, eq=False)
class BentPosteriors(RealPosteriors):
    """What is known of every variable of every case; `drawn` of them by weighted draws."""

    drawn: int = field(default=0)


def bent_posteriors(network: Network, cases: Dataset) -> BentPosteriors:
    """Means and sds of unobserved reals, and posteriors of unobserved states."""
    held = grouped(plan_of(chords(network)), cases)
    mean, sd = held.reals.copy(), np.where(np.isnan(held.reals), np.nan, 0.0)
    gone: Bools = np.asarray(np.isneginf(known_masses(network, cases)))
    states = {v: _codes(held, v) for group in held.groups for v in group.kind.opened}
    into = BentPosteriors(held, gone, mean, sd, states)
    drawn = 0
    for pattern in _patterns(network, cases, whole=True):
        if not pattern.straight.bends:
            _copy(into, pattern)
            continue
        drawn += len(pattern.cases)
        for at, case in enumerate(pattern.cases.tolist()):
            found = _cloud(pattern, at)
            gone[case] |= found is None
            if found is not None:
                _write(into, case, found[0].held(found[1].points), found[1], pattern.asked)
    return BentPosteriors(held, gone, mean, sd, states, drawn)


def bent_spreads(network: Network, cases: Dataset, name: str) -> Spreads:
    """The distribution of a variable that no case shows: exactly, or as weighted points."""
    gone: Bools = np.asarray(np.isneginf(known_masses(network, cases)))
    none = np.full(len(cases), np.nan)
    parts, drawn = [], []
    for pattern in _patterns(network, cases, whole=True, only=name):
        if not pattern.straight.bends:
            straight = pattern.straight.network
            blind = {**pattern.completed().columns, name: none[pattern.cases]}
            variables = {each: straight.variables[each] for each in blind}
            found = normal_spreads(straight, Dataset(variables, blind), name)
            gone[pattern.cases] |= found.impossible
            parts += [each.at(pattern.cases) for each in found.parts]
            continue
        for at, case in enumerate(pattern.cases.tolist()):
            drawing = _cloud(pattern, at)
            gone[case] |= drawing is None
            if drawing is not None:
                parts.append(_points(drawing[0], drawing[1], case, name))
                drawn.append(case)
    possible = (each.kept(~gone) for each in parts)
    return Spreads(tuple(possible), gone, np.array(drawn, np.int64))


def _points(bent: Bent, cloud: Cloud, case: int, name: str) -> Spread:
    """One variable of one case over all points of a cloud."""
    here, bends = np.array([case]), bent.straight.bends
    if name in bends:
        column = cloud.points[:, bends.index(name)]
        return Spread(here, cloud.weights[None], column[None], np.zeros((1, 1)))
    held = bent.held(cloud.points)
    blocks = []
    for group in held.held.groups:
        place = held.held.plan.frame.places[name]
        if place in group.kind.reals:
            found = solved(held.held, group, held.parameters)
            blocks += [mixture_of(each, place) for each in found]
    weights = [cloud.weights[each.cases, None] * np.nan_to_num(each.weights) for each in blocks]
    sds = [np.broadcast_to(each.sds, each.means.shape) for each in blocks]
    every = [np.concatenate([x.ravel() for x in column]) for column in (
        weights, [each.means for each in blocks], sds,
    )]  # fmt: skip
    return Spread(here, every[0][None], every[1][None], every[2][None])


def chords(network: Network) -> Network:
    """A network of the same variables and arcs, its curves replaced by lines."""
    families: list[Family] = []
    for name in network:
        family = network[name]
        if isinstance(family, CurvedGaussian):
            slopes = np.zeros(len(family.parents))
            family = LinearGaussian(family.variables, slopes, 0.0, family.sd)
        families.append(family)
    return Network.of(families)


def _codes(held: Grouped, place: int) -> Floats:
    """All mass in the states seen."""
    values = np.zeros((len(held.codes), held.plan.layout.cards[place]))
    seen = np.flatnonzero(held.codes[:, place] >= 0)
    values[seen, held.codes[seen, place]] = 1.0
    return values


def _copy(into: RealPosteriors, pattern: _Pattern) -> None:
    """Exact answers of a pattern to their places."""
    found = real_posteriors(pattern.straight.network, pattern.completed())
    plan, own = into.held.plan, found.held.plan
    into.impossible[pattern.cases] |= found.impossible
    for name, place in plan.frame.places.items():
        if name in pattern.asked:
            into.mean[pattern.cases, place] = found.mean[:, own.frame.places[name]]
            into.sd[pattern.cases, place] = found.sd[:, own.frame.places[name]]
    for place, values in into.states.items():
        name = plan.layout.names[place]
        if name in pattern.asked:
            values[pattern.cases] = found.of(own.layout.places[name])


def _write(
    into: RealPosteriors, case: int, held: HeldCases, cloud: Cloud, asked: frozenset[str]
) -> None:
    """What a cloud says of one case: means and variances of mixtures, and states."""
    plan, own, weights = into.held.plan, held.held.plan, cloud.weights
    for at, name in enumerate(held.bent.straight.bends):
        column = cloud.points[:, at]
        if name in asked:
            _moments(into, case, plan.frame.places[name], weights, column, np.zeros(column.size))
    for group in held.held.groups:
        parts = list(solved(held.held, group, held.parameters))
        for place in group.kind.opened:
            chance = np.concatenate([each.posterior((place,)) for each in parts])
            name = own.layout.names[place]
            if name in asked:
                into.states[plan.layout.places[name]][case] = weights @ np.nan_to_num(chance)
        for number, part in enumerate(group.kind.parts):
            both = [each.parts[number].moments() for each in parts] if part.component.size else []
            for column_at, real in enumerate(part.component.unknown.tolist()):
                name = own.frame.names[real]
                if name not in asked:
                    continue
                means = np.concatenate([each[0][:, column_at] for each in both])
                variances = np.concatenate([each[1][:, column_at] for each in both])
                _moments(into, case, plan.frame.places[name], weights, means, variances)


def _moments(
    into: RealPosteriors, case: int, place: int, weights: Floats, means: Floats, variances: Floats
) -> None:
    middle = float(weights @ means)
    into.mean[case, place] = middle
    into.sd[case, place] = np.sqrt(weights @ (variances + (means - middle) ** 2))
