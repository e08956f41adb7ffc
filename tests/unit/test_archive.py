"""Files that version 0.1 saved are read today, and say what they said then."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from math import isclose
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

import archived
import archived_runs
import tacit as tc
from archived import FOLDER
from commands import run, run_json
from tacit.core.errors import FormatError
from tacit.engines.plain import evidence_from_plain
from tacit.families import KINDS
from tacit.io.casesout import SUFFIXES as CASES
from tacit.io.files import suffix
from tacit.io.formats import DAG_SUFFIX, SUFFIXES
from tacit.learn.diaries import Form
from tacit.learn.fits import Stop
from tacit.learn.structure.state import VERBS

EXPECTED: Mapping[str, Any] = json.loads(archived.EXPECTED.read_text())
CHECKPOINTS = [file for file in EXPECTED if file.startswith("checkpoint-")]
SAVED = [file for file in EXPECTED if file not in CHECKPOINTS]
FITS = [file for file in SAVED if archived.kind_of(file) in ("fit", "search", "hidden")]
YOUNGER: Mapping[str, str] = {}
"""What version 0.1 did not save yet, by the version that did first."""
FOR_PEOPLE = {"tacit report": "a page, which nothing reads back", "Report": "the same"}
NEAR = 1e-9
"""How far a number may be from what it was, as a share, or as it is where it is about 0."""


@pytest.fixture(autouse=True)
def in_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files name each other without saying where they are."""
    monkeypatch.chdir(FOLDER)


def apart(found: Any, expected: Any, where: str = "") -> Iterator[str]:
    """Where two pieces of plain data differ."""
    if isinstance(found, dict) and isinstance(expected, dict) and found.keys() == expected.keys():
        for key, each in found.items():
            yield from apart(each, expected[key], f"{where}/{key}")
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for at, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from apart(one, other, f"{where}/{at}")
    elif not _same(found, expected):
        yield f"{where}: {found!r} for {expected!r}"


def _same(one: Any, other: Any) -> bool:
    numbers = all(isinstance(each, int | float) for each in (one, other))
    return isclose(one, other, rel_tol=NEAR, abs_tol=NEAR) if numbers else one == other


@cache
def raw(file: str) -> str:
    """The text of a file; nothing of one that is no text."""
    content = (FOLDER / file).read_bytes()
    content = gzip.decompress(content) if file.endswith(".gz") else content
    return content.decode(errors="replace")


@cache
def texts() -> str:
    """All files in one text."""
    return "\n".join(map(raw, EXPECTED))


@pytest.mark.parametrize("file", SAVED)
def test_a_file_says_what_it_said_when_it_was_saved(file):
    assert list(apart(archived.numbers(file), EXPECTED[file]["gives"])) == []


@pytest.mark.parametrize("file", CHECKPOINTS)
def test_a_run_that_was_broken_off_goes_on_to_the_end_it_would_have_had(file, tmp_path):
    kept = Path(shutil.copy(FOLDER / file, tmp_path))
    found = archived_runs.RUNS[file](checkpoint=kept, resume=True)
    ends, expected = archived_runs.ends(found), EXPECTED[file]["gives"]
    assert archived_runs.close(ends, expected), (ends, expected)


FAR = 10**6
"""More than any number of steps, families or nats here: what marks that a run was taken up."""


def of_steps(runs: dict[str, Any]) -> Callable[[Any], bool]:
    """Steps long past are remembered otherwise, and the trace tells it."""
    for each in runs.values():
        each["trace"][0] = -FAR
        for heated in each.get("more", {}).get("rounds", ()):
            heated[2] = -FAR
        for step in each.get("more", {}).get("steps", ()):
            step["fit"] = -FAR
    return lambda found: (
        any(-FAR in each.trace for each in found.runs)
        or (found.path is not None and found.path.steps[0].fit == -FAR)
    )


def of_a_walk(walk: dict[str, Any]) -> Callable[[Any], bool]:
    """More families were scored, and are counted."""
    walk["evaluations"] += FAR
    return lambda found: found.evaluations > FAR


def of_rounds(runs: dict[str, Any]) -> Callable[[Any], bool]:
    """The same, in every run."""
    for rounds in runs.values():
        rounds["evaluations"] += FAR
    return lambda found: found.evaluations > FAR


def of_answers(learned: dict[str, Any]) -> Callable[[Any], bool]:
    """The network without hidden variables was worth more, and is."""
    learned["begun"]["score"] += FAR
    return lambda found: found.hunt.score_without > 0


def of_scores(scores: dict[str, list[float]]) -> Callable[[Any], bool]:
    """Groups were worth nothing: cells say so, and what grows together is all or none."""
    scores |= {group: [each - FAR for each in folds] for group, folds in scores.items()}
    return lambda found: any(cell.alone < -FAR for cell in found.cells) or len(found.groups) != 2


MARKS: Mapping[str, tuple[str, Callable[[Any], Callable[[Any], bool]]]] = {
    "tacit-checkpoint": ("runs", of_steps),
    "tacit-search-checkpoint": ("walk", of_a_walk),
    "tacit-structural-em-checkpoint": ("runs", of_rounds),
    "tacit-hidden-checkpoint": ("learned", of_answers),
    "tacit-processes-checkpoint": ("scores", of_scores),
}
"""By the form of a checkpoint: where its work stands, what marks it, and who sees the mark."""


@pytest.mark.parametrize("file", [file for file in CHECKPOINTS if "begun" not in file])
def test_a_run_is_taken_up_where_it_was_and_not_begun_anew(file, tmp_path):
    plain = json.loads(raw(file))
    body, mark = MARKS[plain["format"]]
    seen = mark(plain[body])
    kept = tmp_path / "marked.ckpt"
    kept.write_text(json.dumps(plain))
    assert seen(archived_runs.RUNS[file](checkpoint=kept, resume=True))


@pytest.mark.parametrize("file", FITS)
def test_a_report_tells_of_a_fit_that_was_saved(file):
    found = tc.load_fit(file)
    assert f"{found.cases.cases:,}" in str(tc.report(found))


def test_commands_read_what_was_saved(capsys, tmp_path):
    for name in ("network-tables.bif.gz", "network-tables.net", "network-trees.json"):
        shown = run_json(capsys, "show", name)
        assert [each["name"] for each in shown["variables"]] == list(tc.read(name))
    told = run_json(capsys, "query", "network-tables.xdsl.gz", "P(Dust=yes)")
    alone = EXPECTED["network-tables.xdsl.gz"]["gives"]["queries"]["alone"]
    assert isclose(told["probabilities"], alone["Dust"][1], rel_tol=NEAR)
    told = run_json(capsys, "query", "network-mixed.json.gz", "P(Power)")
    mean, sd = EXPECTED["network-mixed.json.gz"]["gives"]["queries"]["alone"]["Power"]
    assert isclose(told["reals"][0]["mean"], mean, rel_tol=NEAR)
    assert isclose(told["reals"][0]["sd"], sd, rel_tol=NEAR)
    for name in ("fit-rules.json.gz", "search-gaps.json.gz", "hidden-states.json.gz",
                 "processes-merging.json.gz"):  # fmt: skip
        page = tmp_path / f"{name}.html"
        run(capsys, "report", name, "-o", str(page))
        assert "</html>" in page.read_text()


def test_a_command_goes_on_from_a_checkpoint(capsys, tmp_path):
    file = "checkpoint-em.ckpt.gz"
    kept = shutil.copy(FOLDER / file, tmp_path)
    told = run_json(
        capsys, "fit", archived_runs.SURVEY, "--network", archived_runs.MOOD, "--hidden", "Mood=2",
        "--restarts", "3", "--seed", "1", "--checkpoint", kept, "--resume", "-o",
        str(tmp_path / "learned.json"),
    )  # fmt: skip
    expected = EXPECTED[file]["gives"]
    assert isclose(told["objective"], expected["objective"], rel_tol=archived_runs.SAME)


def test_every_file_of_the_folder_is_tested_and_none_was_made_anew():
    there = {each.name for each in FOLDER.iterdir()} - {archived.EXPECTED.name}
    assert there == set(EXPECTED)
    assert {file: archived.digest_of(file) for file in EXPECTED} == {
        file: each["digest"] for file, each in EXPECTED.items()
    }
    assert set(CHECKPOINTS) == set(archived_runs.RUNS)
    assert {archived.kind_of(file) for file in SAVED} == set(archived.READERS)


def test_every_file_is_listed_with_the_call_that_made_it():
    listed = (FOLDER.parent / "README.md").read_text()
    assert [file for file in EXPECTED if f"`{file}`" not in listed] == []


def lacking(kinds: Mapping[str, bool]) -> list[str]:
    """Kinds without a file, those aside that are younger than the archive or for people alone."""
    return [
        kind for kind, there in kinds.items() if not there and kind not in {**YOUNGER, **FOR_PEOPLE}
    ]


def quoted_in_a_file(key: str, kinds: Any) -> dict[str, bool]:
    return {kind: f'"{key}": "{kind}"' in texts() for kind in kinds}


def test_every_family_is_in_a_network_of_the_archive():
    assert lacking(quoted_in_a_file("family", KINDS)) == []
    assert '"partial": true' in texts()


def test_every_suffix_that_can_be_read_is_in_the_archive():
    for prefix, known in (("network", SUFFIXES), ("dag", (DAG_SUFFIX,)), ("cases", CASES)):
        there = {suffix(file) for file in SAVED if archived.kind_of(file) == prefix}
        assert lacking({each: each in there for each in known}) == []


def test_every_statistic_is_in_the_archive():
    with pytest.raises(FormatError) as told:
        evidence_from_plain({"statistics": "unheard of"})
    words = str(told.value).split("known are: ")[1].split(", ")
    assert lacking(quoted_in_a_file("statistics", words)) == []


def test_every_reason_to_stop_and_every_change_of_a_dag_is_in_the_archive():
    assert lacking(quoted_in_a_file("stop", [each.name for each in Stop])) == []
    moves = [
        move[0]
        for file in FITS
        for move in json.loads(raw(file)).get("search", {}).get("moves", ())
    ]
    assert lacking({verb: verb in moves for verb in VERBS}) == []


def test_every_form_of_a_file_is_in_the_archive():
    """Forms of checkpoints and marks of formats, wherever in the package they are declared."""
    marks = set()
    for module in walk_packages(tc.__path__, "tacit."):
        if not module.name.startswith(("tacit.experiments", "tacit.sklearn", "tacit.__main__")):
            said = vars(import_module(module.name))
            marks |= {each.mark for each in said.values() if isinstance(each, Form)}
            marks |= {said["FORMAT"]} if isinstance(said.get("FORMAT"), str) else set()
    assert lacking(quoted_in_a_file("format", sorted(marks))) == []
    assert {form for form in marks if form.endswith("checkpoint")} == set(MARKS)


SAVES = {
    "Fit": "fit", "Search": "search", "HiddenProposals": "hidden", "Hierarchy": "fit",
    "Statistics": "statistics", "ProcessFit": "processes", "BottleneckPath": "path",
    "Discovery": "knowledge",
}  # fmt: skip
READS = {
    "read": "network", "read_cases": "cases", "read_knowledge": "knowledge", "read_trials": "cases",
    "load_fit": "fit", "load_statistics": "statistics", "load_processes": "processes",
}  # fmt: skip


def test_every_value_that_is_saved_and_every_reader_has_files_in_the_archive():
    kinds = {archived.kind_of(file) for file in SAVED}
    values = [name for name in tc.__all__ if hasattr(getattr(tc, name), "save")]
    assert lacking({name: SAVES.get(name) in kinds for name in values}) == []
    readers = [name for name in tc.__all__ if name.startswith(("read", "load"))]
    assert lacking({name: READS.get(name) in kinds for name in readers}) == []
