"""What estimators say of settings and cases they cannot use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.sklearn import (
    BayesNetClassifier,
    BayesNetImputer,
    LatentClasses,
    TextClassifier,
)

X, Y = np.arange(40.0).reshape(20, 2), np.repeat([0, 1], 10)
NAMED = pd.DataFrame(X, columns=["a", "class"])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: BayesNetClassifier(bins=1).fit(X, Y),
            "bins=1 must be a whole number, 2 or more",
        ),
        (
            lambda: BayesNetClassifier().fit(NAMED, Y),
            "a column is called class: give the class another name with target=",
        ),
        (
            lambda: LatentClasses().fit(NAMED),
            "a column is called class: give the classes another name with target=",
        ),
        (
            lambda: BayesNetClassifier("x0 -> x1").fit(X, Y),
            "structure='x0 -> x1' has no variable class, the class",
        ),
        (
            lambda: BayesNetClassifier("multinet", knowledge="P(class=1) <= 0.2").fit(X, Y),
            "rules are about one network, and a multinet has one per class",
        ),
        (
            lambda: BayesNetImputer(fill="median").fit(X),
            "fill='median' must be one of: mean, most_probable",
        ),
        (
            lambda: BayesNetImputer().fit(np.column_stack([X, np.full(20, np.nan)])),
            "column 'x2' has no value in any case: nothing can fill it",
        ),
        (
            lambda: LatentClasses(n_clusters=0).fit(X),
            "n_clusters=0 must be a whole number, 1 or more, or None",
        ),
        (
            lambda: TextClassifier().partial_fit(X, Y),
            "classes must be passed on the first call to partial_fit.",
        ),
    ],
)
def test_the_message_says_what_would_be_right(ask, message):
    with pytest.raises(tc.TacitError) as caught:
        ask()
    assert str(caught.value) == message
