"""`tacit fit` with missing cells, hidden variables, checkpoints and interruption."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import tacit as tc
from commands import run, run_json
from tacit.learn import em

Capture = pytest.CaptureFixture[str]
LATENT = "Mood -> smoke, bronc, dysp, xray"


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    network = tc.textbook("asia")
    tc.write(network, "asia.bif")
    tc.write_cases(tc.sample(network, 200, seed=1, missing=tc.AtRandom(0.2)), "gaps.csv")
    return tmp_path


def saved(capsys: Capture, *words: str) -> tc.Fit:
    """The fit that the command keeps."""
    run(capsys, "fit", "gaps.csv", *words, "-o", "o.json", "--save-fit", "f.json")
    fit = tc.load_fit("f.json")
    assert tc.read("o.json") == fit.network
    return fit


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], {}),
        (["--method", "em", "--tolerance", "1e-4"], {"method": tc.EM(tolerance=1e-4)}),
        (["--restarts", "3"], {"method": tc.EM(restarts=3)}),
        (["--max-steps", "4"], {"method": tc.EM(max_steps=4)}),
        (["--method", "gradient"], {"method": tc.Gradient()}),
        (["--method", "fill-in"], {"method": tc.FillIn()}),
        (["--method", "available"], {"method": tc.AvailableCases()}),
        (["--start", "given"], {"start": "given"}),
    ],
)
def test_words_of_fit_are_methods_of_the_library(
    clinic: Path, capsys: Capture, words: list[str], options: dict[str, Any]
) -> None:
    fit = saved(capsys, "--network", "asia.bif", "--seed", "3", *words)
    expected = tc.fit("asia.bif", "gaps.csv", seed=3, **options)
    assert fit.network == expected.network
    assert fit.settings["method"] == expected.settings["method"]
    assert fit.cases.missing == expected.cases.missing
    assert fit.cases.gaps == expected.cases.gaps


@pytest.mark.parametrize(
    ("word", "hidden"),
    [
        ("Mood=3", {"Mood": 3}),
        ("Mood={low, high}", {"Mood": ["low", "high"]}),
        ('"Mood"=2', {"Mood": 2}),
    ],
)
def test_hidden_variables_are_named_with_their_states(
    clinic: Path, capsys: Capture, word: str, hidden: dict[str, Any]
) -> None:
    words = ["--network", LATENT, "--hidden", word, "--restarts", "2", "--seed", "1"]
    fit = saved(capsys, *words)
    expected = tc.fit(LATENT, "gaps.csv", hidden=hidden, method=tc.EM(restarts=2), seed=1)
    assert fit.network == expected.network
    assert len(fit.runs) == 2


def test_the_states_of_hidden_variables_may_come_from_the_network(
    clinic: Path, capsys: Capture
) -> None:
    data = tc.read_cases("gaps.csv")
    tc.write_cases(data.select([n for n in data.names if n != "either"]), "gaps.csv")
    one = saved(capsys, "--network", "asia.bif", "--hidden", "either", "--seed", "1")
    rest = saved(capsys, "--network", "asia.bif", "--hidden", "rest", "--seed", "1")
    assert one.network == rest.network
    assert one.settings["hidden"] == {"either": ["yes", "no"]}


def test_json_tells_of_every_start(clinic: Path, capsys: Capture) -> None:
    words = ["fit", "gaps.csv", "--network", LATENT, "--hidden", "Mood=2", "--seed", "1"]
    found = run_json(capsys, *words, "-o", "o.json")
    fit = tc.fit(LATENT, "gaps.csv", hidden={"Mood": 2}, seed=1)
    assert found["hidden"] == {"Mood": ["1", "2"]}
    assert found["converged"] is True
    assert [each["objective"] for each in found["runs"]] == [each.objective for each in fit.runs]
    assert [each["steps"] for each in found["runs"]] == [len(each.trace) - 1 for each in fit.runs]
    data = tc.read_cases("gaps.csv")
    columns = [data[name] >= 0 for name in ("smoke", "bronc", "dysp", "xray")]
    assert found["complete_cases"] == sum(all(case) for case in zip(*columns, strict=True))


def test_strict_tells_by_the_status_that_it_did_not_converge(clinic: Path, capsys: Capture) -> None:
    words = ["fit", "gaps.csv", "--network", "asia.bif", "--max-steps", "2", "-o", "o.bif"]
    assert run_json(capsys, *words)["converged"] is False
    told = run(capsys, *words, "--strict", status=1)
    assert "stopped: the step limit came before convergence" in told
    assert "network written to o.bif" in told
    run(capsys, *words[:-4], "-o", "o.bif", "--strict")


def test_a_checkpoint_is_gone_on_from_and_never_lost(clinic: Path, capsys: Capture) -> None:
    words = ["--network", "asia.bif", "--restarts", "3", "--checkpoint", "run.ckpt", "--seed", "1"]
    whole = saved(capsys, *words)
    kept = json.loads(Path("run.ckpt").read_text())
    for number in ("1", "2"):  # as if it had been killed on the way
        del kept["runs"][number]
    Path("run.ckpt").write_text(json.dumps(kept))
    again = saved(capsys, *words, "--resume")
    assert again.network == whole.network
    assert [each.trace for each in again.runs] == [each.trace for each in whole.runs]
    assert not any("checkpoint" in note for note in again.notes)


def test_resuming_without_a_file_starts_afresh_and_says_so(clinic: Path, capsys: Capture) -> None:
    words = ["--network", "asia.bif", "--checkpoint", "run.ckpt", "--resume", "--seed", "1"]
    fit = saved(capsys, *words)
    assert fit.notes[-1] == "there was no checkpoint to go on from: a fresh start"
    assert Path("run.ckpt").is_file()


def test_an_interrupted_fit_writes_the_best_so_far(
    clinic: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []

    def interrupted(problem: Any, here: Any) -> Any:
        steps.append(here.objective)
        if len(steps) == 6:
            raise KeyboardInterrupt
        return em.plain_step(problem, here)

    monkeypatch.setattr(em, "squarem_step", interrupted)
    words = ["fit", "gaps.csv", "--network", "asia.bif", "-o", "o.bif", "--save-fit", "f.json"]
    told = run(capsys, *words, "--restarts", "4", "--threads", "1", "--strict", status=1)
    assert "stopped: interrupted; this is the best so far" in told
    fit = tc.load_fit("f.json")
    assert fit.stop.name == "INTERRUPTED"
    assert fit.objective == fit.trace[-1] == steps[-1]
    assert tc.read("o.bif") == fit.network
    assert len(fit.runs) == 1


def test_ctrl_c_on_a_terminal_takes_the_bar_away_and_keeps_the_work(clinic: Path) -> None:
    tc.write_cases(
        tc.sample(tc.textbook("alarm"), 500, seed=1, missing=tc.AtRandom(0.3)), "alarm.csv"
    )
    tc.write(tc.textbook("alarm"), "alarm.bif")
    command = [sys.executable, "-m", "tacit", "fit", "alarm.csv", "--network", "alarm.bif"]
    command += ["-o", "o.bif", "--restarts", "1000000", "--checkpoint", "run.ckpt"]
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stdout=slave, stderr=slave, env=environment) as running:
        os.close(slave)
        shown, sent, end = b"", False, time.monotonic() + 240  # compilation included
        while time.monotonic() < end:
            if select.select([master], [], [], 0.1)[0]:
                try:
                    shown += os.read(master, 65536)
                except OSError:  # the terminal is gone: the command has ended
                    break
            if b"objective -" in shown and not sent:
                running.send_signal(signal.SIGINT)
                sent = True
        if time.monotonic() >= end:
            running.kill()
        status = running.wait()
    os.close(master)
    assert sent, shown
    assert status == 0
    assert b"stopped: interrupted; this is the best so far" in shown
    assert tc.read("o.bif").dag == tc.textbook("alarm").dag
    assert json.loads(Path("run.ckpt").read_text())["runs"]


def test_progress_counts_the_steps_of_all_starts_and_tells_the_best_objective(
    clinic: Path,
) -> None:
    heard: list[tuple[int, int, float]] = []
    method = tc.EM(restarts=3, max_steps=50)
    fit = tc.fit(
        "asia.bif", "gaps.csv", method=method, progress=lambda *told: heard.append(told), seed=1
    )
    assert [done for done, _, _ in heard] == sorted(done for done, _, _ in heard)
    assert {total for _, total, _ in heard} == {150}
    assert heard[-1] == (150, 150, fit.objective)
    objectives = [objective for _, _, objective in heard]
    assert objectives == sorted(objectives)


def test_a_callback_of_two_arguments_hears_no_objective(clinic: Path) -> None:
    heard: list[tuple[int, int]] = []

    def told(done: int, total: int) -> None:
        heard.append((done, total))

    tc.fit("asia.bif", "gaps.csv", method=tc.EM(max_steps=50), progress=told)
    assert heard[-1] == (50, 50)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_callback_that_interrupts_gets_the_best_so_far(clinic: Path, threads: int) -> None:
    def told(done: int, total: int, objective: float | None) -> None:
        if done > 30:
            raise KeyboardInterrupt

    for method in (tc.EM(restarts=5), tc.Gradient()):
        fit = tc.fit("asia.bif", "gaps.csv", method=method, progress=told, threads=threads, seed=1)
        assert fit.stop.name == "INTERRUPTED"
        assert fit.objective == pytest.approx(max(fit.trace))
