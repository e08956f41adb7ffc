"""Whole messages of query, predict, and of fit with gaps: one, marked, nothing written."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import tacit as tc
from mixed import mixed_network
from tacit.cli.main import execute

NAMES = "asia, tub, smoke, lung, bronc, either, xray, dysp"
LATENT = "fit gaps.csv --network 'H -> xray, dysp' -o o.json"
CASES = ".csv, .tsv, .parquet; .csv and .tsv also with .gz"
HOW = "write H=3, or name the states, H={mild, severe}; H=continuous has none"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A network, cases with gaps, a checkpoint, and files that are none of these."""
    monkeypatch.chdir(tmp_path)
    network = tc.textbook("asia")
    tc.write(network, "asia.bif")
    tc.write_cases(tc.sample(network, 40, seed=3, missing=tc.AtRandom(0.2)), "gaps.csv")
    tc.write_cases(tc.sample(network, 5, seed=3), "whole.csv")
    Path("empty.csv").write_text("")
    Path("heads.csv").write_text("xray,dysp\n")
    Path("void.csv").write_text("A,B\nx,\ny,\n")
    tc.write(mixed_network(1), "mixed.json")
    Path("other.csv").write_text("x,y\n1,2\n")
    tc.fit("asia.bif", "gaps.csv", method=tc.EM(max_steps=2), seed=1, checkpoint="run.ckpt")
    Path("cut.ckpt").write_text(Path("run.ckpt").read_text()[:200])
    return tmp_path


MESSAGES = {
    "query asia.bif 'P(lung | xray=maybe)'": (
        "'xray' has no state 'maybe'\n\n    P(lung | xray=maybe)\n                  ^^^^^\n\n"
        "states of 'xray': yes, no\n"
    ),
    "query asia.bif 'P(lnug)'": (
        "the network has no variable 'lnug'; did you mean 'lung'?\n\n    P(lnug)\n      ^^^^\n\n"
        f"variables: {NAMES}\n"
    ),
    "query asia.bif 'P(lung |'": (
        "the query ends too early\n\n    P(lung |\n           ^\n\n"
        "a query is written like  P(Cancer | Xray=abnormal, Smoker=yes)\n"
    ),
    "query asia.bif": 'a query is needed, "P(A | B=b)" for example, or --most-probable\n',
    "query asia.bif 'P(lung)' --given xray=ja": (
        "--given: 'xray' has no state 'ja'\n\n    xray=ja\n         ^^\n\n"
        "states of 'xray': yes, no\n"
    ),
    "query asia.bif 'P(lung)' --given xray": (
        "--given: a finding needs a state of 'xray'\n\n    xray\n    ^^^^\n\n"
        "states of 'xray': yes, no\n"
    ),
    "query asia.bif 'P(lung)' --given xray=": (
        "--given: more is expected here\n\n    xray=\n        ^\n\n"
        "findings are written like  Xray=abnormal, Stage={III, IV}\n"
    ),
    "query asia.bif 'P(lung)' --given xray=yes --given xray=no": (
        "--given: 'xray' is given twice\n\n    xray=no\n    ^^^^\n"
    ),
    "query asia.bif 'P(lung | xray=yes)' --given lung=no": (
        "'lung' is asked for and given\n\n    P(lung | xray=yes)\n      ^^^^\n"
    ),
    "query asia.bif 'P(lung)' --method wieghting:10": (
        "--method: 'wieghting' is no method; did you mean 'weighting'?\n\n"
        "    wieghting:10\n    ^^^^^^^^^\n\nmethods: weighting[:SAMPLES]\n"
    ),
    "query asia.bif 'P(lung)' --method weighting:few": (
        "--method: 'few' is no number of samples, 2 or more\n\n"
        "    weighting:few\n              ^^^\n\nmethods: weighting[:SAMPLES]\n"
    ),
    "query asia.bif 'P(lung=yes)' --most-probable": (
        "--most-probable finds the state of 'lung'; name no state\n\n"
        "    P(lung=yes)\n           ^^^\n"
    ),
    "query asia.bif --most-probable --method weighting": (
        "--most-probable is exact; --method is for probabilities\n"
    ),
    "query asia.bif 'P(lung | xray=yes)' --most-probable --given xray=no": (
        "'xray' is given in the query and by --given\n"
    ),
    "query asia.bif 'P(lung | xray=yes, xray=no)' --most-probable": (
        "'xray' is given twice\n\n    P(lung | xray=yes, xray=no)\n                       ^^^^\n"
    ),
    "query mixed.json 'P(A0)' --given X1=high": (
        "--given: 'X1' is continuous; a finding on it is a number, not 'high'\n\n"
        "    X1=high\n       ^^^^\n"
    ),
    "query mixed.json 'P(A0)' --given 'X1={1, 2}'": (
        "--given: 'X1' is continuous; a finding on it is a number\n\n    X1={1, 2}\n    ^^\n"
    ),
    "query mixed.json 'P(A0)' --given 'X1=1' --given 'X1=2'": (
        "--given: 'X1' is given twice\n\n    X1=2\n    ^^\n"
    ),
    "query mixed.json 'P(X0=2)' --most-probable": (
        "--most-probable finds the value of 'X0'; name none\n\n    P(X0=2)\n         ^\n"
    ),
    "query mixed.json 'P(X0)' --most-probable": (
        "the distribution of X0 is a mixture of normals, whose peak has no closed form\n\n"
        "ask tc.query for the mixture, or leave out of= for the most probable values of "
        "everything together\n"
    ),
    "predict asia.bif whole.csv -o p.csv": (
        "every cell is observed, so there is nothing to predict\n\n"
        "--hide NAME predicts a variable without looking at its column\n"
    ),
    "predict asia.bif whole.csv --hide lnug -o p.csv": (
        f"--hide: the cases have no column 'lnug'; did you mean 'lung'?\n\ncolumns: {NAMES}\n"
    ),
    "predict asia.bif gaps.csv -o p.txt": (
        f"-o: no format has the suffix '.txt'\n\n    p.txt\n     ^^^^\n\nsuffixes: {CASES}\n"
    ),
    "predict asia.bif other.csv -o p.csv": (
        "no column of the cases is a variable of the network\n\n"
        f"columns: x, y\nvariables: {NAMES}\n"
    ),
    "predict asia.bif gaps.csv -o gaps.csv": "CASES and -o name the same file gaps.csv\n",
    "predict asia.bif empty.csv -o p.csv": (
        "empty.csv: the file is empty; its first line must name the columns\n"
    ),
    "predict asia.bif heads.csv -o p.csv": "heads.csv: there are columns but no cases\n",
    "score asia.bif heads.csv": "heads.csv: there are columns but no cases\n",
    "sample asia.bif -n 5 -o s.csv --given either=ja": (
        "--given: 'either' has no state 'ja'\n\n    either=ja\n           ^^\n\n"
        "states of 'either': yes, no\n"
    ),
    LATENT: (
        f"the cases have no column 'H'\n\ncolumns: {NAMES}\n\n"
        "a variable that no column measures is named by --hidden H=3\n"
    ),
    "fit void.csv --network 'A -> B' -o o.json": (
        "the column 'B' has no value in any case, so nothing says what its states are\n\n"
        "take the structure from a network that gives them, or leave the column out and say how "
        "many there are: --hidden B=2\n"
    ),
    f"{LATENT} --hidden H=0": (
        f"--hidden: a hidden variable has 2 states or more, not 0\n\n    H=0\n      ^\n\n{HOW}\n"
    ),
    f"{LATENT} --hidden H=x": (
        f"--hidden: 'x' is no number of states\n\n    H=x\n      ^\n\n{HOW}\n"
    ),
    f"{LATENT} --hidden H": f"--hidden: how many states has 'H'?\n\n    H\n    ^\n\n{HOW}\n",
    f"{LATENT} --hidden J=3": ("--hidden: the dag has no variable 'J' to hide\n\n    J=3\n    ^\n"),
    f"{LATENT} --hidden 'H=2, H=3'": "--hidden: 'H' is named twice\n\n    H=2, H=3\n         ^\n",
    f"{LATENT} --hidden 'H=not a'": (
        "--hidden: the states of 'H' are to be a number or their names\n\n    H=not a\n    ^\n"
    ),
    f"{LATENT} --hidden H=3 --hidden xray=2": (
        "'xray' has a column in the cases, so it is not hidden\n"
    ),
    f"{LATENT} --hidden rest": (
        "--hidden rest needs a network that gives the hidden variables states\n"
    ),
    f"{LATENT} --hidden rest --hidden H=3": (
        "--hidden rest hides all there is to hide; name nothing beside it\n"
    ),
    f"{LATENT} --hidden H=123456789": (
        "hidden variable 'H' would have 123,456,789 states; at most 10,000 are tried\n"
    ),
    f"{LATENT} --hidden H=3 --start given": (
        "--start given needs a network with numbers, not a dag\n"
    ),
    f"{LATENT} --hidden H=3 --method available": (
        "--method available counts what is there; hidden variables and tied tables need "
        "--method em\n"
    ),
    f"{LATENT} --hidden H=3 --method gradient --restarts 3": (
        "--restarts means nothing to --method gradient\n"
    ),
    f"{LATENT} --hidden H=3 --method available --max-steps 3": (
        "--max-steps means nothing to --method available\n"
    ),
    f"{LATENT} --hidden H=3 --resume": (
        "--resume needs --checkpoint FILE, the file to go on from\n"
    ),
    f"{LATENT} --hidden H=3 --method gradient --checkpoint c.ckpt": (
        "--checkpoint keeps a running EM; --method em is the one that has it\n"
    ),
    f"{LATENT} --hidden H=3 --checkpoint no/c.ckpt": (
        "--checkpoint: there is no such folder\n\n    no/c.ckpt\n    ^^\n"
    ),
    f"{LATENT} --hidden H=3 --checkpoint o.json": (
        "-o and --checkpoint name the same file o.json\n"
    ),
    f"{LATENT} --hidden H=3 --checkpoint run.ckpt": (
        "--checkpoint: this file is there already; --resume goes on from it, or remove it\n\n"
        "    run.ckpt\n    ^^^^^^^^\n"
    ),
}


@pytest.mark.parametrize("line", MESSAGES)
def test_a_message_says_what_is_wrong_and_what_would_be_right(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert execute(shlex.split(line)) == 2
    assert capsys.readouterr() == ("", f"tacit: {MESSAGES[line]}")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "line",
    [
        "query asia.bif 'P(lung | either=no, tub=yes)'",
        "query asia.bif --most-probable --given 'either=no, tub=yes'",
        "sample asia.bif -n 5 -o s.csv --given 'either=no, tub=yes'",
    ],
)
def test_impossible_findings_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    assert execute(shlex.split(line)) == 2
    assert capsys.readouterr().err.startswith(
        "tacit: the network holds these findings impossible together: either=no, tub=yes\n"
    )
    assert not Path("s.csv").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--max-steps 3", "run.ckpt: the checkpoint belongs to another fit; these differ: method"),
        ("--max-steps 2 --seed 2", "run.ckpt: the checkpoint belongs to another fit; these differ"),
        ("--max-steps 2 --prior k2", "run.ckpt: the checkpoint belongs to another fit"),
    ],
)
def test_the_checkpoint_of_another_fit_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], words: str, told: str
) -> None:
    before = Path("run.ckpt").read_bytes()
    line = f"fit gaps.csv --network asia.bif -o o.bif --checkpoint run.ckpt --resume {words}"
    assert execute(shlex.split(line)) == 2
    assert capsys.readouterr().err.startswith(f"tacit: {told}")
    assert Path("run.ckpt").read_bytes() == before
    assert not Path("o.bif").exists()


@pytest.mark.parametrize("name", ["cut.ckpt", "other.csv", "empty.csv"])
def test_a_file_that_is_no_checkpoint_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    before = Path(name).read_bytes()
    line = f"fit gaps.csv --network asia.bif -o o.bif --checkpoint {name} --resume"
    assert execute(shlex.split(line)) == 2
    assert capsys.readouterr().err.startswith(f"tacit: {name}: ")
    assert Path(name).read_bytes() == before


def test_columns_that_would_be_named_alike_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tc.Discrete("A", ("b=c", "d")), tc.Discrete("A=b", ("c", "e"))
    tables = [tc.Table((first,), [0.5, 0.5]), tc.Table((second,), [0.5, 0.5])]
    known = tc.Discrete("X", ("u", "v"))
    tc.write(tc.Network.of([*tables, tc.Table((known,), [0.5, 0.5])]), "alike.json")
    Path("x.csv").write_text("X\nu\n")
    assert execute(["predict", "alike.json", "x.csv", "-o", "p.csv"]) == 2
    assert capsys.readouterr().err == (
        "tacit: two columns would be named 'A=b=c': names of variables and states are too alike\n"
    )
    assert not Path("p.csv").exists()


def test_impossible_cases_are_no_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd.csv").write_text("lung,either\nyes,no\n")
    assert execute(["predict", "asia.bif", "odd.csv", "-o", "p.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["impossible_cases"] == [1]
