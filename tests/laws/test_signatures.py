"""Traces of hidden variables: against naive twins, and the same for any order and any names."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import naive
import naive_signatures
from tacit.core.dag import Dag
from tacit.learn.structure.confidence import confidence_of
from tacit.learn.unseen.insertion import inserted
from tacit.learn.unseen.removal import remove_variable
from tacit.learn.unseen.signatures import signatures

THRESHOLDS = ["strict", "half", "others", 0.4]


def dense(seed, size=12, most=5):
    return naive_signatures.at_random(np.random.default_rng(seed), size, most)


def sure(dags, names):
    """The shares of the links in these dags."""
    free = ~np.eye(len(names), dtype=bool)
    return confidence_of(names, [Dag(each) for each in dags], free, len(dags))


def noisy(seed, count=7, size=10):
    """Dags that mostly agree, as those of bootstrap samples do."""
    rng = np.random.default_rng(seed)
    names = [f"X{at}" for at in range(size)]
    common = naive_signatures.at_random(rng, size, 7)
    dags = []
    for _ in range(count):
        kept = {
            name: tuple(each for each in who if rng.random() < 0.85) for name, who in common.items()
        }
        dags.append(kept)
    return dags, names


def sets(found):
    return {frozenset(each.members) for each in found}


def renamed(dag, rng):
    """The same dag under other names, listed in another order, and what each was called."""
    names = list(dag)
    fresh = dict(zip(names, (f"V{at}" for at in rng.permutation(len(names))), strict=True))
    listing = [names[at] for at in rng.permutation(len(names))]
    return {fresh[each]: tuple(fresh[p] for p in dag[each]) for each in listing}, fresh


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_sets_are_those_of_the_algorithm_as_printed(threshold):
    some = 0
    for seed in range(6):
        dag = dense(seed)
        weights = naive_signatures.linked(dag)
        for order, twin in [
            ("index", naive_signatures.find_hidden),
            ("most_links", naive_signatures.every_way),
        ]:
            found = signatures(Dag(dag), threshold=threshold, least=4, order=order)
            assert sets(found) == twin(weights, list(dag), threshold, 4)
            assert len(sets(found)) == len(found)
            some += len(found)
    assert some > 10


@pytest.mark.parametrize("threshold", [*THRESHOLDS, 0.7])
def test_sets_from_shares_are_those_of_expected_links(threshold):
    some = 0
    for seed in range(5):
        dags, names = noisy(seed)
        weights = naive_signatures.mean_links(dags)
        for order, twin in [
            ("index", naive_signatures.find_hidden),
            ("most_links", naive_signatures.every_way),
        ]:
            found = signatures(sure(dags, names), threshold=threshold, order=order)
            assert sets(found) == twin(weights, names, threshold, 4)
            for each in found:
                inside = [
                    naive_signatures.inside(weights, one, set(each.members) - {one})
                    for one in each.members
                ]
                assert each.links == pytest.approx(float(sum(inside)) / 2)
                assert each.weakest == pytest.approx(float(min(inside)) / (len(inside) - 1))
            some += len(found)
    assert some > 5


@pytest.mark.parametrize("order", ["most_links", "index", "random"])
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_every_set_keeps_the_threshold_and_has_a_triangle(threshold, order):
    for seed in range(20):
        dag = dense(seed, 16, 6)
        weights = naive_signatures.linked(dag)
        for each in signatures(Dag(dag), threshold=threshold, order=order, seed=seed):
            assert naive_signatures.is_semi_clique(weights, each.members, threshold)
            assert naive_signatures.triangles(weights, each.members, "half")


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_neither_names_nor_their_order_change_the_sets(threshold):
    rng = np.random.default_rng(7)
    for seed in range(25):
        dag = dense(seed, 18, 5)
        other, fresh = renamed(dag, rng)
        before = signatures(Dag(dag), threshold=threshold)
        after = signatures(Dag(other), threshold=threshold)
        assert {frozenset(fresh[name] for name in each) for each in sets(before)} == sets(after)
        assert [each.saves for each in before] == [each.saves for each in after]


def test_neither_names_nor_their_order_change_the_sets_of_shares():
    rng = np.random.default_rng(8)
    for seed in range(15):
        dags, names = noisy(seed, size=14)
        listing = [names[at] for at in rng.permutation(len(names))]
        before, after = signatures(sure(dags, names)), signatures(sure(dags, listing))
        assert before == after


def test_the_first_that_fits_depends_on_the_order():
    rng, differ = np.random.default_rng(9), 0
    for seed in range(25):
        dag = dense(seed, 18, 5)
        listing = [list(dag)[at] for at in rng.permutation(len(dag))]
        other = {name: dag[name] for name in listing}
        differ += sets(signatures(Dag(dag), order="index")) != sets(
            signatures(Dag(other), order="index")
        )
    assert differ


def test_shares_of_one_dag_are_that_dag():
    for seed in range(10):
        dag = dense(seed)
        hard = signatures(Dag(dag), threshold="others")
        soft = signatures(sure([dag] * 3, list(dag)))
        assert hard.found == soft.found


def test_removal_is_the_reversal_of_arc_after_arc():
    for seed in range(100):
        dag = dense(seed, 9, 3)
        for name in dag:
            left = remove_variable(Dag(dag), name)
            order = [each for each in Dag(dag).order if name in dag[each]]
            expected = naive_signatures.without(dag, name, order)
            assert {each: set(who) for each, who in left.parents.items()} == expected


def test_a_thousand_insertions_make_no_cycle_and_obey_the_rule():
    kept = 0
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        dag = naive_signatures.at_random(rng, 10, 3)
        names = [list(dag)[at] for at in rng.permutation(10)]
        members = names[: int(rng.integers(3, 7))]
        done = inserted(Dag(dag), members, "H")
        expected = naive_signatures.with_parent(dag, members, "H")
        assert {each: set(who) for each, who in done.dag.parents.items()} == expected
        assert naive.acyclic(done.dag.parents)
        arcs = sum(map(len, dag.values())) - sum(map(len, expected.values()))
        assert done.saved == arcs
        again = inserted(Dag({name: dag[name] for name in names}), members[::-1], "H")
        assert set(again.dag.arcs) == set(done.dag.arcs)
        kept += len(done.kept)
    assert kept > 100


def test_few_cases_leave_a_trace_in_the_shares_that_no_dag_has():
    """Every sample joins the four children by a tree; which one differs from sample to sample."""
    trees, names = [], ["C1", "C2", "C3", "C4", "X", "Y"]
    rng = np.random.default_rng(2)
    for _ in range(60):
        order = [names[at] for at in rng.permutation(4)]
        above: dict[str, tuple[str, ...]] = defaultdict(tuple)
        for at in range(1, 4):
            above[order[at]] = (order[int(rng.integers(at))],)
        above["Y"] = ("X",)
        trees.append({name: above[name] for name in names})
    assert not any(signatures(Dag(tree), least=4).found for tree in trees)
    found = signatures(sure(trees, names), threshold=0.4)
    assert sets(found) == {frozenset(names[:4])}
    chain = [{"C1": (), "C2": ("C1",), "C3": ("C2",), "C4": ("C3",)}] * 60
    assert not signatures(sure(chain, names[:4]), threshold=0.4).found
