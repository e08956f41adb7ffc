"""Hill climbing and tabu search on cases: what they find, how they leave local maxima, and peers.

HV1-8, HV1-9.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import naive_scores as naive
import naive_search
import tacit as tc
from climbs import MadeUp, columns, random_limits, searched, table_ledger
from tacit.engines.table_scores import Columns
from tacit.estimate.priors import BDeu
from tacit.estimate.scores.dag_priors import ArcPenalty
from tacit.estimate.scores.values import BIC, QNML
from tacit.knowledge.limits import Limits
from tacit.learn.fits import Stop
from tacit.learn.structure import climbing
from tacit.learn.structure.exact import exact_search
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.perturbing import (
    random_change,
    reordered,
    required_only,
    shaken,
)
from tacit.learn.structure.settings import HillClimb, Tabu
from tacit.learn.structure.state import Change, State

DAGS = (
    ((), (0,), (1,), (2,)),
    ((), (), (0, 1), (2,)),
    ((), (0,), (0,), (1, 2)),
    ((), (), (), (0, 1, 2)),
    ((), (0,), (), (1, 2)),
)
"""A chain, a collider with a tail, a diamond, three causes, a chain into a collider."""
PLAIN = HillClimb(restarts=0)


def drawn(dag, cases, seed, states=3):
    """Cases of a network of this dag in which every arc tells much."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((len(dag), cases), dtype=np.int64)
    for head, parents in enumerate(dag):
        table = rng.dirichlet([1.0] * states, [states] * len(parents))
        rows = table[tuple(codes[list(parents)])]
        codes[head] = (
            (rng.random((cases, 1)) > np.cumsum(rows, axis=-1)).sum(axis=1).clip(0, states - 1)
        )
    return columns(codes, [states] * len(dag))


@pytest.mark.parametrize("score", [BIC(), BDeu(1.0), QNML()], ids=str)
@pytest.mark.parametrize("dag", DAGS, ids=str)
def test_ten_thousand_cases_give_back_the_class_of_their_dag(dag, score):
    here = drawn(dag, 10_000, 1)
    ledger = table_ledger(here, score)
    walk, stop = searched(ledger, HillClimb(restarts=20))
    assert stop is Stop.CONVERGED
    assert walk.highest == pytest.approx(exact_search(ledger.scorer, ledger.limits).score)
    assert naive.same_class(walk.best, dag)


def xor(cases=2_000):
    """A variable that is the parity of two coins: neither coin alone tells anything of it."""
    rng = np.random.default_rng(1)
    codes = np.repeat(np.array(list(product((0, 1), repeat=2))).T, cases // 4, axis=1)
    noise = rng.random(codes.shape[1]) < 0.05
    return columns(np.vstack([codes, codes[0] ^ codes[1] ^ noise]), [2, 2, 2])


@pytest.mark.parametrize(
    "settings",
    [
        Tabu(length=10, restarts=0),
        Tabu(length=4, patience=3, restarts=0),
        HillClimb(restarts=10, perturb="moves", shaken=3),
    ],
    ids=lambda each: each.describe(),
)
def test_a_planted_local_maximum_is_left(settings):
    plain, _ = searched(table_ledger(xor()), PLAIN)
    assert plain.best == ((), (), ())
    walk, _ = searched(table_ledger(xor()), settings)
    assert sorted(map(len, walk.best)) == [0, 0, 2]  # any of the three is the parity of the others
    assert walk.highest > plain.highest + 500


def test_reordering_leaves_what_single_changes_do_not():
    """A dag with two parents swapped for its child: each turn on the way back costs."""
    better = 0
    for seed in range(30):
        here = drawn(((), (), (), (0, 1), (1, 2), (3, 4)), 3_000, seed, 2)
        plain, _ = searched(table_ledger(here), PLAIN)
        walk, _ = searched(table_ledger(here), HillClimb(restarts=10))
        best = exact_search(table_ledger(here).scorer, Limits.none([f"V{at}" for at in range(6)]))
        assert plain.highest <= walk.highest <= best.score + 1e-6
        better += walk.highest > plain.highest + 1
    assert better


def test_a_climb_begins_where_it_is_told():
    here = drawn(DAGS[2], 2_000, 3)
    start = ((1, 2, 3), (2,), (), (1, 2))
    seen = [start]
    searched(table_ledger(here), PLAIN, start, heard=lambda walk: seen.append(walk.now))
    ledger = table_ledger(here)
    assert seen == naive_search.greedy(ledger.total, start, ledger.limits)
    assert len(seen) > 1


def test_of_equal_changes_the_first_counts_by_verb_then_head_then_tail():
    class Level(MadeUp):
        def family(self, child, parents):
            return float(len(parents))

    walk, _ = searched(Ledger(Level(4, 0), Limits.none("ABCD")), HillClimb(restarts=0, max_steps=2))
    assert [(each.verb, each.tail, each.head) for each, _ in walk.changes] == [
        ("add", 1, 0), ("add", 2, 0),
    ]  # fmt: skip


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_of_an_arc_and_its_reverse_the_one_after_which_more_is_gained_comes_first(order):
    """Two causes of one effect: an arc from the effect would have to be mended later."""
    rng = np.random.default_rng(1)
    causes = rng.random((2, 3_000)) < 0.4
    effect = (causes[0] | causes[1]) ^ (rng.random(3_000) < 0.05)
    here = columns(np.vstack([causes, effect])[list(order)].astype(int), [2, 2, 2])
    walk, _ = searched(table_ledger(here), PLAIN)
    at = order.index(2)
    assert [(change.verb, change.head) for change, _ in walk.changes] == [("add", at)] * 2
    assert len(walk.best[at]) == 2


def test_the_reverse_is_not_taken_where_it_may_not_be():
    rng = np.random.default_rng(1)
    causes = rng.random((2, 3_000)) < 0.4
    effect = (causes[0] | causes[1]) ^ (rng.random(3_000) < 0.05)
    here = columns(np.vstack([causes, effect]).astype(int), [2, 2, 2])
    free = Limits.none(("V0", "V1", "V2"))
    allowed = free.allowed.copy()
    allowed[:, 2] = False
    limits = Limits(free.names, free.required, allowed, free.most)
    walk, _ = searched(table_ledger(here, limits=limits), Tabu(length=5, restarts=0))
    assert walk.changes
    assert all(change.head != 2 for change, _ in walk.changes if change.verb == "add")


# --- candidates ------------------------------------------------------------------------------


def test_candidates_are_the_parents_and_who_scores_best_beside_them():
    scorer, limits = MadeUp(7, 4), Limits.none([f"V{at}" for at in range(7)])
    ledger = Ledger(scorer, limits)
    dag = ((), (0,), (0, 1), (), (), (), ())
    for many in (1, 2, 3, 6):
        ledger.choose(dag, many)
        for head, parents in enumerate(dag):
            others = [at for at in range(7) if at != head and at not in parents]
            others.sort(key=lambda at: -scorer.family(head, tuple(sorted((*parents, at)))))
            expected = {*parents, *others[: max(0, many - len(parents))]}
            assert set(np.flatnonzero(ledger.candidates[:, head])) == expected


def test_only_candidates_are_asked_for_and_offered():
    ledger = Ledger(MadeUp(7, 4), Limits.none([f"V{at}" for at in range(7)]))
    whole = Ledger(MadeUp(7, 4), ledger.limits)
    ledger.choose(((),) * 7, 2)
    assert ledger.evaluations == 42
    for head in range(7):
        chosen = ledger.candidates[:, head]
        for who in ((), tuple(np.flatnonzero(chosen)[:1].tolist())):
            row, before = ledger.adding(head, who), ledger.evaluations
            assert set(np.flatnonzero(row > -np.inf)) == set(np.flatnonzero(chosen)) - set(who)
            np.testing.assert_array_equal(
                row[row > -np.inf], whole.adding(head, who)[row > -np.inf]
            )
            assert ledger.adding(head, who) is row
            assert ledger.evaluations == before


def test_a_child_that_may_have_no_more_parents_keeps_candidates_to_change_to():
    limits = Limits.none([f"V{at}" for at in range(5)])
    limits = Limits(limits.names, limits.required, limits.allowed, np.array([1, 0, 2, 2, 2]))
    ledger = Ledger(MadeUp(5, 1), limits)
    ledger.choose(((3,), (), (), (), ()), 3)
    assert ledger.candidates[:, 0].sum() == 3
    assert ledger.candidates[3, 0]
    assert not ledger.candidates[:, 1].any()


def test_candidates_chosen_again_reach_what_those_chosen_first_could_not():
    """Parity of two coins: one coin tells nothing until the other is a parent."""
    rng = np.random.default_rng(2)
    coins = rng.integers(0, 2, (5, 4_000))
    parity = coins[0] ^ coins[1] ^ (rng.random(4_000) < 0.05)
    heard = np.where(rng.random(4_000) < 0.35, parity, coins[0])  # mostly the first coin
    here = columns(np.vstack([coins, heard]), [2] * 6)
    ledger, seen = table_ledger(here), set()
    ledger.choose(((),) * 6, 2)
    assert not ledger.candidates[1, 5]
    walk, _ = searched(
        ledger, HillClimb(restarts=0, candidates=2), heard=lambda walk: seen.add(walk.chosen_at)
    )
    assert len(seen) > 1
    first, _ = searched(ledger, HillClimb(restarts=0, candidates=2, max_steps=1))
    assert max(map(len, walk.best)) == 2
    assert walk.highest > first.highest + 100


def test_candidates_save_evaluations_and_cost_little_score(example_models):
    network = tc.read(example_models / "alarm.bif.gz")
    data = tc.sample(network, 2_000, seed=1)
    whole, few = (table_ledger(Columns.of(data, data.names)) for _ in range(2))
    at_large, _ = searched(whole, HillClimb(restarts=20))
    among_few, _ = searched(few, HillClimb(restarts=20, candidates=6))
    assert few.evaluations < 0.8 * whole.evaluations
    assert among_few.highest > at_large.highest - 0.01 * abs(at_large.highest)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_change_on_the_way_is_that_of_the_dag_looked_at_for_the_first_time(seed):
    """Bounds that are kept from step to step never hide a change, whether paths come or go."""
    rng, nothing = np.random.default_rng(seed), np.zeros(0, dtype=np.uint64)
    limits = replace(random_limits(rng, 9)[0], allowed=~np.eye(9, dtype=bool), most=np.full(9, 4))
    ledger, verbs = Ledger(MadeUp(9, seed), limits), set()
    state = State.at(ledger, required_only(limits))
    for _ in range(300):
        change = random_change(state, rng)
        state.make(change)
        if rng.random() < 0.5:
            best = state.best(nothing)
            assert best == State.at(ledger, state.now).best(nothing)
            verbs.add(best.verb)
        if rng.random() < 0.2:
            state.make(state.best(np.array([state.mark], dtype=np.uint64)))
    assert verbs == {"add", "delete", "reverse"}


@pytest.mark.parametrize("seed", range(4))
def test_families_without_each_parent_are_remembered_like_all_others(seed):
    """Scored together or one by one: the same scores, and the same number of them."""

    class Together(MadeUp):
        def without(self, child, parents, places):
            fewer = (parents[:at] + parents[at + 1 :] for at in places.tolist())
            return np.array([self.family(child, each) for each in fewer])

    rng = np.random.default_rng(seed)
    limits = Limits.none([f"V{at}" for at in range(8)])
    terms = ArcPenalty(0.5).terms(limits.names)
    one = Ledger(MadeUp(8, seed), limits, terms)
    both = Ledger(Together(8, seed), limits, terms)
    for _ in range(200):
        child, *others = rng.permutation(8).tolist()
        parents = tuple(sorted(others[: rng.integers(0, 7)]))
        match rng.integers(3):
            case 0:
                assert one.family(child, parents) == both.family(child, parents)
            case 1:
                assert_array_equal(one.adding(child, parents), both.adding(child, parents))
            case _:
                fewer = [parents[:at] + parents[at + 1 :] for at in range(len(parents))]
                expected = [one.family(child, each) for each in fewer]
                assert_array_equal(both.less(child, parents), expected)
        assert one.evaluations == both.evaluations


def test_restarts_that_nobody_asked_for_end_where_much_was_done(monkeypatch):
    monkeypatch.setattr(climbing, "PLENTY", 60)
    ledgers = [Ledger(MadeUp(7, 4), Limits.none([f"V{at}" for at in range(7)])) for _ in range(3)]
    usual, _ = searched(ledgers[0], HillClimb())
    asked, _ = searched(ledgers[1], HillClimb(restarts=50))
    tabu, _ = searched(ledgers[2], Tabu(length=3))
    assert asked.failed == 50
    for walk in (usual, tabu):
        assert walk.failed < 5
        assert len(walk.changes) * 7 >= 60
        assert sum(restart < walk.restarts for _, restart in walk.changes) * 7 < 60


# --- ways to leave a dag ---------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_a_dag_left_at_random_obeys_the_limits(seed):
    rng = np.random.default_rng(seed)
    limits, start = random_limits(rng, 7)
    ledger = Ledger(MadeUp(7, seed), limits)
    walk, _ = searched(ledger, PLAIN, start)
    assert required_only(limits) == start
    for moved in (1, 3, 10):
        other = reordered(walk.best, limits, moved, rng)
        assert naive_search.obeys(other, limits)
        links = {frozenset((tail, head)) for head, who in enumerate(walk.best) for tail in who}
        assert {frozenset((tail, head)) for head, who in enumerate(other) for tail in who} <= links
        assert naive_search.obeys(shaken(State.at(ledger, walk.best, "none"), moved, rng), limits)


def test_every_legal_change_can_be_drawn():
    limits, start = random_limits(np.random.default_rng(3), 5)
    ledger = Ledger(MadeUp(5, 3), limits)
    state, rng, found = State.at(ledger, start, "none"), np.random.default_rng(1), set()
    for _ in range(2_000):
        change = random_change(state, rng)
        found.add((change.verb, change.tail, change.head))
    assert found == set(naive_search.neighbours(start, limits).values())


def test_where_nothing_may_change_nothing_does():
    names = ("A", "B")
    required = np.array([[False, True], [False, False]])
    limits = Limits(names, required, required, np.array([0, 1]))
    ledger = Ledger(MadeUp(2, 1), limits)
    state = State.at(ledger, ((), (0,)), "none")
    assert random_change(state, np.random.default_rng(1)) is None
    for settings in (HillClimb(restarts=3), Tabu(length=3, restarts=2)):
        walk, stop = searched(ledger, settings, ((), (0,)))
        assert (walk.best, stop) == (((), (0,)), Stop.CONVERGED)


def test_a_change_says_what_it_gains_for_every_verb():
    limits, start = random_limits(np.random.default_rng(8), 6)
    scorer = MadeUp(6, 8)
    state = State.at(Ledger(scorer, limits), start, "none")
    for dag, (verb, tail, head) in naive_search.neighbours(start, limits, replacing=True).items():
        outs = set(start[head]) - set(dag[head]) if verb == "replace" else {-1}
        change = Change(verb, tail, head, 0.0, outs.pop())
        assert state.legal(change)
        assert state.gain(change) == pytest.approx(scorer.total(dag) - scorer.total(start))


# --- peers -----------------------------------------------------------------------------------


def peer_dags(network, data, most, score):
    """Where pyAgrum's two searches end on the same cases, by the numbers of the variables."""
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyagrum
    template, names = tc.to_pyagrum(network), data.names
    frame = pd.DataFrame(
        {
            name: pd.Categorical.from_codes(data[name], network.variables[name].states)
            for name in names
        }
    )
    place = {name: at for at, name in enumerate(names)}
    for use in ("useGreedyHillClimbing", "useLocalSearchWithTabuList"):
        learner = pyagrum.BNLearner(frame, template)
        getattr(learner, use)()
        getattr(learner, score)()
        learner.useNoPrior()
        learner.setMaxIndegree(most)
        learner.setNumberOfThreads(1)
        dag = learner.learnDAG()
        yield tuple(
            tuple(sorted(place[template.variable(at).name()] for at in dag.parents(head)))
            for head in map(template.idFromName, names)
        )


def at_least_the_peer(network, cases, seed, most, settings):
    data = tc.sample(network, cases, seed=seed)
    free = Limits.none(data.names)
    limits = Limits(free.names, free.required, free.allowed, np.minimum(free.most, most))
    ledger = table_ledger(Columns.of(data, data.names), limits=limits)
    walk, _ = searched(ledger, settings)
    theirs = [ledger.total(dag) for dag in peer_dags(network, data, most, "useScoreBIC")]
    assert walk.highest >= max(theirs) - 1e-6
    return walk, ledger


@pytest.mark.parametrize("name", ["alarm", "insurance", "hailfinder"])
@pytest.mark.parametrize(
    "settings", [HillClimb(), Tabu(perturb="order", shaken=3, restarts=20)], ids=str
)
@pytest.mark.parametrize(("cases", "most"), [(2_000, 10), (5_000, 3)])
def test_the_score_is_at_least_that_of_pyagrum(name, settings, cases, most, example_models):
    network = tc.read(example_models / f"{name}.bif.gz")
    at_least_the_peer(network, cases, 1, most, settings)


@pytest.mark.full
@pytest.mark.parametrize("name", ["alarm", "insurance", "hailfinder", "andes"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_the_score_is_at_least_that_of_pyagrum_on_many_samples(name, seed, example_models):
    network = tc.read(example_models / f"{name}.bif.gz")
    settings = HillClimb(restarts=0) if name == "andes" else HillClimb()
    at_least_the_peer(network, 10_000, seed, 5, settings)


def test_restarts_reach_the_score_of_the_network_that_drew_the_cases(example_models):
    for name in ("alarm", "insurance", "hailfinder"):
        network = tc.read(example_models / f"{name}.bif.gz")
        data = tc.sample(network, 10_000, seed=2)
        ledger = table_ledger(Columns.of(data, data.names))
        place = {each: at for at, each in enumerate(data.names)}
        truth = tuple(
            tuple(sorted(place[who] for who in network.dag.parents[each])) for each in data.names
        )
        walk, _ = searched(ledger, Tabu(20, restarts=100, perturb="order", shaken=8))
        assert walk.highest >= ledger.total(truth)
