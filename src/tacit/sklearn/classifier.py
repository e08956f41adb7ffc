"""A classifier that is a Bayesian network."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, quoted
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.infer.prediction import predict
from tacit.io.states import state_text
from tacit.learn.classes.multinet import Multinet, fit_multinet
from tacit.learn.structure.methods_exact import TAN
from tacit.sklearn.base import TabularEstimator


class BayesNetClassifier(ClassifierMixin, TabularEstimator):  # type: ignore[misc]
    """P(class | all other columns) of a Bayesian network; missing cells are summed out.

    structure  "naive": every column depends on the class alone; "tan": and on one other column;
               "multinet": a tree of columns for each class; "search": the best dag found by BIC; or
               a dag, its text, or a network, in which the class is called `target`
    target     the name of the class in rules and in the network
    knowledge  rules of experts about class and columns; those about structure bind the search, too
    bins       measurements are cut into so many intervals with about as many cases in each
    prior, estimate, method  as in `tc.fit`
    random_state  of random starts, where cells are missing

    network_   what was learned; `fit_` all that is known about it, for `tc.report`; of a multinet
               `multinet_` instead
    """

    def __init__(
        self,
        structure: Any = "naive",
        *,
        target: str = "class",
        knowledge: Any = None,
        prior: Any = None,
        estimate: Any = None,
        method: Any = None,
        bins: int = 6,
        random_state: Any = None,
    ) -> None:
        self.structure = structure
        self.target = target
        self.knowledge = knowledge
        self.prior = prior
        self.estimate = estimate
        self.method = method
        self.bins = bins
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesNetClassifier:
        """Learn from a matrix and the class of each of its cases."""
        matrix, y, weights = self._begin(X, sample_weight, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.target in self._names():
            raise OptionError(
                f"a column is called {quoted(self.target)}: give the class another name with "
                "target="
            )
        states = tuple(state_text(each) for each in self.classes_.tolist())
        variable = Discrete(self.target, states)
        data = self._data(matrix, weights)
        whole = Dataset(
            {**data.variables, self.target: variable},
            {**data.columns, self.target: codes},
            data.weights,
        )
        self._learn(whole)
        return self

    def _learn(self, data: Dataset) -> None:
        if self.structure == "multinet":
            if self.knowledge is not None:
                raise OptionError("rules are about one network, and a multinet has one per class")
            self.multinet_ = fit_multinet(
                data, self.target, prior=self.prior, estimate=self.estimate, seed=self._seed()
            )
            return
        found = self._learned(self._dag(data), data)
        self.fit_, self.network_ = found, found.network

    def _dag(self, data: Dataset) -> Dag:
        others = [name for name in data.names if name != self.target]
        if self.structure == "naive" or (self.structure == "tan" and len(others) < 2):
            return Dag({self.target: (), **dict.fromkeys(others, (self.target,))})
        if self.structure == "tan":
            above = (f"require {quoted(self.target)} -> {quoted(name)}" for name in others)
            narrow = "\n".join([*above, "at most 2 parents"])
            return self._searched(data, TAN(self.target), narrow)
        dag = self._structure(data)
        if self.target not in dag:
            raise OptionError(
                f"structure={self.structure!r} has no variable {quoted(self.target)}, the class"
            )
        return dag

    def predict_proba(self, X: Any) -> Floats:
        """(cases, classes) P(class | what is observed of the case)."""
        _, data = self._cases(X)
        held: Multinet | None = getattr(self, "multinet_", None)
        if held is not None and self.structure == "multinet":
            return held.predict(data)
        found = predict(self.network_, data)[self.target]
        return _possible(found, self.network_, self.target)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """(cases,) the most probable class."""
        found = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[found])


def _possible(found: Floats, network: Network, target: str) -> Floats:
    """Cases that the network holds impossible get the shares of the classes."""
    gone = np.isnan(found).any(axis=1)
    if not gone.any():
        return found
    from tacit.infer.queries import query

    found = found.copy()
    found[gone] = query(network, target).values
    return found
