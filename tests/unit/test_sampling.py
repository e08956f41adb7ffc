"""Cases drawn from networks, and cells blanked out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import naive
import strategies
from tacit.core.dataset import absent
from tacit.core.errors import ColumnError, OptionError
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import table
from tacit.infer.sampling import AtRandom, sample

FLU = Discrete("Flu", ("no", "yes"))
COUGH = Discrete("Cough", ("none", "dry", "wet"))
NETWORK = Network.of(
    [table(COUGH, [FLU], [[0.9, 0.1, 0], [0.1, 0.2, 0.7]]), table(FLU, [], [0.8, 0.2])]
)
LINE = Network.of(
    [
        LinearGaussian((Continuous("X"),), [], 1, 2),
        LinearGaussian((Continuous("X"), Continuous("Y")), [3.0], -1, 0.5),
    ]
)


def test_columns_are_those_of_the_network_as_listed():
    data = sample(NETWORK, 7, seed=1)
    assert data.names == ("Cough", "Flu")
    assert len(data) == 7
    assert dict(data.variables) == dict(NETWORK.variables)
    assert data.source == "7 cases sampled with seed 1"
    assert data["Cough"].dtype == np.int8


@given(strategies.discrete_networks(most=3))
def test_frequencies_match_the_joint(network):
    size = 3000
    data = sample(network, size, seed=3)
    names = list(network.dag.names)
    seen = naive.counts(
        list(zip(*(data[name].tolist() for name in names), strict=True)),
        [len(network.variables[name].states) for name in names],
    )
    for cell, chance in naive.joint(network, names).items():
        reach = 4 * np.sqrt(chance * (1 - chance) / size) + 4 / size
        assert abs(seen[cell] / size - chance) <= reach
        assert chance > 0 or seen[cell] == 0


def test_gaussian_samples_match_their_joint():
    data = sample(LINE, 20_000, seed=5)
    assert_allclose(data["X"].mean(), 1, atol=4 * 2 / 141)
    assert_allclose(np.cov(data["X"], data["Y"]), [[4, 12], [12, 36.25]], rtol=0.04)


@given(st.one_of(strategies.discrete_networks(), strategies.gaussian_networks()))
def test_one_seed_gives_the_same_bits(network):
    first, second = sample(network, 20, seed=9), sample(network, 20, seed=9)
    assert first.fingerprint() == second.fingerprint()


def test_other_seeds_give_other_cases_and_no_seed_is_written_down():
    prints = {sample(NETWORK, 200, seed=seed).fingerprint() for seed in range(5)}
    assert len(prints) == 5
    made_up = sample(NETWORK, 50)
    seed = int(made_up.source.rsplit(" ", 1)[1])
    assert sample(NETWORK, 50, seed=seed).fingerprint() == made_up.fingerprint()


def test_no_cases_may_be_asked_for():
    assert len(sample(NETWORK, 0, seed=1)) == 0
    assert len(sample(NETWORK, 0, seed=1, missing=AtRandom(0.5, given="Flu"))) == 0


def test_numbers_of_numpy_are_numbers():
    ours = sample(NETWORK, np.int64(5), seed=np.int64(2))
    assert ours.fingerprint() == sample(NETWORK, 5, seed=2).fingerprint()


def test_cells_go_missing_completely_at_random():
    data = sample(NETWORK, 20_000, seed=2, missing=AtRandom(0.3))
    for name in data.names:
        assert_allclose(absent(data[name]).mean(), 0.3, atol=4 * np.sqrt(0.21 / 20_000))
    whole = sample(NETWORK, 20_000, seed=2)
    for name in data.names:
        there = ~absent(data[name])
        assert_array_equal(data[name][there], whole[name][there])
    both = (absent(data["Flu"]) & absent(data["Cough"])).mean()
    assert_allclose(both, 0.09, atol=0.01)


def test_only_the_columns_named_lose_cells():
    data = sample(LINE, 500, seed=2, missing=AtRandom(0.5, columns=["Y"]))
    assert data.missing()["X"] == 0
    assert 150 < data.missing()["Y"] < 350
    assert np.isnan(data["Y"]).sum() == data.missing()["Y"]


def test_the_extremes_take_nothing_or_all():
    assert sum(sample(NETWORK, 50, seed=1, missing=AtRandom(0)).missing().values()) == 0
    assert sum(sample(NETWORK, 50, seed=1, missing=AtRandom(1)).missing().values()) == 100


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9, 1.0])
def test_cells_go_missing_as_an_observed_column_says(share):
    data = sample(LINE, 20_000, seed=4, missing=AtRandom(share, given="X"))
    assert data.missing()["X"] == 0
    gone = absent(data["Y"])
    assert_allclose(gone.mean(), share, atol=4 * np.sqrt(0.25 / 20_000))
    low, high = data["X"] < np.median(data["X"]), data["X"] >= np.median(data["X"])
    if share < 1:
        assert gone[high].mean() > gone[low].mean() * 1.05


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: sample(NETWORK, -1), "the number of cases must be 0 or more, not -1"),
        (lambda: sample(NETWORK, 2.5), "the number of cases must be 0 or more, not 2.5"),
        (lambda: sample(NETWORK, True), "the number of cases must be 0 or more, not True"),
        (lambda: sample(NETWORK, 5, seed=-3), "a seed is a whole number, 0 or more, not -3"),
        (lambda: sample(NETWORK, 5, seed="x"), "a seed is a whole number, 0 or more, not 'x'"),
        (lambda: AtRandom(1.5), "share=1.5 must lie between 0 and 1"),
        (
            lambda: AtRandom(0.5, columns=["Flu"], given="Flu"),
            "'Flu' cannot lose cells and decide which are lost",
        ),
    ],
)
def test_what_cannot_be_drawn(ask, message):
    with pytest.raises(OptionError) as caught:
        ask()
    assert str(caught.value) == message


@pytest.mark.parametrize("missing", [AtRandom(0.5, columns=["flu"]), AtRandom(0.5, given="flu")])
def test_a_column_to_blank_that_is_not_there(missing):
    with pytest.raises(ColumnError) as caught:
        sample(NETWORK, 5, seed=1, missing=missing)
    assert str(caught.value) == (
        "there is no variable 'flu' to blank; did you mean 'Flu'?\n\nvariables: Flu, Cough"
    )


def test_cells_are_blanked_by_a_value_that_says_how():
    with pytest.raises(OptionError) as caught:
        sample(NETWORK, 5, missing=0.1)
    assert str(caught.value) == "missing takes a value such as tc.AtRandom(0.1), not 0.1"
    with pytest.raises(OptionError) as caught:
        AtRandom("half")
    assert str(caught.value) == "share='half' must lie between 0 and 1"
