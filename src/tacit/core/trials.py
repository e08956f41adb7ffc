"""Trials: several series measured over time, again and again; and when processes start in them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.arrays import Floats, Ints, readonly
from tacit.core.errors import CasesError, ColumnError, listed, nearest, quoted
from tacit.core.grid import Grid, counted
from tacit.core.reading import Reading

ON_GRID = 1e-6
"""Steps by which a time may lie beside the grid of measurements."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trials:
    """Measurements of the same series in every trial; trials may differ in length.

    values   per trial (times, series), nan where a measurement is missing
    series   what was measured, one name per column
    first    per trial the time of its first measurement
    step     the time from one measurement to the next, the same in all trials
    places   (series, axes) where each series was measured, nan where nobody said; None if nowhere
    regions  per series the region it belongs to; None if nobody said
    source   where the measurements came from, for reports
    reading  what was read and how, where these trials are just what that brings
    """

    values: Mapping[str, Floats]
    series: tuple[str, ...]
    first: Mapping[str, float] = field(default_factory=dict)
    step: float = 1.0
    places: Floats | None = None
    regions: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    source: str = ""
    reading: Reading | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if not self.values or not self.series:
            raise CasesError("trials need at least one trial and one series")
        if len(set(self.series)) < len(self.series):
            raise ColumnError("two series have the same name")
        if not (isfinite(self.step) and self.step > 0):
            raise CasesError(f"the step from measurement to measurement must be > 0: {self.step!r}")
        checked = {name: self._checked(name, array) for name, array in self.values.items()}
        object.__setattr__(self, "values", MappingProxyType(checked))
        begun = {name: float(self.first.get(name, 0.0)) for name in checked}
        object.__setattr__(self, "first", MappingProxyType(begun))
        if self.places is not None:
            object.__setattr__(self, "places", self._placed(self.places))
        if self.regions is not None and len(self.regions) != len(self.series):
            raise CasesError(f"{len(self.series)} series need as many regions")

    def _checked(self, name: str, given: npt.ArrayLike) -> Floats:
        array = np.asarray(given)
        if array.ndim != 2 or array.shape[1] != len(self.series) or not array.shape[0]:
            raise CasesError(
                f"trial {quoted(name)} has the shape {array.shape}; it must be (times, "
                f"{len(self.series)}): a line per measurement, a column per series"
            )
        if array.dtype.kind not in "fiub":
            raise CasesError(f"trial {quoted(name)} holds {array.dtype}, not numbers")
        if np.isinf(array).any():
            at = int(np.argwhere(np.isinf(array))[0, 1])
            raise CasesError(f"trial {quoted(name)}: {quoted(self.series[at])} is infinite")
        return readonly(array)

    def _placed(self, given: npt.ArrayLike) -> Floats:
        array = np.asarray(given, dtype=np.float64)
        if array.ndim != 2 or array.shape[0] != len(self.series) or not array.shape[1]:
            raise CasesError(
                f"places have the shape {array.shape}; {len(self.series):,} series need a line "
                "each, with a number per axis"
            )
        return readonly(array)

    @property
    def names(self) -> tuple[str, ...]:
        """The trials, in their order."""
        return tuple(self.values)

    @property
    def measurements(self) -> int:
        """How many there are, missing ones aside."""
        return sum(int(np.count_nonzero(~np.isnan(array))) for array in self.values.values())

    @property
    def missing(self) -> int:
        """How many measurements are missing."""
        return sum(array.size for array in self.values.values()) - self.measurements

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, name: str) -> Floats:
        if name not in self.values:
            raise CasesError(
                f"there is no trial {name!r}{nearest(name, self.values)}"
                f"\n\ntrials: {listed(self.values)}"
            )
        return self.values[name]

    def take(self, trials: Iterable[str]) -> Trials:
        """These trials, in this order."""
        chosen = list(trials)
        return Trials(
            {name: self[name] for name in chosen},
            self.series,
            {name: self.first[name] for name in chosen},
            self.step,
            self.places,
            self.regions,
            self.notes,
            self.source,
        )

    def select(self, series: Sequence[str]) -> Trials:
        """All trials with only these series, in this order."""
        at = self.positions(series)
        return Trials(
            {name: array[:, at] for name, array in self.values.items()},
            tuple(series),
            self.first,
            self.step,
            None if self.places is None else self.places[at],
            None if self.regions is None else tuple(self.regions[each] for each in at),
            self.notes,
            self.source,
        )

    def positions(self, series: Sequence[str]) -> Ints:
        """Where these series stand; an error about one that is not there."""
        place = {name: at for at, name in enumerate(self.series)}
        for name in series:
            if name not in place:
                raise ColumnError(
                    f"there is no series {name!r}{nearest(name, place)}"
                    f"\n\nseries: {listed(self.series)}"
                )
        return np.array([place[name] for name in series], dtype=np.int64)

    def index(self, trial: str, time: float) -> int | None:
        """The position of a time on the grid of a trial, negative before it; None between two."""
        steps = (time - self.first[trial]) / self.step
        return round(steps) if abs(steps - round(steps)) <= ON_GRID * max(1, abs(steps)) else None

    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change when any measurement, name, time or place does."""
        digest = hashlib.sha256(repr((self.series, self.step, self.regions)).encode())
        for name, array in self.values.items():
            digest.update(repr((name, self.first[name], array.shape)).encode())
            digest.update(np.ascontiguousarray(array).data)
        if self.places is not None:
            digest.update(np.ascontiguousarray(self.places).data)
        return digest.hexdigest()[:16]

    def read_as(self, reading: Reading | None) -> Trials:
        """The same trials, which this reading brings again."""
        found = replace(self)
        object.__setattr__(found, "reading", reading)
        return found

    def __reduce__(self) -> tuple[Callable[..., Trials], tuple[Any, ...]]:
        mappings = (dict(self.values), self.series, dict(self.first), self.step)
        rest = (self.places, self.regions, self.notes, self.source)
        return _restored, (self.reading, *mappings, *rest)

    def __repr__(self) -> str:
        return f"<Trials: {self.summary()}>"

    def summary(self) -> str:
        """`40 trials of 32 measurements of 256 series`."""
        lengths = sorted({len(array) for array in self.values.values()})
        long = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
        return (
            f"{counted(len(self), 'trial')} of {long} measurements of {len(self.series):,} series"
        )

    def grid(self) -> Grid:
        """What there is, in a few lines."""
        rows: list[tuple[str, ...]] = [
            ("series", listed(map(quoted, self.series), 6)),
            ("trials", listed(map(quoted, self.names), 6)),
            ("time from measurement to measurement", f"{self.step:g}"),
            ("measurements", f"{self.measurements:,}"),
            ("missing", f"{self.missing:,}"),
        ]
        if self.places is not None:
            rows.append(("axes of their places", f"{self.places.shape[1]}"))
        if self.regions is not None:
            rows.append(("regions", listed(map(quoted, dict.fromkeys(self.regions)), 6)))
        return Grid(self.summary(), ("", ""), tuple(rows), labels=2)

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def _restored(reading: Reading | None, *parts: Any) -> Trials:
    return Trials(*parts).read_as(reading)


@dataclass(frozen=True, slots=True)
class Onset:
    """A process that starts in a trial, at a known time or somewhere in a window.

    time      when it starts, or where it is expected to in the window
    earliest, latest  the window; both are `time` if it is known
    sd        how far from the expected time it is likely to start; inf for all times alike
    series    the series it acts on; None for all
    """

    process: str
    trial: str
    time: float
    earliest: float = field(default=float("nan"))
    latest: float = field(default=float("nan"))
    sd: float = float("inf")
    series: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for bound in ("earliest", "latest"):
            if getattr(self, bound) != getattr(self, bound):
                object.__setattr__(self, bound, self.time)
        words = f"the onset of {quoted(self.process)} in trial {quoted(self.trial)}"
        numbers = (self.time, self.earliest, self.latest)
        if not all(map(isfinite, numbers)):
            raise CasesError(f"{words} must be a finite time")
        if not self.earliest <= self.time <= self.latest:
            raise CasesError(
                f"{words} is expected at {self.time:g}, outside of its window "
                f"{self.earliest:g} to {self.latest:g}"
            )
        if not self.sd > 0:
            raise CasesError(f"{words}: the sd {self.sd:g} must be greater than 0")

    @property
    def known(self) -> bool:
        """Whether there is one time only."""
        return self.earliest == self.latest
