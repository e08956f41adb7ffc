"""What is said about parts of a network that do not fit together, in full."""

from __future__ import annotations

import pytest

from tacit.core.dag import Dag
from tacit.core.errors import NetworkError
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import table

SMOKER = Discrete("Smoker", ("no", "yes"))
CANCER = Discrete("Cancer", ("no", "yes"))
DAG = Dag.parse("Smoker -> Cancer")
VARIABLES = {"Smoker": SMOKER, "Cancer": CANCER}
FAMILIES = {
    "Smoker": table(SMOKER, [], [0.7, 0.3]),
    "Cancer": table(CANCER, [SMOKER], [0.99, 0.01, 0.9, 0.1]),
}
YES_NO = Discrete("Smoker", ("yes", "no"))


@pytest.mark.parametrize(
    ("variables", "families", "message"),
    [
        (
            {"Smoker": SMOKER},
            FAMILIES,
            "the network has no variable for 'Cancer', which its dag names",
        ),
        (
            VARIABLES,
            {"Smoker": FAMILIES["Smoker"]},
            "the network has no family for 'Cancer', which its dag names",
        ),
        (
            {**VARIABLES, "Xray": CANCER},
            FAMILIES,
            "the network has a variable 'Xray', which its dag lacks",
        ),
        (
            VARIABLES,
            {**FAMILIES, "Xray": FAMILIES["Smoker"]},
            "the network has a family 'Xray', which its dag lacks",
        ),
        (
            {"Smoker": CANCER, "Cancer": CANCER},
            FAMILIES,
            "variable 'Cancer' is listed under 'Smoker'",
        ),
        (
            VARIABLES,
            {"Smoker": FAMILIES["Cancer"], "Cancer": FAMILIES["Cancer"]},
            "the family of 'Cancer' is listed under 'Smoker'",
        ),
        (
            VARIABLES,
            {**FAMILIES, "Cancer": table(CANCER, [], [0.5, 0.5])},
            "the family of 'Cancer' has the parents -, the dag says Smoker",
        ),
        (
            VARIABLES,
            {**FAMILIES, "Cancer": table(CANCER, [YES_NO], [0.99, 0.01, 0.9, 0.1])},
            "the family of 'Cancer' describes 'Smoker' with the states yes, no, "
            "but the network has 'Smoker' with the states no, yes",
        ),
        (
            {**VARIABLES, "Smoker": Continuous("Smoker")},
            FAMILIES,
            "the family of 'Smoker' describes 'Smoker' with the states no, yes, "
            "but the network has 'Smoker' with real values",
        ),
        (
            VARIABLES,
            {**FAMILIES, "Smoker": LinearGaussian((Continuous("Smoker"),), [], 0, 1)},
            "the family of 'Smoker' describes 'Smoker' with real values, "
            "but the network has 'Smoker' with the states no, yes",
        ),
    ],
)
def test_parts_that_do_not_fit(variables, families, message):
    with pytest.raises(NetworkError) as caught:
        Network(DAG, variables, families)
    assert str(caught.value) == message


def test_the_order_of_parents_counts():
    first, second = Discrete("A", ("a", "b")), Discrete("B", ("a", "b"))
    with pytest.raises(NetworkError) as caught:
        Network(
            Dag.parse("A, B -> Cancer"),
            {"A": first, "B": second, "Cancer": CANCER},
            {
                "A": table(first, [], [0.5, 0.5]),
                "B": table(second, [], [0.5, 0.5]),
                "Cancer": table(CANCER, [second, first], [0.5] * 8),
            },
        )
    assert str(caught.value) == "the family of 'Cancer' has the parents B, A, the dag says A, B"


def test_families_that_make_no_network():
    with pytest.raises(NetworkError) as caught:
        Network.of([FAMILIES["Smoker"], FAMILIES["Smoker"]])
    assert str(caught.value) == "'Smoker' has two families"
    with pytest.raises(NetworkError) as caught:
        Network.of([FAMILIES["Cancer"]])
    assert str(caught.value) == "'Smoker', a parent of 'Cancer', has no family of its own"
    near = table(Discrete("smoker", ("no", "yes")), [], [0.5, 0.5])
    with pytest.raises(NetworkError) as caught:
        Network.of([FAMILIES["Cancer"], near])
    assert str(caught.value) == (
        "'Smoker', a parent of 'Cancer', has no family of its own; did you mean 'smoker'?"
    )


def test_a_variable_the_network_lacks():
    with pytest.raises(NetworkError) as caught:
        Network.of(FAMILIES.values())["cancer"]
    assert str(caught.value) == (
        "the network has no variable 'cancer'; did you mean 'Cancer'?\n\nvariables: Smoker, Cancer"
    )
