"""`query` around curves: exact where values make them straight, else a mixture of many normals, one
for each weighted point of the bends and each configuration of open states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from tacit.arrays import Floats, Ints, shares
from tacit.core.errors import SizeError
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.infer.answers import Weighted
from tacit.infer.bent.clouds import Cloud
from tacit.infer.bent.posed import Bent, HeldCases, values_of
from tacit.infer.bent.straight import Straight, straightened
from tacit.infer.findings import combined, contradiction
from tacit.infer.normal.beliefs import Scope
from tacit.infer.normal.findings import AnyFinding, RealFinding, states_found, values_found
from tacit.infer.normal.mixtures import NormalAnswer, normals
from tacit.infer.normal.posterior import Found, solved

MOST_NUMBERS = 2**26
"""Numbers in the covariances of a mixture that is written out."""


def bent_of(network: Network, asked: Sequence[str], findings: Sequence[AnyFinding]) -> Bent:
    """The question what these findings say of what is asked."""
    said = combined(states_found(findings))
    for each in said.values():
        if not each.likelihood.any():
            raise contradiction(each, findings)
    values, soft = values_of(network, list(said.values()), values_found(findings))
    return Bent(straightened(network, set(values), set(asked)), values, soft)


def as_findings(straight: Straight, findings: Sequence[AnyFinding]) -> list[AnyFinding]:
    """What was found, and the means of curves whose parents all have values."""
    kept = [each for each in findings if each.name in straight.network]
    columns = {name: np.array([value]) for name, value in values_found(findings).items()}
    whole = straight.completed(columns, 1)
    means = [
        RealFinding(mean, float(whole[mean][0]), f"the parents of {name}")
        for name, mean in straight.curves.items()
    ]
    return [*kept, *means]


@dataclass(frozen=True, slots=True, eq=False)
class _Spread:
    """Some reals and states: a normal for each point and configuration.

    weights      (configurations, points) how probable each configuration is at each point
    means        (configurations, points, reals)
    covariances  (configurations, reals, reals)
    codes        (configurations, states)
    """

    reals: tuple[str, ...]
    states: tuple[str, ...]
    weights: Floats
    means: Floats
    covariances: Floats
    codes: Ints

    def times(self, other: _Spread) -> _Spread:
        """Both together, independent given the point."""
        mine, its = len(self.weights), len(other.weights)
        one, two = np.repeat(np.arange(mine), its), np.tile(np.arange(its), mine)
        first, size = len(self.reals), len(self.reals) + len(other.reals)
        _check_size(one.size * self.weights.shape[1], size)
        covariances = np.zeros((one.size, size, size))
        covariances[:, :first, :first] = self.covariances[one]
        covariances[:, first:, first:] = other.covariances[two]
        return _Spread(
            self.reals + other.reals,
            self.states + other.states,
            self.weights[one] * other.weights[two],
            np.concatenate([self.means[one], other.means[two]], axis=2),
            covariances,
            np.concatenate([self.codes[one], other.codes[two]], axis=1),
        )


def _check_size(normals: int, variables: int) -> None:
    if normals * max(1, variables) ** 2 > MOST_NUMBERS:
        raise SizeError(
            f"the answer is a mixture of {normals:,} normals over {variables:,} variables, more "
            "than can be written out\n\nask for fewer variables at once, or give more findings"
        )


def bent_answer(
    network: Network,
    title: str,
    targets: Sequence[str],
    bent: Bent,
    points: int,
    seed: int,
) -> NormalAnswer:
    """The distribution of the targets, continuous or not, over all points of the cloud."""
    cloud = bent.cloud(points, seed)
    spread = _spread(bent.held(cloud.points), cloud, targets)
    kinds = [network.variables[name] for name in targets]
    reals = [each for each in kinds if isinstance(each, Continuous)]
    states = [each for each in kinds if isinstance(each, Discrete)]
    at = [spread.reals.index(each.name) for each in reals]
    by = [spread.states.index(each.name) for each in states]
    many = len(cloud.points)
    weights = (spread.weights * cloud.weights).reshape(-1)
    found = normals(
        title, tuple(states), tuple(reals), shares(weights),
        spread.means[:, :, at].reshape(weights.size, len(at)),
        np.repeat(spread.covariances[:, at][:, :, at], many, axis=0),
        np.repeat(spread.codes[:, by], many, axis=0),
    )  # fmt: skip
    return replace(found, errors=_errors(spread, cloud, by, found), drawn=_told(
        spread, cloud, bent.straight.bends, [each.name for each in reals], at,
    ))  # fmt: skip


def _told(
    spread: _Spread, cloud: Cloud, bends: Sequence[str], names: Sequence[str], at: Sequence[int]
) -> Weighted:
    """What the answer rests on, and the Monte Carlo errors of means."""
    means = np.einsum("kn,knr->nr", spread.weights, spread.means)[:, at]
    errors = cloud.error(means)
    sized = cloud.size
    return Weighted(
        tuple(bends), len(cloud.points), sized, dict(zip(names, errors.tolist(), strict=True))
    )


def _errors(spread: _Spread, cloud: Cloud, by: Sequence[int], found: NormalAnswer) -> Floats | None:
    """Monte Carlo errors of the probabilities of states."""
    if not by:
        return None
    values = np.zeros((len(cloud.points), *found.values.shape))
    for weights, codes in zip(spread.weights, spread.codes[:, by], strict=True):
        values[(slice(None), *codes)] += weights
    return cloud.error(values)


def _spread(held: HeldCases, cloud: Cloud, targets: Sequence[str]) -> _Spread:
    """The targets at every point: bends as they are, the rest as normals and states."""
    bends, many = held.bent.straight.bends, len(cloud.points)
    mine = [name for name in targets if name in bends]
    at = [bends.index(name) for name in mine]
    none = np.zeros((1, 0), np.int64)
    spread = _Spread(
        tuple(mine), (), np.ones((1, many)), cloud.points[None][:, :, at],
        np.zeros((1, len(mine), len(mine))), none,
    )  # fmt: skip
    for number in range(len(held.held.groups)):
        piece = _piece(held, number, targets)
        if piece is not None:
            spread = spread.times(piece)
    return spread


def _piece(held: HeldCases, number: int, targets: Sequence[str]) -> _Spread | None:
    """What a piece says of the targets in it, None where there are none."""
    group, plan = held.held.groups[number], held.held.plan
    kind = group.kind
    reals = [plan.frame.places[name] for name in targets if name in plan.frame.places]
    reals = [place for place in reals if place in set(kind.reals.tolist())]
    asked = {plan.layout.places[name] for name in targets} & set(kind.opened)
    if not reals and not asked:
        return None
    parts = [at for at, part in enumerate(kind.parts) if set(part.component.unknown) & set(reals)]
    scope: Scope = tuple(sorted(asked.union(*(kind.parts[at].opened for at in parts))))
    shape = tuple(plan.layout.cards[place] for place in scope)
    _check_size(prod(shape) * group.cases.size, len(reals))
    soft = held.bent.soft_factors(held.held, group)
    blocks = solved(held.held, group, held.parameters, [scope], soft)
    grid = np.indices(shape).reshape(len(shape), prod(shape))
    weights = np.zeros((prod(shape), len(held.cases)))
    means = np.zeros((prod(shape), len(held.cases), len(reals)))
    covariances = np.zeros((prod(shape), len(reals), len(reals)))
    for found in blocks:
        own = found.posterior(scope).reshape(found.cases.size, -1).T if scope else 1.0
        weights[:, found.cases] = np.nan_to_num(own)
        _place(found, parts, reals, (scope, grid), means, covariances)
    states = sorted(asked)
    return _Spread(
        tuple(plan.frame.names[place] for place in reals),
        tuple(plan.layout.names[place] for place in states),
        weights, means, covariances, grid[[scope.index(place) for place in states]].T,
    )  # fmt: skip


def _place(
    found: Found, parts: Sequence[int], reals: Sequence[int], over: tuple[Scope, Ints],
    means: Floats, covariances: Floats,
) -> None:  # fmt: skip
    """Write the means and covariances of some reals under each configuration."""
    scope, codes = over
    for at in parts:
        solved_part = found.parts[at]
        unknown = solved_part.part.component.unknown.tolist()
        mine = [place for place in reals if place in unknown]
        chosen = np.array([unknown.index(place) for place in mine], np.int64)
        into = np.array([reals.index(place) for place in mine], np.int64)
        which = np.zeros(codes.shape[1], np.int64)
        for place, card in zip(solved_part.part.opened, solved_part.part.shape, strict=True):
            which = which * card + codes[scope.index(place)]
        own = solved_part.means[which][:, :, chosen]
        means[:, found.cases[:, None], into] = own
        covariances[:, into[:, None], into] = solved_part.solution.covariance(chosen)[which]
