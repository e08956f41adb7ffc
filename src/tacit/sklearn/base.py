"""What all estimators share: reading a matrix, naming its columns, learning a network."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.knowledge.knowledge import as_knowledge
from tacit.learn.fit import fit
from tacit.learn.fits import Fit
from tacit.learn.structure.methods_exact import ChowLiu
from tacit.learn.structure.search import search
from tacit.learn.structure.structural_em import structural_em
from tacit.learn.structures import as_structure
from tacit.sklearn.columns import encoded, learn_columns, unseen


class TabularEstimator(BaseEstimator):  # type: ignore[misc]
    """A matrix of numbers or text, with gaps, as cases of variables with states."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _begin(self, X: Any, sample_weight: Any, y: Any = None) -> tuple[Any, Any, Floats]:
        """The matrix, the labels, and the weights; columns are learned from it."""
        if y is None:
            matrix = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan")
        else:
            matrix, y = validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan")
        weights = _check_sample_weight(sample_weight, matrix, dtype=np.float64)
        if (weights < 0).any():
            raise ValueError("Negative values in data passed to `sample_weight`")
        bins: Any = self.bins
        if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 2:
            raise OptionError(f"bins={bins!r} must be a whole number, 2 or more")
        self.columns_ = learn_columns(matrix, self._names(), weights, int(bins))
        return matrix, y, weights

    def _names(self) -> list[str]:
        """The columns: as a data frame names them, else x0, x1, ..."""
        named = getattr(self, "feature_names_in_", None)
        if named is None:
            return [f"x{at}" for at in range(self.n_features_in_)]
        return [str(each) for each in named]

    def _cases(self, X: Any) -> tuple[npt.NDArray[Any], Dataset]:
        """The matrix again, and its cases in the states that were learned."""
        check_is_fitted(self)
        matrix = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=False)
        return matrix, encoded(self.columns_, matrix)

    def unseen(self, X: Any) -> dict[str, int]:
        """By column, how many cells hold a label that no case had before: they say nothing."""
        matrix, data = self._cases(X)
        return unseen(self.columns_, matrix, data)

    def _data(self, matrix: npt.NDArray[Any], weights: Floats) -> Dataset:
        """The cases to learn from; weights that are all 1 are none."""
        data = encoded(self.columns_, matrix)
        return data if (weights == 1).all() else data.with_weights(weights)

    def _seed(self) -> int:
        state = check_random_state(self.random_state)
        return int(state.randint(np.iinfo(np.int32).max))

    def _learned(self, structure: Any, data: Dataset, hidden: Any = None) -> Fit:
        """`tc.fit` with what the estimator was told."""
        return fit(
            structure,
            data,
            hidden=hidden,
            knowledge=self.knowledge,
            prior=self.prior,
            estimate=self.estimate,
            method=self.method,
            seed=self._seed(),
            progress=False,
        )

    def _structure(self, data: Dataset) -> Dag:
        """The dag that `structure` asks for, or is."""
        if self.structure == "independent":
            return Dag(dict.fromkeys(data.names, ()))
        if self.structure == "tree":
            return self._searched(data, ChowLiu(), "at most 1 parents")
        if self.structure == "search":
            return self._searched(data, None, "at most 4 parents")
        return as_structure(self.structure).dag

    def _searched(self, data: Dataset, method: Any, narrow: str) -> Dag:
        """The best dag that the rules of experts allow; by structural EM where cells are missing,
        within the rules of `narrow`, which stand for the method."""
        if len(data.names) == 1:
            return Dag({data.names[0]: ()})
        known, seed = as_knowledge(self.knowledge), self._seed()
        if not any(data.missing().values()):
            return search(
                data, method=method, knowledge=known, as_given=True, seed=seed, progress=False
            ).dag
        rules: list[Any] = [narrow] if known is None else [known, narrow]
        return structural_em(data, knowledge=rules, as_given=True, seed=seed, progress=False).dag
