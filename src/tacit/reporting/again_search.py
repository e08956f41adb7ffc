"""A search in the last section: the call and the command that search again."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Mapping
from typing import Any

from tacit.core.errors import quoted
from tacit.core.variables import Continuous
from tacit.learn.structure.searched import Search
from tacit.reporting.again_given import (
    cases_python,
    cases_word,
    columns_python,
    columns_words,
    hidden_words,
    is_python,
    kinds_python,
    kinds_words,
    knowledge_python,
    knowledge_words,
    lines_python,
    lines_words,
    plain_hidden,
    prior_python,
    prior_word,
    prior_words,
    seed_words,
)

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
_NOT_KEPT = "# start was a network, whose numbers are not kept: hand it over again"
_ROUNDS = ("around", "steps", "max_rounds")
"""What structural EM takes and the command line has no words for."""
_WRAPPED = {"length": 25, "restarts": 0}
"""The tabu search that the command line anneals."""


def search_python(fit: Search) -> str:
    """The call that searches again."""
    settings = fit.settings
    lines = ["import tacit as tc", "", cases_python(fit)]
    given = []
    if "knowledge" in settings:
        lines.append(f"knowledge = {knowledge_python(fit)}")
        given.append("knowledge=knowledge")
    for name in ("score", "dag_prior"):
        described = settings.get(name)
        if described and is_python(described) and "->" not in described:
            given.append(f"{name}=tc.{described}")
        elif described:
            lines.append(f"{name} = ...  # {described}")
            given.append(f"{name}={name}")
    rounds = str(settings["method"]).startswith(_EM)
    given.append(f"method={_qualified(str(settings['method']).removeprefix(_EM))}")
    more, prior = _priors_python(fit, rounds)
    lines += more
    given += prior
    given += [f"start={settings['begun_at']!r}"] if "begun_at" in settings else []
    given += columns_python(settings)
    given += [f"families={settings['curves']!r}"] if settings.get("curves") else []
    given += [kinds] if (kinds := kinds_python(settings.get("local", {}))) else []
    if "unseen" in settings:
        given.append(f"hidden={plain_hidden(settings['unseen'])!r}")
    given += [f"{name}={settings[name]!r}" for name in _ROUNDS if rounds and name in settings]
    if rounds:
        lines += [_NOT_KEPT] if "numbers_given" in settings else []
    if rounds and not _real_rounds(fit):
        given.append(f"restarts={settings['starts']}")
    if fit.confidence is not None:
        given.append(f"bootstrap={fit.confidence.replicates}")
    given += [f"seed={fit.seed}"] if fit.seed is not None else []
    verb = "structural_em" if rounds else "search"
    return "\n".join([*lines, f"found = tc.{verb}(cases, {', '.join(given)})"])


def _priors_python(fit: Search, rounds: bool) -> tuple[list[str], list[str]]:
    if fit.settings.get("hidden") and not rounds:
        return [], []  # layers of lines and curves have no prior
    return ([], lines_python(fit)) if _real_rounds(fit) else prior_python(fit)


def _real_rounds(fit: Search) -> bool:
    """Whether structural EM went over lines and curves alone, which start once."""
    rounds = str(fit.settings["method"]).startswith(_EM) and "unseen" not in fit.settings
    return rounds and all(isinstance(v, Continuous) for v in fit.network.variables.values())


def _qualified(described: str) -> str:
    """`WeightAnnealing(Tabu())` as `tc.WeightAnnealing(tc.Tabu())`; text in quotes is kept."""
    pieces = re.split(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", described)
    pieces[::2] = [re.sub(r"\b([A-Z]\w*\()", r"tc.\1", piece) for piece in pieces[::2]]
    return "".join(pieces)


def search_command(fit: Search) -> str | None:
    """`tacit search CASES ...`; None where the command line has no words for what was asked."""
    settings = fit.settings
    score, method = score_word(str(settings["score"])), _method_words(str(settings["method"]))
    prior, dags = prior_words(fit), _dag_prior_words(settings.get("dag_prior"))
    if score is None or method is None or prior is None or dags is None or "--empty" in prior:
        return None
    if "starts" in settings and any(name in settings for name in (*_ROUNDS, "numbers_given")):
        return None
    words = ["tacit", "search", cases_word(fit), *knowledge_words(fit), "--score", score]
    words += [*dags, *method, *(lines_words(prior) if _real_rounds(fit) else prior)]
    words += ["--start", settings["begun_at"]] if "begun_at" in settings else []
    words += columns_words(fit, settings)
    words += _curve_words(settings.get("curves", {}))
    kinds = kinds_words(settings.get("local", {}))
    if kinds is None:
        return None
    words += kinds
    words += hidden_words(plain_hidden(settings.get("unseen", {})))
    if "starts" in settings and not _real_rounds(fit):
        words += ["--restarts", str(settings["starts"])]
    if fit.confidence is not None:
        words += ["--bootstrap", str(fit.confidence.replicates)]
    words += [*seed_words(fit), "-o", "learned.json", "--report", "report.html"]
    return shlex.join(words)


def _curve_words(curves: str | Mapping[str, str]) -> list[str]:
    """Which columns have curves: one word for all, or one for each."""
    if isinstance(curves, str):
        return ["--family", curves.removesuffix("-gaussian")]
    told = (f"{quoted(name)}={kind.removesuffix('-gaussian')}" for name, kind in curves.items())
    return [word for each in told for word in ("--family", each)]


def parsed(described: str) -> tuple[str, list[Any], Mapping[str, Any]] | None:
    """Name, arguments and named arguments of a described value; None where it is no plain one."""
    try:
        call = ast.parse(described, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return None
        given = [ast.literal_eval(each) for each in call.args]
        named = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    except (SyntaxError, ValueError):
        return None
    return call.func.id, given, named


def score_word(described: str) -> str | None:
    """`BIC()` as `bic`; None where there is no word."""
    if (prior := prior_word(described)) is not None:
        return prior
    told = parsed(described)
    if told is None or told[0] not in _SCORES or len(told[1]) > 1 or told[2]:
        return None
    return ":".join([_SCORES[told[0]], *(f"{each:g}" for each in told[1])])


def _dag_prior_words(described: str | None) -> list[str] | None:
    if described is None:
        return []
    told = parsed(described)
    if told is None or told[0] not in _DAG_PRIORS:
        return None
    return ["--dag-prior", ":".join([_DAG_PRIORS[told[0]], *(f"{each:g}" for each in told[1])])]


def _method_words(described: str) -> list[str] | None:
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
        number = given[0] if given else named.get("k")
        also = ["hidden"] * bool(named.get("hidden")) + ["each"] * (named.get("pooled") is False)
        if len(also) > 1:
            return None
        word = "ideal" if number is None and not also else f"ideal:{number or 2}"
        rest = {key: each for key, each in named.items() if key not in ("k", "hidden", "pooled")}
        return _with_limits(",".join([word, *also]), rest)
    if name in _SETTLED or name == "ChowLiu":
        word = _SETTLED.get(name, "chow-liu")
        names = [*given, *([named["root"]] if name == "ChowLiu" and "root" in named else [])]
        if len(names) > 1 or set(named) - ({"root"} if name == "ChowLiu" else set()):
            return None
        return ["--method", ":".join([word, *(quoted(str(each)) for each in names)])]
    if name not in _METHODS or len(given) > (name == "Exact"):
        return None
    return _with_limits(_METHODS[name], {**named, **({"most_parents": given[0]} if given else {})})


def _round_words(described: str) -> list[str] | None:
    """The search within each round of structural EM, which never restarts."""
    if described.startswith(("WeightAnnealing(", "IdealParent(")):
        return _method_words(described)
    told = parsed(described)
    if told is not None and told[0] == "IdealParent":
        return None if told[2].get("restarts") else _method_words(described)
    if told is None or told[0] not in ("HillClimb", "Tabu") or told[2].get("restarts") != 0:
        return None
    return _with_limits(_METHODS[told[0]], _without(told[2], {"restarts": 0}))


def _with_limits(word: str, named: Mapping[str, Any]) -> list[str] | None:
    if not set(named) <= set(_LIMITS):
        return None
    limits = [each for key, value in named.items() for each in (_LIMITS[key], str(value))]
    return ["--method", word, *limits]


def _without(named: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in named.items() if key not in known}
