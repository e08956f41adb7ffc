"""Which series share: groups that are told, cut out of space, or grown."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from planted_processes import planted
from tacit.learn.processes.splitting import cut

GRID = np.array(list(product(range(4), range(4))), dtype=float)
QUARTERS = [2 * (x // 2) + y // 2 for x, y in GRID.astype(int)]


def _in_space(drawn, places=GRID, regions=None):
    trials = drawn.trials
    return tc.Trials(trials.values, trials.series, places=places, regions=regions)


def _groups(fit):
    return {frozenset(group.series) for group in fit.groups}


def _truth(drawn, groups):
    return {frozenset(np.array(drawn.trials.series)[np.array(groups) == at]) for at in set(groups)}


def _quarters(seed=0, noise=0.5):
    return planted(lengths=(6, 6), groups=QUARTERS, trials=12, noise=noise, seed=seed)


def test_planted_cells_are_recovered_in_nearly_all_of_ten_draws():
    found = 0
    for seed in range(10):
        drawn = _quarters(seed)
        told = tc.HiddenProcesses(drawn.told, drawn.onsets, share=tc.Partition(nested=False))
        fit = told.fit(_in_space(drawn), folds=4)
        found += _groups(fit) == _truth(drawn, QUARTERS)
    assert found >= 9


def test_planted_groups_without_places_are_recovered_in_nearly_all_of_ten_draws():
    groups, found = [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2], 0
    for seed in range(10):
        drawn = planted(lengths=(6, 6), groups=groups, trials=12, noise=0.5, seed=seed)
        told = tc.HiddenProcesses(drawn.told, drawn.onsets, share=tc.Merging(nested=False))
        fit = told.fit(drawn.trials, folds=4)
        found += _groups(fit) == _truth(drawn, groups)
    assert found >= 9


def test_without_slack_groups_predict_as_well_as_the_truth_or_better():
    groups = [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]
    for seed in range(5):
        drawn = planted(lengths=(6, 6), groups=groups, trials=12, noise=0.5, seed=seed)
        share = tc.Merging(slack=0, nested=False)
        fit = tc.HiddenProcesses(drawn.told, drawn.onsets, share=share).fit(drawn.trials, folds=4)
        assert fit.score.total >= _told_truth(drawn, groups, drawn.trials).score.total - 1e-6


def _told_truth(drawn, groups, trials):
    share = {str(at): sorted(group) for at, group in enumerate(_truth(drawn, groups))}
    return tc.HiddenProcesses(drawn.told, drawn.onsets, share=share).fit(trials, folds=4)


def test_a_partition_without_signal_is_one_cell():
    drawn = planted(lengths=(6, 6), groups=[0] * 16, trials=12, noise=0.5)
    told = tc.HiddenProcesses(drawn.told, drawn.onsets, share=tc.Partition())
    fit = told.fit(_in_space(drawn), folds=4)
    assert len(fit.groups) == 1
    assert fit.cells[0].why == "cutting it predicts held-out trials worse"
    assert fit.cells[0].apart < fit.cells[0].alone


def test_more_trials_let_a_partition_have_more_cells():
    cells = []
    for trials in (4, 12, 60):
        drawn = planted(lengths=(6, 6), groups=range(16), trials=trials, noise=2.5, seed=1)
        told = tc.HiddenProcesses(drawn.told, drawn.onsets, share=tc.Partition(nested=False))
        cells.append(len(told.fit(_in_space(drawn), folds=2).groups))
    assert cells == sorted(cells)
    assert cells[0] < cells[-1]


def test_looking_ahead_finds_what_pays_only_after_two_cuts():
    """A checkerboard: the first cut gains nothing, the second everything."""
    checkers = [(x + y) % 2 for x, y in GRID.astype(int)]
    drawn = planted(lengths=(6, 6), groups=checkers, trials=40, noise=1.0, seed=2)
    near, far = (
        tc.HiddenProcesses(
            drawn.told, drawn.onsets, share=tc.Partition(look_ahead=look, nested=False)
        ).fit(_in_space(drawn), folds=4)
        for look in (0, 1)
    )
    assert near.score is not None
    assert far.score is not None
    assert far.score.total >= near.score.total
    assert (len(near.groups), len(far.groups)) == (1, 16)
    grown = tc.HiddenProcesses(
        drawn.told, drawn.onsets, share=tc.Merging(start=tc.Partition(look_ahead=1), nested=False)
    ).fit(_in_space(drawn), folds=4)
    assert len(grown.groups) <= 3  # one series hardly shows the processes


def test_regions_are_cut_each_by_itself():
    regions = tuple("left" if x < 2 else "right" for x, _ in GRID)
    drawn = planted(lengths=(6, 6), groups=[int(x >= 2) for x, _ in GRID], trials=12)
    trials = _in_space(drawn, regions=regions)
    for share in ("regions", tc.Partition()):
        fit = tc.HiddenProcesses(drawn.told, drawn.onsets, share=share).fit(trials, folds=4)
        assert [group.name for group in fit.groups] == ["left", "right"]
        assert _groups(fit) == _truth(drawn, [int(x >= 2) for x, _ in GRID])


def test_the_score_of_a_nested_search_never_sees_the_fold_it_scores():
    """Measurements of a fold are replaced by others: what was chosen without it stays the same."""
    drawn = _quarters(noise=2.0)
    trials = _in_space(drawn)
    told = tc.HiddenProcesses(drawn.told, drawn.onsets, share=tc.Partition(nested=True))
    fit = told.fit(trials, folds=4)
    held = fit.score.folds[0]
    random = np.random.default_rng(1)
    spoiled = {
        name: array + 9 * random.standard_normal(array.shape) if name in held else array
        for name, array in trials.values.items()
    }
    other = told.fit(tc.Trials(spoiled, trials.series, places=GRID), folds=4)
    others = [name for name in trials.names if name not in held]
    inner = tc.HiddenProcesses(
        drawn.told, tuple(each for each in drawn.onsets if each.trial in others), share=told.share
    )
    assert _groups(inner.fit(trials.take(others), folds=3)) == _groups(
        inner.fit(tc.Trials({n: spoiled[n] for n in others}, trials.series, places=GRID), folds=3)
    )
    assert fit.score.scores[0] > other.score.scores[0]


def test_nested_scores_are_below_those_of_groups_chosen_on_the_same_trials():
    gaps = []
    for seed in range(4):
        drawn = planted(lengths=(6, 6), groups=QUARTERS, trials=8, noise=4.0, seed=seed)
        nested, flat = (
            tc.HiddenProcesses(drawn.told, drawn.onsets, share=tc.Partition(nested=nested)).fit(
                _in_space(drawn), folds=4
            )
            for nested in (True, False)
        )
        assert _groups(nested) == _groups(flat)
        assert any("too good" in note for note in flat.notes)
        gaps.append(flat.score.total - nested.score.total)
    assert np.mean(gaps) >= 0


def test_every_merge_gains_and_the_gains_add_up():
    drawn = planted(lengths=(6, 6), groups=[0, 0, 0, 1, 1, 1], trials=12, noise=0.8)
    merged = tc.HiddenProcesses(drawn.told, drawn.onsets, share=tc.Merging(slack=0, nested=False))
    fit = merged.fit(drawn.trials, folds=4)
    alone = tc.HiddenProcesses(
        drawn.told, drawn.onsets, share={name: [name] for name in drawn.trials.series}
    ).fit(drawn.trials, folds=4)
    gains = [gain for _, _, gain in fit.merges]
    assert min(gains) > 0
    assert_allclose(fit.score.total - alone.score.total, sum(gains), rtol=1e-6)


def test_cells_are_cut_by_evenly_spaced_planes():
    places = np.array(list(product(range(8), range(8), range(4))), dtype=float)
    cells = cut(places, np.arange(256), (2, 2, 4))
    assert [cell.size for cell in cells] == [16] * 16
    again = cut(places, cells[0], (2, 2, 4))
    assert [cell.size for cell in again] == [4] * 4
    assert [cell.size for cell in cut(places, again[0], (2, 2, 4))] == [1] * 4
    assert len(cut(np.zeros((3, 2)), np.arange(3), (2, 2))) == 1


def test_a_search_that_is_taken_up_again_repeats_its_scores(tmp_path: Path):
    drawn = _quarters()
    told = tc.HiddenProcesses(drawn.told, drawn.onsets, share=tc.Partition())
    kept = tmp_path / "search.ckpt"
    first = told.fit(_in_space(drawn), folds=4, seed=1, checkpoint=kept)
    before = kept.read_text()
    again = told.fit(_in_space(drawn), folds=4, seed=1, checkpoint=kept, resume=True)
    assert kept.read_text() == before
    assert again.score == first.score
    assert _groups(again) == _groups(first)
    spoilt = before.replace("all:", "nobody:")
    kept.write_text(spoilt)
    assert told.fit(_in_space(drawn), folds=4, checkpoint=kept, resume=True).score == first.score


@pytest.mark.parametrize("share", ["none", "all", tc.Partition(), tc.Merging()])
def test_order_changes_nothing_and_one_seed_gives_the_same_bits(share):
    drawn = _quarters()
    trials = _in_space(drawn)
    told = tc.HiddenProcesses(drawn.told, drawn.onsets, share=share, restarts=1)
    fit, same = told.fit(trials, folds=4, seed=3), told.fit(trials, folds=4, seed=3)
    assert fit.log_likelihood == same.log_likelihood
    assert fit.score == same.score
    random = np.random.default_rng(0)
    series = [trials.series[at] for at in random.permutation(16)]
    names = [trials.names[at] for at in random.permutation(len(trials))]
    onsets = tuple(drawn.onsets[at] for at in random.permutation(len(drawn.onsets)))
    other = tc.HiddenProcesses(drawn.told, onsets, share=share, restarts=1).fit(
        trials.select(series).take(names), folds=4, seed=3
    )
    assert _groups(other) == _groups(fit)
    assert_allclose(other.log_likelihood, fit.log_likelihood, rtol=1e-9)
    assert_allclose(other.score.total, fit.score.total, rtol=1e-9)
    for name in trials.series:
        assert_allclose(other.course("p0", name), fit.course("p0", name), atol=1e-6)
