"""What a row that several configurations share is worth."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError
from tacit.estimate.scores.tables import LIKELIHOOD, table_score
from tacit.estimate.scores.values import QNML, AnyScore


@dataclass(frozen=True, slots=True)
class RowWorth:
    """The log marginal likelihood of a row, or its greatest log-likelihood, less its price.

    A row that stands for a share s of all configurations has s · strength / states + each
    pseudo-counts in every cell: what all these configurations have together under BDeu; one row's
    under priors that treat every row alike. each < 0: the greatest likelihood.
    [Friedman and Goldszmidt 1996, section 4]

    priced: whether the choice of rows costs something, too. Before any case, each place of a tree
    is a leaf or a question with probability 1/2, and every question that could be asked there is
    as likely; a configuration is one of all that could be listed. So one parent more is no free
    choice, as it is not where whole tables are scored. [Friedman and Goldszmidt 1996, section 4.2]
    """

    strength: float
    each: float
    price: float
    priced: bool = False

    @property
    def leaf(self) -> float:
        """What ending at a leaf costs."""
        return log(2.0) if self.priced else 0.0

    @staticmethod
    def of(score: AnyScore, states: int, weight: float, priced: bool = False) -> RowWorth:
        """The worth of rows under a score; an error if that does not fall apart into rows."""
        known = table_score(score)
        if known is None or isinstance(score, QNML):
            raise OptionError(
                f"{score.describe()} does not score single rows, of which local structure is made"
                "\n\nuse tc.BIC(), tc.AIC(), tc.BDeu(10) or tc.K2()"
            )
        price = known.price(1.0, states, weight)
        if known.alpha(1.0, states) == LIKELIHOOD:
            return RowWorth(0.0, LIKELIHOOD, price, priced)
        once, twice = known.alpha(1.0, states), known.alpha(2.0, states)
        strength = 2 * (once - twice) * states  # alpha(rows) = strength / (rows states) + each
        return RowWorth(strength, once - strength / states, price, priced)

    def alpha(self, shares: Floats, states: int) -> Floats:
        """(rows,) the pseudo-counts in every cell of each row."""
        return self.strength * shares / states + self.each

    def of_rows(self, counts: Floats, shares: Floats) -> Floats:
        """(rows,) the worth of each."""
        from scipy.special import gammaln, xlogy

        total = counts.sum(axis=1)
        if self.each < 0:
            fits = xlogy(counts, counts).sum(axis=1) - xlogy(total, total)
            return np.asarray(fits - self.price)
        alpha = self.alpha(shares, counts.shape[1])[:, None]
        whole = alpha[:, 0] * counts.shape[1]
        fits = (gammaln(alpha + counts) - gammaln(alpha)).sum(axis=1)
        return np.asarray(fits + gammaln(whole) - gammaln(whole + total) - self.price)
