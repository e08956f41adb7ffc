"""Hidden variables proposed by paths of the bottleneck."""

from __future__ import annotations

import pytest

import planted
import tacit as tc
from commands import run

PATHS = tc.IBEM(longest=0.1, max_steps=40)
PATIENTS = planted.patients(2000)
SIGNS = set(planted.SIGNS)
QUICK = {"method": PATHS, "seed": 1, "most": 1, "tries": 8, "shown": 1, "bootstrap": 0}


def proposed(**options):
    return tc.propose_hidden(PATIENTS, **{**QUICK, **options}, progress=False)


def test_a_cause_that_was_not_measured_is_found_along_a_path():
    found = proposed()
    (cause,) = found.accepted
    assert set(cause.children) == SIGNS
    assert cause.states == 3
    assert cause.gain > 3
    assert cause.held_out_gain > 0
    assert cause.source == "a hierarchy along the path of the bottleneck"
    assert found.settings["hidden_search"]["method"] == "IBEM(longest=0.1, max_steps=40)"


def test_an_expert_fixes_the_place_and_the_states():
    found = proposed(
        children={"Severity": sorted(SIGNS)}, states={"Severity": ("low", "middle", "high")}, most=0
    )
    assert found[0].name == "Severity"
    assert found.network.variables["Severity"].states == ("low", "middle", "high")
    assert set(found[0].children) >= SIGNS


def test_what_was_learned_before_a_break_is_not_learned_again(tmp_path):
    path = tmp_path / "run.ckpt"
    first = proposed(checkpoint=path)
    again = proposed(checkpoint=path, resume=True)
    assert again.network == first.network


def test_the_command_line_knows_the_method(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(PATIENTS, "patients.csv")
    run(
        capsys, "hidden", "patients.csv", "--method", "ibem", "--set", "longest=0.1",
        "--set", "max_steps=40", "--most", "1", "--tries", "8", "--bootstrap", "0",
        "--seed", "1", "-o", "out.json",
    )  # fmt: skip
    assert "H" in tc.read("out.json")


def test_there_is_no_other_method():
    with pytest.raises(tc.OptionError) as problem:
        proposed(method=tc.EM())
    assert "tc.IBEM()" in str(problem.value)
