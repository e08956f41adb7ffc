"""Which experiments there are; a new one is a module with `run`, and a line here or by its kin."""

from __future__ import annotations

from importlib import import_module

from tacit.core.errors import OptionError, nearest
from tacit.core.grid import Grid
from tacit.experiments.elidan import catalogue as elidan
from tacit.experiments.experiment import Experiment
from tacit.experiments.outcome import SCALES, Outcome, Settings

EXPERIMENTS = (
    Experiment(
        "niculescu2005-sharing",
        "shared parameters inside one distribution",
        "Niculescu 2005, section 8.1",
        "tacit.experiments.niculescu_sharing",
        ("2 s", "30 s", "2 min"),
    ),
    Experiment(
        "niculescu2005-email",
        "words shared by authors, mails about meetings",
        "Niculescu 2005, section 8.2",
        "tacit.experiments.niculescu_email",
        ("4 s", "30 s", "4 min"),
    ),
    Experiment(
        "niculescu2005-hpm",
        "hidden processes in one region, by number of trials",
        "Niculescu 2005, Table 8.3",
        "tacit.experiments.niculescu_processes",
        ("4 s", "1 min", "5 min"),
        uses="scans of a brain",
    ),
    Experiment(
        "niculescu2005-regions",
        "hidden processes in 24 regions of a brain",
        "Niculescu 2005, Table 8.4",
        "tacit.experiments.niculescu_regions",
        ("3 s", "1 min", "15 min"),
        uses="scans of a brain",
    ),
    Experiment(
        "zhou2015-table1",
        "borrowed tables and rules in twelve networks",
        "Zhou et al. 2015, Table 1",
        "tacit.experiments.zhou.table1",
        ("3 s", "20 s", "1 min"),
        uses="five networks as BIF files",
    ),
    Experiment(
        "zhou2015-figure4",
        "borrowed tables and rules, 10 to 100 cases",
        "Zhou et al. 2015, Figure 4",
        "tacit.experiments.zhou.figure4",
        ("2 s", "15 s", "1 min"),
    ),
    Experiment(
        "zhou2015-figure5",
        "borrowed tables with one to ten rules",
        "Zhou et al. 2015, Figure 5",
        "tacit.experiments.zhou.figure5",
        ("2 s", "10 s", "1 min"),
    ),
    Experiment(
        "zhou2015-figure6",
        "borrowed priors and what becomes of them",
        "Zhou et al. 2015, Figure 6",
        "tacit.experiments.zhou.figure6",
        ("2 s", "3 s", "6 s"),
    ),
    *elidan.EXPERIMENTS,
    Experiment(
        "hidden-rates",
        "how often planted variables are found, and others",
        "tacit, docs/hidden.md",
        "tacit.experiments.elidan.rates",
        ("3 s", "5 min", "1 h"),
    ),
    Experiment(
        "hidden-tables",
        "hidden variables in real tables, judged by new cases",
        "tacit, docs/hidden.md",
        "tacit.experiments.elidan.tables",
        ("4 s", "5 min", "1 h"),
        needs="real tables as CSV files",
    ),
    Experiment(
        "koller-noisy-or",
        "few cases of a noisy-or: links against a whole table",
        "Koller, CS228 17, section 5",
        "tacit.experiments.noisy_or",
        ("3 s", "30 s", "4 min"),
    ),
    Experiment(
        "local-structure",
        "rows that are shared, from few cases of real tables",
        "tacit, docs/local.md",
        "tacit.experiments.local_structure",
        ("4 s", "1 min", "15 min"),
        needs="real tables as CSV files",
    ),
)


def find(name: str) -> Experiment:
    """The experiment of this name."""
    known = {each.name: each for each in EXPERIMENTS}
    if name not in known:
        raise OptionError(
            f"there is no experiment {name!r}{nearest(name, known)}"
            f"\n\nexperiments: {', '.join(known)}"
        )
    return known[name]


def run(experiment: Experiment, settings: Settings) -> Outcome:
    """The outcome of an experiment; an error where it lacks its data, or has no use for any."""
    if settings.scale not in SCALES:
        raise OptionError(f"scale={settings.scale!r} must be one of: {', '.join(SCALES)}")
    if experiment.needs and (settings.data is None or not settings.data.is_dir()):
        where = "" if settings.data is None else f", and there is no folder {settings.data}"
        raise OptionError(
            f"{experiment.name} needs {experiment.needs}{where}\n\nname its folder with --data DIR"
        )
    if experiment.uses and settings.data is not None and not settings.data.is_dir():
        raise OptionError(
            f"{experiment.name} takes {experiment.uses}, but there is no folder {settings.data}"
            "\n\nname another with --data DIR, or leave it out"
        )
    if settings.data is not None and not (experiment.needs or experiment.uses):
        raise OptionError(f"{experiment.name} draws its own data: --data is of no use to it")
    outcome = import_module(experiment.home).run(settings)
    assert isinstance(outcome, Outcome)
    return outcome


def overview(experiments: tuple[Experiment, ...] = EXPERIMENTS) -> Grid:
    """One line per experiment: what it is, what it needs and how long it takes."""
    rows = tuple(
        (each.name, each.title, each.source, _needed(each), *each.takes) for each in experiments
    )
    heads = ("experiment", "about", "source", "needs", "--smoke", "takes", "--full")
    return Grid("", heads, rows, labels=4)


def _needed(experiment: Experiment) -> str:
    if experiment.uses:
        return f"nothing; takes {experiment.uses}"
    return experiment.needs or "nothing"
