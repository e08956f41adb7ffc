"""Hierarchies learned from columns alone, and what is told of them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.experiments.elidan.planted import measured, planted_hierarchy

GROUPS = {letter.upper(): [f"{letter}{at}" for at in range(4)] for letter in "ab"}
TWO = tc.grouped_hierarchy({**GROUPS, "R": ["A", "B"]})
QUICK = tc.IBEM(
    cardinality="adapt", structure=True, enrich=True, inference="exact", longest=0.1, max_steps=60
)


def planted(cases=600, seed=1):
    every = {name: (2 if TWO.children[name] else 3) for name in TWO.names}
    return measured(planted_hierarchy(TWO, every, seed, stays=0.7, sharp=0.3), cases, seed)


DATA = planted()
FOUND = tc.learn_hierarchy(DATA, method=QUICK, seed=1)


def groups_of(found):
    dag = found.network.dag
    return {
        frozenset(each for each in dag.children[name] if each not in found.hidden)
        for name in found.hidden
    }


def test_planted_groups_come_back_with_what_they_are_worth():
    assert groups_of(FOUND) == {frozenset(GROUPS["A"]), frozenset(GROUPS["B"])}
    assert FOUND.alone == ()
    assert FOUND.cases_used == len(DATA)
    assert FOUND.branches.learned_from + FOUND.branches.held_out == len(DATA)
    assert FOUND.held_out_gain > 1.0
    order = np.random.default_rng([1, 1]).permutation(len(DATA))
    rest, judged = np.sort(order[120:]), np.sort(order[:120])
    flat = tc.fit(tc.Dag(dict.fromkeys(DATA.names, ())), DATA.take(rest))
    assert FOUND.gain > 0
    told = tc.log_likelihood(flat.network, DATA.take(judged)).average
    again = tc.learn_hierarchy(DATA.take(rest), method=QUICK, seed=1, held_out=DATA.take(judged))
    here = tc.log_likelihood(again.network, DATA.take(judged)).average
    assert_allclose(again.held_out_gain, here - told, rtol=1e-9)
    assert_allclose(FOUND.held_out_gain, again.held_out_gain, rtol=1e-9)


def test_the_gain_is_a_difference_of_scores():
    whole = tc.learn_hierarchy(DATA, method=QUICK, seed=1, held_out=0)
    assert whole.held_out_gain is None
    flat = tc.fit(tc.Dag(dict.fromkeys(DATA.names, ())), DATA)
    expected = tc.cheeseman_stutz(whole.network, DATA) - flat.log_marginal_likelihood
    assert_allclose(whole.gain, expected, rtol=1e-10)


def test_it_says_where_every_variable_stands_and_what_states_stand_for():
    text = FOUND.drawing()
    for name in (*DATA.names, *FOUND.hidden):
        assert name in text
    assert "(2 states)" in text
    for name, profile in FOUND.profiles.items():
        assert profile.name == name
        for child in FOUND.network.dag.children[name]:
            told = tc.mutual_information(FOUND.network, name, child)
            assert_allclose(profile.information[child], told, rtol=1e-9)
    posterior = FOUND.posterior(DATA)
    for name in FOUND.hidden:
        assert_allclose(posterior[name].sum(axis=1), 1)
    assert "hidden variable" in str(FOUND)
    assert "nats a case held out" in str(FOUND)
    assert "<pre>" in FOUND._repr_html_()
    again = pickle.loads(pickle.dumps(FOUND))
    assert again.hidden == FOUND.hidden
    assert again.network == FOUND.network


def test_a_report_tells_the_path_and_the_call_that_made_it(tmp_path):
    text = str(tc.report(FOUND))
    assert "tc.learn_hierarchy(cases, method=tc.IBEM(" in text
    assert "held_out=0.2, seed=1)" in text
    FOUND.save(tmp_path / "fit.json")
    assert tc.load_fit(tmp_path / "fit.json").network == FOUND.network


def test_same_seed_same_bits():
    again = tc.learn_hierarchy(DATA, method=QUICK, seed=1)
    assert again.network == FOUND.network
    assert again.path == FOUND.path


def test_a_given_hierarchy_is_where_it_begins():
    fixed = tc.IBEM(longest=0.2, max_steps=20)
    found = tc.learn_hierarchy(DATA, method=fixed, start=TWO, seed=1)
    assert found.hidden == ("R", "A", "B")
    assert found.network.dag == TWO
    assert "start=" in str(tc.report(found))


@pytest.mark.parametrize(("options", "told"), [
    ({"method": tc.EM()}, 'method takes a value such as tc.IBEM(cardinality="adapt"), not EM('),
    ({"name": "a0"}, "name='a0' must be the name of a new variable"),
    ({"states": 1}, "states=1 must give H 2 states or more"),
    ({"held_out": 1.5}, "held_out=1.5 must be a share of the cases below 1, 0 for none, or cases"),
    ({"leave_out": ["zz"]}, "there is no column zz to leave out"),
    ({"leave_out": list(DATA.names[2:])}, "a hierarchy stands above three variables or more"),
    ({"start": "a0 -> a1"}, "start= has no variable without a column, so nothing in it is hidden"),
    ({"start": "H -> a0, a1, a2; a1 -> a2"}, "structure=True and enrich= change hierarchies"),
    ({"prior": tc.Dirichlet({"a0": 2.0})}, "speaks of single tables"),
], ids=str)  # fmt: skip
def test_what_cannot_be_is_said(options, told):
    with pytest.raises(tc.TacitError) as problem:
        tc.learn_hierarchy(DATA, **{"method": QUICK, "seed": 1, **options})
    assert told in str(problem.value)


@pytest.mark.parametrize(("options", "told"), [
    ({"cardinality": "more"}, "cardinality='more' must be one of given, adapt"),
    ({"most_states": 1}, "most_states=1 must be a whole number, 2 or more"),
    ({"structure": 1}, "structure=1 must be True or False"),
    ({"enrich": "yes"}, "enrich='yes' must be True, False, or a value such as tc.Enrichment()"),
], ids=str)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(options, told):
    with pytest.raises(tc.OptionError) as problem:
        tc.IBEM(**options)
    assert told in str(problem.value)


def test_rules_and_named_states_wait_for_a_network_that_stays():
    dag = "H -> a0, a1, a2, a3"
    cases = DATA.select(GROUPS["A"])
    adapt = tc.IBEM(cardinality="adapt")
    with pytest.raises(tc.OptionError, match="rules speak of tables"):
        tc.fit(dag, cases, hidden={"H": 2}, method=adapt, knowledge="P(a0=0 | H=1) >= 0.7")
    with pytest.raises(tc.OptionError, match="the states of H have names"):
        tc.fit(dag, cases, hidden={"H": ("low", "high")}, method=adapt)
