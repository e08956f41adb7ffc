"""Scores of all families: sums over the cells of sets against counting family by family."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import naive_structures as naive
from tacit.core.variables import Discrete
from tacit.engines.subset_scores import (
    AskedSets,
    CountedSets,
    counted_sets,
    family_scores,
    members,
    most_parents,
    place,
)
from tacit.engines.table_scores import Columns, TableScorer
from tacit.estimate.priors import K2, BDeu, Dirichlet, Jeffreys
from tacit.estimate.scores.tables import table_score
from tacit.estimate.scores.values import AIC, BIC, QNML, LogLikelihood
from tacit.knowledge.limits import Limits

SCORES = {
    "LogLikelihood": LogLikelihood(),
    "BIC": BIC(),
    "AIC": AIC(),
    "QNML": QNML(),
    "BDeu": BDeu(3.5),
    "K2": K2(),
    "Jeffreys": Jeffreys(),
    "Dirichlet": Dirichlet(0.3),
}


def columns(codes, states, weights=None):
    variables = tuple(
        Discrete(f"V{at}", tuple(map(str, range(many)))) for at, many in enumerate(states)
    )
    return Columns(variables, np.asarray(codes), np.asarray(states), weights)


def cases(rng, states, many, weights="none"):
    """Cases in which every variable leans on the one before it."""
    codes = np.array([rng.integers(0, each, many) for each in states])
    for at in range(1, len(states)):
        copied = rng.random(many) < 0.5
        codes[at, copied] = codes[at - 1, copied] % states[at]
    given = {
        "none": None,
        "whole": rng.integers(0, 5, many).astype(float),
        "real": rng.gamma(1.0, 1.0, many),
    }
    return columns(codes.astype(np.int16), states, given[weights])


def scorer(here, score):
    return TableScorer.of(here, table_score(score), threads=1)


@pytest.mark.parametrize("weights", ["none", "whole", "real"])
@pytest.mark.parametrize("kind", SCORES)
def test_every_family_scores_what_its_definition_says(kind, weights):
    rng = np.random.default_rng(7)
    for states in ([2, 3, 2, 4], [3, 1, 2, 2, 3]):
        here = cases(rng, states, 60, weights)
        found = counted_sets(here, table_score(SCORES[kind]), len(states) - 1, threads=1)
        weigh = np.ones(60) if here.weights is None else here.weights
        expected = naive.family_table(kind, here.codes, weigh, states)
        for child in range(len(states)):
            assert_allclose(found.local(child), expected[child], rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("kind", ["BIC", "BDeu", "K2"])
def test_a_bound_on_parents_leaves_larger_sets_out_and_the_others_alone(kind):
    rng = np.random.default_rng(3)
    here = cases(rng, [2, 3, 2, 2, 3, 2, 2, 4], 50)
    whole = counted_sets(here, table_score(SCORES[kind]), 7)
    for most in (0, 2, 6):
        bounded = counted_sets(here, table_score(SCORES[kind]), most)
        sizes = np.array([len(members(some, 0)) for some in range(2**7)])
        for child in range(8):
            ours, all_ = bounded.local(child), whole.local(child)
            assert_array_equal(ours[sizes <= most], all_[sizes <= most])
            assert np.isnan(ours[sizes > most]).all()


@pytest.mark.parametrize("kind", ["QNML", "BDeu", "Jeffreys"])
def test_asking_one_by_one_and_counting_together_agree(kind):
    rng = np.random.default_rng(11)
    here = cases(rng, [2, 3, 4, 2, 2, 3], 80)
    asked = AskedSets(scorer(here, SCORES[kind]), Limits.none([f"V{at}" for at in range(6)]))
    found = counted_sets(here, table_score(SCORES[kind]), 5)
    for child in range(6):
        assert_allclose(found.local(child), asked.local(child), rtol=1e-11)
    assert found.names == asked.names == tuple(f"V{at}" for at in range(6))


def test_asking_one_by_one_asks_only_for_what_limits_allow():
    names = ("A", "B", "C", "D")
    free = Limits.none(names)
    required, allowed = free.required.copy(), free.allowed.copy()
    required[2, 0], allowed[3, 0], allowed[0, 1] = True, False, False
    limits = Limits(names, required, allowed, np.array([2, 1, 3, 0]))
    asked = []

    class Remembers:
        def __init__(self):
            self.names = names

        def family(self, child, parents):
            asked.append((child, parents))
            return 1.0 + len(parents)

        def adding(self, child, parents, candidates):
            return np.array(
                [self.family(child, tuple(sorted((*parents, int(one))))) for one in candidates]
            )

    table = AskedSets(Remembers(), limits)
    rows = [table.local(child) for child in range(4)]
    expected = naive.limited(np.ones((4, 8)), required, allowed, limits.most)
    assert_array_equal(np.isneginf(rows), np.isneginf(expected))
    assert len(set(asked)) == len(asked) == np.isfinite(expected).sum()
    assert rows[0][place((1, 2), 0)] == 3.0
    crowded = Limits(names, required, allowed, np.zeros(4, dtype=int))
    assert np.isneginf(AskedSets(Remembers(), crowded).local(0)).all()


@pytest.mark.parametrize("score", [BIC(), BDeu(2), K2()])
def test_neither_threads_nor_the_order_of_cases_change_a_bit(score):
    rng = np.random.default_rng(5)
    here = cases(rng, [2, 3, 2, 2, 3, 2, 2, 2, 4], 300)
    one = counted_sets(here, table_score(score), 8, threads=1)
    two = counted_sets(here, table_score(score), 8, threads=3)
    shuffled = columns(here.codes[:, rng.permutation(300)], here.states.tolist())
    other = counted_sets(shuffled, table_score(score), 8, threads=2)
    assert_array_equal(one.sums, two.sums)
    assert_array_equal(one.sums, other.sums)


def test_equal_cases_and_their_weight_are_the_same():
    rng = np.random.default_rng(6)
    here = cases(rng, [2, 3, 2, 2], 40)
    times = rng.integers(0, 4, 40)
    repeated = columns(np.repeat(here.codes, times, axis=1), here.states.tolist())
    weighted = columns(here.codes, here.states.tolist(), times.astype(float))
    for score in (QNML(), BDeu(1), Jeffreys()):
        once, often = (counted_sets(each, table_score(score), 3) for each in (weighted, repeated))
        assert_array_equal(once.sums, often.sums)


def test_no_case_and_one_case_and_variables_of_many_states_are_scored():
    rng = np.random.default_rng(8)
    for many, states in ((0, [2, 3]), (1, [2, 3, 2]), (700, [2, 300, 5])):
        here = cases(rng, states, many)
        for kind in ("BDeu", "K2", "AIC"):
            found = counted_sets(here, table_score(SCORES[kind]), len(states) - 1)
            expected = naive.family_table(kind, here.codes, np.ones(many), states)
            for child in range(len(states)):
                assert_allclose(found.local(child), expected[child], rtol=1e-11, atol=1e-10)


def test_more_cells_than_an_integer_holds_are_merged_all_the_same():
    rng = np.random.default_rng(9)
    states = [200] * 9
    codes = rng.integers(0, 200, (9, 30))
    here = columns(np.repeat(codes, 2, axis=1).astype(np.int16), states)
    found = counted_sets(here, table_score(LogLikelihood()), 2)
    assert found.sums[0, 0] == pytest.approx(60 * np.log(60))
    assert found.local(8)[3] == pytest.approx(
        naive.greatest_log_likelihood(here.codes, np.ones(60), 8, (0, 1)), abs=1e-9
    )


def test_a_scorer_of_tables_is_counted_and_any_other_is_asked():
    rng = np.random.default_rng(10)
    here = cases(rng, [2, 2, 3], 20)
    limits = Limits.none(("V0", "V1", "V2"))
    assert isinstance(family_scores(scorer(here, BIC()), limits), CountedSets)

    class Other:
        def __init__(self, inner):
            self.names, self.family, self.adding = inner.names, inner.family, inner.adding

    assert isinstance(family_scores(Other(scorer(here, BIC())), limits), AskedSets)


def test_the_largest_number_of_parents_heeds_what_is_allowed():
    free = Limits.none(("A", "B", "C", "D"))
    allowed = free.allowed.copy()
    allowed[:, :3] = False
    assert most_parents(free) == 3
    assert most_parents(Limits(free.names, free.required, allowed, np.array([3, 3, 3, 2]))) == 2
    assert most_parents(Limits(free.names, free.required, free.allowed & False, free.most)) == 0


def test_sets_of_others_are_numbered_without_the_child():
    assert place((0, 1, 3), 2) == 0b111
    assert place((), 2) == 0
    assert [members(place(who, 2), 2) for who in ((), (0,), (3,), (1, 4))] == [
        (), (0,), (3,), (1, 4),
    ]  # fmt: skip


def test_an_interrupt_ends_the_walk_between_its_shares():
    rng = np.random.default_rng(12)
    here = cases(rng, [2] * 7, 20)
    heard = []

    def interrupt(done, total):
        heard.append(done)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        counted_sets(here, table_score(BIC()), 6, threads=1, progress=interrupt)
    assert heard == [1]
