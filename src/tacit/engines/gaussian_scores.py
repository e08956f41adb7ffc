"""Scores of linear Gaussian families on complete cases: everything from one covariance matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lgamma, log, pi

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, MissingError, OptionError, quoted
from tacit.core.grid import counted
from tacit.core.variables import Continuous
from tacit.engines.partials import (
    Partials,
    own_without_each,
    partials_in,
    partials_without,
)
from tacit.engines.scales import check_scales
from tacit.estimate.gaussians import SINGULAR, STILL
from tacit.estimate.scores.values import AnyScore, BGe, Penalised
from tacit.families.moments import Moments

MANY = 32
"""Parents from which on what is left without each of them is found by halves."""
TINY = 1e-100
"""Columns are divided by their greatest value, or by this if that is even less."""


@dataclass(frozen=True, slots=True, eq=False)
class Reals:
    """Complete continuous columns as covariances need them.

    values   (cases, variables)  each column divided by its unit, so that no square overflows
    units    (variables,)        the greatest absolute value of each
    weights  how often each case counts; None if every case counts once
    """

    names: tuple[str, ...]
    values: Floats
    units: Floats
    weights: Floats | None = None

    @staticmethod
    def of(data: Dataset, names: Sequence[str]) -> Reals:
        """These columns of the cases; none may have states or a missing cell."""
        for name in names:
            column = data[name]
            if not isinstance(data.variables[name], Continuous):
                raise CasesError(
                    f"{quoted(name)} has states; Gaussian scores are of continuous variables"
                    "\n\nread it as numbers with tc.read_cases(..., continuous=[...])"
                )
            if gaps := int(np.count_nonzero(np.isnan(column))):
                raise MissingError(
                    f"{counted(gaps, 'cell')} of {quoted(name)} {'is' if gaps == 1 else 'are'} "
                    "missing, and continuous variables are scored on complete cases only"
                    "\n\nleave out the incomplete cases"
                )
        check_scales(data, names)
        values = np.array([data[name] for name in names], dtype=np.float64)
        values = values.reshape(len(names), len(data)).T
        units = np.maximum(np.abs(values).max(axis=0, initial=0.0), TINY)
        return Reals(tuple(names), values / units, units, data.weights)

    def moments(self) -> Moments:
        """Weight, means and co-products in these units; an error without any case."""
        found = Moments.of(self.values, self.weights)
        if found.weight <= 0:
            raise CasesError("there are no cases to score: none was given, or all weigh 0")
        return found


def spread(reals: Reals, moments: Moments, whole: Floats | None = None) -> tuple[Floats, Bools]:
    """The standard deviation of every column in its unit, and which columns are constant.

    One with variance 0 has an infinite likelihood, whatever its parents are: an error. In a sample
    of the cases it says nothing of itself or others, and has the sd that it has in the `whole`.
    """
    variances = np.diag(moments.scatter) / moments.weight
    still = variances <= (STILL * moments.means) ** 2
    if still.any() and whole is None:
        name = reals.names[int(np.argmax(still))]
        raise CasesError(
            f"{quoted(name)} has the same value in all cases, so no Gaussian fits it"
            "\n\nleave the column out"
        )
    sd = np.sqrt(variances)
    return np.asarray(sd if whole is None else np.where(still, whole, sd)), np.asarray(still)


def check_gaussian(score: AnyScore) -> Penalised | BGe:
    """The score, if continuous variables can have it."""
    if isinstance(score, Penalised):
        score.per_parameter(1.0)  # the error of a score that speaks of tables only
        return score
    if isinstance(score, BGe):
        return score
    raise OptionError(
        f"{score.describe()} scores tables only"
        "\n\nfor continuous variables use tc.BIC(), tc.AIC() or tc.BGe()"
    )


def gaussian_scorer(
    data: Dataset, score: AnyScore, names: Sequence[str] | None = None
) -> GaussianScorer | BGeScorer:
    """The `Scorer` of these continuous columns, all unless named, under BIC, AIC,
    LogLikelihood or BGe."""
    known = check_gaussian(score)
    reals = Reals.of(data, data.names if names is None else names)
    return BGeScorer.of(reals, known) if isinstance(known, BGe) else GaussianScorer.of(reals, known)


@dataclass(frozen=True, slots=True, eq=False)
class GaussianScorer:
    """A `Scorer` of linear Gaussian families by their greatest log-likelihood, less a price.

    -N/2 (log 2π sd² + 1) - price (k + 2) for k parents: coefficients, intercept and sd.

    A family is singular, and scores -inf, where its parents are linear functions of each other or
    the child is one of them: its likelihood would be infinite. Less than 1e-10 of a variance left
    counts as none, so more parents than cases less 2 are singular too.
    """

    reals: Reals
    score: Penalised
    weight: float
    sd: Floats
    correlations: Floats

    @staticmethod
    def of(reals: Reals, score: Penalised, whole: Floats | None = None) -> GaussianScorer:
        """The scorer of these cases; a constant column is an error.

        whole  the sd of each column in the cases that these are a sample of: one that is constant
               here counts as independent of all others
        """
        moments = reals.moments()
        sd, still = spread(reals, moments, None if whole is None else whole / reals.units)
        correlations = moments.scatter / moments.weight / np.outer(sd, sd)
        correlations[still] = correlations[:, still] = 0.0
        correlations[still, still] = 1.0
        return GaussianScorer(reals, score, moments.weight, sd * reals.units, correlations)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return self.reals.names

    def weighted(self, weights: Floats) -> GaussianScorer:
        """The same cases, counting as often as `weights` says."""
        return GaussianScorer.of(replace(self.reals, weights=weights), self.score, self.sd)

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents."""
        found = partials_in(self.correlations, child, parents)
        left = np.where(_singular(found), np.nan, found.own)
        return float(self._score(child, len(parents), left))

    def without(self, child: int, parents: tuple[int, ...], places: Ints) -> Floats:
        """The score of the child with these parents less one, each of those at `places`.

        Where the family is not singular none of these is: with fewer parents more is left of each.
        """
        whole = self.correlations
        if places.size > MANY and not _singular(partials_in(whole, child, parents)):
            left = own_without_each(whole, child, parents)[places]
        else:
            found = partials_without(whole, child, parents, places)
            left = np.where(_singular(found), np.nan, found.own)
        return self._score(child, len(parents) - 1, left)

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more."""
        found = partials_in(self.correlations, child, parents, candidates)
        left = np.where(_singular(found), np.nan, found.with_each(SINGULAR))
        return self._score(child, len(parents) + 1, left)

    def _score(self, child: int, parents: int, left: Floats) -> Floats:
        """left: the share of the child's variance that the parents leave; nan if singular."""
        fine = left > SINGULAR
        noise = np.log(np.where(fine, left, 1.0)) + 2 * log(self.sd[child])
        price = self.score.per_parameter(self.weight) * (parents + 2)
        return np.where(fine, -0.5 * self.weight * (log(2 * pi) + 1 + noise) - price, -np.inf)


def _singular(found: Partials) -> Bools:
    return np.asarray((found.pivots <= SINGULAR).any(axis=-1))


@dataclass(frozen=True, slots=True, eq=False)
class BGeScorer:
    """A `Scorer` by the log marginal likelihood of linear Gaussian families.

    The prior is normal-Wishart with alpha_mu cases behind the mean, alpha_w degrees of freedom and
    the scale T = t I, t = alpha_mu (alpha_w - n - 1) / (alpha_mu + 1); its mean is that of the
    cases, as in bnlearn, so that shifting a column changes nothing. T makes the score depend on
    the units of the columns: give columns of different units comparable ones first.
    R = T + scatter is never singular: constant and dependent columns have finite scores.
    [Geiger and Heckerman 2002; Kuipers, Moffa and Heckerman 2014, which corrects it]

    matrix  R, in units of its own diagonal
    scale   (variables,)  log of that diagonal, in the units of the cases
    floor   (variables,)  no Schur complement of R is less than t
    """

    reals: Reals
    score: BGe
    weight: float
    freedom: float
    log_t: float
    matrix: Floats
    scale: Floats
    floor: Floats

    @staticmethod
    def of(reals: Reals, score: BGe) -> BGeScorer:
        """The scorer of these cases."""
        moments, n = reals.moments(), len(reals.names)
        freedom = float(n + 2 if score.scale_strength is None else score.scale_strength)
        if freedom <= n + 1:
            raise OptionError(
                f"scale_strength={freedom:g} is too little for {counted(n, 'variable')}: "
                f"it must be more than {n + 1}"
            )
        t = score.mean_strength * (freedom - n - 1) / (score.mean_strength + 1)
        prior = t / reals.units**2
        diagonal = np.diag(moments.scatter) + prior
        root = np.sqrt(diagonal)
        matrix = (moments.scatter + np.diag(prior)) / np.outer(root, root)
        scale = np.log(diagonal) + 2 * np.log(reals.units)
        return BGeScorer(
            reals, score, moments.weight, freedom - n, log(t), matrix, scale, prior / diagonal
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return self.reals.names

    def weighted(self, weights: Floats) -> BGeScorer:
        """The same cases, counting as often as `weights` says."""
        return BGeScorer.of(replace(self.reals, weights=weights), self.score)

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents."""
        found = partials_in(self.matrix, child, parents, floor=self.floor)
        inner = np.log(found.pivots).sum() + self.scale[list(parents)].sum()
        return float(self._score(child, len(parents), inner, found.own))

    def without(self, child: int, parents: tuple[int, ...], places: Ints) -> Floats:
        """The score of the child with these parents less one, each of those at `places`."""
        found = partials_without(self.matrix, child, parents, places, self.floor)
        others = np.arange(len(parents)) != places[:, None]
        scales = np.broadcast_to(self.scale[list(parents)], others.shape)[others]
        inner = np.log(found.pivots).sum(axis=1) + scales.reshape(found.pivots.shape).sum(axis=1)
        return self._score(child, len(parents) - 1, inner, found.own)

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more."""
        found = partials_in(self.matrix, child, parents, candidates, self.floor)
        inner = np.log(found.pivots).sum() + self.scale[list(parents)].sum()
        inner = inner + np.log(found.left) + self.scale[candidates]
        own = np.maximum(found.with_each(), self.floor[child])
        return self._score(child, len(parents) + 1, inner, own)

    def _score(self, child: int, k: int, inner: Floats, own: Floats) -> Floats:
        """log P(parents and child) - log P(parents), k of them:

        inner  log |R of the parents|;  own  |R of both| / |R of the parents|, the Schur complement
        """
        n, d, strength = self.weight, self.freedom, self.score.mean_strength
        outer = np.log(own) + self.scale[child]
        constant = (
            0.5 * log(strength / (n + strength)) - 0.5 * n * log(pi)
            + lgamma((n + d + k + 1) / 2) - lgamma((d + k + 1) / 2)
            + (d + 2 * k + 1) / 2 * self.log_t
        )  # fmt: skip
        return np.asarray(constant - (n + d + k + 1) / 2 * outer - 0.5 * inner)
