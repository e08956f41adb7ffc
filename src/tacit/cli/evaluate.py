"""`tacit evaluate`: how well cases that were not learned from are predicted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer, noted
from tacit.cli.choices import EmptyRows, EstimateName, estimate_of, normal_beside, prior_of
from tacit.cli.families import FamilyNames, families_of
from tacit.cli.options import (
    Cases,
    Continuouses,
    Discretes,
    Json,
    KnowledgeFiles,
    Missing,
    NormalPriorName,
    PriorName,
    Query,
    Quiet,
    ReportTo,
    Seed,
    StructureOf,
    TableName,
    Threads,
    Weights,
    plain_name,
)
from tacit.cli.reading import Reading, network_of, structure_of, told_network
from tacit.cli.targets import Target, check_targets, report_target, write_all
from tacit.core.errors import OptionError

if TYPE_CHECKING:
    from tacit.core.dag import Dag
    from tacit.core.dataset import Dataset
    from tacit.core.network import Network
    from tacit.learn.evaluation.curve import LearningCurve
    from tacit.learn.evaluation.evaluation import AnyEvaluation
    from tacit.learn.heldout import CrossValidation

EXAMPLES = """\
tacit evaluate patients.csv --network "Ill -> Fever, Cough, Pain" --target Ill
tacit evaluate patients.csv --network asia.bif --target dysp --curve --report report.html
tacit evaluate new-patients.csv --network learned.bif --target dysp --as-is"""


def evaluate(
    cases: Cases,
    network: StructureOf,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Judge also how well this one is predicted from all others."
        ),
    ] = None,
    as_is: Annotated[
        bool,
        typer.Option("--as-is", help="Judge the numbers of the network file; learn nothing."),
    ] = False,
    folds: Annotated[
        int,
        typer.Option(min=2, help="Parts into which the cases are split; each is held out once."),
    ] = 5,
    curve: Annotated[
        bool, typer.Option("--curve", help="Learn from few and more cases, too.")
    ] = False,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="How often a curve draws its cases; 5 if not given.")
    ] = None,
    knowledge: KnowledgeFiles = None,
    prior: PriorName = "bdeu:1",
    normal_prior: NormalPriorName = None,
    estimate: Annotated[
        EstimateName, typer.Option(help="Which parameters to take.")
    ] = EstimateName.SMOOTHED,
    family: FamilyNames = None,
    report: ReportTo = None,
    weights: Weights = None,
    missing: Missing = None,
    discrete: Discretes = None,
    continuous: Continuouses = None,
    table: TableName = None,
    query: Query = None,
    threads: Threads = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Say how well cases that were not learned from are predicted.

    Every part of the cases is held out once and scored by a network learned from all others; with
    --target also log score, Brier score, accuracy, area under the ROC curve and calibration; if it
    is continuous log density, RMSE, MAE, R², CRPS, and how many values lie in their intervals.
    """
    targets = [] if report is None else [report_target("--report", report)]
    check_targets(targets, ("CASES", cases))
    reading = Reading.of(weights, missing, discrete, continuous, table, query)
    named = None if target is None else plain_name(target)
    if as_is:
        given = {"--curve": curve, "--report": report is not None, "--knowledge": bool(knowledge)}
        return _as_is(reading, cases, network, named, given, json=json, quiet=quiet)
    if repeats is not None and not curve:
        raise OptionError(
            "--repeats says how often --curve draws its cases, and --curve is not given"
        )
    options: dict[str, Any] = {
        "knowledge": [Path(file) for file in knowledge or ()] or None,
        "prior": normal_beside(prior_of(prior), normal_prior),
        "estimate": estimate_of(estimate, EmptyRows.UNIFORM),
        "families": families_of(family),
    }

    from tacit.infer.sampling import fresh_seed

    structure, notes = structure_of(network)
    data = reading.cases(cases, structure, threads)
    seed, told = fresh_seed(seed), False if quiet or json else None
    found = _validated(structure, data, named, folds, seed, {**options, "threads": threads}, told)
    learned = _curve(structure, data, named, repeats or 5, seed, options, told) if curve else None
    if targets:
        _report(targets[0], network, structure, data, found, learned, options)
    return _answer(found, learned, [*notes], report, json=json, quiet=quiet)


def _validated(
    structure: Dag | Network,
    data: Dataset,
    target: str | None,
    folds: int,
    seed: int,
    options: dict[str, Any],
    told: bool | None,
) -> CrossValidation:
    from tacit.learn.folds import cross_validate

    return cross_validate(
        structure, data, folds=folds, target=target, seed=seed, progress=told, **options
    )


def _curve(
    structure: Dag | Network,
    data: Dataset,
    target: str | None,
    repeats: int,
    seed: int,
    options: dict[str, Any],
    told: bool | None,
) -> LearningCurve:
    from tacit.learn.evaluation.learning import learning_curve

    return learning_curve(
        structure, data, target=target, repeats=repeats, seed=seed, progress=told, **options
    )


def _report(
    target: Target,
    network: str,
    structure: Dag | Network,
    data: Dataset,
    found: CrossValidation,
    learned: LearningCurve | None,
    options: dict[str, Any],
) -> None:
    """All cases fitted at the end, and what was said of those held out."""
    from tacit.learn.fit import fit
    from tacit.reporting.report import report

    whole = fit(structure, data, seed=found.seed, progress=False, **options)
    whole = told_network(whole, network, [target])
    told = report(whole, evaluation=found, curve=learned, data=data)
    write_all([(target, told.save)])


def _as_is(
    reading: Reading,
    cases: str,
    network: str,
    target: str | None,
    given: dict[str, bool],
    *,
    json: bool,
    quiet: bool,
) -> Answer:
    """A network as it stands in its file."""
    wrong = [option for option, used in given.items() if used]
    if wrong:
        raise OptionError(f"--as-is learns nothing, so {wrong[0]} has nothing to say")
    if target is None:
        raise OptionError("--as-is needs --target; tacit score says how probable whole cases are")

    from tacit.learn.evaluation.predicted import evaluate as evaluated

    found, notes = network_of(network)
    data = reading.cases(cases, found, partial=True)
    judged = evaluated(found, data, target)
    said = [*notes, *data.notes]
    plain = {"command": "evaluate", "prediction": judged.to_plain(), "notes": said}
    return Answer(_lines(judged, said), plain, _brief(judged), json=json, quiet=quiet)


def _answer(
    found: CrossValidation,
    learned: LearningCurve | None,
    notes: list[str],
    report: str | None,
    *,
    json: bool,
    quiet: bool,
) -> Answer:
    plain = {"command": "evaluate", **found.to_plain()}
    del plain["per_case"], plain["fold"]
    plain["notes"] = [*notes, *plain["notes"]]
    lines = [str(found), *noted(notes)]
    if learned is not None:
        plain["curve"] = learned.to_plain()
        fresh = tuple(note for note in learned.notes if note not in found.notes)
        lines.append(str(replace(learned, notes=fresh)))
    if report is not None:
        plain["written"] = {"report": report}
        lines.append(f"report written to {report}")
    judged = found.evaluation
    brief = repr(found.average) if judged is None else _brief(judged)
    return Answer("\n".join(lines), plain, brief, json=json, quiet=quiet)


def _lines(judged: AnyEvaluation, notes: list[str]) -> str:
    return "\n".join([str(judged), *noted(notes)])


def _brief(judged: AnyEvaluation) -> str:
    """The log score alone."""
    return repr(judged.log_score)
