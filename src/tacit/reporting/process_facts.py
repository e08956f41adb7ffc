"""A fit of hidden processes as plain facts: the sections of its report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit.core.errors import quoted
from tacit.core.grid import amount
from tacit.learn.fits import Stop
from tacit.learn.processes.fitted import ProcessFit, ProcessGroup
from tacit.learn.processes.splitting import Cell
from tacit.reporting.process_again import repeat
from tacit.reporting.wording import finite, joined, plain, some

MOST_COURSES = 120
"""Groups whose courses a report holds: those that explain most."""
MOST_SERIES = 40
"""Series of a group that are named."""
MOST_PLACES = 20_000


def process_facts(fit: ProcessFit) -> dict[str, Any]:
    """What a report says of hidden processes, in the order of its sections.

    answer    as of any fit
    courses   per group the course of every process with its interval, largest groups first
    sharing   groups with their series; the search that found them; where they lie, if that is known
    onsets    those that were open
    held_out  folds with their scores
    repeat    how to do it again
    """
    sections: list[dict[str, Any] | None] = [
        {"kind": "answer", "title": "The answer", **_answer(fit)},
        {"kind": "courses", "title": "Courses", **_courses(fit)},
        {"kind": "sharing", "title": "Who shares", **_sharing(fit)},
        {"kind": "onsets", "title": "Onsets that were found", **_onsets(fit)}
        if fit.found
        else None,
        {"kind": "held_out", "title": "Trials held out", **_held_out(fit)} if fit.score else None,
        {"kind": "repeat", "title": "To do it again", **_repeat(fit)},
    ]
    return {
        "format": "tacit report",
        "version": 1,
        "title": fit.summary(),
        "sections": [section for section in sections if section is not None],
    }


def _answer(fit: ProcessFit) -> dict[str, Any]:
    sentences = [
        f"{some(len(fit.processes), 'process', 'processes')} "
        f"({joined(map(quoted, fit.processes), 6)}) were learned from "
        f"{some(len(fit.trials), 'trial')} of {some(len(fit.series), 'series', 'series')}, "
        f"{fit.measurements:,} measurements in all; {_shared(fit)}."
    ]
    sentences += [_said(fit, name) for name in fit.processes]
    if fit.score is not None:
        sentences.append(
            f"A trial that was held out has a log-likelihood of {fit.score.average:,.2f} nats on "
            f"average (standard error {fit.score.error:,.2f}, {len(fit.score.folds)} folds)."
        )
    sentences.append(
        f"The log-likelihood of all measurements is {amount(fit.log_likelihood)} nats with "
        f"{fit.parameters:,} parameters: AIC {amount(fit.aic)}, BIC {amount(fit.bic)}, both as "
        "log-likelihoods less what parameters cost."
    )
    worries = []
    if fit.stop in (Stop.INTERRUPTED, Stop.STEP_LIMIT):
        worries.append({"text": f"{fit.stop.value}.", "where": []})
    return {"sentences": sentences, "worries": worries, "notes": list(fit.notes)}


def _shared(fit: ProcessFit) -> str:
    if all(len(group) == 1 for group in fit.groups):
        return "every series has courses of its own"
    if len(fit.groups) == 1:
        return "all series share them up to a scale"
    return f"{len(fit.groups):,} groups of series share them up to a scale, group by group"


def _said(fit: ProcessFit, name: str) -> str:
    """Where the course of the group that explains most is highest."""
    group = max(fit.groups, key=energy)
    course = group.courses[name]
    at = int(np.argmax(np.abs(course)))
    within = "" if len(fit.groups) == 1 else f" in group {quoted(group.name)},"
    way = "highest" if course[at] >= 0 else "lowest"
    return (
        f"{quoted(name)} is {way}{within} {at * fit.step:g} after its onset, at {course[at]:.3g}."
    )


def energy(group: ProcessGroup) -> float:
    """The squares that the courses of a group add up to, over its series."""
    return float(
        sum(
            np.sum(group.courses[name] ** 2) * np.sum(group.scales[name] ** 2)
            for name in group.courses
        )
    )


def _courses(fit: ProcessFit) -> dict[str, Any]:
    order = sorted(fit.groups, key=lambda group: (-energy(group), group.name))[:MOST_COURSES]
    return {
        "step": fit.step,
        "level": fit.level,
        "processes": dict(fit.processes),
        "left_out": len(fit.groups) - len(order),
        "groups": [
            {
                "name": group.name,
                "size": len(group),
                "courses": {name: _course(fit, group, name) for name in fit.processes},
            }
            for group in order
        ],
    }


def _course(fit: ProcessFit, group: ProcessGroup, name: str) -> dict[str, Any]:
    middle, wide = group.courses[name], fit.factor * group.course_sd[name]
    return {
        "value": [finite(each) for each in middle],
        "low": [finite(each) for each in middle - wide],
        "high": [finite(each) for each in middle + wide],
    }


def _sharing(fit: ProcessFit) -> dict[str, Any]:
    groups = [
        {
            "name": group.name,
            "size": len(group),
            "series": list(group.series[:MOST_SERIES]),
            "noise": finite(float(np.sqrt(np.mean(group.noise**2)))),
            "peaks": {
                name: [int(np.argmax(np.abs(course))), finite(course[np.argmax(np.abs(course))])]
                for name, course in group.courses.items()
            },
            "spread": {
                name: [
                    finite(float(group.scales[name].min())),
                    finite(float(group.scales[name].max())),
                ]
                for name in fit.processes
            },
        }
        for group in sorted(fit.groups, key=lambda group: (-len(group), group.name))
    ]
    return {
        "processes": list(fit.processes),
        "step": fit.step,
        "groups": groups,
        "cells": [line for cell in fit.cells for line in _lines(cell, 0)],
        "merges": [
            {
                "one": list(one[:6]),
                "ones": len(one),
                "other": list(other[:6]),
                "others": len(other),
                "gain": gain,
            }
            for one, other, gain in fit.merges
        ],
        "map": _map(fit),
    }


def _lines(cell: Cell, depth: int) -> list[dict[str, Any]]:
    line = {
        "name": cell.name,
        "depth": depth,
        "size": len(cell.series),
        "alone": finite(cell.alone),
        "apart": finite(cell.apart),
        "why": cell.why,
    }
    return [line, *(below for child in cell.children for below in _lines(child, depth + 1))]


def _map(fit: ProcessFit) -> dict[str, Any] | None:
    """Where series lie, the number of the group of each, and how strongly each shows a process."""
    if fit.places is None or len(fit.series) > MOST_PLACES or np.isnan(fit.places).any():
        return None
    number = {group.name: at for at, group in enumerate(fit.groups)}
    homes = [fit.group_of(name) for name in fit.series]
    return {
        "places": fit.places.tolist(),
        "groups": [number[home.name] for home in homes],
        "regions": None if fit.regions is None else list(fit.regions),
        "strength": {
            name: [finite(float(np.abs(fit.course(name, each)).max())) for each in fit.series]
            for name in fit.processes
        },
    }


def _onsets(fit: ProcessFit) -> dict[str, Any]:
    told = {(each.process, each.trial): each for each in fit.onsets if not each.known}
    return {
        "onsets": [
            {
                "process": each.process,
                "trial": each.trial,
                "time": each.time,
                "probability": chance,
                "earliest": told[each.process, each.trial].earliest,
                "latest": told[each.process, each.trial].latest,
            }
            for each, chance in fit.found
        ]
    }


def _held_out(fit: ProcessFit) -> dict[str, Any]:
    assert fit.score is not None
    return {
        "average": finite(fit.score.average),
        "error": finite(fit.score.error),
        "nested": fit.score.nested,
        "folds": [
            {"trials": list(fold), "score": finite(score)}
            for fold, score in zip(fit.score.folds, fit.score.scores, strict=True)
        ],
    }


def _repeat(fit: ProcessFit) -> dict[str, Any]:
    settings = {key: _short(value) for key, value in fit.settings.items()}
    return {**repeat(fit), "settings": plain(settings)}


def _short(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: joined(map(quoted, each), 12) if isinstance(each, list) else each
            for key, each in value.items()
        }
    return value
