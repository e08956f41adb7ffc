"""The section on how it went: every start, step by step, and why it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.learn.fits import Fit, Run
from tacit.learn.structure.searched import Search
from tacit.reporting.climbs import search_course
from tacit.reporting.wording import finite

EARLY, LATER = 20, 60
"""Steps of a start that a report holds: the first ones, and so many spread over the rest."""
NEAR = 1e-4
"""Starts that end within this share of the best objective are said to have reached it."""


def course(fit: Fit) -> dict[str, Any]:
    """`objective`, why it ended (`stop`), and the objective after each step (`trace`).

    `runs`, if it took steps: for every start its `objective`, `steps`, `stop`, whether it is the
    `best`, and its `path`: [step, objective] of some of its steps. `search`, after one: what
    `climbs.search_course` says; the objective is then the score of the dag, and has no parts.
    """
    searched = isinstance(fit, Search)
    best = max(range(len(fit.runs)), key=lambda at: fit.runs[at].objective, default=-1)
    return {
        "objective": finite(fit.objective),
        "log_likelihood": finite(fit.log_likelihood),
        "prior_term": None if searched else finite(fit.objective - fit.log_likelihood),
        "stop": str(fit.stop.value),
        "trace": [finite(value) for value in fit.trace],
        "runs": [_run(run, at == best) for at, run in enumerate(fit.runs)],
        **({"search": search_course(fit)} if isinstance(fit, Search) else {}),
    }


def _run(run: Run, best: bool) -> dict[str, Any]:
    return {
        "objective": finite(run.objective),
        "steps": len(run.trace) - 1,
        "stop": str(run.stop.value),
        "best": best,
        "path": [[step, finite(run.trace[step])] for step in _some_steps(len(run.trace))],
    }


def _some_steps(length: int) -> list[int]:
    spread = np.linspace(0, length - 1, min(length, LATER)).round().astype(int)
    return sorted({*range(min(length, EARLY)), *spread.tolist()})


def reached(objectives: Sequence[float]) -> int:
    """How many starts ended near the best objective."""
    top = max(objectives)
    return sum(top - each <= NEAR * max(1.0, abs(top)) for each in objectives)
