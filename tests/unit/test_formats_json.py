"""Our own JSON, and the JSON in which linear Gaussian networks circulate."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.io.ownjson import network_from_plain, network_to_plain, read_json, write_json


def test_our_json_holds_every_family_and_where_an_order_was_inferred() -> None:
    stage = tc.Discrete("Stage", ("II", "I", "line\nbreak"), inferred_order=True)
    power, wind = tc.Continuous("Power"), tc.Continuous("Wind")
    network = tc.Network.of(
        [
            tc.table(stage, [], [1 / 3, 1 / 3, 1 / 3]),
            tc.LinearGaussian((wind,), np.array([]), 0.1 + 0.2, 1e-300),
            tc.LinearGaussian((wind, power), np.array([2.0]), -0.0, 5.5),
        ]
    )
    again, _ = read_json(write_json(network), "f")
    assert again == network
    assert again.variables["Stage"].inferred_order
    assert network_from_plain(network_to_plain(network)) == network


def test_json_of_another_version_is_refused() -> None:
    text = write_json(tc.textbook("asia")).replace('"version": 1', '"version": 2')
    with pytest.raises(tc.FormatError, match="f: version '2' of this format is not known here"):
        read_json(text, "f")


GAUSSIAN = """{"nodes": ["A", "B"], "arcs": [["A", "B"]], "cpds": {
  "A": {"coefficients": {"(Intercept)": [1.5]}, "variance": [4], "parents": []},
  "B": {"coefficients": {"(Intercept)": -1, "A": 0.25}, "variance": 0.09, "parents": ["A"]}}}"""


def test_the_json_of_linear_gaussian_networks_is_told_apart_from_our_own() -> None:
    network, _ = read_json(GAUSSIAN, "f")
    assert network["A"] == tc.LinearGaussian((tc.Continuous("A"),), np.array([]), 1.5, 2.0)
    family = network["B"]
    assert (family.intercept, family.sd, family.coefficients.tolist()) == (-1.0, 0.3, [0.25])


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('["A", "B"], "arcs"', '["A", "A"], "arcs"', "variable 'A' is listed twice"),
        ('["A", "B"], "arcs"', '["A", 2], "arcs"', '"nodes" must be a list of names'),
        ('["A", "B"], "arcs"', '["A"], "arcs"', "there are coefficients for 'B', which is no node"),
        ('["A", "B"], "arcs"', '["A", "B", "C"], "arcs"', "'C' has no coefficients"),
        ('[["A", "B"]]', "[]", '"arcs" and the parents in "cpds" do not agree'),
        ("[1.5]", "[1.5, 2]", "the coefficient of 'A' for '(Intercept)' is no number"),
        ("[4]", "[-4]", "the variance of 'A' is -4; it must be 0 or more"),
        ("[4]", "true", "the variance of 'A' is no number"),
        ('"A": 0.25', '"C": 0.25', "'B' needs one coefficient for each parent and '(Intercept)'"),
        ('"parents": ["A"]', '"parents": "A"', "the parents of 'B' must be a list of names"),
    ],
)
def test_damage_to_the_gaussian_json_is_named(old: str, new: str, what: str) -> None:
    with pytest.raises(tc.FormatError) as caught:
        read_json(GAUSSIAN.replace(old, new), "f")
    assert str(caught.value) == f"f: {what}"
