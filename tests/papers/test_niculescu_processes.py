"""Hidden processes of a brain, Niculescu 2005, section 8.3."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.io import savemat

import naive_processes as naive
from tacit.core.errors import FormatError, OptionError
from tacit.experiments import niculescu_brain as brain
from tacit.experiments import niculescu_processes as region
from tacit.experiments import niculescu_regions as regions
from tacit.experiments import starplus
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


@pytest.fixture
def scanned(tmp_path: Path) -> Path:
    """A folder with a file of the form of StarPlus, drawn: two regions, rest between the trials."""
    random = np.random.default_rng(0)
    told = brain.draw(brain.Brain((4, 4, 2), (1, 1, 1)), 4, random)
    names = told.trials.names
    segments = np.empty(len(names) + 1, dtype=object)
    segments[0] = random.normal(0, 1, (20, 34))
    kinds = [{"cond": 1, "firstStimulus": ""}]
    for at, name in enumerate(names, 1):
        wide = np.hstack([told.trials[name], random.normal(0, 1, (32, 2))])
        segments[at] = np.vstack([wide, random.normal(0, 1, (22, 34))])
        kinds.append({"cond": 2 + at % 2, "firstStimulus": "S" if at % 2 else "P"})
    fields = [("cond", object), ("firstStimulus", object)]
    info = np.array([tuple(one.values()) for one in kinds], dtype=fields)
    places = np.vstack([told.trials.places, [[9, 9, 9], [9, 9, 8]]])
    rois = np.array(
        [("CALC", np.arange(1, 33)), ("LT", np.array([33]))],
        dtype=[("name", object), ("columns", object)],
    )
    meta = {"colToCoord": places, "rois": rois, "subject": "04847"}
    savemat(tmp_path / starplus.FILE, {"info": info, "data": segments, "meta": meta})
    return tmp_path


def test_scans_are_read_as_trials_of_the_task(scanned: Path) -> None:
    found = starplus.scans(scanned)
    assert found is not None
    assert (len(found.trials), len(found.trials.series)) == (8, 33)
    assert found.trials.regions == ("CALC",) * 32 + ("LT",)
    calc = starplus.region(found, "CALC")
    told = brain.draw(brain.Brain((4, 4, 2), (1, 1, 1)), 4, np.random.default_rng(0))
    for name in told.trials.names:
        assert_allclose(calc.trials[name], told.trials[name])
    assert calc.onsets == told.onsets
    assert_allclose(calc.trials.places, told.trials.places)


def test_the_experiment_takes_the_scans(scanned: Path) -> None:
    found = run(find(region.NAME), Settings("smoke", data=scanned))
    assert found.tables[0].title == "average log score per trial: region CALC of the scans"
    assert [row["trials"] for row in found.plain["rows"]["scans"]] == [6, 8]


def test_other_files_are_no_scans(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="it is the public StarPlus data set of subject 04847"):
        starplus.scans(tmp_path)
    savemat(tmp_path / starplus.FILE, {"x": [1, 2]})
    with pytest.raises(FormatError, match="these are no scans of StarPlus"):
        starplus.scans(tmp_path)
    (tmp_path / starplus.FILE).write_text("nothing of Matlab")
    with pytest.raises(FormatError, match="these are no scans of StarPlus"):
        starplus.scans(tmp_path)
