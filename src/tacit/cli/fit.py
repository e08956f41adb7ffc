"""`tacit fit`: cases and a structure in, a network out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer
from tacit.cli.choices import (
    EmptyRows,
    EstimateName,
    MethodName,
    StartName,
    estimate_of,
    method_of,
    normal_beside,
    prior_of,
)
from tacit.cli.families import FamilyNames, families_of
from tacit.cli.given import hidden_of, reals_hidden
from tacit.cli.learned import learned_targets, write_learned
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
    Resume,
    SaveFit,
    Seed,
    StructureOf,
    TableName,
    Threads,
    Weights,
)
from tacit.cli.reading import Reading, structure_of, told_network
from tacit.cli.sourced import (
    How,
    Sources,
    files_read,
    named_sources,
    plain_loans,
    sources_of,
    transfer_of,
)
from tacit.cli.targets import Target, check_checkpoint, path_target
from tacit.cli.tuning import Settings
from tacit.core.errors import ColumnError
from tacit.estimate.ruled.status import rule_plain

if TYPE_CHECKING:
    from tacit.core.dag import Dag
    from tacit.core.dataset import Dataset
    from tacit.core.network import Network
    from tacit.learn.fits import Fit

NOT_CONVERGED = 1
"""The status under `--strict` of a fit that ended early."""

EXAMPLES = """\
tacit fit patients.csv --network "Smoker -> Cancer -> Xray" -o learned.bif
tacit fit patients.csv --network asia.bif --prior bdeu:10 -o learned.bif \\
    --save-fit fit.json --report report.html
tacit fit patients.csv --network asia.bif --knowledge experts.know -o learned.bif
tacit fit here.csv --network asia.bif --source Leeds=leeds.csv --source York=york.bif:200 \\
    -o learned.bif --report report.html
tacit fit patients.csv --network "Flu, Cold, Covid -> Fever" --family Fever=noisy-or -o fever.json
tacit fit answers.csv --network "Mood -> Sleep, Work, Appetite" --hidden Mood=3 \\
    --restarts 20 --seed 1 -o learned.json
tacit fit answers.csv --network "Mood -> Sleep, Work, Appetite" --hidden Mood=8 \\
    --method ibem --set until=validation --path-to path.csv -o learned.json
tacit fit clinic.duckdb --table visits --network asia.bif --missing NA \\
    --checkpoint run.ckpt --resume --strict -o learned.json"""


def fit(
    cases: Cases,
    network: StructureOf,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="OUT", help="Where the network is written.")
    ],
    knowledge: KnowledgeFiles = None,
    source: Sources = None,
    transfer: How = None,
    prior: PriorName = "bdeu:1",
    normal_prior: NormalPriorName = None,
    estimate: Annotated[
        EstimateName, typer.Option(help="Which parameters to take.")
    ] = EstimateName.SMOOTHED,
    empty: Annotated[
        EmptyRows, typer.Option(help="What becomes of rows that nothing determines.")
    ] = EmptyRows.UNIFORM,
    family: FamilyNames = None,
    hidden: Annotated[
        list[str] | None,
        typer.Option(
            metavar="H=3",
            help="H is in no column and has 3 states; `H=continuous`: none; `rest`: all such; "
            "repeatable.",
        ),
    ] = None,
    method: Annotated[
        MethodName | None,
        typer.Option(help="How missing cells and hidden variables are treated; em if not given."),
    ] = None,
    restarts: Annotated[
        int | None, typer.Option(min=1, help="Starts of EM: 1, or 5 with hidden variables.")
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(min=0, help="Stop when steps gain less, as a share.")
    ] = None,
    max_steps: Annotated[int | None, typer.Option(min=1, help="Of each start.")] = None,
    settings: Settings = None,
    start: Annotated[
        StartName | None, typer.Option(help="Begin with the numbers of the network NET.")
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep a running EM here.")
    ] = None,
    resume: Resume = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Status 1 if it did not converge.")
    ] = False,
    weights: Weights = None,
    missing: Missing = None,
    discrete: Discretes = None,
    continuous: Continuouses = None,
    table: TableName = None,
    query: Query = None,
    level: Annotated[float, typer.Option(help="Of the credible intervals.")] = 0.95,
    save_fit: SaveFit = None,
    report: ReportTo = None,
    path_to: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The path of ibem: .csv .tsv .parquet .json."),
    ] = None,
    threads: Threads = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Estimate the parameters of a network from cases.

    Missing cells and hidden variables are inferred; every case is used.
    """
    chosen = normal_beside(prior_of(prior), normal_prior)
    wanted = estimate_of(estimate, empty)
    families = families_of(family)
    limits = {"restarts": restarts, "tolerance": tolerance, "max_steps": max_steps}
    how = method_of(method, settings, **limits)
    reading = Reading.of(weights, missing, discrete, continuous, table, query)
    targets = learned_targets(output, save_fit, report, dag=False)
    if path_to is not None:
        targets["path"] = path_target(path_to, how)
    named = named_sources(source)
    borrowing = transfer_of(transfer, named)
    read = [("CASES", cases), *(("--knowledge", file) for file in knowledge or ())]
    read += files_read(named)
    said = check_checkpoint(checkpoint, resume, how, list(targets.values()), read)

    from tacit.learn.fit import fit as learn

    structure, notes = structure_of(network)
    unseen = hidden_of(hidden, structure)
    data = _read(reading, cases, structure, threads, unseen is not None)
    ours = {**data.variables, **reals_hidden(unseen)}
    found = learn(
        structure,
        data,
        knowledge=[Path(file) for file in knowledge] if knowledge else None,
        sources=sources_of(named, structure, ours, reading, threads),
        transfer=borrowing,
        prior=chosen,
        estimate=wanted,
        families=families,
        hidden=unseen,
        method=how,
        start=start.value if start is not None else None,
        level=level,
        seed=seed,
        threads=threads,
        progress=False if quiet or json else None,
        checkpoint=checkpoint,
        resume=resume,
    )
    found = replace(found, notes=(*notes, *found.notes, *said))
    found = told_network(found, network, targets.values())
    write_fit(found, targets, data)
    status = NOT_CONVERGED if strict and not _converged(found) else 0
    answer = Answer(_told(found, targets), _plain(found, targets), json=json, quiet=quiet)
    return replace(answer, status=status)


def _read(
    reading: Reading, cases: str, structure: Dag | Network, threads: int | None, hidden: bool
) -> Dataset:
    from tacit.learn.gathered import unmeasured

    try:
        return reading.cases(cases, structure, threads, partial=hidden)
    except ColumnError as problem:
        raise unmeasured(problem, "--hidden H=3") from None


def _converged(found: Fit) -> bool:
    from tacit.learn.fits import Stop

    return found.stop not in (Stop.STEP_LIMIT, Stop.INTERRUPTED)


def write_fit(found: Fit, targets: Mapping[str, Target], data: Dataset | None = None) -> None:
    """The network, the fit and its report, as far as they are asked for: all of them or none."""
    write_learned(found, targets, {} if found.path is None else {"path": found.path.save}, data)


def _path(found: Fit) -> dict[str, Any] | None:
    """The path of information bottleneck EM; a threshold that is never met is none."""
    if found.path is None:
        return None
    plain = found.path.to_plain()
    return {**plain, "threshold": plain["threshold"] if isfinite(plain["threshold"]) else None}


def _told(found: Fit, targets: Mapping[str, Target]) -> str:
    written = [f"{what} written to {target.path}" for what, target in targets.items()]
    return "\n".join([str(found), "", *written])


def _plain(found: Fit, targets: Mapping[str, Target]) -> dict[str, Any]:
    cases = found.cases
    return {
        "command": "fit",
        "cases": cases.cases,
        "weight": cases.weight,
        "missing_cells": dict(cases.missing),
        "complete_cases": cases.gaps.complete if cases.gaps is not None else cases.cases,
        "hidden": {
            name: states if isinstance(states, str) else list(states)
            for name, states in found.settings.get("hidden", {}).items()
        },
        "variables": len(found.network),
        "arcs": len(found.network.dag.arcs),
        "free_parameters": found.network.free_parameters,
        "estimate": found.settings["estimate"],
        "prior": found.settings["prior"],
        **(
            {"normal_prior": found.settings["normal_prior"]}
            if "normal_prior" in found.settings
            else {}
        ),
        "method": found.settings["method"],
        "objective": found.objective,
        "log_likelihood": found.log_likelihood,
        "average_log_likelihood": found.log_likelihood / cases.weight if cases.weight else None,
        "log_marginal_likelihood": found.log_marginal_likelihood,
        "stop": found.stop.value,
        "converged": _converged(found),
        "runs": [
            {"objective": run.objective, "steps": len(run.trace) - 1, "stop": run.stop.value}
            for run in found.runs
        ],
        "path": _path(found),
        "rules": [rule_plain(rule) for rule in found.rules],
        "borrowed": plain_loans(found),
        "rows_without_cases": sum(len(rows) for rows in found.empty_rows.values()),
        "seed": found.seed,
        "notes": list(found.notes),
        "written": {what: target.path for what, target in targets.items()},
    }
