"""Conjugate priors of Gaussian families: cases that were never seen, and a scale of noise.

The coefficients of a regression are normal around those of the prior's cases, its variance is
inverse gamma. What a prior says of z = (parents, child) is moments, as cases are, so that evidence
adds, and `freedom`, the degrees of freedom of the variance.

`WeakNormal` says of every regression, in each configuration of discrete parents, what `strength`
cases would say whose deviations are a small part, `spread`, of the columns' own:

    weight strength spread², the means of the columns, scatter strength spread² diag(sd²),
    freedom = strength + 2; the mean of the variance is (spread sd)².

Units do not matter, and where there is noise to speak of it says next to nothing. With `spread` 1
it is the unit-information prior. [Kass and Wasserman 1995]

`NormalGamma` is a normal-Wishart prior on all n continuous variables of a network together, of
which every family takes its part:

    weight mean_strength, the means of the cases, scatter t diag(spread²),
    t = mean_strength (scale_strength - n - 1) / (mean_strength + 1),
    freedom = scale_strength - n + parents + 1.

Equivalent dags say the same of data under it. [PDKX-6; Geiger and Heckerman 2002]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError, nearest, quoted
from tacit.core.options import exact, is_number
from tacit.core.variables import Continuous, Variable
from tacit.estimate.estimates import MAP, Estimate, PosteriorMean
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.moments import Moments

MOST = 1e50
"""Cases that a prior may be worth; one over it the least."""
SAME = 3 * np.finfo(float).eps
"""A standard deviation that is no larger a share of the mean is the rounding of this mean."""


@dataclass(frozen=True, slots=True, eq=False)
class Pseudo:
    """What a prior says of one regression, in every configuration of its discrete parents.

    moments  of cases that were never seen, of (parents..., child)
    freedom  degrees of freedom of the inverse gamma: the variance is that of as many squares
    added    how many cases the divisor of the variance grows by under `Smoothed`
    pools    whether a configuration with no more cases than numbers takes the regression of all
    """

    moments: Moments
    freedom: float
    added: float
    pools: bool = False

    def to_plain(self) -> dict[str, Any]:
        """Its numbers, as JSON holds them."""
        held = self.moments
        return {
            "weight": held.weight,
            "means": held.means.tolist(),
            "scatter": held.scatter.tolist(),
            "freedom": self.freedom,
            "added": self.added,
            **({"pools": True} if self.pools else {}),
        }

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Pseudo:
        """What `to_plain` described; where it says nothing of it, `Smoothed` adds `freedom`."""
        means, scatter = (np.array(plain[each], dtype=np.float64) for each in ("means", "scatter"))
        if scatter.shape != (means.size, means.size):
            raise ValueError("moments of different variables")
        moments, freedom = Moments(float(plain["weight"]), means, scatter), float(plain["freedom"])
        pools = bool(plain.get("pools", False))
        return Pseudo(moments, freedom, float(plain.get("added", freedom)), pools)

    def weight(self, estimate: Estimate) -> float:
        """How many cases the variance's divisor grows by.

        Smoothed: what the prior says. MAP: the exponents of the density of coefficients, intercept
        and variance. PosteriorMean: the mean of the variance.
        """
        if isinstance(estimate, MAP):
            return self.freedom + self.moments.means.size + 2
        return self.freedom - 2 if isinstance(estimate, PosteriorMean) else self.added


SPREAD = 0.01
"""Deviations of the cases of the weak prior, as a share of the columns' own. Cases as wide as the
columns would add their whole squares to noise that is small beside them: lines whose noise is a
hundredth of the column's are common, less is rare. Measured by cases held out of ten tables."""


@dataclass(frozen=True, slots=True)
class WeakNormal:
    """The prior of Gaussian families unless another is given: weak, worth `strength` cases, and
    scaled to the columns, so that noise never shrinks to nothing.

    Beside a prior of tables: `prior=[tc.BDeu(1), tc.WeakNormal(2)]`. `Smoothed` is the posterior
    mean. Strength 0 is no prior: maximum likelihood.

    strength  cases that it is worth: the variance is the squares that are left plus those of the
              prior, by the number of cases plus as many
    spread    how far they deviate, as a share of the standard deviation of each column. Below 1 a
              configuration with no more cases than numbers to estimate takes the regression of all
              cases; 1 is the unit-information prior, under which each has its own, leaning to the
              mean of the column and to coefficients of 0. [Kass and Wasserman 1995]
    """

    strength: float = 1.0
    spread: float = SPREAD

    def __post_init__(self) -> None:
        for name, what in (("strength", "a number of cases"), ("spread", "a share")):
            given = getattr(self, name)
            least = 0 if name == "strength" else 1 / MOST
            if not (is_number(given) and given >= least):
                more = "0 or more" if name == "strength" else "above 0"
                raise OptionError(f"{name}={given!r} must be {what}, {more}")
            if given and not 1 / MOST < given < MOST:
                raise OptionError(
                    f"{name}={given!r} is not between {1 / MOST:g} and {MOST:g}, so it cannot be "
                    "computed with"
                )

    def check_names(self, names: Sequence[str]) -> None:
        """Nothing: this prior names no variable."""

    def pseudo(self, names: Sequence[str], everyone: Scales) -> Pseudo | None:
        """What it says of a family, whose reals are `names`, parents before the child; None where
        it is no prior."""
        if self.strength == 0:
            return None
        strength, at = float(self.strength), [everyone.names.index(name) for name in names]
        weight = strength * float(self.spread) ** 2
        moments = Moments(weight, everyone.means[at], weight * np.diag(everyone.sds[at] ** 2))
        return Pseudo(moments, strength + 2, strength, self.spread < 1)

    def describe(self) -> str:
        """The prior as Python writes it."""
        said = [] if self.strength == 1 else [exact(self.strength)]
        if self.spread != SPREAD:
            said.append(f"spread={exact(self.spread)}")
        return f"WeakNormal({', '.join(said)})"


@dataclass(frozen=True, slots=True, eq=False)
class NormalGamma:
    """Normal coefficients and inverse gamma variances, for Gaussian families; beside a prior of
    tables: `prior=[tc.BDeu(1), tc.NormalGamma()]`. `Smoothed` takes 1/sd² to be the mean of the
    precision.

    mean_strength   cases that the prior mean is worth, alpha_mu
    scale_strength  degrees of freedom of the Wishart prior, alpha_w; None: variables + 2
    spread          the standard deviation that a variable is expected to have: "cases", that of
                    the cases, so that units do not matter; a number for all, 1 being the prior
                    of `tc.BGe`; or a number by variable
    """

    mean_strength: float = 1.0
    scale_strength: float | None = None
    spread: str | float | Mapping[str, float] = "cases"

    def __post_init__(self) -> None:
        for name in ("mean_strength", "scale_strength"):
            given = getattr(self, name)
            optional = given is None and name == "scale_strength"
            if not optional and not (is_number(given) and given > 0):
                raise OptionError(f"{name}={given!r} must be a number of cases above 0")
            if not optional and not 1 / MOST < given < MOST:
                raise OptionError(
                    f"{name}={given!r} is not between {1 / MOST:g} and {MOST:g} cases, so it "
                    "cannot be computed with"
                )
        said: Any = self.spread
        numbers = said.values() if isinstance(said, Mapping) else [said]
        if said != "cases" and not all(is_number(each) and each > 0 for each in numbers):
            raise OptionError(
                f'spread={said!r} must be "cases", a standard deviation above 0, or one by variable'
            )

    def check_names(self, names: Sequence[str]) -> None:
        """Nothing, or an error about a variable that the prior names and the network lacks."""
        for name in self.spread if isinstance(self.spread, Mapping) else ():
            if name not in names:
                raise OptionError(
                    f"tc.NormalGamma has a spread of {quoted(name)}, which is no continuous "
                    f"variable of the network{nearest(name, names)}"
                )

    def pseudo(self, names: Sequence[str], everyone: Scales) -> Pseudo:
        """What it says of a family, whose reals are `names`, parents before the child."""
        n = len(everyone.names)
        freedom = float(n + 2 if self.scale_strength is None else self.scale_strength)
        if freedom <= n + 1:
            raise OptionError(
                f"scale_strength={freedom:g} is too little for {n} continuous variables: "
                f"it must be more than {n + 1}"
            )
        t = self.mean_strength * (freedom - n - 1) / (self.mean_strength + 1)
        at = [everyone.names.index(name) for name in names]
        spread = np.array([self._spread(name, everyone) for name in names])
        moments = Moments(self.mean_strength, everyone.means[at], np.diag(t * spread**2))
        return Pseudo(moments, freedom - n + len(names), freedom - n + len(names))

    def _spread(self, name: str, everyone: Scales) -> float:
        own = float(everyone.sds[everyone.names.index(name)])
        if isinstance(self.spread, Mapping):
            return float(self.spread.get(name, own))
        return own if isinstance(self.spread, str) else float(self.spread)

    def describe(self) -> str:
        """The prior as Python writes it."""
        said = [] if self.mean_strength == 1 else [exact(self.mean_strength)]
        if self.scale_strength is not None:
            said.append(f"scale_strength={exact(self.scale_strength)}")
        if self.spread != "cases":
            named = dict(self.spread) if isinstance(self.spread, Mapping) else self.spread
            said.append(f"spread={named!r}")
        return f"NormalGamma({', '.join(said)})"


GaussianPrior: TypeAlias = WeakNormal | NormalGamma
"""What a prior of Gaussian families may be."""


def pseudo_of(
    prior: GaussianPrior, families: Mapping[str, tuple[Variable, ...]], scales: Scales
) -> dict[str, Pseudo]:
    """What a prior says of every Gaussian family; nothing where its strength is 0."""
    prior.check_names(scales.names)
    found = {
        name: prior.pseudo([axis.name for axis in axes if isinstance(axis, Continuous)], scales)
        for name, axes in families.items()
        if isinstance(axes[-1], Continuous)
    }
    return {name: each for name, each in found.items() if each is not None}


@dataclass(frozen=True, slots=True, eq=False)
class Scales:
    """The continuous variables of a network: means and standard deviations of what was seen of
    them, 0 and 1 where nothing was."""

    names: tuple[str, ...]
    means: Floats
    sds: Floats

    @staticmethod
    def of(columns: Mapping[str, Floats | None], weights: Floats | None = None) -> Scales:
        """Those of these columns; None is a variable that no column measures."""
        found = [_scale(column, weights) for column in columns.values()]
        means, sds = np.array(found, dtype=np.float64).reshape(-1, 2).T
        return Scales(tuple(columns), means, sds)

    @staticmethod
    def within(
        evidence: Mapping[str, object], families: Mapping[str, tuple[Variable, ...]]
    ) -> Scales:
        """Those that the moments of families tell, each variable's by its own family."""
        found = {}
        for name, axes in families.items():
            held = evidence[name]
            if isinstance(axes[-1], Continuous):
                own = held.pooled() if isinstance(held, ConditionalMoments) else held
                own = own.moments if isinstance(own, CurveEvidence) else own
                assert isinstance(own, Moments)
                variance = own.scatter[-1, -1] / own.weight if own.weight > 0 else 0.0
                found[name] = _positive(float(own.means[-1]), float(np.sqrt(variance)))
        means, sds = np.array(list(found.values()), dtype=np.float64).reshape(-1, 2).T
        return Scales(tuple(found), means, sds)


def _scale(column: Floats | None, weights: Floats | None) -> tuple[float, float]:
    if column is None:
        return 0.0, 1.0
    seen = ~np.isnan(column)
    own = Moments.of(column[seen, None], None if weights is None else weights[seen])
    if own.weight <= 0:
        return 0.0, 1.0
    sd = float(np.sqrt(own.scatter[0, 0] / own.weight))
    return _positive(float(own.means[0]), sd)


def _positive(mean: float, sd: float) -> tuple[float, float]:
    """A constant has a scale, too."""
    return mean, sd if sd > SAME * abs(mean) else max(1.0, abs(mean))
