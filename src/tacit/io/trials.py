"""Trials and onsets from files, frames and arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.arrays import Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import (
    CasesError,
    ColumnError,
    MissingError,
    OptionError,
    listed,
    nearest,
    quoted,
)
from tacit.core.reading import Reading
from tacit.core.trials import ON_GRID, Onset, Trials
from tacit.core.variables import Discrete
from tacit.io.cases import read_cases
from tacit.io.databases import Asked, without_secrets
from tacit.io.sources import How, open_source
from tacit.io.states import marks, state_text

REGION, TRIAL, TIME = "region", "trial", "time"
ONSET_COLUMNS = ("onset", "earliest", "latest", "sd")
MOST_GAPS = 50
"""Times of the grid per measurement beyond which times are held to be uneven."""


def read_trials(
    source: Any,
    *,
    series: str | Sequence[str] | None = None,
    places: Any = None,
    trial: str = TRIAL,
    time: str = TIME,
    missing: str | Sequence[object] = (),
    table: str | None = None,
    query: str | None = None,
) -> Trials:
    """Trials from a table with a line per trial and time, or from arrays.

    source   anything `tc.read_cases` takes, with a column that names the trial, one with the time
             and one per series; or an array (trials, times, series), a list of arrays (times,
             series), or {trial: array}
    series   the columns that are series; by default all others. For arrays, their names
    places   a table with the column `series`, a column per axis of space, and maybe `region`; or
             {series: (x, y, z)}
    trial, time  the names of those columns; where there is no column `time` and no other is
             named, the lines of a trial are taken as they come, one step apart
    missing  texts that stand for a missing value, beside empty cells and nulls
    table, query  which table of a database, or a query to it

    Times are evenly spaced; where one of them has no line, its measurements are missing.
    """
    names = (series,) if isinstance(series, str) else None if series is None else tuple(series)
    if isinstance(source, Trials):
        trials = source if names is None else source.select(names)
    elif _is_arrays(source):
        trials = _from_arrays(source, names)
    else:
        trials = _from_table(source, names, (trial, time), missing, Asked(table, query))
    found = trials if places is None else _with_places(trials, places)
    if not isinstance(source, str | Path) or not isinstance(places, str | Path | None):
        return found
    said = {
        "series": list(names or ()), "places": places and str(places),
        "trial": trial if trial != TRIAL else "", "time": time if time != TIME else "",
        "missing": marks(missing), "table": table, "query": query,
    }  # fmt: skip
    return found.read_as(Reading.of(without_secrets(str(source)), said))


def _is_arrays(source: Any) -> bool:
    if isinstance(source, Mapping):
        return bool(source) and all(np.ndim(each) == 2 for each in source.values())
    if isinstance(source, np.ndarray):
        return source.ndim == 3
    several = isinstance(source, list | tuple) and bool(source)
    return several and all(isinstance(each, np.ndarray) and each.ndim == 2 for each in source)


def _from_arrays(source: Any, names: tuple[str, ...] | None) -> Trials:
    values = (
        {state_text(name): np.asarray(array) for name, array in source.items()}
        if isinstance(source, Mapping)
        else {str(at): array for at, array in enumerate(source, 1)}
    )
    wide = next(iter(values.values())).shape[1] if values else 0
    return Trials(values, names or tuple(f"s{at}" for at in range(1, wide + 1)), source="arrays")


def _from_table(
    source: Any,
    series: tuple[str, ...] | None,
    columns: tuple[str, str],
    missing: str | Sequence[object],
    asked: Asked,
) -> Trials:
    trial, time = columns
    found = [state_text(name) for name in open_source(source, How(asked))[0].names]
    if trial not in found:
        raise ColumnError(
            f"the trials have no column {trial!r}{nearest(trial, found)}\n\n"
            f"columns: {listed(found)}\na table of trials has a line per trial and time; "
            "say trial='...' if the column has another name"
        )
    timed = time in found
    like = nearest(time, found)
    if not timed and (time != TIME or like):
        raise ColumnError(
            f"the trials have no column {time!r}{like}\n\ncolumns: {listed(found)}\n"
            "say time='...' if the column has another name"
        )
    rest = [name for name in found if name not in (trial, time) and name]
    chosen = list(series) if series is not None else rest
    if not chosen:
        raise ColumnError(f"the trials have no series beside {trial!r} and {time!r}")
    lost = [name for name in chosen if name not in found]
    if lost:
        raise ColumnError(
            f"there is no series {lost[0]!r}{nearest(lost[0], rest)}\n\ncolumns: {listed(found)}"
        )
    numbers = [*([time] if timed else []), *chosen]
    data = read_cases(
        source, columns=[trial, *numbers], discrete=[trial], continuous=numbers,
        missing=missing, table=asked.table, query=asked.query,
    )  # fmt: skip
    notes = () if timed else (f"no column {time!r}: the lines of a trial are one step apart",)
    return _gridded(data, tuple(chosen), trial, time if timed else None, notes)


def _gridded(
    data: Dataset, series: tuple[str, ...], trial: str, time: str | None, notes: tuple[str, ...]
) -> Trials:
    """Lines of a table as one array per trial, on a grid of evenly spaced times."""
    names = data.variables[trial]
    assert isinstance(names, Discrete)
    which = np.asarray(data[trial])
    if (which < 0).any():
        raise MissingError(f"case {int(np.argmax(which < 0)) + 1} does not say which {trial} it is")
    cases = [np.flatnonzero(which == at) for at in range(len(names.states))]
    times = _running(cases, len(data)) if time is None else np.asarray(data[time], dtype=np.float64)
    if np.isnan(times).any():
        raise MissingError(f"case {int(np.argmax(np.isnan(times))) + 1} has no {time}")
    columns = np.stack([np.asarray(data[name], dtype=np.float64) for name in series], axis=1)
    cases = [each[np.argsort(times[each], kind="stable")] for each in cases]
    step = _step([times[each] for each in cases])
    values, first = {}, {}
    for name, each in zip(names.states, cases, strict=True):
        if each.size:
            at = _positions(name, times[each], step)
            array = np.full((int(at[-1]) + 1, len(series)), np.nan)
            array[at] = columns[each]
            values[name], first[name] = array, float(times[each[0]])
    return Trials(values, series, first, step, notes=notes, source=data.source)


def _running(cases: Sequence[Ints], many: int) -> Floats:
    times = np.empty(many)
    for each in cases:
        times[each] = np.arange(each.size)
    return times


def _step(times: Sequence[Floats]) -> float:
    gaps = np.concatenate([np.diff(each) for each in times])
    above = gaps[gaps > 0]
    return float(above.min()) if above.size else 1.0


def _positions(name: str, times: Floats, step: float) -> Ints:
    """Where the times of a trial, in their order, stand on its grid."""
    steps = (times - times[0]) / step
    at = np.round(steps).astype(np.int64)
    off = np.abs(steps - at) > ON_GRID * np.maximum(1.0, steps)
    if off.any():
        where = times[int(np.argmax(off))]
        raise CasesError(
            f"trial {quoted(name)} was measured at {where:g}, which is no whole number of steps "
            f"of {step:g} after {times[0]:g}\n\nmeasurements must be evenly spaced; leave out "
            "times that were not measured, and round those that were"
        )
    if at[-1] >= MOST_GAPS * max(len(at), 20):
        raise CasesError(
            f"trial {quoted(name)} has {len(at):,} measurements on {at[-1] + 1:,} times that are "
            f"{step:g} apart, the smallest step between two of them\n\nare the times even, and "
            "all in the same unit?"
        )
    twice = np.flatnonzero(np.diff(at) == 0)
    if twice.size:
        raise CasesError(
            f"trial {quoted(name)} has two lines for the time {times[int(twice[0])]:g}"
        )
    return np.asarray(at)


def _with_places(trials: Trials, source: Any) -> Trials:
    if isinstance(source, Mapping) and not {"series"} & set(source):
        lost = [name for name in trials.series if name not in source]
        _check_all(lost, source)
        points = [np.atleast_1d(np.asarray(source[name], float)) for name in trials.series]
        if len({each.size for each in points}) > 1:
            raise CasesError("places have different numbers of axes")
        return replace(trials, places=np.stack(points))
    found = [state_text(name) for name in open_source(source, How(Asked(None, None)))[0].names]
    if "series" not in found:
        raise ColumnError(f"places have no column 'series'\n\ncolumns: {listed(found)}")
    axes = [name for name in found if name not in ("series", REGION) and name]
    words = ["series", *([REGION] if REGION in found else [])]
    data = read_cases(source, columns=[*words, *axes], discrete=words, continuous=axes)
    line = {name: at for at, name in enumerate(texts(data, "series"))}
    lost = [name for name in trials.series if name not in line]
    _check_all(lost, line)
    at = np.array([line[name] for name in trials.series])
    places = np.stack([np.asarray(data[axis])[at] for axis in axes], axis=1) if axes else None
    regions = None
    if REGION in found:
        every = texts(data, REGION)
        regions = tuple(every[each] for each in at)
    return replace(trials, places=places, regions=regions)


def _check_all(lost: Sequence[str], known: Iterable[str]) -> None:
    if lost:
        more = f" and {len(lost) - 1:,} others" if len(lost) > 1 else ""
        raise CasesError(
            f"places do not name the series {lost[0]!r}{more}{nearest(lost[0], known)}"
        )


def texts(data: Dataset, name: str) -> list[str]:
    """A discrete column as the texts of its states; empty where missing."""
    variable = data.variables[name]
    assert isinstance(variable, Discrete)
    return [variable.states[code] if code >= 0 else "" for code in np.asarray(data[name])]


def as_onsets(source: Any) -> tuple[Onset, ...]:
    """Onsets from values, from {process: {trial: time or times}}, or from a table."""
    if isinstance(source, list | tuple) and all(isinstance(each, Onset) for each in source):
        return tuple(source)
    if isinstance(source, Mapping) and all(isinstance(each, Mapping) for each in source.values()):
        return tuple(
            Onset(str(process), state_text(trial), float(time))
            for process, trials in source.items()
            for trial, times in trials.items()
            for time in _several(times)
        )
    found = [state_text(name) for name in open_source(source, How(Asked(None, None)))[0].names]
    for column in ("trial", "process"):
        if column not in found:
            raise ColumnError(
                f"the onsets have no column {column!r}{nearest(column, found)}\n\n"
                f"columns: {listed(found)}\nonsets are a table with the columns trial, process "
                "and onset; or earliest and latest, where an onset is open"
            )
    if "onset" not in found and not {"earliest", "latest"} <= set(found):
        raise ColumnError(
            f"the onsets say no time: there is no column 'onset'{nearest('onset', found)}"
            f"\n\ncolumns: {listed(found)}"
        )
    words = ["trial", "process", *(["series"] if "series" in found else [])]
    numbers = [name for name in ONSET_COLUMNS if name in found]
    data = read_cases(source, columns=[*words, *numbers], discrete=words, continuous=numbers)
    return tuple(_onsets(data))


def _several(times: Any) -> npt.NDArray[Any]:
    try:
        return np.atleast_1d(np.asarray(times, dtype=np.float64))
    except (TypeError, ValueError):
        raise OptionError(f"an onset is a time or a list of times, not {times!r}") from None


def _onsets(data: Dataset) -> Iterable[Onset]:
    column = {
        name: np.asarray(data[name]) if name in data else np.full(len(data), np.nan)
        for name in ONSET_COLUMNS
    }
    series = texts(data, "series") if "series" in data else [""] * len(data)
    trials, processes = texts(data, "trial"), texts(data, "process")
    for at in range(len(data)):
        time, low, high, sd = (float(column[name][at]) for name in ONSET_COLUMNS)
        if not trials[at] or not processes[at]:
            raise MissingError(f"onset {at + 1} does not say its trial or its process")
        if np.isnan(low) != np.isnan(high):
            raise MissingError(
                f"onset {at + 1}, of {quoted(processes[at])} in trial {quoted(trials[at])}, has "
                "one end of its window only; earliest and latest go together"
            )
        if np.isnan(time) and np.isnan(low):
            raise MissingError(
                f"onset {at + 1}, of {quoted(processes[at])} in trial {quoted(trials[at])}, "
                "says no time"
            )
        time = (low + high) / 2 if np.isnan(time) else time
        sd = float("inf") if np.isnan(sd) else sd
        acts = (series[at],) if series[at] else None
        yield Onset(processes[at], trials[at], time, low, high, sd, acts)
