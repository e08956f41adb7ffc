"""`tacit search`: files, one JSON object, or one message."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from commands import run, run_json
from mixed import beneath
from tacit.cli import searching
from tacit.cli.main import execute
from tacit.learn.structure import walks

NAMES = ("asia", "smoke", "lung", "bronc", "dysp")
CASES = tc.sample(tc.textbook("asia"), 300, seed=3).select(NAMES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cases without and with gaps, and rules."""
    monkeypatch.chdir(tmp_path)
    tc.write_cases(CASES, "cases.csv")
    head, *rows = Path("cases.csv").read_text().splitlines()
    gaps = ["NA," + row.split(",", 1)[1] if at % 9 == 0 else row for at, row in enumerate(rows)]
    Path("gaps.csv").write_text("\n".join([head, *gaps]) + "\n")
    Path("expert.know").write_text("require dysp -> asia\nforbid bronc -> *\n")
    return tmp_path


def test_a_network_is_learned_and_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "search", "cases.csv", "-o", "learned.bif", "--seed", "1")
    found = tc.search(tc.read_cases("cases.csv"), seed=1)
    assert out == f"{found}\n\nnetwork written to learned.bif\n"
    assert tc.read("learned.bif").dag == found.dag
    assert run(capsys, "search", "cases.csv", "-o", "learned.bif", "--quiet") == ""


def test_everything_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = run_json(
        capsys, "search", "cases.csv", "--knowledge", "expert.know", "--score", "bdeu:3",
        "--method", "tabu", "--restarts", "1", "--most-parents", "2", "--start", "dysp -> asia",
        "--dag-prior", "arcs:0.5", "--prior", "k2", "--estimate", "mean", "--leave-out", "smoke",
        "--bootstrap", "4", "--seed", "2", "--threads", "1", "-o", "out.dag",
        "--save-fit", "fit.json", "--report", "report.html",
    )  # fmt: skip
    found = tc.search(
        tc.read_cases("cases.csv"),
        knowledge=tc.read_knowledge("expert.know"),
        score=tc.BDeu(3),
        method=tc.Tabu(restarts=1, most_parents=2),
        start="dysp -> asia",
        dag_prior=tc.ArcPenalty(0.5),
        prior=tc.K2(),
        estimate=tc.PosteriorMean(),
        leave_out=["smoke"],
        bootstrap=4,
        seed=2,
    )
    assert found.confidence is not None
    assert plain["dag"] == str(found.dag)
    assert plain["score"] == found.score
    assert (plain["scored_by"], plain["method"]) == ("BDeu(3)", found.settings["method"])
    assert [[arc["parent"], arc["child"]] for arc in plain["arcs"]] == list(
        map(list, found.dag.arcs)
    )
    for arc in plain["arcs"]:
        pair = (arc["parent"], arc["child"])
        assert arc["gain"] == found.gains[pair]
        assert arc["link"] == found.confidence.link(*pair)
        assert arc["this_way"] == found.confidence.direction(*pair)
        assert (arc["required"] is not None) == (pair == ("dysp", "asia"))
    assert plain["bootstrap"]["averaged"] == str(found.confidence.averaged())
    assert plain["bootstrap"]["samples"] == 4
    assert {(each["parent"], each["child"]) for each in plain["missed"]} == set(found.found.missed)
    assert plain["written"] == {"dag": "out.dag", "fit": "fit.json", "report": "report.html"}
    assert tc.Dag.parse(Path("out.dag").read_text()) == found.dag
    again = tc.load_fit("fit.json")
    assert isinstance(again, tc.Search)
    assert (again.dag, again.score, again.seed) == (found.dag, found.score, 2)
    assert again.settings["prior"] == "K2()"
    assert "<svg" in Path("report.html").read_text()


@pytest.mark.parametrize(
    ("words", "method"),
    [
        ("hill", tc.HillClimb()),
        ("tabu", tc.Tabu()),
        ("exact", tc.Exact()),
        ("chow-liu", tc.ChowLiu()),
        ("chow-liu:smoke", tc.ChowLiu("smoke")),
        ('tan:"dysp"', tc.TAN("dysp")),
        ("weight-annealing", tc.WeightAnnealing(tc.Tabu(25, restarts=0))),
        ("simulated-annealing", tc.SimulatedAnnealing()),
        ("ideal", tc.IdealParent()),
        ("ideal:5", tc.IdealParent(5)),
        ("ideal:3,hidden", tc.IdealParent(3, hidden=True)),
        ("ideal:3,each", tc.IdealParent(3, pooled=False)),
    ],
)
def test_methods_by_their_words(words: str, method: object) -> None:
    assert searching.search_method_of(words) == method


@pytest.mark.parametrize(
    ("words", "score"),
    [
        ("bic", tc.BIC()), ("aic", tc.AIC()), ("mdl", tc.MDL()), ("qnml", tc.QNML()),
        ("likelihood", tc.LogLikelihood()), ("bge", tc.BGe()), ("bge:2", tc.BGe(2)),
        ("bdeu", tc.BDeu()), ("bdeu:10", tc.BDeu(10)), ("k2", tc.K2()), ("jeffreys", tc.Jeffreys()),
    ],
)  # fmt: skip
def test_scores_by_their_words(words: str, score: object) -> None:
    assert searching.score_of(words) == score


def test_hidden_parents_of_columns_from_the_command_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = np.random.default_rng(1)
    above = random.normal(size=(200, 1)) * np.array([2.0, 1.5, -1.0, 1.2])
    columns = np.round(above + random.normal(size=(200, 4)) * 0.4, 4)
    lines = [",".join(map(str, row)) for row in columns.tolist()]
    Path("genes.csv").write_text("\n".join(["a,b,c,d", *lines]) + "\n")
    words = ("search", "genes.csv", "--method", "ideal:2,hidden", "--seed", "1", "-o", "genes.json")
    run(capsys, *words, "--report", "genes.txt")
    network = tc.read("genes.json")
    assert len(network) == 5
    (above_all,) = set(network.dag.names) - {"a", "b", "c", "d"}
    assert set(network.dag.children[above_all]) == {"a", "b", "c", "d"}
    said = " ".join(Path("genes.txt").read_text().replace("\\", " ").split())
    command = re.search(r"tacit search genes.csv .*? --report \S+", said)
    assert command is not None
    assert "--method ideal:2,hidden" in command[0]


def test_limits_of_methods_and_priors_over_dags_by_their_words() -> None:
    found = searching.search_method_of(None, 3, 2)
    assert found == tc.HillClimb(restarts=3, most_parents=2)
    annealed = searching.search_method_of("weight-annealing", None, 2)
    assert annealed == tc.WeightAnnealing(tc.Tabu(25, restarts=0, most_parents=2))
    assert searching.search_method_of("exact", None, 2) == tc.Exact(2)
    assert searching.search_method_of(None) is None
    assert searching.dag_prior_of("arcs") == tc.ArcPenalty()
    assert searching.dag_prior_of("arcs:2") == tc.ArcPenalty(2)
    assert searching.dag_prior_of("parent-counts") == tc.ParentCounts()
    assert searching.dag_prior_of("description-length") == tc.DescriptionLength()


def test_gaps_are_for_structural_em(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("search", "gaps.csv", "--missing", "NA", "--seed", "1", "-o", "out.json")
    plain = run_json(capsys, *words, "--knowledge", "expert.know", "--score", "bic")
    assert plain["notes"][0] == "by structural EM: cells are missing (asia)"
    found = tc.structural_em(
        tc.read_cases("gaps.csv", missing="NA"),
        knowledge=tc.read_knowledge("expert.know"),
        score=tc.BIC(),
        seed=1,
    )
    assert (plain["dag"], plain["score"]) == (str(found.dag), found.score)
    assert {"parent": "dysp", "child": "asia"}.items() <= plain["arcs"][0].items()
    complete = run_json(capsys, *words, "--leave-out", "asia")
    assert "structural EM" not in " ".join(complete["notes"])
    assert complete["scored_by"] == "BIC()"


def test_gaps_and_hidden_states_beside_real_values(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns, _ = beneath(3, 150, 0.05)
    tc.write_cases(tc.read_cases(columns), "mixed.csv")
    words = ("search", "mixed.csv", "--hidden", "H=2", "--restarts", "2", "--seed", "1")
    plain = run_json(capsys, *words, "-o", "out.json", "--report", "report.html")
    found = tc.structural_em(
        tc.read_cases("mixed.csv"), hidden={"H": 2}, restarts=2, method=tc.HillClimb(restarts=0),
        seed=1,
    )  # fmt: skip
    assert plain["score"] == found.score
    assert plain["hidden"] == {"H": 2}
    assert plain["scored_by"] == "BIC()"
    assert tc.read("out.json").dag == found.dag


def test_gaps_under_weight_annealing_and_several_starts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("search", "gaps.csv", "--missing", "NA", "--leave-out", "dysp", "--seed", "1")
    words += ("--method", "weight-annealing", "--restarts", "2", "-o", "out.json")
    plain = run_json(capsys, *words, "--checkpoint", "run.ckpt", "--report", "report.json")
    found = tc.structural_em(
        tc.read_cases("gaps.csv", missing="NA"),
        method=tc.WeightAnnealing(tc.Tabu(25, restarts=0)),
        leave_out=["dysp"],
        restarts=2,
        seed=1,
    )
    assert (plain["dag"], plain["score"]) == (str(found.dag), found.score)
    assert Path("run.ckpt").exists()
    facts = json.loads(Path("report.json").read_text())
    again = next(each for each in facts["sections"] if each["kind"] == "again")["command"]
    assert "--method weight-annealing" in again
    assert "--restarts 2" in again
    complete = ("search", "cases.csv", "--method", "weight-annealing", "-o", "out.json")
    assert execute((*complete, "--restarts", "2")) == 2
    assert "--restarts means nothing to --method weight-annealing" in capsys.readouterr().err
    assert execute((*complete, "--checkpoint", "other.ckpt")) == 2
    said = capsys.readouterr().err
    assert "WeightAnnealing(Tabu(length=25, restarts=0)) keeps no checkpoint" in said
    assert "tc." not in said


def test_a_file_that_could_not_hold_the_network_is_refused_before_the_search(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Path("cases.csv").read_text().splitlines()
    numbered = [f"{row},{at}" for at, row in enumerate(rows)]
    Path("numbered.csv").write_text("\n".join([f"{rows[0]},no", *numbered[1:]]) + "\n")
    assert execute(("search", "numbered.csv", "-o", "out.bif", "--checkpoint", "run.ckpt")) == 2
    assert capsys.readouterr().err == (
        "tacit: -o: 'out.bif' would hold tables only, and these columns are continuous: no\n\n"
        "write a .json file, which holds every family; name states by --discrete no; or leave a "
        "column out that is no variable, by --leave-out no\n"
    )
    assert not Path("run.ckpt").exists()
    run(capsys, "search", "numbered.csv", "-o", "out.bif", "--leave-out", "no", "--quiet")
    run(capsys, "search", "numbered.csv", "-o", "out.dag", "--method", "chow-liu", "--quiet")
    run(capsys, "search", "numbered.csv", "-o", "out.json.gz", "--method", "chow-liu", "--quiet")


def test_hidden_variables_are_for_structural_em(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = run_json(
        capsys, "search", "cases.csv", "--hidden", "H=2", "--restarts", "2", "--seed", "1",
        "--start", "H -> smoke, lung, bronc, dysp, asia", "-o", "out.json",
        "--save-fit", "fit.json",
    )  # fmt: skip
    assert plain["notes"][0] == "by structural EM: --hidden names what nobody measured"
    assert plain["hidden"] in ({"H": 2}, {})
    again = tc.load_fit("fit.json")
    assert isinstance(again, tc.Search)
    assert dict(again.found.hidden) == plain["hidden"]
    assert again.score == plain["score"]


def test_a_search_is_broken_off_and_taken_up_again(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("search", "cases.csv", "-o", "out.bif", "--checkpoint", "run.ckpt")
    whole = run_json(capsys, "search", "cases.csv", "-o", "out.bif", "--seed", "3")
    keep = walks.KeptWalk.keep

    def broken_off(self, walk, rng, evaluations, now=False):
        if len(walk.changes) == 2 and not now:
            os.kill(os.getpid(), signal.SIGINT)
        return keep(self, walk, rng, evaluations, now)

    with monkeypatch.context() as patched:
        patched.setattr(walks.KeptWalk, "keep", broken_off)
        part = run_json(capsys, *words, "--seed", "3")
    assert part["stop"] == "interrupted; this is the best so far"
    assert part["changes"] == 2
    assert execute(words) == 2
    assert "this file is there already; --resume goes on from it" in capsys.readouterr().err
    again = run_json(capsys, *words, "--resume")
    for name in ("dag", "score", "changes", "restarts", "seed"):
        assert again[name] == whole[name]
    fresh = run_json(capsys, *words[:-1], "new.ckpt", "--resume", "--seed", "3")
    assert "there was no checkpoint to go on from: a fresh start" in fresh["notes"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--method", "tabuu"), "--method: 'tabuu' is no method; did you mean 'tabu'?"),
        (("--method", "tan"), "--method: tan needs its target"),
        (("--method", "hill:3"), "--method: nothing follows 'hill'"),
        (("--method", "tan:nobody"), "the target nobody is no column of the cases"),
        (("--method", "exact", "--restarts", "2"), "--restarts means nothing to --method exact"),
        (("--method", "tan:lung", "--most-parents", "2"), "--most-parents means nothing to"),
        (("--score", "bdue:1"), "--score: 'bdue' is no score; did you mean 'bdeu'?"),
        (("--score", "bdeu:x"), "--score: 'x' is no number"),
        (("--score", "bge:"), "--score: a number is missing"),
        (("--score", "bge"), "use --score bic or --score bdeu:10"),
        (("--score", "bic:1"), "--score: nothing follows 'bic'"),
        (("--dag-prior", "arcs:x"), "--dag-prior: 'x' is no number"),
        (("--dag-prior", "flat"), "--dag-prior: 'flat' is no prior over dags"),
        (("--start", "asia -> nobody"), "the start names nobody, which is no column"),
        (("--start", "asia -> lung", "--knowledge", "expert.know"), "lacks the arc dysp -> asia"),
        (("--leave-out", "nobody"), "there is no column nobody to leave out"),
        (("--hidden", "rest"), "--hidden rest hides what --start names"),
        (("--hidden", "H"), "how many states has 'H'?"),
        (("--hidden", "H=2", "--method", "exact"), "Exact() needs complete cases, and --hidden"),
        (("--hidden", "H=2", "--bootstrap", "3"), "--bootstrap needs complete cases, and --hidden"),
        (("--checkpoint", "x", "--method", "exact"), "--method hill and --method tabu have it"),
        (("--resume",), "--resume needs --checkpoint FILE"),
        (("--bootstrap", "-1"), "invalid value for '--bootstrap'"),
        (("--knowledge", "none.know"), "there is no file 'none.know'"),
        (("--save-fit", "out.bif"), "no format has the suffix '.bif'"),
        (("-o", "out.csv"), "no format has the suffix '.csv'"),
        (("-o", "nowhere/out.bif"), "there is no such folder"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    before = sorted(folder.iterdir())
    assert execute(("search", "cases.csv", "-o", "out.bif", *words)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err
    assert "tc." not in err
    assert sorted(folder.iterdir()) == before


def test_files_that_are_read_are_not_written_over(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("begin.bif").write_text("")
    for words in (("--start", "begin.bif"), ("--save-fit", "begin.bif")):
        assert execute(("search", "cases.csv", "-o", "begin.bif", *words)) == 2
    assert "--save-fit" in capsys.readouterr().err
    assert Path("begin.bif").read_text() == ""


def test_a_report_is_made_of_a_saved_search(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "search", "cases.csv", "-o", "out.bif", "--save-fit", "fit.json", "--seed", "1")
    run(capsys, "report", "fit.json", "-o", "report.json")
    facts = json.loads(Path("report.json").read_text())
    assert any("arcs" in section for section in facts["sections"])


def test_the_structure_of_a_network_has_a_score(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "search", "cases.csv", "-o", "out.bif", "--seed", "1", "--score", "bdeu:3")
    found = tc.search(tc.read_cases("cases.csv"), seed=1, score=tc.BDeu(3))
    plain = run_json(capsys, "score", "out.bif", "cases.csv", "--score", "bdeu:3")
    assert plain["score"]["total"] == pytest.approx(found.score)
    assert plain["score"]["by"] == "BDeu(3)"
    assert plain["score"]["families"] == pytest.approx(dict(found.found.families))
    out = run(capsys, "score", "out.bif", "cases.csv", "--score", "bdeu:3")
    assert f"score of the dag {found.score:,.2f} nats by BDeu(3)" in out
