"""`tacit predict`: the posterior of everything unobserved, case by case."""

from __future__ import annotations

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
    Threads,
    plain_names,
)
from tacit.cli.reading import Reading, network_of, unmeasured
from tacit.cli.targets import Target, check_targets
from tacit.core.errors import ColumnError, OptionError, listed, nearest, quoted
from tacit.core.grid import counted

if TYPE_CHECKING:
    from tacit.arrays import Column
    from tacit.core.dataset import Dataset
    from tacit.core.network import Network
    from tacit.core.variables import Variable
    from tacit.infer.prediction import Prediction

EXAMPLES = """\
tacit predict learned.bif patients.csv -o posteriors.csv
tacit predict learned.bif patients.csv --hide lung --most-probable -o lung.parquet"""


def predict(
    network: NetworkFile,
    cases: Cases,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="POSTERIORS.csv", help="A .csv, .tsv or .parquet file."
        ),
    ],
    most_probable: Annotated[
        bool,
        typer.Option(
            "--most-probable",
            help="Write the most probable state of each and its probability, or its mean and sd.",
        ),
    ] = False,
    hide: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Predict this one without looking at its column; repeatable."
        ),
    ] = None,
    missing: Missing = None,
    table: TableName = None,
    query: Query = None,
    threads: Threads = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Predict what cases do not say.

    One line per case; a column A=yes for every state of every variable with missing cells, mean(X)
    and sd(X) for one that is continuous.
    """
    del seed
    from tacit.io.casesout import PACKED, SUFFIXES, write_cases

    check_targets([Target("-o", output, SUFFIXES, PACKED)], ("CASES", cases))
    reading = Reading.of(None, missing, None, None, table, query)
    found, notes = network_of(network)

    from tacit.engines.tasks import thread_bound
    from tacit.infer.prediction import predict as infer

    hidden = plain_names(hide)
    data = _without(reading.cases(cases, found, threads, partial=True), hidden)
    prediction = infer(found, data, threads=thread_bound(threads))
    if not prediction.unobserved:
        raise OptionError(
            "every cell is observed, so there is nothing to predict"
            "\n\n--hide NAME predicts a variable without looking at its column"
        )
    write_cases(_states(prediction) if most_probable else _posteriors(prediction), output)
    notes = (*notes, *data.notes, *_unread(found, data, hidden))
    plain = _plain(prediction, [*notes, *prediction.notes, *_impossible(prediction)])
    plain["written"] = {"posteriors": output}
    return Answer(_told(plain), plain, json=json, quiet=quiet)


def _unread(network: Network, data: Dataset, hidden: list[str]) -> list[str]:
    """Notes about variables whose column was not looked at, and about those without one."""
    shown = [quoted(name) for name in network.dag.names if name in hidden]
    told = [f"{listed(shown, 6)} hidden by --hide: predicted in every case"] if shown else []
    return [*told, *unmeasured(network, data, "predicted in every case", hidden)]


def _without(data: Dataset, hidden: list[str]) -> Dataset:
    for name in hidden:
        if name not in data:
            raise ColumnError(
                f"--hide: the cases have no column {name!r}{nearest(name, data.names)}"
                f"\n\ncolumns: {listed(data.names)}"
            )
    return data.select([name for name in data.names if name not in hidden])


def _posteriors(prediction: Prediction) -> Dataset:
    """A column `A=yes` for every state, or `mean(X)` and `sd(X)`; a case that cannot be has empty
    cells."""
    from tacit.core.variables import Continuous

    return _dataset([(Continuous(name), values) for name, values in prediction.columns()])


def _states(prediction: Prediction) -> Dataset:
    """Columns `A` and `P(A)`: the most probable state, and how probable it is; `X` and `sd(X)`, its
    mean and how far it may be off, of what is continuous."""
    import numpy as np

    from tacit.core.variables import Continuous, Discrete

    columns: list[tuple[Variable, Column]] = []
    for name in prediction.unobserved:
        values, variable = prediction[name], prediction.network.variables[name]
        if not isinstance(variable, Discrete):
            columns.append((variable, values))
            columns.append((Continuous(f"sd({name})"), prediction.sd[name]))
            continue
        best = values.argmax(axis=1)
        chance = values[np.arange(len(values)), best]
        columns.append((variable, np.where(np.isnan(chance), -1, best)))
        columns.append((Continuous(f"P({name})"), chance))
    return _dataset(columns)


def _dataset(columns: list[tuple[Variable, Column]]) -> Dataset:
    from tacit.core.dataset import Dataset

    names = [variable.name for variable, _ in columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise OptionError(
            f"two columns would be named {twice[0]!r}: names of variables and states are too alike"
        )
    return Dataset(
        {variable.name: variable for variable, _ in columns},
        {variable.name: column for variable, column in columns},
    )


def _impossible(prediction: Prediction) -> list[str]:
    cases = prediction.impossible
    if not cases.size:
        return []
    verb = "is" if cases.size == 1 else "are"
    shown = listed((f"{case + 1:,}" for case in cases[:20].tolist()), 8)
    return [
        f"{counted(cases.size, 'case')} {verb} impossible under the network and left empty: {shown}"
    ]


def _plain(prediction: Prediction, notes: list[str]) -> dict[str, Any]:
    data = prediction.data
    return {
        "command": "predict",
        "cases": len(data),
        "predicted": list(prediction.unobserved),
        "missing_cells": sum(len(data) for _ in prediction.network) - _observed(data),
        "impossible_cases": [int(case) + 1 for case in prediction.impossible],
        "notes": notes,
    }


def _observed(data: Dataset) -> int:
    return len(data) * len(data.names) - sum(data.missing().values())


def _told(plain: dict[str, Any]) -> str:
    cells = counted(plain["missing_cells"], "missing cell")
    variables = counted(len(plain["predicted"]), "variable")
    return "\n".join(
        [
            f"{cells} of {variables} predicted in {counted(plain['cases'], 'case')}",
            f"posteriors written to {plain['written']['posteriors']}",
            *noted(plain["notes"]),
        ]
    )
