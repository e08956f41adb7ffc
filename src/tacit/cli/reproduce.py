"""`tacit reproduce`: the experiments of the papers, their figures beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.answers import Answer
from tacit.cli.options import Json, Quiet, Seed
from tacit.core.errors import OptionError

if TYPE_CHECKING:
    from tacit.experiments.experiment import Experiment

EXAMPLES = """\
tacit reproduce
tacit reproduce niculescu2005-sharing
tacit reproduce niculescu2005-email --full --json > email.json"""

SEED = 1


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="The experiment; without it, all are listed.", show_default=False
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="DIR", help="The folder of public data, if it needs any."),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="As large as in the paper, or larger; takes minutes.")
    ] = False,
    smoke: Annotated[
        bool, typer.Option("--smoke", help="A few seconds, only to see that it works.")
    ] = False,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Run an experiment of a paper again.

    Without a name, list the experiments, what each needs and how long it takes. Ctrl-C ends an
    experiment with what was done so far.
    """
    if full and smoke:
        raise OptionError("--full and --smoke exclude each other: both say how large it shall be")
    if name is None:
        return _listed(json=json, quiet=quiet)
    from tacit.experiments.outcome import Settings
    from tacit.experiments.registry import find, run

    scale = "full" if full else "smoke" if smoke else "default"
    experiment = find(name)
    outcome = run(
        experiment,
        Settings(
            scale,
            SEED if seed is None else seed,
            None if data is None else Path(data),
            False if quiet or json else None,
        ),
    )
    head = f"{experiment.title[:1].upper()}{experiment.title[1:]} ({experiment.source})"
    plain = {"command": "reproduce", "scale": scale, **outcome.to_plain()}
    brief = "\n".join(map(str, outcome.claims))
    return Answer(f"{head}\n\n{outcome}", plain, brief, json=json, quiet=quiet)


def _listed(*, json: bool, quiet: bool) -> Answer:
    from tacit.experiments.registry import EXPERIMENTS, overview

    plain = {"command": "reproduce", "experiments": [_plain(each) for each in EXPERIMENTS]}
    brief = "\n".join(each.name for each in EXPERIMENTS)
    return Answer(str(overview()), plain, brief, json=json, quiet=quiet)


def _plain(experiment: Experiment) -> dict[str, object]:
    smoke, default, full = experiment.takes
    return {
        "name": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
        "needs": experiment.needs or None,
        "takes": {"smoke": smoke, "default": default, "full": full},
    }
