"""The last section: everything needed to do the fit again."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any, TypeVar

from tacit.core.variables import Discrete
from tacit.learn.fits import Fit
from tacit.learn.structure.searched import Search
from tacit.learn.unseen.proposals import HiddenProposals
from tacit.reporting.again_given import (
    LONG,
    RULES,
    cases_python,
    cases_word,
    columns_python,
    families_python,
    families_words,
    hidden_words,
    knowledge_python,
    knowledge_words,
    plain_hidden,
    prior_python,
    prior_words,
    rule_files,
    seed_words,
)
from tacit.reporting.again_hidden import hidden_command, hidden_python
from tacit.reporting.again_lent import sources_python, sources_words
from tacit.reporting.again_search import search_command, search_python
from tacit.reporting.wording import plain

T = TypeVar("T")
_METHODS = {
    "AvailableCases": "available",
    "EM": "em",
    "FillIn": "fill-in",
    "Gradient": "gradient",
    "IBEM": "ibem",
    "MeanFieldEM": "mean-field",
}
_ANNEALING = "WeightAnnealing("
COLUMNS = ("left_out", "set_aside", "as_given")
"""What settings say of columns, beside arguments of the call."""
_LIMITS = {"restarts": "--restarts", "tolerance": "--tolerance", "max_steps": "--max-steps"}


def again(fit: Fit) -> dict[str, Any]:
    """`python` and `command` that repeat it, `seed`, `fingerprint` and `source`, `settings`.

    `learned.json` stands for the network of this fit, written with `tc.write`, and `rules_file` for
    a file of its rules where there was none. The command is None where the command line has no
    words for what Python was asked.
    """
    return {
        "python": _told(fit, search_python, hidden_python, _python),
        "command": _told(fit, search_command, hidden_command, _command),
        "rules_file": RULES if "knowledge" in fit.settings and not rule_files(fit) else None,
        "seed": fit.seed,
        "source": fit.cases.source,
        "fingerprint": fit.cases.fingerprint,
        "settings": plain(fit.settings),
    }


def _told(
    fit: Fit,
    search: Callable[[Search], T],
    hidden: Callable[[HiddenProposals], T],
    plain_fit: Callable[[Fit], T],
) -> T:
    if isinstance(fit, Search):
        return search(fit)
    return hidden(fit) if isinstance(fit, HiddenProposals) else plain_fit(fit)


def _python(fit: Fit) -> str:
    settings = fit.settings
    if "hierarchy" in settings:
        return _hierarchy_python(fit)
    lines = ["import tacit as tc", "", cases_python(fit)]
    if settings.get("start"):
        lines.append("network = ...  # the one whose numbers it started from")
    elif _declared(fit):
        lines.append("network = tc.read('learned.json')  # for its structure and its states")
    else:
        lines.append(f"network = {_dag(str(settings['structure']))}")
    more, given = prior_python(fit)
    lines += more
    if "knowledge" in settings:
        lines.append(f"knowledge = {knowledge_python(fit)}")
        given.insert(0, "knowledge=knowledge")
    more, arguments = sources_python(fit)
    lines += more
    given += arguments
    if asked := families_python(settings.get("families", {})):
        given.append(asked)
    if settings["method"] != "counting":
        given.append(f"method={_method_python(settings['method'])}")
    given += [f"hidden={_hidden(fit)!r}"] if "hidden" in settings else []
    given += [f"{each}={settings[each]!r}" for each in ("tied", "start") if each in settings]
    given += [f"level={settings['level']:g}"]
    given += [f"seed={fit.seed}"] if fit.seed is not None else []
    return "\n".join([*lines, f"fit = tc.fit(network, cases, {', '.join(given)})"])


def _method_python(method: str) -> str:
    """A method as Python writes it, with the methods and values inside it."""
    for inner in (_ANNEALING, "enrich="):
        method = method.replace(f"{inner}EM(", f"{inner}tc.EM(")
        method = method.replace(f"{inner}Enrichment(", f"{inner}tc.Enrichment(")
    return f"tc.{method}"


def _hierarchy_python(fit: Fit) -> str:
    said = dict(fit.settings["hierarchy"])
    more, given = prior_python(fit)
    start = [f"start={_dag(str(fit.settings['structure']))}"] if said.pop("given") else []
    given = [*start, f"method={_method_python(fit.settings['method'])}", *given]
    given = [each for each in given if not each.startswith("estimate=")]
    own = {name: value for name, value in said.items() if name not in COLUMNS}
    given += [f"{name}={value!r}" for name, value in own.items()]
    given += [*columns_python(said), f"seed={fit.seed}"]
    lines = ["import tacit as tc", "", cases_python(fit), *more]
    return "\n".join([*lines, f"found = tc.learn_hierarchy(cases, {', '.join(given)})"])


def _declared(fit: Fit) -> bool:
    """Whether the states are known from elsewhere than the cases, or their order is."""
    hidden = fit.settings.get("hidden", ())
    return any(
        isinstance(variable, Discrete) and not variable.inferred_order
        for name, variable in fit.network.variables.items()
        if name not in hidden
    )


def _hidden(fit: Fit) -> dict[str, int | str | list[str]]:
    return plain_hidden(fit.settings.get("hidden_at_start", fit.settings["hidden"]))


def _dag(text: str) -> str:
    """The dag as a Python string; a long one gets a line per variable."""
    if len(text) < 80 or '"""' in text or "\\" in text:
        return repr(text)
    return '"""\n' + text.replace("; ", "\n") + '\n"""'


def _command(fit: Fit) -> str | None:
    settings = {name: str(value) for name, value in fit.settings.items()}
    method, sources, prior = _method_words(settings["method"]), sources_words(fit), prior_words(fit)
    families = families_words(fit.settings.get("families", {}))
    if method is None or sources is None or prior is None or families is None:
        return None
    if {"tied", "start", "hierarchy"} & set(settings):
        return None
    dag = settings["structure"]
    network = "learned.json" if _declared(fit) or len(dag) > LONG else dag
    words = ["tacit", "fit", cases_word(fit), "--network", network]
    words += [*knowledge_words(fit), *sources, *prior, *families]
    words += [*method, *_hidden_words(fit), "--level", settings["level"], *seed_words(fit)]
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
    if option is None or "Enrichment(" in said:
        return None
    given = dict(pair.split("=") for pair in said.split(", ") if "=" in pair)
    if option == "weight-annealing" and not set(given) <= set(_LIMITS):
        return None  # --set speaks of the annealing there
    words = ["--method", option]
    for key, value in given.items():
        words += [_LIMITS[key], value] if key in _LIMITS else ["--set", f"{key}={_bare(value)}"]
    return words


def _bare(value: str) -> str:
    """A value of Python as the command line writes it."""
    return value.strip("'\"")


def _hidden_words(fit: Fit) -> list[str]:
    return hidden_words(_hidden(fit)) if "hidden" in fit.settings else []
