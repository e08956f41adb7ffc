"""A density that is a Bayesian network."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import Floats
from tacit.infer.likelihood import log_likelihood
from tacit.infer.sampling import sample
from tacit.sklearn.base import TabularEstimator
from tacit.sklearn.columns import Cut


class BayesNetDensity(DensityMixin, TabularEstimator):  # type: ignore[misc]
    """How probable cases are, and new ones like them; missing cells are summed out.

    structure  "tree": the best tree of columns (Chow and Liu); "search": the best dag found by BIC;
               "independent"; or a dag, its text, or a network
    bins       measurements are cut into so many intervals; within one the density is even, and
               beyond the outermost cuts it falls off exponentially; a label that no case had, and
               another value of a column that is always the same, says nothing: see `unseen`
    knowledge, prior, estimate, method, random_state  as in `tc.fit`

    network_   what was learned; `fit_` all that is known about it
    """

    def __init__(
        self,
        structure: Any = "tree",
        *,
        knowledge: Any = None,
        prior: Any = None,
        estimate: Any = None,
        method: Any = None,
        bins: int = 6,
        random_state: Any = None,
    ) -> None:
        self.structure = structure
        self.knowledge = knowledge
        self.prior = prior
        self.estimate = estimate
        self.method = method
        self.bins = bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> BayesNetDensity:
        """Learn from a matrix; y is not looked at."""
        del y
        matrix, _, weights = self._begin(X, sample_weight)
        data = self._data(matrix, weights)
        self.fit_ = self._learned(self._structure(data), data)
        self.network_ = self.fit_.network
        return self

    def score_samples(self, X: Any) -> Floats:
        """(cases,) log density in nats: of labels log P, of measurements log of their density."""
        matrix, data = self._cases(X)
        found = np.array(log_likelihood(self.network_, data).per_case)
        for at, column in enumerate(self.columns_):
            if isinstance(column, Cut):
                found += column.log_density(matrix[:, at])
        return found

    def score(self, X: Any, y: Any = None) -> float:
        """The log density of all cases together."""
        del y
        return float(self.score_samples(X).sum())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> npt.NDArray[Any]:
        """New cases: a matrix of numbers, or of objects where some column is text."""
        check_is_fitted(self)
        random = np.random.default_rng(
            check_random_state(random_state).randint(np.iinfo(np.int32).max)
        )
        drawn = sample(self.network_, n_samples, seed=int(random.integers(2**31)))
        columns: list[npt.NDArray[Any]] = []
        for column in self.columns_:
            codes = drawn[column.variable.name].astype(np.int64)
            if isinstance(column, Cut):
                columns.append(column.draw(codes, random))
            else:
                columns.append((column.means() if column.numeric else column.labels())[codes])
        numeric = all(each.dtype.kind == "f" for each in columns)
        return np.stack([c if numeric else c.astype(object) for c in columns], axis=1)
