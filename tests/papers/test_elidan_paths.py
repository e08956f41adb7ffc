"""Paths gamma by gamma, other ways to anneal, and real tables, section 6.6 of Elidan (2004)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.experiments.elidan import bottleneck_path, bottleneck_proof
from tacit.experiments.elidan.bottleneck_path import Compared, crowded, spaced, ways
from tacit.experiments.elidan.bottleneck_proof import TABLES, Contest, Size, contest, parted
from tacit.experiments.elidan.bottleneck_told import TIE, Ran
from tacit.experiments.elidan.scenes import Scene
from tacit.experiments.outcome import Outcome, Settings
from tacit.experiments.registry import find, run
from tacit.learn.bottleneck.path import BottleneckPath, PathStep

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reproductions.md"


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run(find(bottleneck_path.NAME), Settings("smoke", progress=False))


def path_of(points: list[tuple[float, float]]) -> BottleneckPath:
    steps = (PathStep(gamma, 0, 0, 0, (told,), (1,), 1, False, None) for gamma, told in points)
    return BottleneckPath(("H",), 0.1, False, tuple(steps))


# a path


def test_gammas_crowd_where_steps_are_short_and_information_grows_fast() -> None:
    even = [(0.1, 0.0), (0.2, 0.5), (0.3, 0.55), (0.4, 0.6), (0.5, 0.65), (1.0, 0.7)]
    assert crowded(path_of(even))
    dense = [(0.1, 0.0), (0.12, 0.3), (0.14, 0.6), (0.3, 0.65), (0.5, 0.7), (1.0, 0.8)]
    assert crowded(path_of(dense))
    sparse = [(0.1, 0.0), (0.3, 0.8), (0.5, 1.6), (0.52, 1.61), (0.54, 1.62), (1.0, 1.7)]
    assert not crowded(path_of(sparse))


def test_a_table_of_a_path_has_its_ends_and_where_it_grows() -> None:
    values = np.concatenate([np.zeros(50), np.linspace(0, 1, 10), np.ones(40)])
    chosen = spaced(values, 8)
    assert (chosen[0], chosen[-1]) == (0, 99)
    assert sum(45 <= at <= 60 for at in chosen) >= 3
    assert spaced(np.zeros(3), 10) == [0, 1, 2]


def test_the_path_printed_is_that_of_the_method(outcome: Outcome) -> None:
    (row,) = outcome.plain["rows"]
    gammas = [step["gamma"] for step in row["path"]]
    assert gammas == sorted(gammas)
    assert gammas[-1] == 1.0
    assert row["path"][-1]["log_likelihood"] == pytest.approx(
        row["ways"]["path"]["train"], abs=1e-3
    )
    assert list(row["ways"]) == list(ways(20))
    assert bottleneck_path.NAME in PAGE.read_text()


def test_ways_are_compared_with_the_median_and_the_best_start() -> None:
    starts = tuple(Ran("EM", value, 0, 0.1, 1) for value in (-3.0, -2.0, -1.0, -1.0))
    way = {"x": Ran("x", -1.0 + TIE / 2, 0, 0.1, 1), "y": Ran("y", -0.9, 0, 0.1, 1)}
    found = Compared("", path_of([(1.0, 0.0)]), 1.0, way, starts)
    assert (found.below("x"), found.below("y")) == (50, 100)
    assert (found.median(), found.best()) == (-1.5, -1.0)


# real tables


def contested(path: float, starts: list[tuple[float, float, float]]) -> Contest:
    runs = tuple(Ran("EM", *start, 1) for start in starts)
    ran = Ran("IB-EM", path, path - 1, 1.0, 9)
    return Contest("t", 100, 2, ran, replace(ran, test=path), runs, ran)


def test_as_many_starts_as_take_no_longer_than_the_path() -> None:
    starts = [(-10.0, -11.0, 0.4), (-9.0, -12.0, 0.4), (-8.0, -10.0, 0.4), (-11.0, -9.0, 0.4)]
    found = contested(-9.5, starts)
    assert [run.train for run in found.equal] == [-10, -9]
    assert found.chosen(found.equal).test == -12
    assert found.chosen(found.starts).test == -10
    assert (found.below("train"), found.below("test")) == (50, 50)
    assert (found.ended, found.median()) == (-9.5, -10.5)
    slow = contested(-9.5, [(-10.0, -11.0, 5.0), (-9.0, -12.0, 0.1)])
    assert len(slow.equal) == 1


@pytest.mark.parametrize(
    ("path", "held"), [(-8.9, (True, True, True, True)), (-10.6, (False, False, True, True)),
                       (-12.6, (False, False, False, False))],
)  # fmt: skip
def test_claims_about_tables_follow_the_numbers(path: float, held: tuple[bool, ...]) -> None:
    starts = [(-10.0, -11.6, 0.4), (-9.0, -11.6, 0.4), (-10.5, -11.6, 0.4)]
    made = bottleneck_proof.claims([contested(path, starts)])
    assert tuple(claim.holds for claim in made) == held


def test_a_contest_is_between_fits_of_the_same_cases() -> None:
    truth = tc.textbook("asia")
    cases = tc.sample(truth, 200, seed=1)
    held = Scene(cases.take(np.arange(150)), cases.take(np.arange(150, 200)), "")
    found = contest(TABLES[0], held, 2, 3, 4)
    fit = tc.fit(tc.grouped_hierarchy({"hidden": held.names}), held.train, hidden={"hidden": 2},
                 method=tc.IBEM(), seed=4)  # fmt: skip
    assert_allclose(found.path.train, fit.log_likelihood / 150 / np.log(2), rtol=1e-9)
    assert len(found.starts) == 3
    assert len({run.steps for run in found.starts} | {run.train for run in found.starts}) > 2


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(tc.OptionError, match=r"there is no fraction_subtraction.csv.gz in "):
        run(find(bottleneck_proof.NAME), Settings("smoke", data=tmp_path, progress=False))


@pytest.mark.data
@pytest.mark.parametrize("told", TABLES, ids=lambda told: told.file)
def test_every_table_is_parted_without_labels(
    data_folder: Path, told: bottleneck_proof.Told
) -> None:
    held = parted(told, 500, Settings("smoke", data=data_folder))
    assert not {*held.names} & {*told.leave, "id"}
    assert len(held.train) <= 500
    assert len(held.names) >= 16


@pytest.mark.data
def test_the_contest_runs_on_a_real_table(data_folder: Path) -> None:
    found = run(find(bottleneck_proof.NAME), Settings("smoke", data=data_folder, progress=False))
    assert "fraction_subtraction" in str(found)
    assert bottleneck_proof.NAME in PAGE.read_text()
    assert bottleneck_proof.SIZES["default"] == Size(TABLES, (4, 8), 50, 2000)
