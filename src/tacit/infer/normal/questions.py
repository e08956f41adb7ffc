"""`query` where variables are continuous: mixtures of normals, and probabilities of states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from tacit.arrays import Floats, Ints, shares
from tacit.core.errors import SizeError
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.infer.normal.beliefs import Scope
from tacit.infer.normal.findings import AnyFinding
from tacit.infer.normal.groups import Group
from tacit.infer.normal.mixtures import NormalAnswer, normals
from tacit.infer.normal.posed import Posed, explain, pose
from tacit.infer.normal.posterior import Found

MOST_NUMBERS = 2**26
"""Numbers in the covariances of a mixture that is written out."""


@dataclass(frozen=True, slots=True, eq=False)
class _Mixture:
    """A joint distribution of some reals and some states, piece after piece.

    codes  (normals, states)
    """

    reals: tuple[str, ...]
    states: tuple[str, ...]
    weights: Floats
    means: Floats
    covariances: Floats
    codes: Ints

    def times(self, other: _Mixture) -> _Mixture:
        """Both together, where they are independent."""
        mine, its = len(self.weights), len(other.weights)
        one, two = np.repeat(np.arange(mine), its), np.tile(np.arange(its), mine)
        first, size = len(self.reals), len(self.reals) + len(other.reals)
        _check_size(one.size, size)
        covariances = np.zeros((one.size, size, size))
        covariances[:, :first, :first] = self.covariances[one]
        covariances[:, first:, first:] = other.covariances[two]
        return _Mixture(
            self.reals + other.reals,
            self.states + other.states,
            self.weights[one] * other.weights[two],
            np.concatenate([self.means[one], other.means[two]], axis=1),
            covariances,
            np.concatenate([self.codes[one], other.codes[two]], axis=1),
        )


_NOTHING = _Mixture(
    (), (), np.ones(1), np.zeros((1, 0)), np.zeros((1, 0, 0)), np.zeros((1, 0), np.int64)
)


def state_probabilities(
    network: Network, targets: Sequence[str], findings: Sequence[AnyFinding]
) -> Floats:
    """P(targets | findings), one axis per target, which are discrete."""
    mixture = _joint(network, targets, findings)
    values = np.zeros([_states(network, name) for name in targets])
    order = [mixture.states.index(name) for name in targets]
    np.add.at(values, tuple(mixture.codes[:, order].T), mixture.weights)
    return shares(values.ravel()).reshape(values.shape)


def _states(network: Network, name: str) -> int:
    variable = network.variables[name]
    assert isinstance(variable, Discrete)
    return len(variable.states)


def normal_answer(
    network: Network, title: str, targets: Sequence[str], findings: Sequence[AnyFinding]
) -> NormalAnswer:
    """The distribution of the targets given the findings; at least one of them is continuous."""
    mixture = _joint(network, targets, findings)
    kinds = [network.variables[name] for name in targets]
    reals = [each for each in kinds if isinstance(each, Continuous)]
    states = [each for each in kinds if isinstance(each, Discrete)]
    at = [mixture.reals.index(each.name) for each in reals]
    by = [mixture.states.index(each.name) for each in states]
    return normals(
        title,
        tuple(states),
        tuple(reals),
        shares(mixture.weights),
        mixture.means[:, at],
        mixture.covariances[:, at][:, :, at],
        mixture.codes[:, by],
    )


def _joint(network: Network, targets: Sequence[str], findings: Sequence[AnyFinding]) -> _Mixture:
    posed = pose(network, findings, targets)
    mixture, possible = _NOTHING, posed.known > -np.inf
    for group in posed.held.groups:
        piece = _piece(posed, group, targets)
        possible = possible and piece is not None
        if piece is not None:
            mixture = mixture.times(piece)
    if not possible:
        raise explain(network, findings)
    return mixture


def _piece(posed: Posed, group: Group, targets: Sequence[str]) -> _Mixture | None:
    """What a piece says of the targets in it; None where its findings cannot be."""
    plan, kind = posed.held.plan, group.kind
    reals = [plan.frame.places[name] for name in targets if name in plan.frame.places]
    reals = [place for place in reals if place in set(kind.reals.tolist())]
    asked = {plan.layout.places[name] for name in targets} & set(kind.opened)
    parts = [at for at, part in enumerate(kind.parts) if set(part.component.unknown) & set(reals)]
    scope: Scope = tuple(
        sorted(asked.union(*(kind.parts[at].opened for at in parts))) if parts else sorted(asked)
    )
    shape = tuple(plan.layout.cards[place] for place in scope)
    _check_size(prod(shape), len(reals))
    found = posed.found(group, [scope])
    if found.mass[0] == -np.inf:
        return None
    grid = np.indices(shape).reshape(len(shape), prod(shape))
    weights = found.posterior(scope)[0].reshape(-1) if scope else np.ones(1)
    kept = np.flatnonzero(weights > 0)
    states = sorted(asked)
    means, covariances = _normals(found, parts, reals, scope, grid[:, kept])
    return _Mixture(
        tuple(plan.frame.names[place] for place in reals),
        tuple(plan.layout.names[place] for place in states),
        weights[kept],
        means,
        covariances,
        grid[[scope.index(place) for place in states]][:, kept].T,
    )


def _normals(
    found: Found, parts: Sequence[int], reals: Sequence[int], scope: Scope, codes: Ints
) -> tuple[Floats, Floats]:
    """Means and covariances of some reals under each configuration, (scope, normals) codes."""
    means = np.zeros((codes.shape[1], len(reals)))
    covariances = np.zeros((codes.shape[1], len(reals), len(reals)))
    for at in parts:
        solved = found.parts[at]
        unknown = solved.part.component.unknown.tolist()
        mine = [place for place in reals if place in unknown]
        chosen = np.array([unknown.index(place) for place in mine], np.int64)
        into = np.array([reals.index(place) for place in mine], np.int64)
        which = np.zeros(codes.shape[1], np.int64)
        for place, card in zip(solved.part.opened, solved.part.shape, strict=True):
            which = which * card + codes[scope.index(place)]
        means[:, into] = solved.means[which, 0][:, chosen]
        covariances[:, into[:, None], into] = solved.solution.covariance(chosen)[which]
    return means, covariances


def _check_size(normals: int, variables: int) -> None:
    if normals * max(1, variables) ** 2 > MOST_NUMBERS:
        raise SizeError(
            f"the answer is a mixture of {normals:,} normals over {variables:,} variables, more "
            "than can be written out\n\nask for fewer variables at once, or give more findings"
        )
