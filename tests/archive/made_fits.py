"""Fits of tables, under rules, with sources, and of what is smaller than tables."""

from __future__ import annotations

from saving import interrupted_at, saved

import tacit as tc
from archived_runs import LINKS, MOOD, WEATHER

# fits of tables ------------------------------------------------------------------------------


@saved("fit-complete.json.gz")
def fit_complete() -> tc.Fit:
    """Tables from complete cases."""
    return tc.fit(WEATHER, "cases-weather.csv.gz", prior=tc.BDeu(2))


@saved("fit-unknown-rows.json.gz")
def fit_unknown_rows() -> tc.Fit:
    """Maximum likelihood that leaves rows without cases unknown: partial tables."""
    return tc.fit(
        "Season, Sprinkler, Rain -> Wet", "cases-weather-weighed.tsv.gz", estimate=tc.ML("nan")
    )


@saved("fit-weighed.json.gz")
def fit_weighed() -> tc.Fit:
    """The most probable tables of cases with weights, under another prior."""
    weighed = tc.read_cases("cases-weather-weighed.tsv.gz", weights="days")
    return tc.fit(WEATHER, weighed, prior=tc.Dirichlet(2), estimate=tc.MAP(), level=0.9)


@saved("fit-statistics.json.gz")
def fit_statistics() -> tc.Fit:
    """Tables from statistics that were saved."""
    return tc.fit(WEATHER, tc.load_statistics("statistics-tables.json.gz"))


@saved("fit-gaps.json.gz")
def fit_gaps() -> tc.Fit:
    """Missing cells, filled by EM."""
    return tc.fit(WEATHER, "cases-weather-gaps.csv.gz", method=tc.EM(restarts=2), seed=1)


@saved("fit-gaps-gradient.json.gz")
def fit_gaps_gradient() -> tc.Fit:
    """Missing cells, by direct maximisation."""
    return tc.fit(WEATHER, "cases-weather-gaps.csv.gz", method=tc.Gradient(), seed=1)


@saved("fit-gaps-available.json.gz")
def fit_gaps_available() -> tc.Fit:
    """Missing cells, each family counted on the cases complete in it."""
    return tc.fit(WEATHER, "cases-weather-gaps.csv.gz", method=tc.AvailableCases())


@saved("fit-gaps-filled.json.gz")
def fit_gaps_filled() -> tc.Fit:
    """Missing cells, filled in by drawing."""
    return tc.fit(WEATHER, "cases-weather-gaps.csv.gz", method=tc.FillIn(), seed=1)


@saved("fit-hidden.json.gz")
def fit_hidden() -> tc.Fit:
    """A hidden variable, by five starts of EM."""
    return tc.fit(MOOD, "cases-survey-gaps.parquet", hidden={"Mood": 3}, seed=1)


@saved("fit-hidden-mean-field.json.gz")
def fit_hidden_mean_field() -> tc.Fit:
    """Two hidden variables, by mean-field EM."""
    return tc.fit(
        "Mood -> Sleep, Work, Appetite; Mood -> Zest; Zest -> Friends, Sport, Music",
        "cases-survey-gaps.parquet", hidden={"Mood": 2, "Zest": 2},
        method=tc.MeanFieldEM(restarts=2, max_steps=40), seed=1,
    )  # fmt: skip


@saved("fit-hidden-annealed.json.gz")
def fit_hidden_annealed() -> tc.Fit:
    """A hidden variable, by EM on cases whose weights were annealed."""
    return tc.fit(
        MOOD, "cases-survey-gaps.parquet", hidden={"Mood": 2}, seed=1,
        method=tc.WeightAnnealing(tc.EM(restarts=1), cooling=0.6),
    )  # fmt: skip


@saved("fit-hidden-interrupted.json.gz")
def fit_hidden_interrupted() -> tc.Fit:
    """A hidden variable, by EM that was interrupted in its first start."""
    return tc.fit(
        MOOD, "cases-survey-gaps.parquet", hidden={"Mood": 2}, seed=1, progress=interrupted_at(4)
    )


@saved("fit-hidden-cut-short.json.gz")
def fit_hidden_cut_short() -> tc.Fit:
    """A hidden variable, by EM that was allowed five steps."""
    return tc.fit(
        MOOD, "cases-survey-gaps.parquet", hidden={"Mood": 2}, method=tc.EM(max_steps=5), seed=1
    )


@saved("fit-path.json.gz")
def fit_path() -> tc.Fit:
    """A hidden variable, along a path of the bottleneck that cases held out cut short."""
    return tc.fit(
        MOOD, "cases-survey-gaps.parquet", hidden={"Mood": 2}, seed=1,
        method=tc.IBEM(until="validation", longest=0.1, max_steps=40),
    )  # fmt: skip


@saved("path-ibem.json.gz")
def path_alone() -> tc.BottleneckPath:
    """The path of that fit by itself."""
    return fit_path().path


@saved("fit-hierarchy.json.gz")
def fit_hierarchy() -> tc.Hierarchy:
    """A hierarchy learned along a path on which the network changed; read back as a fit."""
    return tc.learn_hierarchy(
        "cases-survey.csv.gz", seed=1,
        method=tc.IBEM(
            cardinality="adapt", structure=True, enrich=True, inference="exact", longest=0.1,
            max_steps=30,
        ),
    )  # fmt: skip


@saved("fit-tied.json.gz")
def fit_tied() -> tc.Fit:
    """A hidden Markov model of five steps, which share their tables."""
    model = tc.unroll("H[t-1] -> H[t] -> X[t]", 5, hidden={"H": 2})
    return tc.fit(
        model.dag, "cases-steps.csv.gz", hidden=model.hidden, tied=model.tied, seed=1,
        method=tc.EM(restarts=2, max_steps=40),
    )  # fmt: skip


# rules ---------------------------------------------------------------------------------------


@saved("fit-rules.json.gz")
def fit_rules() -> tc.Fit:
    """Rules of experts, with what each costs."""
    return tc.fit(WEATHER, "cases-weather.csv.gz", knowledge="knowledge-weather.know")


@saved("fit-rules-solved.json.gz")
def fit_rules_solved() -> tc.Fit:
    """Rules without a closed form, by the general solver, with its proof."""
    return tc.fit(
        WEATHER, "cases-weather.csv.gz",
        knowledge="P(Season=dry) + 2 * P(Season=mild) <= 0.9\n"
        "P(Wet=yes | Rain=yes, Sprinkler=no) <= P(Wet=yes | Rain=no, Sprinkler=yes) + 0.1",
    )  # fmt: skip


@saved("fit-rules-gaps.json.gz")
def fit_rules_gaps() -> tc.Fit:
    """Rules that EM obeys in every step."""
    return tc.fit(WEATHER, "cases-weather-gaps.csv.gz", knowledge="knowledge-weather.know", seed=1)


@saved("fit-rules-doubted.json.gz")
def fit_rules_doubted() -> tc.Fit:
    """Two rules said with less than certainty, one of them wrong."""
    return tc.fit(
        WEATHER, "cases-weather.csv.gz", seed=1,
        knowledge='P(Slippery=yes | Wet=no) <= 0.2 by "Dr. Lee" confidence 0.9\n'
        "P(Wet=yes | Rain=yes, Sprinkler=yes) <= 0.5 confidence 60%",
    )  # fmt: skip


@saved("fit-rules-events.json.gz")
def fit_rules_events() -> tc.Fit:
    """A rule about an event of the whole network, which is not linear."""
    return tc.fit(
        WEATHER, "cases-weather.csv.gz", knowledge="P(Slippery=yes | Season=rainy) >= 0.7", seed=1
    )


# sources -------------------------------------------------------------------------------------

SITE = "Month -> Storm, Hose; Storm, Hose -> Damp; Damp -> Slick"


@saved("fit-borrowed.json.gz")
def fit_borrowed() -> tc.Fit:
    """Tables borrowed from a related site."""
    return tc.fit(
        WEATHER, "cases-weather.csv.gz",
        sources=tc.Source("cases-clinic.csv.gz", "Leeds", SITE, None),
    )  # fmt: skip


@saved("fit-borrowed-rules.json.gz")
def fit_borrowed_rules() -> tc.Fit:
    """Tables borrowed as a mixture of two sites, one of them a network, where rules refuse some."""
    return tc.fit(
        WEATHER, "cases-weather.csv.gz", knowledge="P(Slippery=yes | Wet=no) <= 0.05",
        transfer=tc.Mixture(),
        sources=[
            tc.Source("cases-clinic.csv.gz", "Leeds", SITE, None),
            tc.Source("network-tables.bif.gz", "York", None, 50),
        ],
    )  # fmt: skip


# smaller than tables -------------------------------------------------------------------------

CAUSES = "Flu, Cold -> Fever, Cough; Flu, Dust -> Headache"
ROWS = {"Wet": tc.GrowTree(), "Slippery": tc.DefaultTable}


@saved("fit-links.json.gz")
def fit_links() -> tc.Fit:
    """Noisy-or, noisy-and and noisy-max from complete cases."""
    return tc.fit(CAUSES, "cases-symptoms.csv.gz", families=LINKS)


@saved("fit-links-gaps.json.gz")
def fit_links_gaps() -> tc.Fit:
    """The same by EM, under a rule about a link."""
    return tc.fit(
        CAUSES, "cases-symptoms-gaps.csv.gz", families=LINKS, seed=1,
        knowledge="link(Fever, Flu) >= 0.9",
    )  # fmt: skip


@saved("fit-rows.json.gz")
def fit_rows() -> tc.Fit:
    """A tree that was grown and a default table from complete cases."""
    return tc.fit(f"{WEATHER}; Rain, Season -> Slippery", "cases-weather.csv.gz", families=ROWS)


@saved("fit-rows-gaps.json.gz")
def fit_rows_gaps() -> tc.Fit:
    """The same by EM."""
    return tc.fit(
        f"{WEATHER}; Rain, Season -> Slippery", "cases-weather-gaps.csv.gz", families=ROWS, seed=1
    )


@saved("fit-letters.json.gz")
def fit_letters() -> tc.Fit:
    """The network of a text classifier, class and word."""
    letters = tc.read_cases("cases-letters.csv.gz")
    texts, topics = (
        [letters.variables[name].states[code] for code in letters[name]]
        for name in ("Letter", "Topic")
    )
    return tc.fit_text(texts, topics, target="Topic").fit
