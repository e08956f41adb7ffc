"""What is said about columns and weights that cannot be cases, in full."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, ColumnError, WeightError
from tacit.core.variables import Continuous, Discrete

FLU = Discrete("Flu", ("no", "yes"))
AGE = Continuous("Age")
BOTH = {"Flu": FLU, "Age": AGE}
TWO = {"Flu": np.array([0, 1]), "Age": np.array([1.0, 2.0])}


@pytest.mark.parametrize(
    ("variables", "columns", "message"),
    [
        ({"Flu": FLU}, TWO, "every column needs its variable, in the same order"),
        ({"Age": AGE, "Flu": FLU}, TWO, "every column needs its variable, in the same order"),
        ({"flu": FLU}, {"flu": TWO["Flu"]}, "variable 'Flu' is listed under 'flu'"),
        (
            BOTH,
            {**TWO, "Age": np.array([1.0])},
            "columns differ in length: Flu: 2, Age: 1",
        ),
        (BOTH, {**TWO, "Flu": np.array([[0, 1]])}, "column 'Flu' has 2 dimensions, not one"),
        (
            BOTH,
            {**TWO, "Flu": np.array([0.0, 1.0])},
            "the codes of 'Flu' must be integers, not float64",
        ),
        (
            BOTH,
            {**TWO, "Flu": np.array([0, 2])},
            "the code of 'Flu' in case 2 is 2; codes are 0 to 1, or -1 where the cell is missing",
        ),
        (
            BOTH,
            {**TWO, "Flu": np.array([-2, 0])},
            "the code of 'Flu' in case 1 is -2; codes are 0 to 1, or -1 where the cell is missing",
        ),
        (
            BOTH,
            {**TWO, "Age": np.array(["a", "b"])},
            "the values of 'Age' must be numbers, not <U1",
        ),
        (BOTH, {**TWO, "Age": np.array([0, np.inf])}, "column 'Age' is infinite in case 2"),
    ],
)
def test_columns_that_are_no_cases(variables, columns, message):
    with pytest.raises(CasesError) as caught:
        Dataset(variables, columns)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -0.5], "the weight of case 2 is -0.5; a weight is a finite number, 0 or more"),
        ([np.nan, 1.0], "the weight of case 1 is nan; a weight is a finite number, 0 or more"),
        ([1.0, np.inf], "the weight of case 2 is inf; a weight is a finite number, 0 or more"),
        (
            [1e308, 1e308],
            "the weights add up to inf, more than can be computed with"
            "\n\ndivide them by a number, so that they come to 1e+50 at most",
        ),
        ([1.0], "2 cases need as many weights, not 1"),
        ([[1.0, 1.0]], "the weights have 2 dimensions, not one"),
        (["a", "b"], "weights must be numbers, not <U1"),
    ],
)
def test_weights_that_are_none(weights, message):
    with pytest.raises(WeightError) as caught:
        Dataset(BOTH, TWO, weights=np.array(weights))
    assert str(caught.value) == message


def test_a_column_that_is_not_there():
    data = Dataset(BOTH, TWO)
    message = "the cases have no column 'flu'; did you mean 'Flu'?\n\ncolumns: Flu, Age"
    for ask in (lambda: data["flu"], lambda: data.select(["Age", "flu"])):
        with pytest.raises(ColumnError) as caught:
            ask()
        assert str(caught.value) == message
