"""`tacit score`: how probable cases are under a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer, noted
from tacit.cli.options import (
    Cases,
    Json,
    Missing,
    NetworkFile,
    Query,
    Quiet,
    Seed,
    TableName,
    Weights,
)
from tacit.cli.reading import Reading, network_of, unmeasured
from tacit.cli.searching import ScoreName, score_of
from tacit.cli.targets import Target, check_targets, write_all
from tacit.core.grid import amount, counted

if TYPE_CHECKING:
    from tacit.core.dataset import Dataset
    from tacit.core.network import Network
    from tacit.estimate.scores.values import AnyScore
    from tacit.infer.likelihood import LogLikelihood

EXAMPLES = """\
tacit score learned.bif new-patients.csv
tacit score learned.bif new-patients.csv --per-case scores.csv
tacit score learned.bif patients.csv --score bdeu:10"""


def score(
    network: NetworkFile,
    cases: Cases,
    per_case: Annotated[
        str | None,
        typer.Option(metavar="FILE.csv", help="Write the log-likelihood of each case here."),
    ] = None,
    score: ScoreName = None,
    weights: Weights = None,
    missing: Missing = None,
    table: TableName = None,
    query: Query = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Say how probable cases are under a network.

    The log-likelihood in nats: its sum, and its average per case. What is missing is summed out.
    With --score also what the dag is worth on these cases, as a search would judge it.
    """
    del seed
    judged = score_of(score)
    targets = [Target("--per-case", per_case, (".csv",), (".csv",))] if per_case is not None else []
    check_targets(targets, ("CASES", cases))

    from tacit.infer.likelihood import log_likelihood

    reading = Reading.of(weights, missing, None, None, table, query)
    found, notes = network_of(network)
    data = reading.cases(cases, found, partial=True)
    value = log_likelihood(found, data)
    notes = (*notes, *data.notes, *unmeasured(found, data, "summed out in every case"))
    notes = (*notes, *value.notes)
    write_all([(target, lambda path: _write_each(value, path)) for target in targets])
    plain = _plain(value, data, list(notes))
    if judged is not None:
        plain["score"] = _worth(found, data, judged)
    if per_case is not None:
        plain["written"] = {"per_case": per_case}
    return Answer(_told(plain), plain, repr(float(value)), json=json, quiet=quiet)


def _worth(network: Network, data: Dataset, judged: AnyScore) -> dict[str, Any]:
    from tacit.learn.structure.scored import score as scored

    found = scored(network.dag, data, judged)
    return {"by": found.scored_by, "total": found.total, "families": dict(found.families)}


def _write_each(value: LogLikelihood, path: Path) -> None:
    from tacit.io.files import write_whole

    lines = [f"{at},{each!r}" for at, each in enumerate(value.per_case.tolist(), 1)]
    write_whole(path, "\n".join(["case,log_likelihood", *lines]) + "\n")


def _plain(value: LogLikelihood, data: Dataset, notes: list[str]) -> dict[str, Any]:
    return {
        "command": "score",
        "cases": len(data),
        "weight": data.total_weight,
        "log_likelihood": float(value),
        "average_log_likelihood": value.average,
        "missing_cells": {name: cells for name, cells in data.missing().items() if cells},
        "impossible_cases": int((value.per_case == -float("inf")).sum()),
        "notes": notes,
    }


def _told(plain: dict[str, Any]) -> str:
    cases, impossible = counted(plain["cases"], "case"), plain["impossible_cases"]
    if plain["weight"] != plain["cases"]:
        cases += f" weighing {amount(plain['weight'])}"
    lines = [
        f"{cases}: log-likelihood {amount(plain['log_likelihood'])} nats, "
        f"{plain['average_log_likelihood']:.6g} per case"
    ]
    if cells := sum(plain["missing_cells"].values()):
        verb = "is" if cells == 1 else "are"
        lines.append(f"{counted(cells, 'cell')} {verb} missing and summed out")
    if impossible:
        verb = "is" if impossible == 1 else "are"
        lines.append(f"{counted(impossible, 'case')} {verb} impossible under the network")
    if "score" in plain:
        by, total = plain["score"]["by"], plain["score"]["total"]
        lines.append(f"score of the dag {total:,.2f} nats by {by}")
    if "written" in plain:
        lines.append(f"each case's log-likelihood written to {plain['written']['per_case']}")
    return "\n".join([*lines, *noted(plain["notes"])])
