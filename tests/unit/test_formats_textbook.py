"""The networks that are shipped, against the editions that others ship."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tacit as tc
from tacit.io.textbook import parse_textbook, textbook_names


def test_there_are_six() -> None:
    assert textbook_names() == ("alarm", "asia", "burglary", "cancer", "insurance", "sprinkler")


@pytest.mark.parametrize(
    ("name", "variables", "arcs", "parameters"),
    [
        ("alarm", 37, 46, 509),
        ("insurance", 27, 52, 1008),
        ("asia", 8, 8, 18),
        ("cancer", 5, 4, 10),
        ("burglary", 5, 4, 10),
        ("sprinkler", 4, 4, 9),
    ],
)
def test_they_have_the_sizes_that_the_literature_gives(
    name: str, variables: int, arcs: int, parameters: int
) -> None:
    network = tc.textbook(name)
    assert (len(network), len(network.dag.arcs)) == (variables, arcs)
    assert network.free_parameters == parameters


@pytest.mark.parametrize("name", ["alarm", "insurance", "asia", "cancer"])
def test_they_equal_the_editions_of_the_network_repository(name: str, example_models: Path) -> None:
    ours, theirs = tc.textbook(name), tc.read(example_models / f"{name}.bif.gz")
    assert set(ours.dag.names) == set(theirs.dag.names)
    assert dict(ours.variables) == dict(theirs.variables)
    for variable in ours:
        mine, other = ours[variable], theirs[variable]
        assert set(mine.parents) == set(other.parents)
        order = [(*other.parents, variable).index(axis) for axis in (*mine.parents, variable)]
        assert_allclose(mine.values, np.transpose(other.values, order), atol=1e-6, rtol=0)


def test_the_burglary_has_the_arcs_of_the_radio_and_the_call() -> None:
    arcs = {
        ("Burglary", "Alarm"),
        ("Earthquake", "Alarm"),
        ("Earthquake", "Radio"),
        ("Alarm", "Call"),
    }
    assert set(tc.textbook("burglary").dag.arcs) == arcs
    row = tc.textbook("burglary")["Alarm"].row({"Burglary": "yes", "Earthquake": "no"})
    assert row == {"yes": 0.94, "no": 0.06}


def test_thirds_are_exact_and_the_first_parent_is_slowest() -> None:
    network = parse_textbook("A{x,y} : .5 .5\nB{u,v,w} | A : 1/3 1/3 1/3; .2 .3 .5  \n# done\n")
    assert_array_equal(network["B"].values, [[1 / 3, 1 / 3, 1 / 3], [0.2, 0.3, 0.5]])


def test_a_line_that_describes_nothing_is_an_error() -> None:
    with pytest.raises(tc.FormatError, match="this line describes no variable: 'A: 1'"):
        parse_textbook("A: 1")


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(tc.OptionError) as caught:
        tc.textbook("Alarm")
    assert str(caught.value) == (
        "there is no textbook network 'Alarm'; did you mean 'alarm'?"
        "\n\nthere are: alarm, asia, burglary, cancer, insurance, sprinkler"
    )
