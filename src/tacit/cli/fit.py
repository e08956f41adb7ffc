"""`tacit fit`: cases and a structure in, a network out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer
from tacit.cli.choices import (
    PRIORS,
    EmptyRows,
    EstimateName,
    MethodName,
    estimate_of,
    method_of,
    prior_of,
)
from tacit.cli.options import (
    Cases,
    Continuouses,
    Discretes,
    Json,
    Missing,
    Query,
    Quiet,
    Seed,
    TableName,
    Weights,
)
from tacit.cli.reading import Reading, structure_of
from tacit.cli.targets import (
    Target,
    check_targets,
    fit_target,
    network_target,
    report_target,
    write_all,
)

if TYPE_CHECKING:
    from tacit.learn.fits import Fit

EXAMPLES = """\
tacit fit patients.csv --network "Smoker -> Cancer -> Xray" -o learned.bif
tacit fit patients.csv --network asia.bif --prior bdeu:10 -o learned.bif \\
    --save-fit fit.json --report report.html
tacit fit clinic.duckdb --table visits --network asia.bif --missing NA \\
    --method available -o learned.json"""


def fit(
    cases: Cases,
    network: Annotated[
        str,
        typer.Option(
            "--network",
            metavar="NET",
            help='The structure: a network file, or a dag as text, "A -> B <- C".',
        ),
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="OUT", help="Where the network is written.")
    ],
    prior: Annotated[
        str,
        typer.Option(
            metavar="PRIOR",
            help="bdeu:10, k2, jeffreys or dirichlet:2.",
            autocompletion=lambda: list(PRIORS),
        ),
    ] = "bdeu:1",
    estimate: Annotated[
        EstimateName, typer.Option(help="Which parameters to take.")
    ] = EstimateName.SMOOTHED,
    empty: Annotated[
        EmptyRows, typer.Option(help="What becomes of rows that nothing determines.")
    ] = EmptyRows.UNIFORM,
    method: Annotated[
        MethodName | None,
        typer.Option(help="With missing cells: each family skips cases incomplete in it."),
    ] = None,
    weights: Weights = None,
    missing: Missing = None,
    discrete: Discretes = None,
    continuous: Continuouses = None,
    table: TableName = None,
    query: Query = None,
    level: Annotated[float, typer.Option(help="Of the credible intervals.")] = 0.95,
    save_fit: Annotated[
        str | None, typer.Option(metavar="FIT.json", help="Keep the whole fit here.")
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="R.html", help="A report: .html .md .txt .json.")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Use at most so many cores.")] = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Estimate the parameters of a network from cases."""
    chosen, wanted = prior_of(prior), estimate_of(estimate, empty)
    reading = Reading.of(weights, missing, discrete, continuous, table, query)
    targets = _targets(output, save_fit, report)
    check_targets(list(targets.values()), ("CASES", cases))

    from tacit.learn.fit import fit as learn

    structure, notes = structure_of(network)
    found = learn(
        structure,
        reading.cases(cases, structure, threads),
        prior=chosen,
        estimate=wanted,
        method=method_of(method),
        level=level,
        seed=seed,
        threads=threads,
        progress=False if quiet or json else None,
    )
    found = replace(found, notes=(*notes, *found.notes))
    write_fit(found, targets)
    return Answer(_told(found, targets), _plain(found, targets), json=json, quiet=quiet)


def _targets(output: str, save_fit: str | None, report: str | None) -> dict[str, Target]:
    targets = {"network": network_target("-o", output)}
    if save_fit is not None:
        targets["fit"] = fit_target("--save-fit", save_fit)
    if report is not None:
        targets["report"] = report_target("--report", report)
    return targets


def write_fit(found: Fit, targets: Mapping[str, Target]) -> None:
    """The network, the fit and its report, as far as they are asked for: all of them or none."""
    from tacit.io.formats import write
    from tacit.reporting.report import report

    writers = {
        "network": lambda path: write(found.network, path),
        "fit": found.save,
        "report": lambda path: report(found).save(path),
    }
    write_all([(target, writers[what]) for what, target in targets.items()])


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
        "variables": len(found.network),
        "arcs": len(found.network.dag.arcs),
        "free_parameters": found.network.free_parameters,
        "estimate": found.settings["estimate"],
        "prior": found.settings["prior"],
        "method": found.settings["method"],
        "objective": found.objective,
        "log_likelihood": found.log_likelihood,
        "average_log_likelihood": found.log_likelihood / cases.weight if cases.weight else None,
        "log_marginal_likelihood": found.log_marginal_likelihood,
        "stop": found.stop.value,
        "rows_without_cases": sum(len(rows) for rows in found.empty_rows.values()),
        "seed": found.seed,
        "notes": list(found.notes),
        "written": {what: target.path for what, target in targets.items()},
    }
