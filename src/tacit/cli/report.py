"""`tacit report`: a page about a fit that was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.answers import Answer
from tacit.cli.options import Json, Quiet, Seed
from tacit.cli.targets import check_targets, report_target

if TYPE_CHECKING:
    from tacit.learn.fits import Fit
    from tacit.learn.processes.fitted import ProcessFit

EXAMPLES = """\
tacit fit patients.csv --network asia.bif -o learned.bif --save-fit fit.json
tacit report fit.json -o report.html"""


def report(
    fit: Annotated[
        str, typer.Argument(metavar="FIT.json", help="A fit that `tacit fit --save-fit` wrote.")
    ],
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="R.html", help="The page: .html .md .txt .json."),
    ],
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Write a report about a saved fit.

    The answer in sentences, the network drawn, its tables with intervals and cases.
    """
    del seed
    check_targets([report_target("-o", output)], ("FIT.json", fit))

    from tacit.reporting.report import report as about

    found = about(_loaded(fit))
    found.save(output)
    plain = {"command": "report", "title": found.facts["title"], "written": {"report": output}}
    text = f"{found.facts['title']}\nreport written to {output}"
    return Answer(text, plain, json=json, quiet=quiet)


def _loaded(path: str) -> Fit | ProcessFit:
    """The fit in a file, of a network or of hidden processes."""
    from tacit.learn.processes.saved import are_processes, load_processes
    from tacit.learn.saved import load_fit

    return load_processes(path) if are_processes(path) else load_fit(path)
