"""A fit in the last section: the table of its settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tacit.core.dag import Dag
from tacit.core.errors import quoted
from tacit.core.variables import Discrete
from tacit.learn.fits import Fit
from tacit.learn.origins import FILE, STATES
from tacit.reporting.again_given import (
    LONG,
    dag_python,
    estimate,
    families_said,
    hidden_said,
    knowledge,
    level,
    parsed,
    prior,
    qualified,
    seed,
)
from tacit.reporting.again_lent import sources, transfer
from tacit.reporting.again_reading import LEARNED, Cases
from tacit.reporting.again_settings import NOTHING, Said, Setting, Verb

_METHODS = {
    "AvailableCases": "available",
    "EM": "em",
    "FillIn": "fill-in",
    "Gradient": "gradient",
    "IBEM": "ibem",
    "MeanFieldEM": "mean-field",
}
_ANNEALING = "WeightAnnealing("
LIMITS = {"restarts": "--restarts", "tolerance": "--tolerance", "max_steps": "--max-steps"}


def structure(fit: Fit) -> Said:
    """The network or the dag: a file where one is known, or the one that was learned, whose states
    are those of the one that was given."""
    dag, file = _in_order(fit), str(fit.settings.get(FILE, ""))
    if file:
        return _read(file, "its structure and its states", file)
    if fit.settings.get("start"):
        line = "network = ...  # the one whose numbers it started from"
        remark = "The numbers that it started from are not kept: put their network in."
        return Said("network", None, [line], remark)
    if declared(fit):
        return _read(LEARNED, "its structure and its states", LEARNED)
    word = LEARNED if len(dag) > LONG else dag
    return Said("network", ["--network", word], [f"network = {dag_python(dag)}"])


def _in_order(fit: Fit) -> str:
    """The dag as text whose variables come in their order, on which last digits depend."""
    text, names = str(fit.settings["structure"]), fit.network.dag.names
    told = Dag.parse(text).names
    if told == names or set(told) != set(names):
        return text
    return f"{'; '.join(map(quoted, names))}; {text}"


def _read(file: str, what: str, word: str) -> Said:
    line = f"network = tc.read({file!r})  # for {what}"
    return Said("network", ["--network", word], [line])


def declared(fit: Fit) -> bool:
    """Whether the states are known from elsewhere than the cases, or their order is."""
    hidden = fit.settings.get("hidden", ())
    return STATES in fit.settings or any(
        isinstance(variable, Discrete) and not variable.inferred_order
        for name, variable in fit.network.variables.items()
        if name not in hidden
    )


def method(fit: Fit) -> Said:
    """How missing cells are treated; complete cases are counted whatever is said."""
    described = str(fit.settings["method"])
    if described == "counting":
        return NOTHING
    return Said(qualified(described), method_words(described))


def method_words(described: str) -> list[str] | None:
    """`EM(restarts=20)` as words; None where the command line has none for it."""
    if described.startswith(_ANNEALING):
        return _annealing_words(described)
    told = parsed(described)
    if told is None or told[1] or told[0] not in _METHODS:
        return None
    words = ["--method", _METHODS[told[0]]]
    for key, value in told[2].items():
        words += [LIMITS[key], str(value)] if key in LIMITS else ["--set", f"{key}={value}"]
    return words


def _annealing_words(described: str) -> list[str] | None:
    """`WeightAnnealing(EM(...))`, whose own settings are said by --set, those of EM by options."""
    inner, _, rest = described.removeprefix(_ANNEALING).partition(")")
    of_em = parsed(f"{inner})")
    own = parsed(f"Own({rest.removeprefix(', ')}")
    if of_em is None or own is None or of_em[0] != "EM" or not set(of_em[2]) <= set(LIMITS):
        return None
    words = ["--method", "weight-annealing"]
    for key, value in of_em[2].items():
        words += [LIMITS[key], str(value)]
    return words + [w for key, value in own[2].items() for w in ("--set", f"{key}={value}")]


def hidden(fit: Fit) -> Said:
    """What no column measures, with the states that it began with."""
    if "hidden" not in fit.settings:
        return NOTHING
    return hidden_said(fit.settings.get("hidden_at_start", fit.settings["hidden"]))


def families(fit: Fit) -> Said:
    """Other families than the usual ones."""
    return families_said(fit.settings.get("families", {}))


def start(fit: Fit) -> Said:
    """Whether it began with the numbers of the network."""
    if "start" not in fit.settings:
        return NOTHING
    return Said(repr(fit.settings["start"]), ["--start", str(fit.settings["start"])])


def plainly(name: str, option: str = "") -> Callable[[Any], Said]:
    """A setting that both languages take as it is; without an option the command has no words."""

    def said(fit: Fit) -> Said:
        if name not in fit.settings:
            return NOTHING
        value = fit.settings[name]
        return Said(repr(value), [option, str(value)] if option else None)

    return said


FIT = Verb(
    "fit = tc.fit",
    "fit",
    (
        Setting(("structure",), ("--network",), structure),
        Setting(("knowledge",), ("--knowledge",), knowledge),
        Setting(("sources",), ("--source",), sources),
        Setting(("transfer",), ("--transfer",), transfer),
        Setting(("prior",), ("--prior", "--normal-prior"), prior),
        Setting(("estimate",), ("--estimate", "--empty"), estimate),
        Setting(("families",), ("--family",), families),
        Setting(("method",), ("--method", "--set", *LIMITS.values()), method),
        Setting(("hidden",), ("--hidden",), hidden),
        Setting(("tied",), (), plainly("tied")),
        Setting(("start",), ("--start",), start),
        Setting(("level",), ("--level",), level),
        Setting(("seed",), ("--seed",), seed),
    ),
    ("structure", "cases"),
    beside=True,
)


def cases_of(fit: Fit) -> Cases:
    """The cases, in the states of the network where one is read."""
    return Cases.of(fit, "network" if fit.settings.get(FILE) or declared(fit) else "")
