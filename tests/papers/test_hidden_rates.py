"""Planted hidden variables are found, and none where none is planted: rates, small and full."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import tacit as tc
from planted import SIGNS, patients
from tacit.experiments.elidan import rates, tables
from tacit.experiments.elidan.causes import CAUSE, Shape
from tacit.experiments.elidan.finding import Place
from tacit.experiments.elidan.rates_told import NONE, PLANTED, Draw, Told, share
from tacit.experiments.elidan.tables_told import Fold, Judged, claims
from tacit.experiments.outcome import Settings
from tacit.experiments.registry import find, run

QUICK: dict[str, Any] = {"tries": 4, "shown": 1, "bootstrap": 4}


# small


def test_a_clear_cause_is_found_with_its_states_nearly_always() -> None:
    """Place and states, over seeds.

    With two of its children above it and one state fewer the cause explains the signs as well.
    """
    told = [
        tc.propose_hidden(patients(4000, seed), most=1, seed=seed, progress=False, **QUICK)
        for seed in range(5)
    ]
    found = [each.accepted[0] for each in told if each.accepted]
    assert len(found) >= 4
    assert all({*each.children, *each.parents} == set(SIGNS) for each in found)
    whole = [each for each in found if not each.parents]
    assert len(whole) >= 3
    assert all(each.states == 3 for each in whole)


def test_nothing_is_found_where_nothing_is_hidden() -> None:
    """At most one in eight: 5 % are expected at most."""
    alarms = [
        rates.tried(rates.Piece(seed, 400, 0), QUICK).places != () for seed in range(100, 108)
    ]
    assert sum(alarms) <= 1


# full


@pytest.mark.full
def test_rates_are_as_claimed() -> None:
    outcome = run(find(rates.NAME), Settings("default", progress=False))
    assert {claim.text: claim.holds for claim in outcome.claims} == {
        claim.text: True for claim in outcome.claims
    }


# networks that are drawn


@pytest.mark.parametrize("seed", range(20))
def test_a_planted_cause_has_the_children_that_it_was_given(seed: int) -> None:
    truth, none = Shape().network(seed, 3), Shape().network(seed)
    dag = truth.dag
    children = set(dag.children[CAUSE])
    assert 4 <= len(children) <= 6
    assert len(dag.parents[CAUSE]) <= 1
    assert CAUSE not in none
    assert len(none) == len(truth) - 1 == 12
    for child in children:
        others = set(dag.parents[child]) - {CAUSE}
        assert len(others) <= 1
        assert not others & children
    again = Shape().network(seed, 3)
    assert tc.log_likelihood(truth, tc.sample(again, 50, seed=1)).average == pytest.approx(
        tc.log_likelihood(again, tc.sample(again, 50, seed=1)).average
    )


# what is told


def test_shares_have_exact_bounds() -> None:
    held = [True] * 3 + [False] * 17
    bounds = binomtest(3, 20).proportion_ci(0.95, "exact")
    assert share(held) == f"15 ({100 * bounds.low:.0f} to {100 * bounds.high:.0f})"
    assert share([True] * 4).startswith("100 (")
    assert share([False] * 4).startswith("0 (0 to")
    assert share([]) == "-"


def draw(found: bool, planted: bool = True, cases: int = 1000) -> Draw:
    place = Place(("a", "b", "c", "d"), (), 3)
    places = (place,) if found else ()
    return Draw(
        PLANTED if planted else NONE, cases, place if planted else None, places,
        (5.0,) * len(places), (0.1,) * len(places), (9.0, 3) if planted else None,
        0.1 if found else 0.0, 0.2,
    )  # fmt: skip


def test_claims_about_rates_follow_the_searches() -> None:
    none = [draw(found=False, planted=False)] * 20
    good = Told([*none, *[draw(found=True)] * 5, draw(found=False, cases=300)])
    assert [claim.holds for claim in good.claims()] == [True] * 4
    bad = Told([*none[:5], draw(True, planted=False), *[draw(False)] * 5, draw(True, cases=300)])
    assert [claim.holds for claim in bad.claims()] == [False, False, True, False]
    far = Place(("a", "x", "y", "z"), (), 3)
    assert draw(True).match is not None
    other = Draw(PLANTED, 9, far, (Place(("a", "b", "c", "d"), (), 3),), (), (), (9, 3), 0.0, 0.0)
    assert other.match is None
    assert other.shows


def fold(apart: list[float], places: int = 1) -> Fold:
    place = Place(("a", "b"), (), 2)
    return Fold(
        10, 3, (place,) * places, np.array(apart), -2.0, (5.0,) * places, (0.1,) * places, 1.0
    )


def test_a_table_is_ahead_by_two_standard_errors_or_not() -> None:
    table = Judged("t", [fold([0.1, 0.3]), fold([0.2, 0.2])])
    assert table.gain == pytest.approx(0.2)
    assert table.error == pytest.approx(np.std([0.1, 0.3, 0.2, 0.2], ddof=1) / sqrt(4))
    assert table.ahead
    level = Judged("u", [fold([-1.0, 1.2])])
    assert not level.ahead
    behind = Judged("v", [fold([-1.0, -1.2])])
    assert [each.holds for each in claims([table] * 4)] == [True, True]
    assert [each.holds for each in claims([level, behind, behind, table])] == [False, False]
    assert claims([table] * 3) == ()


# real tables


@pytest.mark.data
def test_no_case_that_judges_was_learned_from(data_folder: Path) -> None:
    settings = Settings(data=data_folder, seed=3)
    parts = tables.parts_of("pisa2009_math", settings, tables.SIZES["full"])
    assert len(parts) == tables.PARTS
    assert sum(len(each.test) for each in parts) == 565
    assert all(len(each.train) + len(each.test) == 565 for each in parts)
    assert "idstud" not in parts[0].train
    few = tables.parts_of("uci_cmc", settings, tables.Size(("uci_cmc",), 1, 100))
    assert sum(len(each.test) for each in few) == 100


@pytest.mark.data
def test_stocks_are_more_probable_with_what_nobody_measured(data_folder: Path) -> None:
    """By half a nat a day, on days that nothing was learned from."""
    parts = tables.parts_of("stock_tech20", Settings(data=data_folder), tables.SIZES["default"])[0]
    found = tc.propose_hidden(parts.train, most=1, seed=1, progress=False, **QUICK)
    rival = tables.best_without(parts.train, found.without.network, 1)
    here, there = (tc.log_likelihood(e, parts.test).per_case for e in (found.network, rival))
    apart = here - there
    assert found.accepted
    assert apart.mean() > 2 * apart.std() / sqrt(apart.size)
