"""`tacit check`: what rules say without data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.answers import Answer
from tacit.cli.options import Json, Quiet, Seed
from tacit.cli.reading import Reading, structure_of

if TYPE_CHECKING:
    from tacit.knowledge.checks import Check

EXAMPLES = """\
tacit check expert.know --network asia.bif
tacit check expert.know --network "Smoker -> Cancer" --cases patients.csv"""


def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of rules, one in a line.")],
    network: Annotated[
        str,
        typer.Option(
            "--network",
            metavar="NET",
            help='A network file, or a dag: a .dag file or text, "A -> B <- C".',
            show_default=False,
        ),
    ],
    cases: Annotated[
        str | None,
        typer.Option("--cases", metavar="CASES", help="Cases that show the states of a dag."),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--everything", help="All intervals, even where they take long to compute."),
    ] = False,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Say what rules mean, without data.

    Whether they can hold together, and if not the smallest set that conflicts and why; which rules
    others imply; what they settle; what they leave to every cell. The status is 1 if they conflict.
    """
    del seed
    from tacit.knowledge.knowledge import read_knowledge
    from tacit.learn.checking import check as check_rules

    known = read_knowledge(Path(file))
    found, _ = structure_of(network)
    data = None
    if cases is not None:
        data = Reading.of(None, None, None, None, None, None).cases(cases, found)
    answer = check_rules(known, found, data, everything=everything)
    plain = {"command": "check", **answer.to_plain()} if json else {}
    status = 0 if answer.feasible else 1
    return Answer(str(answer), plain, _brief(answer), json=json, quiet=quiet, status=status)


def _brief(answer: Check) -> str:
    """The verdict, and what stands against it."""
    from tacit.knowledge.showing import verdict

    against = [said for _, said in answer.structure if said]
    return "\n\n".join([verdict(answer), *map(str, answer.conflicts), *against])
