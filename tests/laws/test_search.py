"""Laws that every search by single changes obeys, on made-up scores and limits at random."""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise

import numpy as np
import pytest

import naive_search as naive
from climbs import MadeUp, columns, leaning, random_limits, resumed, searched, table_ledger
from tacit.estimate.scores.dag_priors import ArcPenalty, ParentCounts
from tacit.knowledge.limits import Limits
from tacit.learn.fits import Stop
from tacit.learn.structure.climbing import begun
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.settings import HillClimb, Tabu
from tacit.learn.structure.state import State

SETTINGS = (
    HillClimb(restarts=0),
    HillClimb(restarts=3),
    HillClimb(restarts=3, perturb="moves", shaken=4, replace=True),
    HillClimb(restarts=2, perturb="bootstrap"),
    HillClimb(restarts=2, ascent="first"),
    HillClimb(restarts=2, candidates=2),
    HillClimb(restarts=2, candidates=2, ascent="first", replace=True),
    Tabu(length=6, restarts=2, shaken=3),
    Tabu(length=6, restarts=2, shaken=3, replace=True, candidates=3),
    Tabu(length=3, restarts=2, perturb="order", shaken=2),
)
every_method = pytest.mark.parametrize("settings", SETTINGS, ids=lambda each: each.describe())


def asked(seed, n=6, free=False):
    """A ledger of made-up scores under limits at random, a dag to begin at, and another ledger."""
    limits, start = random_limits(np.random.default_rng(seed), n)
    if free:
        limits, start = Limits.none(limits.names), tuple(() for _ in range(n))
    scorer = MadeUp(n, seed)

    def resampled(rng):
        return Ledger(MadeUp(n, int(rng.integers(1000))), limits)

    return scorer, Ledger(scorer, limits), start, resampled


@every_method
def test_no_dag_on_the_way_breaks_a_limit(settings):
    for seed in range(6):
        _, ledger, start, resampled = asked(seed)
        seen = []
        walk, stop = searched(
            ledger, settings, start, seed, lambda walk, to=seen: to.append(walk.now), resampled
        )
        assert stop is Stop.CONVERGED
        assert all(naive.obeys(dag, ledger.limits) for dag in {*seen, walk.best})


@every_method
def test_the_score_and_every_gain_are_those_of_whole_dags(settings):
    for seed in range(4):
        scorer, ledger, start, resampled = asked(seed)
        seen = [start]
        walk, _ = searched(
            ledger, settings, start, seed, lambda walk, to=seen: to.append(walk.now), resampled
        )
        assert walk.highest == pytest.approx(scorer.total(walk.best), abs=1e-9)
        assert walk.highest >= max(map(scorer.total, seen)) - 1e-6
        assert walk.trace[0] == pytest.approx(scorer.total(start))
        assert all(low <= high for low, high in pairwise(walk.trace))
        # restarts are heard too, but are no change
        steps = [pair for pair in pairwise(seen) if pair[1] in _around(pair[0], ledger)]
        gains = [scorer.total(after) - scorer.total(before) for before, after in steps]
        for change, _ in walk.changes:
            assert np.abs(np.array(gains) - change.gain).min() < 1e-9


def _around(dag, ledger):
    return naive.neighbours(dag, ledger.limits, replacing=True)


@every_method
def test_one_seed_makes_one_search(settings):
    def search(seed):
        _, ledger, start, resampled = asked(3)
        walk, _ = searched(ledger, settings, start, seed, None, resampled)
        return walk.best, walk.changes, walk.trace, ledger.evaluations

    assert search(1) == search(1)


@every_method
def test_a_search_taken_up_again_goes_on_as_if_nothing_had_happened(settings):
    _, ledger, start, resampled = asked(2, free=True)
    kept = []
    rng = np.random.default_rng(1)

    def heard(walk):
        kept.append((deepcopy(walk), deepcopy(rng.bit_generator.state)))

    walk = begun(ledger, start)
    resumed(ledger, settings, walk, rng, heard, resampled)
    assert len(walk.changes) > 2
    for then, state in kept[:: max(1, len(kept) // 5)]:
        again, more = np.random.default_rng(), asked(2, free=True)[1]
        again.bit_generator.state = state
        assert resumed(more, settings, then, again, None, resampled) is Stop.CONVERGED
        assert (then.best, then.trace, then.restarts) == (walk.best, walk.trace, walk.restarts)
        assert [each.verb for each, _ in then.changes] == [each.verb for each, _ in walk.changes]


PLAINLY = [
    each
    for each in SETTINGS
    if each.ascent == "best" and each.candidates is None and not each.replace
]
"""Those that begin along the path of plain climbing."""


@pytest.mark.parametrize("settings", PLAINLY, ids=lambda each: each.describe())
def test_a_search_is_never_below_plain_climbing(settings):
    for seed in range(6):
        _, ledger, start, resampled = asked(seed)
        plain, _ = searched(ledger, HillClimb(restarts=0), start)
        walk, _ = searched(ledger, settings, start, seed, None, resampled)
        assert walk.highest >= plain.highest


@every_method
def test_no_more_changes_are_made_than_allowed(settings):
    _, ledger, start, resampled = asked(2, free=True)
    for most in (0, 1, 3):
        limited = type(settings)(**{**_plain(settings), "max_steps": most})
        walk, stop = searched(ledger, limited, start, 0, None, resampled)
        assert len(walk.changes) == most
        assert stop is Stop.STEP_LIMIT


def _plain(settings):
    return {name: getattr(settings, name) for name in settings.__slots__}


@every_method
def test_ctrl_c_keeps_the_best_so_far(settings):
    _, ledger, start, resampled = asked(2, free=True)

    def heard(walk):
        if len(walk.changes) == 2:
            raise KeyboardInterrupt

    walk, stop = searched(ledger, settings, start, 0, heard, resampled)
    assert stop is Stop.INTERRUPTED
    assert len(walk.changes) == 2
    assert walk.highest == pytest.approx(ledger.total(walk.best))


@every_method
@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_variables_are_enough(settings, n):
    scorer, ledger, start, resampled = asked(1, n=n, free=True)
    walk, stop = searched(ledger, settings, start, 0, None, resampled)
    assert stop is Stop.CONVERGED
    assert walk.highest == pytest.approx(scorer.total(walk.best))


@pytest.mark.parametrize("replace", [False, True])
def test_the_path_is_that_of_trying_every_neighbour(replace):
    for seed in range(15):
        scorer, ledger, start, _ = asked(seed, n=5, free=seed % 3 == 0)
        seen = [start]
        searched(
            ledger,
            HillClimb(restarts=0, replace=replace),
            start,
            heard=lambda walk, to=seen: to.append(walk.now),
        )
        assert seen == naive.greedy(scorer.total, start, ledger.limits, replace)


@pytest.mark.parametrize(("length", "patience"), [(1, 5), (4, None), (30, None), (200, 40)])
def test_tabu_is_the_algorithm_as_corrected(length, patience):
    for seed in range(8):
        scorer, ledger, start, _ = asked(seed, n=4, free=seed % 2 == 0)
        seen = [start]
        searched(
            ledger,
            Tabu(length, patience, restarts=0),
            start,
            heard=lambda walk, to=seen: to.append(walk.now),
        )
        expected = naive.tabu(
            scorer.total, start, ledger.limits, length, patience or length // 2 + 1
        )
        assert seen == expected


@pytest.mark.parametrize("replace", [False, True])
def test_first_ascent_ends_where_no_neighbour_is_better(replace):
    settings, verbs = HillClimb(restarts=0, ascent="first", replace=replace), set()
    for seed in range(8):
        scorer, ledger, start, _ = asked(seed, n=5)
        walk, _ = searched(ledger, settings, start, seed)
        here = scorer.total(walk.best)
        around = naive.neighbours(walk.best, ledger.limits, replace)
        verbs |= {change.verb for change, _ in walk.changes}
        assert all(scorer.total(dag) <= here + 1e-9 * max(1, abs(here)) for dag in around)
        assert all(change.gain > 0 for change, _ in walk.changes)
    assert ("replace" in verbs) == replace


def test_what_each_change_would_gain_is_the_difference_of_whole_scores():
    rng = np.random.default_rng(4)
    for seed in range(5):
        limits, start = random_limits(rng, 6)
        here = columns(leaning(rng, [2, 3, 2, 4, 2, 3], 200), [2, 3, 2, 4, 2, 3])
        terms = (ParentCounts() if seed % 2 else ArcPenalty(3.0)).terms(limits.names)
        ledger = table_ledger(here, limits=limits, terms=terms)
        state = State.at(ledger, start)
        for _ in range(6):
            total = ledger.total(state.now)
            assert state.score == pytest.approx(total)
            for dag, (verb, tail, head) in naive.neighbours(state.now, limits).items():
                gain = table_ledger(here, limits=limits, terms=terms).total(dag) - total
                told = {
                    "add": state.gains[tail, head],
                    "delete": state.gains[tail, head],
                    "reverse": state.gains[tail, head] + state.gains[head, tail],
                }
                assert told[verb] == pytest.approx(gain, abs=1e-8)
            change = state.best(np.array([], dtype=np.uint64))
            if change is None:
                break
            state.make(change)
