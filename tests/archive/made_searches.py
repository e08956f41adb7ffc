"""Searches for arcs, for hidden variables and for hidden processes."""

from __future__ import annotations

from typing import Any

from saving import saved

import tacit as tc

# searches ------------------------------------------------------------------------------------


@saved("search-tables.json.gz")
def search_tables() -> tc.Search:
    """A search under rules about arcs, with bootstrap samples that say how sure each is."""
    return tc.search(
        "cases-weather.csv.gz", seed=1, bootstrap=10,
        knowledge="require Season -> Rain\nforbid Rain -> Wet\nat most 2 parents for Wet",
    )  # fmt: skip


@saved("search-tabu.json.gz")
def search_tabu() -> tc.Search:
    """A tabu search by the Bayesian score, with restarts."""
    return tc.search(
        "cases-weather.csv.gz", score=tc.BDeu(10), method=tc.Tabu(restarts=2, replace=True), seed=1
    )


@saved("search-exact.json.gz")
def search_exact() -> tc.Search:
    """The best dag of all."""
    return tc.search("cases-weather.csv.gz", method=tc.Exact(), seed=1)


@saved("search-annealed.json.gz")
def search_annealed() -> tc.Search:
    """A search on cases whose weights were annealed."""
    return tc.search(
        "cases-weather.csv.gz", method=tc.WeightAnnealing(tc.HillClimb(restarts=0), cooling=0.6),
        seed=1,
    )  # fmt: skip


@saved("search-lines.json.gz")
def search_lines() -> tc.Search:
    """A search among lines, parents ranked by their geometry."""
    return tc.search("cases-machine.csv.gz", method=tc.IdealParent(k=2), seed=1)


@saved("search-layers.json.gz")
def search_layers() -> tc.Search:
    """A search for hidden parents without states."""
    return tc.search("cases-marks.csv.gz", method=tc.IdealParent(hidden=True), seed=1)


@saved("search-mixed.json.gz")
def search_mixed() -> tc.Search:
    """A search among columns of both kinds."""
    return tc.search("cases-engine.csv", seed=1)


@saved("search-curves.json.gz")
def search_curves() -> tc.Search:
    """A search whose families bend."""
    return tc.search("cases-lamp.csv.gz", families=tc.SigmoidGaussian, seed=1)


@saved("search-rows.json.gz")
def search_rows() -> tc.Search:
    """A search whose tables grow into trees."""
    return tc.search("cases-weather.csv.gz", families=tc.GrowTree(), seed=1)


@saved("search-links.json.gz")
def search_links() -> tc.Search:
    """A search among noisy-or families."""
    return tc.search(
        "cases-symptoms.csv.gz", families=tc.NoisyOr, leave_out="Headache", seed=1,
        method=tc.HillClimb(restarts=0),
    )  # fmt: skip


@saved("search-gaps.json.gz")
def search_gaps() -> tc.Search:
    """Structural EM with missing cells."""
    return tc.structural_em("cases-weather-gaps.csv.gz", seed=1)


@saved("search-gaps-hidden.json.gz")
def search_gaps_hidden() -> tc.Search:
    """Structural EM with a hidden variable."""
    return tc.structural_em(
        "cases-survey-gaps.parquet", hidden={"Mood": 2}, restarts=2, max_rounds=6, seed=1
    )


@saved("search-gaps-lines.json.gz")
def search_gaps_lines() -> tc.Search:
    """Structural EM among lines."""
    return tc.structural_em("cases-machine-gaps.tsv", seed=1)


@saved("search-gaps-mixed.json.gz")
def search_gaps_mixed() -> tc.Search:
    """Structural EM among columns of both kinds."""
    return tc.structural_em("cases-engine-gaps.csv.gz", seed=1)


@saved("search-gaps-curves.json.gz")
def search_gaps_curves() -> tc.Search:
    """Structural EM among curves."""
    return tc.structural_em(
        "cases-lamp-gaps.csv.gz", families=tc.SigmoidGaussian, max_rounds=3, seed=1
    )


# hidden variables ----------------------------------------------------------------------------


@saved("hidden-states.json.gz")
def hidden_states() -> tc.HiddenProposals:
    """Hidden variables above columns with states, judged by cases held out."""
    return tc.propose_hidden(
        "cases-survey.csv.gz", most=1, tries=4, shown=2, restarts=2, bootstrap=4, seed=1
    )


@saved("hidden-fixed.json.gz")
def hidden_fixed() -> tc.HiddenProposals:
    """A hidden variable whose children and states an expert fixes."""
    return tc.propose_hidden(
        "cases-survey.csv.gz", most=0, restarts=1, bootstrap=0, held_out=0, seed=1,
        children={"Mood": ("Sleep", "Work", "Appetite")}, states={"Mood": ("good", "bad")},
    )  # fmt: skip


@saved("hidden-paths.json.gz")
def hidden_paths() -> tc.HiddenProposals:
    """Hidden variables whose places a path of the bottleneck finds."""
    return tc.propose_hidden(
        "cases-survey.csv.gz", most=1, tries=2, shown=1, restarts=0, bootstrap=0, seed=1,
        method=tc.IBEM(longest=0.1, max_steps=40),
    )  # fmt: skip


@saved("hidden-mixed.json.gz")
def hidden_mixed() -> tc.HiddenProposals:
    """Hidden variables with states above columns of both kinds."""
    return tc.propose_hidden("cases-ward.csv.gz", most=1, tries=2, shown=1, restarts=1, seed=1)


@saved("hidden-lines.json.gz")
def hidden_lines() -> tc.HiddenProposals:
    """Hidden variables without states above continuous columns."""
    return tc.propose_hidden("cases-marks.csv.gz", most=1, seed=1)


# hidden processes ----------------------------------------------------------------------------


LENGTHS = {"see": 5, "press": 5}


def told(share: Any, onsets: str = "cases-onsets.csv.gz", **more: Any) -> tc.HiddenProcesses:
    """Two processes of five measurements each."""
    return tc.HiddenProcesses(LENGTHS, onsets, share=share, **more)


def measured() -> tc.Trials:
    """What the eight series show, and where they are."""
    return tc.read_trials("cases-series.csv.gz", places="cases-places.csv.gz")


@saved("processes-all.json.gz")
def processes_all() -> tc.ProcessFit:
    """All series share their courses, each trial at a level of its own."""
    return told("all", baseline="trial", noise="own", restarts=1).fit(measured(), seed=1)


@saved("processes-none.json.gz")
def processes_none() -> tc.ProcessFit:
    """Every series by itself."""
    return told("none").fit(measured(), folds=0, seed=1)


@saved("processes-regions.json.gz")
def processes_regions() -> tc.ProcessFit:
    """Series of a region share their courses."""
    return told("regions").fit(measured(), folds=3, seed=1)


@saved("processes-partition.json.gz")
def processes_partition() -> tc.ProcessFit:
    """Groups that are cut out of space."""
    return told(tc.Partition()).fit(measured(), folds=3, seed=1)


@saved("processes-merging.json.gz")
def processes_merging() -> tc.ProcessFit:
    """Groups that grow out of single series."""
    return told(tc.Merging()).fit(measured(), folds=3, seed=1)


@saved("processes-open.json.gz")
def processes_open() -> tc.ProcessFit:
    """Onsets that lie between two times."""
    return told("all", "cases-open-onsets.csv.gz").fit(measured(), folds=0, seed=1)
