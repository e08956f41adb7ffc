"""Processes bound to trials: names become positions, times become places on the grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import CasesError, OptionError, SizeError, listed, nearest, quoted
from tacit.core.grid import counted
from tacit.core.trials import Onset, Trials
from tacit.engines.scales import check_scale
from tacit.estimate.processes.moments import (
    Layout,
    Placed,
    ProcessMoments,
    pairs_of,
    patterns_of,
    stacked,
    trial_moments,
)
from tacit.io.states import natural_order
from tacit.learn.processes.settings import HiddenProcesses

LARGEST = 2**28
"""Numbers that the grams of all patterns of series may have together."""
FARTHEST = 1_000_000
"""Measurements from the begin of its trial at which a process may start."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A process whose onset is open.

    starts  (times,) the measurements at which it may start
    prior   (times,) log probabilities of them
    acts    as in `Placed`
    """

    process: int
    starts: Ints
    prior: Floats
    acts: Bools | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """Trials, and per trial the processes that start in it.

    names    of the processes, in the order of the layout
    pattern  (series,) which series miss the same measurements and show the same processes
    known    per trial what starts at a known time; windows: what starts at an open one
    centred  whether every series has a level of its own in every trial
    """

    trials: Trials
    names: tuple[str, ...]
    layout: Layout
    pattern: Ints
    known: Mapping[str, tuple[Placed, ...]]
    windows: Mapping[str, tuple[Window, ...]]
    notes: tuple[str, ...]
    centred: bool = False

    @property
    def open(self) -> bool:
        """Whether any onset is."""
        return any(self.windows.values())

    def moments(self, trials: Iterable[str]) -> ProcessMoments:
        """The evidence of some trials whose onsets are all known."""
        total: ProcessMoments | None = None
        for name in trials:
            placed = self.known[name]
            one = trial_moments(
                self.layout,
                self.pattern,
                self.trials[name],
                placed,
                pairs_of(placed),
                self.centred,
            )
            total = one if total is None else total + one
        assert total is not None
        return total

    def by_fold(self, folds: tuple[tuple[str, ...], ...]) -> ProcessMoments:
        """The evidence of every fold, as a batch."""
        return stacked([self.moments(fold) for fold in folds])

    def conditions(self) -> dict[str, tuple[tuple[int, int, int], ...]]:
        """Per trial what tells it from trials in which processes start otherwise."""
        return {
            name: tuple(
                sorted(
                    [(one.process, one.start, one.start) for one in self.known[name]]
                    + [(w.process, int(w.starts[0]), int(w.starts[-1])) for w in self.windows[name]]
                )
            )
            for name in self.trials.names
        }


def bind(told: HiddenProcesses, trials: Trials) -> Bound:
    """The processes in these trials, or an error about an onset that cannot be."""
    assert isinstance(told.lengths, Mapping)
    largest = [np.fmax.reduce(np.abs(array), axis=0) for array in trials.values.values()]
    for series, values in zip(trials.series, np.stack(largest, axis=1), strict=True):
        check_scale(series, values)
    if all(np.isnan(array).all() for array in trials.values.values()):
        raise CasesError("every measurement is missing, so there is nothing to learn from")
    names = tuple(told.lengths)
    layout = Layout(tuple(told.lengths.values()))
    known: dict[str, list[Placed]] = {name: [] for name in trials.names}
    windows: dict[str, list[Window]] = {name: [] for name in trials.names}
    taken: set[tuple[object, ...]] = set()
    for onset in told.known:
        if onset.trial not in known:
            raise CasesError(
                f"an onset of {quoted(onset.process)} names the trial {onset.trial!r}, "
                f"which was not measured{nearest(onset.trial, known)}"
                f"\n\ntrials: {listed(map(quoted, trials.names))}"
            )
        key = (onset.process, onset.trial, onset.earliest, onset.latest, onset.series)
        if key in taken:
            raise CasesError(
                f"{quoted(onset.process)} starts twice at {onset.time:g} in trial "
                f"{quoted(onset.trial)}"
            )
        taken.add(key)
        _check_near(onset, trials)
        process, acts = names.index(onset.process), _acts(onset, trials)
        if onset.known:
            known[onset.trial].append(Placed(process, _start(onset, trials), 1.0, acts))
        else:
            windows[onset.trial].append(Window(process, *_open(onset, trials), acts))
    every: list[Placed | Window] = [one for ones in known.values() for one in ones]
    every += [one for ones in windows.values() for one in ones]
    acting = [one.acts for one in every if one.acts is not None]
    pattern = patterns_of([np.isnan(array) for array in trials.values.values()], acting)
    if (int(pattern.max()) + 1) * layout.size**2 > LARGEST:
        raise SizeError(
            f"{int(pattern.max()) + 1:,} series miss different measurements, and with courses of "
            f"{layout.size} measurements that is more than can be kept\n\nfit fewer series at a "
            "time, or shorter processes"
        )
    return Bound(
        trials,
        names,
        layout,
        pattern,
        {name: tuple(placed) for name, placed in known.items()},
        {name: tuple(each) for name, each in windows.items()},
        tuple(_notes(names, layout, trials, known, windows)),
        told.baseline == "trial",
    )


def _acts(onset: Onset, trials: Trials) -> Bools | None:
    if onset.series is None:
        return None
    acts = np.zeros(len(trials.series), dtype=np.bool_)
    acts[trials.positions(onset.series)] = True
    return acts


def _check_near(onset: Onset, trials: Trials) -> None:
    """Nothing, or an error about an onset that is beyond all counting away from its trial."""
    for time in (onset.earliest, onset.latest):
        if abs(time - trials.first[onset.trial]) > FARTHEST * trials.step:
            raise CasesError(
                f"{quoted(onset.process)} starts at {time:g} in trial {quoted(onset.trial)}, more "
                f"than {FARTHEST:,} measurements away from it"
            )


def _start(onset: Onset, trials: Trials) -> int:
    at = trials.index(onset.trial, onset.time)
    if at is None:
        raise CasesError(
            f"{quoted(onset.process)} starts at {onset.time:g} in trial {quoted(onset.trial)}, "
            f"between two measurements: they are {trials.step:g} apart, from "
            f"{trials.first[onset.trial]:g} on"
        )
    return at


def _open(onset: Onset, trials: Trials) -> tuple[Ints, Floats]:
    """The measurements in a window, and the log prior of each."""
    first, step = trials.first[onset.trial], trials.step
    low, high = (onset.earliest - first) / step, (onset.latest - first) / step
    starts = np.arange(int(np.ceil(low - 1e-6)), int(np.floor(high + 1e-6)) + 1)
    if not starts.size:
        raise CasesError(
            f"no measurement lies between {onset.earliest:g} and {onset.latest:g}, where "
            f"{quoted(onset.process)} is to start in trial {quoted(onset.trial)}"
        )
    away = (first + step * starts - onset.time) / onset.sd
    prior = -0.5 * away**2
    return starts.astype(np.int64), prior - np.logaddexp.reduce(prior)


def _notes(
    names: tuple[str, ...],
    layout: Layout,
    trials: Trials,
    known: Mapping[str, list[Placed]],
    windows: Mapping[str, list[Window]],
) -> Iterable[str]:
    yield from trials.notes
    if trials.missing:
        yield f"{counted(trials.missing, 'measurement')} missing; all others were used"
    silent = [name for name in trials.names if not known[name] and not windows[name]]
    if silent:
        yield (
            f"no process starts in {counted(len(silent), 'trial')} ({listed(silent, 4)}); they "
            "tell about the noise only"
        )
    outside = sum(
        one.start >= len(trials[name]) or one.start + layout.lengths[one.process] <= 0
        for name, placed in known.items()
        for one in placed
    )
    if outside:
        yield f"{counted(outside, 'onset')} so far outside of its trial that nothing of it is seen"
    used = {one.process for ones in known.values() for one in ones}
    used |= {one.process for ones in windows.values() for one in ones}
    for process, name in enumerate(names):
        if process not in used:
            yield f"{quoted(name)} starts in no trial; its course is unknown and stands at 0"


def stratified(bound: Bound, folds: int | None) -> tuple[tuple[str, ...], ...]:
    """The trials of every fold: those of each condition are dealt out in turn. [Alg 8.3.1]

    Trials are taken in the natural order of their names, so the order in which they are given
    changes nothing.
    """
    conditions = bound.conditions()
    groups: dict[tuple[tuple[int, int, int], ...], list[str]] = {}
    for name in natural_order(bound.trials.names):
        groups.setdefault(conditions[name], []).append(name)
    rarest = min(map(len, groups.values()))
    if folds is None:
        several = min(10, len(bound.trials))
        folds = min(20, rarest) if rarest > 1 else several if several > 1 else 0
    if not isinstance(folds, int) or isinstance(folds, bool) or folds < 0 or folds == 1:
        raise OptionError(f"folds={folds!r} must be a whole number, 2 or more, or 0 for none")
    if folds > len(bound.trials):
        raise OptionError(
            f"{counted(len(bound.trials), 'trial')} cannot be split into {folds} folds"
        )
    dealt: list[list[str]] = [[] for _ in range(folds)]
    if folds:
        for at, name in enumerate(name for key in sorted(groups, key=repr) for name in groups[key]):
            dealt[at % folds].append(name)
    return tuple(map(tuple, dealt))
