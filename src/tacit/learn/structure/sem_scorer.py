"""Scores of families at expected counts: what search asks of cases with missing cells."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import OptionError
from tacit.engines.table_scores import Columns, configurations
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.estimate.priors import Prior
from tacit.estimate.scores.tables import TableScore, table_score
from tacit.estimate.scores.values import AnyScore
from tacit.families.counts import Counts
from tacit.families.table import check_size
from tacit.infer.marginals import joint
from tacit.learn.structure.completing import Completion

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
    kept: OrderedDict[frozenset[int], tuple[Columns, Ints]] = field(default_factory=OrderedDict)

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

        lines, _ = self._lines((*parents, child))
        states, rows = int(lines.states[child]), lines.rows(parents)
        configuration, many = configurations(lines, parents)
        cells = configuration * states + lines.codes[child]
        table = np.bincount(cells, lines.weights, many * states).astype(np.float64)
        fit = score_rows(table, states, self.score.alpha(rows, states), self.known)
        return float(fit) - self.score.price(rows, states, self.weight)

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more."""
        from tacit.kernels.completing import score_spread

        lines, origin = self._lines((*parents, child))
        states = int(lines.states[child])
        rows = lines.rows(parents) * lines.states[candidates]
        alphas = np.array([self.score.alpha(each, states) for each in rows])
        prices = np.array([self.score.price(each, states, self.weight) for each in rows])
        configuration, many = configurations(lines, parents)
        cells, size = configuration * states + lines.codes[child], many * states
        here, out = self.completion, np.empty(candidates.size)
        assert lines.weights is not None
        score_spread(
            lines.codes, candidates, lines.states, cells, size, states, lines.weights, origin,
            here.slots, here.cell_at, here.marginals, alphas, self.known,
            np.empty(size * int(lines.states[candidates].max(initial=1))), out,
        )  # fmt: skip
        return np.asarray(out - prices)

    def _lines(self, family: tuple[int, ...]) -> tuple[Columns, Ints]:
        """Lines in which this family is whole; families that touch the same gaps share them."""
        gappy = frozenset(self.completion.gappy.intersection(family))
        found = self.kept.get(gappy)
        if found is None:
            found = self.kept[gappy] = self.completion.written_out(sorted(gappy))
            while sum(each.codes.size for each, _ in self.kept.values()) > KEPT_CODES:
                if len(self.kept) == 1:
                    break
                self.kept.popitem(last=False)
        self.kept.move_to_end(gappy)
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
