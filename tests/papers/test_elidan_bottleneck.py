"""Paths of the bottleneck in the source's models, section 6.6 of Elidan (2004)."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.experiments.elidan import bottleneck_table
from tacit.experiments.elidan.bottleneck_table import MEANT, SIZES, TASKS, Problem, dag_of
from tacit.experiments.elidan.bottleneck_told import (
    ENDED,
    EXACT,
    FIELD,
    PATH,
    TIE,
    TOGETHER,
    Line,
    Ran,
    against,
    claims,
    fields,
    further,
)
from tacit.experiments.elidan.scenes import (
    GROUPS,
    Scene,
    changes,
    condition,
    digit_dag,
    greys,
    scene,
    yeast62,
    yeast62_dag,
    yeast_dag,
)
from tacit.experiments.outcome import Outcome, Settings
from tacit.experiments.registry import find, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reproductions.md"
STOCK, DEEP = TASKS[0], TASKS[5]


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run(find(bottleneck_table.NAME), Settings("smoke", progress=False))


# cases and dags


@pytest.mark.parametrize(
    ("dag", "hidden", "shown"),
    [(digit_dag(3), 5, 64), (digit_dag(4), 21, 64), (yeast_dag(), 19, 173), (yeast62_dag(), 8, 62)],
)
def test_hierarchies_have_the_sources_numbers_of_variables(
    dag: tc.Dag, hidden: int, shown: int
) -> None:
    inner = [name for name in dag.names if dag.children[name]]
    assert (len(inner), len(dag.names) - len(inner)) == (hidden, shown)
    assert sum(not dag.parents[name] for name in dag.names) == 1


def test_every_condition_has_one_group_of_the_sources_sizes() -> None:
    assert sorted(at for group in GROUPS.values() for at in group) == list(range(173))
    assert {len(group) for group in GROUPS.values()} <= set(range(5, 25))


@given(st.lists(st.lists(st.one_of(st.just(float("nan")), st.floats(-3, 3)), min_size=4,
                         max_size=4), min_size=1, max_size=5))  # fmt: skip
def test_a_gene_moves_where_it_is_a_standard_deviation_from_its_mean(
    genes: list[list[float]],
) -> None:
    found = changes(np.array(genes))
    for gene, moves in zip(genes, found.tolist(), strict=True):
        known = [value for value in gene if not isnan(value)]
        mean = sum(known) / max(len(known), 1)
        spread = (sum((value - mean) ** 2 for value in known) / max(len(known), 1)) ** 0.5
        for value, move in zip(gene, moves, strict=True):
            if isnan(value):
                assert move == 1
            elif abs(abs(value - mean) - spread) > 1e-9:
                assert move == 1 + (value - mean > spread) - (mean - value > spread)


def test_greys_fall_into_ten_bins_of_equal_width() -> None:
    found = greys(np.arange(17)).tolist()
    assert found == [int(grey / 1.7) for grey in range(17)]
    assert sorted(set(found)) == list(range(10))


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("Stock", (1213, 303, 20)), ("Digit", (7291, 2007, 64)), ("Yeast", (4922, 1230, 173))],
)
def test_stand_ins_have_the_sources_sizes_and_follow_the_seed(
    name: str, sizes: tuple[int, int, int]
) -> None:
    one, again, other = (scene(name, None, seed) for seed in (1, 1, 2))
    assert (len(one.train), len(one.test), len(one.names)) == sizes
    assert one.train.fingerprint() == again.train.fingerprint() != other.train.fingerprint()
    few = one.cut(50)
    assert len(few.train) == 50
    assert few.test is one.test
    if name == "Yeast":
        assert set(yeast62(one).names) == {n for n in yeast62_dag().names if n in one.names}


# runs and figures


def line(path: float, exact: list[float], field: list[float] | None = None) -> Line:
    runs = [Ran(PATH, path, path - 1, 2.0, 9), Ran(ENDED, path + 0.5, path, 0.1, 3)]
    runs += [Ran(EXACT, value, value - 2, 0.5, 9) for value in exact]
    runs += [Ran(FIELD, value, value - 3, 0.5, 9) for value in field or []]
    runs += [Ran(TOGETHER, path + 0.5, path, 1.0, 9)] if field else []
    return Line(DEEP if field else STOCK, bool(field), "somewhere", tuple(runs))


def test_ties_are_neither_worse_nor_better() -> None:
    found = line(-10.0, [-10.0, -10 - TIE / 2, -11.0, -9.0])
    assert found.below(EXACT, "train") == 25
    assert found.alike(EXACT, "train") == 50
    assert found.best(EXACT, "train") == -9
    assert found.below(EXACT, "train", ENDED) == 75
    assert found.one(PATH, "test") == -11
    assert found.share(EXACT, "train", 0.5) == pytest.approx(-10 - TIE / 4)
    cells = against([found], "train").rows[0]
    assert cells[4] == "25 + 50"
    assert cells[6] == "+1.000"


@pytest.mark.parametrize(
    ("lines", "held"),
    [
        ([line(-10, [-10.01]), line(-10, [-11.0], [-10.5])], (True, True, True, True, True)),
        ([line(-10, [-9.97]), line(-10, [-11.0], [-9.5])], (False, False, True, True, True)),
        ([line(-10, [-10.0]), line(-10, [-9.0], [-10.5])], (True, True, False, False, False)),
        ([line(-10, [-10.0]), line(-10, [-9.6, -9.4], [-10.5])], (True, True, False, False, True)),
    ],
)
def test_claims_follow_the_numbers(lines: list[Line], held: tuple[bool, ...]) -> None:
    assert tuple(claim.holds for claim in claims(lines)) == held


def test_mean_field_has_lines_of_its_own() -> None:
    lines = [line(-10, [-11.0]), line(-10, [-11.0], [-10.5, -10.0])]
    (row,) = fields(lines, "train").rows
    assert row[0] == "DigH3 C=2"
    assert row[2] == "50 + 50"
    (row,) = further(lines, "train").rows
    assert row == ("DigH3 C=2", *["+0.500", "100", "100"] * 2)
    (row,) = further(lines, "test").rows
    assert row[1:4] == ("+1.000", "100", "100")


def test_a_run_is_a_fit_judged_by_both_parts() -> None:
    held = scene("Stock", None, 1).cut(80)
    problem = Problem(held, dag_of(STOCK, held), 2)
    end = problem.learned(EXACT, tc.EM(restarts=1), 7)
    fit = tc.fit(problem.dag, held.train, hidden={"H": 2}, method=tc.EM(restarts=1), seed=7)
    assert end.ran.train == pytest.approx(fit.log_likelihood / 80 / log(2))
    assert end.ran.test == pytest.approx(tc.log_likelihood(fit.network, held.test).average / log(2))
    assert end.ran.steps == len(fit.trace) - 1
    later = problem.learned(ENDED, tc.EM(restarts=1), 1, end.network)
    assert later.ran.train >= end.ran.train - 1e-4


def test_the_experiment_prints_every_model_beside_the_paper(outcome: Outcome) -> None:
    told = str(outcome)
    assert "-19.91" in told
    assert "CPU seconds of a run" in told
    assert [row["task"] for row in outcome.plain["rows"]] == ["Stock C=3", "DigH3 C=2"]
    for row in outcome.plain["rows"]:
        kinds = [each["method"] for each in row["runs"]]
        assert kinds.count(PATH) == kinds.count(ENDED) == 1
        assert kinds.count(EXACT) == SIZES["smoke"].runs
        several = row["task"].startswith("DigH")
        assert kinds.count(FIELD) == several * SIZES["smoke"].runs
        assert kinds.count(TOGETHER) == several
    assert outcome.name in PAGE.read_text()


def test_the_full_size_is_the_papers() -> None:
    full = SIZES["full"]
    assert (full.tasks, full.runs, full.cases, full.path) == (TASKS, 50, None, MEANT)
    assert full.exact == replace(MEANT, inference="exact")
    assert {task.scene for task in TASKS} == {"Stock", "Digit", "Yeast"}
    for task in TASKS:  # marks are below the best run, and IB-EM is above so many of the runs
        for part in (task.train, task.test):
            assert part.mark <= part.best
            assert (part.ibem >= part.best) == (part.below == 100) or abs(
                part.ibem - part.best
            ) <= 0.03


# real cases


@pytest.mark.data
@pytest.mark.parametrize(
    ("states", "train", "test"),
    [(3, -26.905, -26.88), (4, -26.624, -26.50), (5, -26.444, -26.42)],
)
def test_paths_on_stocks_reach_the_reference_optimum(
    data_folder: Path, states: int, train: float, test: float
) -> None:
    held = tc.read_cases(data_folder / "tables" / "stock_tech20.csv.gz")
    order = np.random.default_rng(0).permutation(len(held))
    parts = (held.take(order[:1005]), held.take(order[1005:]))
    problem = Problem(Scene(*parts, ""), dag_of(STOCK, Scene(*parts, "")), states)
    found = problem.learned(PATH, replace(MEANT, noise=0.01), 1).ran
    assert found.train == pytest.approx(train, abs=0.01)
    assert found.test == pytest.approx(test, abs=0.011)


@pytest.mark.data
def test_real_cases_have_the_sources_shapes(data_folder: Path) -> None:
    shapes = {name: scene(name, data_folder, 1) for name in ("Stock", "Digit", "Yeast")}
    assert (len(shapes["Yeast"].train), len(shapes["Yeast"].test)) == (4922, 1230)
    assert {len(each.variables["p33"].states) for each in (shapes["Digit"].train,)} == {10}
    for name, each in shapes.items():
        assert len(each.names) == {"Stock": 20, "Digit": 64, "Yeast": 173}[name]
    moves = np.concatenate([shapes["Yeast"].train[condition(at)] for at in range(173)])
    assert 0.2 < np.mean(moves != 1) < 0.45
