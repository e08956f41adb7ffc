"""Ideal parents of straight lines, from the correlations of all variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.engines.foresight import Foresight
from tacit.estimate.gaussians import SINGULAR
from tacit.estimate.ideal.similarity import Sums, c2, replaced_c2


@dataclass(frozen=True, slots=True, eq=False)
class LineRanker:
    """Straight lines: the ideal parent is the residual, and all sums follow from correlations.

    correlations  (n, n)  of the variables; expected ones where cells are missing, their variances
                  included, which is the similarity in moment form [HV2 3.6]
    weight        of all cases
    coefficient   what the score takes off for one
    exact         take off each candidate what the parents tell of it: C2 is then the gain itself
    """

    correlations: Floats
    weight: float
    coefficient: float
    exact: bool = False

    def tells(self, child: int) -> Bools:
        """All of them."""
        del child
        return np.ones(len(self.correlations), np.bool_)

    def price(self, child: int, parents: tuple[int, ...], more: int = 0) -> float:
        """A coefficient each; intercept and sd have every family, and make no difference."""
        del child
        return self.coefficient * (len(parents) + more)

    def foreseen(self, child: int, parents: tuple[int, ...]) -> Foresight:
        """C2(y, z) of every z, y and z centred; in the place of a parent, y the residual without
        its term, and less what that parent had told.

        With S the correlations of the parents, B = S⁻¹ C the slopes of all variables on them and
        v_j = 1 / (S⁻¹)_jj, a family without parent j leaves of y and z what all parents leave,
        and v_j times the products of their slopes on it.
        """
        who = list(parents)
        across = self.correlations[who]
        inverse = _inverse(across[:, who])
        slopes = inverse @ across
        alpha, alone = slopes[:, child], 1.0 / np.maximum(np.diag(inverse), 1.0)
        cross = self.correlations[child] - alpha @ across
        diagonal = np.diag(self.correlations)
        left = diagonal - (slopes * across).sum(axis=0)
        own = max(float(left[child]), 0.0)
        without = own + alpha**2 * alone
        if self.exact:
            swapped = cross + (alpha * alone)[:, None] * slopes
            spare = left + alone[:, None] * slopes**2
            return self._told(cross, own, left, (swapped, without, spare), without)
        swapped = cross + alpha[:, None] * across
        wholly = own + alpha**2 * diagonal[who]
        spare = np.broadcast_to(diagonal, swapped.shape)
        return self._told(cross, own, diagonal, (swapped, wholly, spare), without)

    def _told(
        self,
        cross: Floats,
        own: float,
        theirs: Floats,
        swaps: tuple[Floats, Floats, Floats],
        without: Floats,
    ) -> Foresight:
        weight, floor = self.weight, max(own, SINGULAR)
        adding = c2(Sums(weight * cross, weight * own, weight * _there(theirs), weight))
        swapped, wholly, spare = swaps
        sums = Sums(
            weight * swapped, weight * wholly[:, None], weight * _there(spare), weight
        )  # fmt: skip
        return Foresight(
            adding,
            replaced_c2(sums, weight * floor),
            -0.5 * weight * np.log(without / floor),
            self.exact,
        )


def _there(squares: Floats) -> Floats:
    """Squares of which something is left; 0 where only rounding is."""
    return np.where(squares > SINGULAR, squares, 0.0)


def _inverse(matrix: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.inv(matrix))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(matrix, hermitian=True))
