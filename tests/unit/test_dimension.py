"""How many parameters the observed variables can tell apart."""

from __future__ import annotations

import numpy as np
import pytest

import questions
import tacit as tc
from tacit.core.errors import OptionError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table


def classes(states: int, children: tuple[int, ...]) -> Network:
    """A hidden class H with children of these sizes."""
    h = Discrete("H", tuple(map(str, range(states))))
    families = [Table((h,), np.full(states, 1 / states))]
    for number, size in enumerate(children):
        x = Discrete(f"X{number}", tuple(map(str, range(size))))
        families.append(Table((h, x), np.full((states, size), 1 / size)))
    return Network.of(families)


@pytest.mark.parametrize(
    ("states", "children", "dimension", "free"),
    [
        (2, (2, 2, 2), 7, 7),
        (2, (2, 2), 3, 5),
        (3, (2, 2, 2, 2), 13, 14),  # T16
        (4, (3, 3, 3), 25, 27),  # T16
        (3, (2, 2, 2, 2, 2), 17, 17),  # T16
        (5, (10, 10), 74, 94),  # E33: K (10 + 10 - K) - 1
        pytest.param(14, (4, 4, 42), 615, 671, marks=pytest.mark.full),  # E33
    ],
)
def test_latent_class_models_have_the_dimension_that_is_known(states, children, dimension, free):
    network = classes(states, children)
    assert network.free_parameters == free
    assert tc.effective_dimension(network, ["H"]) == dimension
    assert tc.effective_dimension(network, ["H"], seed=9) == dimension


def test_it_rises_with_the_states_of_the_hidden_variable_until_the_space_is_filled():
    found = [tc.effective_dimension(classes(k, (2, 3, 2)), ["H"]) for k in (2, 3, 4)]
    assert found[0] < found[1]
    assert found[-1] == 2 * 3 * 2 - 1


def test_observed_networks_are_identified_and_hidden_leaves_are_not():
    network = questions.random_network(3, size=5)
    assert tc.effective_dimension(network, []) == network.free_parameters
    leaf = next(name for name in network if not network.dag.children[name])
    without = sum(
        network[name].values.size - network[name].values[..., 0].size
        for name in network
        if name != leaf
    )
    assert tc.effective_dimension(network, leaf) == without
    assert tc.effective_dimension(network, list(network)) == 0


def test_many_observed_states_are_sampled():
    network = classes(2, (2,) * 13)
    assert tc.effective_dimension(network, ["H"]) == network.free_parameters == 27


def test_a_name_that_is_not_there():
    with pytest.raises(OptionError, match="there is no variable 'G' to hide"):
        tc.effective_dimension(classes(2, (2, 2)), ["G"])
