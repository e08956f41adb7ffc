"""Options that several commands share, and the small languages some of them speak."""

from __future__ import annotations

from typing import Annotated

import typer

from tacit.cli.choices import PRIORS
from tacit.core.dag import Dag
from tacit.core.errors import OptionError

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else.")
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Repeats what is random, bit for bit; kept with a fit."),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print only what was asked for, no summary or notes.")
]
Cases = Annotated[
    str,
    typer.Argument(
        metavar="CASES",
        help="Cases: csv, tsv, parquet, arrow, jsonl, a quoted glob of them, or a database.",
        show_default=False,
    ),
]
NetworkFile = Annotated[
    str,
    typer.Argument(
        metavar="NET", help="A network: .bif .xmlbif .xdsl .net .dsc .uai .json, also .gz."
    ),
]
StructureOf = Annotated[
    str,
    typer.Option(
        "--network",
        metavar="NET",
        help='The structure: a network file, or a dag as text, "A -> B <- C".',
    ),
]
KnowledgeFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--knowledge",
        metavar="FILE",
        help="What experts know: a file of rules (.know); repeatable.",
    ),
]
PriorName = Annotated[
    str,
    typer.Option(
        "--prior",
        metavar="PRIOR",
        help="bdeu:10, k2, jeffreys or dirichlet:2.",
        autocompletion=lambda: list(PRIORS),
    ),
]
NormalPriorName = Annotated[
    str | None,
    typer.Option(
        "--normal-prior",
        metavar="PRIOR",
        help="Of regressions: weak[:STRENGTH], the default; none; or the strength of a "
        "normal-Wishart prior.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option("--weights", metavar="COLUMN", help="The column that says how often cases count."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option("--missing", metavar="MARK", help="A cell with this text is missing; repeatable."),
]
Discretes = Annotated[
    list[str] | None,
    typer.Option("--discrete", metavar="NAME", help="Its numbers name states; repeatable."),
]
Continuouses = Annotated[
    list[str] | None,
    typer.Option("--continuous", metavar="NAME", help="Its values are reals; repeatable."),
]
TableName = Annotated[
    str | None, typer.Option("--table", metavar="TABLE", help="The table of the database CASES.")
]
Query = Annotated[
    str | None, typer.Option("--query", metavar="SQL", help="A query of the database CASES.")
]
Given = Annotated[
    list[str] | None,
    typer.Option(
        "--given", metavar="FINDING", help="What is known: A=yes, B={x, y}, C=not z; repeatable."
    ),
]
LeftOut = Annotated[
    list[str] | None,
    typer.Option("--leave-out", metavar="COLUMN", help="A column that is no variable; repeatable."),
]
AsGiven = Annotated[
    bool,
    typer.Option(
        "--as-given",
        help="Keep columns that say nothing: empty, one value throughout, another in every case.",
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint if it is there.")]
SaveFit = Annotated[
    str | None,
    typer.Option("--save-fit", metavar="FIT.json", help="Keep all that was found here."),
]
ReportTo = Annotated[
    str | None,
    typer.Option("--report", metavar="R.html", help="A report: .html .md .txt .json."),
]
Threads = Annotated[int | None, typer.Option("--threads", min=1, help="Use at most so many cores.")]


def plain_name(name: str) -> str:
    """A name without the double quotes in which any name may stand."""
    if not name.startswith('"'):
        return name
    names = Dag.parse(name).names
    if len(names) != 1:
        raise OptionError(f"one name is expected, not {name}")
    return names[0]


def plain_names(names: list[str] | None) -> list[str]:
    """Names without their double quotes."""
    return [plain_name(name) for name in names or ()]
