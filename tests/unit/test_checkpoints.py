"""A fit that is killed at any moment goes on as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import questions
import tacit as tc
from tacit.core.errors import FormatError, OptionError
from tacit.learn import checkpoints
from tacit.learn.diaries import Diary
from tacit.learn.fits import Stop

TRUTH = questions.random_network(41, size=6)
CASES = tc.sample(TRUTH, 150, seed=1, missing=tc.AtRandom(0.2))
DAG = tc.Dag({**TRUTH.dag.parents, "H": (), "V5": (*TRUTH.dag.parents["V5"], "H")})
METHOD = tc.EM(restarts=3, tolerance=0.0)

SCRIPT = """
import sys, time
import tacit as tc
from tacit.learn import diaries
sys.path.insert(0, {tests!r})
from test_checkpoints import DAG, CASES, METHOD
diaries.EVERY = 0.0
tc.fit(DAG, CASES, hidden={{"H": 2}}, method=tc.EM(restarts=1, max_steps=1), seed=1)  # compiled
print("begun", flush=True)
def slowly(done, total):
    time.sleep({pause})
fit = tc.fit(DAG, CASES, hidden={{"H": 2}}, method=METHOD, seed=5, threads={threads},
             progress=slowly, checkpoint={path!r}, resume=True)
print(fit.stop.name, flush=True)
fit.save({saved!r})
"""


def start(tmp_path: Path, pause: float, threads: int = 1) -> subprocess.Popen[str]:
    """The fit in a process of its own, a little slower, so that it can be killed."""
    here = Path(__file__).resolve().parent
    script = SCRIPT.format(
        tests=str(here), path=str(tmp_path / "run.ckpt"), saved=str(tmp_path / "fit.json"),
        pause=pause, threads=threads,
    )  # fmt: skip
    paths = [str(here.parent), str(Path(tc.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment
    )


def whole() -> tc.Fit:
    return tc.fit(DAG, CASES, hidden={"H": 2}, method=METHOD, seed=5, threads=1)


def assert_same(one: tc.Fit, other: tc.Fit) -> None:
    assert one.trace == other.trace
    assert one.objective == other.objective
    assert [run.trace for run in one.runs] == [run.trace for run in other.runs]
    for name in one.network:
        assert_array_equal(one.network[name].values, other.network[name].values)


@pytest.mark.parametrize(
    ("threads", "kills"), [(2, 2), pytest.param(1, 25, marks=pytest.mark.full)]
)
def test_killed_at_random_moments_it_ends_in_the_same_bits(tmp_path: Path, threads, kills):
    random = np.random.default_rng(threads)
    for _ in range(kills):
        process = start(tmp_path, 0.01, threads)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(float(random.random()))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if (tmp_path / "run.ckpt").exists():
            json.loads((tmp_path / "run.ckpt").read_text())
    process = start(tmp_path, 0.0, threads)
    out, _ = process.communicate(timeout=120)
    assert out.splitlines()[-1] == "CONVERGED"
    assert_same(tc.load_fit(tmp_path / "fit.json"), whole())


def test_an_interrupt_signal_leaves_a_usable_fit_and_a_checkpoint_to_go_on_from(tmp_path: Path):
    process = start(tmp_path, 0.01)
    assert process.stdout is not None
    while (
        not (tmp_path / "run.ckpt").exists() or '"trace"' not in (tmp_path / "run.ckpt").read_text()
    ):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert out.splitlines()[-1] == "INTERRUPTED"
    assert process.returncode == 0
    partial = tc.load_fit(tmp_path / "fit.json")
    assert partial.stop is Stop.INTERRUPTED
    assert np.isfinite(partial.objective)
    fit = tc.fit(
        DAG, CASES, hidden={"H": 2}, method=METHOD, seed=5, checkpoint=tmp_path / "run.ckpt",
        resume=True,
    )  # fmt: skip
    assert_same(fit, whole())


def test_interrupted_at_every_step_it_ends_in_the_same_bits(tmp_path: Path):
    method = tc.EM(restarts=2, max_steps=12, tolerance=0.0)
    path = tmp_path / "run.ckpt.gz"

    def one_more(done: int, total: int) -> None:
        calls.append(done)
        if len(calls) == 3:
            raise KeyboardInterrupt

    for attempt in range(40):
        calls: list[int] = []
        fit = tc.fit(
            DAG, CASES, hidden={"H": 2}, method=method, seed=3, threads=1, progress=one_more,
            checkpoint=path, resume=attempt > 0,
        )  # fmt: skip
        if fit.stop is not Stop.INTERRUPTED:
            break
    assert attempt > 3
    assert_same(fit, tc.fit(DAG, CASES, hidden={"H": 2}, method=method, seed=3))


def test_a_finished_checkpoint_gives_the_fit_at_once(tmp_path: Path):
    path = tmp_path / "run.ckpt"
    fit = tc.fit(TRUTH, CASES, seed=1, checkpoint=path)
    steps: list[int] = []
    again = tc.fit(
        TRUTH, CASES, seed=1, checkpoint=path, resume=True,
        progress=lambda done, total: steps.append(done),
    )  # fmt: skip
    assert_same(fit, again)
    assert again.stop is fit.stop
    assert not steps


def test_without_a_seed_the_one_of_the_checkpoint_is_taken_up(tmp_path: Path):
    path = tmp_path / "run.ckpt"
    method = tc.EM(restarts=2, max_steps=5)
    first = tc.fit(DAG, CASES, hidden={"H": 2}, method=method, checkpoint=path)
    again = tc.fit(DAG, CASES, hidden={"H": 2}, method=method, checkpoint=path, resume=True)
    assert again.seed == first.seed
    assert_same(first, again)
    fresh = tc.fit(DAG, CASES, hidden={"H": 2}, method=method, checkpoint=path)
    assert fresh.seed != first.seed
    none = tc.fit(
        DAG, CASES, hidden={"H": 2}, method=method, checkpoint=tmp_path / "new.ckpt", resume=True
    )
    assert none.stop is Stop.STEP_LIMIT


def test_a_checkpoint_is_of_one_fit_only(tmp_path: Path):
    path = tmp_path / "run.ckpt"
    tc.fit(TRUTH, CASES, seed=1, prior=tc.Dirichlet({"V0": 1.0}), checkpoint=path)
    others = {
        "cases": {"data": CASES.take(np.arange(100))},
        "seed": {"seed": 2},
        "estimate": {"estimate": tc.ML()},
        "method": {"method": tc.EM(accelerate=False)},
        "numbers of prior and start": {"prior": tc.Dirichlet({"V0": 2.0})},
        "start": {"start": "given"},
    }
    for differs, change in others.items():
        asked = {"data": CASES, "seed": 1, "prior": tc.Dirichlet({"V0": 1.0}), **change}
        with pytest.raises(OptionError, match="belongs to another fit") as caught:
            tc.fit(TRUTH, asked.pop("data"), checkpoint=path, resume=True, **asked)
        assert differs in str(caught.value).splitlines()[0].partition("differ: ")[2].split(", ")


def test_any_damage_to_a_checkpoint_is_an_error(tmp_path: Path):
    path = tmp_path / "run.ckpt"
    tc.fit(TRUTH, CASES, seed=1, method=tc.EM(max_steps=3), checkpoint=path)
    text = path.read_text()
    plain = json.loads(text)

    def damaged(change) -> str:
        copy = json.loads(text)
        change(copy)
        return json.dumps(copy)

    run = next(iter(plain["runs"]))
    for wrong in (
        "", "[]", "{}", text[: len(text) // 2], "[" * 100_000, "null",
        damaged(lambda c: c.update(version=99)),
        damaged(lambda c: c.update(runs=[])),
        damaged(lambda c: c.update(task=3)),
        damaged(lambda c: c["runs"][run].update(theta=[0.5])),
        damaged(lambda c: c["runs"][run].update(theta="x")),
        damaged(lambda c: c["runs"][run].update(stop="NEVER")),
        damaged(lambda c: c["runs"][run].update(trace=[])),
        damaged(lambda c: c["runs"][run].pop("before")),
        damaged(lambda c: c["runs"][run]["theta"].__setitem__(0, float("nan"))),
    ):  # fmt: skip
        path.write_text(wrong)
        with pytest.raises(FormatError, match=r"run\.ckpt: "):
            tc.fit(TRUTH, CASES, seed=1, method=tc.EM(max_steps=3), checkpoint=path, resume=True)


def test_a_file_that_cannot_be_written_is_told_before_the_work(tmp_path: Path):
    steps: list[int] = []
    with pytest.raises((OSError, FormatError)):
        tc.fit(
            TRUTH, CASES, checkpoint=tmp_path / "no" / "folder" / "run.ckpt",
            progress=lambda done, total: steps.append(done),
        )  # fmt: skip
    assert not steps


def test_only_em_keeps_checkpoints_and_resume_needs_one(tmp_path: Path):
    with pytest.raises(OptionError, match="keeps a running"):
        tc.fit(TRUTH, CASES, method=tc.Gradient(), checkpoint=tmp_path / "run.ckpt")
    with pytest.raises(OptionError, match="resume=True needs checkpoint="):
        tc.fit(TRUTH, CASES, resume=True)


def test_the_file_is_written_every_few_seconds_only(tmp_path: Path):
    kept = checkpoints.Checkpoint(Diary(tmp_path / "run.ckpt", checkpoints.FORM, {}))
    run = checkpoints.Kept(np.ones(2), None, (0.0,), None)
    kept.keep(0, run)
    assert not (tmp_path / "run.ckpt").exists()
    kept.keep(0, run, now=True)
    assert json.loads((tmp_path / "run.ckpt").read_text())["runs"]["0"]["trace"] == [0.0]
