"""Annealing from the outside: what it says, keeps, writes down and how it is stopped."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import questions
import tacit as tc
from commands import run
from tacit.core.errors import OptionError
from tacit.engines.table_scores import Columns, TableScorer
from tacit.estimate.scores.tables import table_score
from tacit.knowledge.limits import Limits
from tacit.learn import diaries
from tacit.learn.annealing import dags
from tacit.learn.annealing.dags import Cases, annealed_search, simulated_search
from tacit.learn.annealing.driver import Round
from tacit.learn.annealing.notes import annealing_notes
from tacit.learn.fits import Stop

TRUTH = questions.random_network(41, size=6)
GAPS = tc.sample(TRUTH, 120, seed=1, missing=tc.AtRandom(0.15))
DAG = tc.Dag({**TRUTH.dag.parents, "H": (), "V5": (*TRUTH.dag.parents["V5"], "H")})
HOW = {"start": 0.5, "end": 0.05, "cooling": 0.8}
REWEIGHTS = ("adversary", "random")


def latent(method, **options):
    return tc.fit(DAG, GAPS, hidden={"H": 2}, method=method, seed=3, **options)


def assert_same(one: tc.Fit, other: tc.Fit) -> None:
    assert [each.trace for each in one.runs] == [each.trace for each in other.runs]
    assert one.notes == other.notes
    for name in one.network:
        assert_array_equal(one.network[name].values, other.network[name].values)


class BreakError(Exception):
    """Somebody pulls the plug."""


@pytest.mark.parametrize("reweight", REWEIGHTS)
@pytest.mark.parametrize("restarts", [1, 2])
def test_broken_anywhere_it_goes_on_to_the_same_bits(tmp_path, monkeypatch, reweight, restarts):
    monkeypatch.setattr(diaries, "EVERY", 0.0)
    method = tc.WeightAnnealing(tc.EM(restarts=restarts, max_steps=40), reweight, **HOW)
    whole, steps = latent(method, threads=1), 0
    for first in (4, 17):
        path = tmp_path / f"{first}.ckpt"
        for every in range(first, 200):  # EM's own steps are done anew: more must get through
            left = every

            def plug(done: int, total: int) -> None:
                nonlocal left
                left -= 1
                if left < 0:
                    raise BreakError

            try:
                fit = latent(method, threads=1, checkpoint=path, resume=True, progress=plug)
                break
            except BreakError:
                steps += 1
        assert_same(fit, whole)
    assert steps > 20


@pytest.mark.parametrize("reweight", REWEIGHTS)
@pytest.mark.parametrize("at", [2, 15])
def test_ctrl_c_returns_the_best_so_far(reweight, at):
    """In a round, and in the last climb. A round adds up cases in another order than EM does, so
    that its objective at the same parameters may be off by rounding."""

    def interrupt(done: int, total: int) -> None:
        if done == at:
            os.kill(os.getpid(), signal.SIGINT)

    fit = latent(tc.WeightAnnealing(tc.EM(restarts=2), reweight, **HOW), progress=interrupt,
                 threads=1)  # fmt: skip
    assert fit.stop is Stop.INTERRUPTED
    assert len(fit.runs) == 1
    assert fit.objective == fit.trace[-1] >= max(fit.trace) - 1e-12 * abs(fit.objective)
    assert "interrupted" in str(fit)


def test_progress_counts_rounds_and_steps_to_the_end():
    heard: list[tuple[int, int]] = []
    method = tc.WeightAnnealing(tc.EM(restarts=2, max_steps=30), **HOW)
    latent(method, progress=lambda done, total: heard.append((done, total)), threads=1)
    total = 2 * (method.rounds + 30)
    assert {each for _, each in heard} == {total}
    assert heard[-1][0] == total
    assert sorted(done for done, _ in heard) == [done for done, _ in heard]


@pytest.mark.parametrize("reweight", REWEIGHTS)
def test_the_trace_holds_the_rounds_and_then_the_steps_of_em(reweight):
    method = tc.WeightAnnealing(tc.EM(restarts=1), reweight, **HOW)
    fit = latent(method)
    plain = latent(tc.EM(restarts=1))
    assert fit.trace[0] == pytest.approx(plain.trace[0], rel=1e-12)
    steps = np.diff(fit.trace[method.rounds :])
    assert (steps >= -1e-9 * abs(fit.objective)).all()
    assert len(steps) >= 2
    assert fit.settings["method"] == method.describe()


def test_notes_say_what_happened_to_the_weights():
    method = tc.WeightAnnealing(tc.EM(), start=0.4, end=0.1, cooling=0.5, exact=True)
    rounds = [Round(0.2, 0.31, -5.0, settled=False), Round(0.2, 0.5, -4.0)]
    assert annealing_notes(method, rounds) == (
        "case weights were set against the learner in 2 rounds, at temperatures from 0.2 to 0.2; "
        "at least 0.31 of the cases were effective",
        "the temperature was lowered in 1 round, so that at least 0.05 of the cases stayed "
        "effective",
        "the weights of 1 round did not settle to a fixed point",
    )
    assert annealing_notes(method, ()) == (
        "no temperature lies between start and end, so no weight was perturbed",
    )
    noted = latent(tc.WeightAnnealing(tc.EM(restarts=1), "random", **HOW)).notes
    assert any(
        note.startswith("case weights were drawn at random in 11 rounds, at temperatures from 0.5 ")
        for note in noted
    )


def test_methods_are_described_as_python_writes_them():
    for method in (
        tc.WeightAnnealing(tc.EM(restarts=2), "random", start=0.5, return_best=True),
        tc.WeightAnnealing(tc.Tabu(25, restarts=0)),
        tc.SimulatedAnnealing(steps=10, accepted=None),
    ):
        names = {name: getattr(tc, name) for name in tc.__all__ if name[0].isupper()}
        assert eval(method.describe(), names) == method


@pytest.mark.parametrize("method", ["WeightAnnealing(EM(restarts=2))", "WeightAnnealing(EM())"])
def test_a_report_says_how_to_do_it_again(method):
    fit = latent(eval(method, {"WeightAnnealing": tc.WeightAnnealing, "EM": tc.EM}))
    text = str(tc.report(fit))
    assert f"method=tc.{method.replace('EM', 'tc.EM')}" in text
    words = "--method weight-annealing" + (" --restarts 2" if "2" in method else "")
    assert words in text
    random = latent(tc.WeightAnnealing(tc.EM(restarts=1), "random"))
    assert "--method weight-annealing --restarts 1 --set reweight=random" in str(tc.report(random))


def test_the_command_is_the_method_of_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tc.write_cases(GAPS, "gaps.csv")
    tc.write(TRUTH, "truth.bif")
    run(
        capsys, "fit", "gaps.csv", "--network", "truth.bif", "--method", "weight-annealing",
        "--max-steps", "30", "--seed", "3", "-o", "o.json", "--save-fit", "f.json",
    )  # fmt: skip
    method = tc.WeightAnnealing(tc.EM(max_steps=30))
    expected = tc.fit("truth.bif", "gaps.csv", method=method, seed=3)
    kept = tc.load_fit("f.json")
    assert kept.trace == expected.trace
    assert kept.notes == expected.notes
    assert kept.network == expected.network


# --- searches -------------------------------------------------------------------------------

WHOLE = tc.sample(tc.textbook("asia"), 300, seed=2)


def question() -> Cases:
    scorer = TableScorer.of(Columns.of(WHOLE, WHOLE.names), table_score(tc.BDeu(5)))
    return Cases(scorer, np.ones(len(WHOLE)), Limits.none(WHOLE.names))


START = ((),) * 8
TABU = tc.WeightAnnealing(tc.Tabu(10, restarts=0), **HOW)
HEAT = tc.SimulatedAnnealing(start=20, end=1, cooling=0.8, steps=60)


class Counting:
    """A scorer that counts what it is asked."""

    def __init__(self, scorer, tally):
        self.scorer, self.tally, self.names = scorer, tally, scorer.names

    def family(self, child, parents):
        self.tally[0] += 1
        return self.scorer.family(child, parents)

    def adding(self, child, parents, candidates):
        self.tally[0] += len(candidates)
        return self.scorer.adding(child, parents, candidates)

    def weighted(self, weights):
        return Counting(self.scorer.weighted(weights), self.tally)


def quiet(done, total, objective=None):
    del done, total, objective


def test_families_scored_at_all_weights_are_counted_together():
    """So that methods can be compared at equal numbers. [HV1-19]"""
    tally, cases = [0], question()
    told = Cases(Counting(cases.scorer, tally), cases.weights, cases.limits)
    drawn = tc.WeightAnnealing(tc.Tabu(10, restarts=0), "random", **HOW)
    found = annealed_search(drawn, told, START, 1, quiet)
    assert found.evaluations == tally[0]
    cold = tc.WeightAnnealing(tc.Tabu(10, restarts=0), start=0.0)
    assert found.evaluations > 5 * annealed_search(cold, cases, START, 1, quiet).evaluations
    tally[0] = 0
    assert simulated_search(HEAT, told, START, 1, quiet).evaluations == tally[0]
    with pytest.raises(OptionError) as caught:
        annealed_search(TABU, told, START, 1, quiet)
    assert str(caught.value) == (
        "weights cannot be set against Counting, whose slope is not known"
        '\n\nuse tc.WeightAnnealing(..., reweight="random")'
    )


@pytest.mark.parametrize("search", [
    lambda told, asked: annealed_search(TABU, question(), START, 1, told, asked),
    lambda told, asked: simulated_search(HEAT, question(), START, 1, told, asked),
])  # fmt: skip
@pytest.mark.parametrize("after", [0, 3, 12])
def test_a_search_ends_when_it_is_asked_to(search, after):
    heard: list[tuple[int, int, float]] = []
    found = search(lambda *said: heard.append(said), lambda: len(heard) > after)
    assert found.stop is Stop.INTERRUPTED
    total = sum(question().scorer.family(child, who) for child, who in enumerate(found.parents))
    assert found.score == pytest.approx(total)
    assert found.score >= found.trace[0]


def test_simulated_annealing_hears_the_end_between_two_steps():
    tried = [0]

    def asked():
        tried[0] += 1
        return tried[0] > 50

    endless = tc.SimulatedAnnealing(steps=10**9, accepted=None)
    found = simulated_search(endless, question(), START, 1, quiet, asked)
    assert found.stop is Stop.INTERRUPTED
    assert tried[0] == 51


def test_the_changes_of_simulated_annealing_lead_from_the_start_to_the_dag():
    found = simulated_search(HEAT, question(), START, 4, quiet)
    here = [set(who) for who in START]
    for change, _ in found.changes:
        if change.verb in ("delete", "reverse"):
            here[change.head].remove(change.tail)
        if change.verb == "add":
            here[change.head].add(change.tail)
        if change.verb == "reverse":
            here[change.tail].add(change.head)
    assert tuple(tuple(sorted(who)) for who in here) == found.parents
    gained = sum(change.gain for change, _ in found.changes)
    assert found.score == pytest.approx(found.trace[0] + gained)


def test_cases_that_weigh_more_than_one_are_drawn_as_often_as_they_weigh():
    weights = np.array([3.0, 1.0])
    data = tc.Dataset({"A": tc.Discrete("A", ("n", "y"))}, {"A": np.array([0, 1])}, weights)
    score = table_score(tc.BIC())
    assert score is not None
    scorer = TableScorer.of(Columns.of(data, ["A"]), score)
    drawn = dags._resampled(dags.Cases(scorer, weights, Limits.none(["A"])), weights)
    rng = np.random.default_rng(1)
    seen = [drawn(rng).scorer.columns.weights for _ in range(60)]
    assert {float(each.sum()) for each in seen} == {4.0}
    assert {float(each[1]) for each in seen} >= {0.0, 1.0, 2.0}  # four draws, not two of double
