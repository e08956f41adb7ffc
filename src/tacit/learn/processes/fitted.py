"""What was learned of hidden processes: their courses, which series show them, and how strongly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit import frames
from tacit.arrays import Floats, readonly
from tacit.core.errors import OptionError, QueryError, listed, nearest, quoted
from tacit.core.grid import Grid, amount, counted
from tacit.core.reading import Reading
from tacit.core.trials import Onset, Trials
from tacit.learn.averaged import with_error
from tacit.learn.fits import Stop
from tacit.learn.processes.splitting import Cell
from tacit.learn.processes.validation import HeldOut

PER_PROCESS = ("courses", "course_sd", "scales", "scale_sd")
MOST_LINES = 24
"""Groups that a summary lists."""


@dataclass(frozen=True, slots=True, eq=False)
class ProcessGroup:
    """Series that share courses.

    courses    per process (length,) what it adds from its onset on, at scale 1
    course_sd  how well each value is known; nan where no trial shows it, and 0 is a guess
    scales     per process (series,) how strongly each series shows it; mean square 1
    scale_sd   how well each scale is known
    noise      (series,) the standard deviation of what is left
    log_likelihood  of the measurements of these series, in nats
    trace      the log-likelihood after every sweep of the best start; stop: why it ended
    """

    name: str
    series: tuple[str, ...]
    courses: Mapping[str, Floats]
    course_sd: Mapping[str, Floats]
    scales: Mapping[str, Floats]
    scale_sd: Mapping[str, Floats]
    noise: Floats
    log_likelihood: float
    trace: tuple[float, ...]
    stop: Stop

    def __post_init__(self) -> None:
        for name in PER_PROCESS:
            held = {process: readonly(each) for process, each in getattr(self, name).items()}
            object.__setattr__(self, name, MappingProxyType(held))
        object.__setattr__(self, "noise", readonly(self.noise))

    def __reduce__(self) -> tuple[type[ProcessGroup], tuple[Any, ...]]:
        return ProcessGroup, _parts(self)

    def __len__(self) -> int:
        return len(self.series)

    def __repr__(self) -> str:
        return f"<ProcessGroup {quoted(self.name)} of {len(self):,} series>"


@dataclass(frozen=True, eq=False, repr=False)
class ProcessFit:
    """Hidden processes learned from trials.

    processes       how many measurements each lasts
    groups          series that share courses, with what was learned of them
    onsets          as they were told; found: the most probable time of each that was open, with
                    its posterior probability
    score           how well trials are predicted that were held out; None if none were
    cells           the search by cutting space, if there was one; merges: that by growing
    log_likelihood  of all measurements, in nats; parameters: how many were learned
    settings        plain data that says how; measurements, trials, missing: from what
    factor          the quantile that makes an interval at `level` of a standard deviation
    reading         what was read and how; None for trials from memory
    """

    processes: Mapping[str, int]
    groups: tuple[ProcessGroup, ...]
    series: tuple[str, ...]
    onsets: tuple[Onset, ...]
    found: tuple[tuple[Onset, float], ...]
    score: HeldOut | None
    cells: tuple[Cell, ...]
    merges: tuple[tuple[tuple[str, ...], tuple[str, ...], float], ...]
    log_likelihood: float
    parameters: int
    measurements: int
    missing: int
    trials: tuple[str, ...]
    step: float
    level: float
    factor: float
    stop: Stop
    trace: tuple[float, ...]
    settings: Mapping[str, Any]
    seed: int
    notes: tuple[str, ...]
    fingerprint: str
    source: str = ""
    places: Floats | None = None
    regions: tuple[str, ...] | None = None
    reading: Reading | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "processes", MappingProxyType(dict(self.processes)))
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    def __reduce__(self) -> tuple[type[ProcessFit], tuple[Any, ...]]:
        return ProcessFit, _parts(self)

    @property
    def aic(self) -> float:
        """The log-likelihood less a nat per parameter; larger is better, as in `tc.AIC`."""
        return self.log_likelihood - self.parameters

    @property
    def bic(self) -> float:
        """The log-likelihood less half the log of the measurements per parameter."""
        return self.log_likelihood - 0.5 * self.parameters * float(np.log(self.measurements))

    @cached_property
    def _home(self) -> dict[str, tuple[ProcessGroup, int]]:
        return {name: (group, at) for group in self.groups for at, name in enumerate(group.series)}

    def group_of(self, series: str) -> ProcessGroup:
        """The group that a series belongs to."""
        return self._at(series)[0]

    def course(self, process: str, series: str) -> Floats:
        """(length,) what a process adds to a series, from its onset on."""
        if process not in self.processes:
            raise QueryError(
                f"there is no process {process!r}{nearest(process, self.processes)}"
                f"\n\nprocesses: {listed(map(quoted, self.processes))}"
            )
        group, at = self._at(series)
        return np.asarray(group.courses[process] * group.scales[process][at])

    def _at(self, series: str) -> tuple[ProcessGroup, int]:
        if series not in self._home:
            raise QueryError(
                f"there is no series {series!r}{nearest(series, self._home)}"
                f"\n\nseries: {listed(map(quoted, self.series))}"
            )
        return self._home[series]

    def predict(self, trials: Trials) -> Trials:
        """What the processes add up to in these trials, by the onsets that were told or found."""
        from tacit.learn.processes.predicting import predicted

        return predicted(self, trials)

    def residuals(self, trials: Trials) -> Trials:
        """What the processes leave of these measurements."""
        from tacit.learn.processes.predicting import left

        return left(self, trials)

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The courses as columns with a line per group, process and time."""
        lines = [
            (group.name, name, at * self.step, value, sd)
            for group in self.groups
            for name, course in group.courses.items()
            for at, (value, sd) in enumerate(zip(course, group.course_sd[name], strict=True))
        ]
        groups, names, times, values, sds = zip(*lines, strict=True)
        middle, wide = np.array(values), self.factor * np.array(sds)
        return {
            "group": np.array(groups, dtype=object),
            "process": np.array(names, dtype=object),
            "time": np.array(times),
            "value": middle,
            "low": middle - wide,
            "high": middle + wide,
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame, by default a pandas one, with a line per group, process and time."""
        return frames.build(self.columns(), backend)

    def scale_columns(self) -> dict[str, npt.NDArray[Any]]:
        """Scales as columns, a line per series: group, scale and sd per process, noise."""
        homes = [self._home[name] for name in self.series]
        columns: dict[str, npt.NDArray[Any]] = {
            "series": np.array(self.series, dtype=object),
            "group": np.array([group.name for group, _ in homes], dtype=object),
        }
        for name in self.processes:
            columns[name] = np.array([group.scales[name][at] for group, at in homes])
            columns[f"{name} sd"] = np.array([group.scale_sd[name][at] for group, at in homes])
        columns["noise"] = np.array([group.noise[at] for group, at in homes])
        return columns

    def save(self, path: str | Path) -> None:
        """Write everything but the measurements as .json, whole or not at all."""
        from tacit.learn.processes.saved import save_processes

        save_processes(self, path)

    def write(self, path: str | Path) -> None:
        """Write the courses as .csv, .tsv or .parquet by suffix, or the whole fit as .json."""
        from tacit.io.casesout import write_columns
        from tacit.io.files import suffix

        if suffix(path) == ".json":
            self.save(path)
        else:
            write_columns(self.columns(), path)

    def summary(self) -> str:
        """`2 processes in 16 groups of 256 series, from 40 trials`."""
        named = counted(len(self.processes), "process").replace("processs", "processes")
        groups = counted(len(self.groups), "group")
        trials = counted(len(self.trials), "trial")
        return f"{named} in {groups} of {len(self.series):,} series, {trials}"

    def grid(self) -> Grid:
        """A line per group: its series, where each process is highest, its noise."""
        heads = ("group", "series", *(f"peak of {name}" for name in self.processes), "noise")
        rows = tuple(
            (
                quoted(group.name),
                f"{len(group):,}",
                *(self._peak(course) for course in group.courses.values()),
                f"{np.sqrt(np.mean(group.noise**2)):.3g}",
            )
            for group in self.groups[:MOST_LINES]
        )
        more = len(self.groups) - len(rows)
        foot = [f"  ... and {counted(more, 'more group')}"] if more else []
        foot += [
            f"log-likelihood {amount(self.log_likelihood)} nats, {self.parameters:,} parameters, "
            f"AIC {amount(self.aic)}, BIC {amount(self.bic)}"
        ]
        if self.score is not None:
            said = with_error(self.score.average, self.score.error, 2)
            honest = "" if self.score.nested else ", with groups chosen on all trials"
            foot += [f"held-out log-likelihood {said} nats per trial{honest}"]
        foot += [f"{self.stop.value}"]
        foot += [f"note: {note}" for note in self.notes]
        return Grid(self.summary(), heads, rows, foot="\n".join(foot))

    def _peak(self, course: Floats) -> str:
        at = int(np.argmax(np.abs(course)))
        return f"{course[at]:.3g} at {at * self.step:g}"

    def __repr__(self) -> str:
        return f"<ProcessFit: {self.summary()}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def _parts(value: ProcessGroup | ProcessFit) -> tuple[Any, ...]:
    """The fields of a value, mappings as dictionaries."""
    given = (getattr(value, each.name) for each in fields(value))
    return tuple(dict(each) if isinstance(each, MappingProxyType) else each for each in given)


def check_level(level: object) -> float:
    """The level of intervals, or an error."""
    if isinstance(level, bool) or not isinstance(level, float | int) or not 0 < level < 1:
        raise OptionError(f"level={level!r} must be a number between 0 and 1, as 0.95")
    return float(level)
