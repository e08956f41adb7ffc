"""`tacit hidden`: cases in, a network with the variables that nobody measured out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer
from tacit.cli.given import states_of
from tacit.cli.hidden_told import plain_hidden, told_hidden
from tacit.cli.hidden_words import (
    SIGNATURES,
    Variant,
    fixed_of,
    held_out_of,
    method_of_words,
    refused_of,
)
from tacit.cli.learned import learned_targets, write_learned
from tacit.cli.options import (
    AsGiven,
    Cases,
    Continuouses,
    Discretes,
    Json,
    KnowledgeFiles,
    LeftOut,
    Missing,
    Query,
    Quiet,
    ReportTo,
    Resume,
    SaveFit,
    Seed,
    TableName,
    Threads,
    Weights,
    plain_name,
    plain_names,
)
from tacit.cli.reading import Reading, structure_of
from tacit.cli.searching import score_of
from tacit.cli.targets import Target, check_kept
from tacit.cli.tuning import Settings

if TYPE_CHECKING:
    from tacit.core.dataset import Dataset
    from tacit.learn.unseen.proposals import HiddenProposals

EXAMPLES = """\
tacit hidden patients.csv -o with-hidden.json
tacit hidden patients.csv --network asia.bif --variant params -o with-hidden.json \\
    --posterior patients-and-states.csv --report report.html --seed 1
tacit hidden patients.csv --method ibem --set until=0.8 -o with-hidden.json
tacit hidden patients.csv --children "Severity -> Cough, Fever, Fatigue" \\
    --states "Severity={mild, severe}" --most 0 -o with-severity.json
tacit hidden patients.csv --refuse "Cough, Fever, Fatigue" --knowledge experts.know \\
    -o with-hidden.json
tacit hidden wide.parquet --most 5 --held-out judged.parquet --checkpoint run.ckpt --resume \\
    -o with-hidden.json --save-fit hidden.json"""


def hidden(
    cases: Cases,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="Where the network is written, or its dag alone (.dag).",
        ),
    ],
    network: Annotated[
        str | None,
        typer.Option(
            metavar="NET",
            help="Where to begin: a network or a dag; its variables without a column are known.",
        ),
    ] = None,
    knowledge: KnowledgeFiles = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help="How places are found: signatures, if not given, or ibem.",
            autocompletion=lambda: [SIGNATURES, "ibem"],
        ),
    ] = None,
    settings: Settings = None,
    children: Annotated[
        list[str] | None,
        typer.Option(metavar='"H -> A, B"', help="A variable that is fixed; repeatable."),
    ] = None,
    states: Annotated[
        list[str] | None,
        typer.Option(metavar="H=3", help="States of a fixed one, or a number for all; repeatable."),
    ] = None,
    refuse: Annotated[
        list[str] | None,
        typer.Option(metavar='"A, B, C"', help="No variable above these, please; repeatable."),
    ] = None,
    name: Annotated[str, typer.Option(help="What a variable is called that is found.")] = "H",
    score: Annotated[
        str | None,
        typer.Option(
            metavar="SCORE", help="What scores: bdeu:5, or bic where columns have real values."
        ),
    ] = None,
    variant: Annotated[
        Variant, typer.Option(help="What may change with a variable in its place.")
    ] = Variant.STAGED,
    most: Annotated[int, typer.Option(min=0, help="Variables accepted, beside fixed ones.")] = 3,
    most_states: Annotated[int, typer.Option(min=2, help="Of any of them.")] = 10,
    evidence: Annotated[
        float, typer.Option(metavar="NATS", help="What a variable must gain to be accepted.")
    ] = 3.0,
    held_out: Annotated[
        str,
        typer.Option(
            metavar="SHARE|FILE", help="To judge by: a share of the cases, or others; 0: none."
        ),
    ] = "0.2",
    tries: Annotated[int, typer.Option(min=1, help="Places tried for each variable.")] = 12,
    shown: Annotated[int, typer.Option(min=1, help="Proposals worked out of them.")] = 3,
    bootstrap: Annotated[
        int, typer.Option(min=0, help="Samples that tell how sure links are; 0: the dag alone.")
    ] = 20,
    threshold: Annotated[
        float, typer.Option(help="Of signatures: the share of uncertain links.")
    ] = 0.4,
    least: Annotated[int, typer.Option(min=3, help="Of signatures: variables at least.")] = 4,
    restarts: Annotated[
        int, typer.Option(min=0, help="Starts at random that a proposal is held against.")
    ] = 5,
    leave_out: LeftOut = None,
    as_given: AsGiven = False,
    posterior: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.csv",
            help="The cases with columns for each variable: .csv .tsv .parquet.",
        ),
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep what is learned on the way here.")
    ] = None,
    resume: Resume = False,
    weights: Weights = None,
    missing: Missing = None,
    discrete: Discretes = None,
    continuous: Continuouses = None,
    table: TableName = None,
    query: Query = None,
    save_fit: SaveFit = None,
    report: ReportTo = None,
    threads: Threads = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Find variables that nobody measured.

    Where they stand, with how many states, judged by a score and by cases held out.
    """
    asked: dict[str, Any] = {
        "method": method_of_words(method, settings),
        "children": fixed_of(children),
        "states": states_of(states or ()),
        "refuse": refused_of(refuse),
        "name": plain_name(name),
        "score": score_of(score),
        "variant": variant.value,
        "most": most,
        "most_states": most_states,
        "evidence": evidence,
        "tries": tries,
        "shown": shown,
        "bootstrap": bootstrap,
        "threshold": threshold,
        "least": least,
        "restarts": restarts,
        "leave_out": plain_names(leave_out),
        "knowledge": [Path(file) for file in knowledge] if knowledge else None,
        "seed": seed,
        "threads": threads,
        "progress": False if quiet or json else None,
        "checkpoint": checkpoint,
        "resume": resume,
    }
    judged = held_out_of(held_out)
    reading = Reading.of(weights, missing, discrete, continuous, table, query)
    asked["as_given"] = reading.kept(as_given)
    targets = learned_targets(output, save_fit, report)
    if posterior is not None:
        targets["posterior"] = _posterior_target(posterior)
    read = [("CASES", cases), *(("--knowledge", file) for file in knowledge or ())]
    read += [("--network", network)] if network is not None else []
    read += [("--held-out", judged)] if isinstance(judged, str) else []
    said = check_kept(checkpoint, resume, "", list(targets.values()), read)

    begin, notes = structure_of(network) if network is not None else (None, ())
    data = reading.cases(cases, None, threads)
    court: Any = reading.like(judged, data, threads) if isinstance(judged, str) else judged
    found = _sought(data, begin, {**asked, "held_out": court})
    found = replace(found, notes=(*notes, *found.notes, *said))
    _write(found, data, targets, reading.weights)
    told = [f"{what} written to {target.path}" for what, target in targets.items()]
    return Answer(
        "\n".join([*told_hidden(found), "", *told]),
        plain_hidden(found, targets),
        json=json,
        quiet=quiet,
    )


def _sought(data: Dataset, begin: Any, asked: dict[str, Any]) -> HiddenProposals:
    from tacit.learn.unseen.propose import propose_hidden

    return propose_hidden(data, begin, **asked)


def _posterior_target(path: str) -> Target:
    from tacit.io.casesout import PACKED, SUFFIXES

    return Target("--posterior", path, SUFFIXES, PACKED)


def _write(
    found: HiddenProposals, data: Dataset, targets: dict[str, Target], weights: str | None
) -> None:
    """Every file, or none."""
    from tacit.io.casesout import write_cases

    def posterior(path: Path) -> None:
        write_cases(found.completed(data), path, weights=weights)

    write_learned(found, targets, {"posterior": posterior}, data)
