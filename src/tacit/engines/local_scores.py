"""Scores of families with local structure: a child with parents is worth what the best rows, or the
most likely links, are worth that are found for it.

So a search weighs a parent by what it tells where it matters, not by the rows that a whole table
would need. [EST 1.9; Friedman and Goldszmidt 1996; Chickering, Heckerman, Meek 1997]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import NetworkError, OptionError, quoted
from tacit.core.variables import Discrete
from tacit.engines.scoring import Scorer
from tacit.engines.table_scores import Columns
from tacit.estimate.causes.estimate import estimate_causes
from tacit.estimate.causes.likelihood import causes_log_likelihood
from tacit.estimate.local.exact import best_tree
from tacit.estimate.local.growing import Bans, Told, grown_tree
from tacit.estimate.local.listing import listed_rows
from tacit.estimate.local.settings import GrowTree, ListRows
from tacit.estimate.local.worth import RowWorth
from tacit.estimate.scores.values import AnyScore, Penalised
from tacit.families.cause_counts import CauseCounts, distinct
from tacit.families.noisy import Noisy

Way: TypeAlias = GrowTree | ListRows | type[Noisy]


@dataclass(frozen=True, slots=True, eq=False)
class LocalScorer:
    """A `Scorer` of families with local structure; of all others another scorer is asked.

    ways    per child that has one, by number
    others  whose scores are those of whole tables
    """

    columns: Columns
    score: AnyScore
    ways: Mapping[int, Way]
    others: Scorer
    worths: Mapping[int, RowWorth] = field(default_factory=dict)

    @staticmethod
    def of(
        columns: Columns, score: AnyScore, ways: Mapping[int, Way], others: Scorer
    ) -> LocalScorer:
        """The scorer of these cases; errors about a score that such families do not have."""
        for child, way in ways.items():
            if isinstance(way, type):
                _check_noisy(columns.variables[child], way, score)
            elif way.score is not None and way.score != score:
                raise OptionError(
                    f"{way.describe()} of {quoted(columns.variables[child].name)} has a score of "
                    f"its own, and the dag is scored by {score.describe()}"
                    "\n\nleave out score= of the one or make both the same"
                )
        worths = {
            child: RowWorth.of(score, int(columns.states[child]), columns.weight, way.priced)
            for child, way in ways.items()
            if not isinstance(way, type)
        }
        return LocalScorer(columns, score, ways, others, worths)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return tuple(variable.name for variable in self.columns.variables)

    def weighted(self, weights: Floats) -> LocalScorer:
        """The same cases, counting as often as `weights` says."""
        columns = replace(self.columns, weights=weights)
        return LocalScorer.of(columns, self.score, self.ways, self.others.weighted(weights))

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents."""
        way = self.ways.get(child)
        if way is None or not parents:
            return self.others.family(child, parents)
        counts = self.counts(child, parents)
        if isinstance(way, type):
            return self._noisy(way, child, parents, counts)
        worth = self.worths[child]
        if isinstance(way, ListRows):
            return listed_rows(counts, worth)[1]
        seek = best_tree if way.exact else grown_tree
        return seek(Told.of(counts), worth, way.tests, Bans.none(counts.shape[:-1]))[1]

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more."""
        if child not in self.ways:
            return self.others.adding(child, parents, candidates)
        families = (tuple(sorted((*parents, each))) for each in candidates.tolist())
        return np.array([self.family(child, each) for each in families])

    def counts(self, child: int, parents: tuple[int, ...]) -> CauseCounts:
        """The cases by configuration of these parents."""
        here = self.columns
        shape = tuple(int(here.states[at]) for at in (*parents, child))
        codes = here.codes[list(parents)].T.astype(np.int64)
        which, example = distinct(codes, shape[:-1])
        cells = which * shape[-1] + here.codes[child]
        values = np.bincount(cells, here.weights, example.size * shape[-1]).astype(np.float64)
        return CauseCounts(shape, codes[example], values.reshape(-1, shape[-1]))

    def _noisy(
        self, kind: type[Noisy], child: int, parents: tuple[int, ...], counts: CauseCounts
    ) -> float:
        """The greatest log-likelihood of the links less the price of each; -inf where the states of
        a parent cannot stand in such a family."""
        variables = [self.columns.variables[at] for at in (*parents, child)]
        try:
            frame = kind.frame_for(variables)
        except NetworkError:
            return -np.inf
        nothing = np.zeros((len(frame) + 1, frame.levels))
        found = estimate_causes(frame, counts, nothing).causes
        assert isinstance(self.score, Penalised)
        price = self.score.per_parameter(self.columns.weight)
        return causes_log_likelihood(found, counts) - price * (len(frame) + 1) * (frame.levels - 1)


def _check_noisy(child: Discrete, kind: type[Noisy], score: AnyScore) -> None:
    """Nothing, or an error about a child that cannot have links, or a score that they lack."""
    kind.frame_for([child])
    if not isinstance(score, Penalised):
        raise OptionError(
            f"{score.describe()} is no score of a {kind.kind}: its marginal likelihood has no "
            "formula\n\nuse tc.BIC() or tc.AIC()"
        )
    score.per_parameter(2.0)
