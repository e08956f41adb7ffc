"""Hidden processes of a brain, Niculescu 2005, section 8.3."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_processes as naive
from tacit.experiments import niculescu_brain as brain
from tacit.experiments import niculescu_processes as region
from tacit.experiments import niculescu_regions as regions
from tacit.experiments.outcome import Outcome, Settings
from tacit.experiments.registry import find, run


@pytest.fixture(scope="module")
def small() -> Outcome:
    return run(find(region.NAME), Settings("smoke"))


@pytest.fixture(scope="module")
def drawn() -> brain.Drawn:
    return brain.draw(brain.Brain((4, 4, 4), (2, 2, 2)), 4, np.random.default_rng(1))


def test_all_that_is_claimed_holds(small: Outcome) -> None:
    assert [str(claim) for claim in small.claims if not claim.holds] == []
    assert len(small.claims) >= 6
    json.dumps(small.to_plain(), allow_nan=False)


def test_the_expected_fall_is_the_one_the_specification_printed() -> None:
    """For 318 voxels, from 6 trials to 40. [PDK-49]"""
    printed = [-6766, -2851, -1695, -1153, -841, -638, -497, -392, -312, -248, -197, -154, -118]
    printed += [-87, -61, -38, -18, 0]
    last = region.expected(40, 318)
    falls = [region.expected(trials, 318) - last for trials in region.PAPER]
    assert_allclose(falls, printed, atol=0.51)


def test_the_expected_score_is_that_of_many_drawn_regressions() -> None:
    """The formula against draws: condition means of m trials, scored on fresh ones."""
    random, each, scores = np.random.default_rng(3), 5, []
    for _ in range(400):
        train = random.normal(0, 1, (2, each, brain.LENGTH))
        means = train.mean(axis=1)
        variance = np.mean((train - means[:, None]) ** 2)
        rest = random.normal(0, 1, (2, brain.LENGTH)) - means
        scores.append(np.mean(-0.5 * np.log(variance) - 0.5 * rest**2 / variance))
    wanted = region.expected(2 * each + 2, 1) / brain.LENGTH
    assert abs(np.mean(scores) - wanted) < 4 * np.std(scores) / np.sqrt(400)


def test_the_stand_in_is_what_its_truth_adds_up_to(drawn: brain.Drawn) -> None:
    left = []
    for name in drawn.trials.names:
        starts = {
            one.process: round(one.time / brain.STEP) for one in drawn.onsets if one.trial == name
        }
        matrix = naive.design(
            brain.LENGTH,
            [(at, starts[process]) for at, process in enumerate(brain.PROCESSES)],
            (brain.LENGTH,) * 2,
        )
        courses = np.concatenate(
            [drawn.courses[drawn.clusters, at].T * drawn.scales[at] for at in range(2)]
        )
        left.append(drawn.trials[name] - matrix @ courses)
    assert abs(np.std(left) - brain.NOISE) < 0.05
    assert abs(np.mean(left)) < 0.05
    assert np.bincount(drawn.clusters).tolist() == [8] * 8
    for course in drawn.courses.reshape(-1, brain.LENGTH):
        assert course.max() == pytest.approx(1.0, abs=0.2)
        assert course[0] == 0


def test_folds_hold_one_trial_of_each_order_out(drawn: brain.Drawn) -> None:
    fit = drawn.fit("all")
    assert fit.score is not None
    assert fit.score.folds == (("1", "2"), ("3", "4"), ("5", "6"), ("7", "8"))


def test_the_columns_of_the_paper_add_up_to_its_totals() -> None:
    """Voxels and cells exactly, scores up to rounding. [erratum 22]"""
    sums = np.sum([*regions.PAPER.values()], axis=0)
    assert sums.tolist() == [4698, -352232, -351767, -350439, 299]
    better = sum(one[2] > one[1] for one in regions.PAPER.values())
    assert (better, sum(one[2] == one[1] for one in regions.PAPER.values())) == (16, 1)


def test_regions_have_the_voxels_of_the_paper() -> None:
    for name, (voxels, *_) in regions.PAPER.items():
        told = regions.brain_of(name)
        assert told.voxels == voxels <= np.prod(told.grid)


def test_regions_by_themselves_are_regions_together() -> None:
    found = run(find(regions.NAME), Settings("smoke"))
    assert [str(claim) for claim in found.claims if not claim.holds] == []
    assert found.claims[0].text.startswith("all regions at once score what they score one by one")
