"""A fit as JSON, and back: everything but the cases themselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from tacit.core.errors import FormatError, TacitError
from tacit.core.reading import Reading
from tacit.core.variables import Continuous
from tacit.engines.plain import evidence_from_plain, evidence_to_plain
from tacit.estimate.continuous.prior import Pseudo
from tacit.estimate.ruled.proof import Proof
from tacit.estimate.ruled.status import RuleStatus
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.conditional_moments import AnyMoments, ConditionalMoments
from tacit.families.counts import Counts
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import Table
from tacit.io.files import read_text, write_whole
from tacit.io.ownjson import network_from_plain, network_to_plain
from tacit.learn.bottleneck.path import BottleneckPath
from tacit.learn.causes.saved import causes_fit, links
from tacit.learn.curved import curves_fit
from tacit.learn.fits import CasesUsed, Fit, Run, Stop
from tacit.learn.gaps import Gaps
from tacit.learn.loans import borrowed_of
from tacit.learn.structure.saved_search import found_to_plain, search_from_plain
from tacit.learn.structure.searched import Search
from tacit.learn.unseen.proposals import HiddenProposals
from tacit.learn.unseen.saved_proposals import hunt_to_plain, proposals_from_plain

FORMAT = "tacit-fit"
VERSION = 1


def save_fit(fit: Fit, path: str | Path) -> None:
    """Write the fit whole or not at all; packed if the name ends in .gz."""
    plain = _strict(fit_to_plain(fit))
    write_whole(path, json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n")


def _strict(value: Any) -> Any:
    """The value as every JSON reader takes it: numbers that are not finite as words, "inf"."""
    if isinstance(value, float):
        return value if isfinite(value) else str(float(value))
    if isinstance(value, Mapping):
        return {key: _strict(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(each) for each in value]
    return value


def load_fit(path: str | Path) -> Fit:
    """The fit that `Fit.save` wrote; a `Search` if it was one, or `HiddenProposals`."""
    text = read_text(path)
    try:
        plain = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise FormatError(f"{path}: this is no saved fit, or it was cut short") from None
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise FormatError(f"{path}: this is no saved fit; `tacit fit --save-fit` writes one")
    if plain.get("version") != VERSION:
        raise FormatError(
            f"{path}: version {plain.get('version')!r} of saved fits is not known here; "
            f"this release reads version {VERSION}"
        )
    try:
        fit = fit_from_plain(plain)
        _check_parts(fit)
        if "hidden" in plain:
            return proposals_from_plain(fit, plain["hidden"], _part_from_plain)
        return search_from_plain(fit, plain["search"]) if "search" in plain else fit
    except TacitError as problem:
        raise FormatError(f"{path}: {problem}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise FormatError(f"{path}: the saved fit is damaged ({problem!r})") from None


def _part_from_plain(plain: Mapping[str, Any]) -> Fit:
    """A fit within a fit."""
    fit = fit_from_plain(plain)
    _check_parts(fit)
    return fit


def fit_to_plain(fit: Fit) -> dict[str, Any]:
    """The fit as JSON holds it; a search has one part more, and so have hidden variables."""
    more = {"search": found_to_plain(fit.found)} if isinstance(fit, Search) else {}
    if isinstance(fit, HiddenProposals):
        more = {"hidden": hunt_to_plain(fit.hunt, fit_to_plain)}
    return {
        "format": FORMAT,
        "version": VERSION,
        "network": network_to_plain(fit.network),
        "objective": fit.objective,
        "trace": list(fit.trace),
        "stop": fit.stop.name,
        "rules": [asdict(status) for status in fit.rules],
        "borrowed": [asdict(table) for table in fit.borrowed],
        "proof": None if fit.proof is None else asdict(fit.proof),
        "settings": dict(fit.settings),
        "seed": fit.seed,
        "notes": list(fit.notes),
        "evidence": {name: evidence_to_plain(each) for name, each in fit.evidence.items()},
        "pseudo": {name: alpha.tolist() for name, alpha in fit.pseudo.items()},
        "log_likelihood": fit.log_likelihood,
        "log_marginal_likelihood": fit.log_marginal_likelihood,
        "cases": {
            "cases": fit.cases.cases,
            "weight": fit.cases.weight,
            "missing": dict(fit.cases.missing),
            "fingerprint": fit.cases.fingerprint,
            "source": fit.cases.source,
            "gaps": _gaps_to_plain(fit.cases.gaps),
            "reading": None if fit.cases.reading is None else fit.cases.reading.to_plain(),
        },
        "runs": [
            {"objective": run.objective, "trace": list(run.trace), "stop": run.stop.name}
            for run in fit.runs
        ],
        "known": {name: evidence_to_plain(each) for name, each in fit.known.items()},
        "path": None if fit.path is None else fit.path.to_plain(),
        "normal": {name: each.to_plain() for name, each in fit.normal.items()},
        **more,
    }


def fit_from_plain(plain: Mapping[str, Any]) -> Fit:
    """The fit that `fit_to_plain` described."""
    marginal = plain["log_marginal_likelihood"]
    return Fit(
        network=network_from_plain(plain["network"]),
        objective=float(plain["objective"]),
        trace=tuple(map(float, plain["trace"])),
        stop=Stop[plain["stop"]],
        rules=_rules(plain.get("rules", [])),
        borrowed=borrowed_of(plain.get("borrowed", [])),
        settings=plain["settings"],
        seed=plain["seed"],
        notes=tuple(plain["notes"]),
        evidence={name: evidence_from_plain(each) for name, each in plain["evidence"].items()},
        pseudo={name: np.asarray(alpha, dtype=float) for name, alpha in plain["pseudo"].items()},
        log_likelihood=float(plain["log_likelihood"]),
        log_marginal_likelihood=None if marginal is None else float(marginal),
        cases=_cases(plain["cases"]),
        runs=tuple(
            Run(float(run["objective"]), tuple(map(float, run["trace"])), Stop[run["stop"]])
            for run in plain["runs"]
        ),
        known={name: _counts(each) for name, each in plain["known"].items()},
        proof=_proof(plain.get("proof")),
        path=None if plain.get("path") is None else BottleneckPath.from_plain(plain["path"]),
        normal={name: Pseudo.from_plain(each) for name, each in plain.get("normal", {}).items()},
    )


def _cases(plain: Mapping[str, Any]) -> CasesUsed:
    """The cases as they were saved."""
    own = {"gaps": _gaps(plain.get("gaps")), "reading": Reading.kept_in(plain)}
    return CasesUsed(**{**plain, **own})


def _rules(plain: Any) -> tuple[RuleStatus, ...]:
    """The rules as they were saved."""
    if not isinstance(plain, list):
        raise FormatError("the saved fit is damaged: its 'rules' are no list")
    return tuple(_rule(each, at) for at, each in enumerate(plain, 1))


def _rule(plain: Any, number: int) -> RuleStatus:
    """One rule as it was saved, every part of the kind that `RuleStatus` declares."""
    damaged = f"rule {number} of the saved fit is damaged:"
    if not isinstance(plain, dict):
        raise FormatError(f"{damaged} it is no description of a rule")
    known = {}
    for each in fields(RuleStatus):
        if each.name not in plain:
            raise FormatError(f"{damaged} its {each.name!r} is missing")
        read, what = _KINDS[str(each.type)]
        try:
            known[each.name] = read(plain[each.name])
        except (TypeError, ValueError):
            raise FormatError(f"{damaged} its {each.name!r} is no {what}") from None
    return RuleStatus(**known)


def _is(kind: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError
        return value

    return read


def _number(value: Any) -> float:
    """A number; those that are not finite are saved as words."""
    if type(value) not in (int, float) and value not in ("inf", "-inf", "nan"):
        raise TypeError
    return float(value)


_KINDS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "str": (_is(str), "text"),
    "int": (_is(int), "whole number"),
    "bool": (_is(bool), "truth value"),
    "float": (_number, "number"),
    "float | None": (lambda value: None if value is None else _number(value), "number"),
}


def _gaps_to_plain(gaps: Gaps | None) -> dict[str, Any] | None:
    if gaps is None:
        return None
    common = [[list(columns), cases] for columns, cases in gaps.common]
    return {"complete": gaps.complete, "patterns": gaps.patterns, "common": common}


def _gaps(plain: Mapping[str, Any] | None) -> Gaps | None:
    if plain is None:
        return None
    common = tuple((tuple(map(str, columns)), int(cases)) for columns, cases in plain["common"])
    return Gaps(int(plain["complete"]), int(plain["patterns"]), common)


def _proof(plain: Mapping[str, Any] | None) -> Proof | None:
    if plain is None:
        return None
    primal, dual, gap = (float(plain[name]) for name in ("primal", "dual", "gap"))
    return Proof(int(plain["blocks"]), primal, dual, gap, int(plain.get("local", 0)))


def _counts(plain: Mapping[str, Any]) -> Counts:
    held = evidence_from_plain(plain)
    if not isinstance(held, Counts):
        raise FormatError("what was counted is kept as whole tables")
    return held


def _check_parts(fit: Fit) -> None:
    """Nothing, or an error about parts of a saved fit that belong to different networks."""
    tables = {
        name: family.values.shape
        for name, family in fit.network.families.items()
        if isinstance(family, Table)
    }
    counted = {
        name: held.shape for name, held in fit.evidence.items() if not isinstance(held, AnyMoments)
    }
    if (
        counted != tables
        or not _conditionals_fit(fit)
        or not causes_fit(fit)
        or not curves_fit(fit)
        or set(fit.evidence) != set(fit.network.families)
    ):
        raise FormatError("the saved statistics are not those of the saved network")
    if {name: alpha.shape for name, alpha in fit.pseudo.items()} != {**tables, **links(fit)}:
        raise FormatError("the saved prior is not that of the saved network")
    if any(each.moments.means.size != _reals(fit, name) for name, each in fit.normal.items()):
        raise FormatError("the saved prior of Gaussians is not that of the saved network")
    if type(fit.cases.cases) is not int or not isinstance(fit.cases.weight, int | float):
        raise FormatError("the number of cases is no number")


def _reals(fit: Fit, name: str) -> int:
    """How many continuous variables a family has, 0 if it is none of Gaussians."""
    family = fit.network.families.get(name)
    if not isinstance(family, LinearGaussian | ConditionalGaussian):
        return 0
    return sum(isinstance(axis, Continuous) for axis in family.variables)


def _conditionals_fit(fit: Fit) -> bool:
    """Whether moments by configuration are there for conditional Gaussian families, no others."""
    families = {
        name: (*family.shape, len(family.continuous))
        for name, family in fit.network.families.items()
        if isinstance(family, ConditionalGaussian)
    }
    return families == {
        name: held.means.shape
        for name, held in fit.evidence.items()
        if isinstance(held, ConditionalMoments)
    }
