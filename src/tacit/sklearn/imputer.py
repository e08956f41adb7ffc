"""An imputer that is a Bayesian network."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from tacit.core.errors import CasesError, OptionError
from tacit.infer.prediction import Prediction, predict
from tacit.sklearn.base import TabularEstimator
from tacit.sklearn.columns import Column, Cut, is_missing

FILLS = ("mean", "most_probable")


class BayesNetImputer(OneToOneFeatureMixin, TransformerMixin, TabularEstimator):  # type: ignore[misc]
    """Missing cells filled with what the other cells of the case say.

    structure  "tree": the best tree of columns; "search": the best dag found; "independent"; or a
               dag, its text, or a network
    fill       "mean": numbers get their expected value given the other cells, text its most
               probable label; "most_probable": numbers, too, get the most probable of their states
    bins       measurements are cut into so many intervals; an interval stands for its mean
    knowledge, prior, estimate, method, random_state  as in `tc.fit`

    network_   what was learned; `fit_` all that is known about it
    """

    def __init__(
        self,
        structure: Any = "tree",
        *,
        fill: str = "mean",
        knowledge: Any = None,
        prior: Any = None,
        estimate: Any = None,
        method: Any = None,
        bins: int = 6,
        random_state: Any = None,
    ) -> None:
        self.structure = structure
        self.fill = fill
        self.knowledge = knowledge
        self.prior = prior
        self.estimate = estimate
        self.method = method
        self.bins = bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> BayesNetImputer:
        """Learn from a matrix with gaps; y is not looked at."""
        del y
        if self.fill not in FILLS:
            raise OptionError(f"fill={self.fill!r} must be one of: {', '.join(FILLS)}")
        matrix, _, weights = self._begin(X, sample_weight)
        empty = [
            each.variable.name
            for at, each in enumerate(self.columns_)
            if is_missing(matrix[weights > 0, at]).all()
        ]
        if empty:
            raise CasesError(f"column {empty[0]!r} has no value in any case: nothing can fill it")
        data = self._data(matrix, weights)
        self.fit_ = self._learned(self._structure(data), data)
        self.network_ = self.fit_.network
        return self

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """The matrix with its gaps filled; what was there is left as it is."""
        matrix, data = self._cases(X)
        filled = matrix.copy()
        if filled.dtype.kind in "iub":
            return np.asarray(filled)
        gaps = {at: is_missing(matrix[:, at]) for at in range(matrix.shape[1])}
        if not any(each.any() for each in gaps.values()):
            return np.asarray(filled)
        told = predict(self.network_, data)
        for at, missing in gaps.items():
            if missing.any():
                filled[missing, at] = self._filled(self.columns_[at], told)[missing]
        return np.asarray(filled)

    def _filled(self, column: Column, told: Prediction) -> npt.NDArray[Any]:
        name = column.variable.name
        shares = told[name]
        gone = np.isnan(shares).any(axis=1)
        if gone.any():  # impossible under the network: what the column is like at large
            from tacit.infer.queries import query

            shares = shares.copy()
            shares[gone] = query(self.network_, name).values
        numeric = isinstance(column, Cut) or column.numeric
        if numeric and self.fill == "mean":
            return np.asarray(shares @ column.means())
        best = shares.argmax(axis=1)
        values = column.means() if isinstance(column, Cut) or column.numeric else column.labels()
        return np.asarray(values[best])
