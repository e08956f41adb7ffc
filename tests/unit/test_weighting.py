"""Likelihood weighting lies within its own stated errors of the exact answer."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import questions
import tacit as tc
from tacit.core.errors import ImpossibleError, OptionError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import table

QUERIES = [
    ("V5", {}),
    ("V5", {"V0": "a"}),
    ("V0", {"V5": "b", "V3": "a"}),
    (["V1", "V4"], {"V2": {"a": 0.1, "b": 0.7}}),
    ("P(V0=a, V4=b | V5={a, b})", {}),
]


@pytest.mark.parametrize(("text", "given"), QUERIES)
def test_estimates_lie_within_four_of_their_standard_errors(text, given):
    network = questions.random_network(31, size=6)
    exact = tc.query(network, text, given=given).values
    found = tc.query(network, text, given=given, method=tc.LikelihoodWeighting(20_000, seed=5))
    assert (np.abs(found.values - exact) <= 4 * found.errors + 1e-12).all()
    assert found.errors.max() < 0.05


def test_stated_errors_are_those_that_repeated_estimates_show():
    network = questions.random_network(32, size=5)
    exact = tc.query(network, "V0", given={"V4": "a"}).values
    runs = [
        tc.query(network, "V0", given={"V4": "a"}, method=tc.LikelihoodWeighting(500, seed))
        for seed in range(200)
    ]
    off = np.array([run.values - exact for run in runs])
    stated = np.sqrt(np.mean([run.errors**2 for run in runs], axis=0))
    assert_allclose(np.sqrt((off**2).mean(axis=0)), stated, rtol=0.2)
    assert_allclose(off.mean(axis=0), 0, atol=4 * stated.max() / np.sqrt(200))


def test_more_samples_are_closer_and_a_seed_repeats():
    network = questions.random_network(33, size=5)
    few = tc.query(network, "V4", method=tc.LikelihoodWeighting(100, seed=1))
    many = tc.query(network, "V4", method=tc.LikelihoodWeighting(10_000, seed=1))
    assert many.errors.max() < few.errors.max()
    again = tc.query(network, "V4", method=tc.LikelihoodWeighting(100, seed=1))
    assert_array_equal(few.values, again.values)
    assert "±" in str(few)


def test_states_never_drawn_have_an_error_too():
    a = Discrete("A", ("x", "y"))
    network = Network.of([table(a, [], [1 - 1e-9, 1e-9])])
    found = tc.query(network, "A", method=tc.LikelihoodWeighting(1000, seed=1))
    assert found["y"] == 0
    assert 0 < found.errors[1] <= 1e-3


def test_rows_that_findings_empty_are_no_trouble():
    a, b = Discrete("A", ("x", "y")), Discrete("B", ("u", "v"))
    network = Network.of([table(a, [], [0.5, 0.5]), table(b, [a], [[1, 0], [0.5, 0.5]])])
    found = tc.query(network, "A", given={"B": "v"}, method=tc.LikelihoodWeighting(100, seed=1))
    assert_array_equal(found.values, [0, 1])


def test_what_cannot_be_estimated():
    a = Discrete("A", ("x", "y"))
    network = Network.of([table(a, [], [1, 0]), table(Discrete("B", ("u", "v")), [a], [0.5] * 4)])
    with pytest.raises(ImpossibleError, match="none of 50 samples agrees with the findings"):
        tc.query(network, "B", given={"A": "y"}, method=tc.LikelihoodWeighting(50, seed=1))
    with pytest.raises(OptionError, match="samples=1 must be at least 2"):
        tc.LikelihoodWeighting(1)
