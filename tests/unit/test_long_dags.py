"""A dag as text may be as long as it likes: it is never taken for the name of a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as tc
from commands import run
from tacit.core.paths import is_file, neighbours

NAMES = [f"a_column_with_a_long_name_{number}" for number in range(16)]
LONG = " -> ".join(NAMES)
SLASHES = "; ".join(f'"{"/".join(NAMES)}/{number}"' for number in range(3))
RULE = f"P({NAMES[0]}=yes) >= 0.01"
REST = ("-o", "out.json", "--seed", "1", "--quiet")


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forty cases of these columns, and a rule, in a folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    columns = {name: random.choice(["yes", "no"], 40) for name in NAMES}
    tc.write_cases(tc.read_cases(columns), "cases.csv")
    Path("one.know").write_text(RULE, encoding="utf-8")
    Path("long.dag").write_text(LONG, encoding="utf-8")
    return Path("cases.csv")


def test_the_dag_is_longer_than_any_name_of_a_file() -> None:
    assert min(len(LONG), len(SLASHES)) > 255
    assert not is_file(LONG)
    assert not is_file(SLASHES)
    assert not is_file("a\0b")
    assert neighbours(f"{'x' * 300}/y") == []


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "cases.csv", "--network", LONG, *REST),
        ("fit", "cases.csv", "--network", NAMES[0], "--source", f"cases.csv@{LONG}", *REST),
        ("search", "cases.csv", "--start", LONG, "--restarts", "0", *REST),
        ("hidden", "cases.csv", "--network", LONG, "--variant", "params", "--most", "0", *REST),
        ("evaluate", "cases.csv", "--network", LONG, "--target", NAMES[0], "--folds", "2"),
        ("compare", "cases.csv", "--network", LONG, "--knowledge", "one.know", "--none"),
        ("posterior", "cases.csv", "--network", LONG, "--knowledge", "one.know", "--quiet"),
        ("discover", "cases.csv", "--network", LONG, "--kind", "links", "--quiet"),
        ("check", "one.know", "--network", LONG, "--cases", "cases.csv"),
        ("show", LONG),
        ("show", SLASHES),
    ],
    ids=lambda words: words[0],
)
def test_commands_take_a_long_dag(
    cases: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    del cases
    run(capsys, *words)


@pytest.mark.parametrize(
    "learn",
    [
        tc.fit,
        tc.score,
        tc.posterior,
        lambda dag, cases: tc.search(cases, start=dag, method=tc.HillClimb(restarts=0)),
        lambda dag, cases: tc.structural_em(cases, start=dag, max_rounds=1),
        lambda dag, cases: tc.compare(dag, cases, [RULE, None], seed=1),
        lambda dag, cases: tc.cross_validate(dag, cases, folds=2, seed=1),
        lambda dag, cases: tc.evaluate(tc.fit(dag, cases).network, cases, NAMES[0]),
        lambda dag, cases: tc.check(RULE, dag, cases),
        lambda dag, cases: tc.propose_hidden(cases, dag, variant="params", most=0, seed=1),
    ],
)
def test_the_library_takes_a_long_dag(cases: Path, learn: Callable[..., Any]) -> None:
    learn(LONG, tc.read_cases(cases))


def test_a_long_text_in_place_of_a_file_of_cases_is_told_in_one_message() -> None:
    with pytest.raises(tc.FormatError) as caught:
        tc.fit("A -> B", LONG)
    assert str(caught.value) == f"{LONG[:57] + '...'!r}: cannot be read: File name too long"
