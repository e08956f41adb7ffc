"""What is said about annealing that cannot be done, in full."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tacit as tc
from commands import run
from tacit.core.errors import FormatError, OptionError
from tacit.learn import diaries

PAIR = {"Flu": ["no", None, "yes"], "Cough": ["no", "yes", "yes"]}
WHOLE = {"Flu": ["no", "no", "yes"], "Cough": ["no", "yes", "yes"]}
WRAPS = "tc.WeightAnnealing wraps a method such as tc.EM() or tc.Tabu(), not "


def fit(method):
    return lambda: tc.fit("Flu -> Cough", PAIR, method=method)


def search(method):
    return lambda: tc.search(WHOLE, method=method)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: tc.WeightAnnealing("EM"), f"{WRAPS}'EM'"),
        (lambda: tc.WeightAnnealing(tc.EM), f"{WRAPS}the class EM"),
        (
            lambda: tc.WeightAnnealing(tc.EM(), "uphill"),
            "reweight='uphill' must be one of adversary, random",
        ),
        (
            lambda: tc.WeightAnnealing(tc.EM(), start=-1),
            "start=-1 must be a temperature, 0 or more",
        ),
        (
            lambda: tc.WeightAnnealing(tc.EM(), start="hot"),
            "start='hot' must be a temperature, 0 or more",
        ),
        (lambda: tc.WeightAnnealing(tc.EM(), end=0), "end=0 must be a temperature above 0"),
        (
            lambda: tc.WeightAnnealing(tc.EM(), cooling=1.0),
            "cooling=1.0 must be a factor between 0 and 1",
        ),
        (
            lambda: tc.WeightAnnealing(tc.EM(), memory=float("nan")),
            "memory=nan must be a share from 0 to 1",
        ),
        (lambda: tc.WeightAnnealing(tc.EM(), eta=True), "eta=True must be a number, 0 or more"),
        (lambda: tc.WeightAnnealing(tc.EM(), floor=0), "floor=0 must be a share between 0 and 1"),
        (
            lambda: tc.WeightAnnealing(tc.EM(), least_effective=2),
            "least_effective=2 must be a share from 0 to 1",
        ),
        (
            lambda: tc.SimulatedAnnealing(steps=0),
            "steps=0 must be a whole number, 1 or more",
        ),
        (
            lambda: tc.SimulatedAnnealing(accepted=1.5),
            "accepted=1.5 must be a whole number, 1 or more",
        ),
        (
            lambda: tc.SimulatedAnnealing(cooling=0),
            "cooling=0 must be a factor between 0 and 1",
        ),
        (
            fit(tc.WeightAnnealing(tc.Gradient())),
            "tc.fit can anneal tc.EM(), not Gradient()"
            "\n\nfor example method=tc.WeightAnnealing(tc.EM())",
        ),
        (
            fit(tc.WeightAnnealing(tc.Tabu())),
            "tc.fit can anneal tc.EM(), not Tabu()"
            "\n\nfor example method=tc.WeightAnnealing(tc.EM())",
        ),
        (
            fit(tc.WeightAnnealing(tc.WeightAnnealing(tc.EM()))),
            "tc.fit can anneal tc.EM(), not WeightAnnealing(EM())"
            "\n\nfor example method=tc.WeightAnnealing(tc.EM())",
        ),
        (
            fit(tc.SimulatedAnnealing()),
            "method takes a value such as tc.EM() or tc.AvailableCases(), not "
            "SimulatedAnnealing(start=100.0, end=0.2, cooling=0.95, steps=400, accepted=200)",
        ),
        (
            search(tc.WeightAnnealing(tc.Exact())),
            "tc.search can anneal tc.HillClimb(), tc.Tabu(), not Exact()"
            "\n\nfor example method=tc.WeightAnnealing(tc.Tabu())",
        ),
        (
            search(tc.WeightAnnealing(tc.EM())),
            "tc.search can anneal tc.HillClimb(), tc.Tabu(), not EM()"
            "\n\nfor example method=tc.WeightAnnealing(tc.Tabu())",
        ),
        (
            search(tc.WeightAnnealing(None)),
            "tc.search can anneal tc.HillClimb(), tc.Tabu(), not None"
            "\n\nfor example method=tc.WeightAnnealing(tc.Tabu())",
        ),
    ],
)
def test_what_is_wrong_is_said(ask, message):
    with pytest.raises(OptionError) as caught:
        ask()
    assert str(caught.value) == message


def keep(path: Path, reweight: str = "adversary", resume: bool = False) -> tc.Fit:
    method = tc.WeightAnnealing(tc.EM(restarts=1), reweight)
    return tc.fit("Flu -> Cough", PAIR, method=method, seed=1, checkpoint=path, resume=resume)


def unfinish(path: Path, **more: object) -> None:
    """The run as if it had been cut in its second round, with some of it changed."""
    plain = json.loads(path.read_text())
    run_ = plain["runs"]["0"]
    run_["stop"] = None
    rounds = run_["more"]["rounds"][:2]
    run_["more"] = {"rounds": rounds, "weights": [1 / 3] * 3, "best": run_["theta"], **more}
    path.write_text(json.dumps(plain))


@pytest.mark.parametrize(
    "more",
    [
        {"weights": [0.5, 0.5]},
        {"weights": ["many", 0, 0]},
        {"best": [1.0]},
        {"rounds": [[0.1, 0.2]]},
        {"rounds": "none"},
        {"rounds": [["hot", 1, 2, True]]},
    ],
)
def test_a_damaged_checkpoint_is_said_to_be_one(tmp_path, monkeypatch, more):
    monkeypatch.setattr(diaries, "EVERY", 0.0)
    path = tmp_path / "run.ckpt"
    whole = keep(path)
    unfinish(path)
    assert keep(path, resume=True).stop is whole.stop  # undamaged it goes on
    unfinish(path, **more)
    with pytest.raises(FormatError) as caught:
        keep(path, resume=True)
    assert str(caught.value) == f"{path}: the checkpoint is damaged; start without it"


def test_another_way_of_reweighting_is_another_fit(tmp_path):
    path = tmp_path / "run.ckpt"
    keep(path)
    with pytest.raises(OptionError) as caught:
        keep(path, "random", resume=True)
    assert str(caught.value) == (
        f"{path}: the checkpoint belongs to another fit; these differ: method"
        "\n\nresume with the same cases, structure and settings, or choose another file"
    )


def test_the_command_line_has_no_checkpoint_for_other_methods(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(tc.read_cases(PAIR), "gaps.csv")
    words = ["fit", "gaps.csv", "--network", "Flu -> Cough", "--checkpoint", "c", "-o", "o.bif"]
    run(capsys, *words, "--method", "weight-annealing", "--seed", "1")
    assert Path("c").exists()
