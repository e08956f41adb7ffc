"""Hidden variables: the same under other names and orders, by the same seed, under more rules."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import tacit as tc
from planted import SIGNS, patients, severity

QUICK: dict[str, Any] = {
    "bootstrap": 4, "tries": 2, "most": 1, "restarts": 2, "seed": 1, "progress": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def found() -> tc.HiddenProposals:
    return tc.propose_hidden(patients(1500), **QUICK)


def facts(found: tc.HiddenProposals, called: dict[str, str]) -> list[Any]:
    """What was found, with columns called as they were."""
    return [
        (
            {called.get(child, child) for child in each.children},
            {called.get(parent, parent) for parent in each.parents},
            each.states,
            each.accepted,
            round(each.gain, 5),
            round(each.held_out_gain, 7),
            np.sort(each.profile.shares).round(5).tolist(),
        )
        for each in found
    ]


def test_something_is_found_to_compare(found):
    assert found.accepted


@pytest.mark.parametrize("seed", [0, 1])
def test_names_and_the_order_of_columns_decide_nothing(found, seed):
    rng = np.random.default_rng(seed)
    data = patients(1500)
    order = [data.names[at] for at in rng.permutation(len(data.names))]
    fresh = dict(zip(data.names, (f"V{at}" for at in rng.permutation(len(order))), strict=True))
    variables = {fresh[n]: tc.Discrete(fresh[n], data.variables[n].states) for n in order}
    turned = tc.Dataset(variables, {fresh[name]: data[name] for name in order})
    again = tc.propose_hidden(turned, name="Z", **QUICK)
    back = {new: old for old, new in fresh.items()}
    assert facts(again, back) == facts(found, {})
    assert len(again.candidates) == len(found.candidates)


def test_names_of_states_decide_nothing(found):
    data = patients(1500)
    variables = {name: tc.Discrete(name, ("ja", "nein")) for name in data.names}
    turned = tc.Dataset(variables, dict(data.columns))
    assert facts(tc.propose_hidden(turned, **QUICK), {}) == facts(found, {})


def test_one_seed_gives_the_same_bits(found):
    again = tc.propose_hidden(patients(1500), **{**QUICK, "threads": 2})
    assert str(again) == str(found)
    assert [str(each) for each in again] == [str(each) for each in found]
    for name in found.network:
        assert np.array_equal(found.network[name].values, again.network[name].values)
    assert again.candidates == found.candidates


def test_rules_about_structure_hold_in_all_that_is_proposed():
    told = tc.propose_hidden(
        patients(1500),
        knowledge="forbid H -> Pain; require Fever -> Stay; at most 2 parents",
        **QUICK,
    )
    networks = [each.network for each in told] + [told.without.network, told.network]
    assert len(told) >= 1
    for network in networks:
        assert "Fever" in network.dag.parents["Stay"]
        assert max(len(who) for who in network.dag.parents.values()) <= 2
        assert "H" not in network or "Pain" not in network.dag.children["H"]


def test_rules_about_tables_hold_and_lower_what_a_variable_gains(found):
    rule = "P(Fever=yes | H=1) >= 0.4; P(H=1) >= 0.55"
    told = tc.propose_hidden(
        patients(1500), children={"H": list(SIGNS)}, states={"H": 3}, knowledge=rule,
        **{**QUICK, "most": 0},
    )  # fmt: skip
    free = tc.propose_hidden(
        patients(1500), children={"H": list(SIGNS)}, states={"H": 3}, **{**QUICK, "most": 0}
    )
    assert told.network["H"].values[0] >= 0.55 - 1e-9
    assert float(tc.query(told.network, "P(Fever=yes | H=1)")) >= 0.4 - 1e-6
    assert told[0].fit.log_likelihood <= free[0].fit.log_likelihood + 1e-6
    assert {rule.verdict for rule in told.rules} <= {"free", "binding", "resisted"}


def test_a_refused_set_is_no_place_and_others_are(found):
    told = tc.propose_hidden(patients(1500), refuse=[found[0]], **QUICK)
    mine = set(found[0].children)
    tried = [set(each.children) for each in told.candidates if each.states is not None]
    assert not any(2 * len(each & mine) > len(each | mine) for each in tried)
    refused = [each for each in told.candidates if each.verdict == "refused: the expert refused it"]
    assert refused


def test_the_posterior_of_every_case_is_bayes_rule(found):
    data = patients(40, seed=7)
    network, told = found.network, found.posterior(data)["H"]
    states = network.variables["H"].states
    for case in range(len(data)):
        joint = []
        for at in range(len(states)):
            codes = {**{name: int(data[name][case]) for name in data.names}, "H": at}
            joint.append(
                np.prod(
                    [
                        network[name].values[
                            (*(codes[parent] for parent in network[name].parents), codes[name])
                        ]
                        for name in network
                    ]
                )
            )
        assert told[case] == pytest.approx(np.array(joint) / sum(joint), abs=1e-9)


def test_states_match_those_of_the_truth_better_than_chance(found):
    truth = tc.sample(severity(), 1500, seed=1)["Severity"]
    mine = found.completed(patients(1500))["H"]
    most = max(
        np.mean(np.array(order)[mine] == truth) for order in permutations(range(found[0].states))
    )
    assert found[0].states == 3
    assert most > 0.75
