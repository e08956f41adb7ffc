"""Networks are checked once, when built, and print well."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies
from tacit.core.dag import Dag
from tacit.core.errors import CycleError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import table, uniform_table

SMOKER = Discrete("Smoker", ("no", "yes"))
CANCER = Discrete("Cancer", ("no", "yes"))
STAGE = Discrete("Stage", ("none", "early", "late"))
FAMILIES = (
    table(STAGE, [CANCER], [[1, 0, 0], [0, 0.4, 0.6]]),
    table(CANCER, [SMOKER], [[0.99, 0.01], [0.9, 0.1]]),
    table(SMOKER, [], [0.7, 0.3]),
)
NETWORK = Network.of(FAMILIES)


def test_families_name_the_dag_and_the_variables():
    assert NETWORK.dag == Dag.parse("Smoker -> Cancer -> Stage")
    assert NETWORK.dag.names == ("Stage", "Cancer", "Smoker")
    assert dict(NETWORK.variables) == {"Stage": STAGE, "Cancer": CANCER, "Smoker": SMOKER}
    assert NETWORK["Stage"] is FAMILIES[0]
    assert NETWORK.free_parameters == 1 + 2 + 4


def test_iteration_puts_parents_first():
    assert list(NETWORK) == ["Smoker", "Cancer", "Stage"]
    assert len(NETWORK) == 3
    assert "Stage" in NETWORK
    assert "stage" not in NETWORK


def test_variables_and_families_stand_as_the_dag_lists_them():
    shuffled = Network(
        Dag.parse("Smoker -> Cancer -> Stage"), dict(NETWORK.variables), dict(NETWORK.families)
    )
    assert list(shuffled.variables) == list(shuffled.families) == ["Smoker", "Cancer", "Stage"]
    assert shuffled == NETWORK
    assert hash(shuffled) == hash(NETWORK)


def test_equality_is_of_every_part():
    other = table(SMOKER, [], [0.6, 0.4])
    assert Network.of((*FAMILIES[:2], other)) != NETWORK
    assert Network.of(FAMILIES[1:]) != NETWORK
    assert NETWORK.dag != NETWORK


def test_a_network_cannot_be_changed():
    with pytest.raises(TypeError):
        NETWORK.families["Smoker"] = FAMILIES[2]
    with pytest.raises(TypeError):
        NETWORK.variables["Smoker"] = CANCER
    with pytest.raises(AttributeError):
        NETWORK.dag = Dag.parse("A")


@given(st.one_of(strategies.discrete_networks(), strategies.gaussian_networks()))
def test_a_network_travels_to_other_processes(network):
    assert copy.deepcopy(network) == network
    assert pickle.loads(pickle.dumps(network)) == network


@given(strategies.discrete_networks())
def test_the_chain_rule_sums_to_one(network):
    assert sum(naive.joint(network).values()) == pytest.approx(1)


@given(strategies.discrete_networks())
def test_free_parameters_are_counted_as_the_formula_says(network):
    expected = 0
    for name, who in network.dag.parents.items():
        rows = np.prod([len(network.variables[p].states) for p in who], dtype=int)
        expected += (len(network.variables[name].states) - 1) * rows
    assert network.free_parameters == expected


def test_a_cycle_among_families_is_shown():
    first = uniform_table((CANCER, SMOKER))
    second = uniform_table((SMOKER, CANCER))
    with pytest.raises(CycleError):
        Network.of([first, second])


def test_a_network_may_mix_tables_and_gaussians():
    from tacit.core.variables import Continuous

    mixed = Network.of(
        [table(SMOKER, [], [0.5, 0.5]), LinearGaussian((Continuous("Age"),), [], 50, 10)]
    )
    assert "real" in str(mixed)
    assert mixed.free_parameters == 3


def test_text_shows_a_line_per_variable():
    assert str(NETWORK) == (
        "Network of 3 variables, 2 arcs, 7 free parameters\n"
        "  variable  states             parents  free parameters\n"
        "  Smoker    no, yes            -                      1\n"
        "  Cancer    no, yes            Smoker                 2\n"
        "  Stage     none, early, late  Cancer                 4"
    )
    assert repr(NETWORK) == "<Network of 3 variables, 2 arcs, 7 free parameters>"


def test_one_of_each_is_said_in_the_singular():
    assert repr(Network.of([FAMILIES[2]])) == "<Network of 1 variable, 0 arcs, 1 free parameter>"


def test_large_networks_show_their_first_variables():
    many = Network.of(table(Discrete(f"V{at}", ("a",)), [], [1]) for at in range(201))
    assert str(many).endswith("... and 1 more variable")
    assert many._repr_html_().count("<details>") == 200


def test_long_lists_of_states_are_cut():
    many = Discrete("Many", tuple(f"a rather long state {at}" for at in range(20)))
    line = str(Network.of([uniform_table((many,))])).splitlines()[-1]
    assert len(line) < 90


def test_html_is_escaped_and_shows_every_table():
    odd = Discrete("<i>odd</i>", ("<script>", "&"))
    page = Network.of([table(odd, [], [0.5, 0.5]), FAMILIES[2]])._repr_html_()
    assert "<i>" not in page
    assert "<script>" not in page
    assert page.count("<details>") == 2
    assert "&lt;script&gt;" in page


@given(strategies.discrete_networks(names=strategies.odd_names))
def test_any_names_print(network):
    assert len(str(network).split("\n")) == 2 + len(network)
    assert network._repr_html_().count("<details>") == len(network)
