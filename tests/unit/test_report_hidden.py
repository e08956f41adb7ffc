"""What a report says of proposed hidden variables: numbers, words, and how to do it again."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tacit as tc
from planted import SIGNS, patients
from tacit.cli.main import execute
from tacit.learn.unseen.stability import Stability
from tacit.reporting.proposed_words import curve

QUICK: dict[str, Any] = {
    "bootstrap": 0, "tries": 2, "most": 1, "restarts": 2, "seed": 1, "progress": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def found() -> tc.HiddenProposals:
    return tc.propose_hidden(patients(), **QUICK)


@pytest.fixture(scope="module")
def none() -> tc.HiddenProposals:
    return tc.propose_hidden(patients(), evidence=500.0, **QUICK)


def section(fit: tc.Fit, kind: str) -> dict[str, Any]:
    told = [each for each in tc.report(fit).facts["sections"] if each["kind"] == kind]
    assert len(told) == 1
    return told[0]


def test_the_facts_are_those_of_the_proposals(found):
    told = section(found, "proposals")
    json.dumps(told, allow_nan=False)
    assert (told["learned_from"], told["held_out"], told["evidence"]) == (1600, 400, 3.0)
    assert len(told["proposals"]) == len(found)
    assert len(told["candidates"]) == len(found.candidates)
    one, proposal = told["proposals"][0], found[0]
    assert one["gain"] == proposal.gain
    assert one["held_out_gain"] == proposal.held_out_gain
    assert dict(map(tuple, one["curve"])) == proposal.curve
    assert dict(map(tuple, one["merging"]["curve"])) == proposal.merging.curve
    assert one["stability"]["below"] == list(proposal.stability.below)
    assert {each["name"] for each in one["network"]["variables"]} == {"H", *SIGNS}
    assert len(one["network"]["arcs"]) == len(SIGNS)


def test_what_states_stand_for_is_their_conditional_distribution(found):
    neighbours = section(found, "proposals")["proposals"][0]["variable"]["neighbours"]
    for near in neighbours:
        for at, state in enumerate(near["states"]):
            for number, given in enumerate(near["given"]):
                asked = f"P({near['name']}={state} | H={number + 1})"
                assert given[at] == pytest.approx(float(tc.query(found.network, asked)), abs=0.01)


def test_the_answer_says_what_was_found_and_what_it_is_worth(found):
    said = section(found, "answer")["sentences"]
    assert said[0] == (
        "The cases ask for a variable that nobody measured: H, with 3 states, parent of Cough, "
        "Fever, Fatigue, Breath and Pain."
    )
    factor = np.exp(found[0].gain)
    told = re.search(r"([\d.]+) nats, a factor of ([\d,]+), more", said[1])
    assert told is not None
    assert float(told[1]) == pytest.approx(found[0].gain, abs=0.06)
    assert float(told[2].replace(",", "")) == pytest.approx(factor, rel=0.06)
    assert f"400 cases held out by {found[0].held_out_gain:+.4f}" in said[1]
    assert tc.report(found).facts["title"] == (
        "1 hidden variable among 7 variables learned from 2,000 cases"
    )


def test_where_none_was_accepted_the_best_is_named_with_the_reason(none):
    said = section(none, "answer")["sentences"]
    assert said[0].startswith("No hidden variable was accepted: 2,000 cases do not ask for one.")
    assert said[1].endswith("it was left out, since it gains less than 500 nats.")
    page = tc.report(none).to_html()
    assert "What its states stand for" not in page
    assert "what its states would stand for" in page
    assert "hidden" not in {each["kind"] for each in tc.report(none).facts["sections"]}


def test_every_form_tells_the_same(found):
    report = tc.report(found)
    for text in (str(report), report.to_markdown(), report.to_html()):
        plain = " ".join(text.split())
        assert f"{found[0].gain:+.1f}" in plain
        assert "accepted, and confirmed by cases held out" in plain
        assert "5 of 5" not in plain
        assert "2 of 2 starts of EM at random came as high" in plain
        assert "Everything that was tried" in plain
    assert 'class="dot chosen"' in report.to_html()


def test_a_report_of_a_saved_search_is_the_same(found, tmp_path):
    found.save(tmp_path / "found.json")
    again = tc.load_fit(tmp_path / "found.json")
    assert tc.report(again).facts == tc.report(found).facts


def test_curves_reach_from_the_lowest_to_the_highest_point():
    drawn = curve("gain", [[2, -5.0], [3, 10.0], [4, 5.0]], 3)
    assert drawn is not None
    assert drawn.points == "0.0,90.0 100.0,0.0 200.0,30.0"
    assert drawn.zero == 60.0
    assert [dot[3] for dot in drawn.dots] == [False, True, False]
    assert (drawn.low, drawn.high, drawn.first, drawn.last) == ("-5.0", "+10.0", "2 states", "4")
    flat = curve("gain", [[2, 1.0], [3, 1.0]], 2)
    assert flat is not None
    assert flat.zero is None
    assert curve("gain", [[2, 1.0], [3, None]], 2) is None


def worried(found: tc.HiddenProposals, **changes: Any) -> list[str]:
    """What a report worries about if the first proposal were another."""
    first, *rest = found.hunt.proposals
    hunt = replace(found.hunt, proposals=(replace(first, **changes), *rest))
    told = section(replace(found, hunt=hunt), "answer")["worries"]
    return [each["text"] for each in told]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"held_out_gain": 0.01, "held_out_error": 0.006},
            "cases held out hardly speak for H (+0.0100 ± 0.0060 nats a case): less than two "
            "standard errors",
        ),
        (
            {"stability": Stability((0.2, 1.0, 9.0), (0.99, 0.6, 0.5))},
            "what the states stand for depends on the start: of H another start comes within 3 "
            "nats and puts only 60% of the cases in the same state",
        ),
        (
            {"curve": {2: 9.0, 3: 11.5, 4: 10.0, 5: -3.0}},
            "H might as well have 2 or 4 states: within 3 nats of its 3",
        ),
        (
            {"why": "fixed by the expert; the cases do not ask for it", "gain": -4.2},
            "the cases do not ask for what the expert fixed: H (-4.2 nats)",
        ),
    ],
)
def test_worries_say_what_is_not_settled(found, changes, text):
    assert text in worried(found, **changes)
    assert text not in worried(found, held_out_gain=0.02, held_out_error=0.001)


def test_rare_states_are_a_worry(found):
    profile = replace(found[0].profile, shares=np.array([0.6, 0.395, 0.005]))
    assert "states that rest on fewer than 20 cases: H=3 on 10 cases" in worried(
        found, profile=profile
    )


# --- to do it again ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {
            "children": {"Severity": list(SIGNS)}, "states": {"Severity": ("a b", "c", "d")},
            "refuse": [("Cough", "Fever", "Stay")], "score": tc.BDeu(3), "variant": "local",
            "held_out": 0, "leave_out": ["Stay"], "name": "X", "network": "Cough -> Fever; Breath",
        },
        {"children": {"S": list(SIGNS)}, "states": {"S": 2}, "held_out": 0.3, "most_states": 4},
        {"states": 2, "evidence": 1.0, "threshold": 0.5, "shown": 1, "least": 3},
    ],
)  # fmt: skip
def test_the_call_and_the_command_find_it_again(options, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = patients(300)
    left_out = options.get("leave_out", ())
    if left_out:
        options = {**options, "refuse": [("Cough", "Fever", "Pain")]}
    tc.write_cases(data, "cases.csv")
    found = tc.propose_hidden(tc.read_cases("cases.csv"), **{**QUICK, **options})
    told = section(found, "again")
    held: dict[str, Any] = {}
    exec(told["python"], held)
    assert str(held["found"]) == str(found)
    words = shlex.split(told["command"])
    assert words[:3] == ["tacit", "hidden", "cases.csv"]
    assert execute([*words[1:], "--save-fit", "again.json", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    again = tc.load_fit("again.json")
    assert [str(each) for each in again] == [str(each) for each in found]
    assert again.settings["hidden_search"] == found.settings["hidden_search"]


def test_what_the_command_line_has_no_words_for_has_no_command(tmp_path):
    cases = patients(200)
    others = tc.propose_hidden(cases, held_out=patients(50, seed=3), **QUICK)
    told = section(others, "again")
    assert told["command"] is None
    assert "others = ...  # the cases that judged" in told["python"]
    assert "held_out=others" in told["python"]
    prior = tc.propose_hidden(cases, score=tc.Dirichlet({"Cough": [1, 2]}), **QUICK)
    assert section(prior, "again")["command"] is None


def test_rules_are_told_as_the_expert_wrote_them(tmp_path):
    found = tc.propose_hidden(
        patients(200), knowledge="forbid Stay -> *", children={"S": ["Cough", "Fever", "Pain"]},
        **{**QUICK, "most": 0},
    )  # fmt: skip
    told = section(found, "again")
    assert "forbid Stay -> *" in told["python"]
    assert "require S -> Cough" not in told["python"]
    assert "--knowledge rules.know" in told["command"]
