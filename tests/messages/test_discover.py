"""Every mistake that can be made with discovery is told in words that help."""

from __future__ import annotations

from typing import Any

import pytest

import tacit as tc
from tacit.core.errors import TacitError
from tacit.learn.discover import discover

DATA = {"A": ["a", "b", "a", "b"] * 5, "B": ["x", "y", "y", "x"] * 5}
KINDS = "kinds: tables, rows, links, ratios, cells, orders"


def message(structure: Any = "A -> B", data: Any = DATA, **wishes: Any) -> str:
    with pytest.raises(TacitError) as problem:
        discover(structure, data, **wishes)
    return str(problem.value)


def test_a_kind_that_is_none() -> None:
    said = "'row' is no kind of rule that can be discovered; did you mean 'rows'?"
    assert message(kinds=["row"]) == f"{said}\n\n{KINDS}"
    assert message(kinds=[]) == f"kinds= is empty: nothing to look for\n\n{KINDS}"


def test_a_threshold_that_is_none() -> None:
    for given in (-1, float("nan"), "much", True):
        said = message(threshold=given)
        assert said == f"threshold={given!r} must be a number of nats, 0 or more"


def test_a_variable_that_is_not_there() -> None:
    assert message(within="C") == (
        "within= names 'C', which is no variable of the network\n\nvariables: A, B"
    )


def test_a_variable_that_is_continuous() -> None:
    data = {**DATA, "T": [0.1 * at for at in range(20)]}
    assert message("A -> B; T", data, within=["T"]) == (
        "within= names 'T', which is continuous: rules are discovered in tables"
    )


def test_a_column_that_is_not_there() -> None:
    said = message("A -> B -> Hidden")
    assert said.startswith("the cases have no column 'Hidden'")
    assert said.endswith(
        "\n\ndiscovery counts cases, so every variable needs a column; leave out of the structure "
        "what nobody measured"
    )


def test_a_prior_that_is_none_or_improper() -> None:
    assert message(prior="bdeu") == "prior='bdeu' is no prior; tc.BDeu(1) is one"
    assert message(prior=tc.Dirichlet(0)) == (
        "Dirichlet(0) gives cells of A no prior, and then a marginal likelihood is not defined"
        "\n\nuse a prior above 0 in every cell, tc.BDeu(1) for example"
    )


def test_rules_that_conflict_are_refused_as_in_a_fit() -> None:
    said = message(start="P(A=a) = 0.2; P(A=a) = 0.3")
    assert "P(A=a) = 0.2" in said
    assert "P(A=a) = 0.3" in said
