"""`tacit convert`: a network from one file format to another."""

from __future__ import annotations

from typing import Annotated

import typer

from tacit.cli.answers import Answer, noted
from tacit.cli.options import Json, NetworkFile, Quiet, Seed
from tacit.cli.reading import network_of
from tacit.cli.targets import check_targets, network_target

EXAMPLES = """\
tacit convert asia.bif asia.xdsl
tacit convert alarm.net.gz alarm.json"""


def convert(
    network: NetworkFile,
    output: Annotated[
        str, typer.Argument(metavar="OUT", help="The new file; its suffix says the format.")
    ],
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Write a network in another file format."""
    del seed
    check_targets([network_target("OUT", output)])

    from tacit.io.formats import write

    found, notes = network_of(network)
    write(found, output)
    plain = {
        "command": "convert",
        "variables": len(found),
        "arcs": len(found.dag.arcs),
        "free_parameters": found.free_parameters,
        "notes": list(notes),
        "written": {"network": output},
    }
    lines = [f"{found!r}"[1:-1], f"network written to {output}", *noted(notes)]
    return Answer("\n".join(lines), plain, json=json, quiet=quiet)
