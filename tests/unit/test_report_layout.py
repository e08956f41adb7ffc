"""Laws of drawings: arcs run down, boxes stand apart, nothing leaves the picture."""

from __future__ import annotations

import time
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_report
from tacit.reporting.layers import _crossings, _places, _with_passages, layered, levels
from tacit.reporting.layout import Spacing, layout, spread
from tacit.reporting.pictures import LARGE, Sketch, drawing, neighbourhood
from tacit.reporting.wording import text_width

NEAR = 1e-6


def random_parents(size: int, arcs: float, seed: int) -> list[list[int]]:
    """Parents of a dag whose arcs run along a hidden order."""
    random = np.random.default_rng(seed)
    order = random.permutation(size)
    parents: list[list[int]] = [[] for _ in range(size)]
    for at in range(1, size):
        many = min(at, int(random.poisson(arcs)))
        parents[order[at]] = sorted(map(int, random.choice(order[:at], many, replace=False)))
    return parents


@st.composite
def problems(draw, most=40):
    size = draw(st.integers(0, most))
    parents = random_parents(size, draw(st.floats(0, 4)), draw(st.integers(0, 2**32 - 1)))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return parents, (10 + 120 * random.random(size)).tolist(), draw(st.sampled_from([90, 300, 960]))


def named(parents):
    return {f"V{at}": [f"V{parent}" for parent in who] for at, who in enumerate(parents)}


@given(problems())
def test_every_variable_stands_below_its_parents_in_layers_that_are_not_too_wide(problem):
    parents, widths, most = problem
    level = levels(parents, widths, most)
    assert set(level) == set(range(len(set(level))))
    for child, who in enumerate(parents):
        assert all(level[parent] < level[child] for parent in who)
    for layer in set(level):
        members = [widths[v] for v in range(len(level)) if level[v] == layer]
        assert len(members) == 1 or sum(members) <= most + NEAR


@given(problems())
def test_long_arcs_pass_every_layer_between(problem):
    parents, widths, most = problem
    level = levels(parents, widths, most)
    cut = layered(parents, widths, most)
    place = {point: at for at, row in enumerate(cut.rows) for point in row}
    assert sorted(place) == list(range(cut.points))
    for upper, lower in ((a, b) for a in range(cut.points) for b in cut.down[a]):
        assert place[lower] == place[upper] + 1
        assert upper in cut.up[lower]
    passages = sum(level[v] - level[p] - 1 for v, who in enumerate(parents) for p in who)
    assert cut.points == len(parents) + passages


@given(problems(most=14))
def test_crossings_are_counted_and_sweeps_do_not_add_any(problem):
    parents, widths, most = problem
    start = _with_passages(parents, levels(parents, widths, most))
    end = layered(parents, widths, most)
    before, after = (
        _crossings(cut.rows, cut.down, _places(cut.rows, cut.points)) for cut in (start, end)
    )
    assert before == naive_report.crossings(start.rows, start.down)
    assert after == naive_report.crossings(end.rows, end.down)
    assert after <= before


def test_a_tree_has_no_crossings():
    parents = [[]] + [[(at - 1) // 3] for at in range(1, 40)]
    cut = layered(parents, [40.0] * 40, 5000)
    assert naive_report.crossings(cut.rows, cut.down) == 0


def laid_out(problem):
    parents, widths, most = problem
    by_name = named(parents)
    wide = dict(zip(by_name, widths, strict=True))
    return by_name, layout(by_name, wide, 24.0, Spacing(most=most))


@given(problems())
def test_no_two_boxes_overlap_and_all_lie_inside(problem):
    parents, laid = laid_out(problem)
    assert list(laid.boxes) == list(parents)
    for one, other in combinations(laid.boxes.values(), 2):
        assert (
            one.x + one.width < other.x - 1
            or other.x + other.width < one.x - 1
            or one.y + one.height < other.y - 1
            or other.y + other.height < one.y - 1
        )
    for box in laid.boxes.values():
        assert 0 < box.x < box.x + box.width < laid.width
        assert 0 < box.y < box.y + box.height < laid.height


@given(problems())
def test_every_arc_runs_down_from_its_parent_to_its_child(problem):
    parents, laid = laid_out(problem)
    assert set(laid.routes) == {(tail, head) for head, who in parents.items() for tail in who}
    for (tail, head), route in laid.routes.items():
        above, below = laid.boxes[tail], laid.boxes[head]
        assert above.x < route[0][0] < above.x + above.width
        assert route[0][1] == pytest.approx(above.y + above.height)
        assert below.x < route[-1][0] < below.x + below.width
        assert route[-1][1] == pytest.approx(below.y)
        heights = [y for _, y in route]
        assert all(lower > upper for upper, lower in pairwise(heights))
        assert all(0 < x < laid.width for x, _ in route)


@given(problems())
def test_no_arc_runs_through_a_box(problem):
    _, laid = laid_out(problem)
    for route in laid.routes.values():
        for (x, y), (across, down) in pairwise(route):
            for box in laid.boxes.values():
                apart = down <= box.y + NEAR or y >= box.y + box.height - NEAR
                if not apart:  # then it is a passage, straight down, beside the box
                    assert x == across
                    assert x < box.x - 1 or x > box.x + box.width + 1


@given(
    st.lists(st.floats(-100, 100), min_size=1, max_size=8),
    st.integers(0, 2**32 - 1),
)
def test_no_positions_that_keep_their_distances_are_nearer_to_those_wanted(wanted, seed):
    random = np.random.default_rng(seed)
    size = len(wanted)
    weights = (0.1 + random.random(size)).tolist()
    gaps = (20 * random.random(size - 1)).tolist()
    most = 2 * sum(gaps)
    found = np.array(spread(wanted, weights, gaps, 0.0, most))

    def off(x):
        return float(np.sum(np.array(weights) * (np.asarray(x) - wanted) ** 2))

    assert np.all(np.diff(found) >= np.array(gaps) - 1e-9)
    assert found.min() >= -1e-9
    assert found.max() <= most + 1e-9
    for _ in range(200):
        slack = random.dirichlet(np.ones(size + 1)) * (most - sum(gaps))
        other = np.cumsum(slack[:size]) + np.concatenate([[0.0], np.cumsum(gaps)])
        assert off(found) <= off(other) + 1e-7
        assert off(found) <= off(found + 0.01 * (other - found)) + 1e-7


def section(parents, names=None):
    """The facts of a network section."""
    named_parents = named(parents)
    names = dict(zip(named_parents, names or named_parents, strict=True))
    random = np.random.default_rng(0)
    return {
        "variables": [
            {"name": names[name], "states": 2, "rows": 2, "support": 30.0, "hidden": False}
            for name in named_parents
        ],
        "arcs": [
            {
                "parent": names[parent],
                "child": names[name],
                "information": float(random.random()),
                "given_others": 0.0,
                "closed": True,
            }
            for name, who in named_parents.items()
            for parent in who
        ],
    }


def test_labels_fit_their_boxes_and_long_names_are_cut_in_the_middle():
    long = [f"{'A very long name indeed' * 4} number {at}" for at in range(8)]
    names = [*long, "W" * 40, "因果" * 20, "i" * 60, "x"]
    picture = drawing(Sketch.of(section(random_parents(12, 1.5, 3), names)))
    assert len(picture.shapes) == 12
    for shape, name in zip(picture.shapes, names, strict=True):
        assert text_width(shape.label) < shape.width
        assert len(shape.label) <= 20
        assert shape.tip.startswith(name)
    assert picture.shapes[3].label.endswith("umber 3")
    assert "…" in picture.shapes[3].label


def test_arcs_are_as_thick_as_what_they_carry():
    facts = section([[], [0], [0], [0]])
    for arc, told in zip(facts["arcs"], (0.0, 0.2, 0.4), strict=True):
        arc["information"] = told
    picture = drawing(Sketch.of(facts))
    widths = {stroke.ends: stroke.width for stroke in picture.strokes}
    assert widths == {(0, 1): 1.0, (0, 2): 3.5, (0, 3): 6.0}


def test_an_arc_of_unknown_information_is_thin():
    facts = section([[], [0]])
    facts["arcs"][0]["information"] = None
    (stroke,) = drawing(Sketch.of(facts)).strokes
    assert stroke.width == 1.0
    assert stroke.tip == "V0 → V1: not finite"


@pytest.mark.parametrize(
    ("support", "look"), [(0.0, "s0"), (4.9, "s0"), (5.0, "s1"), (20.0, "s2"), (99999.0, "s3")]
)
def test_variables_are_shaded_by_the_cases_behind_their_rows(support, look):
    facts = section([[]])
    facts["variables"][0]["support"] = support
    assert drawing(Sketch.of(facts)).shapes[0].look == look


def test_a_neighbourhood_shows_parents_above_and_children_below():
    sketch = Sketch.of(section([[], [], [0, 1], [2], [2], [3], [1]]))
    picture, beyond = neighbourhood(sketch, "V2")
    height = {shape.label: shape.y for shape in picture.shapes}
    assert set(height) == {"V0", "V1", "V2", "V3", "V4"}
    assert max(height["V0"], height["V1"]) < height["V2"] < min(height["V3"], height["V4"])
    assert {stroke.ends for stroke in picture.strokes} == {(0, 2), (1, 2), (2, 3), (2, 4)}
    assert beyond == 0


def test_a_neighbourhood_of_very_many_leaves_the_weakest_out():
    sketch = Sketch.of(section([[], *([0] for _ in range(60))]))
    picture, beyond = neighbourhood(sketch, "V0")
    shown = {stroke.ends[1] for stroke in picture.strokes}
    told = {head: arc["information"] for (_, head), arc in sketch.arcs.items()}
    weakest = sorted(told, key=told.get)[:20]
    assert (len(shown), beyond) == (40, 20)
    assert not shown & {sketch.place[name] for name in weakest}


def test_large_networks_are_drawn_as_dots_that_stand_apart():
    picture = drawing(Sketch.of(section(random_parents(LARGE + 1, 1.5, 2))))
    assert picture.dots
    assert all(shape.label == "" for shape in picture.shapes)
    corners = [(shape.x, shape.y) for shape in picture.shapes]
    for (x, y), (across, down) in combinations(corners, 2):
        assert abs(x - across) > 9 or abs(y - down) > 9


@pytest.mark.parametrize(("size", "arcs"), [(1000, 1.0), (1000, 2.0), (300, 5.0)])
def test_large_drawings_take_bounded_time(size, arcs):
    by_name = named(random_parents(size, arcs, 1))
    started = time.process_time()
    laid = layout(by_name, dict.fromkeys(by_name, 9.0), 9.0, Spacing(1000, 5, 2.5, 20, 4))
    assert time.process_time() - started < 25
    assert len(laid.boxes) == size


def test_a_long_chain_is_drawn_without_overflow():
    by_name = named([[], *([at] for at in range(3000))])
    laid = layout(by_name, dict.fromkeys(by_name, 20.0), 20.0)
    assert len({box.y for box in laid.boxes.values()}) == 3001
