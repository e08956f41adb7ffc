"""`tacit compare`: whose rules suit the cases best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.answers import Answer, noted
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
)
from tacit.cli.reading import Reading, structure_of
from tacit.core.errors import OptionError

EXAMPLES = """\
tacit compare patients.csv --network asia.bif --knowledge ann.know --knowledge bob.know
tacit compare patients.csv --network asia.bif --knowledge ann.know --none --folds 10"""


def compare(
    cases: Cases,
    network: StructureOf,
    knowledge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE", help="The rules of one expert: a file (.know); repeat for each expert."
        ),
    ] = None,
    none: Annotated[
        bool, typer.Option("--none", help="Compare with no rules at all, too.")
    ] = False,
    folds: Annotated[
        int,
        typer.Option(min=2, help="Parts into which the cases are split; each is held out once."),
    ] = 5,
    prior: PriorName = "bdeu:1",
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
    """Say whose rules suit the cases best.

    Every rule set gets its log marginal likelihood, its weight among those compared, and the
    log-likelihood per case of cases held out of the fit, with error bars.
    """
    files = [Path(file) for file in knowledge or ()]
    if len(files) + none < 2:
        raise OptionError(
            "there is nothing to compare: give --knowledge twice or more, or once with --none, "
            "which stands for no rules"
        )
    chosen = prior_of(prior)
    reading = Reading.of(weights, missing, discrete, continuous, table, query)

    from tacit.learn.compare import compare as compared

    structure, notes = structure_of(network)
    found = compared(
        structure,
        reading.cases(cases, structure, threads),
        [*files, *([None] if none else [])],
        prior=chosen,
        folds=folds,
        seed=seed,
        threads=threads,
        progress=False if quiet or json else None,
    )
    plain = {"command": "compare", **found.to_plain()} if json else {}
    if json:
        plain["notes"] = [*notes, *plain["notes"]]
    text = "\n".join([str(found), *noted(notes)])
    return Answer(text, plain, found.verdict, json=json, quiet=quiet)
