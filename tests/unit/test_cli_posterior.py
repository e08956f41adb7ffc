"""`tacit posterior`: the posterior as a program or a person reads it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from commands import run, run_json
from tacit.cli.main import execute

Capture = pytest.CaptureFixture[str]
RULES = "P(dysp=yes | bronc=no, either=no) <= 0.05\nP(tub=yes | asia=yes) >= 0.02 confidence 0.8\n"
CALL = (
    "posterior",
    "cases.csv",
    "--network",
    "asia.bif",
    "--knowledge",
    "rules.know",
    "--seed",
    "1",
)


@pytest.fixture(autouse=True)
def asia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tc.Network:
    monkeypatch.chdir(tmp_path)
    Path("rules.know").write_text(RULES)
    network = tc.textbook("asia")
    tc.write(network, "asia.bif")
    tc.write_cases(tc.sample(network, 100, seed=1), "cases.csv")
    return network


def test_one_object_holds_what_the_library_finds(asia: tc.Network, capsys: Capture) -> None:
    printed = run_json(capsys, *CALL, "--evidence")
    found = tc.posterior(asia, tc.read_cases("cases.csv", like=asia), knowledge=RULES, seed=1)
    assert np.array_equal(printed["variables"]["dysp"]["mean"], found.mean["dysp"])
    assert np.array_equal(printed["variables"]["dysp"]["upper"], found.interval["dysp"].upper)
    assert printed["beliefs"][0]["probability"] == found.beliefs[0].probability
    assert printed["log_marginal_likelihood"] == found.log_marginal_likelihood


def test_means_and_draws_are_written(asia: tc.Network, capsys: Capture) -> None:
    printed = run(capsys, *CALL, "-o", "means.json", "--draws-to", "draws.csv", "--draws", "200")
    assert "means written to means.json" in printed
    assert "holds with probability" in printed
    means = tc.read("means.json")
    drawn = tc.read_cases("draws.csv")
    assert len(drawn) == 200
    column = drawn["P(dysp=yes | bronc=no, either=no)"]
    assert column.max() <= 0.05
    assert means["dysp"].values[1, 1, 0] <= 0.05
    assert len(drawn.names) == sum(asia[name].values.size for name in asia)


def test_quantities_are_all_that_quiet_leaves(capsys: Capture) -> None:
    printed = run(capsys, *CALL, "--of", "P(lung=yes | smoke=yes)", "--quiet")
    assert printed.splitlines()[1].startswith("  P(lung=yes | smoke=yes)")
    assert "note" not in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--of", "P(lung=ja)"), "'lung' has no state 'ja'"),
        (("--of", "lung"), "lung"),
        (("--level", "2"), "--level 2.0 must lie between 0 and 1"),
        (("--prior", "dirichlet:0"), "is 0, and a posterior needs one above 0"),
        (("-o", "rules.know"), "no format has the suffix"),
        (("--draws", "10"), "greater than or equal to 16"),
    ],
)
def test_bad_input_is_one_message_and_no_file(
    words: tuple[str, ...], message: str, capsys: Capture
) -> None:
    assert execute([*CALL, *words]) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert "Traceback" not in told.err
    assert not told.out
    assert sorted(path.name for path in Path().iterdir()) == ["asia.bif", "cases.csv", "rules.know"]


def test_a_likelihood_that_is_not_computed_is_not_passed_over(
    asia: tc.Network, capsys: Capture
) -> None:
    Path("bent.know").write_text("P(xray=yes) <= 0.3\n")
    call = ("posterior", "cases.csv", "--network", "asia.bif", "--knowledge", "bent.know")
    printed = run(capsys, *call, "--evidence", "--seed", "1")
    assert "note: no log marginal likelihood: it is not computed with missing cells" in printed
    assert "no log marginal likelihood" not in run(capsys, *call, "--seed", "1")
    assert any("no log marginal" in note for note in run_json(capsys, *call, "--evidence")["notes"])


def test_numbers_can_name_states(capsys: Capture) -> None:
    Path("doses.csv").write_text("dose,ill\n0.5,yes\n1.5,no\n0.5,no\n1.5,yes\n")
    printed = run_json(
        capsys, "posterior", "doses.csv", "--network", "dose -> ill", "--discrete", "dose"
    )
    assert printed["variables"]["dose"]["states"] == ["0.5", "1.5"]


def test_messages_speak_of_commands(asia: tc.Network, capsys: Capture) -> None:
    tc.write_cases(tc.sample(asia, 50, seed=1, missing=tc.AtRandom(0.2)), "gaps.csv")
    assert execute(["posterior", "gaps.csv", *CALL[2:]]) == 2
    assert capsys.readouterr().err == (
        "tacit: rules said with less than certainty need complete cases in tacit posterior"
        "\n\ntacit fit takes both; or leave out the confidence\n"
    )


def test_ctrl_c_while_cases_are_read_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def interrupted(*_: object) -> None:
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr("tacit.cli.reading.Reading.cases", interrupted)
    assert execute(CALL) == 130
    assert capsys.readouterr().err == "tacit: interrupted\n"
