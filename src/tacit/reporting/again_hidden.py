"""A search for hidden variables in the last section: the call and the command that seek again."""

from __future__ import annotations

import shlex
from inspect import signature
from typing import Any

from tacit.core.errors import quoted
from tacit.core.variables import Continuous
from tacit.estimate.scores.values import BIC
from tacit.learn.unseen.asking import OTHERS
from tacit.learn.unseen.proposals import HiddenProposals
from tacit.learn.unseen.propose import propose_hidden
from tacit.learn.unseen.sought import Settings
from tacit.reporting.again_given import (
    LONG,
    cases_python,
    cases_word,
    columns_python,
    columns_words,
    is_python,
    knowledge_python,
    knowledge_words,
    seed_words,
)
from tacit.reporting.again_search import parsed, score_word

_PLAIN = (
    "name", "variant", "most", "most_states", "evidence", "tries", "shown", "bootstrap",
    "threshold", "least", "restarts",
)  # fmt: skip
"""Settings that Python and the command line take as they are."""
_USUAL = {
    **{name: each.default for name, each in signature(propose_hidden).parameters.items()},
}
"""What need not be said."""


def _usual_scores(fit: HiddenProposals) -> tuple[str, ...]:
    """Of columns with states, or of others beside them."""
    if not any(isinstance(each, Continuous) for each in fit.network.variables.values()):
        return (Settings().score.describe(),)
    return (BIC().describe(), Settings().score.describe())


def hidden_python(fit: HiddenProposals) -> str:
    """The call that seeks again."""
    said = fit.settings["hidden_search"]
    lines, given = ["import tacit as tc", "", cases_python(fit)], []
    if said.get("begun_at"):
        lines.append(_network(str(said["begun_at"]), bool(said.get("numbers_given"))))
        given.append("network")
    if said.get("method"):
        given.append(f"method=tc.{said['method']}")
    if "knowledge" in fit.settings:
        lines.append(f"knowledge = {knowledge_python(fit)}")
        given.append("knowledge=knowledge")
    given += _expert_python(said)
    if said["score"] not in _usual_scores(fit):
        known = is_python(said["score"])
        lines += [] if known else [f"score = ...  # {said['score']}"]
        given.append(f"score=tc.{said['score']}" if known else "score=score")
    given += [f"{name}={said[name]!r}" for name in _PLAIN if said[name] != _USUAL[name]]
    if said.get("held_out", 0.2) == OTHERS:
        lines.append("others = ...  # the cases that judged")
        given.append("held_out=others")
    elif said.get("held_out", 0.2) != _USUAL["held_out"]:
        given.append(f"held_out={said['held_out']!r}")
    given += columns_python(said)
    given += [f"seed={fit.seed}"] if fit.seed is not None else []
    return "\n".join([*lines, f"found = tc.propose_hidden({', '.join(['cases', *given])})"])


def _network(begun_at: str, numbers: bool) -> str:
    if numbers:
        return "network = ...  # the one that was given, with its numbers"
    return f"network = {begun_at!r}"


def _expert_python(said: dict[str, Any]) -> list[str]:
    given = []
    if said["named"]:
        given.append(f"children={ {name: who for name, who, _ in said['named']}!r}")
        states = {name: states for name, _, states in said["named"] if states is not None}
        given += [f"states={states!r}"] if states else []
    elif said["states"] is not None:
        given.append(f"states={said['states']!r}")
    given += [f"refuse={said['refused']!r}"] if said["refused"] else []
    return given


def hidden_command(fit: HiddenProposals) -> str | None:
    """`tacit hidden CASES ...`; None where the command line has no words for what was asked."""
    said = fit.settings["hidden_search"]
    score = score_word(said["score"])
    begun_at = str(said.get("begun_at") or "")
    method = _method_words(said.get("method"))
    if score is None or method is None or said.get("numbers_given") or len(begun_at) > LONG:
        return None
    if said.get("held_out", 0.2) == OTHERS:
        return None
    words = ["tacit", "hidden", cases_word(fit)]
    words += ["--network", begun_at] if begun_at else []
    words += [*method, *knowledge_words(fit), *_expert_words(said)]
    words += ["--score", score] if said["score"] not in _usual_scores(fit) else []
    for name in (*_PLAIN, "held_out"):
        if said.get(name, _USUAL[name]) != _USUAL[name]:
            words += [f"--{name.replace('_', '-')}", str(said[name])]
    words += columns_words(fit, said)
    words += [*seed_words(fit), "-o", "learned.json", "--report", "report.html"]
    return shlex.join(words)


def _method_words(described: str | None) -> list[str] | None:
    """`IBEM(until=0.8)` as `--method ibem --set until=0.8`; None where there are no words."""
    told = ("", [], {}) if described is None else parsed(described)
    if told is None or told[1]:
        return None
    name, _, given = told
    words = ["--method", name.lower()] if name else []
    return words + [w for key, value in given.items() for w in ("--set", f"{key}={value}")]


def _expert_words(said: dict[str, Any]) -> list[str]:
    words = []
    for name, who, states in said["named"]:
        words += ["--children", f"{quoted(name)} -> {', '.join(map(quoted, who))}"]
        if states is not None:
            listing = (
                f"{{{', '.join(map(quoted, states))}}}" if isinstance(states, list) else states
            )
            words += ["--states", f"{quoted(name)}={listing}"]
    if said["states"] is not None:
        words += ["--states", str(said["states"])]
    for who in said["refused"]:
        words += ["--refuse", ", ".join(map(quoted, who))]
    return words
