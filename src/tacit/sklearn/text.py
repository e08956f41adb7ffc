"""Naive Bayes for counts of words, batch by batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    check_non_negative,
    validate_data,
)

from tacit.arrays import Floats, shares_of_logs
from tacit.core.errors import OptionError
from tacit.io.states import state_text
from tacit.learn.text.front import fit_text
from tacit.learn.text.model import TextModel


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """`tc.fit_text` on a matrix of counts, such as `CountVectorizer` makes; sparse or not.

    kind  "multinomial" or "bernoulli"
    knowledge, prior, estimate  as in `tc.fit_text`; the variables are `Class` and `Word`, or every
          word of "bernoulli", called as the columns are or w1, w2, ...

    model_  the `tc.TextModel`
    """

    def __init__(
        self,
        kind: str = "multinomial",
        *,
        knowledge: Any = None,
        prior: Any = None,
        estimate: Any = None,
    ) -> None:
        self.kind = kind
        self.knowledge = knowledge
        self.prior = prior
        self.estimate = estimate

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TextClassifier:
        """Learn from counts and classes."""
        matrix, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        self.model_ = self._first(matrix, y, sample_weight)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> TextClassifier:
        """Add documents to those learned from; the first call names all classes."""
        first = not hasattr(self, "model_")
        matrix, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=first)
        if first:
            if classes is None:
                raise OptionError("classes must be passed on the first call to partial_fit.")
            self.classes_ = np.unique(classes)
            self.model_ = self._first(matrix, y, sample_weight)
            return self
        weights = _weights(sample_weight, matrix)
        self.model_ = self.model_.update(matrix, _texts(y), weights=weights)
        return self

    def _first(self, matrix: Any, y: Any, sample_weight: Any) -> TextModel:
        check_non_negative(matrix, "TextClassifier")
        names = getattr(self, "feature_names_in_", None)
        return fit_text(
            matrix,
            _texts(y),
            kind=self.kind,
            dictionary=None if names is None else [str(each) for each in names],
            states=_texts(self.classes_),
            weights=_weights(sample_weight, matrix),
            knowledge=self.knowledge,
            prior=self.prior,
            estimate=self.estimate,
        )

    def predict_proba(self, X: Any) -> Floats:
        """(documents, classes) P(class | words); the shares of classes where that is impossible."""
        check_is_fitted(self)
        matrix = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        found = self.model_.predict(matrix).probability
        gone = np.isnan(found).any(axis=1)
        if gone.any():
            found = found.copy()
            found[gone] = shares_of_logs(self.model_.log_class[0])
        return found

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """(documents,) the most probable class."""
        found = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[found])


def _texts(labels: Any) -> list[str]:
    return [state_text(each) for each in np.asarray(labels).tolist()]


def _weights(sample_weight: Any, matrix: Any) -> Floats | None:
    if sample_weight is None:
        return None
    return np.asarray(_check_sample_weight(sample_weight, matrix, dtype=np.float64))
