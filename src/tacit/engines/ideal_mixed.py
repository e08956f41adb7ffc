"""Ideal parents where some columns have states: one for each configuration of discrete parents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.engines.foresight import Foresight
from tacit.engines.ideal_curves import CurveRanker
from tacit.engines.ideal_lines import LineRanker
from tacit.engines.mixed_scores import MixedScorer
from tacit.estimate.gaussians import SINGULAR


@dataclass(frozen=True, slots=True, eq=False)
class MixedRanker:
    """Continuous parents of continuous children; what has states is told by no geometry.

    A child with a line in each configuration of its discrete parents has an ideal parent in each,
    and the similarities add up:

        Σ over configurations of  -(M / 2) log sin²φ(y, z),

    y the residual of the child and z the candidate, both within the configuration. Less what the
    other parents tell of z there this is the gain itself; a configuration of so few cases that it
    takes the regression of all adds what that gains, and to the plain similarity nothing.
    [HV2 3.3]

    curves  ranks for children with curves, by their numbers among the continuous columns
    """

    scorer: MixedScorer
    similarity: str
    curves: CurveRanker | None = None

    def tells(self, child: int) -> Bools:
        """The continuous variables for a continuous child, none for one with states."""
        return np.asarray(~self.scorer.discrete & ~self.scorer.discrete[child])

    def price(self, child: int, parents: tuple[int, ...], more: int = 0) -> float:
        """A coefficient, intercept and sd in every configuration; of curves as they have it."""
        (states, reals), curves = self.scorer.apart(parents), self._bent(child)
        if curves is not None:
            return curves.price(int(self.scorer.place[child]), reals, more)
        return self.scorer.regressions.price(states, len(reals) + more)

    def foreseen(self, child: int, parents: tuple[int, ...]) -> Foresight:
        """All changes of a family by one continuous parent."""
        states, reals = self.scorer.apart(parents)
        at, curves = int(self.scorer.place[child]), self._bent(child)
        if curves is not None:
            return self._spread(parents, curves.foreseen(at, reals))
        return self._spread(parents, self._lines(at, states, reals))

    def _bent(self, child: int) -> CurveRanker | None:
        """The ranker of a child with a curve."""
        if self.curves is None or self.scorer.discrete[child]:
            return None
        return self.curves if self.curves.scorer.curved[self.scorer.place[child]] else None

    def _spread(self, parents: tuple[int, ...], told: Foresight) -> Foresight:
        """What is told of continuous variables, by the numbers of all; -inf of the others."""
        discrete = self.scorer.discrete
        own = ~discrete[list(parents)]
        adding, removing = np.full(discrete.size, -np.inf), np.full(own.size, -np.inf)
        adding[~discrete], removing[own] = told.adding, told.removing
        replacing = np.full((own.size, discrete.size), -np.inf)
        replacing[np.ix_(own, ~discrete)] = told.replacing
        return Foresight(adding, replacing, removing, told.exact)

    def _lines(self, child: int, states: tuple[int, ...], reals: tuple[int, ...]) -> Foresight:
        """Of a child with lines, by the numbers of the continuous columns."""
        lines, exact = self.scorer.regressions, self.similarity == "exact"
        others = np.setdiff1d(np.arange(lines.sd.size), [child, *reals])
        now = self._fitted(child, states, reals)
        fewer = [reals[:at] + reals[at + 1 :] for at in range(len(reals))]
        removing = np.array([_gained(self._fitted(child, states, each), now) for each in fewer])
        adding = np.full(lines.sd.size, -np.inf)
        replacing = np.full((len(reals), lines.sd.size), -np.inf)
        if exact:
            adding[others] = _gained(self._with_each(child, states, reals, others), now)
            for at, each in enumerate(fewer):
                replacing[at, others] = _gained(self._with_each(child, states, each, others), now)
        else:
            adding[others], replacing[:, others] = self._alike(child, states, reals, others)
        return Foresight(adding, replacing, removing, exact)

    def _fitted(self, child: int, states: tuple[int, ...], reals: tuple[int, ...]) -> float:
        lines = self.scorer.regressions
        return lines.family(child, states, reals) + lines.price(states, len(reals))

    def _with_each(
        self, child: int, states: tuple[int, ...], reals: tuple[int, ...], others: Ints
    ) -> Floats:
        lines = self.scorer.regressions
        return lines.adding(child, states, reals, others) + lines.price(states, len(reals) + 1)

    def _alike(
        self, child: int, states: tuple[int, ...], reals: tuple[int, ...], others: Ints
    ) -> tuple[Floats, Floats]:
        """The plain similarities of further parents, and of replacements of each parent."""
        k = len(reals)
        adding, replacing = np.zeros(others.size), np.zeros((k, others.size))
        dead = np.zeros(others.size, np.bool_)  # constant in a configuration: no line joins them
        for span, moments, (at, *rest) in self.scorer.regressions.blocks(
            child, states, reals, others
        ):
            own = moments.weights > k + 3
            inner = [at, *rest]
            for weight, scatter in zip(moments.weights[own], moments.scatter[own], strict=True):
                matrix = scatter[np.ix_(inner, inner)] / weight
                still = np.diag(matrix) <= SINGULAR
                root = np.sqrt(np.where(still, 1.0, np.diag(matrix)))
                line = LineRanker(matrix / np.outer(root, root), float(weight), 0.0)
                told = line.foreseen(0, tuple(range(1, k + 1)))
                dead[span] |= still[k + 1 :]
                adding[span] += told.adding[k + 1 :]
                replacing[:, span] += told.replacing[:, k + 1 :]
        return np.where(dead, -np.inf, adding), np.where(dead, -np.inf, replacing)


def _gained(after: float | Floats, before: float) -> Floats:
    """What is gained; where the family is singular, all by a change that no longer is."""
    if before > -np.inf:
        return np.asarray(after - before)
    return np.where(np.asarray(after) > -np.inf, np.inf, -np.inf)
