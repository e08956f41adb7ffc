"""Multinets: a network for each class."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.core.variables import Discrete

CLASS = Discrete("Kind", ("p", "q"))
BITS = [Discrete(name, ("0", "1")) for name in "ABC"]


def planted(cases: int) -> tc.Dataset:
    """In p the second bit copies the first, in q the third does."""
    random = np.random.default_rng(1)
    kind, bits = random.integers(0, 2, cases), random.integers(0, 2, (3, cases))
    copied = np.where(random.random(cases) < 0.9, bits[0], 1 - bits[0])
    bits[1] = np.where(kind == 0, copied, bits[1])
    bits[2] = np.where(kind == 1, copied, bits[2])
    columns = {"Kind": kind, **{each.name: bits[at] for at, each in enumerate(BITS)}}
    return tc.Dataset({"Kind": CLASS, **{each.name: each for each in BITS}}, columns)


CASES, OTHERS = planted(2000), planted(2000).take(np.arange(500))
NET = tc.fit_multinet(CASES, "Kind", seed=1)


def test_every_class_has_the_arcs_that_were_planted():
    assert {frozenset(arc) for arc in NET.networks["p"].dag.arcs} == {frozenset("AB")}
    assert {frozenset(arc) for arc in NET.networks["q"].dag.arcs} == {frozenset("AC")}
    assert NET.shares.sum() == pytest.approx(1)


def test_posteriors_are_those_of_bayes_rule():
    found = NET.predict(OTHERS)
    for case in range(20):
        joint = []
        for share, network in zip(NET.shares, NET.networks.values(), strict=True):
            value = share
            for name in network:
                at = [int(OTHERS[each][case]) for each in (*network[name].parents, name)]
                value *= network[name].values[tuple(at)]
            joint.append(value)
        assert_allclose(found[case], np.array(joint) / sum(joint))


def test_a_multinet_tells_apart_what_naive_bayes_cannot():
    naive = tc.fit("Kind -> A, B, C", CASES)
    assert NET.evaluate(OTHERS).accuracy > 0.68
    assert tc.evaluate(naive, OTHERS, "Kind").accuracy < 0.65


def test_missing_cells_are_summed_out():
    column = np.full(500, -1, dtype=np.int8)
    gaps = tc.Dataset(OTHERS.variables, {**OTHERS.columns, "B": column, "C": column})
    alone = NET.predict(gaps)
    at = int(np.flatnonzero(OTHERS["A"] == 1)[0])
    first = [tc.query(network, "A")["1"] for network in NET.networks.values()]
    joint = NET.shares * first
    assert_allclose(alone[at], joint / joint.sum())


def test_gaps_are_learned_from():
    random = np.random.default_rng(2)
    few = CASES.take(np.arange(300))
    columns = {
        name: np.where((random.random(300) < 0.1) & (name != "Kind"), -1, column)
        for name, column in few.columns.items()
    }
    net = tc.fit_multinet(tc.Dataset(few.variables, columns), "Kind", seed=1)
    assert net.evaluate(OTHERS).accuracy > 0.68


def test_a_multinet_prints_and_can_be_pickled():
    assert str(NET).startswith("Multinet of Kind, 2 networks")
    again = pickle.loads(pickle.dumps(NET))
    assert_allclose(again.predict(OTHERS), NET.predict(OTHERS))
    assert "<table" in NET._repr_html_()


def test_what_cannot_be_told_apart_is_refused():
    with pytest.raises(tc.CasesError) as caught:
        tc.fit_multinet(CASES.select(["Kind"]), "Kind")
    assert str(caught.value) == "there is no column but Kind to tell its states by"
    gone = tc.Dataset(CASES.variables, {**CASES.columns, "Kind": np.full(2000, -1, dtype=np.int8)})
    with pytest.raises(tc.MissingError) as missing:
        tc.fit_multinet(gone, "Kind")
    assert str(missing.value) == "Kind is missing in some cases; multinets need it in all"
    with pytest.raises(tc.OptionError, match="target='Kinds' is no variable"):
        tc.fit_multinet(CASES, "Kinds")
