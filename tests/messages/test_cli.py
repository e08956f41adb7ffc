"""Whole messages of the command line: one on standard error, status 2, nothing written."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import tacit as tc
from tacit.cli import targets
from tacit.cli.main import execute

PRIORS = "\n\npriors: bdeu[:STRENGTH], k2, jeffreys, dirichlet:ALPHA\n"
NETWORKS = ".bif, .xmlbif, .bifxml, .xml, .xdsl, .net, .dsc, .uai, .json"
FIT = "fit cases.csv --network asia.bif"
TWO = "fit cases.csv --network 'asia -> tub' -o o.bif"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A network, cases of it, cases with a gap, and files that are neither."""
    monkeypatch.chdir(tmp_path)
    network = tc.textbook("asia")
    tc.write(network, "asia.bif")
    cases = tc.sample(network, 40, seed=3)
    tc.write_cases(cases, "cases.csv")
    Path("tiny.csv").write_text("A,B,C\na,x,p\na,x,q\nb,y,p\n")
    Path("real.csv").write_text("A,B\n1.5,2\n2.5,1\n,2\n")
    Path("odd.csv").write_text(Path("cases.csv").read_text() + "no,perhaps,no,no,no,no,no,no\n")
    Path("note.txt").write_text("A -> B")
    Path("folder.bif").mkdir()
    return tmp_path


MESSAGES = {
    f"{FIT} --prior bdue:10 -o o.bif": (
        "--prior: 'bdue' is no prior; did you mean 'bdeu'?\n\n    bdue:10\n    ^^^^" + PRIORS
    ),
    f"{FIT} --prior bdeu:ten -o o.bif": (
        "--prior: 'ten' is no number\n\n    bdeu:ten\n         ^^^" + PRIORS
    ),
    f"{FIT} --prior dirichlet -o o.bif": (
        "--prior: 'dirichlet' needs a number\n\n    dirichlet\n    ^^^^^^^^^" + PRIORS
    ),
    f"{FIT} --prior k2:3 -o o.bif": (
        "--prior: 'k2' takes no number\n\n    k2:3\n      ^^" + PRIORS
    ),
    f"{FIT} --prior bdeu:-3 -o o.bif": (
        "--prior: the strength of a prior is a number of cases, 0 or more\n\n    bdeu:-3\n"
        "         ^^" + PRIORS
    ),
    f"{FIT} --prior dirichlet:nan -o o.bif": (
        "--prior: the strength of a prior is a number of cases, 0 or more\n\n    dirichlet:nan\n"
        "              ^^^" + PRIORS
    ),
    f"{FIT} -o o.txt": (
        "-o: no format has the suffix '.txt'\n\n    o.txt\n     ^^^^\n\n"
        f"suffixes: {NETWORKS}; each also with .gz\n"
    ),
    f"{FIT} -o o.bfi.gz": (
        "-o: no format has the suffix '.bfi.gz'; did you mean '.bif.gz'?\n\n"
        f"    o.bfi.gz\n     ^^^^^^^\n\nsuffixes: {NETWORKS}; each also with .gz\n"
    ),
    f"{FIT} -o out": (
        "-o: the suffix must tell the format\n\n    out\n       ^\n\n"
        f"suffixes: {NETWORKS}; each also with .gz\n"
    ),
    f"{FIT} -o no/o.bif": "-o: there is no such folder\n\n    no/o.bif\n    ^^\n",
    f"{FIT} -o folder.bif": (
        "-o: this is a folder, not a file\n\n    folder.bif\n    ^^^^^^^^^^\n"
    ),
    f"{FIT} -o o.bif --save-fit f.bif": (
        "--save-fit: no format has the suffix '.bif'\n\n    f.bif\n     ^^^^\n\n"
        "suffixes: .json; each also with .gz\n"
    ),
    f"{FIT} -o o.bif --report r.pdf": (
        "--report: no format has the suffix '.pdf'\n\n    r.pdf\n     ^^^^\n\n"
        "suffixes: .html, .md, .txt, .json; each also with .gz\n"
    ),
    f"{FIT} -o o.json --save-fit ./o.json": "-o and --save-fit name the same file ./o.json\n",
    "score asia.bif cases.csv --per-case ./cases.csv": (
        "CASES and --per-case name the same file ./cases.csv\n"
    ),
    "fit cases.json --network asia.bif -o cases.json": (
        "CASES and -o name the same file cases.json\n"
    ),
    "report fit.json -o fit.json": "FIT.json and -o name the same file fit.json\n",
    f"{FIT} -o o.bif --table t --query q": (
        "--table and --query exclude each other: both say what to read\n"
    ),
    f"{FIT} -o o.bif --table t": (
        "cases.csv is no database; --table and --query are for databases\n"
    ),
    f'{FIT} -o o.bif --weights \'"w" "v"\'': (
        'an arrow or the end of the statement is expected\n\n    "w" "v"\n        ^^^\n\n'
        "a dag is written like  Smoker -> Cancer <- Genes; Cancer -> Xray\n"
    ),
    f"{FIT} -o o.bif --weights '\"w\"; v'": 'one name is expected, not "w"; v\n',
    f"{FIT} -o o.bif --level nan": "--level nan must lie between 0 and 1, 0.95 for example\n",
    f"{FIT} -o o.bif --level 95": "--level 95.0 must lie between 0 and 1, 0.95 for example\n",
    "fit tiny.csv --network 'A -> B' -o o.bif --estimate map": (
        "P(B | A=a) has no most probable value: counts plus prior of 'y' come to 0.25, "
        "less than 1 (and in 1 more rows)\n\n"
        "use a prior of at least 1 per cell, --prior k2 for example, or --estimate mean\n"
    ),
    "fit tiny.csv --network 'A, C -> B' -o o.bif --estimate ml --empty error": (
        "there is no case for P(B | A=b, C=q)\n\n"
        "use a prior, or another policy for such rows: --empty uniform\n"
    ),
    "fit case.csv --network asia.bif -o o.bif": (
        "there is no file 'case.csv'; did you mean 'cases.csv'?\n"
    ),
    "fit cases.csv --network note.txt -o o.bif": (
        "this file has no suffix of a network or a dag\n\n    note.txt\n    ^^^^^^^^\n\n"
        f"suffixes: {NETWORKS} or .dag\n"
    ),
    "fit cases.csv --network none.bif -o o.bif": "there is no file 'none.bif'\n",
    "fit cases.csv --network 'asia -> tub -> asia' -o o.bif": (
        "the arcs form a cycle: asia -> tub -> asia\n\nremove or reverse one of these arcs\n"
    ),
    "fit cases.csv --network 'asia -> tup' -o o.bif": (
        "the cases have no column 'tup'; did you mean 'tub'?\n\n"
        "columns: asia, tub, smoke, lung, bronc, either, xray, dysp\n"
    ),
    "fit odd.csv --network asia.bif -o o.bif": (
        "odd.csv:42: 'tub' has no state 'perhaps'\n\nstates of 'tub': yes, no\n"
    ),
    "score 'A -> B' cases.csv": (
        "NET: a network file is needed; this is a dag as text, which has no numbers\n\n"
        "    A -> B\n    ^^^^^^\n"
    ),
    "score asia.bif cases.csv --per-case each.txt": (
        "--per-case: no format has the suffix '.txt'\n\n    each.txt\n        ^^^^\n\n"
        "suffixes: .csv; each also with .gz\n"
    ),
    "sample asia.bif -n 5 -o s.parquet.gz": (
        "-o: no format has the suffix '.parquet.gz'; did you mean '.parquet'?\n\n"
        "    s.parquet.gz\n     ^^^^^^^^^^^\n\n"
        "suffixes: .csv, .tsv, .parquet; .csv and .tsv also with .gz\n"
    ),
    "sample asia.bif -n 5 -o s.csv --missing-share 1.5": (
        "--missing-share 1.5 must lie between 0 and 1\n"
    ),
    "convert asia.bif asia.dag": (
        "OUT: no format has the suffix '.dag'\n\n    asia.dag\n        ^^^^\n\n"
        f"suffixes: {NETWORKS}; each also with .gz\n"
    ),
    "show asia.biff": (
        "there is no file 'asia.biff'; did you mean 'asia.bif'?\n\n"
        "a dag of one variable stands in double quotes\n"
    ),
    "show asia.bif lnug": (
        "the network has no variable 'lnug'; did you mean 'lung'?\n\n"
        "variables: asia, tub, smoke, lung, bronc, either, xray, dysp\n"
    ),
    "show 'A -> B' C": "the dag has no variable 'C'\n\nvariables: A, B\n",
    "report cases.csv -o r.html": "cases.csv: this is no saved fit, or it was cut short\n",
    "demo --output cases.csv": "--output: 'cases.csv' is a file, and a folder is needed\n",
    "fit cases.csv --network 'A -> B' -o o.json --normal-prior unti": (
        "--normal-prior: 'unti' is no number\n\n    unti\n    ^^^^\n\n"
        "it takes STRENGTH, weak[:STRENGTH] or none\n"
    ),
    "fit cases.csv --network 'A -> B' -o o.json --normal-prior weak:": (
        "--normal-prior: 'weak' with a colon needs a number\n\n    weak:\n    ^^^^^\n\n"
        "it takes STRENGTH, weak[:STRENGTH] or none\n"
    ),
    "fit cases.csv --network 'A -> B' -o o.json --normal-prior weak:0": (
        "--normal-prior: the strength is a number of cases above 0\n\n    weak:0\n         ^\n\n"
        "it takes STRENGTH, weak[:STRENGTH] or none\n"
    ),
    "fit real.csv --network 'A -> B' -o o.json --continuous A --continuous B --estimate ml": (
        "the noise of 'B' shrinks to nothing: some cases lie on an exact function of its parents, "
        "and the likelihood of what was observed has no maximum\n\n"
        "give regressions a prior that keeps some noise, --normal-prior weak with --estimate "
        "smoothed, or try more restarts or fewer hidden states\n"
    ),
}


@pytest.mark.parametrize("line", MESSAGES)
def test_a_message_says_what_is_wrong_and_what_would_be_right(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    before = sorted(folder.rglob("*"))
    assert execute(shlex.split(line)) == 2
    assert capsys.readouterr() == ("", f"tacit: {MESSAGES[line]}")
    assert sorted(folder.rglob("*")) == before


USAGE = {
    "fit": "tacit fit: missing argument 'CASES'",
    "fit cases.csv --networc asia.bif": "tacit fit: no such option: --networc",
    "fit cases.csv -o o.bif": "tacit fit: missing option '--network'",
    f"{FIT} -o o.bif --estimate mpa": "tacit fit: invalid value for '--estimate': 'mpa' is not one",
    f"{FIT} -o o.bif --threads 0": "tacit fit: invalid value for '--threads': ",
    f"{FIT} -o o.bif --level high": "tacit fit: invalid value for '--level': ",
    "sample asia.bif -n -5 -o s.csv": "tacit sample: invalid value for '-n' / '--cases': ",
    "score asia.bif cases.csv more.csv": "tacit score: got unexpected extra argument",
    "guess": "tacit: no such command 'guess'",
}


@pytest.mark.parametrize("line", USAGE)
def test_wrong_usage_is_said_in_plain_words(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    assert execute(shlex.split(line)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(USAGE[line])
    command = err.partition(":")[0]
    assert err.endswith(f"\n\n{command} --help explains the command\n")
    assert not set(err) & set("│╭╰─")


def test_a_folder_that_may_not_be_written_to_is_found_before_the_work(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targets.os, "access", lambda path, mode: False)
    assert execute(shlex.split(TWO)) == 2
    assert capsys.readouterr().err == (
        "tacit: -o: this folder may not be written to\n\n    o.bif\n    ^\n"
    )


def test_no_file_is_written_where_one_of_several_fails(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("numbers.csv").write_text("a,b\n" + "".join(f"{at}.5,{at * at}.5\n" for at in range(30)))
    Path("kept.json").write_text("kept")
    before = sorted(folder.rglob("*"))
    line = "fit numbers.csv --network 'a -> b' --save-fit kept.json --report r.html -o o.bif"
    assert execute(shlex.split(line)) == 2
    assert capsys.readouterr().err == (
        "tacit: BIF holds tables only, and a has a linear gaussian family\n\n"
        "write a .json file, which holds every family\n"
    )
    assert sorted(folder.rglob("*")) == before
    assert Path("kept.json").read_text() == "kept"
