"""The last section: everything needed to do the fit again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from tacit.core.errors import quoted
from tacit.core.variables import Discrete
from tacit.learn.fits import Fit
from tacit.reporting.again_lent import own_prior, sources_python, sources_words
from tacit.reporting.loans import NORMAL
from tacit.reporting.wording import plain

_FILES = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".json", ".jsonl", ".ndjson")
_PRIORS = {"BDeu": "bdeu:{}", "K2": "k2", "Jeffreys": "jeffreys", "Dirichlet": "dirichlet:{}"}
_ESTIMATES = {"ML": "ml", "MAP": "map", "PosteriorMean": "mean", "Smoothed": "smoothed"}
_METHODS = {"AvailableCases": "available", "EM": "em", "Gradient": "gradient", "FillIn": "fill-in"}
_ANNEALING = "WeightAnnealing("
_LIMITS = {"restarts": "--restarts", "tolerance": "--tolerance", "max_steps": "--max-steps"}
_RULES = "rules.know"
_POLICIES = ("uniform", "prior", "error")
_LONG = 2_000
"""A dag of more letters is no word for a command line, rules of more letters none for a call."""


def again(fit: Fit) -> dict[str, Any]:
    """`python` and `command` that repeat it, `seed`, `fingerprint` and `source`, `settings`.

    `learned.json` stands for the network of this fit, written with `tc.write`, and `rules_file` for
    a file of its rules where there was none. The command is None where the command line has no
    words for what Python was asked.
    """
    return {
        "python": _python(fit),
        "command": _command(fit),
        "rules_file": _RULES if "knowledge" in fit.settings and not _files(fit) else None,
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
    if settings.get("start"):
        lines.append("network = ...  # the one whose numbers it started from")
    elif _declared(fit):
        lines.append("network = tc.read('learned.json')  # for its structure and its states")
    else:
        lines.append(f"network = {_dag(str(settings['structure']))}")
    given = []
    prior = own_prior(settings)
    if prior.endswith(")") and "..." not in prior and "<" not in prior:
        given = [f"prior=tc.{prior}", f"estimate=tc.{settings['estimate']}"]
    elif prior != NORMAL:
        lines.append(f"prior = ...  # {prior}")
        given = ["prior=prior", f"estimate=tc.{settings['estimate']}"]
    if "knowledge" in settings:
        lines.append(f"knowledge = {_knowledge(fit)}")
        given.insert(0, "knowledge=knowledge")
    more, arguments = sources_python(fit)
    lines += more
    given += arguments
    if settings["method"] != "counting":
        given.append(f"method=tc.{settings['method'].replace(_ANNEALING, _ANNEALING + 'tc.')}")
    given += [f"hidden={_hidden(fit)!r}"] if "hidden" in settings else []
    given += [f"{each}={settings[each]!r}" for each in ("tied", "start") if each in settings]
    given += [f"level={settings['level']:g}"]
    given += [f"seed={fit.seed}"] if fit.seed is not None else []
    return "\n".join([*lines, f"fit = tc.fit(network, cases, {', '.join(given)})"])


def _knowledge(fit: Fit) -> str:
    """The files of the rules, or their text, as Python writes it."""
    files, text = _files(fit), str(fit.settings["knowledge"])
    if files and all(map(_is_knowledge, files)):
        return repr(files[0] if len(files) == 1 else files)
    if len(text) > _LONG:
        return f"{_RULES!r}  # a file of the rules above"
    if '"""' in text or "\\" in text or not text.replace("\n", "").isprintable():
        return repr(text)
    return f'"""\n{text.strip()}\n"""'


def _is_knowledge(name: str) -> bool:
    """Whether `tc.fit` takes this text for the name of a file."""
    return "\n" not in name and name.lower().removesuffix(".gz").endswith(".know")


def _files(fit: Fit) -> list[str]:
    """The files that hold all rules; none where some were written elsewhere."""
    files = [str(name) for name in fit.settings.get("knowledge_files", ())]
    return files if all(rule.source in files for rule in fit.rules) else []


def _declared(fit: Fit) -> bool:
    """Whether the states are known from elsewhere than the cases, or their order is."""
    hidden = fit.settings.get("hidden", ())
    return any(
        isinstance(variable, Discrete) and not variable.inferred_order
        for name, variable in fit.network.variables.items()
        if name not in hidden
    )


def _hidden(fit: Fit) -> dict[str, int | list[str]]:
    """{"H": 3}, or the states by name where they have names."""
    return {
        name: len(states) if states == _numbered(states) else list(states)
        for name, states in fit.settings["hidden"].items()
    }


def _numbered(states: Sequence[str]) -> list[str]:
    return [str(at + 1) for at in range(len(states))]


def _dag(text: str) -> str:
    """The dag as a Python string; a long one gets a line per variable."""
    if len(text) < 80 or '"""' in text or "\\" in text:
        return repr(text)
    return '"""\n' + text.replace("; ", "\n") + '\n"""'


def _is_file(source: str) -> bool:
    return source.lower().removesuffix(".gz").endswith(_FILES) and "\n" not in source


def _command(fit: Fit) -> str | None:
    settings = {name: str(value) for name, value in fit.settings.items()}
    prior, _, strength = own_prior(settings).removesuffix(")").partition("(")
    estimate = settings["estimate"].partition("(")[0]
    method, sources = _method_words(settings["method"]), sources_words(fit)
    known = (
        (prior in _PRIORS or prior == NORMAL)
        and estimate in _ESTIMATES
        and not {"tied", "start"} & set(settings)
    )
    if not known or settings["empty"] not in _POLICIES or not _is_number(strength or "1"):
        return None
    if method is None or sources is None:
        return None
    dag = settings["structure"]
    network = "learned.json" if _declared(fit) or len(dag) > _LONG else dag
    words = ["tacit", "fit", fit.cases.source if _is_file(fit.cases.source) else "CASES"]
    words += ["--network", network]
    words += [*_knowledge_words(fit), *sources]
    if prior != NORMAL:
        words += ["--prior", _PRIORS[prior].format(strength), "--estimate", _ESTIMATES[estimate]]
    words += ["--empty", settings["empty"]] if settings["empty"] != "uniform" else []
    words += [*method, *_hidden_words(fit), "--level", settings["level"]]
    words += ["--seed", str(fit.seed)] if fit.seed is not None else []
    output = "again.json" if network == "learned.json" else "learned.json"
    return shlex.join([*words, "-o", output, "--report", "report.html"])


def _method_words(method: str) -> list[str] | None:
    """`EM(restarts=20)` as words; None where the command line has none for it."""
    name, _, said = method.removesuffix(")").partition("(")
    if name == "counting":
        return []
    option = _METHODS.get(name)
    if name == "WeightAnnealing" and said.startswith("EM(") and said.endswith(")"):
        option, said = "weight-annealing", said[3:-1]
    given = dict(pair.split("=") for pair in said.split(", ") if "=" in pair)
    if option is None or not set(given) <= set(_LIMITS):
        return None
    limits = [word for key, value in given.items() for word in (_LIMITS[key], value)]
    return ["--method", option, *limits]


def _hidden_words(fit: Fit) -> list[str]:
    words = []
    for name, states in _hidden(fit).items() if "hidden" in fit.settings else ():
        told = str(states) if isinstance(states, int) else f"{{{', '.join(map(quoted, states))}}}"
        words += ["--hidden", f"{quoted(name)}={told}"]
    return words


def _knowledge_words(fit: Fit) -> list[str]:
    if "knowledge" not in fit.settings:
        return []
    return [word for name in _files(fit) or [_RULES] for word in ("--knowledge", name)]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
