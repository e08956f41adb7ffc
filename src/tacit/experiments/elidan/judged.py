"""What was learned, judged by the cases it was learned from and by others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from time import perf_counter
from typing import Any

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.infer.likelihood import log_likelihood


@dataclass(frozen=True, slots=True)
class Judged:
    """One run of one method.

    train        what it maximised, per case to learn from, in nats
    test         log2 P per case of others: bits, the higher the better
    evaluations  families that were scored, or steps of EM; 0 where nothing was searched
    """

    method: str
    train: float
    test: float
    evaluations: int
    seconds: float


def bits(network: Network, cases: Dataset) -> float:
    """The mean of log2 P(what is observed of a case)."""
    return log_likelihood(network, cases, threads=2).average / log(2)


@dataclass(slots=True)
class Watch:
    """Seconds since it was made."""

    start: float = 0.0

    def __post_init__(self) -> None:
        self.start = perf_counter()

    @property
    def seconds(self) -> float:
        """So far."""
        return perf_counter() - self.start


@dataclass(frozen=True, slots=True)
class Paired:
    """Differences to a baseline on the same data: their mean, its standard error, and how many."""

    mean: float
    error: float
    pairs: int

    @staticmethod
    def of(differences: Sequence[float]) -> Paired:
        """Of these differences, one per data set; no error from a single one."""
        spread = float(np.std(differences, ddof=1)) if len(differences) > 1 else float("nan")
        return Paired(
            float(np.mean(differences)), spread / sqrt(len(differences)), len(differences)
        )

    def __str__(self) -> str:
        if self.pairs < 2:
            return f"{self.mean:+.3f}"
        return f"{self.mean:+.3f} ± {self.error:.3f}"

    def to_plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        error = None if np.isnan(self.error) else self.error
        return {"mean": self.mean, "standard_error": error, "pairs": self.pairs}


def means(runs: Sequence[Judged]) -> Mapping[str, Judged]:
    """Per method the mean over its runs on one data set."""
    found = {}
    for method in dict.fromkeys(run.method for run in runs):
        own = [run for run in runs if run.method == method]
        found[method] = Judged(
            method,
            float(np.mean([run.train for run in own])),
            float(np.mean([run.test for run in own])),
            round(float(np.mean([run.evaluations for run in own]))),
            float(np.mean([run.seconds for run in own])),
        )
    return found
