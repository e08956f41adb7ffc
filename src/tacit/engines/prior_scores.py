"""Scores of tables under priors that treat cells differently: one family after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import OptionError, quoted
from tacit.engines.table_scores import Columns
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.estimate.priors import Prior
from tacit.families.counts import Counts
from tacit.families.table import check_size
from tacit.infer.marginals import joint


@dataclass(frozen=True, slots=True, eq=False)
class PriorScorer:
    """A `Scorer` by the log marginal likelihood under any prior over tables.

    A prior that speaks of a network, or of single cells, has pseudo-counts of its own for every
    family; they are asked for with each.
    """

    columns: Columns
    prior: Prior

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return tuple(variable.name for variable in self.columns.variables)

    def weighted(self, weights: Floats) -> PriorScorer:
        """The same cases, counting as often as `weights` says."""
        return replace(self, columns=replace(self.columns, weights=weights))

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents."""
        here, alpha = self.columns, self.alpha(child, parents)
        cells = np.zeros(here.cases, dtype=np.int64)
        for at, states in zip((*parents, child), alpha.shape, strict=True):
            cells = cells * states + here.codes[at]
        table = np.bincount(cells, here.weights, alpha.size).astype(np.float64)
        return log_marginal_likelihood(Counts(table.reshape(alpha.shape)), alpha)

    def alpha(self, child: int, parents: tuple[int, ...]) -> Floats:
        """(parents..., child) the pseudo-counts of every cell, all above 0."""
        axes = tuple(self.columns.variables[at] for at in (*parents, child))
        check_size(axes[-1].name, tuple(len(axis.states) for axis in axes))
        alpha = self.prior.resolved([axes], joint).pseudo_counts(axes)
        if not (alpha > 0).all():
            raise OptionError(
                f"{self.prior.describe()} gives cells of {quoted(axes[-1].name)} no weight: no "
                "marginal likelihood follows from it\n\nuse a prior above 0 in every cell"
            )
        return alpha

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more."""
        families = (tuple(sorted((*parents, each))) for each in candidates.tolist())
        return np.array([self.family(child, each) for each in families])
