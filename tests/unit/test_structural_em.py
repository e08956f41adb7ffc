"""Structural EM: planted hidden variables, gaps at random, rules, starts, checkpoints."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from gappy import gappy, leaves_of, network
from naive import all_dags
from tacit.learn import diaries
from tacit.learn.fits import Stop
from tacit.learn.structure.settings import Tabu


def links(dag: tc.Dag) -> set[frozenset[str]]:
    return {frozenset(arc) for arc in dag.arcs}


# --- hidden variables ---------------------------------------------------------------------------


@pytest.mark.parametrize("score", [tc.BDeu(5), tc.BIC()])
def test_a_planted_hidden_variable_is_found_and_kept(score: object) -> None:
    """Naive Bayes with five children: without H they need many arcs, with it none."""
    data = gappy(leaves_of("H", "ABCDE"), 2000, 0.0, seed=2, hidden="H")
    found = tc.structural_em(data, hidden={"H": 2}, score=score, seed=1, restarts=2)
    assert links(found.dag) == {frozenset(("H", name)) for name in "ABCDE"}
    without = tc.search(data, score=score, method=tc.HillClimb(restarts=3), seed=1)
    assert found.score > without.score + 20
    given = tc.query(found.network, "P(A | H=1)").values
    other = tc.query(found.network, "P(A | H=2)").values
    shares = sorted([float(given[0]), float(other[0])])
    assert shares == pytest.approx([0.2, 0.85], abs=0.06)
    assert found.found.hidden == {"H": 2}


def test_a_hidden_variable_that_nothing_needs_loses_its_children_and_is_dropped() -> None:
    """[6.7]"""
    data = gappy(network("A -> B -> C -> D", {}, 1, 0.5), 1500, 0.0, seed=2)
    found = tc.structural_em(data, hidden={"H": 2}, seed=1, restarts=1, start="H -> A")
    assert "H" not in found.network
    assert found.found.hidden == {}
    assert any(note.startswith("H lost its last child and was dropped") for note in found.notes)
    alone = tc.fit(found.dag, data, prior=tc.BDeu(5)).log_marginal_likelihood
    assert found.score == pytest.approx(alone, abs=1e-6)


def test_states_of_hidden_variables_may_be_named_and_several_be_hidden() -> None:
    truth = network("G -> A; G -> B; G -> C; H -> D; H -> E; H -> F; G -> H", {}, 4, 0.3)
    data = gappy(truth, 600, 0.02, seed=2, hidden="G H")
    found = tc.structural_em(
        data, hidden={"H": ("mild", "severe"), "G": 3}, seed=1, restarts=2, max_rounds=8
    )
    for name in set(found.network) & {"H", "G"}:
        assert found.dag.children[name]
        assert len(found.network.variables[name].states) == {"H": 2, "G": 3}[name]
    direct = tc.cheeseman_stutz(found, data, tc.BDeu(5))
    assert direct == pytest.approx(found.score, abs=1e-2)


def test_states_of_hidden_variables_come_in_order_unless_something_names_them() -> None:
    data = gappy(leaves_of("H", "ABCDE"), 1000, 0.0, seed=2, hidden="H")
    options = {"hidden": {"H": 2}, "start": "H -> A; H -> B; H -> C; H -> D; H -> E"}
    for seed in range(4):
        found = tc.structural_em(data, restarts=1, seed=seed, **options)
        common, rare = tc.query(found.network, "H").values
        assert common > rare
        assert tc.log_likelihood(found.network, data) == pytest.approx(found.log_likelihood)
    turned = []
    for name, family in found.network.families.items():
        axis = [each.name for each in family.variables].index("H")
        turned.append(tc.Table(family.variables, np.flip(family.values, axis)))
        assert name in "ABCDEH"
    begun = tc.structural_em(data, hidden={"H": 2}, start=tc.Network.of(turned), restarts=1)
    assert tc.query(begun.network, "H").values == pytest.approx([rare, common], abs=0.02)
    rule = "P(A=a | H=1) <= P(A=a | H=2)"
    ruled = tc.structural_em(data, knowledge=rule, restarts=1, seed=1, **options)
    low, high = (tc.query(ruled.network, f"P(A=a | H={at})") for at in (1, 2))
    assert float(low) <= float(high) + 1e-9


def test_around_a_hidden_variable_a_round_leaves_the_rest_of_the_dag_as_it_is() -> None:
    data = gappy(leaves_of("H", "ABCDEF"), 800, 0.0, seed=2, hidden="H")
    start, once = "H -> A; H -> B; H -> C; D -> E; F", {"seed": 1, "restarts": 1, "max_rounds": 1}
    once["hidden"] = {"H": 2}
    found = tc.structural_em(data, start=start, **once, around="H")
    assert found.moves
    assert [found.dag.parents[name] for name in "DEF"] == [(), ("D",), ()]
    free = tc.structural_em(data, start=start, **once)
    assert [free.dag.parents[name] for name in "DEF"] != [(), ("D",), ()]


# --- gaps at random -----------------------------------------------------------------------------


def test_gaps_at_random_leave_dags_about_as_recognisable_as_they_were() -> None:
    """Links missed or made up, over several networks, beside a search on the whole cases."""
    method, off, least, links_in_all = tc.HillClimb(restarts=10), 0, 0, 0
    for seed in range(4):
        truth = network("A -> B; A -> C; B -> D; C -> D; D -> E -> F", {"D": 3}, seed, 0.4)
        data, whole = (gappy(truth, 2000, share, seed=3) for share in (0.15, 0.0))
        found = tc.structural_em(data, score=tc.BDeu(5), method=method, seed=1)
        complete = tc.search(whole, score=tc.BDeu(5), method=method, seed=1)
        off += len(links(truth.dag) ^ links(found.dag))
        least += len(links(truth.dag) ^ links(complete.dag))
        links_in_all += len(truth.dag.arcs)
        assert np.diff(found.trace).min() >= 0
        assert found.stop is Stop.CONVERGED
    assert off <= least + 2
    assert off <= links_in_all / 2


def test_the_dag_that_is_found_is_the_best_of_all_dags_of_three_variables() -> None:
    """Every dag fitted by EM and scored on its own."""
    truth = network("A -> B; B -> C", {"B": 3}, 2, 0.4)
    data = gappy(truth, 300, 0.2, seed=3)
    found = tc.structural_em(data, score=tc.BIC(), seed=1, restarts=3)
    scores = []
    for parents in all_dags("ABC"):
        fitted = tc.fit(tc.Dag(parents), data, estimate=tc.ML())
        price = np.log(300) / 2 * fitted.network.free_parameters
        scores.append(fitted.log_likelihood - price)
    assert found.score == pytest.approx(max(scores), abs=1e-3)


def test_with_nothing_missing_it_is_the_search() -> None:
    data = gappy(network("A -> B; A -> C; B -> D; C -> D", {}, 5, 0.5), 1000, 0.0, seed=3)
    for score in (tc.BDeu(5), tc.BIC(), tc.MDL(), tc.Prior.like(network("A; B; C; D", {}), 4)):
        method = tc.HillClimb(restarts=10)  # arcs that tie lead to different local maxima
        found = tc.structural_em(data, score=score, method=method, seed=1)
        plain = tc.search(data, score=score, method=method, seed=1)
        assert tc.equivalent(found.dag, plain.dag)
        assert found.score == pytest.approx(plain.score, abs=1e-6)
        assert found.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-6)


def test_weights_count_as_copies() -> None:
    data = gappy(network("A -> B -> C", {}, 5, 0.5), 200, 0.2, seed=3)
    times = np.arange(200) % 3
    copies = data.take(np.repeat(np.arange(200), times))
    one = tc.structural_em(data.with_weights(times.astype(float)), seed=1)
    other = tc.structural_em(copies, seed=1)
    assert tc.equivalent(one.dag, other.dag)
    assert one.score == pytest.approx(other.score, abs=1e-5)


# --- rules --------------------------------------------------------------------------------------


def test_rules_about_arcs_hold_whatever_the_cases_say() -> None:
    data = gappy(leaves_of("H", "ABCDE"), 500, 0.05, seed=2, hidden="H")
    knowledge = "forbid H -> A\nrequire A -> B\norder C < D\nat most 2 parents"
    found = tc.structural_em(data, hidden={"H": 2}, knowledge=knowledge, seed=1, restarts=2)
    assert "H" not in found.dag.parents["A"]
    assert "A" in found.dag.parents["B"]
    assert "D" not in found.dag.parents["C"]
    assert max(map(len, found.dag.parents.values())) <= 2
    assert found.found.required == {("A", "B"): "line 2: require A -> B"}


def test_rules_about_tables_hold_while_the_dag_changes() -> None:
    """The parents that they name are required, and the fit of every round obeys them."""
    data = gappy(leaves_of("H", "ABCDE"), 500, 0.05, seed=2, hidden="H")
    knowledge = "P(A=a | H=1) = 0.9\nP(A=a | H=2) <= 0.15"
    found = tc.structural_em(data, hidden={"H": 2}, knowledge=knowledge, seed=1, restarts=2)
    table = found.network["A"]
    assert found.dag.parents["A"] == ("H",)
    assert table.values[0, 0] == pytest.approx(0.9, abs=1e-9)
    assert table.values[1, 0] <= 0.15 + 1e-9
    assert [rule.text for rule in found.rules] == knowledge.split("\n")


def test_rules_about_a_hidden_variable_that_is_dropped_do_no_harm() -> None:
    data = gappy(network("A -> B -> C -> D", {}, 1, 0.5), 1500, 0.0, seed=2)
    asked = {"data": data, "hidden": {"H": 2}, "seed": 1, "restarts": 1, "start": "H -> A -> B"}
    found = tc.structural_em(**asked, knowledge="forbid H -> B; require A -> B")
    assert "H" not in found.network
    kept = tc.structural_em(**asked, knowledge="P(H=1) <= 0.4")
    assert "H" in kept.network  # what a rule about tables names stays
    assert kept.network["H"].values[0] <= 0.4 + 1e-9


# --- starts, seeds, threads, checkpoints ---------------------------------------------------------


def test_a_network_to_start_from_lends_its_numbers() -> None:
    truth = leaves_of("H", "ABCDE")
    data = gappy(truth, 500, 0.05, seed=2, hidden="H")
    near = tc.structural_em(data, start=truth, hidden="rest", restarts=1, max_rounds=1, seed=1)
    assert near.network.variables["H"].states == ("a", "b")
    assert near.network["A"].values[0, 0] == pytest.approx(0.85, abs=0.08)


def test_one_seed_gives_one_answer_for_any_number_of_threads() -> None:
    data = gappy(leaves_of("H", "ABCD"), 300, 0.1, seed=2, hidden="H")
    first, second = (
        tc.structural_em(data, hidden={"H": 2}, seed=5, threads=threads, restarts=2)
        for threads in (1, 2)
    )
    assert first.trace == second.trace
    assert first.network == second.network


def test_tabu_and_other_searches_of_a_round() -> None:
    data = gappy(leaves_of("H", "ABCD"), 300, 0.1, seed=2, hidden="H")
    for method in (Tabu(length=10, restarts=0), tc.HillClimb(restarts=2, perturb="bootstrap")):
        found = tc.structural_em(data, hidden={"H": 2}, seed=5, method=method, restarts=1)
        assert np.isfinite(found.score)
        assert found.settings["method"] == f"structural EM with {method.describe()}"


@pytest.mark.parametrize("reweight", ["adversary", "random"])
@pytest.mark.parametrize("score", [tc.BDeu(5), tc.BIC()])
def test_annealed_weights_end_at_the_cases_own(reweight: str, score: object) -> None:
    """The objective is that of the plain method, and rounds at own weights come last."""
    data = gappy(leaves_of("H", "ABCDE"), 400, 0.05, seed=2, hidden="H")
    asked = {"hidden": {"H": 2}, "score": score, "seed": 5, "restarts": 1}
    hot = tc.WeightAnnealing(tc.HillClimb(restarts=0), reweight, end=0.1, cooling=0.6)
    found = tc.structural_em(data, method=hot, **asked)
    plain = tc.structural_em(data, **asked)
    assert found.score == pytest.approx(plain.score, abs=15)
    assert found.score >= found.trace[0]
    assert any(f"in {hot.rounds} rounds" in note for note in found.notes)
    direct = tc.cheeseman_stutz(found, data, tc.BDeu(5))
    assert score == tc.BIC() or direct == pytest.approx(found.score, abs=1e-2)


def test_annealing_that_never_heats_is_the_plain_method() -> None:
    data = gappy(leaves_of("H", "ABCDE"), 400, 0.05, seed=2, hidden="H")
    asked = {"hidden": {"H": 2}, "seed": 5, "restarts": 2}
    cold = tc.WeightAnnealing(tc.HillClimb(restarts=0), start=0.0)
    found = tc.structural_em(data, method=cold, **asked)
    plain = tc.structural_em(data, **asked)
    assert found.trace == plain.trace
    assert found.network == plain.network


class Enough:
    """Hears of so many steps and then asks for the end."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __call__(self, done: int, total: int, score: float | None) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("anneal", [False, True])
def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, anneal: bool
) -> None:
    monkeypatch.setattr(diaries, "EVERY", 0.0)
    data = gappy(leaves_of("H", "ABCD"), 300, 0.1, seed=2, hidden="H")
    path, plain = tmp_path / "run.json", tc.HillClimb(restarts=0)
    method = tc.WeightAnnealing(plain, end=0.1, cooling=0.7) if anneal else plain

    def asked(**more: object) -> tc.Search:
        return tc.structural_em(data, hidden={"H": 2}, restarts=3, steps=2, method=method, **more)

    whole = asked(seed=4)
    for heard in (1, 3, 5):
        cut = asked(seed=4, checkpoint=path, progress=Enough(heard))
        assert cut.stop is Stop.INTERRUPTED
        assert cut.score <= whole.score
        again = asked(checkpoint=path, resume=True)
        assert again.trace == whole.trace
        assert again.network == whole.network
        assert again.notes == whole.notes
    assert json.loads(path.read_text())["format"] == "tacit-structural-em-checkpoint"


def test_what_is_found_prints_is_kept_and_is_reported() -> None:
    data = gappy(leaves_of("H", "ABCD"), 300, 0.1, seed=2, hidden="H")
    found = tc.structural_em(data, hidden={"H": 2}, seed=4, restarts=2)
    assert "structural EM with HillClimb(restarts=0) and score BDeu(5)" in str(found)
    copy = pickle.loads(pickle.dumps(found))
    assert copy.dag == found.dag
    assert copy.score == found.score
    told = []
    tc.structural_em(
        data, hidden={"H": 2}, seed=4, restarts=2, progress=lambda done, total: told.append(done)
    )
    assert told == sorted(told)
    assert told[-1] == 100


def test_lines_that_all_cases_lie_on_exactly_are_no_place_to_go_on_from():
    three = tc.Dataset(
        {name: tc.Continuous(name) for name in "XYZ"},
        {"X": np.array([1.0, 2, 5]), "Y": np.array([2.0, 5, 1]), "Z": np.array([3.0, 1, 2])},
    )
    found = tc.structural_em(three, hidden={"H": 2}, seed=1)
    assert np.isfinite(found.score)
    assert found.log_likelihood == pytest.approx(float(tc.log_likelihood(found.network, three)))
