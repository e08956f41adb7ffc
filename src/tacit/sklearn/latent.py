"""Latent classes: groups of cases that explain why columns go together."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClusterMixin

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, quoted
from tacit.infer.likelihood import log_likelihood
from tacit.infer.prediction import predict
from tacit.learn.fit import fit
from tacit.learn.fits import Fit
from tacit.learn.methods import EM
from tacit.sklearn.base import TabularEstimator


class LatentClasses(ClusterMixin, TabularEstimator):  # type: ignore[misc]
    """A hidden variable with so many states is the parent of all columns; EM finds its tables.

    n_clusters  how many classes; None: as many as BIC says, up to `most`
    target      the name of the hidden variable in rules and in the network
    method      `tc.EM(restarts=10)` unless given
    bins        measurements are cut into so many intervals
    knowledge, prior, estimate, random_state  as in `tc.fit`

    labels_     the most probable class of each case learned from
    network_    what was learned; `fit_` all that is known about it, for `tc.report`
    bic_        by number of classes: -2 log-likelihood + parameters log cases, lower is better
    """

    def __init__(
        self,
        n_clusters: int | None = 3,
        *,
        most: int = 8,
        target: str = "class",
        knowledge: Any = None,
        prior: Any = None,
        estimate: Any = None,
        method: Any = None,
        bins: int = 6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.most = most
        self.target = target
        self.knowledge = knowledge
        self.prior = prior
        self.estimate = estimate
        self.method = method
        self.bins = bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> LatentClasses:
        """Learn from a matrix; y is not looked at."""
        del y
        matrix, _, weights = self._begin(X, sample_weight)
        if self.target in self._names():
            raise OptionError(
                f"a column is called {quoted(self.target)}: give the classes another name with "
                "target="
            )
        data = self._data(matrix, weights)
        fits = {size: self._with(size, data) for size in self._sizes(len(data))}
        self.bic_ = {size: _bic(found, data) for size, found in fits.items()}
        self.n_clusters_ = min(self.bic_, key=lambda size: (self.bic_[size], size))
        self.fit_ = fits[self.n_clusters_]
        self.network_ = self.fit_.network
        self.labels_ = self._shares(data).argmax(axis=1)
        return self

    def _shares(self, data: Dataset) -> Floats:
        if self.n_clusters_ == 1:
            return np.ones((len(data), 1))
        found = predict(self.network_, data)[self.target]
        return np.nan_to_num(found, nan=1 / self.n_clusters_)

    def _sizes(self, cases: int) -> range:
        given: Any = self.n_clusters
        if given is None:
            return range(1, max(1, min(int(self.most), cases)) + 1)
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
            raise OptionError(f"n_clusters={given!r} must be a whole number, 1 or more, or None")
        return range(int(given), int(given) + 1)

    def _with(self, size: int, data: Dataset) -> Fit:
        """The best of several starts; one class alone explains nothing: columns are independent."""
        above = () if size == 1 else (self.target,)
        parents: dict[str, tuple[str, ...]] = dict.fromkeys(above, ())
        return fit(
            Dag({**parents, **dict.fromkeys(data.names, above)}),
            data,
            hidden={self.target: [str(at) for at in range(size)]} if above else None,
            knowledge=self.knowledge,
            prior=self.prior,
            estimate=self.estimate,
            method=self.method or EM(restarts=10),
            seed=self._seed(),
            progress=False,
        )

    def predict_proba(self, X: Any) -> Floats:
        """(cases, classes) P(class | what is observed of the case)."""
        return self._shares(self._cases(X)[1])

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """(cases,) the most probable class."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def score(self, X: Any, y: Any = None) -> float:
        """The log-likelihood per case, measurements as intervals."""
        del y
        _, data = self._cases(X)
        return log_likelihood(self.network_, data).average


def _bic(found: Fit, data: Dataset) -> float:
    free = sum(found.network[name].free_parameters for name in found.network)
    total = float(log_likelihood(found.network, data))
    return -2 * total + free * log(data.total_weight)
