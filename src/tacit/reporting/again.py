"""The last section: everything needed to do the fit again."""

from __future__ import annotations

import shlex
from typing import Any

from tacit.core.variables import Discrete
from tacit.learn.fits import Fit
from tacit.reporting.wording import plain

_FILES = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".json", ".jsonl", ".ndjson")
_PRIORS = {"BDeu": "bdeu:{}", "K2": "k2", "Jeffreys": "jeffreys", "Dirichlet": "dirichlet:{}"}
_ESTIMATES = {"ML": "ml", "MAP": "map", "PosteriorMean": "mean", "Smoothed": "smoothed"}
_METHODS = {"counting": [], "AvailableCases()": ["--method", "available"]}
_POLICIES = ("uniform", "prior", "error")
_LONG = 2_000
"""A dag of more letters is no word for a command line."""


def again(fit: Fit) -> dict[str, Any]:
    """`python` and `command` that repeat it, `seed`, `fingerprint` and `source`, `settings`.

    `learned.json` stands for the network of this fit, written with `tc.write`. The command is None
    where the command line has no words for what Python was asked.
    """
    return {
        "python": _python(fit),
        "command": _command(fit),
        "seed": fit.seed,
        "source": fit.cases.source,
        "fingerprint": fit.cases.fingerprint,
        "settings": plain(fit.settings),
    }


def _python(fit: Fit) -> str:
    settings, source = fit.settings, fit.cases.source
    lines = ["import tacit as tc", ""]
    if _is_file(source):
        lines.append(f"cases = tc.read_cases({source!r})")
    else:
        lines.append(f"cases = ...  # {' '.join(source.split())}".rstrip("# "))
    if _declared(fit):
        lines.append("network = tc.read('learned.json')  # for its structure and its states")
    else:
        lines.append(f"network = {_dag(str(settings['structure']))}")
    given = [f"estimate=tc.{settings['estimate']}"]
    prior = str(settings["prior"])
    if prior.endswith(")") and "..." not in prior and "<" not in prior:
        given.insert(0, f"prior=tc.{prior}")
    else:
        lines.append(f"prior = ...  # {prior}")
        given.insert(0, "prior=prior")
    given += [f"method=tc.{settings['method']}"] if settings["method"] != "counting" else []
    given += [f"level={settings['level']:g}"]
    given += [f"seed={fit.seed}"] if fit.seed is not None else []
    return "\n".join([*lines, f"fit = tc.fit(network, cases, {', '.join(given)})"])


def _declared(fit: Fit) -> bool:
    """Whether the states are known from elsewhere than the cases, or their order is."""
    return any(
        isinstance(variable, Discrete) and not variable.inferred_order
        for variable in fit.network.variables.values()
    )


def _dag(text: str) -> str:
    """The dag as a Python string; a long one gets a line per variable."""
    if len(text) < 80 or '"""' in text or "\\" in text:
        return repr(text)
    return '"""\n' + text.replace("; ", "\n") + '\n"""'


def _is_file(source: str) -> bool:
    return source.lower().removesuffix(".gz").endswith(_FILES) and "\n" not in source


def _command(fit: Fit) -> str | None:
    settings = {name: str(value) for name, value in fit.settings.items()}
    prior, _, strength = settings["prior"].removesuffix(")").partition("(")
    estimate = settings["estimate"].partition("(")[0]
    known = prior in _PRIORS and estimate in _ESTIMATES and settings["method"] in _METHODS
    if not known or settings["empty"] not in _POLICIES or not _is_number(strength or "1"):
        return None
    dag = settings["structure"]
    network = "learned.json" if _declared(fit) or len(dag) > _LONG else dag
    words = ["tacit", "fit", fit.cases.source if _is_file(fit.cases.source) else "CASES"]
    words += ["--network", network]
    words += ["--prior", _PRIORS[prior].format(strength), "--estimate", _ESTIMATES[estimate]]
    words += ["--empty", settings["empty"]] if settings["empty"] != "uniform" else []
    words += [*_METHODS[settings["method"]], "--level", settings["level"]]
    words += ["--seed", str(fit.seed)] if fit.seed is not None else []
    output = "again.json" if network == "learned.json" else "learned.json"
    return shlex.join([*words, "-o", output, "--report", "report.html"])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
