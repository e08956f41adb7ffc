"""Many runs of many methods on several data sets: how they spread, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tacit.core.grid import Grid
from tacit.experiments.elidan.judged import Judged

Runs: TypeAlias = Sequence[Judged]
"""All runs of all methods on one data set."""
MARKS = (0.2, 0.5, 0.8)


@dataclass(frozen=True, slots=True)
class Spread:
    """Runs of one method: the mean, the highest, the one that training chooses, and quantiles.

    chosen  of the run that came highest on the cases to learn from
    marks   the values that 20, 50 and 80 % of the runs stay below
    """

    mean: float
    best: float
    chosen: float
    marks: tuple[float, float, float]

    @staticmethod
    def of(runs: Runs, what: str, origin: float = 0.0) -> Spread:
        """Of these runs, in "train" or "test", above an origin."""
        values = np.array([getattr(run, what) for run in runs]) - origin
        low, middle, high = np.quantile(values, MARKS).tolist()
        chosen = values[int(np.argmax([run.train for run in runs]))]
        return Spread(float(values.mean()), float(values.max()), float(chosen), (low, middle, high))

    @staticmethod
    def mean_of(spreads: Sequence[Spread]) -> Spread:
        """What spreads on several data sets come to, on average."""
        low, middle, high = np.mean([each.marks for each in spreads], axis=0).tolist()
        return Spread(
            float(np.mean([each.mean for each in spreads])),
            float(np.mean([each.best for each in spreads])),
            float(np.mean([each.chosen for each in spreads])),
            (low, middle, high),
        )

    def cells(self) -> tuple[str, ...]:
        """As a row of a table shows them."""
        return tuple(f"{each:+.3f}" for each in (self.mean, *self.marks, self.best, self.chosen))


HEADS = ("mean", "20 %", "50 %", "80 %", "best", "chosen")


@dataclass(frozen=True, slots=True)
class Trials:
    """All runs on all data sets, measured from the median run of the plain method on each."""

    sets: Sequence[Runs]
    plain: str

    @property
    def methods(self) -> tuple[str, ...]:
        """In the order in which they ran."""
        return tuple(dict.fromkeys(run.method for runs in self.sets for run in runs))

    def of(self, method: str, at: int) -> list[Judged]:
        """Its runs on one data set."""
        return [run for run in self.sets[at] if run.method == method]

    def origin(self, what: str, at: int) -> float:
        """The median run of the plain method on a data set."""
        return float(np.median([getattr(run, what) for run in self.of(self.plain, at)]))

    def spread(self, method: str, what: str) -> Spread:
        """How a method's runs lie above the median plain run, on average over data sets."""
        return Spread.mean_of(
            [
                Spread.of(self.of(method, at), what, self.origin(what, at))
                for at in range(len(self.sets))
            ]
        )

    def above(self, method: str, what: str, other: str) -> float:
        """The share of the runs of another method that the median run of this one exceeds.

        On average over data sets.
        """
        shares = []
        for at in range(len(self.sets)):
            middle = float(np.median([getattr(run, what) for run in self.of(method, at)]))
            others = np.array([getattr(run, what) for run in self.of(other, at)])
            shares.append(float(np.mean(others < middle)))
        return float(np.mean(shares))

    def cost(self, method: str) -> float:
        """What a run of it costs, in runs of the plain method."""
        each = [np.mean([run.evaluations for run in self._all(name)]) for name in
                (method, self.plain)]  # fmt: skip
        return float(each[0] / each[1])

    def seconds(self, method: str) -> float:
        """Of a run, on average."""
        return float(np.mean([run.seconds for run in self._all(method)]))

    def curve(self, method: str, what: str = "test") -> list[list[float]]:
        """Above the median plain run: a value, and the percentage of runs that reach it.

        [HV1 1.9: the cumulative plots, figures 3.4 and 3.5]
        """
        values = [
            getattr(run, what) - self.origin(what, at)
            for at in range(len(self.sets))
            for run in self.of(method, at)
        ]
        return reached(values)

    def _all(self, method: str) -> list[Judged]:
        return [run for at in range(len(self.sets)) for run in self.of(method, at)]

    def grid(self, what: str, title: str, without: Sequence[str] = ()) -> Grid:
        """A line per method: how its runs spread in what they maximise, or on new cases."""
        rows = tuple(
            (method, str(len(self.of(method, 0))), *self.spread(method, what).cells())
            for method in self.methods
            if method not in without
        )
        return Grid(title, ("method", "runs", *HEADS), rows)

    def costs(self, title: str, unit: str, paper: Mapping[str, str]) -> Grid:
        """A line per method that made an effort: how much, as many plain runs, and seconds.

        paper  the source's figure in plain runs, where it has one
        """
        rows = [
            (
                method,
                f"{np.mean([run.evaluations for run in self._all(method)]):,.0f}",
                *((paper.get(method, ""),) if paper else ()),
                f"{self.cost(method):.1f}",
                f"{self.seconds(method):.2f}",
            )
            for method in self.methods
            if any(run.evaluations for run in self._all(method))
        ]
        told = (f"in runs of {self.plain}, paper", "ours")
        heads = ("method", unit, *(told if paper else (f"in runs of {self.plain}",)), "seconds")
        return Grid(title, heads, tuple(rows))

    def to_plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "origins": {
                what: [self.origin(what, at) for at in range(len(self.sets))]
                for what in ("train", "test")
            },
            "rows": [
                {
                    "method": method,
                    "cost": self.cost(method),
                    "train_curve": self.curve(method, "train"),
                    "test_curve": self.curve(method),
                    "runs": [
                        [
                            {"train": run.train, "test": run.test, "effort": run.evaluations}
                            for run in self.of(method, at)
                        ]
                        for at in range(len(self.sets))
                    ],
                }
                for method in self.methods
            ],
        }


def reached(values: Sequence[float]) -> list[list[float]]:
    """Every value with the percentage of values that are at least as high, rising."""
    held = np.sort(np.asarray(values, dtype=np.float64))
    shares = 100 * (1 - np.searchsorted(held, held, side="left") / held.size)
    return [[float(value), float(share)] for value, share in zip(held, shares, strict=True)]


def of_equal_effort(runs: Runs, budget: float, method: str) -> Judged:
    """The run that training chooses among as many of the first as it takes to spend a budget.

    Runs are whole: the last one may go beyond. If all of them cost less, all of them count.
    """
    spent = np.cumsum([run.evaluations for run in runs])
    many = int(np.searchsorted(spent, budget)) + 1
    first = runs[:many]
    best = max(first, key=lambda run: run.train)
    return Judged(
        method, best.train, best.test, int(spent[len(first) - 1]),
        sum(run.seconds for run in first),
    )  # fmt: skip
