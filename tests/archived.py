"""Files that an earlier version saved: how each kind is read, and which numbers must come back.

The first word of a file's name says its kind. What is compared is taken from what was read alone,
or computed from it by what hardly changes: log-likelihoods, queries, intervals.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

import tacit as tc
from tacit.families.curved import CurvedGaussian
from tacit.io.files import read_text
from tacit.io.formats import read_dag

FOLDER = Path(__file__).parent / "archive" / "v0.1"
EXPECTED = FOLDER / "expected.json"
DIGITS = 12
"""Of numbers that are kept: what is read back must agree to nine."""
SETTINGS = ("structure", "estimate", "prior", "normal_prior", "method", "level", "score", "hidden")
"""What is compared of how a fit was made."""
SHOWN = 24
"""Cases at which the families of a network are compared."""


def plain(value: Any) -> Any:
    """A value as strict JSON holds it: arrays as lists, numbers that are not finite as words."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if isfinite(value) else str(value)
    return value


def digest(values: Any) -> float:
    """One number that every value moves, and their order too: 1, 2, ... 7, 1, ... times each."""
    flat = np.nan_to_num(np.asarray(values, dtype=np.float64).ravel(), posinf=99.0, neginf=-99.0)
    return float(flat @ (1.0 + np.arange(flat.size) % 7))


def of_network(network: tc.Network) -> dict[str, Any]:
    """Its dag and states, how probable it makes made-up cases, and what queries answer."""
    states = {name: list(getattr(v, "states", ())) for name, v in network.variables.items()}
    bent = any(isinstance(each, CurvedGaussian) for each in network.families.values())
    return {
        "dag": str(network.dag),
        "states": states,
        "log_probabilities": _by_family(network),
        **({} if bent or _unknown(network) else {"queries": _queries(network)}),
    }


def _made(network: tc.Network) -> dict[str, list[Any]]:
    """Cases by rule: every variable goes round its states, or some values, at a pace of its own."""
    return {
        name: [
            v.states[(line * (2 * at + 1) + line // 3 + at) % len(v.states)]
            if isinstance(v, tc.Discrete)
            else 0.5 * ((line * (2 * at + 3) + at) % 11) - 2.0
            for line in range(SHOWN)
        ]
        for at, (name, v) in enumerate(network.variables.items())
    }


def _by_family(network: tc.Network) -> dict[str, list[float]]:
    """Of every family the log-probabilities of these cases, and how many are impossible."""
    cases = tc.read_cases(_made(network), like=network)
    found = {}
    for name, family in network.families.items():
        logs = family.log_prob([cases[each] for each in (*family.parents, name)])
        told = np.isfinite(logs)
        found[name] = [digest(np.where(told, logs, 0.0)), SHOWN - told.sum()]
    return found


def _unknown(network: tc.Network) -> bool:
    """Whether some rows are unknown, so that nothing can be asked."""
    return any(getattr(each, "partial", False) for each in network.families.values())


def _queries(network: tc.Network) -> dict[str, Any]:
    """Every variable by itself, and given the last one."""
    *others, last = network.variables.values()
    found = last.states[-1] if isinstance(last, tc.Discrete) else 0.5
    told = {name: _answer(network, name, {}) for name in network}
    given = {v.name: digest(_answer(network, v.name, {last.name: found})) for v in others}
    return {"alone": told, "given the last": given}


def _answer(network: tc.Network, name: str, given: Mapping[str, Any]) -> list[float]:
    answer: Any = tc.query(network, [name], given=given)
    if isinstance(network.variables[name], tc.Discrete):
        return answer.values
    return [answer.mean[name], answer.sd[name]]


def of_fit(fit: tc.Fit) -> dict[str, Any]:
    """All that a fit says of its network, its cases, its rules, its sources and its runs."""
    used, curved = fit.cases, [n for n, f in fit.network.families.items() if _curved(f)]
    return {
        "type": type(fit).__name__,
        "network": of_network(fit.network),
        "objective": fit.objective,
        "trace": [len(fit.trace), *fit.trace[-3:]],
        "stop": fit.stop.name,
        "log_likelihood": fit.log_likelihood,
        "log_marginal_likelihood": fit.log_marginal_likelihood,
        "seed": fit.seed,
        "settings": {key: fit.settings[key] for key in SETTINGS if key in fit.settings},
        "notes": len(fit.notes),
        "cases": [used.cases, used.weight, dict(used.missing), used.fingerprint, used.source],
        "gaps": None if used.gaps is None else [used.gaps.complete, used.gaps.patterns],
        "rules": [_of_rule(each) for each in fit.rules],
        "proof": None if fit.proof is None else [fit.proof.blocks, fit.proof.gap],
        "runs": [[run.objective, len(run.trace), run.stop.name] for run in fit.runs],
        "borrowed": [_of_table(each) for each in fit.borrowed],
        "evidence": {name: _of_evidence(each) for name, each in fit.evidence.items()},
        "known": {name: _of_evidence(each) for name, each in fit.known.items()},
        "pseudo": {name: digest(alpha) for name, alpha in fit.pseudo.items()},
        "normal": {n: [each.freedom, _of_evidence(each.moments)] for n, each in fit.normal.items()},
        "empty_rows": fit.empty_rows,
        "intervals": {n: _interval(fit, n) for n in fit.network if n not in curved},
        "path": None if fit.path is None else of_path(fit.path),
    }


def _curved(family: Any) -> bool:
    return isinstance(family, CurvedGaussian)


def _interval(fit: tc.Fit, name: str) -> Any:
    """Where its parameters lie: the lower ends, and the upper ones."""
    found = fit.intervals[name]
    return [digest(found.lower), digest(found.upper)]


def _of_evidence(held: Any) -> dict[str, Any]:
    """Counts or moments: whatever arrays they have."""
    names = ("values", "at", "seen", "expected", "weight", "weights", "means", "scatter",
             "moments", "tangent", "bands")  # fmt: skip
    there = {name: getattr(held, name, None) for name in names}
    return {
        name: _of_evidence(each) if name == "moments" else digest(each)
        for name, each in there.items()
        if each is not None and not callable(each)
    }


def _of_rule(rule: Any) -> dict[str, Any]:
    said = ("text", "by", "source", "line", "solved_by", "binding", "instances")
    told = ("value", "limit", "price", "cost", "chance", "alone", "confidence", "probability")
    return {name: getattr(rule, name) for name in (*said, *told)}


def _of_table(table: Any) -> list[Any]:
    loans = [
        [each.source, each.fragment, each.cases, each.worth, each.probability]
        for each in table.loans
    ]
    return [table.variable, loans, table.tried, table.moved, table.why]


def of_search(search: tc.Search) -> dict[str, Any]:
    """A fit, and what is known of its dag."""
    found, sure = search.found, search.confidence
    return {
        **of_fit(search),
        "score": search.score,
        "families": dict(found.families),
        "gains": {" -> ".join(arc): gain for arc, gain in found.gains.items()},
        "required": {" -> ".join(arc): why for arc, why in found.required.items()},
        "missed": {" -> ".join(arc): gain for arc, gain in found.missed.items()},
        "guidance": list(found.guidance),
        "moves": [len(found.moves), *map(_of_move, found.moves[-3:])],
        "counted": [found.evaluations, found.restarts],
        "hidden": dict(found.hidden),
        "cpdag": str(search.cpdag),
        "confidence": None if sure is None else [sure.replicates, digest(sure.shares)],
    }


def _of_move(move: Any) -> list[Any]:
    return [move.verb, move.tail, move.head, move.gain, move.instead, move.restart]


def of_hidden(found: tc.HiddenProposals) -> dict[str, Any]:
    """A fit, the proposals with fits of their own, and the log of what was tried."""
    hunt = found.hunt
    return {
        **of_fit(found),
        "proposals": [_of_proposal(each) for each in hunt.proposals],
        "candidates": [len(hunt.candidates), *map(_of_candidate, hunt.candidates[:3])],
        "without": [hunt.without.objective, str(hunt.without.network.dag)],
        "hunt": [hunt.score_without, hunt.learned_from, hunt.held_out],
    }


def _of_candidate(each: tc.HiddenCandidate) -> list[Any]:
    return [list(each.children), each.gain, each.verdict]


def _of_proposal(each: tc.HiddenProposal) -> dict[str, Any]:
    said = ("name", "children", "parents", "states", "accepted", "why", "source", "around", "turn")
    profile, merging, stable = each.profile, each.merging, each.stability
    return {
        **{name: getattr(each, name) for name in said},
        "gains": [each.gain, each.held_out_gain, each.held_out_error],
        "fit": [each.fit.objective, each.fit.log_likelihood],
        "shares": profile.shares,
        "neighbours": [
            [n.name, n.role, n.information, digest(n.given)] for n in profile.neighbours
        ],
        "curve": each.curve,
        "merging": None if merging is None else [merging.first, merging.states],
        "stability": None if stable is None else [stable.below, stable.agree],
    }


def of_processes(fit: tc.ProcessFit) -> dict[str, Any]:
    """Courses, scales and noise of every group, and how groups and onsets were found."""
    score = fit.score
    return {
        "processes": dict(fit.processes),
        "groups": {group.name: _of_group(group) for group in fit.groups},
        "onsets": [[each.process, each.trial, each.time] for each in fit.onsets],
        "found": [[each.process, each.time, chance] for each, chance in fit.found],
        "score": None if score is None else [score.total, score.error, score.nested],
        "cells": [[cell.name, cell.alone, cell.why] for cell in fit.cells],
        "merges": fit.merges,
        "fit": [fit.log_likelihood, fit.parameters, fit.aic, fit.bic, fit.factor],
        "trials": [fit.measurements, fit.missing, list(fit.trials), fit.step, fit.level],
        "stop": [fit.stop.name, fit.trace[-1:]],
        "settings": fit.settings,
        "notes": len(fit.notes),
        "where": [fit.places, fit.regions, fit.seed, fit.fingerprint, fit.source],
    }


def _of_group(group: Any) -> dict[str, Any]:
    names = ("courses", "course_sd", "scales", "scale_sd")
    return {
        "series": list(group.series),
        **{
            name: {process: digest(each) for process, each in getattr(group, name).items()}
            for name in names
        },
        "noise": digest(group.noise),
        "fit": [group.log_likelihood, group.stop.name],
    }


def of_path(path: tc.BottleneckPath) -> dict[str, Any]:
    """How many steps there are, and the last ones in full."""
    steps = [[s.gamma, s.fit, s.information, s.effective, s.states, s.changed] for s in path.steps]
    tried = [[s.gamma, s.held_out] for s in path.tried]
    said = [path.threshold, path.bound, path.weight, path.chosen, digest(path.gamma)]
    many = [len(steps), len(tried)]
    return {"hidden": path.hidden, "said": said, "steps": [*many, *steps[-3:], *tried[-3:]]}


def of_statistics(held: tc.Statistics) -> dict[str, Any]:
    """What was counted of every family."""
    return {
        "dag": str(held.dag),
        "cases": [held.cases, held.total_weight, held.fixed],
        "states": {name: len(getattr(v, "states", ())) for name, v in held.variables.items()},
        "counts": {name: _of_evidence(each) for name, each in held.counts.items()},
    }


def of_cases(data: tc.Dataset) -> dict[str, Any]:
    """Every column: states or mean, and how often each state comes."""
    found = {}
    for name, variable in data.variables.items():
        column = np.asarray(data[name])
        if isinstance(variable, tc.Discrete):
            many = [int((column == code).sum()) for code in range(-1, len(variable.states))]
            found[name] = [list(variable.states), many] if len(many) < 20 else len(many)
        else:
            found[name] = [np.nansum(column), np.nansum(column**2), np.isnan(column).sum()]
    return {"cases": len(data), "weight": data.total_weight, "columns": found,
            "fingerprint": data.fingerprint()}  # fmt: skip


def of_knowledge(known: tc.Knowledge) -> dict[str, Any]:
    """The rules as they print."""
    return {"rules": [str(each) for each in known]}


def of_dag(dag: tc.Dag) -> dict[str, Any]:
    """Its arcs."""
    return {"dag": str(dag)}


def _path(file: Path) -> tc.BottleneckPath:
    return tc.BottleneckPath.from_plain(json.loads(read_text(file)))


def _cases(file: Path) -> tc.Dataset:
    return tc.read_cases(file, weights="days" if "weighed" in file.name else None)


READERS: Mapping[str, tuple[Callable[[Path], Any], Callable[[Any], dict[str, Any]]]] = {
    "network": (tc.read, of_network),
    "dag": (read_dag, of_dag),
    "cases": (_cases, of_cases),
    "knowledge": (tc.read_knowledge, of_knowledge),
    "statistics": (tc.load_statistics, of_statistics),
    "fit": (tc.load_fit, of_fit),
    "search": (tc.load_fit, of_search),
    "hidden": (tc.load_fit, of_hidden),
    "path": (_path, of_path),
    "processes": (tc.load_processes, of_processes),
}
"""By the first word of the file: what reads it, and the numbers that must come back."""


def digest_of(file: str) -> str:
    """Changes when any byte of a file does."""
    return sha256((FOLDER / file).read_bytes()).hexdigest()[:16]


def kind_of(file: str) -> str:
    """The first word of the name."""
    return file.split("-", maxsplit=1)[0]


def numbers(file: str) -> dict[str, Any]:
    """What a file says today, as plain data."""
    read, told = READERS[kind_of(file)]
    found: dict[str, Any] = plain(told(read(FOLDER / file)))
    return found
