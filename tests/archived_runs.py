"""Runs that were broken off in an earlier version, and go on today from the checkpoints they left.

Every run is a function that takes what a run and its resumption differ in: `checkpoint=`,
`resume=`, `progress=`. Runs read their cases from the archive and are made in its folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isclose
from typing import Any

import tacit as tc

WEATHER = "Season -> Rain, Sprinkler; Rain, Sprinkler -> Wet; Wet -> Slippery"
MOOD = "Mood -> Sleep, Work, Appetite, Friends, Sport, Music"
SKILL = "Skill -> Algebra, Logic, Physics, Chess, Music, Latin, Greek"
LINKS = {"Fever": "noisy-or", "Cough": "noisy-and", "Headache": "noisy-max"}
SURVEY, GAPS = "cases-survey-gaps.parquet", "cases-weather-gaps.csv.gz"

NONE = tc.WeakNormal(0)
"""Version 0.1 gave regressions no prior unless one was asked for; what has none goes on so."""

Run = Callable[..., Any]
RUNS: dict[str, Run] = {}
"""What each checkpoint belongs to."""


def run(file: str) -> Callable[[Run], Run]:
    """Says which checkpoint a run left."""

    def noted(made: Run) -> Run:
        RUNS[file] = made
        return made

    return noted


@run("checkpoint-em.ckpt.gz")
def em(**more: Any) -> Any:
    """EM of tables with a hidden variable: one start done, one broken off, one not begun."""
    return tc.fit(
        MOOD, SURVEY, hidden={"Mood": 2}, method=tc.EM(restarts=3), seed=1, threads=1, **more
    )


@run("checkpoint-em-begun.ckpt")
def em_begun(**more: Any) -> Any:
    """EM under rules, killed before its first step was kept."""
    return tc.fit(
        WEATHER, GAPS, knowledge="knowledge-weather.know", method=tc.EM(accelerate=False), seed=1,
        **more,
    )  # fmt: skip


@run("checkpoint-em-done.ckpt.gz")
def em_done(**more: Any) -> Any:
    """EM that had come to its end."""
    return tc.fit(WEATHER, GAPS, method=tc.EM(restarts=2), seed=1, threads=1, **more)


@run("checkpoint-em-links.ckpt.gz")
def em_links(**more: Any) -> Any:
    """EM of noisy families."""
    return tc.fit(
        "Flu, Cold -> Fever, Cough; Flu, Dust -> Headache", "cases-symptoms-gaps.csv.gz",
        families=LINKS, seed=1, **more,
    )  # fmt: skip


RAIN, SPRINKLER, WET = (tc.Discrete(name, ("no", "yes")) for name in ("Rain", "Sprinkler", "Wet"))
ROWS = tc.TreeTable.of(
    WET,
    [RAIN, SPRINKLER],
    {"Rain": {"yes": [0.1, 0.9], "no": {"Sprinkler": {"no": [0.9, 0.1], "yes": [0.4, 0.6]}}}},
)


@run("checkpoint-em-rows.ckpt.gz")
def em_rows(**more: Any) -> Any:
    """EM of a tree table whose rows are given."""
    return tc.fit(WEATHER, GAPS, families={"Wet": ROWS}, seed=1, **more)


@run("checkpoint-em-lines.ckpt.gz")
def em_lines(**more: Any) -> Any:
    """EM of lines with a hidden variable without states."""
    return tc.fit(
        SKILL, "cases-marks.csv.gz", hidden={"Skill": "continuous"}, prior=NONE,
        method=tc.EM(restarts=2), seed=1, threads=1, **more,
    )  # fmt: skip


@run("checkpoint-em-mixed.ckpt.gz")
def em_mixed(**more: Any) -> Any:
    """EM of lines in every configuration, with missing cells of both kinds."""
    return tc.fit(
        "Mode -> Worn, Load; Load, Worn -> Heat", "cases-engine-gaps.csv.gz",
        prior=[tc.BDeu(1), tc.NormalGamma(2)], seed=1, **more,
    )  # fmt: skip


@run("checkpoint-em-curves.ckpt.gz")
def em_curves(**more: Any) -> Any:
    """EM of curves."""
    return tc.fit(
        "Current -> Light -> Heat", "cases-lamp-gaps.csv.gz", seed=1,
        families={"Light": "sigmoid-gaussian", "Heat": "softplus-gaussian"}, prior=NONE, **more,
    )  # fmt: skip


@run("checkpoint-mean-field.ckpt.gz")
def mean_field(**more: Any) -> Any:
    """Mean-field EM of two hidden variables."""
    return tc.fit(
        "Mood -> Sleep, Work, Appetite; Mood -> Zest; Zest -> Friends, Sport, Music", SURVEY,
        hidden={"Mood": 2, "Zest": 2}, method=tc.MeanFieldEM(restarts=2), seed=1, threads=1,
        **more,
    )  # fmt: skip


@run("checkpoint-annealing.ckpt.gz")
def annealing(**more: Any) -> Any:
    """EM under weights that an adversary sets, between two temperatures."""
    return tc.fit(
        MOOD, SURVEY, hidden={"Mood": 2}, seed=1,
        method=tc.WeightAnnealing(tc.EM(restarts=1), cooling=0.7), **more,
    )  # fmt: skip


@run("checkpoint-annealing-random.ckpt.gz")
def annealing_random(**more: Any) -> Any:
    """EM under weights that are drawn at random, between two temperatures."""
    return tc.fit(
        MOOD, SURVEY, hidden={"Mood": 2}, seed=1,
        method=tc.WeightAnnealing(tc.EM(restarts=1), reweight="random", cooling=0.5), **more,
    )  # fmt: skip


@run("checkpoint-path.ckpt.gz")
def path(**more: Any) -> Any:
    """A path of the bottleneck."""
    return tc.fit(
        MOOD, SURVEY, hidden={"Mood": 2}, method=tc.IBEM(longest=0.1, max_steps=40), seed=1, **more
    )


@run("checkpoint-path-grown.ckpt.gz")
def path_grown(**more: Any) -> Any:
    """A path on which the network changes, of a hierarchy."""
    method = tc.IBEM(
        cardinality="adapt", structure=True, enrich=True, inference="exact", longest=0.1,
        max_steps=30,
    )  # fmt: skip
    return tc.learn_hierarchy("cases-survey.csv.gz", method=method, seed=1, **more)


@run("checkpoint-search.ckpt.gz")
def search(**more: Any) -> Any:
    """A search that climbs and starts anew."""
    return tc.search("cases-weather.csv.gz", method=tc.HillClimb(restarts=5), seed=1, **more)


@run("checkpoint-search-begun.ckpt")
def search_begun(**more: Any) -> Any:
    """A search that was killed before its first step was kept."""
    return tc.search("cases-weather.csv.gz", score=tc.BDeu(10), seed=1, **more)


@run("checkpoint-search-tabu.ckpt.gz")
def search_tabu(**more: Any) -> Any:
    """A tabu search under rules about arcs."""
    return tc.search(
        "cases-weather.csv.gz", knowledge="require Season -> Rain", method=tc.Tabu(restarts=2),
        seed=1, **more,
    )  # fmt: skip


@run("checkpoint-search-lines.ckpt.gz")
def search_lines(**more: Any) -> Any:
    """A search among lines, parents ranked by their geometry."""
    method = tc.IdealParent(k=2, restarts=2)
    return tc.search("cases-marks.csv.gz", method=method, prior=NONE, seed=1, **more)


@run("checkpoint-structural-em.ckpt.gz")
def structural_em(**more: Any) -> Any:
    """Structural EM with a hidden variable, two starts."""
    return tc.structural_em(SURVEY, hidden={"Mood": 2}, restarts=2, max_rounds=6, seed=1, **more)


@run("checkpoint-structural-em-annealed.ckpt.gz")
def structural_em_annealed(**more: Any) -> Any:
    """Structural EM under weights that are annealed."""
    return tc.structural_em(
        GAPS, method=tc.WeightAnnealing(tc.HillClimb(restarts=0), cooling=0.5), max_rounds=6,
        seed=1, **more,
    )  # fmt: skip


@run("checkpoint-structural-em-mixed.ckpt.gz")
def structural_em_mixed(**more: Any) -> Any:
    """Structural EM among columns of both kinds."""
    return tc.structural_em("cases-engine-gaps.csv.gz", restarts=2, prior=NONE, seed=1, **more)


@run("checkpoint-hidden.ckpt.gz")
def hidden(**more: Any) -> Any:
    """A search for hidden variables above columns with states, with links in bootstrap samples."""
    return tc.propose_hidden(
        "cases-survey.csv.gz", most=1, tries=2, shown=1, restarts=1, bootstrap=2, seed=1, **more
    )


@run("checkpoint-hidden-mixed.ckpt.gz")
def hidden_mixed(**more: Any) -> Any:
    """A search for hidden variables above columns of both kinds."""
    found = tc.propose_hidden(
        "cases-ward.csv.gz", most=1, tries=1, shown=1, restarts=0, seed=1, **more
    )
    last = tc.fit(
        found.network, "cases-ward.csv.gz", hidden="rest", start="given", prior=NONE, seed=1,
        progress=False,
    )  # fmt: skip
    return replace(found, objective=last.objective, log_likelihood=last.log_likelihood)


@run("checkpoint-processes-partition.ckpt.gz")
def partition(**more: Any) -> Any:
    """Groups of series that are cut out of space."""
    return _processes(tc.Partition(), **more)


@run("checkpoint-processes-merging.ckpt.gz")
def merging(**more: Any) -> Any:
    """Groups of series that grow."""
    return _processes(tc.Merging(), **more)


def _processes(share: Any, **more: Any) -> tc.ProcessFit:
    told = tc.HiddenProcesses({"see": 5, "press": 5}, "cases-onsets.csv.gz", share=share)
    trials = tc.read_trials("cases-series.csv.gz", places="cases-places.csv.gz")
    return told.fit(trials, folds=3, seed=1, **more)


SAME = 1e-5
"""How far the end of a run may be from where it ended before, as a share. EM stops once steps gain
less than 1e-8 of the objective, so that sums in another order, or another version of numpy, may
stop it a step sooner: the objective then differs by some 1e-8 of itself, and a log-likelihood,
which is not what is maximised under a prior, by the square root of that and less."""


def ends(found: Any) -> dict[str, Any]:
    """What a run ends in: its dag, or its groups, and the numbers that judge it."""
    if isinstance(found, tc.ProcessFit):
        groups = sorted(sorted(group.series) for group in found.groups)
        score = None if found.score is None else found.score.total
        return {"groups": groups, "log_likelihood": found.log_likelihood, "held_out": score}
    told = {"dag": str(found.network.dag), "stop": found.stop.name}
    told |= {"objective": found.objective, "log_likelihood": found.log_likelihood}
    if isinstance(found, tc.Search):
        told["score"] = found.score
    if isinstance(found, tc.HiddenProposals):
        told["score_without"] = found.hunt.score_without
        told["proposals"] = [[each.name, each.states] for each in found.hunt.proposals]
    return told


def close(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two runs end alike: numbers about, all else exactly."""
    return one.keys() == other.keys() and all(
        isclose(each, other[name], rel_tol=SAME) if isinstance(each, float) else each == other[name]
        for name, each in one.items()
    )
