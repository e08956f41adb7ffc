"""Priors: what they add to the counts of a table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import naive
import strategies
from tacit.core.errors import OptionError
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.estimate.priors import K2, BDeu, Dirichlet, Jeffreys, Prior
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import table
from tacit.infer.marginals import joint

A = Discrete("A", ("x", "y"))
B = Discrete("B", ("p", "q", "r"))
C = Discrete("C", ("no", "yes"))
AXES = (A, B, C)


@given(st.floats(0, 1e6), st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_bdeu_adds_up_to_its_strength_in_every_table(strength, shape):
    axes = tuple(Discrete(f"V{at}", tuple("abcd"[:size])) for at, size in enumerate(shape))
    alpha = BDeu(strength).pseudo_counts(axes)
    assert alpha.shape == tuple(shape)
    assert_allclose(alpha.sum(), strength, atol=1e-300)
    assert (alpha == alpha.flat[0]).all()


def test_k2_and_jeffreys_are_constants():
    assert_array_equal(K2().pseudo_counts(AXES), np.ones((2, 3, 2)))
    assert_array_equal(Jeffreys().pseudo_counts(AXES), np.full((2, 3, 2), 0.5))


def test_the_default_strength_is_one_case():
    assert BDeu() == BDeu(1)
    assert BDeu(1).pseudo_counts((C,)).tolist() == [0.5, 0.5]


def test_dirichlet_takes_a_number_a_row_or_a_table():
    whole = np.arange(12).reshape(2, 3, 2)
    said = Dirichlet({"C": whole, "B": [1, 2, 3], "A": 4}, otherwise=0.25)
    assert_array_equal(said.pseudo_counts(AXES), whole)
    assert_array_equal(said.pseudo_counts((A, B)), [[1, 2, 3]] * 2)
    assert said.pseudo_counts((A,)).tolist() == [4, 4]
    assert said.pseudo_counts((Discrete("D", ("u", "v")),)).tolist() == [0.25, 0.25]
    assert_array_equal(Dirichlet(2.0).pseudo_counts(AXES), np.full((2, 3, 2), 2.0))


def test_a_prior_does_not_change_when_its_source_does():
    mine = np.array([1.0, 2.0])
    said = Dirichlet({"C": mine})
    said.pseudo_counts((C,))[0] = 9
    assert said.pseudo_counts((C,)).tolist() == [1, 2]


@given(strategies.discrete_networks(most=4), st.floats(0, 100))
def test_like_a_network_is_its_joint_times_the_strength(network, strength):
    families = [network[name].variables for name in network]
    prior = Prior.like(network, strength).resolved(families, joint)
    for axes in families:
        names = [axis.name for axis in axes]
        expected = [strength * p for p in naive.joint(network, names).values()]
        assert_allclose(prior.pseudo_counts(axes).ravel(), expected, atol=1e-12)
        assert_allclose(prior.pseudo_counts(axes).sum(), strength, atol=1e-9)


def test_like_a_network_of_another_structure():
    network = Network.of([table(A, [], [0.2, 0.8]), table(C, [A], [0.5, 0.5, 0.1, 0.9])])
    prior = Prior.like(network, 10).resolved([(C,), (C, A)], joint)
    assert_allclose(prior.pseudo_counts((C,)), [10 * (0.1 + 0.08), 10 * (0.1 + 0.72)])
    assert_allclose(prior.pseudo_counts((C, A)), [[1, 0.8], [1, 7.2]])


def test_priors_print_as_python_writes_them():
    assert BDeu(10).describe() == "BDeu(10)"
    assert K2().describe() == "K2()"
    assert Jeffreys().describe() == "Jeffreys()"
    assert Dirichlet(0.5).describe() == "Dirichlet(0.5)"
    assert Dirichlet({"A": [1, 2]}).describe() == "Dirichlet({'A': ...}, otherwise=1)"
    network = Network.of([table(A, [], [0.2, 0.8])])
    assert Prior.like(network, 5).describe() == (
        "Prior.like(<Network of 1 variable, 0 arcs, 1 free parameter>, strength=5)"
    )


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: BDeu(-1), "the strength of a prior is a number of cases, not -1"),
        (lambda: BDeu(float("nan")), "the strength of a prior is a number of cases, not nan"),
        (lambda: BDeu(float("inf")), "the strength of a prior is a number of cases, not inf"),
        (lambda: BDeu("ten"), "the strength of a prior is a number of cases, not 'ten'"),
        (
            lambda: Prior.like(Network.of([table(A, [], [1, 0])]), None),
            "the strength of a prior is a number of cases, not None",
        ),
        (
            lambda: Dirichlet(-2.0),
            "the prior of every cell must be finite numbers, 0 or more, not -2.0",
        ),
        (lambda: Dirichlet("x"), "the prior of every cell must be numbers, not 'x'"),
        (
            lambda: Dirichlet({"A": [1, -1]}),
            "the prior of 'A' must be finite numbers, 0 or more, not [1, -1]",
        ),
        (
            lambda: Dirichlet({"A": [1, 2]}, otherwise=np.nan),
            "the prior otherwise must be finite numbers, 0 or more, not nan",
        ),
        (
            lambda: Dirichlet({"C": [1, 2, 3]}).pseudo_counts(AXES),
            "the prior of 'C' has the shape (3,); "
            "it must be one number, one row (2,) or the table (2, 3, 2)",
        ),
        (
            lambda: Dirichlet({"c": 1}).check_names({"A": A, "C": C}),
            "the prior names 'c', which is no variable of the network; did you mean 'C'?"
            "\n\nvariables: A, C",
        ),
        (
            lambda: Prior.like(Network.of([table(A, [], [1, 0])]), 1).resolved([(B,)], joint),
            "the network behind the prior has no variable 'B'",
        ),
        (
            lambda: Prior.like(Network.of([table(A, [], [1, 0])]), 1).resolved(
                [(Discrete("A", ("y", "x")),)], joint
            ),
            "'A' has the states y, x, but in the network behind the prior: x, y",
        ),
        (
            lambda: Prior.like(
                Network.of([LinearGaussian((Continuous("A"),), [], 0, 1)]), 1
            ).resolved([(A,)], joint),
            "'A' has the states x, y, but in the network behind the prior: real values",
        ),
    ],
)
def test_what_is_no_prior(build, message):
    with pytest.raises(OptionError) as caught:
        build()
    assert str(caught.value) == message


def test_a_prior_is_like_a_network_and_nothing_else():
    with pytest.raises(OptionError) as caught:
        Prior.like(None, 5)
    assert str(caught.value) == "a network is needed here, not a NoneType"
