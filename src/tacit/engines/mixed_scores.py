"""Scores of conditional Gaussian families on complete cases of discrete and continuous columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isqrt, log

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.variables import Discrete, Variable
from tacit.engines.completed import Spread
from tacit.engines.conditional_fits import fitted_with
from tacit.engines.gaussian_scores import Reals, check_gaussian, spread
from tacit.engines.partials import NO_CANDIDATES
from tacit.engines.table_scores import Columns, TableScorer, configurations
from tacit.estimate.scores.tables import table_score
from tacit.estimate.scores.values import AnyScore, BGe, Penalised
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.moments import Moments

LARGEST = 2**20
"""Numbers that the moments of one set of discrete parents may take."""
KEPT = 2**24
"""Numbers that all moments which are kept may take together."""


def mixed_scorer(data: Dataset, score: AnyScore, threads: int | None = None) -> MixedScorer:
    """The `Scorer` of all columns under BIC, AIC or LogLikelihood; BGe speaks of no table."""
    known = check_mixed(score)
    named = data.variables.items()
    columns = Columns.of(data, [name for name, each in named if isinstance(each, Discrete)])
    reals = Reals.of(data, [name for name, each in named if not isinstance(each, Discrete)])
    return of_both(data.variables, columns, Regressions.of(reals, columns, known), threads)


def check_mixed(score: AnyScore) -> Penalised:
    """The score, if columns of both kinds can have it."""
    known = check_gaussian(score)
    if isinstance(known, BGe):
        raise OptionError(
            f"{known.describe()} scores continuous variables only, and these cases have both kinds"
            "\n\nuse tc.BIC() or tc.AIC()"
        )
    return known


def of_both(
    variables: Mapping[str, Variable],
    columns: Columns,
    regressions: Regressions,
    threads: int | None,
) -> MixedScorer:
    """The scorer of these variables, their tables counted on columns."""
    kinds = np.array([isinstance(v, Discrete) for v in variables.values()], dtype=np.bool_)
    place = np.where(kinds, np.cumsum(kinds), np.cumsum(~kinds)) - 1
    tabled = table_score(regressions.score)
    assert tabled is not None
    tables = TableScorer.of(columns, tabled, threads)
    return MixedScorer(tuple(variables), kinds, place, tables, regressions)


@dataclass(frozen=True, slots=True, eq=False)
class MixedScorer:
    """A `Scorer` of tables and conditional Gaussian families.

    A discrete child has a table, and scores -inf with a continuous parent; a continuous child has
    one linear Gaussian per configuration of its discrete parents.

    discrete  (variables,)  which variables have states
    place     (variables,)  the number of each among those of its kind
    """

    names: tuple[str, ...]
    discrete: Bools
    place: Ints
    tables: TableScorer
    regressions: Regressions

    def weighted(self, weights: Floats) -> MixedScorer:
        """The same cases, counting as often as `weights` says."""
        regressions = self.regressions.weighted(weights)
        return replace(self, tables=self.tables.weighted(weights), regressions=regressions)

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents."""
        states, reals = self.apart(parents)
        at = int(self.place[child])
        if not self.discrete[child]:
            return float(self.regressions.family(at, states, reals))
        return -np.inf if reals else self.tables.family(at, states)

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more."""
        states, reals = self.apart(parents)
        at, kinds = int(self.place[child]), self.discrete[candidates]
        found = np.full(candidates.size, -np.inf)
        if not self.discrete[child]:
            found[~kinds] = self.regressions.adding(
                at, states, reals, self.place[candidates[~kinds]]
            )
            for where in np.flatnonzero(kinds):
                more = tuple(sorted((*states, int(self.place[candidates[where]]))))
                found[where] = self.regressions.family(at, more, reals)
        elif not reals and kinds.any():
            found[kinds] = self.tables.adding(at, states, self.place[candidates[kinds]])
        return found

    def apart(self, parents: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The discrete parents and the continuous ones, by their numbers within their kinds."""
        states = tuple(int(self.place[each]) for each in parents if self.discrete[each])
        return states, tuple(int(self.place[each]) for each in parents if not self.discrete[each])


@dataclass(frozen=True, slots=True, eq=False)
class Regressions:
    """Scores of continuous children: one regression per configuration of discrete parents.

    A configuration with no more cases than its k + 2 parameters has no variance of its own to
    speak of: it takes the regression of all cases on the same parents, as a fit does. Parameters
    are priced for all configurations, seen or not. Where parents are linear functions of each
    other within a configuration, or the child is one of them, the family is singular: -inf.

    values   (cases, variables)  columns of mean 0 and variance 1
    sd       (variables,)        what they were divided by
    still    (variables,)        columns that are constant in a sample of the cases: they count as
                                 independent of all others, with the variance they have else
    left     what is open of reals, where cases were completed; in the units of the columns
    kept     moments by discrete parents, so that other children and parents need no cases
    """

    columns: Columns
    reals: Reals
    score: Penalised
    weight: float
    values: Floats
    sd: Floats
    still: Bools
    left: Spread | None = None
    kept: dict[tuple[int, ...], ConditionalMoments] = field(default_factory=dict)

    @staticmethod
    def of(
        reals: Reals,
        columns: Columns,
        score: Penalised,
        whole: Floats | None = None,
        left: Spread | None = None,
    ) -> Regressions:
        """The scorer of these cases; a constant column is an error, unless its sd in the whole of
        the cases is known."""
        moments = reals.moments()
        if left is not None:
            moments = _widened(moments, reals, left)
        sd, still = spread(reals, moments, None if whole is None else whole / reals.units)
        values, units = (reals.values - moments.means) / sd, sd * reals.units
        return Regressions(columns, reals, score, moments.weight, values, units, still, left)

    def weighted(self, weights: Floats) -> Regressions:
        """The same cases, counting as often as `weights` says."""
        columns = replace(self.columns, weights=weights)
        reals = replace(self.reals, weights=weights)
        return Regressions.of(reals, columns, self.score, self.sd, self.left)

    def family(self, child: int, states: tuple[int, ...], reals: tuple[int, ...]) -> float:
        """The score of a child with these discrete and these continuous parents."""
        moments, (at, *parents) = self.moments(states, [child, *reals])
        found = fitted_with(moments, at, tuple(parents), NO_CANDIDATES)
        return float(self._score(child, states, len(reals), found[0]))

    def adding(
        self, child: int, states: tuple[int, ...], reals: tuple[int, ...], candidates: Ints
    ) -> Floats:
        """... and each of these continuous candidates as one more."""
        found = np.empty(candidates.size)
        for span, moments, (at, *rest) in self.blocks(child, states, reals, candidates):
            parents, more = tuple(rest[: len(reals)]), np.array(rest[len(reals) :], dtype=np.int64)
            fit = fitted_with(moments, at, parents, more)
            found[span] = self._score(child, states, len(reals) + 1, fit)
        return found

    def blocks(
        self, child: int, states: tuple[int, ...], reals: tuple[int, ...], candidates: Ints
    ) -> Iterator[tuple[slice, ConditionalMoments, list[int]]]:
        """Moments by configuration of as many candidates at a time as there is room for, and where
        the child, its continuous parents and these candidates stand in them."""
        room = isqrt(int(LARGEST / self.columns.rows(states))) if states else self.sd.size
        step = max(1, room - len(reals) - 1)
        for start in range(0, candidates.size, step):
            span = slice(start, start + step)
            wanted = [child, *reals, *candidates[span].tolist()]
            yield span, *self.moments(states, wanted)

    def price(self, states: tuple[int, ...], parents: int) -> float:
        """What the score takes off for so many continuous parents beside these discrete ones."""
        per = self.score.per_parameter(self.weight)
        return float(per * self.columns.rows(states) * (parents + 2))

    def _score(self, child: int, states: tuple[int, ...], parents: int, fit: Floats) -> Floats:
        """The greatest log-likelihood of a child of variance 1, in its own unit, less the price."""
        return np.asarray(fit - self.weight * log(self.sd[child]) - self.price(states, parents))

    def moments(
        self, states: tuple[int, ...], wanted: list[int]
    ) -> tuple[ConditionalMoments, list[int]]:
        """Moments by configuration, and where the wanted columns stand in them.

        Of all columns where there is room, so that the next question finds them ready.
        """
        if states in self.kept:
            return self.kept[states], wanted
        labels, many = configurations(self.columns, states)
        if many * self.sd.size**2 > LARGEST:
            return self._counted(labels, many, wanted), list(range(len(wanted)))
        found = self._counted(labels, many, list(range(self.sd.size)))
        self.kept[states] = found
        while len(self.kept) > 1 and sum(each.scatter.size for each in self.kept.values()) > KEPT:
            del self.kept[next(iter(self.kept))]  # the oldest
        return found, wanted

    def _counted(self, labels: Ints, many: int, wanted: list[int]) -> ConditionalMoments:
        """The moments of some columns, with what is left open of them."""
        weights = self.columns.weights
        found = ConditionalMoments.of(labels, (many,), self.values[:, wanted], weights)
        if self.left is not None and self.left.line.size:
            counted = np.ones(labels.size) if weights is None else weights
            more = self.left.scatter(labels, many, wanted, counted)
            sd = self.sd[wanted]
            found = replace(found, scatter=found.scatter + more / np.outer(sd, sd))
        return _stirred(found, self.still[wanted])


def _widened(moments: Moments, reals: Reals, left: Spread) -> Moments:
    """The moments with what is left open of the columns, in their units."""
    weights = np.ones(len(reals.values)) if reals.weights is None else reals.weights
    every = list(range(reals.units.size))
    more = left.scatter(np.zeros(len(weights), np.int64), 1, every, weights)[0]
    return replace(moments, scatter=moments.scatter + more / np.outer(reals.units, reals.units))


def _stirred(moments: ConditionalMoments, still: Bools) -> ConditionalMoments:
    """The moments as if these columns varied by 1, independent of all others."""
    if not still.any():
        return moments
    means, scatter = moments.means.copy(), moments.scatter.copy()
    means[..., still] = 0.0
    scatter[..., still, :] = scatter[..., :, still] = 0.0
    scatter[..., still, still] = moments.weights[..., None]
    return replace(moments, means=means, scatter=scatter)
