"""`tacit discover`: rules that nobody stated and the cases support."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.answers import Answer
from tacit.cli.choices import prior_of
from tacit.cli.options import (
    Cases,
    Continuouses,
    Discretes,
    Json,
    Missing,
    PriorName,
    Query,
    Quiet,
    Seed,
    StructureOf,
    TableName,
    Threads,
    Weights,
    plain_names,
)
from tacit.cli.reading import Reading, structure_of
from tacit.cli.targets import Target, check_targets, write_all

if TYPE_CHECKING:
    from tacit.learn.discovered import Discovery

EXAMPLES = """\
tacit discover patients.csv --network asia.bif -o found.know
tacit discover patients.csv --network asia.bif --within dysp --kind rows --kind orders
tacit discover patients.csv --network asia.bif --start expert.know --threshold 5 -o found.know"""


def discover(
    cases: Cases,
    network: StructureOf,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="FILE.know", help="Where the rules found are written."
        ),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Rules that are kept (.know); repeatable."),
    ] = None,
    within: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Search the table of this variable; repeatable."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="tables, rows, links, ratios, cells or orders; repeatable. All if not given.",
        ),
    ] = None,
    prior: PriorName = "bdeu:1",
    threshold: Annotated[
        float | None,
        typer.Option(min=0, help="Nats that a rule must gain beyond its price; log 10."),
    ] = None,
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
    """Propose rules that nobody stated and the cases support.

    Sharing, parents that do not matter, equal masses and ratios, rises and falls: as rules with a
    remark on what each gains, for an expert to accept or strike.
    """
    chosen = prior_of(prior)
    reading = Reading.of(weights, missing, discrete, continuous, table, query)
    targets = [] if output is None else [Target("-o", output, (".know",), (".know",))]
    check_targets(targets, ("CASES", cases), *(("--start", file) for file in start or ()))

    from tacit.learn.discover import THRESHOLD
    from tacit.learn.discover import discover as search
    from tacit.learn.discovery.finds import KINDS

    structure, notes = structure_of(network)
    found = search(
        structure,
        reading.cases(cases, structure, threads),
        within=plain_names(within) or None,
        kinds=kind or KINDS,
        start=[Path(file) for file in start] if start else None,
        prior=chosen,
        threshold=THRESHOLD if threshold is None else threshold,
        seed=seed,
        threads=threads,
        progress=False if quiet or json else None,
    )
    write_all([(target, found.save) for target in targets])
    return _answer(found, notes, output, json=json, quiet=quiet)


def _answer(
    found: Discovery, notes: tuple[str, ...], output: str | None, *, json: bool, quiet: bool
) -> Answer:
    plain = {"command": "discover", **found.to_plain()}
    plain["notes"] = [*notes, *found.notes]
    if output is not None:
        plain["written"] = {"knowledge": output}
    said = [str(found), *(f"note: {note}" for note in notes)]
    if output is not None:
        next_ = ": strike what is wrong, and fit with the rest" if len(found.proposals) else ""
        what = "rules" if len(found.knowledge.rules) else "a file without rules"
        said += ["", f"{what} written to {output}{next_}"]
    brief = "" if output is not None else str(found.knowledge).rstrip("\n")
    return Answer("\n".join(said), plain, brief, json=json, quiet=quiet)
