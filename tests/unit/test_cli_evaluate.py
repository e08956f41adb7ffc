"""`tacit evaluate` and `tacit text`, as a program or a person reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from commands import run, run_json
from tacit.cli.main import execute

Capture = pytest.CaptureFixture[str]
MAILS = [
    ("ann", "lunch", "the soup and the bread"),
    ("bob", "lunch", "soup again"),
    ("ann", "work", "the meeting at nine"),
    ("bob", "work", "a meeting and a report"),
    ("ann", "work", "report to the meeting"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tc.Network:
    monkeypatch.chdir(tmp_path)
    network = tc.textbook("asia")
    tc.write(network, "asia.bif")
    tc.write_cases(tc.sample(network, 300, seed=1), "cases.csv")
    lines = [f"{who},{topic},{body}" for who, topic, body in MAILS]
    Path("mails.csv").write_text("\n".join(["Author,Topic,Body", *lines]) + "\n")
    return network


WORDS = ("evaluate", "cases.csv", "--network", "asia.bif")
TEXT = ("text", "mails.csv", "--text", "Body", "--target", "Topic")


def test_it_says_how_well_held_out_cases_are_predicted(capsys: Capture, folder: tc.Network) -> None:
    printed = run(capsys, *WORDS, "--target", "dysp", "--seed", "1")
    same = tc.cross_validate(folder, "cases.csv", target="dysp", seed=1)
    assert printed.startswith(str(same))
    assert same.evaluation is not None
    brief = run(capsys, *WORDS, "--target", "dysp", "--seed", "1", "--quiet")
    assert brief == f"{same.evaluation.log_score!r}\n"
    plain = tc.cross_validate(folder, "cases.csv", seed=1)
    assert run(capsys, *WORDS, "--seed", "1", "--quiet") == f"{plain.average!r}\n"


def test_json_holds_predictions_and_curve(capsys: Capture, folder: tc.Network) -> None:
    words = (*WORDS, "--target", "dysp", "--curve", "--repeats", "2", "--prior", "k2")
    found = run_json(capsys, *words, "--seed", "3")
    same = tc.cross_validate(folder, "cases.csv", target="dysp", prior=tc.K2(), seed=3)
    assert same.evaluation is not None
    assert found["prediction"]["auc"] == same.evaluation.auc
    curve = tc.learning_curve(folder, "cases.csv", target="dysp", prior=tc.K2(), repeats=2, seed=3)
    assert found["curve"]["sizes"] == curve.sizes.tolist()
    np.testing.assert_array_equal(found["curve"]["values"]["brier"], curve.values["brier"])


def test_a_network_is_judged_as_it_stands(capsys: Capture, folder: tc.Network) -> None:
    printed = run(capsys, *WORDS, "--target", "dysp", "--as-is")
    assert printed.startswith(str(tc.evaluate(folder, "cases.csv", "dysp")))


def test_the_report_shows_the_predictions(capsys: Capture) -> None:
    words = (*WORDS, "--target", "dysp", "--curve", "--repeats", "1", "--report", "r.txt")
    printed = run(capsys, *words, "--seed", "1")
    assert printed.endswith("report written to r.txt\n")
    page = Path("r.txt").read_text()
    assert "How well it predicts" in page
    assert "From how many cases" in page


def test_values_are_judged_as_they_are_in_the_library(capsys: Capture) -> None:
    random = np.random.default_rng(1)
    wind = random.normal(8, 2, 80)
    power = 3 * wind + random.normal(0, 1, 80)
    tc.write_cases({"Wind": wind, "Power": power}, "reals.csv")
    words = ("evaluate", "reals.csv", "--network", "Wind -> Power", "--target", "Power")
    same = tc.cross_validate("Wind -> Power", "reals.csv", target="Power", seed=1)
    judged = same.evaluation
    assert isinstance(judged, tc.RealEvaluation)
    assert run(capsys, *words, "--seed", "1").startswith(str(same))
    assert run(capsys, *words, "--seed", "1", "--quiet") == f"{judged.log_score!r}\n"
    found = run_json(capsys, *words, "--seed", "1", "--curve", "--repeats", "1")
    assert found["prediction"]["crps"] == judged.crps
    assert found["prediction"]["coverage"][2]["share"] == judged.coverage_95
    assert set(found["curve"]["values"]) >= {"rmse", "mae", "r_squared", "crps"}
    tc.write(tc.fit("Wind -> Power", "reals.csv").network, "line.json")
    as_is = ("evaluate", "reals.csv", "--network", "line.json", "--target", "Power", "--as-is")
    printed = run(capsys, *as_is)
    assert printed.startswith(str(tc.evaluate(tc.read("line.json"), "reals.csv", "Power")))
    run(capsys, *words, "--seed", "1", "--report", "r.md")
    told = Path("r.md").read_text()
    assert "How many values lie inside their intervals" in told
    assert "Cases held out" in told


def test_the_report_tells_of_held_out_cases_without_a_target(capsys: Capture) -> None:
    printed = run(capsys, *WORDS, "--seed", "1", "--report", "r.txt")
    score = printed.split("held-out log-likelihood ")[1].split(" nats")[0]
    told = " ".join(Path("r.txt").read_text().split())
    assert f"on average {score} nats per case" in told
    assert f"cases that were held out score {score} nats." in told


def test_a_note_about_the_cases_is_printed_once(capsys: Capture) -> None:
    ages = np.arange(60)
    tc.write_cases({"Age": ages, "Size": 2.5 * ages + np.sin(ages)}, "noted.csv")
    data = tc.read_cases("noted.csv")
    assert data.notes
    words = ("evaluate", "noted.csv", "--network", "Age -> Size", "--curve", "--repeats", "1")
    printed = run(capsys, *words, "--seed", "1")
    for note in data.notes:
        assert printed.count(note.partition(";")[0]) == 1


def test_documents_are_learned_and_others_predicted(capsys: Capture) -> None:
    Path("new.csv").write_text("Body,Topic\nsoup and bread,lunch\nthe meeting,work\n,work\n")
    words = (*TEXT, "--predict", "new.csv", "--predictions", "out.csv", "-o", "mails.json")
    printed = run(capsys, *words, "--report", "mails.txt")
    for what, path in (("predictions", "out.csv"), ("network", "mails.json")):
        assert f"{what} written to {path}\n" in printed
    assert printed.startswith("TextModel, multinomial, of 5 documents, 2 classes")
    assert "Topic predicted in 3 cases" in printed
    lines = Path("out.csv").read_text().splitlines()
    assert lines[0] == "Topic,Topic=lunch,Topic=work,known words,unknown words"
    assert [line.split(",")[0] for line in lines[1:]] == ["lunch", "work", "work"]
    network = tc.read("mails.json")
    assert set(network.dag.names) == {"Topic", "Word"}
    assert "learned from 5 cases" in Path("mails.txt").read_text()


def test_a_model_named_by_network_is_never_written_over(
    capsys: Capture, folder: tc.Network
) -> None:
    tc.write(folder, "keep.json")
    before = Path("keep.json").read_bytes()
    assert execute((*TEXT, "--network", "keep.json", "-q")) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "tacit: --network names a file that is read, and tacit text reads none: keep.json was left "
        "as it is\n\nto write the classifier, say where with -o: -o keep.json\n"
    )
    assert Path("keep.json").read_bytes() == before
    assert "--network" not in run(capsys, "text", "--help")


def test_groups_and_rules_come_from_the_command_line(capsys: Capture) -> None:
    Path("words.know").write_text("share P(Word | Author=*, Topic=work) { meeting }\n")
    words = ("--group", "Author", "--knowledge", "words.know", "-o", "m.json")
    found = run_json(capsys, *TEXT, *words)
    assert found["classes"]["work"]["documents"] == 3
    assert found["written"] == {"network": "m.json"}
    word = tc.read("m.json")["Word"]
    meeting = list(word.variables[-1].states).index("meeting")
    topic = list(word.variables[1].states).index("work")
    assert word.values[0, topic, meeting] == pytest.approx(word.values[1, topic, meeting])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*WORDS, "--target", "dyspnoea"), "no variable of the network; did you mean 'dysp'?"),
        ((*WORDS, "--as-is"), "--as-is needs --target"),
        (
            (*WORDS, "--as-is", "--target", "dysp", "--curve"),
            "--as-is learns nothing, so --curve has nothing to say",
        ),
        (
            (*WORDS, "--repeats", "2"),
            "--repeats says how often --curve draws its cases, and --curve is not given",
        ),
        ((*WORDS, "--report", "r.pdf"), "no format has the suffix '.pdf'"),
        (
            (*TEXT, "--predict", "new.csv"),
            "--predict CASES and --predictions OUT.csv belong together",
        ),
        (
            (*TEXT, "-o", "mails.csv", "--predict", "mails.csv"),
            "to write the predicted classes, say where with --predictions: --predictions mails.csv",
        ),
        (
            (*TEXT, "-o", "kept.json", "--knowledge", "kept.json"),
            "--knowledge and -o name the same",
        ),
        (("text", "mails.csv", "--text", "Body", "--target", "Topics"), "no column 'Topics'"),
        (
            ("text", "mails.csv", "--text", "Body", "--target", "Body"),
            "--text, --target and --group name columns of their own",
        ),
        ((*TEXT, "--kind", "gaussian"), "invalid value for '--kind'"),
    ],
)
def test_bad_input_is_status_2(words: tuple[str, ...], message: str, capsys: Capture) -> None:
    assert execute(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
