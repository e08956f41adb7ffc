"""`tacit fit --family`: links and shared rows from the command line, and how to do it again."""

from __future__ import annotations

import json
import shlex

import pytest

import tacit as tc
from commands import run, run_json
from tacit.cli.main import execute

CASES = "A,B,X\n" + "no,a,no\nno,b,yes\nyes,a,yes\nyes,b,yes\nyes,a,yes\nno,a,no\nno,b,no\n" * 20


@pytest.fixture
def cases(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.csv").write_text(CASES)
    return tmp_path


def section(path, name):
    """One section of a report that was written as JSON."""
    return next(s for s in json.loads(path.read_text())["sections"] if s["kind"] == name)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("noisy-or", tc.NoisyOr),
        ("noisy-and", tc.NoisyAnd),
        ("noisy-max", tc.NoisyMax),
        ("tree-table", tc.TreeTable),
        ("tree-table:exact", tc.TreeTable),
        ("default-table", tc.DefaultTable),
        ("table", tc.Table),
    ],
)
def test_a_family_is_named_and_the_report_says_how_to_do_it_again(cases, capsys, word, kind):
    words = ["fit", "cases.csv", "--network", "A, B -> X", "--family", f"X={word}", "-o", "n.json",
             "--report", "r.json"]  # fmt: skip
    run(capsys, *words)
    family = tc.read("n.json")["X"]
    assert isinstance(family, kind)
    again = section(cases / "r.json", "again")["command"]
    run(capsys, *shlex.split(again)[1:])
    assert tc.read("learned.json")["X"] == family


def test_one_kind_for_all_and_rules_about_links(cases, capsys):
    (cases / "links.know").write_text("link(X, A) <= 0.2\n")
    found = run_json(
        capsys, "fit", "cases.csv", "--network", "A, B -> X", "--family", "noisy-or",
        "--knowledge", "links.know", "-o", "n.json",
    )  # fmt: skip
    (rule,) = found["rules"]
    assert rule["active"]
    assert tc.read("n.json")["X"].links[0] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--family", "X=noisyor"],
            "--family: 'noisyor' is no family; did you mean 'noisy-or'?\n\n"
            "    X=noisyor\n      ^^^^^^^\n\n"
            "families: table, noisy-or, noisy-and, noisy-max, tree-table[:exact], default-table, "
            "sigmoid, softplus",
        ),
        (
            ["--family", "noisy-or", "--family", "X=table"],
            "--family: a kind for every variable stands alone\n\n"
            "name variables: --family X=noisy-or --family Y=tree-table",
        ),
        (
            ["--family", "X=noisy-or", "--family", "X=table"],
            "--family: 'X' is given two families\n\n    X=table\n    ^",
        ),
        (
            ["--family", "Y=noisy-or"],
            "--family names 'Y', which is no variable of the structure\n\nvariables: A, B, X",
        ),
    ],
)
def test_what_is_no_family_is_said(cases, capsys, words, message):
    assert execute(("fit", "cases.csv", "--network", "A, B -> X", "-o", "n.json", *words)) == 2
    assert capsys.readouterr().err.strip() == f"tacit: {message}"
    assert not (cases / "n.json").exists()


def test_a_search_takes_families_and_says_when_it_cannot(cases, capsys):
    words = ["search", "cases.csv", "-o", "n.json", "--seed", "1"]
    found = run_json(capsys, *words, "--family", "tree-table")
    assert found["written"]["network"] == "n.json"
    (cases / "gaps.csv").write_text("A,B,X\nno,,no\nyes,b,yes\nno,a,yes\nyes,a,no\n")
    words = ["search", "gaps.csv", "-o", "n.json", "--family", "tree-table"]
    assert execute(tuple(words)) == 2
    told = (
        "tacit: --family needs complete cases, and cells are missing (B)"
        "\n\nleave it out; in a dag that is told, tacit fit --family learns them with gaps, too"
    )
    assert capsys.readouterr().err.strip() == told
