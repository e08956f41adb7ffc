"""Scores of families at expected counts: what search asks of cases with missing cells."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import OptionError
from tacit.core.variables import Discrete, Variable
from tacit.engines.completed import Completed
from tacit.engines.mixed_scores import (
    ExpectedReals,
    MixedScorer,
    Regressions,
    check_mixed,
    of_both,
)
from tacit.engines.table_scores import configurations
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.estimate.priors import Prior
from tacit.estimate.scores.tables import TableScore, table_score
from tacit.estimate.scores.values import AnyScore
from tacit.families.counts import Counts
from tacit.families.table import check_size
from tacit.infer.marginals import joint
from tacit.learn.structure.completing import FEW_KINDS, Completion, completion_of
from tacit.learn.structure.sem_writing import Lines

ALONE = 10
"""What a candidate costs that needs lines of its own, in passes over a column."""
KEPT_CODES = 50_000_000
"""Codes of lines written out that are kept for the next question."""


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedScorer:
    """A `Scorer` of the cases as a network completes them: its posteriors are frozen.

    A family's score is that of its expected counts; with nothing missing these are its counts.
    [HV1 1.8 (b)]
    """

    completion: Completion
    score: TableScore
    known: Floats = field(default_factory=lambda: np.zeros(1))
    kept: OrderedDict[tuple[bool, frozenset[int]], Lines] = field(default_factory=OrderedDict)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return self.completion.names

    @property
    def weight(self) -> float:
        """How many cases there are, by their weights."""
        return float(self.completion.weights.sum())

    def weighted(self, weights: Floats) -> ExpectedScorer:
        """The same completed cases, counting as often as `weights` says."""
        completion = replace(self.completion, weights=weights)
        return ExpectedScorer(completion, self.score, self.known)

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents."""
        from tacit.kernels.families import score_rows

        lines = self._family_lines((*parents, child)).columns
        states, rows = int(lines.states[child]), lines.rows(parents)
        configuration, many = configurations(lines, parents)
        cells = configuration * states + lines.codes[child]
        table = np.bincount(cells, lines.weights, many * states).astype(np.float64)
        fit = score_rows(table, states, self.score.alpha(rows, states), self.known)
        return float(fit) - self.score.price(rows, states, self.weight)

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more."""
        together = (*parents, child)
        lines = self._lines(together)
        alone = np.isin(candidates, list(lines.unsure))
        if alone.any() and self._dear(lines, together, int(alone.sum()), candidates.size):
            lines, alone = self._lines(together, whole=True), np.zeros_like(alone)
        out = np.empty(candidates.size)
        out[~alone] = self._spread(lines, child, parents, candidates[~alone])
        each = (tuple(sorted((*parents, one))) for one in candidates[alone].tolist())
        out[alone] = [self.family(child, family) for family in each]
        return out

    def _spread(
        self, lines: Lines, child: int, parents: tuple[int, ...], candidates: Ints
    ) -> Floats:
        """The same where what is missing of a candidate is independent of the lines."""
        from tacit.kernels.completing import score_spread

        here, columns, out = self.completion, lines.columns, np.empty(candidates.size)
        states = int(columns.states[child])
        rows = columns.rows(parents) * columns.states[candidates]
        alphas = np.array([self.score.alpha(each, states) for each in rows])
        prices = np.array([self.score.price(each, states, self.weight) for each in rows])
        configuration, many = configurations(columns, parents)
        cells, size = configuration * states + columns.codes[child], many * states
        room = np.empty(size * int(columns.states[candidates].max(initial=1)))
        assert columns.weights is not None
        score_spread(
            columns.codes, candidates, columns.states, cells, size, states, columns.weights,
            lines.origin, here.slots, here.cell_at, here.marginals, alphas, self.known, room, out,
        )  # fmt: skip
        return np.asarray(out - prices)

    def _dear(self, lines: Lines, together: tuple[int, ...], alone: int, candidates: int) -> bool:
        """Whether candidates on their own cost more than pieces written out whole for all."""
        narrow = lines.origin.size * (candidates - alone + ALONE * alone)
        return narrow > self.completion.lines_whole(together) * candidates

    def _family_lines(self, together: tuple[int, ...]) -> Lines:
        """Lines in which these are whole, no other column needed; those at hand if there are."""
        key = (False, self.completion.gappy.intersection(together))
        if not key[1] or key in self.kept or len(self.completion.pieces) > FEW_KINDS:
            return self._lines(together)
        return self.completion.written_out(together, together)

    def _lines(self, together: tuple[int, ...], whole: bool = False) -> Lines:
        """Lines in which these are whole; families that touch the same gaps share them."""
        here = self.completion
        gappy = here.gappy.intersection(together)
        if not gappy:
            return here.as_they_are
        found = self.kept.get((whole, gappy))
        if found is None:
            wanted = sorted(gappy)
            found = here.written_out_whole(wanted) if whole else here.written_out(wanted)
            self.kept[whole, gappy] = found
            while sum(each.columns.codes.size for each in self.kept.values()) > KEPT_CODES:
                if len(self.kept) == 1:
                    break
                self.kept.popitem(last=False)
        self.kept.move_to_end((whole, gappy))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedPriorScorer:
    """The same under a prior that treats cells differently: its pseudo-counts are asked for with
    every family."""

    completion: Completion
    prior: Prior

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return self.completion.names

    def weighted(self, weights: Floats) -> ExpectedPriorScorer:
        """The same completed cases, counting as often as `weights` says."""
        return replace(self, completion=replace(self.completion, weights=weights))

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents."""
        axes = tuple(self.completion.variables[at] for at in (*parents, child))
        check_size(axes[-1].name, [len(axis.states) for axis in axes])
        alpha = self.prior.resolved([axes], joint).pseudo_counts(axes)
        return log_marginal_likelihood(Counts(self.completion.counts((*parents, child))), alpha)

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more."""
        families = (tuple(sorted((*parents, each))) for each in candidates.tolist())
        return np.array([self.family(child, each) for each in families])


def expected_scorer(
    completion: Completion, score: AnyScore
) -> ExpectedScorer | ExpectedPriorScorer:
    """The scorer of completed cases under a score of tables."""
    known = table_score(score)
    if known is not None:
        return ExpectedScorer(completion, known)
    if isinstance(score, Prior):
        return ExpectedPriorScorer(completion, score)
    raise OptionError(
        f"{score.describe()} scores continuous variables, and missing cells are inferred in "
        "networks of discrete variables only\n\nuse tc.BIC() or tc.BDeu(10)"
    )


def completed_scorer(
    completed: Completed, variables: Mapping[str, Variable], score: AnyScore
) -> MixedScorer:
    """The scorer of columns with states and of real values together, as a network completes them.

    `weighted` takes weights of the cases.
    """
    known = check_mixed(score)
    tabled = table_score(known)
    assert tabled is not None
    discrete = tuple(each for each in variables.values() if isinstance(each, Discrete))
    tables = np.array([completed.place(each) for each in discrete], dtype=np.int64)
    reals = [name for name, each in variables.items() if not isinstance(each, Discrete)]
    place = np.array([completed.names.index(name) for name in reals], dtype=np.int64)
    turned = np.argsort(tables)
    joints = completed.joints._replace(
        members=turned[completed.joints.members], states=completed.joints.states[tables]
    )
    completion = completion_of(
        discrete, completed.codes[tables], joints, completed.split, completed.weights
    )
    regressions = Regressions(ExpectedReals.of(completed, place, tables), known, bounded=True)
    return of_both(variables, ExpectedScorer(completion, tabled), regressions)


def price_of(score: AnyScore, shape: tuple[int, ...], weight: float) -> float:
    """What a penalised score takes off for a table of this shape (parents..., child)."""
    known = table_score(score)
    return 0.0 if known is None else known.price(float(prod(shape[:-1])), shape[-1], weight)


@dataclass(frozen=True, slots=True)
class Indifferent:
    """A scorer to whom all families are alike: for changes of a dag that nobody judges."""

    names: tuple[str, ...]

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """Nothing."""
        del child, parents
        return 0.0

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """Nothing for each."""
        del child, parents
        return np.zeros(candidates.size)

    def weighted(self, weights: Floats) -> Indifferent:
        """Itself."""
        del weights
        return self
