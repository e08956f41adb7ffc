"""Which experiments there are; a new one is a module with `run`, and a line here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from tacit.core.errors import OptionError, nearest
from tacit.core.grid import Grid
from tacit.experiments.outcome import SCALES, Outcome, Settings


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment of a paper.

    source  where its figures are printed
    home    the module whose `run(settings)` makes its `Outcome`
    takes   how long it takes on two cores: smoke, default and full
    needs   which public data it needs; nothing where it draws its own
    uses    which public data it takes where it is told of them, and does without otherwise
    """

    name: str
    title: str
    source: str
    home: str
    takes: tuple[str, str, str]
    needs: str = ""
    uses: str = ""


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
    Experiment(
        "elidan2004-toy",
        "reweighting out of a local maximum, two and three hills",
        "Elidan 2004, section 3.4",
        "tacit.experiments.elidan.toy",
        ("2 s", "10 s", "1 min"),
    ),
    Experiment(
        "elidan2004-motifs",
        "motifs in sequences, with weights that cool down",
        "Elidan 2004, section 3.6",
        "tacit.experiments.elidan.motifs",
        ("4 s", "1 min", "20 min"),
    ),
    Experiment(
        "elidan2004-search",
        "dags from cases whose weights are annealed",
        "Elidan 2004, section 3.5.1",
        "tacit.experiments.elidan.dags",
        ("2 s", "40 s", "10 min"),
        uses="a table of stocks",
    ),
    Experiment(
        "elidan2004-em",
        "EM around four hidden variables, with cooling weights",
        "Elidan 2004, section 3.5.2",
        "tacit.experiments.elidan.parameters",
        ("2 s", "30 s", "10 min"),
    ),
    Experiment(
        "elidan2004-sem",
        "structural EM with four hidden variables, likewise",
        "Elidan 2004, section 3.5.3",
        "tacit.experiments.elidan.structures",
        ("3 s", "1 min", "30 min"),
    ),
    Experiment(
        "elidan2004-table3.1",
        "annealed weights against restarts, six tasks in folds",
        "Elidan 2004, Table 3.1",
        "tacit.experiments.elidan.table",
        ("3 s", "2 min", "1 h"),
        uses="tables of three domains",
    ),
    Experiment(
        "elidan2004-hypovolemia",
        "the states of a hidden variable merged step by step",
        "Elidan 2004, section 5.1",
        "tacit.experiments.elidan.hypovolemia",
        ("2 s", "5 s", "30 s"),
    ),
    Experiment(
        "elidan2004-strokevolume",
        "scores by number of states, merged and by EM, and time",
        "Elidan 2004, section 5.2",
        "tacit.experiments.elidan.strokevolume",
        ("2 s", "25 s", "4 min"),
    ),
    Experiment(
        "elidan2004-cardinality",
        "states of 24 hidden variables, by prior and cases",
        "Elidan 2004, section 5.4",
        "tacit.experiments.elidan.cardinality",
        ("3 s", "1 min", "20 min"),
    ),
    Experiment(
        "elidan2004-interacting",
        "states of hidden variables that depend on each other",
        "Elidan 2004, section 5.3",
        "tacit.experiments.elidan.interacting",
        ("3 s", "1 min", "30 min"),
    ),
    Experiment(
        "elidan2004-table6.1",
        "paths of the bottleneck against random starts of EM",
        "Elidan 2004, Table 6.1",
        "tacit.experiments.elidan.bottleneck_table",
        ("3 s", "2 min", "1 h"),
        uses="tables of stocks, digits and genes",
    ),
    Experiment(
        "elidan2004-figure6.8",
        "a path gamma by gamma, and other ways to anneal",
        "Elidan 2004, figures 6.8 and 6.9",
        "tacit.experiments.elidan.bottleneck_path",
        ("2 s", "20 s", "5 min"),
        uses="tables of stocks and digits",
    ),
    Experiment(
        "elidan2004-table6.2",
        "states, hidden variables and children found on a path",
        "Elidan 2004, Table 6.2",
        "tacit.experiments.elidan.bottleneck_growth",
        ("4 s", "1 min", "20 min"),
        uses="a table of stocks",
    ),
    Experiment(
        "elidan2004-restarts",
        "one path against fifty starts of EM, at equal time",
        "Elidan 2004, section 6.6",
        "tacit.experiments.elidan.bottleneck_proof",
        ("2 s", "4 min", "1 h"),
        needs="ten tables of answers, votes and features",
    ),
    Experiment(
        "elidan2004-findhidden",
        "a variable of alarm or insurance hidden, and sought",
        "Elidan 2004, section 4.2",
        "tacit.experiments.elidan.placing",
        ("2 s", "3 min", "1 h"),
    ),
    Experiment(
        "elidan2004-variants",
        "what may change around a variable that is sought",
        "Elidan 2004, section 4.2",
        "tacit.experiments.elidan.variants",
        ("2 s", "30 s", "30 min"),
    ),
    Experiment(
        "elidan2004-domains",
        "hidden variables of stocks, patients and messages",
        "Elidan 2004, sections 4.2, 5.4",
        "tacit.experiments.elidan.unmeasured",
        ("2 s", "30 s", "1 h"),
        uses="tables of two domains",
    ),
    Experiment(
        "elidan2004-table7.1",
        "ideal parents against greedy search, yeast genes",
        "Elidan 2004, Table 7.1",
        "tacit.experiments.elidan.ideal",
        ("3 s", "1 min", "1 h"),
        uses="two tables of yeast genes",
    ),
    Experiment(
        "elidan2004-figure7.3",
        "ideal parents on cases of known networks",
        "Elidan 2004, Figure 7.3",
        "tacit.experiments.elidan.samples",
        ("4 s", "1 min", "1 h"),
        uses="two tables of yeast genes",
    ),
    Experiment(
        "elidan2004-figure7.6",
        "hidden parents of genes, by clusters or above all",
        "Elidan 2004, Figures 7.5, 7.6",
        "tacit.experiments.elidan.layers",
        ("4 s", "1 min", "1 h"),
        uses="two tables of yeast genes",
    ),
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
