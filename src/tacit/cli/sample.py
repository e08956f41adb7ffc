"""`tacit sample`: cases drawn from a network."""

from __future__ import annotations

from typing import Annotated

import typer

from tacit.cli.answers import Answer, noted
from tacit.cli.given import given_of
from tacit.cli.options import Given, Json, NetworkFile, Quiet, Seed
from tacit.cli.reading import network_of
from tacit.cli.targets import Target, check_targets

EXAMPLES = """\
tacit sample asia.bif -n 1000 -o cases.csv --seed 1
tacit sample asia.bif -n 1000 -o ill.csv --given "dysp=yes, xray=yes"
tacit sample asia.bif -n 1000 -o gaps.csv.gz --missing-share 0.1"""


def sample(
    network: NetworkFile,
    cases: Annotated[int, typer.Option("-n", "--cases", min=0, help="How many cases to draw.")],
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="CASES.csv", help="A .csv, .tsv or .parquet file."),
    ],
    given: Given = None,
    missing_share: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Cells go missing at random with this probability."),
    ] = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Draw cases from a network.

    With --given, from its distribution given these findings, exactly.
    """
    from tacit.infer.sampling import AtRandom, fresh_seed
    from tacit.infer.sampling import sample as draw
    from tacit.io.casesout import PACKED, SUFFIXES, write_cases

    check_targets([Target("-o", output, SUFFIXES, PACKED)])
    blanks = AtRandom(missing_share) if missing_share is not None else None
    used = fresh_seed(seed)
    found, notes = network_of(network)
    findings = given_of(found, given)
    data = draw(found, cases, given=findings, seed=used, missing=blanks)
    write_cases(data, output)
    gaps = sum(data.missing().values())
    plain = {
        "command": "sample",
        "cases": len(data),
        "columns": list(data.names),
        "missing_cells": gaps,
        "seed": used,
        "notes": [*notes, *data.notes],
        "written": {"cases": output},
    }
    told = f"{len(data):,} cases of {len(data.names)} variables drawn with seed {used}"
    blank = [f"{gaps:,} cells are missing"] if missing_share is not None else []
    text = "\n".join([told, *blank, f"cases written to {output}", *noted([*notes, *data.notes])])
    return Answer(text, plain, json=json, quiet=quiet)
