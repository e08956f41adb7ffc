"""What learned processes add up to in trials, and what they leave."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import CasesError, quoted
from tacit.core.trials import Onset, Trials
from tacit.learn.processes.fitted import ProcessFit


def predicted(fit: ProcessFit, trials: Trials) -> Trials:
    """The sum of the processes, at every time of these trials."""
    at = trials.positions(fit.series) if set(fit.series) <= set(trials.series) else None
    if at is None:
        lost = next(name for name in fit.series if name not in trials.series)
        raise CasesError(f"these trials lack the series {quoted(lost)}, which the fit knows")
    chosen = trials.select(fit.series)
    courses = {
        name: np.stack([fit.course(name, series) for series in fit.series], axis=1)
        for name in fit.processes
    }
    values = {name: np.zeros(array.shape) for name, array in chosen.values.items()}
    for onset in _settled(fit):
        if onset.trial in values:
            _add(values[onset.trial], chosen, onset, courses[onset.process])
    return replace(chosen, values=values)


def left(fit: ProcessFit, trials: Trials) -> Trials:
    """Measurements less what the processes add up to; nan where a measurement is missing.

    Where series have levels of their own, those are taken away too.
    """
    shown = predicted(fit, trials)
    chosen = trials.select(fit.series)
    values = {name: chosen[name] - shown[name] for name in chosen.names}
    if fit.settings["baseline"] == "trial":
        values = {name: each - _level(each) for name, each in values.items()}
    return replace(chosen, values=values)


def _level(values: Floats) -> Floats:
    """(series,) the mean of what was measured; 0 where nothing was."""
    there = ~np.isnan(values)
    return np.asarray(np.nansum(values, axis=0) / np.maximum(there.sum(axis=0), 1))


def _settled(fit: ProcessFit) -> list[Onset]:
    """Onsets that were known, and those that were found."""
    found = {(each.process, each.trial): each for each, _ in fit.found}
    settled = []
    for onset in fit.onsets:
        where = onset if onset.known else found.get((onset.process, onset.trial), onset)
        settled.append(replace(where, series=onset.series))
    return settled


def _add(values: Floats, trials: Trials, onset: Onset, course: Floats) -> None:
    start = round((onset.time - trials.first[onset.trial]) / trials.step)
    low, high = max(start, 0), min(start + len(course), len(values))
    if low >= high:
        return
    part = course[low - start : high - start]
    if onset.series is not None:
        part = part * np.isin(np.array(trials.series), onset.series)
    values[low:high] += part
