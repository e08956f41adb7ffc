"""The section of a report on a hierarchy, in facts, words and a drawing."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from math import log

import numpy as np
import pytest

import tacit as tc
from tacit.experiments.elidan.planted import measured, planted_hierarchy
from tacit.reporting.hierarchies import LETTERS, view

GROUPS = {"T": ["a", "b", "c"], "U": ["d", "e"], "R": ["T", "U"]}
DAG = tc.grouped_hierarchy(GROUPS)
STATES = {"R": 2, "T": 3, "U": 2, **dict.fromkeys("abcde", 3)}
TRUTH = planted_hierarchy(DAG, STATES, 1, sharp=0.3)
CASES = measured(TRUTH, 300, 2)


def learned(dag=DAG, cases=CASES, hidden=("R", "T", "U")) -> tc.Fit:
    named = {name: STATES.get(name, 2) for name in hidden}
    return tc.fit(dag, cases, hidden=named, method=tc.EM(restarts=1, max_steps=30), seed=1)


def section(fit: tc.Fit) -> dict | None:
    found = [each for each in tc.report(fit).facts["sections"] if each["kind"] == "hierarchy"]
    return found[0] if found else None


@pytest.fixture(scope="module")
def fit() -> tc.Fit:
    return learned()


def test_every_hidden_variable_stands_before_those_below_it(fit: tc.Fit) -> None:
    nodes = section(fit)["nodes"]
    assert next(one["name"] for one in nodes) == "R"
    assert {one["name"]: (one["depth"], one["parent"], one["states"]) for one in nodes} == {
        "R": (0, None, 2), "T": (1, "R", 3), "U": (1, "R", 2),
    }  # fmt: skip
    below = {one["name"]: {leaf["name"] for leaf in one["leaves"]} for one in nodes}
    assert below == {"R": set(), "T": {"a", "b", "c"}, "U": {"d", "e"}}
    for one in nodes:
        told = [leaf["information"] for leaf in one["leaves"]]
        assert told == sorted(told, reverse=True)


def test_the_information_is_that_of_the_expected_cases(fit: tc.Fit) -> None:
    counts = fit.evidence["a"].values
    joint = counts / counts.sum()
    expected = sum(
        p * log(p / (joint[t].sum() * joint[:, a].sum()))
        for (t, a), p in np.ndenumerate(joint)
        if p > 0
    )
    node = next(one for one in section(fit)["nodes"] if one["name"] == "T")
    (leaf,) = [leaf for leaf in node["leaves"] if leaf["name"] == "a"]
    assert leaf["information"] == pytest.approx(expected)


def test_it_is_told_and_drawn_with_a_table_beside_the_drawing(fit: tc.Fit, tmp_path) -> None:
    text = str(tc.report(fit))
    assert "3 hidden variables on 2 levels stand above 5 that were observed." in text
    tc.report(fit).save(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    drawing = re.search(r'<svg class="tree".*?</svg>', page, re.DOTALL)[0]
    assert 'role="img" aria-label="3 hidden variables' in drawing
    assert drawing.count('class="branch"') == 2
    assert drawing.count("<rect") == 3
    assert all(f"{name} 0." in drawing for name in "abcde")
    assert "Hidden variables, and what is below each" in page


def test_lines_of_leaves_are_cut_and_counted() -> None:
    leaves = [{"name": f"leaf number {at}", "information": 0.1} for at in range(200)]
    node = {"name": "H", "states": 2, "parent": None, "information": None, "depth": 0}
    other = {**node, "name": "G", "parent": "H", "information": 0.0, "depth": 1, "leaves": []}
    (box, _) = view({"nodes": [{**node, "leaves": leaves}, other], "alone": []})["boxes"]
    shown = sum(line.count("leaf number") for line in box.lines)
    assert box.lines[-1] == f"and {200 - shown} more"
    assert max(map(len, box.lines)) <= LETTERS


def test_boxes_do_not_overlap(fit: tc.Fit) -> None:
    found = view(section(fit))
    boxes = found["boxes"]
    for one, other in itertools.pairwise(boxes):
        assert other.y >= one.y + max(found["box"], found["step"] * len(one.lines))
    assert all(box.x + box.width < found["right"] for box in boxes)


@pytest.mark.parametrize(
    ("dag", "hidden"),
    [("H -> a, b, c, d, e", ["H"]), ("H -> a, b, c; G -> c, d, e", ["H", "G"]),
     ("H -> a, b; G -> c, d; a -> e", ["H", "G"])],
)  # fmt: skip
def test_what_is_no_hierarchy_has_no_such_section(dag: str, hidden: list[str]) -> None:
    assert section(learned(dag, CASES, hidden)) is None


def test_a_forest_names_what_has_nothing_above_it() -> None:
    found = learned("H -> a, b; G -> c, d; e", CASES, ["H", "G"])
    facts = section(found)
    assert [one["depth"] for one in facts["nodes"]] == [0, 0]
    assert "in 2 trees. Below none: e." in str(tc.report(found))


def test_hidden_variables_that_went_again_are_not_told_of_as_if_they_were_there() -> None:
    from tacit.learn.bottleneck.path import BottleneckPath, PathStep
    from tacit.reporting import paths

    steps = (
        PathStep(0.2, -9.0, -9.0, -9.0, (0.1, 0.0), (1, 0), 3, False, None, (2, 0)),
        PathStep(0.6, -8.0, -8.0, -8.0, (0.3, 0.2), (2, 2), 3, False, None, (2, 2)),
        PathStep(1.0, -7.0, -7.0, -7.0, (0.5, 0.0), (2, 0), 3, False, None, (2, 0)),
    )
    found = learned("H -> a, b, c, d, e", CASES, ["H"])
    moved = replace(found, path=BottleneckPath(("H", "G"), 0.1, True, steps))
    facts = paths.path(moved)
    assert [one["information"][1] for one in facts["steps"]] == [None, pytest.approx(0.2), None]
    told = " ".join(paths.sentences(facts))
    assert "1 further hidden variable came on the way and went again." in told
    assert "G keeps" not in told
    assert [row[3] for row in paths.rows(facts)] == ["0.100 –", "0.300 0.200", "0.500 –"]
    assert len(paths.view(facts)["panels"]) == 4
    assert "came on the way" in str(tc.report(moved))
