"""Information bottleneck EM from the outside: what it keeps, says, writes down, how it stops."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gappy
import tacit as tc
from commands import run
from tacit.learn import diaries
from tacit.learn.bottleneck.path import BottleneckPath
from tacit.learn.fits import Stop

LEAVES = gappy.leaves_of("H", "ABCDE")
CASES = gappy.gappy(LEAVES, 200, 0.0, seed=1, hidden="H")
DEEP = tc.Dag.parse("R -> S; R -> T; S -> A; S -> B; S -> C; T -> D; T -> E")
QUICK = {"longest": 0.1, "max_steps": 30}


def learned(method=None, dag=LEAVES.dag, hidden=None, **options):
    method = tc.IBEM(**QUICK) if method is None else method
    return tc.fit(dag, CASES, hidden=hidden or {"H": 2}, method=method, seed=3, **options)


def assert_same(one, other):
    assert [each.trace for each in one.runs] == [each.trace for each in other.runs]
    assert one.notes == other.notes
    assert one.path == other.path
    for name in one.network:
        assert_array_equal(one.network[name].values, other.network[name].values)


def test_the_path_rises_to_gamma_one_and_says_what_happened():
    fit = learned()
    path = fit.path
    assert path.hidden == ("H",)
    assert not path.bound
    assert path.gamma[-1] == 1.0
    assert (np.diff(path.gamma) > 0).all()
    assert (np.diff(path.gamma) <= 0.1 + 1e-9).all()
    assert_allclose(path.gamma[0], 0.9 * path.threshold, rtol=1e-12)
    assert path.column("information").shape == (len(path), 1)
    assert path.steps[0].effective == (1,)
    assert path.steps[-1].effective == (2,)
    assert_array_equal(fit.trace[: len(path)], path.column("fit"))
    assert_allclose(fit.log_likelihood, tc.log_likelihood(fit.network, CASES), rtol=1e-10)
    assert fit.objective == fit.trace[-1]
    assert fit.settings["method"] == "IBEM(longest=0.1, max_steps=30)"
    assert f"the path went from gamma {path.gamma[0]:.3g} to 1 in {len(path)} steps" in str(fit)
    lines = str(path).splitlines()
    assert lines[1].split() == ["gamma", "log-likelihood", "information", "effective", "states"]
    assert len(lines) == len(path) + 2
    assert "<table" in path._repr_html_()


def test_a_path_that_stops_early_keeps_less_information():
    early = learned(tc.IBEM(until=0.5, **QUICK))
    whole = learned()
    assert early.path.gamma[-1] == 0.5
    assert early.objective < whole.objective
    assert early.path.steps[-1].information < whole.path.steps[-1].information
    assert early.stop is Stop.CONVERGED


def test_the_last_gamma_is_chosen_by_cases_held_out():
    """Few cases and many states: EM would fit noise."""
    few, rest = CASES.take(np.arange(60)), CASES.take(np.arange(60, 200))
    method = tc.IBEM(until="validation", held_out=0.3)
    fit, plain = (
        tc.fit(LEAVES.dag, few, hidden={"H": 6}, method=each, seed=2, estimate=tc.ML())
        for each in (method, tc.IBEM())
    )
    path = fit.path
    told = [each.held_out for each in path.tried]
    assert path.tried[int(np.argmax(told))].gamma == path.gamma[-1] < 1
    assert path.tried[-1].gamma == 1.0
    assert tc.log_likelihood(fit.network, rest) > tc.log_likelihood(plain.network, rest)
    assert f"cases held out were most likely at gamma {path.gamma[-1]:.3g}" in str(fit)


def test_naive_annealing_takes_even_steps():
    path = learned(tc.IBEM(direction="none", longest=0.05, first=0.2, max_steps=30)).path
    assert_allclose(np.diff(path.gamma), 0.05, atol=1e-12)
    assert path.gamma[0] == 0.2


def test_several_hidden_variables_follow_one_path_and_end_in_em():
    hidden = {"R": 2, "S": 2, "T": 2}
    fit = learned(dag=DEEP, hidden=hidden)
    path = fit.path
    assert path.hidden == ("R", "S", "T")
    assert path.bound
    assert "lower bounds" in str(fit)
    assert_allclose(fit.log_likelihood, tc.log_likelihood(fit.network, CASES), rtol=1e-10)
    assert path.steps[-1].log_likelihood <= fit.log_likelihood + 1e-9
    bound = learned(tc.IBEM(**QUICK, finish=False), dag=DEEP, hidden=hidden)
    assert bound.objective <= fit.objective + 1e-9
    em = learned(tc.EM(restarts=5), dag=DEEP, hidden=hidden)
    assert fit.objective > em.objective - 2


def test_hidden_variables_in_a_tree_may_be_taken_together():
    hidden = {"R": 2, "S": 2, "T": 2}
    fit = learned(tc.IBEM(inference="exact", longest=0.1, finish=False), dag=DEEP, hidden=hidden)
    assert not fit.path.bound
    assert_allclose(np.diff(fit.path.gamma)[:-1], 0.1, rtol=1e-9)
    assert_allclose(fit.path.steps[-1].log_likelihood, fit.log_likelihood, rtol=1e-10)
    assert_allclose(fit.path.steps[-1].fit, fit.objective, rtol=1e-10)
    assert (np.diff(fit.path.column("fit")) >= -1e-6 * abs(fit.objective)).all()
    assert "lower bounds" not in str(fit)
    best = learned(tc.EM(restarts=10), dag=DEEP, hidden=hidden)
    assert fit.objective > best.objective - 1
    with pytest.raises(tc.OptionError, match="inference='mean' must be one of mean-field, exact"):
        tc.IBEM(inference="mean")
    with pytest.raises(
        tc.OptionError, match="direction='diagonal' is one of shares that are apart"
    ):
        tc.IBEM(inference="exact", direction="diagonal")


def test_a_saved_fit_keeps_its_path(tmp_path):
    fit = learned(tc.IBEM(until="validation", **QUICK))
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.path == fit.path
    assert_same(again, fit)
    assert BottleneckPath.from_plain(fit.path.to_plain()) == fit.path
    plain = learned(tc.EM())
    plain.save(tmp_path / "em.json")
    assert tc.load_fit(tmp_path / "em.json").path is None


# --- stopping and going on ----------------------------------------------------------------------


class BreakError(Exception):
    """Somebody pulls the plug."""


@pytest.mark.parametrize("options", [
    {"restarts": 2, "longest": 0.2}, {"until": "validation", "longest": 0.2},
    {"until": 0.8, "longest": 0.05},  # not all the way: shorter steps, to be broken as often
], ids=str)  # fmt: skip
@pytest.mark.parametrize("deep", [False, True, "exact"])
def test_broken_anywhere_it_goes_on_to_the_same_bits(tmp_path, monkeypatch, options, deep):
    monkeypatch.setattr(diaries, "EVERY", 0.0)
    how = "exact" if deep == "exact" else "mean-field"
    method = tc.IBEM(**options, max_steps=12, inference=how)
    shape = {"dag": DEEP, "hidden": {"R": 2, "S": 2, "T": 2}} if deep else {}
    whole, breaks, path = learned(method, threads=1, **shape), 0, tmp_path / "run.ckpt"
    for every in range(25, 400):  # what is not settled is done anew: more must get through
        left = every

        def plug(done: int, total: int) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise BreakError

        try:
            fit = learned(method, threads=1, checkpoint=path, resume=True, progress=plug, **shape)
            break
        except BreakError:
            breaks += 1
    assert_same(fit, whole)
    assert breaks > 3


@pytest.mark.parametrize("at", [0.05, 0.6, 0.99])
@pytest.mark.parametrize("until", [1.0, "validation"])
def test_ctrl_c_returns_the_best_so_far(at, until):
    """At the beginning, on the way, and in EM's own steps."""
    sent = False

    def interrupt(done: int, total: int) -> None:
        nonlocal sent
        if done >= at * total and not sent:
            sent = True
            os.kill(os.getpid(), signal.SIGINT)

    fit = learned(tc.IBEM(until=until, **QUICK), progress=interrupt, threads=1)
    assert sent
    if fit.stop is Stop.INTERRUPTED:
        assert "interrupted" in str(fit)
    else:
        assert at == 0.99
    assert fit.objective == fit.trace[-1]
    assert_allclose(fit.log_likelihood, tc.log_likelihood(fit.network, CASES), rtol=1e-10)


def test_a_second_path_is_not_begun_after_ctrl_c():
    sent = False

    def interrupt(done: int, total: int) -> None:
        nonlocal sent
        if done >= total // 4 and not sent:
            sent = True
            os.kill(os.getpid(), signal.SIGINT)

    fit = learned(tc.IBEM(restarts=2, longest=0.01), progress=interrupt, threads=1)
    assert fit.stop is Stop.INTERRUPTED
    assert len(fit.runs) == 1


@pytest.mark.parametrize("until", [1.0, "validation"])
def test_progress_rises_with_gamma_to_the_end(until):
    heard: list[tuple[int, int]] = []
    learned(tc.IBEM(until=until, restarts=2, **QUICK), threads=1,
            progress=lambda done, total: heard.append((done, total)))  # fmt: skip
    total = 3000 if until == "validation" else 2000
    assert {each for _, each in heard} == {total}
    assert heard[-1][0] == total
    done = [each for each, _ in heard]
    assert sorted(done) == done
    assert len(set(done)) > 20


# --- the command line and reports --------------------------------------------------------------


def test_the_command_is_the_method_of_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tc.write_cases(CASES, "cases.csv")
    run(
        capsys, "fit", "cases.csv", "--network", "H -> A, B, C, D, E", "--hidden", "H=2",
        "--method", "ibem", "--max-steps", "30", "--seed", "3", "-o", "o.json",
        "--save-fit", "f.json",
    )  # fmt: skip
    expected = tc.fit("H -> A, B, C, D, E", "cases.csv", hidden={"H": 2}, seed=3,
                      method=tc.IBEM(max_steps=30))  # fmt: skip
    kept = tc.load_fit("f.json")
    assert kept.trace == expected.trace
    assert kept.path == expected.path
    assert kept.network == expected.network


def test_a_report_says_how_to_do_it_again():
    text = str(tc.report(learned(tc.IBEM(max_steps=30))))
    assert "method=tc.IBEM(max_steps=30)" in text
    assert "--method ibem --max-steps 30" in text
    assert "by information bottleneck EM" in " ".join(text.split())
    said = str(tc.report(learned(tc.IBEM(until="validation", direction="exact", finish=False))))
    for word in ("until=validation", "direction=exact", "finish=False"):
        assert f"--set {word}" in said


def test_methods_are_described_as_python_writes_them():
    for method in (tc.IBEM(), tc.IBEM(until="validation", first=0.1, finish=False, step=0.02)):
        assert eval(method.describe(), {"IBEM": tc.IBEM}) == method
