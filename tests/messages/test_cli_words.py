"""What the library says of its arguments, as the command line says it, in full."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit.cli.main import execute

HIDDEN = "fit cases.csv --network 'H -> A, B' --hidden H=2 --method ibem -o o.json"
MESSAGES = {
    f"{HIDDEN} --set restarts=1.5": (
        "--set: restarts is a whole number\n\n    restarts=1.5\n             ^^^\n\n"
        "settings: until, held_out, first, direction, step, shortest, longest, noise, tolerance, "
        "max_steps, restarts, penalty, finish, inference, cardinality, most_states, structure, "
        "enrich\n"
    ),
    "fit cases.csv --network 'A -> B' --family C=noisy-or -o o.json": (
        "--family names 'C', which is no variable of the structure\n\nvariables: A, B\n"
    ),
    "fit reals.csv --network 'X -> Y' --family sigmoid -o o.json": (
        "the sigmoid-gaussian of Y has no estimate: its parents depend on each other, or it is an "
        "exact function of them\n\ngive it fewer parents, or leave --family out\n"
    ),
    "search cases.csv --method ideal:2 -o o.json": (
        "--method ideal ranks continuous parents by geometry, and all of these columns have "
        "states\n\nuse --method hill\n"
    ),
    "search mixed.csv --family X=sigmoid --start 'A -> X' -o o.json": (
        "the start has the arc A -> X, and X is to be a sigmoid-gaussian, whose parents are "
        "continuous, and A has states\n\nstart without the arc, or leave X out of --family\n"
    ),
    "search cases.csv --hidden H=2 --method ideal:2 -o o.json": (
        "--method takes hill, tabu or weight-annealing where cells are missing or variables "
        "hidden: the search of each round goes from dag to dag\n"
    ),
    "search reals.csv --hidden H=continuous -o o.json": (
        "'H' is hidden and continuous: the hidden variables of structural EM have states\n\n"
        "say how many states it has: --hidden H=2; hidden parents of continuous columns without "
        "states are found by tacit hidden\n"
    ),
    "hidden reals.csv --method ibem -o o.json": (
        "--method speaks of hidden variables with states, and all columns are continuous\n\n"
        "leave it out, or say how many states they have: --states 2\n"
    ),
    "hidden mixed.csv --method ibem -o o.json": (
        "--method speaks of columns with states, and some are continuous\n\n"
        "leave it out, or make them discrete with tc.discretise\n"
    ),
    "fit cases.csv --network 'A -> B' --knowledge links.know -o o.json": (
        "links.know:1: 'B' has no links\n\n    link(B, A) >= 0.5\n         ^\n\n"
        "give it some: --family B=noisy-or\n"
    ),
    "evaluate cases.csv --network 'A -> B' --target C": (
        "--target 'C' is no variable of the network\n\nvariables: A, B\n"
    ),
    "text blank.csv --text Body --target Topic": (
        "column 'Body' has no value in any case, so its states are unknown\n"
    ),
}


@pytest.mark.parametrize("line", MESSAGES)
def test_arguments_of_the_library_are_called_by_their_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    states = np.array(["no", "yes"])[np.random.default_rng(1).integers(0, 2, (2, 40))]
    tc.write_cases(tc.read_cases({"A": states[0], "B": states[1]}), "cases.csv")
    Path("reals.csv").write_text("X,Y\n" + "".join(f"{at % 2}.5,{at % 2}.25\n" for at in range(40)))
    Path("mixed.csv").write_text(
        "A,X,Y\n" + "".join(f"{'ab'[at % 2]},{at}.5,{at}.25\n" for at in range(40))
    )
    Path("links.know").write_text("link(B, A) >= 0.5\n")
    Path("blank.csv").write_text("Topic,Body\na,\nb,\n")
    before = sorted(tmp_path.rglob("*"))
    assert execute(shlex.split(line)) == 2
    assert capsys.readouterr() == ("", f"tacit: {MESSAGES[line]}")
    assert sorted(tmp_path.rglob("*")) == before
