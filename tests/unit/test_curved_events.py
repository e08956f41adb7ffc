"""Probabilities of events as functions of cells: enumerated and contracted, they are the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_curved_fit as naive
import tacit as tc
from tacit.estimate.curved import enumeration
from tacit.estimate.curved.enumeration import Enumeration, summed
from tacit.estimate.curved.events import Contraction, contraction
from tacit.knowledge.cells import Cells
from tacit.knowledge.curves import Event

ASIA = tc.textbook("asia")
CELLS = Cells.of(
    {
        name: tuple(ASIA.variables[each] for each in (*ASIA.dag.parents[name], name))
        for name in ASIA.dag.names
    }
)
EVENTS = [
    Event((("dysp", (0,)),)),
    Event((("asia", (0,)), ("xray", (1,)))),
    Event((("asia", (1,)),)),
    Event((("dysp", (0, 1)), ("smoke", (0,)))),
]


@pytest.mark.parametrize("event", EVENTS)
def test_both_ways_give_the_same_value_slopes_and_bends(event):
    theta = np.random.default_rng(1).random(CELLS.size)
    one, other = (
        Enumeration.of(enumeration.cut_to(CELLS, ASIA.dag, event)),
        contraction(CELLS, ASIA.dag, event),
    )
    assert np.array_equal(one.cells, other.cells)
    assert one.value(theta) == pytest.approx(other.value(theta), rel=1e-12)
    assert one.gradient(theta)[0] == pytest.approx(one.value(theta), rel=1e-12)
    assert_allclose(one.gradient(theta)[1], other.gradient(theta)[1], rtol=1e-10, atol=1e-14)
    assert_allclose(one.hessian(theta), other.hessian(theta), rtol=1e-10, atol=1e-14)


def test_cells_of_0_do_no_harm():
    theta = np.random.default_rng(2).random(CELLS.size)
    theta[::3] = 0.0
    for event in EVENTS:
        one, other = summed(CELLS, ASIA.dag, event), contraction(CELLS, ASIA.dag, event)
        assert isinstance(one, Enumeration)
        assert_allclose(one.hessian(theta), other.hessian(theta), rtol=1e-10, atol=1e-14)


def test_an_event_is_what_the_joint_says():
    parents = {name: ASIA.dag.parents[name] for name in ASIA.dag.names}
    tables = {name: ASIA[name].values for name in parents}
    theta = np.zeros(CELLS.size)
    for name in parents:
        theta[CELLS.block(name)] = tables[name]
    found = summed(CELLS, ASIA.dag, Event((("dysp", (0,)), ("xray", (1,))))).value(theta)
    assert found == pytest.approx(naive.chance(parents, tables, {"dysp": 0, "xray": 1}))


def test_events_of_many_configurations_are_contracted(monkeypatch):
    monkeypatch.setattr(enumeration, "MOST", 0)
    assert isinstance(summed(CELLS, ASIA.dag, EVENTS[0]), Contraction)
