"""What a report says to do it again is run, in both languages, and brings the same to the last bit.

Beside it the tables of settings are held against the arguments of the library and the options of
the command line: a setting that is new and told nowhere fails here.
"""

from __future__ import annotations

import json
import shlex
from contextlib import chdir
from dataclasses import replace
from inspect import signature
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import typer

import recipes
import tacit as tc
from recipes import RECIPES, Recipe
from tacit.cli.main import app, execute
from tacit.core.reading import Reading
from tacit.io.databases import without_secrets
from tacit.learn.processes.saved import to_plain
from tacit.learn.saved import fit_to_plain
from tacit.reporting.again_fit import FIT
from tacit.reporting.again_hidden import HIDDEN
from tacit.reporting.again_hierarchy import HIERARCHY
from tacit.reporting.again_judged import EVALUATE as EVALUATE_VERB
from tacit.reporting.again_reading import OPTIONS
from tacit.reporting.again_search import SEARCH, STRUCTURAL_EM
from tacit.reporting.again_text import TEXT
from tacit.reporting.process_again import PROCESSES
from tacit.reporting.process_again import TRIALS as TRIAL_OPTIONS

SAVED = "again-saved.json"


def said_again(fit: Any) -> dict[str, Any]:
    """The last section of a report."""
    section = tc.report(fit).facts["sections"][-1]
    assert section["title"] == "To do it again"
    return section


def bits(found: Any) -> Any:
    """All that was learned: numbers with every digit; versions and notes aside."""
    if isinstance(found, tc.ProcessFit):
        plain = to_plain(found)
        return {
            name: plain[name] for name in ("groups", "log_likelihood", "score", "cells", "merges")
        }
    plain = fit_to_plain(found)
    kept = ("network", "objective", "log_likelihood", "trace", "rules", "borrowed", "pseudo")
    more = {"score": found.score, "gains": plain["search"]} if isinstance(found, tc.Search) else {}
    if "hidden" in plain:
        more["hidden"] = [
            {key: each[key] for key in ("name", "children", "gain", "held_out_gain", "accepted")}
            for each in plain["hidden"]["proposals"]
        ]
    for rule in plain["rules"]:
        del rule["source"], rule["line"]  # where it stands is another file, or none
    cases = {key: plain["cases"][key] for key in ("cases", "weight", "missing", "fingerprint")}
    return json.loads(json.dumps({name: plain[name] for name in kept} | more | {"cases": cases}))


def put_in(python: str, dots: dict[str, Any]) -> str:
    """The program with what a reader must put where dots stand."""
    for name in dots:
        assert f"\n{name} = ..." in python
        python = python.replace(f"\n{name} = ...", f"\n{name} = DOTS[{name!r}]  #")
    assert " = ..." not in python
    return python


def stand_ins(fit: Any) -> None:
    """The files that a section says to write."""
    if isinstance(fit, tc.ProcessFit):
        return
    tc.write(fit.network, "learned.json")
    Path("rules.know").write_text(str(fit.settings.get("knowledge", "")))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files that recipes read."""
    folder = tmp_path_factory.mktemp("recipes")
    with chdir(folder):
        recipes.files()
    return folder


@pytest.fixture
def folder(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, where we are."""
    copytree(prepared, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_what_is_said_to_do_it_again_does_it_again(recipe: Recipe, folder: Path) -> None:
    fit = recipe.make()
    again, first = said_again(fit), bits(fit)
    stand_ins(fit)
    dots = {name: make() for name, make in recipe.dots.items()}
    names: dict[str, Any] = {"DOTS": dots}
    exec(put_in(again["python"], dots), names)
    found = names.get("found", names.get("fit"))
    assert bits(found) == first
    assert (again["command"] is None) == recipe.alone
    if again["command"] is None:
        assert any(each.startswith("No command repeats this: ") for each in again["remarks"])
        return
    if "cases" in dots:
        tc.write_cases(dots["cases"], "CASES.csv", weights="how often")
        again["command"] = again["command"].replace(" CASES ", " CASES.csv ", 1)
        if dots["cases"] is not None and getattr(dots["cases"], "weights", None) is not None:
            again["command"] += " --weights 'how often'"
    words = [*shlex.split(again["command"])[1:], "-q"]
    if words[0] != "processes":
        words += ["--save-fit", SAVED]
    assert execute(words) == 0
    assert Path("report.html").is_file()
    repeated = tc.load_processes("learned.json") if words[0] == "processes" else tc.load_fit(SAVED)
    repeated_bits = bits(repeated)
    if "cases" in dots:
        first["cases"].pop("fingerprint"), repeated_bits["cases"].pop("fingerprint")
    assert repeated_bits == first


def told_by(*words: str) -> dict[str, Any]:
    """The sections of a report that a command writes, by kind."""
    assert execute([*words, "--report", "r.json", "-q"]) == 0
    facts = json.loads(Path("r.json").read_text())
    return {section["kind"]: section for section in facts["sections"]}


EVALUATE = ("evaluate", "asia.csv", "--network", "asia.bif", "--seed", "3")
EVALUATIONS = {
    "target": (*EVALUATE, "--target", "dysp", "--folds", "3"),
    "everything": (
        *EVALUATE, "--target", "dysp", "--curve", "--repeats", "2", "--knowledge", "sure.know",
        "--prior", "k2", "--estimate", "map", "--family", "dysp=tree-table",
    ),
    "gaps": ("evaluate", "marked.csv", "--network", "group -> crp", "--missing", "NA", "--target",
             "crp", "--weights", "n", "--seed", "1"),
    "lines": ("evaluate", "reals.csv", "--network", "X -> Y -> Z", "--normal-prior", "3", "--seed",
              "1"),
}  # fmt: skip


@pytest.mark.parametrize("words", EVALUATIONS.values(), ids=EVALUATIONS)
def test_an_evaluation_is_made_again_with_all_that_it_says(words: Any, folder: Path) -> None:
    first = told_by(*words)
    again = first.pop("again")
    command = again["command"].replace("report.html", "r.json")
    assert told_by(*shlex.split(command)[1 : command.split().index("--report")]) == {
        **first,
        "again": again,
    }
    names: dict[str, Any] = {}
    exec(put_in(again["python"], {}), names)
    report = tc.report(names["fit"], evaluation=names["held"], curve=names.get("curve"))
    second = {section["kind"]: section for section in report.facts["sections"]}
    for kind in {"folds", "prediction", "values", "learning"} & set(first):
        assert second[kind] == first[kind]


def test_an_evaluation_of_other_cases_or_by_other_settings_is_said_to_be_so(folder: Path) -> None:
    fit = tc.fit("asia.bif", "asia.csv")
    judged = tc.evaluate(fit.network, "leeds.csv", "dysp")
    again = tc.report(fit, evaluation=judged).facts["sections"][-1]
    assert any("tc.evaluate(fit.network, THOSE_CASES, 'dysp')" in each for each in again["remarks"])
    other = tc.cross_validate("asia.bif", "asia.csv", prior=tc.K2(), seed=1)
    again = tc.report(fit, evaluation=other).facts["sections"][-1]
    assert (
        "held = ...  # cross-validation of other settings than those of the fit" in again["python"]
    )
    assert again["command"] is None
    found = tc.search("asia.csv", seed=1)
    held = tc.cross_validate(found.dag, "asia.csv", seed=1)
    again = tc.report(found, evaluation=held).facts["sections"][-1]
    assert again["command"] is None
    assert again["remarks"] == [
        "No command repeats this: the command line has no words for what was learned and its "
        "evaluation at once."
    ]
    names: dict[str, Any] = {}
    exec(again["python"], names)
    assert names["held"].average == held.average


DOCUMENTS = ("text", "mails.csv", "--text", "Body", "--target", "Topic")
TEXTS = {
    "plain": (),
    "everything": (
        "--kind", "bernoulli", "--least", "2", "--group", "Author", "--prior", "dirichlet:0.5",
    ),
    "rules": ("--group", "Author", "--knowledge", "words.know"),
}  # fmt: skip


@pytest.mark.parametrize("more", TEXTS.values(), ids=TEXTS)
def test_a_classifier_of_documents_is_learned_again(more: Any, folder: Path) -> None:
    words = (*DOCUMENTS, *more)
    again = told_by(*words, "-o", "first.json")["again"]
    names: dict[str, Any] = {}
    exec(put_in(again["python"], {}), names)
    assert execute(shlex.split(again["command"])[1:]) == 0
    first = Path("first.json").read_bytes()
    assert Path("learned.json").read_bytes() == first
    tc.write(names["model"].network, "python.json")
    assert Path("python.json").read_bytes() == first


SPOKEN = {
    "documents": ["soup and bread", "the meeting", "soup"],
    "classes": ["lunch", "work", "lunch"],
    "weights": [1.0, 2.0, 0.5],
}


def spoken() -> tc.TextModel:
    """A classifier of documents from memory."""
    return tc.fit_text(
        **SPOKEN, dictionary=["soup", "meeting"], states=["work", "lunch"], word="Said"
    )


def test_documents_from_memory_are_asked_for_where_they_belong(folder: Path) -> None:
    again = said_again(spoken().fit)
    assert again["command"] is None
    names: dict[str, Any] = {"DOTS": SPOKEN}
    exec(put_in(again["python"], SPOKEN), names)
    assert bits(names["fit"]) == bits(spoken().fit)


JUDGED = {
    "hidden": ("H -> A, B, C, D, E", "factors.csv", {"hidden": {"H": 2}, "seed": 2}),
    "tied": ("A -> B -> C", "factors.csv", {"tied": [["B", "C"]], "seed": 2}),
    "start": ("asia.bif", "asia-gaps.csv", {"start": "given", "seed": 2}),
    "method": ("asia.bif", "asia-gaps.csv", {"method": tc.EM(max_steps=7), "seed": 2}),
}


@pytest.mark.parametrize(("structure", "cases", "said"), JUDGED.values(), ids=JUDGED)
def test_what_evaluate_has_no_option_for_is_said_in_python(
    structure: str, cases: str, said: dict[str, Any], folder: Path
) -> None:
    fit = tc.fit(structure, cases, **said)
    held = tc.cross_validate(structure, cases, folds=3, **said)
    again = tc.report(fit, evaluation=held).facts["sections"][-1]
    assert again["command"] is None
    names: dict[str, Any] = {}
    exec(again["python"], names)
    assert bits(names["fit"]) == bits(fit)
    assert names["held"].per_case.tolist() == held.per_case.tolist()


@pytest.mark.parametrize("name", ["marks of missing cells", "a source with marks", "structural EM"])
def test_a_fit_that_was_saved_says_the_same(name: str, folder: Path) -> None:
    fit = next(each for each in RECIPES if each.name == name).make()
    fit.save("saved.json")
    assert said_again(tc.load_fit("saved.json")) == said_again(fit)


def test_a_fit_saved_before_reading_was_kept_is_still_read_and_says_what_it_lacks(
    folder: Path,
) -> None:
    fit = tc.fit("group -> crp", tc.read_cases("marked.csv", missing="NA"))
    fit.save("saved.json")
    plain = json.loads(Path("saved.json").read_text())
    assert plain["cases"].pop("reading") == {"source": "marked.csv", "options": {"missing": ["NA"]}}
    Path("old.json").write_text(json.dumps(plain))
    again = said_again(tc.load_fit("old.json"))
    assert "cases = tc.read_cases('marked.csv')\n" in again["python"]
    assert again["command"].startswith("tacit fit marked.csv --network ")
    (remark,) = again["remarks"]
    assert remark.startswith("This fit was saved by an older version, which kept of the reading")
    plain["cases"]["source"] = "a pandas DataFrame"
    Path("old.json").write_text(json.dumps(plain))
    again = said_again(tc.load_fit("old.json"))
    assert "cases = ...  # a pandas DataFrame" in again["python"]


def test_processes_saved_before_reading_was_kept_are_still_read(folder: Path) -> None:
    fit = next(each for each in RECIPES if each.name == "processes").make()
    plain = to_plain(fit)
    del plain["reading"], plain["settings"]["onsets_file"]
    Path("old.json").write_text(json.dumps(plain))
    again = said_again(tc.load_processes("old.json"))
    assert "trials = tc.read_trials('trials.csv')" in again["python"]
    assert "`onsets.csv` stands for the table of onsets." in again["remarks"]


def test_cases_from_memory_are_said_to_be_so_in_plain_words(folder: Path) -> None:
    made = [each for each in RECIPES if "cases" in each.dots]
    assert len(made) > 2
    for recipe in made:
        report = tc.report(recipe.make())
        remark = said_again(recipe.make())["remarks"][0]
        assert remark.startswith("The cases were not read from a file as they are here: ")
        assert remark in " ".join(str(report).split())
        assert "<code>cases = ...</code>" in report.to_html()


def test_a_password_is_never_told(folder: Path) -> None:
    source = "postgresql://ann:secret@there/clinic"
    fit = tc.fit("group -> crp", tc.read_cases("groups.txt"))
    reading = Reading(without_secrets(source), {"table": "visits"})
    told = said_again(replace(fit, cases=replace(fit.cases, reading=reading)))
    assert "secret" not in json.dumps(told)
    assert "The password of the database is not kept: it belongs where *** is." in told["remarks"]


def parameters(of: Any) -> set[str]:
    return set(signature(of).parameters) - {"self"}


IDLE = {"data", "threads", "progress", "checkpoint", "resume"}
"""What is read, and what changes nothing of what comes of it."""
CALLS = {
    "fit": (FIT, [tc.fit]),
    "search": (SEARCH, [tc.search]),
    "structural EM": (STRUCTURAL_EM, [tc.structural_em]),
    "hidden": (HIDDEN, [tc.propose_hidden]),
    "hierarchy": (HIERARCHY, [tc.learn_hierarchy]),
    "text": (TEXT, [tc.fit_text]),
    "processes": (PROCESSES, [tc.HiddenProcesses, tc.HiddenProcesses.fit]),
}


@pytest.mark.parametrize(("verb", "calls"), CALLS.values(), ids=CALLS)
def test_every_argument_of_a_call_has_its_place_in_the_table(verb: Any, calls: Any) -> None:
    known = [name for setting in verb.settings for name in setting.arguments]
    assert len(known) == len(set(known))
    wanted = set().union(*map(parameters, calls)) - IDLE - {"trials"}
    assert set(known) == wanted


@pytest.mark.parametrize(
    ("table", "call"), [(OPTIONS, tc.read_cases), (TRIAL_OPTIONS, tc.read_trials)]
)
def test_every_argument_of_reading_has_its_place_in_the_table(table: Any, call: Any) -> None:
    assert set(table) == parameters(call) - {"source", "names", "threads"}


def test_every_argument_of_judging_has_its_place_in_the_table() -> None:
    known = {name for setting in EVALUATE_VERB.settings for name in setting.arguments}
    assert known >= parameters(tc.cross_validate) - IDLE
    assert parameters(tc.learning_curve) - IDLE - known == {
        "sizes", "variants", "held_out", "options",
    }  # fmt: skip


WRITTEN = {"--output", "-o", "--save-fit", "--report", "--json", "--quiet", "-q", "--help", "-h"}
WORKING = {"--threads", "--checkpoint", "--resume", "--strict"}
COMMANDS = {
    "fit": ([FIT], {"--path-to"}),
    "search": ([SEARCH, STRUCTURAL_EM], set()),
    "hidden": ([HIDDEN], {"--posterior"}),
    "evaluate": ([EVALUATE_VERB], {"--as-is"}),
    "text": ([TEXT], {"--predict", "--predictions", "--network", "--seed"}),
    "processes": ([PROCESSES], {"--scales"}),
}
"""The tables of each command, and options that change nothing of what is reported."""


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_has_its_place_in_the_table(name: str) -> None:
    verbs, others = COMMANDS[name]
    reading = TRIAL_OPTIONS if name == "processes" else {} if name == "text" else OPTIONS
    known = {option for verb in verbs for each in verb.settings for option in each.options}
    known |= {each.option for each in reading.values() if each.option}
    command = typer.main.get_command(app).commands[name]
    here = {option for each in command.params for option in each.opts if option.startswith("-")}
    assert here - WRITTEN - WORKING - others == known


def test_recipes_use_every_setting_of_every_table(folder: Path) -> None:
    """What no recipe says is not shown to be said rightly."""
    programs, commands = [said_again(spoken().fit)["python"]], []
    for recipe in RECIPES:
        again = said_again(recipe.make())
        programs.append(again["python"])
        commands += [again["command"]] if again["command"] else []
    for words in (*EVALUATIONS.values(), *((*DOCUMENTS, *more) for more in TEXTS.values())):
        again = told_by(*words)["again"]
        programs.append(again["python"])
        commands.append(again["command"])
    unsaid = []
    for verb in (each for each, _ in CALLS.values()):
        mine = "\n".join(each for each in programs if verb.call.partition("= ")[2] in each)
        unsaid += [
            (verb.call, name)
            for name in (setting.arguments[0] for setting in verb.settings)
            if name not in (*verb.positional, *PLACED, *IMPLIED) and f"{name}=" not in mine
        ]
    for verb in (*(each for each, _ in CALLS.values()), EVALUATE_VERB):
        words = " ".join(each for each in commands if each.startswith(f"tacit {verb.command} "))
        options = [each for setting in verb.settings for each in setting.options]
        unsaid += [(verb.command, each) for each in options if f" {each} " not in words]
    for table, call in ((OPTIONS, "read_cases("), (TRIAL_OPTIONS, "read_trials(")):
        lines = "\n".join(line for each in programs for line in each.splitlines() if call in line)
        unsaid += [(call, name) for name in table if f"{name}=" not in lines]
    assert not unsaid, f"no recipe says {unsaid}"


PLACED = ("lengths", "onsets")
"""What is written by its place."""
IMPLIED = ("variant",)
"""What follows from the score."""
