"""Paths of the bottleneck beside random starts, in tables and claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.core.grid import Grid
from tacit.experiments.outcome import Claim

PATH, ENDED, TOGETHER = "IB-EM", "IB-EM, then EM", "IB-EM, exact"
EXACT, FIELD = "EM", "mean-field EM"
TIE = 1e-4
"""Bits per case within which two runs are at the same optimum. [HV2 4.2]"""
Part = str
"""`train` or `test`."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One run: bits per case learned from and of others, CPU seconds, and steps of EM."""

    method: str
    train: float
    test: float
    seconds: float
    steps: int

    def of(self, part: Part) -> float:
        """Bits per case of one part."""
        return self.train if part == "train" else self.test


@dataclass(frozen=True, slots=True)
class Printed:
    """What the source prints of one task and part.

    below  percentage of random runs that are worse than IB-EM
    best   of the random runs; `mark` what 80 % of them stay below
    field  the same three of mean-field EM, where the source has them
    """

    ibem: float
    below: float
    best: float
    mark: float
    field: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A data set, the dag above it, and how many states all its hidden variables have."""

    scene: str
    dag: str
    states: int
    train: Printed
    test: Printed

    @property
    def name(self) -> str:
        """As the source calls it."""
        return f"{self.dag} C={self.states}"

    def printed(self, part: Part) -> Printed:
        """What the source has of one part."""
        return self.train if part == "train" else self.test


@dataclass(frozen=True, slots=True)
class Line:
    """All runs of a task.

    several  whether it has several hidden variables, so that mean-field EM is another thing
    """

    task: Task
    several: bool
    source: str
    runs: tuple[Ran, ...]

    def of(self, method: str) -> list[Ran]:
        """The runs of a method."""
        return [run for run in self.runs if run.method == method]

    def one(self, method: str, part: Part) -> float:
        """Of the only run of a method."""
        (run,) = self.of(method)
        return run.of(part)

    def below(self, method: str, part: Part, than: str = PATH) -> float:
        """The percentage of runs that are worse than IB-EM, by more than a tie."""
        mark = self.one(than, part) - TIE
        return 100 * float(np.mean([run.of(part) < mark for run in self.of(method)]))

    def alike(self, method: str, part: Part) -> float:
        """The percentage of runs that are as good as IB-EM."""
        mark = self.one(PATH, part)
        return 100 * float(np.mean([abs(run.of(part) - mark) <= TIE for run in self.of(method)]))

    def best(self, method: str, part: Part) -> float:
        """The best run."""
        return max(run.of(part) for run in self.of(method))

    def share(self, method: str, part: Part, of: float) -> float:
        """What so large a share of the runs stays below."""
        return float(np.quantile([run.of(part) for run in self.of(method)], of))

    def seconds(self, method: str) -> float:
        """Of a run, in the mean."""
        return float(np.mean([run.seconds for run in self.of(method)]))

    def to_plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "task": self.task.name,
            "source": self.source,
            "runs": [
                {"method": run.method, "train": run.train, "test": run.test,
                 "seconds": run.seconds, "steps": run.steps}
                for run in self.runs
            ],
        }  # fmt: skip


def against(lines: Sequence[Line], part: Part) -> Grid:
    """IB-EM against random runs of EM, the paper's figures beside ours."""
    rows = []
    for line in lines:
        paper = line.task.printed(part)
        rows.append((
            line.task.name, f"{paper.ibem:.2f}", f"{line.one(PATH, part):.3f}",
            f"{paper.below:.0f}", f"{line.below(EXACT, part):.0f} + {line.alike(EXACT, part):.0f}",
            f"{paper.best - paper.ibem:+.2f}", _apart(line, EXACT, part, line.best),
            f"{paper.mark - paper.ibem:+.2f}", _apart(line, EXACT, part, _mark(line)),
        ))  # fmt: skip
    heads = ("model", "IB-EM, paper", "ours", "% worse, paper", "ours + tied",
             "best EM, paper", "ours", "80 % mark, paper", "ours")  # fmt: skip
    return Grid(f"bits per case {_PARTS[part]}; EM above IB-EM", heads, tuple(rows))


def fields(lines: Sequence[Line], part: Part) -> Grid:
    """The same against mean-field EM, and what EM makes of where IB-EM ends."""
    rows = []
    for line in lines:
        paper = line.task.printed(part).field
        if not line.several or paper is None:
            continue
        below, best, mark = paper
        level = line.task.printed(part).ibem
        rows.append((
            line.task.name, f"{below:.0f}",
            f"{line.below(FIELD, part):.0f} + {line.alike(FIELD, part):.0f}",
            f"{best - level:+.2f}", _apart(line, FIELD, part, line.best),
            f"{mark - level:+.2f}", _apart(line, FIELD, part, _mark(line)),
        ))  # fmt: skip
    heads = ("model", "% worse, paper", "ours + tied", "best, paper", "ours", "80 % mark, paper",
             "ours")  # fmt: skip
    return Grid(f"bits per case {_PARTS[part]}; mean-field EM above IB-EM", heads, tuple(rows))


def further(lines: Sequence[Line], part: Part) -> Grid:
    """What EM makes of where IB-EM ends, and paths on which hidden variables are taken together."""
    rows = [
        (
            line.task.name,
            *(
                figure
                for method in (ENDED, TOGETHER)
                for figure in (
                    f"{line.one(method, part) - line.one(PATH, part):+.3f}",
                    f"{line.below(EXACT, part, method):.0f}",
                    f"{line.below(FIELD, part, method):.0f}",
                )
            ),
        )
        for line in lines
        if line.several
    ]
    heads = ("model", *(f"{each}{more}" for each in (ENDED, TOGETHER) for more in
                        ("", ": % of EM worse", ": % of mean-field EM")))  # fmt: skip
    return Grid(f"bits per case {_PARTS[part]}; above IB-EM, ours only", heads, tuple(rows))


def times(lines: Sequence[Line]) -> Grid:
    """What a run takes."""
    rows = [
        (
            line.task.name,
            *(f"{line.seconds(method):.2f}" if line.of(method) else "" for method in
              (PATH, TOGETHER, EXACT, FIELD)),
            f"{line.seconds(PATH) / line.seconds(EXACT):.0f}",
        )
        for line in lines
    ]  # fmt: skip
    heads = ("CPU seconds of a run", PATH, TOGETHER, EXACT, FIELD, "IB-EM in runs of EM")
    return Grid("", heads, tuple(rows))


def claims(lines: Sequence[Line]) -> tuple[Claim, ...]:
    """What the source says of its table, and what is asked of ours."""
    single = [line for line in lines if not line.several]
    deep = [line for line in lines if line.several]
    said = [
        Claim(
            "one hidden variable: IB-EM is no more than 0.2 % worse than the median run of EM",
            all(_near(line, PATH) for line in single),
        ),
    ]
    if deep:
        said += [
            Claim(
                "hierarchies: IB-EM is better than 80 % of the runs of mean-field EM, in the mean",
                float(np.mean([line.below(FIELD, "train") for line in deep])) >= 80,
            ),
            Claim(
                "hierarchies: IB-EM is better than 80 % of the runs of EM, in the mean",
                float(np.mean([line.below(EXACT, "train") for line in deep])) >= 80,
            ),
            Claim(
                "hierarchies: so are paths on which hidden variables are taken together",
                float(np.mean([line.below(EXACT, "train", TOGETHER) for line in deep])) >= 80,
            ),
            Claim(
                "hierarchies: these end no lower than the median run of EM",
                all(_least(line, TOGETHER) for line in deep),
            ),
        ]
    return tuple(said)


def _near(line: Line, method: str) -> bool:
    middle = line.share(EXACT, "train", 0.5)
    return line.one(method, "train") >= middle - 0.002 * abs(middle)


def _least(line: Line, method: str) -> bool:
    return line.one(method, "train") >= line.share(EXACT, "train", 0.5) - TIE


def _mark(line: Line) -> Callable[[str, Part], float]:
    return lambda method, part: line.share(method, part, 0.8)


def _apart(line: Line, method: str, part: Part, figure: Callable[[str, Part], float]) -> str:
    return f"{figure(method, part) - line.one(PATH, part):+.3f}"


_PARTS: Mapping[Part, str] = {"train": "learned from", "test": "held out"}
