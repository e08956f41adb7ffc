"""Hidden variables in real tables, told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.grid import Grid
from tacit.experiments.elidan.finding import Place
from tacit.experiments.outcome import Claim

ROUNDING = 1e-9
"""Nats by which two networks that are the same may seem to differ."""
WON = 4
"""Tables on which the accepted model must be ahead."""


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """One part of a table, judged by a network that has not seen it.

    places   of the variables that were accepted
    apart    (cases,) log P of each above the best network without hidden variables
    without  the mean of log P by that network
    gains    of each variable on the cases learned from; held: on those that confirmed it
    """

    learned_from: int
    variables: int
    places: tuple[Place, ...]
    apart: Floats
    without: float
    gains: tuple[float, ...]
    held: tuple[float, ...]
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A table, fold by fold."""

    name: str
    folds: Sequence[Fold]

    @property
    def apart(self) -> Floats:
        """Of all cases that were judged."""
        return np.concatenate([each.apart for each in self.folds])

    @property
    def gain(self) -> float:
        """The mean, in nats a case."""
        return float(self.apart.mean())

    @property
    def error(self) -> float:
        """Its standard error over cases."""
        return float(self.apart.std(ddof=1)) / sqrt(self.apart.size)

    @property
    def ahead(self) -> bool:
        """By more than two standard errors."""
        return self.gain > 2 * self.error > 0

    def row(self) -> tuple[str, ...]:
        """A line of the table."""
        first = self.folds[0]
        many = [len(each.places) for each in self.folds]
        states = [place.states for each in self.folds for place in each.places]
        return (
            self.name,
            str(first.variables),
            f"{first.learned_from:,}",
            f"{self.apart.size:,}",
            f"{np.mean([each.without for each in self.folds]):.3f}",
            f"{self.gain:+.4f} ± {self.error:.4f}",
            f"{100 * float(np.mean(self.apart > ROUNDING)):.0f} %",
            " ".join(map(str, many)),
            " ".join(map(str, states)) or "-",
            f"{np.mean([each.seconds for each in self.folds]):.0f}",
        )


def table(judged: Sequence[Judged]) -> Grid:
    """A line per table, those that gain most first."""
    heads = (
        "table", "columns", "learned from", "judged", "without, nats", "gain, nats a case",
        "cases ahead", "accepted", "states", "seconds",
    )  # fmt: skip
    rows = tuple(each.row() for each in sorted(judged, key=lambda each: -each.gain))
    title = "cases that nothing was learned from: log P above the best network without"
    return Grid(title, heads, rows)


def proposals(judged: Sequence[Judged]) -> Grid:
    """What was accepted in the first fold of each table."""
    rows = []
    for each in judged:
        first = each.folds[0]
        for place, gain, held in zip(first.places, first.gains, first.held, strict=True):
            rows.append(
                (
                    each.name,
                    ", ".join(place.parents) or "-",
                    _short(place.children),
                    str(place.states),
                    f"{gain:+.1f}",
                    f"{held:+.4f}",
                )
            )
    heads = ("table", "parents", "children", "states", "gain, nats", "held out, a case")
    return Grid("accepted in the first part", heads, tuple(rows), labels=3)


def _short(names: Sequence[str], most: int = 7) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f", ... ({more} more)" if more > 0 else "")


def claims(judged: Sequence[Judged]) -> tuple[Claim, ...]:
    """What must hold; nothing of a few tables."""
    if len(judged) < WON:
        return ()
    told = [each for each in judged if any(fold.places for fold in each.folds)]
    return (
        Claim(
            f"on {WON} tables at least, the accepted model is ahead by more than two standard "
            "errors",
            sum(each.ahead for each in judged) >= WON,
        ),
        Claim(
            "where variables are accepted, the model is ahead on nine tables of ten",
            sum(each.gain > 0 for each in told) >= 0.9 * len(told),
        ),
    )


def plain(judged: Sequence[Judged]) -> dict[str, Any]:
    """As JSON holds it."""
    return {
        "rows": [
            {
                "table": each.name,
                "gain": each.gain,
                "standard_error": each.error,
                "judged": int(each.apart.size),
                "folds": [
                    {
                        "learned_from": fold.learned_from,
                        "gain": float(fold.apart.mean()),
                        "without": fold.without,
                        "seconds": fold.seconds,
                        "places": [
                            {"children": list(p.children), "parents": list(p.parents),
                             "states": p.states}
                            for p in fold.places
                        ],
                    }
                    for fold in each.folds
                ],
            }
            for each in judged
        ]
    }  # fmt: skip
