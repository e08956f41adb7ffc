"""Hills and their windows of temperature, Elidan 2004, section 3.4: against slow scans."""

from __future__ import annotations

from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from tacit.experiments.elidan import toy
from tacit.experiments.elidan.hills import Hills, leaves_at, ratio, window, works_at
from tacit.experiments.outcome import Outcome, Settings
from tacit.experiments.registry import find, run
from tacit.learn.annealing.settings import WeightAnnealing

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reproductions.md"


def score(place: float, points: list[tuple[float, float, float]]) -> float:
    """Σ w exp(-(x - place)² / 2 width), points as (x, w, width). [(3.6), (3.7)]"""
    return sum(w * exp(-((x - place) ** 2) / (2 * width)) for x, w, width in points)


def uphill(place: float, points: list[tuple[float, float, float]], step: float = 1e-3) -> float:
    """Small steps up until neither neighbour is higher."""
    way = step if score(place + step, points) > score(place, points) else -step
    while score(place + way, points) > score(place, points):
        place += way
    return place


def maxima(points: list[tuple[float, float, float]]) -> int:
    """Local maxima seen on a fine grid."""
    grid = np.arange(-3, 12, 2e-3)
    height = np.array([score(float(each), points) for each in grid])
    return int(np.sum((height[1:-1] > height[:-2]) & (height[1:-1] >= height[2:])))


def leaves_slowly(points: list[tuple[float, float, float]], start: int) -> float:
    """The first temperature, in steps of .01, whose reweighting leads to another point."""
    top = uphill(points[start][0], points)
    for heat in np.arange(2, 7, 0.01):
        pushed = [
            (x, w * exp(-heat * exp(-((x - top) ** 2) / (2 * width))), width)
            for x, w, width in points
        ]
        end = uphill(top, pushed, 1e-2)
        if min(range(len(points)), key=lambda at: abs(points[at][0] - end)) != start:
            return float(heat)
    raise AssertionError("no temperature leads away")


@pytest.mark.parametrize(
    ("hills", "widths", "printed"),
    [(toy.EQUAL, (1, 1), (2.91, 5.68)), (toy.WIDE, (1, 6), (5.16, 3.06))],
)
def test_windows_are_those_of_a_slow_scan(
    hills: Hills, widths: tuple[int, int], printed: tuple[float, float]
) -> None:
    points = [
        (float(x), float(w), float(width))
        for x, w, width in zip(hills.places, hills.weights, widths, strict=True)
    ]
    for point, expected in ((1, printed[0]), (0, printed[1])):
        found = leaves_at(hills, point)
        assert found == pytest.approx(expected, abs=0.01)
        assert found == pytest.approx(leaves_slowly(points, point), abs=0.03)


def test_the_closed_form_of_the_window_is_what_bisection_finds() -> None:
    assert log(ratio(4)) == pytest.approx(4.2944, abs=2e-4)
    for distance, share in ((3.0, 0.6), (4.0, 0.8), (5.0, 0.55)):
        hills = Hills.of([0, distance], [share, 1 - share])
        closed = window(distance, share, 1 - share)
        # a step changes ln(w1 / w2) by the height of the own hill less that of the other
        low = leaves_at(hills, 1) * (1 - exp(-(distance**2) / 2))
        high = leaves_at(hills, 0) * (1 - exp(-(distance**2) / 2))
        assert (low, high) == pytest.approx(closed, abs=0.01)


@pytest.mark.parametrize("distance", [1.5, 2.2, 3.0, 4.0])
def test_there_are_two_maxima_while_the_weights_are_within_the_ratio(distance: float) -> None:
    for factor in (0.9, 1.1):
        odds = ratio(distance) * factor
        share = odds / (1 + odds)
        points = [(0.0, share, 1.0), (distance, 1 - share, 1.0)]
        two = distance > 2 and factor < 1 and odds > 1
        assert maxima(points) == (2 if two else 1)
        assert len(Hills.of([0, distance], [share, 1 - share]).tops()) == maxima(points)


def test_memory_leads_over_both_hills_and_back() -> None:
    path = toy.visited(toy.EQUAL, 2, WeightAnnealing(None, start=5.0))
    assert path[1:6] == [1, 1, 1, 2, 2]
    assert set(path[6:]) == {1}
    fast = WeightAnnealing(None, start=6.0, cooling=0.5, least_effective=0.0)
    assert toy.visited(toy.EQUAL, 1, fast)[-1] == 2
    forgetful = WeightAnnealing(None, start=5.0, memory=0.0, least_effective=0.0)
    path = toy.visited(toy.EQUAL, 2, forgetful)
    assert set(path[1:]) == {1}


def test_for_one_triple_at_unequal_distances_no_temperature_works() -> None:
    assert works_at(toy.NONE_WORKS, 0.1) is None
    assert works_at(Hills.of([0, 4, 8], [0.5, 0.2, 0.3]), 0.1) is not None


@pytest.fixture(scope="module")
def small() -> Outcome:
    return run(find(toy.NAME), Settings("smoke"))


def test_a_small_run_holds_what_is_claimed(small: Outcome) -> None:
    assert all(claim.holds for claim in small.claims[:4])
    for table in small.tables:
        assert all(len(row) == len(table.heads) for row in table.rows)


@pytest.mark.full
def test_the_page_shows_what_comes_out() -> None:
    outcome = run(find(toy.NAME), Settings("default"))
    page = PAGE.read_text(encoding="utf-8")
    assert all(claim.holds for claim in outcome.claims)
    assert all(str(table) in page for table in outcome.tables)
