"""A prior with what was borrowed added to it: evidence adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.core.variables import Discrete
from tacit.estimate.priors import Joint, Prior, TablePrior


@dataclass(frozen=True, slots=True, eq=False)
class Enriched(Prior):
    """The pseudo-counts of a prior, and for some variables borrowed counts beside them."""

    prior: Prior
    borrowed: Mapping[str, Floats]

    def resolved(self, families: Sequence[tuple[Discrete, ...]], joint: Joint) -> TablePrior:
        """Both added up."""
        return _Sum(self.prior.resolved(families, joint), self.borrowed)

    def describe(self) -> str:
        """In words: it cannot be written down."""
        return f"{self.prior.describe()} and what was borrowed"


def without_loans(prior: Prior) -> Prior:
    """The prior as it was chosen: what families that cannot borrow go by."""
    return prior.prior if isinstance(prior, Enriched) else prior


@dataclass(frozen=True, slots=True, eq=False)
class _Sum(TablePrior):
    prior: TablePrior
    borrowed: Mapping[str, Floats]

    def pseudo_counts(self, variables: tuple[Discrete, ...]) -> Floats:
        """alpha and what was borrowed."""
        alpha = self.prior.pseudo_counts(variables)
        more = self.borrowed.get(variables[-1].name)
        return alpha if more is None else np.asarray(alpha + more)

    def describe(self) -> str:
        """As the prior it comes from."""
        return self.prior.describe()
