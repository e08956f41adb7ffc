"""Regressions drawn again and again under their rules, as the moments of completed cases change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.continuous.gauges import Gauge
from tacit.estimate.continuous.held import Held, held_of
from tacit.estimate.continuous.prior import Pseudo
from tacit.estimate.continuous.restrained import Restrained
from tacit.estimate.continuous.ties import Squares
from tacit.estimate.continuous.tying import Group, Member, Ties
from tacit.estimate.continuous.walks import Steps
from tacit.families.conditional_moments import ConditionalMoments
from tacit.learn.continuous.blanks import Blanks, Sums

if TYPE_CHECKING:
    from tacit.kernels.chance import State


@dataclass(frozen=True, slots=True, eq=False)
class Regressions:
    """Numbers of all regressions, laid out as `Lines` of the kernels: (..., coefficients), (...,
    intercepts) and (..., variances)."""

    slopes: Floats
    levels: Floats
    noise: Floats

    @property
    def flat(self) -> Floats:
        """All of them in one row."""
        return np.concatenate([self.slopes, self.levels, self.noise])


@dataclass(frozen=True, slots=True, eq=False)
class LinesRedrawn:
    """What every round needs to draw regressions.

    prior   per real the moments of the prior's cases, the same in every configuration
    groups  the regressions that rules speak of, and what the rules leave of them
    """

    blanks: Blanks
    normal: Mapping[str, Pseudo]
    prior: tuple[ConditionalMoments, ...]
    groups: tuple[tuple[Group, Held], ...]

    @staticmethod
    def of(blanks: Blanks, normal: Mapping[str, Pseudo], ties: Ties | None) -> LinesRedrawn:
        """In coordinates that suit the prior, which knows the scales of the cases."""
        prior = []
        empty = blanks.complete
        for at, name in enumerate(blanks.reals):
            many = blanks.moments(empty, at).weights.size
            held = normal[name].moments
            prior.append(
                ConditionalMoments(
                    np.full(many, held.weight),
                    np.repeat(held.means[None], many, axis=0),
                    np.repeat(held.scatter[None], many, axis=0),
                )
            )
        groups = () if ties is None else ties.groups
        laid = tuple((each, held_of(each, _gauges(each, normal))) for each in groups)
        return LinesRedrawn(blanks, normal, tuple(prior), laid)

    def begin(self) -> list[Steps]:
        """Where the groups start."""
        return [Steps.start(held) for _, held in self.groups]

    def draw(
        self, sums: Sums, steps: list[Steps], random: np.random.Generator, state: State
    ) -> Regressions:
        """All regressions given complete cases; `steps` goes on to where the groups are then."""
        lines, reals = self.blanks.lines, self.blanks.reals
        size = int(sum(many * (size - 1) for many, size in self.blanks.shapes))
        found = Regressions(np.empty(size), *np.empty((2, sums.weight.size)))
        whole = {}
        for at, name in enumerate(reals):
            whole[name] = self.blanks.moments(sums, at) + self.prior[at]
            freedom = self.normal[name].freedom - self.normal[name].moments.weight
            slopes, levels, noise = drawn(whole[name], freedom, random)
            first, level = int(lines.slope_at[at]), int(lines.level_at[at])
            found.slopes[first : first + slopes.size] = slopes.ravel()
            found.levels[level : level + levels.size] = levels
            found.noise[level : level + noise.size] = noise
        for number, (group, held) in enumerate(self.groups):
            law = Restrained.of(held, [self._known(whole, each) for each in group.members])
            steps[number] = steps[number].step(law, state)
            self._write(found, group, law.numbers(steps[number].z, steps[number].t))
        return found

    def _known(self, whole: Mapping[str, ConditionalMoments], member: Member) -> Squares:
        name, at = member
        held, pseudo = whole[name].at(at), self.normal[name]
        return Squares(held, held.weight - pseudo.moments.weight + pseudo.freedom)

    def _write(self, found: Regressions, group: Group, numbers: Floats) -> None:
        """Lay the numbers of a group over the free ones."""
        start = 0
        for name, configuration in group.members:
            slopes, level = self.places(name, configuration)
            found.slopes[slopes] = numbers[start : start + slopes.stop - slopes.start]
            start += slopes.stop - slopes.start
            found.levels[level], found.noise[level] = numbers[start], numbers[start + 1]
            start += 2

    def places(self, name: str, configuration: int) -> tuple[slice, int]:
        """Where the coefficients of a regression stand, and where its intercept and variance."""
        lines, real = self.blanks.lines, self.blanks.reals.index(name)
        wide = int(lines.parent_at[real + 1] - lines.parent_at[real])
        first = int(lines.slope_at[real]) + configuration * wide
        return slice(first, first + wide), int(lines.level_at[real]) + configuration

    def members(self) -> Iterator[Member]:
        """Every regression."""
        for at, name in enumerate(self.blanks.reals):
            for configuration in range(self.blanks.shapes[at][0]):
                yield name, configuration


def _gauges(group: Group, normal: Mapping[str, Pseudo]) -> dict[Member, Gauge]:
    return {member: Gauge.of(normal[member[0]].moments) for member in group.members}


def drawn(
    whole: ConditionalMoments, freedom: float, random: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """(configurations, parents) coefficients, (configurations,) intercepts and variances, drawn
    given the moments of cases and prior together: normal and inverse gamma.

    freedom: what degrees of freedom are above the weight
    """
    inner, cross = whole.scatter[:, :-1, :-1], whole.scatter[:, :-1, -1]
    scale = np.sqrt(np.diagonal(inner, axis1=-2, axis2=-1))
    root = np.linalg.cholesky(inner / (scale[:, :, None] * scale[:, None, :]))
    back = np.linalg.inv(root)
    along = np.einsum("cij,cj->ci", back, cross / scale)
    left = np.maximum(whole.scatter[:, -1, -1] - (along**2).sum(axis=1), 0.0)
    variance = left / random.chisquare(freedom + whole.weights)
    sd = np.sqrt(variance)
    shaken = along + sd[:, None] * random.standard_normal(along.shape)
    slopes = np.einsum("cji,cj->ci", back, shaken) / scale
    level = whole.means[:, -1] + sd / np.sqrt(whole.weights) * random.standard_normal(sd.size)
    return slopes, level - (slopes * whole.means[:, :-1]).sum(axis=1), variance
