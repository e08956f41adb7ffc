"""A search in the last section: the tables of its settings, complete cases or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.core.errors import quoted
from tacit.core.variables import Continuous
from tacit.learn.origins import START_FILE, START_GIVEN
from tacit.learn.structure.searched import Search
from tacit.reporting.again_fit import plainly
from tacit.reporting.again_given import (
    as_given_said,
    estimate,
    families_said,
    hidden_said,
    is_python,
    knowledge,
    normal_prior,
    parsed,
    prior,
    prior_word,
    qualified,
    seed,
    unkept,
)
from tacit.reporting.again_settings import NOTHING, Said, Setting, Verb

_SCORES = {
    "BIC": "bic",
    "AIC": "aic",
    "MDL": "mdl",
    "QNML": "qnml",
    "LogLikelihood": "likelihood",
    "BGe": "bge",
}
_DAG_PRIORS = {
    "ArcPenalty": "arcs",
    "ParentCounts": "parent-counts",
    "DescriptionLength": "description-length",
}
_METHODS = {"HillClimb": "hill", "Tabu": "tabu", "Exact": "exact", "ChowLiu": "chow-liu"}
_LIMITS = {"restarts": "--restarts", "most_parents": "--most-parents"}
_SETTLED = {"TAN": "tan", "SimulatedAnnealing": "simulated-annealing"}
_EM = "structural EM with "
_WRAPPED = {"length": 25, "restarts": 0}
"""The tabu search that the command line anneals."""


def in_rounds(fit: Search) -> bool:
    """Whether it went by structural EM."""
    return str(fit.settings["method"]).startswith(_EM)


def _over_reals(fit: Search) -> bool:
    """Whether structural EM went over lines and curves alone, which start once."""
    rounds = in_rounds(fit) and "unseen" not in fit.settings
    return rounds and all(isinstance(v, Continuous) for v in fit.network.variables.values())


def _layers(fit: Search) -> bool:
    """Whether hidden parents of columns were looked for, which have no prior."""
    told = parsed(str(fit.settings["method"]))
    return told is not None and bool(told[2].get("hidden"))


def score(fit: Search) -> Said:
    """What a dag was worth."""
    return score_said(str(fit.settings["score"]))


def score_said(described: str) -> Said:
    """`tc.BIC()` and `--score bic`."""
    if not is_python(described):
        return unkept("score", described)
    word = score_word(described)
    return Said(f"tc.{described}", None if word is None else ["--score", word])


def score_word(described: str) -> str | None:
    """`BIC()` as `bic`; None where there is no word."""
    if (word := prior_word(described)) is not None:
        return word
    told = parsed(described)
    if told is None or told[0] not in _SCORES or len(told[1]) > 1 or told[2]:
        return None
    return ":".join([_SCORES[told[0]], *map(str, told[1])])


def dag_prior(fit: Search) -> Said:
    """What was believed of dags."""
    described = fit.settings.get("dag_prior")
    if not described:
        return NOTHING
    if not is_python(described) or "->" in described:
        return unkept("dag_prior", described)
    told = parsed(described)
    if told is None or told[0] not in _DAG_PRIORS:
        return Said(f"tc.{described}", None)
    word = ":".join([_DAG_PRIORS[told[0]], *map(str, told[1])])
    return Said(f"tc.{described}", ["--dag-prior", word])


def method(fit: Search) -> Said:
    """How dags were looked for, or those of each round."""
    described = str(fit.settings["method"])
    words = search_method_words(described)
    if in_rounds(fit) and not ("unseen" in fit.settings or fit.cases.missing):
        words = None  # the command searches complete cases by tc.search
    return Said(qualified(described.removeprefix(_EM)), words)


def _prior(fit: Search) -> Said:
    if _layers(fit):
        return NOTHING
    return normal_prior(fit) if _over_reals(fit) else prior(fit)


def _estimate(fit: Search) -> Said:
    said = estimate(fit)
    if _layers(fit) or (_over_reals(fit) and said.python == "tc.Smoothed()"):
        return NOTHING
    return Said(said.python, None) if said.words and "--empty" in said.words else said


def start(fit: Search) -> Said:
    """Where it began: the dag, or a network whose numbers count in rounds."""
    settings = fit.settings
    if "begun_at" not in settings:
        return NOTHING
    file = settings.get(START_FILE)
    if {"numbers_given", START_GIVEN} & set(settings) and not file:
        line = "start = ...  # the network with its numbers, from which the first round went"
        remark = "The numbers that it started from are not kept: put their network in."
        return Said("start", None, [line], remark)
    at = str(file or settings["begun_at"])
    return Said(repr(at), ["--start", at])


def leave_out(fit: Search) -> Said:
    """Columns that were no variables."""
    names = list(fit.settings.get("left_out", ()))
    words = [word for name in names for word in ("--leave-out", quoted(name))]
    return Said(repr(names), words) if names else NOTHING


def as_given(fit: Search) -> Said:
    """Columns that were kept though they say nothing; what was set aside is so again by itself."""
    return as_given_said(fit, fit.settings)


def families(fit: Search) -> Said:
    """Curves, or links and shared rows."""
    if curves := fit.settings.get("curves"):
        return families_said(curves)
    return families_said(fit.settings.get("local", {}))


def bootstrap(fit: Search) -> Said:
    """Samples that told how sure arcs are."""
    many = fit.settings.get("bootstrap", 0)
    if fit.confidence is not None and "bootstrap" not in fit.settings:
        many = fit.confidence.replicates
    return Said(str(many), ["--bootstrap", str(many)]) if many else NOTHING


def hidden(fit: Search) -> Said:
    """What no column measures."""
    return hidden_said(fit.settings.get("unseen", {}))


def restarts(fit: Search) -> Said:
    """Starts of structural EM."""
    many = fit.settings.get("starts")
    if many is None or _over_reals(fit):
        return NOTHING
    return Said(str(many), ["--restarts", str(many)])


def _implied(fit: Search) -> Said:
    """What follows from the others."""
    del fit
    return NOTHING


_BOTH = (
    Setting(("knowledge",), ("--knowledge",), knowledge),
    Setting(("score",), ("--score",), score),
    Setting(("dag_prior",), ("--dag-prior",), dag_prior),
    Setting(("method",), ("--method", *_LIMITS.values()), method),
    Setting(("prior",), ("--prior", "--normal-prior"), _prior),
    Setting(("estimate",), ("--estimate",), _estimate),
    Setting(("start",), ("--start",), start),
    Setting(("leave_out",), ("--leave-out",), leave_out),
    Setting(("as_given",), ("--as-given",), as_given),
    Setting(("families", "family"), ("--family",), families),
)
SEARCH = Verb(
    "found = tc.search",
    "search",
    (
        *_BOTH,
        Setting(("bootstrap",), ("--bootstrap",), bootstrap),
        Setting(("seed",), ("--seed",), seed),
    ),
)
STRUCTURAL_EM = Verb(
    "found = tc.structural_em",
    "search",
    (
        *_BOTH,
        Setting(("hidden",), ("--hidden",), hidden),
        Setting(("around",), (), plainly("around")),
        Setting(("steps",), (), plainly("steps")),
        Setting(("max_rounds",), (), plainly("max_rounds")),
        Setting(("restarts",), ("--restarts",), restarts),
        Setting(("variant",), (), _implied),
        Setting(("seed",), ("--seed",), seed),
    ),
)
"""The variant follows from the score."""


def search_method_words(described: str) -> list[str] | None:
    if described.startswith(_EM):
        return _round_words(described.removeprefix(_EM))
    inner = described.removeprefix("WeightAnnealing(").removesuffix(")")
    if described.startswith("WeightAnnealing("):
        told = parsed(inner)
        if told is None or told[0] != "Tabu" or told[1] or not _WRAPPED.items() <= told[2].items():
            return None
        return _with_limits("weight-annealing", _without(told[2], _WRAPPED))
    told = parsed(described)
    if told is None:
        return None
    name, given, named = told
    if name == "IdealParent":
        return _ideal_words(given, named)
    if name in _SETTLED or name == "ChowLiu":
        word = _SETTLED.get(name, "chow-liu")
        names = [*given, *([named["root"]] if name == "ChowLiu" and "root" in named else [])]
        if len(names) > 1 or set(named) - ({"root"} if name == "ChowLiu" else set()):
            return None
        return ["--method", ":".join([word, *(quoted(str(each)) for each in names)])]
    if name not in _METHODS or len(given) > (name == "Exact"):
        return None
    return _with_limits(_METHODS[name], {**named, **({"most_parents": given[0]} if given else {})})


def _ideal_words(given: Sequence[Any], named: Mapping[str, Any]) -> list[str] | None:
    """`IdealParent(k=3, hidden=True)` as `--method ideal:3,hidden`."""
    number = given[0] if given else named.get("k")
    also = ["hidden"] * bool(named.get("hidden")) + ["each"] * (named.get("pooled") is False)
    if len(also) > 1:
        return None
    word = "ideal" if number is None and not also else f"ideal:{number or 2}"
    rest = {key: each for key, each in named.items() if key not in ("k", "hidden", "pooled")}
    return _with_limits(",".join([word, *also]), rest)


def _round_words(described: str) -> list[str] | None:
    """The search within each round of structural EM, which never restarts."""
    if described.startswith("WeightAnnealing("):
        return search_method_words(described)
    told = parsed(described)
    if told is None or told[0] not in ("HillClimb", "Tabu", "IdealParent"):
        return None
    if told[0] == "IdealParent":
        plain = {key: each for key, each in told[2].items() if key != "restarts"}
        return _ideal_words(told[1], plain)
    if told[2].get("restarts") != 0:
        return None
    return _with_limits(_METHODS[told[0]], _without(told[2], {"restarts": 0}))


def _with_limits(word: str, named: Mapping[str, Any]) -> list[str] | None:
    if not set(named) <= set(_LIMITS):
        return None
    limits = [each for key, value in named.items() for each in (_LIMITS[key], str(value))]
    return ["--method", word, *limits]


def _without(named: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in named.items() if key not in known}
