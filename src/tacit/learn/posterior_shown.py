"""A posterior as a table of cells, as plain data, and as a table of draws."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.errors import SizeError
from tacit.core.grid import Grid, number, percentage
from tacit.core.variables import Continuous
from tacit.knowledge.expansion import cell_label
from tacit.knowledge.slots import Slots
from tacit.learn.continuous.lines import Lines
from tacit.learn.posteriors import Posterior

MOST_CELLS = 20_000
"""Cells whose draws are written to one file at most."""


def cells_grid(posterior: Posterior, most: int = 60) -> Grid:
    """Mean, standard deviation and interval of every cell, rows that rules speak of first."""
    cells = posterior.cells
    ruled = set(posterior.whole.cells.tolist())
    names = sorted(cells.families, key=lambda n: ruled.isdisjoint(cells.block(n).flat))
    rows: list[tuple[str, ...]] = []
    for name in names:
        if len(rows) >= most:
            break
        mean, sd, interval = posterior.mean[name], posterior.sd[name], posterior.interval[name]
        for at in range(min(mean.size, most - len(rows))):
            low, high = interval.lower.flat[at], interval.upper.flat[at]
            rows.append((
                cell_label(cells, cells.starts[name] + at), number(float(mean.flat[at])),
                number(float(sd.flat[at])), f"{low:.3f} to {high:.3f}",
            ))  # fmt: skip
    for name, own in posterior.lines.items():
        rows += _line_rows(posterior, name, own)[: most - len(rows)]
    numbers = sum(own.mean.size for own in posterior.lines.values())
    more = cells.size + numbers - len(rows)
    foot = f"  ... and {more:,} more {'numbers' if numbers else 'cells'}" if more > 0 else ""
    heads = ("", "mean", "sd", f"{percentage(posterior.level)} interval")
    return Grid("", heads, tuple(rows), labels=1, foot=foot)


def _line_rows(posterior: Posterior, name: str, own: Lines) -> list[tuple[str, ...]]:
    """Every number of a Gaussian family as the language writes it; its sd as the root of that."""
    mean, sd, interval = own.mean, own.sd, own.interval(posterior.level)
    labels = line_labels(name, own)
    return [
        (label, f"{mean.flat[at]:.4g}", f"{sd.flat[at]:.4g}",
         f"{interval.lower.flat[at]:.4g} to {interval.upper.flat[at]:.4g}")
        for at, label in enumerate(labels)
    ]  # fmt: skip


def line_labels(name: str, own: Lines) -> list[str]:
    """coefficient(Y, X | K=k), intercept(Y | K=k), sd(Y | K=k), configuration by configuration."""
    slots = Slots.of({name: own.axes})
    return [re.sub(r"^variance\(", "sd(", slots.label(at)) for at in range(slots.size)]


def posterior_plain(posterior: Posterior) -> dict[str, Any]:
    """All but the draws, as plain data."""
    found = posterior.diagnostics
    return {
        "cases": posterior.cases.cases,
        "level": posterior.level,
        "variables": {
            name: {
                "parents": [axis.name for axis in axes[:-1]],
                "states": list(axes[-1].states),
                "mean": posterior.mean[name].tolist(),
                "sd": posterior.sd[name].tolist(),
                "lower": posterior.interval[name].lower.tolist(),
                "upper": posterior.interval[name].upper.tolist(),
            }
            for name, axes in posterior.cells.families.items()
        },
        **({"regressions": _lines_plain(posterior)} if posterior.lines else {}),
        "diagnostics": {
            "sampled_cells": found.sampled,
            "effective_sample_size": found.size,
            "rhat": found.rhat,
            "monte_carlo_error": found.error,
            "settled": found.settled,
            "ways": dict(found.ways),
        },
        "beliefs": [
            {"text": each.text, "confidence": each.confidence, "probability": each.probability}
            for each in posterior.beliefs
        ],
        "settings": dict(posterior.settings),
        "notes": list(posterior.notes),
        "seed": posterior.seed,
    }


def _lines_plain(posterior: Posterior) -> dict[str, Any]:
    return {
        name: {
            "parents": [axis.name for axis in own.axes[:-1]],
            "numbers": list(own.labels),
            "mean": own.mean.tolist(),
            "sd": own.sd.tolist(),
            "lower": own.interval(posterior.level).lower.tolist(),
            "upper": own.interval(posterior.level).upper.tolist(),
        }
        for name, own in posterior.lines.items()
    }


def draws_dataset(posterior: Posterior) -> Dataset:
    """One line per draw, a column for every cell."""
    if posterior.cells.size > MOST_CELLS:
        raise SizeError(
            f"draws of {posterior.cells.size:,} cells are too many for one file; "
            f"at most {MOST_CELLS:,}\n\ntake posterior.draws[...] of single variables in Python"
        )
    columns = {}
    for name in posterior.cells.families:
        drawn = posterior.draws[name].reshape(posterior.size, -1)
        for at in range(drawn.shape[1]):
            label = cell_label(posterior.cells, posterior.cells.starts[name] + at)
            columns[label] = np.ascontiguousarray(drawn[:, at])
    for name, own in posterior.lines.items():
        drawn = posterior.draws[name].reshape(posterior.size, -1)
        for at, label in enumerate(line_labels(name, own)):
            columns[label] = np.ascontiguousarray(drawn[:, at])
    return Dataset({label: Continuous(label) for label in columns}, columns)
