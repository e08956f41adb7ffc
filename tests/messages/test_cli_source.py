"""Whole messages about `--source` and `--transfer`."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import tacit as tc
from tacit.cli.main import execute

FIT = "fit here.csv --network asia.bif -o o.bif"
FORMS = (
    "\n\nwrite leeds.csv, Leeds=leeds.csv, York=york.bif:200 for a network worth 200 cases, or\n"
    '"Leeds=leeds.csv@Smokes -> Tumour" for cases of another structure\n'
)
BEST = (
    "\n\nafter 'best:' may stand: a threshold such as 0.8, normal, printed, guided, apart, "
    "strict, unchecked, together, relabel, align\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    network = tc.textbook("asia")
    tc.write(network, "asia.bif")
    tc.write(network, "york.bif")
    tc.write_cases(tc.sample(network, 40, seed=3), "here.csv")
    Path("bath.csv").write_text("Smokes,Cough\nno,no\nyes,yes\n")
    return tmp_path


MESSAGES = {
    f"{FIT} --source York=york.bif": (
        "--source: a network without its cases does not say how much it is worth\n\n"
        "    York=york.bif\n         ^^^^^^^^" + FORMS
    ),
    f"{FIT} --source york.bif:many": (
        "--source: 'many' is no number of cases, 0 or more\n\n"
        "    york.bif:many\n             ^^^^" + FORMS
    ),
    f"{FIT} --source york.bif:-3": (
        "--source: '-3' is no number of cases, 0 or more\n\n"
        "    york.bif:-3\n             ^^" + FORMS
    ),
    f"{FIT} --source 'york.bif:9@A -> B'": (
        "--source: a network has a structure of its own\n\n"
        "    york.bif:9@A -> B\n              ^^^^^^^" + FORMS
    ),
    f"{FIT} --source =here.csv": (
        "--source: the name before '=' is missing\n\n    =here.csv\n    ^" + FORMS
    ),
    f"{FIT} --source Bath=bath.csv@": (
        "--source: the structure after '@' is missing\n\n"
        "    Bath=bath.csv@\n                 ^" + FORMS
    ),
    f"{FIT} --source Bath=": "--source: no file is named\n\n    Bath=\n    ^^^^^" + FORMS,
    f"{FIT} --source bath.csv --source other/bath.csv": (
        "--source: two sources are named 'bath'\n\n    other/bath.csv\n          ^^^^\n\n"
        "give each a name of its own: bath2=other/bath.csv\n"
    ),
    f"{FIT} --source Bath=bath.csv --source Bath=other/bath.csv.gz": (
        "--source: two sources are named 'Bath'\n\n    Bath=other/bath.csv.gz\n    ^^^^\n\n"
        "give each a name of its own: Bath2=other/bath.csv.gz\n"
    ),
    f"{FIT} --source bath.csv --source other/bath.csv.gz": (
        "--source: two sources are named 'bath'\n\n    other/bath.csv.gz\n          ^^^^\n\n"
        "give each a name of its own: bath2=other/bath.csv.gz\n"
    ),
    f"{FIT} --source Bath=baht.csv": (
        "--source Bath: there is no file 'baht.csv'; did you mean 'bath.csv'?\n"
    ),
    f"{FIT} --source 'Bath=bath.csv@Smoke -> Cough'": (
        "--source Bath: the cases have no column 'Smoke'; did you mean 'Smokes'?\n\n"
        "columns: Smokes, Cough\n"
    ),
    f"{FIT} --source 'Bath=bath.csv@Smokes -> '": (
        "--source Bath: a variable is expected here\n\n    Smokes ->\n            ^\n\n"
        "a dag is written like  Smoker -> Cancer <- Genes; Cancer -> Xray\n"
    ),
    f"{FIT} --transfer best": (
        "--transfer says how to borrow; --source FILE must say from whom\n"
    ),
    f"{FIT} --source here.csv --transfer bst": (
        "--transfer: 'bst' is no way to borrow; did you mean 'best'?\n\n    bst\n    ^^^\n\n"
        "ways: best, mixture, aggregate, pool\n"
    ),
    f"{FIT} --source here.csv --transfer best:1.5": (
        "--transfer: 1.5 is no probability between 0 and 1\n\n    best:1.5\n         ^^^" + BEST
    ),
    f"{FIT} --source here.csv --transfer best:0.5,guide": (
        "--transfer: 'guide' means nothing to 'best'; did you mean 'guided'?\n\n"
        "    best:0.5,guide\n             ^^^^^" + BEST
    ),
    f"{FIT} --source here.csv --transfer best:": (
        "--transfer: '' means nothing to 'best'\n\n    best:\n        ^" + BEST
    ),
    f"{FIT} --source here.csv --transfer best:strict,unchecked": (
        "--transfer: this is said twice\n\n"
        "    best:strict,unchecked\n                ^^^^^^^^^\n"
    ),
    f"{FIT} --source here.csv --transfer aggregate:0.5": (
        "--transfer: '0.5' means nothing to 'aggregate'\n\n    aggregate:0.5\n              ^^^\n\n"
        "after 'aggregate:' may stand: strict, unchecked, together, relabel, align, local, "
        "distance, linear, logarithmic\n"
    ),
    f"{FIT} --source here.csv --estimate ml": (
        "--estimate ml takes the cases alone, and borrows nothing\n\n"
        "use --estimate smoothed, which borrows, or leave out the sources\n"
    ),
    "fit here.csv --network asia.bif --source york.bif:5 -o york.bif": (
        "--source and -o name the same file york.bif\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("command", MESSAGES)
def test_the_message_says_what_is_wrong_with_the_source(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    before = sorted(folder.iterdir())
    assert execute(shlex.split(command)) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"tacit: {MESSAGES[command]}")
    assert sorted(folder.iterdir()) == before


def test_a_source_with_other_variables_is_told_how_to_say_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute([*shlex.split(FIT), "--source", "bath.csv"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("tacit: --source bath: the cases have no column 'asia'")
    assert err.endswith(
        'if its variables are others, say how they hang together: "bath.csv@A -> B"\n'
    )
