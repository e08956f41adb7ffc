"""`tacit show`: a network, or some of its tables, in words and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer, noted
from tacit.cli.options import Json, Quiet, Seed, plain_names
from tacit.cli.reading import structure_of

if TYPE_CHECKING:
    from tacit.core.dag import Dag
    from tacit.core.network import Network

EXAMPLES = """\
tacit show asia.bif
tacit show asia.bif lung "dysp"
tacit show "Smoker -> Cancer <- Genes; Cancer -> Xray" """.rstrip()


def show(
    network: Annotated[
        str,
        typer.Argument(
            metavar="NET", help='A network file, or a dag: a .dag file or text, "A -> B <- C".'
        ),
    ],
    variables: Annotated[
        list[str] | None,
        typer.Argument(metavar="VARIABLE", help="Show the tables of these variables."),
    ] = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Show a network or a dag.

    Its variables and how they hang together; with VARIABLEs, their tables.
    """
    del seed
    names = plain_names(variables)
    found, notes = structure_of(network)

    from tacit.core.network import Network

    if isinstance(found, Network):
        text, plain = _network(found, names)
    else:
        text, plain = _dag(found, names)
    plain = {"command": "show", **plain, "notes": list(notes)}
    return Answer("\n".join([text, *noted(notes)]), plain, text, json=json, quiet=quiet)


def _network(network: Network, names: list[str]) -> tuple[str, dict[str, Any]]:
    from tacit.io.ownjson import network_to_plain

    whole = network_to_plain(network)
    if not names:
        return str(network), whole
    tables = [network[name] for name in names]
    whole["families"] = [family.to_plain() for family in tables]
    return "\n\n".join(map(str, tables)), whole


def _dag(dag: Dag, names: list[str]) -> tuple[str, dict[str, Any]]:
    from tacit.core.errors import quoted
    from tacit.core.grid import Grid, counted

    for name in names:
        dag.check_name(name)
    shown = names or list(dag)
    rows = tuple(
        (
            quoted(name),
            *(", ".join(map(quoted, who[name])) or "-" for who in (dag.parents, dag.children)),
        )
        for name in shown
    )
    title = f"Dag of {counted(len(dag), 'variable')}, {counted(len(dag.arcs), 'arc')}"
    grid = Grid(title, ("variable", "parents", "children"), rows, labels=3)
    parents = {name: list(dag.parents[name]) for name in shown}
    return str(grid), {"parents": parents, "arcs": [list(arc) for arc in dag.arcs]}
