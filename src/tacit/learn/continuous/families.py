"""The M-step of all families at once: tables by shares, Gaussians by least squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.variables import Continuous
from tacit.engines.normal_expected import NormalExpectation
from tacit.engines.normal_plans import centred
from tacit.estimate.continuous.many import Lines, best_lines
from tacit.estimate.continuous.regression import Extra, estimate_regression
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.moments import Moments
from tacit.learn.continuous.places import Places

if TYPE_CHECKING:
    from tacit.kernels.reals_told import Sums

NO_NOISE = 1e-12
"""A variance below this share of its variable's own has shrunk to nothing."""
NOTHING = 1e-9
"""Cases that a configuration is expected in beneath which it keeps the regression it has."""


class NoNoiseError(Exception):
    """A variance shrinks to nothing, where the likelihood has no maximum; never leaves `learn`."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """What decides which regressions are estimated, and from what beside the cases.

    extra    per Gaussian family what the estimate adds to its moments, where there is a prior
    kept     per Gaussian family (configurations,) which of them keep the regression they start with
    hidden   the continuous variables that no column measures
    spreads  per Gaussian family the sd of its variable, against which noise is judged
    """

    extra: Mapping[str, Extra]
    kept: Mapping[str, Bools]
    hidden: Sequence[str]
    spreads: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """All regressions on the same number of parents, one line each.

    names    whose they are
    sums, products       where Σ z and Σ z zᵀ stand among those of the E-step; `regression` where
                         the weight does
    slopes, levels, logs where their numbers stand in the vector
    known    the moments of the cases that show the family whole
    extra    what a prior adds to them; `divisor` what it adds to the divisor of the variance
    kept     which of them stay as they are, and `first` those that fix the scale of their variable
    """

    names: tuple[str, ...]
    regression: Ints
    sums: Ints
    products: Ints
    slopes: Ints
    levels: Ints
    logs: Ints
    centre: Floats
    known: ConditionalMoments
    extra: ConditionalMoments
    divisor: Floats
    bare: Bools
    kept: Bools
    first: Bools
    spread: Floats

    def moments(self, sums: Sums) -> ConditionalMoments:
        """What was shown and what is expected, together."""
        weight, first = sums.weight[self.regression], sums.sums[self.sums]
        return self.known + centred(weight, first, sums.products[self.products], self.centre)

    def lines(self, theta: Floats) -> Lines:
        """The regressions in a vector."""
        return Lines(theta[self.slopes], theta[self.levels], np.exp(theta[self.logs]))

    def prior(self, theta: Floats) -> float:
        """The prior's part of the objective, over regressions that are estimated."""
        used = ~(self.bare | self.kept | self.first)
        if not used.any():
            return 0.0
        lines = self.lines(theta)
        found = self.divisor * theta[self.logs] + lines.squares(self.extra) / lines.variances
        return -0.5 * float(found[used].sum())

    def step(self, moments: ConditionalMoments, theta: Floats) -> None:
        """The best regressions, written into a vector."""
        whole = moments + self.extra
        free = ~(self.kept | self.first | (self.bare & (moments.weights <= NOTHING)))
        divisor = moments.weights + self.divisor
        for at in np.flatnonzero(free & (divisor <= 0)):
            self._refused(int(at), moments)
        found = best_lines(whole)
        share = whole.weights / np.where(divisor > 0, divisor, 1.0)
        variances = found.variances * share
        lost = free & (variances <= NO_NOISE * self.spread**2)
        if lost.any():
            raise NoNoiseError(self.names[int(np.argmax(lost))])
        theta[self.slopes[free]] = found.slopes[free]
        theta[self.levels[free]] = found.levels[free]
        theta[self.logs[free]] = np.log(variances[free])
        for at in np.flatnonzero(self.first):
            theta[self.slopes[at]] = standard_slopes(moments.at(int(at)))
            theta[self.levels[at]], theta[self.logs[at]] = 0.0, 0.0

    def _refused(self, at: int, moments: ConditionalMoments) -> None:
        """The error about a variance that the prior leaves without an estimate."""
        axes = tuple(Continuous(str(n)) for n in range(moments.size - 1))
        extra = Extra(self.extra.at(at), float(self.divisor[at]))
        estimate_regression((*axes, Continuous(self.names[at])), moments.at(at), extra)


def standard_slopes(moments: Moments) -> Floats:
    """The coefficients of a hidden variable that fixes its scale: intercept 0, sd 1.

    maximise  -½ Σ E[(h - β u)²]: least squares through the origin, (Σ E[u uᵀ]) β = Σ E[u h].
    """
    products = moments.scatter + moments.weight * np.outer(moments.means, moments.means)
    inner, cross = products[:-1, :-1], products[:-1, -1]
    scale = np.sqrt(np.maximum(np.diag(inner), 1e-300))
    slopes = np.linalg.lstsq(inner / np.outer(scale, scale), cross / scale, rcond=1e-10)[0]
    return np.asarray(slopes / scale)


def alike(
    expectation: NormalExpectation, places: Places, estimated: Estimated
) -> tuple[Alike, ...]:
    """The regressions of a network, those with as many parents together."""
    frame = expectation.held.plan.frame
    sizes = [near.size + 1 for near in frame.parents]
    return tuple(
        _alike(expectation, places, estimated, [at for at, own in enumerate(sizes) if own == size])
        for size in sorted(set(sizes))
    )


def _alike(
    expectation: NormalExpectation, places: Places, estimated: Estimated, members: Sequence[int]
) -> Alike:
    frame, own = expectation.held.plan.frame, expectation.compiled.families
    many = [frame.configurations(place) for place in members]
    place = np.repeat(members, many)
    inside = np.concatenate([np.arange(count) for count in many])
    size = int(frame.parents[members[0]].size) + 1
    axes = np.array([[*frame.parents[at].tolist(), at] for at in place])
    across = np.arange(size)
    lower = np.maximum.outer(across, across) * size + np.minimum.outer(across, across)
    regression = own.level_at[place] + inside
    names = tuple(frame.names[at] for at in place)
    kept = np.concatenate([estimated.kept[frame.names[at]] for at in members])
    extra, divisor = _extras(names, estimated.extra, size)
    slopes = own.slope_at[place] + inside * (size - 1)
    return Alike(
        names=names,
        regression=regression,
        sums=(own.sums_at[place] + inside * size)[:, None] + across,
        products=(own.products_at[place] + inside * size**2)[:, None, None] + lower,
        slopes=places.slopes[slopes[:, None] + across[:-1]],
        levels=places.levels[regression],
        logs=places.logs[regression],
        centre=own.centre[axes],
        known=_known([expectation.known[frame.names[at]] for at in members], size),
        extra=extra,
        divisor=divisor,
        bare=np.array([name not in estimated.extra for name in names]),
        kept=kept,
        first=np.array([name in estimated.hidden for name in names]) & (inside == 0),
        spread=np.array([estimated.spreads[name] for name in names]),
    )


def _known(found: Sequence[object], size: int) -> ConditionalMoments:
    """The moments of several families, one line per regression."""
    weights, means, scatter = [], [], []
    for held in found:
        assert isinstance(held, Moments | ConditionalMoments)
        own = held.weight if isinstance(held, Moments) else held.weights
        weights.append(np.reshape(own, -1))
        means.append(held.means.reshape(-1, size))
        scatter.append(held.scatter.reshape(-1, size, size))
    joined = (np.concatenate(parts) for parts in (weights, means, scatter))
    return ConditionalMoments(*joined)


def _extras(
    names: Sequence[str], extra: Mapping[str, Extra], size: int
) -> tuple[ConditionalMoments, Floats]:
    none = Extra(Moments.of(np.zeros((0, size))), 0.0)
    own = [extra.get(name, none) for name in names]
    moments = _known([each.moments for each in own], size)
    return moments, np.array([each.weight for each in own])
