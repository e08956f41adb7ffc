"""`tc.search` and `tc.score` from the front: what goes in, what comes out, and what is kept."""

from __future__ import annotations

import copy
import json
import os
import pickle
import signal
from itertools import product

import numpy as np
import pytest

import naive_scores
import naive_structures
import tacit as tc
from tacit.knowledge.limits import Limits
from tacit.learn import diaries
from tacit.learn.fits import Stop
from tacit.learn.structure import climbing
from tacit.learn.structure.confidence import ArcConfidence, confidence_of
from tacit.learn.structure.question import ask
from tacit.learn.structure.running import resampling

NAMES = ("asia", "smoke", "lung", "bronc", "dysp")
CASES = tc.sample(tc.textbook("asia"), 400, seed=3).select(NAMES)
COLUMNS = [CASES[name] for name in NAMES]
STATES = [2] * len(NAMES)
ONES = np.ones(len(CASES))
QUICK = tc.HillClimb(restarts=3)
METHODS = (
    QUICK,
    tc.HillClimb(restarts=2, perturb="bootstrap"),
    tc.HillClimb(restarts=2, ascent="first", replace=True),
    tc.HillClimb(restarts=2, candidates=2),
    tc.Tabu(length=10, restarts=2),
    tc.Exact(),
    tc.ChowLiu(),
    tc.TAN("dysp"),
    tc.WeightAnnealing(tc.Tabu(length=5, restarts=0), start=0.05),
    tc.WeightAnnealing(tc.HillClimb(restarts=0), reweight="random", start=0.05),
    tc.SimulatedAnnealing(start=10, steps=40),
)
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda each: each.describe())
GENERAL = [each for each in METHODS if not isinstance(each, tc.ChowLiu | tc.TAN)]


def numbered(dag, names=NAMES):
    return tuple(tuple(names.index(parent) for parent in dag.parents[name]) for name in names)


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def interrupting(at):
    """A callback that presses Ctrl-C the `at`-th time it is told of progress."""
    told = []

    def heard(done, total):
        told.append(done)
        if len(told) == at:
            interrupt()

    return heard


@every_method
@pytest.mark.parametrize(("score", "kind"), [(tc.BIC(), "BIC"), (tc.BDeu(3.5), "BDeu")])
def test_the_score_of_what_is_found_is_that_of_its_definition(method, score, kind):
    found = tc.search(CASES, method=method, score=score, seed=1)
    naive = naive_scores.of_dag(kind, COLUMNS, ONES, STATES, numbered(found.dag))
    assert found.score == pytest.approx(naive, abs=1e-8)
    assert found.objective == found.trace[-1] == found.score
    assert sum(found.found.families.values()) == pytest.approx(naive)
    assert tc.score(found.dag, CASES, score).total == pytest.approx(naive)
    assert found.network.dag == found.dag
    assert found.settings["method"] == method.describe()
    assert found.evaluations > 0


@every_method
def test_no_method_is_below_a_dag_without_arcs_nor_above_the_best(method):
    found = tc.search(CASES, method=method, score=tc.BDeu(3.5), seed=1)
    best = tc.search(CASES, method=tc.Exact(), score=tc.BDeu(3.5))
    assert found.score <= best.score + 1e-8
    if not isinstance(method, tc.TAN):
        empty = tuple(() for _ in NAMES)
        assert found.score >= naive_scores.of_dag("BDeu", COLUMNS, ONES, STATES, empty)


RULES = """
    require dysp -> asia
    forbid bronc -> *
    order smoke < lung
    at most 2 parents
"""


@pytest.mark.parametrize("method", GENERAL, ids=lambda each: each.describe())
def test_rules_about_structure_hold(method):
    found = tc.search(CASES, knowledge=RULES, method=method, seed=1)
    dag = found.dag
    assert "dysp" in dag.parents["asia"]
    assert dag.children["bronc"] == ()
    assert "lung" not in dag.parents["smoke"]
    assert max(map(len, dag.parents.values())) <= 2
    assert found.found.required == {("dysp", "asia"): "line 2: require dysp -> asia"}
    assert "rules require dysp -> asia" in str(found)


@pytest.mark.parametrize("method", [tc.ChowLiu(), tc.TAN("smoke")])
def test_rules_about_structure_hold_in_trees(method):
    found = tc.search(CASES, knowledge="require bronc -> dysp\nforbid lung -> *", method=method)
    assert "bronc" in found.dag.parents["dysp"]
    assert found.dag.children["lung"] == ()


def test_a_bound_of_the_method_holds_beside_that_of_the_rules():
    found = tc.search(CASES, knowledge="at most 2 parents", method=tc.HillClimb(most_parents=1))
    assert max(map(len, found.dag.parents.values())) == 1


def test_a_rule_about_a_table_requires_the_parents_that_it_names_and_is_kept_by_the_fit():
    rule = "P(asia=yes | smoke=yes, lung=no) >= 0.2"
    found = tc.search(CASES, knowledge=rule, method=QUICK, seed=1)
    assert {"smoke", "lung"} <= set(found.dag.parents["asia"])
    assert set(found.found.required) == {("smoke", "asia"), ("lung", "asia")}
    (status,) = found.rules
    assert (status.text, status.active) == (rule, True)
    said = tc.query(found.network, "P(asia=yes | smoke=yes, lung=no)")
    assert float(said) == pytest.approx(0.2)


@pytest.mark.parametrize("score", [tc.BIC(), tc.BDeu(2), tc.QNML()])
def test_weights_are_so_many_equal_cases_and_merging_changes_nothing(score):
    rows = np.array(COLUMNS).T
    merged, weights = np.unique(rows, axis=0, return_counts=True)
    order = {name: CASES.variables[name].states for name in NAMES}
    states = {name: np.array(order[name])[merged[:, at]] for at, name in enumerate(NAMES)}
    few = tc.read_cases({**states, "many": weights}, weights="many", order=order)
    method = tc.Exact()
    one, other = (tc.search(data, score=score, method=method) for data in (CASES, few))
    assert one.dag == other.dag
    assert one.score == pytest.approx(other.score, abs=1e-8)
    assert len(few) < len(CASES) == other.cases.weight


def test_as_many_cases_are_drawn_as_they_weigh():
    few = tc.read_cases({"A": ["x", "y"], "n": [900, 100]}, weights="n")
    drawn = [resampling(ask(few, None, None, None), np.random.default_rng(at)) for at in range(200)]
    assert all(each.sum() == pytest.approx(1000) for each in drawn)
    ones = np.array(drawn)[:, 0]
    assert ones.mean() == pytest.approx(900, abs=3)
    assert ones.std() == pytest.approx(np.sqrt(1000 * 0.9 * 0.1), rel=0.2)


@pytest.fixture(scope="module")
def sampled():
    return tc.search(CASES, method=tc.Exact(), bootstrap=12, seed=5).confidence


def test_the_bootstrap_is_the_same_search_on_cases_drawn_again(sampled):
    """Each sample made by hand: rows drawn with replacement, and `tc.search` on them."""
    question, dags = ask(CASES, None, None, None), []
    for number in range(12):
        often = resampling(question, np.random.default_rng([5, number])).round().astype(int)
        again = {name: np.repeat(_states(name), often) for name in NAMES}
        order = {name: CASES.variables[name].states for name in NAMES}
        rows = tc.read_cases(again, order=order)
        assert len(rows) == len(CASES)
        dags.append(tc.search(rows, method=tc.Exact()).dag)
    for one, other in product(NAMES, repeat=2):
        if one < other:
            joined = [one in dag.parents[other] or other in dag.parents[one] for dag in dags]
            assert sampled.link(one, other) == pytest.approx(sum(joined) / 12)


def _states(name):
    return np.array(CASES.variables[name].states)[CASES[name]]


def test_one_more_sample_changes_none_of_the_others(sampled):
    more = tc.search(CASES, method=tc.Exact(), bootstrap=13, seed=5).confidence
    moved = more.shares * 13 - sampled.shares * 12
    assert set(np.round(moved, 9).ravel().tolist()) <= {0.0, 0.5, 1.0}
    assert more.replicates == 13


def test_shares_of_arcs_against_counting_all_equivalent_dags():
    """An arc that some dag of the class turns is half an arc each way."""
    rng, everything = np.random.default_rng(2), list(_dags(4))
    names = tuple("ABCD")
    drawn = [everything[at] for at in rng.integers(len(everything), size=30)]
    allowed = np.ones((4, 4), dtype=bool)
    found = confidence_of(names, [_named(dag, names) for dag in drawn], allowed, len(drawn))
    for tail, head in product(range(4), repeat=2):
        naive = 0.0
        for dag in drawn:
            here, back = tail in dag[head], head in dag[tail]
            if here or back:
                same = [each for each in everything if naive_scores.same_class(dag, each)]
                ways = {tail in each[head] for each in same}
                naive += 0.5 if len(ways) == 2 else float(here)
        assert found.shares[tail, head] == pytest.approx(naive / len(drawn))
        if tail != head:
            link = sum(tail in dag[head] or head in dag[tail] for dag in drawn) / len(drawn)
            assert found.link(names[tail], names[head]) == pytest.approx(link)
            assert found.direction(names[tail], names[head]) == pytest.approx(
                naive / len(drawn) / link if link else 0
            )


def _dags(n):
    sets = [[tuple(each) for each in naive_structures.subsets([a for a in range(n) if a != at])]
            for at in range(n)]  # fmt: skip
    for dag in product(*sets):
        left = {child: set(who) for child, who in enumerate(dag)}
        while free := [child for child, who in left.items() if not who & left.keys()]:
            del left[free[0]]
        if not left:
            yield dag


def _named(dag, names):
    return tc.Dag({names[at]: tuple(names[each] for each in who) for at, who in enumerate(dag)})


def test_the_class_of_what_is_found_is_all_dags_that_score_as_it_does():
    four = CASES.select(NAMES[1:])
    found = tc.search(four, method=tc.Exact())
    alike = [
        dag
        for dag in _dags(4)
        if naive_scores.of_dag("BIC", COLUMNS[1:], ONES, STATES[1:], dag) > found.score - 1e-8
    ]
    ways = {
        (NAMES[1 + tail], NAMES[1 + head])
        for dag in alike
        for head, who in enumerate(dag)
        for tail in who
    }
    assert len(alike) > 1
    assert found.cpdag.arcs == {arc for arc in ways if arc[::-1] not in ways}
    assert found.cpdag.links == {tuple(sorted(arc)) for arc in ways if arc[::-1] in ways}


def test_a_link_that_rules_forbid_to_turn_counts_whole():
    allowed = np.array([[True, True], [False, True]])
    found = confidence_of(("A", "B"), [tc.Dag.parse("A -> B")] * 4, allowed, 4)
    assert (found.arc("A", "B"), found.arc("B", "A")) == (1.0, 0.0)


@pytest.mark.parametrize("seed", range(8))
def test_the_threshold_against_a_fine_grid(seed):
    """t is the level of the 0-1 distribution nearest to that of the shares in area; links above
    the t-quantile of the shares are in."""
    rng = np.random.default_rng(seed)
    n = 5
    links = rng.choice([0.0, 0.1, 0.15, 0.4, 0.6, 0.9, 0.95, 1.0], n * (n - 1) // 2)
    shares = np.zeros((n, n))
    shares[np.triu_indices(n, 1)] = links
    names = tuple("ABCDE")
    found = ArcConfidence(names, shares, np.ones((n, n), dtype=bool), 20)
    x = (np.arange(4000) + 0.5) / 4000
    below = (links[None, :] <= x[:, None]).mean(axis=1)

    def area(t):
        return float(np.abs(below - t).mean())

    least = min(area(t) for t in np.linspace(0, 1, 2001))
    out = float(np.mean(links < found.threshold))
    assert area(out) <= least + 1e-3
    assert found.threshold in {*links.tolist(), 1.0}


def test_the_averaged_network_against_taking_the_surest_links_one_by_one(sampled):
    for least in (0.05, 0.3, 0.5, sampled.threshold, 1.0):
        arcs = []
        links = [
            (one, other)
            for at, one in enumerate(NAMES)
            for other in NAMES[at + 1 :]
            if 0 < sampled.link(one, other) >= least
        ]
        for one, other in sorted(links, key=lambda pair: -sampled.link(*pair)):
            ways = sorted([(one, other), (other, one)], key=lambda arc: -sampled.arc(*arc))
            for way in ways:
                if _acyclic([*arcs, way]):
                    arcs.append(way)
                    break
        assert set(sampled.averaged(least).arcs) == set(arcs)
    assert sampled.averaged() == sampled.averaged(sampled.threshold)
    assert set(sampled.averaged().names) == set(NAMES)


def _acyclic(arcs):
    left = {name for arc in arcs for name in arc}
    while free := {name for name in left if not any(h == name and t in left for t, h in arcs)}:
        left -= free
    return not left


def test_a_link_is_turned_rather_than_close_a_cycle_if_rules_let_it():
    names, shares = ("A", "B", "C"), np.zeros((3, 3))
    shares[0, 1], shares[1, 2], shares[2, 0] = 1.0, 0.9, 0.8
    free = ArcConfidence(names, shares, np.ones((3, 3), dtype=bool), 10)
    assert set(free.averaged(0.5).arcs) == {("A", "B"), ("B", "C"), ("A", "C")}
    allowed = np.ones((3, 3), dtype=bool)
    allowed[0, 2] = False
    bound = ArcConfidence(names, shares, allowed, 10)
    assert set(bound.averaged(0.5).arcs) == {("A", "B"), ("B", "C")}


@pytest.mark.parametrize("score", [tc.BIC(), tc.BDeu(3), tc.MDL()])
def test_what_an_arc_is_worth_is_what_the_score_loses_without_it(score):
    found = tc.search(CASES, score=score, knowledge="require asia -> dysp", method=QUICK, seed=1)
    whole = tc.score(found.dag, CASES, score)
    for (tail, head), gain in found.gains.items():
        less = {name: tuple(p for p in who if (p, name) != (tail, head))
                for name, who in found.dag.parents.items()}  # fmt: skip
        assert whole.total - tc.score(tc.Dag(less), CASES, score).total == pytest.approx(gain)
        assert whole.gain(f"delete {tail} -> {head}") == pytest.approx(-gain)
    assert set(found.gains) == set(found.dag.arcs)
    assert found.gains["asia", "dysp"] < (1 if isinstance(score, tc.BDeu) else 0)


def test_what_forbidden_arcs_would_gain():
    rules = "forbid bronc -> *\nforbid smoke -> *\nforbid dysp -> smoke"
    found = tc.search(CASES, knowledge=rules, method=tc.Exact())
    here = tc.score(found.dag, CASES)
    forbidden = [("dysp", "smoke"), *product(("bronc", "smoke"), NAMES)]
    naive = {}
    for tail, head in forbidden:
        try:
            gain = here.gain(f"add {tail} -> {head}")
        except tc.DagError:  # a cycle, or the arc from a variable to itself
            continue
        if gain > 0:
            naive[tail, head] = pytest.approx(gain)
    assert dict(found.found.missed) == naive
    assert len(naive) > 1
    gains = list(found.found.missed.values())
    assert gains == sorted(gains, reverse=True)


def test_every_change_gains_what_it_says():
    dag = tc.Dag.parse("smoke -> lung; smoke -> bronc -> dysp; asia")
    here = tc.score(dag, CASES, tc.BDeu(3.5), dag_prior=tc.ArcPenalty(2.5))

    def naive(text):
        parents = numbered(tc.Dag.parse(text))
        return naive_scores.of_dag(
            "BDeu", COLUMNS, ONES, STATES, parents
        ) + naive_scores.prior_of_dag("ArcPenalty", parents)

    base = naive("smoke -> lung; smoke -> bronc -> dysp; asia")
    assert here.total == pytest.approx(base)
    for move, after in {
        "add asia -> dysp": "smoke -> lung; smoke -> bronc -> dysp; asia -> dysp",
        "delete smoke -> lung": "lung; smoke -> bronc -> dysp; asia",
        "reverse bronc -> dysp": "smoke -> lung; smoke -> bronc <- dysp; asia",
    }.items():
        assert here.gain(move) == pytest.approx(naive(after) - base)
    assert here.family("dysp", ["lung", "bronc"]) == pytest.approx(
        naive("smoke -> lung -> dysp; smoke -> bronc -> dysp; asia")
        - sum(here[name] for name in NAMES if name != "dysp")
    )
    assert "BDeu(3.5) of" in str(here)


def test_columns_are_left_out():
    found = tc.search(CASES, leave_out=["asia", "smoke"], method=QUICK, seed=1)
    assert found.dag.names == ("lung", "bronc", "dysp")
    assert found.dag == tc.search(CASES.select(["lung", "bronc", "dysp"]), method=QUICK, seed=1).dag
    assert tc.search(CASES, leave_out="asia", method=QUICK).dag.names == NAMES[1:]


@pytest.mark.parametrize("kind", ["text", "dag", "network", "file", "dag file"])
def test_a_search_begins_where_it_is_told(kind, tmp_path):
    text = "dysp -> asia; smoke -> lung; bronc"
    dag = tc.Dag.parse(text)
    network = tc.fit(dag, CASES).network
    tc.write(network, tmp_path / "start.bif")
    (tmp_path / "start.dag").write_text(text)
    start = {
        "text": text, "dag": dag, "network": network,
        "file": tmp_path / "start.bif", "dag file": str(tmp_path / "start.dag"),
    }[kind]  # fmt: skip
    still = tc.search(CASES, start=start, method=tc.HillClimb(max_steps=0))
    assert set(still.dag.arcs) == set(dag.arcs)
    assert still.stop is Stop.STEP_LIMIT
    assert still.moves == ()
    assert tc.search(CASES, start=start, method=QUICK, seed=1).score > still.score


def test_a_start_need_not_name_every_column():
    still = tc.search(CASES, start="smoke -> lung", method=tc.HillClimb(max_steps=0))
    assert still.dag.arcs == (("smoke", "lung"),)
    assert set(still.dag.names) == set(NAMES)


@every_method
def test_one_seed_is_one_search_whatever_the_threads(method):
    def done(threads):
        found = tc.search(CASES, method=method, seed=7, threads=threads, bootstrap=2)
        return found.dag, found.trace, found.moves, found.confidence.shares.tolist()

    assert done(1) == done(2)


def test_without_a_seed_the_one_that_was_used_is_told():
    found = tc.search(CASES, method=QUICK)
    again = tc.search(CASES, method=QUICK, seed=found.seed)
    assert (again.dag, again.trace) == (found.dag, found.trace)


INTERRUPTIBLE = [each for each in METHODS if not isinstance(each, tc.ChowLiu | tc.TAN | tc.Exact)]


@pytest.mark.parametrize("method", INTERRUPTIBLE, ids=lambda each: each.describe())
def test_ctrl_c_gives_the_best_so_far(method):
    found = tc.search(CASES, method=method, seed=1, progress=interrupting(2), bootstrap=3)
    assert found.stop is Stop.INTERRUPTED
    naive = naive_scores.of_dag("BIC", COLUMNS, ONES, STATES, numbered(found.dag))
    assert found.score == pytest.approx(naive)
    assert found.confidence is None
    assert "the search was interrupted, so no bootstrap sample was drawn" in found.notes
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_restarts_left_out_at_great_size_are_told_and_those_asked_for_are_made(monkeypatch):
    cases = tc.sample(tc.textbook("asia"), 300, seed=1)
    monkeypatch.setattr(climbing, "PLENTY", 100)
    usual, asked = (tc.search(cases, seed=1, **how) for how in ({}, {"method": tc.HillClimb(50)}))
    made = f"{len(usual.moves)} changes among 8 variables and {usual.found.restarts} restarts"
    assert [note for note in usual.notes if "restart" in note] == [
        f"restarts ended early, after {made}: a better dag may be found with "
        "restarts=50, which goes on until 50 in a row find nothing better"
    ]
    assert asked.found.restarts >= 50
    assert not any("restart" in note for note in asked.notes)
    assert usual.settings["method"] == "HillClimb()"
    assert asked.settings["method"] == "HillClimb(restarts=50)"


def test_exact_search_has_nothing_before_its_end():
    with pytest.raises(KeyboardInterrupt):
        tc.search(CASES, method=tc.Exact(), progress=interrupting(2))


def test_ctrl_c_while_samples_are_drawn_keeps_those_that_are_done():
    calls = []

    def heard(done, total):
        calls.append((done, total))
        if (done, total) == (3, 9):
            interrupt()

    found = tc.search(CASES, method=tc.ChowLiu(), seed=1, progress=heard, bootstrap=9)
    assert found.stop is Stop.PROVEN
    assert found.confidence.replicates == 3
    assert "interrupted after 3 of 9 bootstrap samples" in found.notes
    whole = tc.search(CASES, method=tc.ChowLiu(), seed=1, bootstrap=3)
    assert whole.confidence.shares.tolist() == found.confidence.shares.tolist()


KEPT = [each for each in METHODS if isinstance(each, tc.HillClimb | tc.Tabu)]


@pytest.mark.parametrize("method", KEPT, ids=lambda each: each.describe())
def test_a_search_taken_up_again_is_the_one_never_interrupted(method, tmp_path, monkeypatch):
    whole = tc.search(CASES, method=method, seed=4)
    for every, at in ((0.0, 3), (1e9, 4)):
        monkeypatch.setattr(diaries, "EVERY", every)
        kept = tmp_path / f"{every}.ckpt"
        part = tc.search(CASES, method=method, seed=4, progress=interrupting(at), checkpoint=kept)
        assert part.stop is Stop.INTERRUPTED
        again = tc.search(CASES, method=method, checkpoint=kept, resume=True)
        assert again.seed == 4
        assert (again.dag, again.trace, again.score) == (whole.dag, whole.trace, whole.score)
        assert [str(move) for move in again.moves] == [str(move) for move in whole.moves]
        done = tc.search(CASES, method=method, checkpoint=kept, resume=True)
        assert (done.dag, done.score) == (whole.dag, whole.score)


def test_nothing_to_go_on_from_is_a_fresh_start(tmp_path):
    found = tc.search(CASES, method=QUICK, seed=2, checkpoint=tmp_path / "new", resume=True)
    assert found.dag == tc.search(CASES, method=QUICK, seed=2).dag
    assert (tmp_path / "new").exists()


NETWORK = tc.fit("smoke -> lung; smoke -> bronc -> dysp; asia", CASES).network


@pytest.mark.parametrize(
    "prior",
    [
        tc.Dirichlet({"lung": [0.5, 3], "dysp": 2.0}, otherwise=0.7),
        tc.Prior.like(NETWORK, 25),
        tc.BDeu(4),
        tc.K2(),
        tc.Jeffreys(),
    ],
    ids=lambda each: each.describe(),
)
def test_a_prior_scores_by_the_log_marginal_likelihood_of_the_fit(prior):
    for text in ("smoke -> lung; bronc -> dysp <- lung; asia", "asia -> dysp; smoke; lung; bronc"):
        said = tc.score(text, CASES, prior)
        assert said.total == pytest.approx(tc.fit(text, CASES, prior=prior).log_marginal_likelihood)
    found = tc.search(CASES, score=prior, method=tc.HillClimb(restarts=0))
    assert found.score == pytest.approx(found.log_marginal_likelihood)
    assert found.settings["prior"] == prior.describe()


def mixed(cases=300, seed=1):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, cases)
    x = rng.normal(size=cases) + 1.5 * group
    y = np.where(group == 1, 2.0, -1.0) * x + rng.normal(size=cases)
    kind = np.where(rng.random(cases) < 0.5, group, rng.integers(0, 3, cases))
    return {
        "X": x, "Y": y, "Z": rng.normal(size=cases) + 0.7 * y,
        "G": np.array(["lo", "hi"])[group], "K": np.array(["a", "b", "c"])[kind],
    }  # fmt: skip


@pytest.mark.parametrize("method", [QUICK, tc.Tabu(length=10, restarts=1), tc.Exact()])
@pytest.mark.parametrize("columns", ["XYZ", "XYZGK"])
def test_continuous_and_mixed_data_score_as_their_fits_say(method, columns):
    """BIC from the route of the fit: its log-likelihood, and how many parameters it has."""
    data = {name: column for name, column in mixed().items() if name in columns}
    found = tc.search(data, method=method, seed=1)
    ml = tc.fit(found.dag, data, estimate=tc.ML())
    price = 0.5 * np.log(300) * ml.network.free_parameters
    assert found.score == pytest.approx(ml.log_likelihood - price, abs=1e-6)
    assert {frozenset(arc) for arc in found.dag.arcs} >= {frozenset("XY"), frozenset("YZ")}
    for tail, head in found.dag.arcs:
        assert not (tail in "XYZ" and head in "GK")


@pytest.mark.parametrize("method", [each for each in METHODS if not isinstance(each, tc.TAN)],
                         ids=lambda each: each.describe())  # fmt: skip
def test_no_method_gives_a_discrete_child_a_continuous_parent(method):
    found = tc.search(mixed(150), method=method, seed=1, bootstrap=2)
    assert np.isfinite(found.score)
    assert not any(tail in "XYZ" and head in "GK" for tail, head in found.dag.arcs)
    assert found.confidence.arc("X", "G") == found.confidence.arc("Y", "K") == 0.0


def test_columns_that_are_functions_of_each_other_are_never_joined():
    x = np.random.default_rng(1).normal(size=80)
    data = {"X": x, "Twice": 2 * x, "Y": x + np.random.default_rng(2).normal(size=80)}
    first = tc.HillClimb(restarts=2, ascent="first")
    swaps = tc.HillClimb(restarts=3, replace=True)
    for method in (tc.HillClimb(restarts=10), swaps, first, tc.Exact(), tc.Tabu(5, restarts=2)):
        found = tc.search(data, method=method, seed=1)
        assert np.isfinite(found.score)
        assert not {("X", "Twice"), ("Twice", "X")} & set(found.dag.arcs)
    begun = tc.search(data, start="X -> Twice; Y", method=tc.HillClimb(restarts=0))
    assert np.isfinite(begun.score)
    assert set(begun.dag.names) == {"X", "Twice", "Y"}
    assert ("X", "Twice") not in begun.dag.arcs


def same(one, other):
    assert type(other) is type(one)
    assert other.dag == one.dag
    assert other.network == one.network
    for name in ("score", "trace", "moves", "evaluations", "notes", "stop", "seed"):
        assert getattr(other, name) == getattr(one, name), name
    for name in ("families", "gains", "required", "missed", "guidance", "restarts", "hidden"):
        assert getattr(other.found, name) == getattr(one.found, name), name
    if one.confidence is None:
        assert other.confidence is None
    else:
        assert other.confidence.shares.tolist() == one.confidence.shares.tolist()
        assert other.confidence.allowed.tolist() == one.confidence.allowed.tolist()
        assert other.confidence.averaged() == one.confidence.averaged()
    assert str(other) == str(one)
    assert dict(other.settings) == dict(one.settings)


@pytest.fixture(scope="module")
def rich():
    return tc.search(
        CASES,
        knowledge="require asia -> dysp\nforbid bronc -> *\nP(lung=yes | smoke=yes) <= 0.5",
        method=tc.HillClimb(restarts=2, replace=True),
        bootstrap=3,
        seed=1,
    )


def test_a_search_is_saved_and_loaded_whole(rich, tmp_path):
    plain = tc.search(mixed(100), method=QUICK, seed=1)
    for name, found in (("rich", rich), ("plain", plain)):
        found.save(tmp_path / f"{name}.json.gz")
        again = tc.load_fit(tmp_path / f"{name}.json.gz")
        assert isinstance(again, tc.Search)
        same(found, again)


def test_a_search_is_copied_and_pickled_whole(rich):
    same(rich, pickle.loads(pickle.dumps(rich)))
    same(rich, copy.deepcopy(rich))
    same(rich, copy.copy(rich))


def test_a_fit_that_was_saved_as_one_is_none_of_a_search(tmp_path):
    fit = tc.fit("smoke -> lung", CASES)
    fit.save(tmp_path / "fit.json")
    assert "search" not in json.loads((tmp_path / "fit.json").read_text())
    again = tc.load_fit(tmp_path / "fit.json")
    assert type(again) is tc.Fit


def test_a_search_shows_its_arcs_in_a_notebook(rich):
    page = rich._repr_html_()
    assert "rules require asia -&gt; dysp" in page
    assert page.count("<tr") == 1 + len(rich.dag.arcs)


def test_limits_of_a_question_leave_rules_and_kinds_apart():
    question = ask(mixed(50), "forbid G -> X", None, None)
    names = question.names
    ruled, limits = question.ruled, question.limits
    assert isinstance(limits, Limits)
    assert not limits.allowed[names.index("X"), names.index("G")]
    assert ruled.allowed[names.index("X"), names.index("G")]
    assert not ruled.allowed[names.index("G"), names.index("X")]
