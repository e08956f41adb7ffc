"""What is said about families as plain data that are damaged, in full."""

from __future__ import annotations

import pytest

from tacit.core.errors import FormatError, NetworkError
from tacit.core.variables import Discrete
from tacit.families import family_from_plain

FLU = Discrete("Flu", ("no", "yes"))
KNOWN = (
    "known are: table, linear-gaussian, conditional-gaussian, noisy-or, noisy-and, noisy-max, "
    "tree-table, default-table, sigmoid-gaussian, softplus-gaussian"
)


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        ({}, f"'None' is no family; {KNOWN}"),
        ({"family": ["table"]}, f"\"['table']\" is no family; {KNOWN}"),
        (
            {"family": "table", "child": "Flu"},
            "the family of 'Flu' needs 'parents', which is not there",
        ),
        (
            {"family": "table", "child": "Flu", "parents": ["X"], "values": []},
            "the family of 'Flu' needs 'X', which is not there",
        ),
        (
            {"family": "table", "child": "Flu", "parents": 3, "values": []},
            "the family of 'Flu' holds something other than names and numbers",
        ),
        (
            {"family": "table", "child": "Flu", "parents": [], "values": ["x", [1]]},
            "the family of 'Flu' holds something other than names and numbers",
        ),
        (
            {"family": "table", "child": "Flu", "parents": [], "values": [0.5, 0.4]},
            "P(Flu) adds up to 0.9, not 1\n\n    no: 0.5, yes: 0.4",
        ),
        (
            {"family": "linear-gaussian", "child": "Flu", "parents": [], "coefficients": [],
             "intercept": 0, "sd": 1},
            "'Flu' has states; a linear Gaussian family of 'Flu' takes continuous variables only",
        ),
        (
            {"family": "tree-table", "child": "Flu", "parents": [], "tree": [0.5, 0.4]},
            "the row of Flu for every configuration is no distribution\n\n    0.5, 0.4",
        ),
        (
            {"family": "tree-table", "child": "Flu", "parents": [],
             "tree": {"parent": "Cold", "branches": []}},
            "the tree of Flu asks for 'Cold', which is no parent\n\nparents: none",
        ),
        (
            {"family": "default-table", "child": "Flu", "parents": [], "rows": [],
             "default": [0.5, 0.25, 0.25]},
            "every row of Flu has 2 numbers",
        ),
        (
            {"family": "sigmoid-gaussian", "child": "Flu", "parents": [], "coefficients": [],
             "base": 0, "rise": 1, "threshold": 0, "sd": 1},
            "'Flu' has states; a sigmoid-gaussian family of 'Flu' takes continuous variables only",
        ),
    ],
)  # fmt: skip
def test_damaged_plain_data_is_refused_in_words(plain, message):
    with pytest.raises((FormatError, NetworkError)) as caught:
        family_from_plain(plain, {"Flu": FLU})
    assert str(caught.value) == message
