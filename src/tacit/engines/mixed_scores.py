"""Scores of conditional Gaussian families on complete cases of discrete and continuous columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isqrt, log, prod
from typing import Protocol

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, OptionError
from tacit.core.variables import Discrete, Variable
from tacit.engines.completed import Completed
from tacit.engines.conditional_fits import fitted_with
from tacit.engines.gaussian_scores import TINY, Reals, check_gaussian, spread
from tacit.engines.partials import NO_CANDIDATES
from tacit.engines.scoring import Scorer
from tacit.engines.table_scores import Columns, TableScorer, configurations
from tacit.estimate.scores.tables import table_score
from tacit.estimate.scores.values import AnyScore, BGe, Penalised
from tacit.families.conditional_moments import ConditionalMoments

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
    tabled = table_score(known)
    assert tabled is not None
    tables = TableScorer.of(columns, tabled, threads)
    return of_both(data.variables, tables, Regressions(ObservedReals.of(reals, columns), known))


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
    variables: Mapping[str, Variable], tables: Scorer, regressions: Regressions
) -> MixedScorer:
    """The scorer of these variables, those with states scored by `tables`."""
    kinds = np.array([isinstance(v, Discrete) for v in variables.values()], dtype=np.bool_)
    place = np.where(kinds, np.cumsum(kinds), np.cumsum(~kinds)) - 1
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
    tables: Scorer
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


class RealSource(Protocol):
    """Moments of continuous columns, in units in which each has mean 0 and variance 1.

    weight  how many cases there are, by their weights
    states  (discrete variables,) how many each has
    sd      (continuous variables,) what the columns were divided by
    """

    @property
    def weight(self) -> float:
        """As above."""

    @property
    def states(self) -> Ints:
        """As above."""

    @property
    def sd(self) -> Floats:
        """As above."""

    def moments(self, states: tuple[int, ...], wanted: list[int]) -> ConditionalMoments:
        """Of the columns wanted, in every configuration of variables with states."""

    def weighted(self, weights: Floats) -> RealSource:
        """The same cases, counting as often as `weights` says."""


@dataclass(frozen=True, slots=True, eq=False)
class ObservedReals:
    """The columns of complete cases.

    values  (cases, variables)
    still   (variables,) columns that are constant in a sample of the cases: they count as
            independent of all others, with the variance they have else
    """

    columns: Columns
    reals: Reals
    values: Floats
    weight: float
    states: Ints
    sd: Floats
    still: Bools

    @staticmethod
    def of(reals: Reals, columns: Columns, whole: Floats | None = None) -> ObservedReals:
        """These columns; one that is constant is an error, unless its sd in the whole of the cases
        is known."""
        moments = reals.moments()
        sd, still = spread(reals, moments, None if whole is None else whole / reals.units)
        values, units = (reals.values - moments.means) / sd, sd * reals.units
        return ObservedReals(columns, reals, values, moments.weight, columns.states, units, still)

    def weighted(self, weights: Floats) -> ObservedReals:
        """The same cases, counting as often as `weights` says."""
        columns = replace(self.columns, weights=weights)
        return ObservedReals.of(replace(self.reals, weights=weights), columns, self.sd)

    def moments(self, states: tuple[int, ...], wanted: list[int]) -> ConditionalMoments:
        """Of the columns wanted, in every configuration of variables with states."""
        labels, many = configurations(self.columns, states)
        found = ConditionalMoments.of(labels, (many,), self.values[:, wanted], self.columns.weights)
        return _stirred(found, self.still[wanted])


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedReals:
    """The columns of cases as a network completes them.

    place   (variables,) where each stands among those of the completed cases
    tables  the same of the variables with states
    """

    completed: Completed
    place: Ints
    tables: Ints
    means: Floats
    weight: float
    states: Ints
    sd: Floats
    still: Bools

    @staticmethod
    def of(
        completed: Completed, place: Ints, tables: Ints, whole: Floats | None = None
    ) -> ExpectedReals:
        """These variables of completed cases."""
        found = completed.moments_by([], place.tolist()).at(0)
        units = np.maximum(np.abs(completed.reals[:, place]).max(axis=0, initial=0.0), TINY)
        reals = Reals(tuple(completed.names[at] for at in place), np.zeros((0, place.size)), units)
        scaled = replace(
            found, means=found.means / units, scatter=found.scatter / np.outer(units, units)
        )
        if found.weight <= 0:
            raise CasesError("there are no cases to score: none was given, or all weigh 0")
        sd, still = spread(reals, scaled, None if whole is None else whole / units)
        states = np.array([len(completed.variables[at].states) for at in tables], dtype=np.int64)
        return ExpectedReals(
            completed, place, tables, found.means, found.weight, states, sd * units, still
        )

    def weighted(self, weights: Floats) -> ExpectedReals:
        """The same completed cases, counting as often as `weights` says."""
        again = replace(self.completed, weights=weights)
        return ExpectedReals.of(again, self.place, self.tables, self.sd)

    def moments(self, states: tuple[int, ...], wanted: list[int]) -> ConditionalMoments:
        """Of the columns wanted, in every configuration of variables with states."""
        by = [int(self.tables[at]) for at in states]
        found = self.completed.moments_by(by, self.place[wanted].tolist())
        sd = self.sd[wanted]
        means = np.where(found.weights[:, None] > 0, (found.means - self.means[wanted]) / sd, 0.0)
        scatter = found.scatter / np.outer(sd, sd)
        return _stirred(replace(found, means=means, scatter=scatter), self.still[wanted])


@dataclass(frozen=True, slots=True, eq=False)
class Regressions:
    """Scores of continuous children: one regression per configuration of discrete parents.

    A configuration with no more cases than its k + 2 parameters has no variance of its own to
    speak of: it takes the regression of all cases on the same parents, as a fit does. Parameters
    are priced for all configurations, seen or not. Where parents are linear functions of each
    other within a configuration, or the child is one of them, the family is singular: -inf.

    bounded  a singular family is scored at the most probable lines under a weak prior instead
    kept     moments by discrete parents, so that other children and parents need no cases
    """

    source: RealSource
    score: Penalised
    bounded: bool = False
    kept: dict[tuple[int, ...], ConditionalMoments] = field(default_factory=dict)

    @property
    def sd(self) -> Floats:
        """(variables,) the standard deviation of each."""
        return self.source.sd

    def weighted(self, weights: Floats) -> Regressions:
        """The same cases, counting as often as `weights` says."""
        return Regressions(self.source.weighted(weights), self.score, self.bounded)

    def family(self, child: int, states: tuple[int, ...], reals: tuple[int, ...]) -> float:
        """The score of a child with these discrete and these continuous parents."""
        moments, (at, *parents) = self.moments(states, [child, *reals])
        found = fitted_with(moments, at, tuple(parents), NO_CANDIDATES, self.bounded)
        return float(self._score(child, states, len(reals), found[0]))

    def adding(
        self, child: int, states: tuple[int, ...], reals: tuple[int, ...], candidates: Ints
    ) -> Floats:
        """... and each of these continuous candidates as one more."""
        found = np.empty(candidates.size)
        for span, moments, (at, *rest) in self.blocks(child, states, reals, candidates):
            parents, more = tuple(rest[: len(reals)]), np.array(rest[len(reals) :], dtype=np.int64)
            fit = fitted_with(moments, at, parents, more, self.bounded)
            found[span] = self._score(child, states, len(reals) + 1, fit)
        return found

    def blocks(
        self, child: int, states: tuple[int, ...], reals: tuple[int, ...], candidates: Ints
    ) -> Iterator[tuple[slice, ConditionalMoments, list[int]]]:
        """Moments by configuration of as many candidates at a time as there is room for, and where
        the child, its continuous parents and these candidates stand in them."""
        room = isqrt(int(LARGEST / self._rows(states))) if states else self.sd.size
        step = max(1, room - len(reals) - 1)
        for start in range(0, candidates.size, step):
            span = slice(start, start + step)
            wanted = [child, *reals, *candidates[span].tolist()]
            yield span, *self.moments(states, wanted)

    def price(self, states: tuple[int, ...], parents: int) -> float:
        """What the score takes off for so many continuous parents beside these discrete ones."""
        per = self.score.per_parameter(self.source.weight)
        return float(per * self._rows(states) * (parents + 2))

    def _score(self, child: int, states: tuple[int, ...], parents: int, fit: Floats) -> Floats:
        """The greatest log-likelihood of a child of variance 1, in its own unit, less the price."""
        unit = self.source.weight * log(self.sd[child])
        return np.asarray(fit - unit - self.price(states, parents))

    def moments(
        self, states: tuple[int, ...], wanted: list[int]
    ) -> tuple[ConditionalMoments, list[int]]:
        """Moments by configuration, and where the wanted columns stand in them.

        Of all columns where there is room, so that the next question finds them ready.
        """
        if states in self.kept:
            return self.kept[states], wanted
        if self._rows(states) * self.sd.size**2 > LARGEST:
            return self.source.moments(states, wanted), list(range(len(wanted)))
        found = self.source.moments(states, list(range(self.sd.size)))
        self.kept[states] = found
        while len(self.kept) > 1 and sum(each.scatter.size for each in self.kept.values()) > KEPT:
            del self.kept[next(iter(self.kept))]  # the oldest
        return found, wanted

    def _rows(self, states: tuple[int, ...]) -> float:
        """How many configurations these discrete parents could have."""
        return float(prod(int(self.source.states[each]) for each in states))


def _stirred(moments: ConditionalMoments, still: Bools) -> ConditionalMoments:
    """The moments as if these columns varied by 1, independent of all others."""
    if not still.any():
        return moments
    means, scatter = moments.means.copy(), moments.scatter.copy()
    means[..., still] = 0.0
    scatter[..., still, :] = scatter[..., :, still] = 0.0
    scatter[..., still, still] = moments.weights[..., None]
    return replace(moments, means=means, scatter=scatter)
