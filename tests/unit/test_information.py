"""Mutual information against its sum, sensitivity against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_inference as naive
import questions
import strategies
import tacit as tc
from tacit.core.errors import ImpossibleError, QueryError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table, table


@given(st.data())
def test_mutual_information_is_the_sum_over_all_pairs_of_states(data):
    network = data.draw(strategies.discrete_networks(least=2, most=4))
    said = [each for each in data.draw(questions.findings(network, 1)) if each.value is not None]
    meaning = questions.meaning(said)
    open_names = [name for name in network.dag.names if name not in meaning]
    assume(len(open_names) > 1 and naive.mass(network, meaning) > 0)
    one, other = data.draw(st.permutations(open_names))[:2]
    found = tc.mutual_information(network, one, other, given={e.name: e.value for e in said})
    assert_allclose(found, naive.mutual_information(network, one, other, meaning), atol=1e-12)
    turned = tc.mutual_information(network, other, one, given={e.name: e.value for e in said})
    assert_allclose(found, turned, atol=1e-12)


def test_separated_variables_share_no_information_and_copies_all_of_it():
    a, b, c = (Discrete(name, ("0", "1", "2")) for name in "ABC")
    copy = table(b, [a], np.eye(3))
    network = Network.of([table(a, [], [0.2, 0.3, 0.5]), copy, table(c, [], [0.1, 0.1, 0.8])])
    entropy = -sum(p * np.log(p) for p in (0.2, 0.3, 0.5))
    assert_allclose(tc.mutual_information(network, "A", "B"), entropy)
    assert tc.mutual_information(network, "A", "C") == pytest.approx(0, abs=1e-15)


def test_groups_of_variables_know_at_least_as_much_as_their_members():
    network = questions.random_network(11, size=6)
    both = tc.mutual_information(network, ["V0", "V1"], "V5")
    assert both >= tc.mutual_information(network, "V0", "V5") - 1e-12
    assert both >= tc.mutual_information(network, "V1", "V5") - 1e-12


def changed(network: Network, name: str, at: tuple[int, ...], value: float) -> Network:
    """The network with one cell set, the others of its row shrinking in proportion."""
    families = []
    for other in network:
        family = network[other]
        if other == name:
            values = np.array(family.values)
            old = values[at]
            values[at[:-1]] *= (1 - value) / (1 - old)
            values[at] = value
            family = Table(family.variables, values)
        families.append(family)
    return Network.of(families)


@pytest.mark.parametrize(
    "text",
    [
        "P(V4=a)",
        "P(V4=a | V1=b)",
        "P(V0=a | V4=b, V2={a: 0.3, b: 0.8})",
        "P(V3={a, b}, V0=not a | V4=a)",
        "P(V1=a | V3={a, b})",
    ],
)
def test_slopes_are_those_of_finite_differences(text):
    network = questions.random_network(21, size=5)
    found = tc.sensitivity(network, text)
    assert_allclose(found.value, float(tc.query(network, text)))
    h = 1e-6
    for name in network:
        values = network[name].values
        assert found.slopes[name].shape == values.shape
        for at in np.ndindex(values.shape):
            high = float(tc.query(changed(network, name, at, values[at] + h), text))
            low = float(tc.query(changed(network, name, at, values[at] - h), text))
            assert_allclose(found.slopes[name][at], (high - low) / (2 * h), atol=1e-7)


def test_cells_of_zero_and_one_have_no_slope():
    a, b = Discrete("A", ("x", "y")), Discrete("B", ("u", "v"))
    network = Network.of([table(a, [], [0.5, 0.5]), table(b, [a], [[1, 0], [0.3, 0.7]])])
    found = tc.sensitivity(network, "P(B=v)")
    assert np.isnan(found.slopes["B"][0]).all()
    assert_allclose(found.slopes["B"][1], [-0.5, 0.5])
    assert_allclose(found.slopes["A"], [-0.7, 0.7])
    impossible = tc.sensitivity(network, "P(B=v | A=x)")
    assert impossible.value == 0
    assert_allclose(impossible.slopes["A"], 0)


def test_the_steepest_parameters_are_listed_first():
    a, b = Discrete("A b", ("x", "y")), Discrete("B", ("u", "v"))
    network = Network.of([table(a, [], [0.5, 0.5]), table(b, [a], [[0.9, 0.1], [0.3, 0.7]])])
    found = tc.sensitivity(network, "P(B=v)")
    labels = [label for label, _, _ in found.largest(3)]
    assert labels[0] in ('P("A b"=x)', 'P("A b"=y)')
    assert 'P(B=u | "A b"=x)' in [label for label, _, _ in found.largest(100)]
    slopes = [abs(slope) for _, _, slope in found.largest(100)]
    assert slopes == sorted(slopes, reverse=True)
    assert str(found).splitlines()[0] == "P(B=v) = 0.4000; it changes most with"


def test_only_single_probabilities_of_possible_findings_have_slopes():
    a, b = Discrete("A", ("x", "y")), Discrete("B", ("u", "v"))
    network = Network.of([table(a, [], [1, 0]), table(b, [a], [0.5] * 4)])
    with pytest.raises(QueryError, match="a slope needs one probability"):
        tc.sensitivity(network, "P(B | A=x)")
    with pytest.raises(ImpossibleError):
        tc.sensitivity(network, "P(B=u | A=y)")
