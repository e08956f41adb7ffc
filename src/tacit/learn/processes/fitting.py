"""The one way from trials to hidden processes: bind, group, fit, hold out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tacit.core.interrupts import asked_to_end
from tacit.core.options import check_checkpoint
from tacit.core.trials import Onset, Trials
from tacit.estimate.processes.moments import Placed, ProcessMoments
from tacit.infer.sampling import fresh_seed
from tacit.io.trials import read_trials
from tacit.learn.climb import Climb
from tacit.learn.fits import Stop
from tacit.learn.processes.alternating import Effort
from tacit.learn.processes.bound import Bound, bind, stratified
from tacit.learn.processes.fitted import ProcessFit, ProcessGroup, check_level
from tacit.learn.processes.grouping import Grouped, Search, check_search, scored, told_groups
from tacit.learn.processes.remarks import Done, notes_of
from tacit.learn.processes.settings import HiddenProcesses, Merging, Partition
from tacit.learn.processes.timing import Timing, events, expected, learn_onsets, timed
from tacit.learn.processes.turning import fit_all
from tacit.learn.processes.validation import Book, HeldOut, fold_scores, open_book, own_scores
from tacit.learn.progress import Callback, Report, watched

Folds: TypeAlias = tuple[tuple[str, ...], ...]


def fit_processes(
    told: HiddenProcesses,
    trials: Trials | Any,
    *,
    folds: int | None,
    level: float,
    seed: int | None,
    progress: bool | Callback | None,
    checkpoint: str | Path | None,
    resume: bool,
) -> ProcessFit:
    """What `HiddenProcesses.fit` does."""
    check_checkpoint(checkpoint, resume)
    level, seed = check_level(level), fresh_seed(seed)
    measured = trials if isinstance(trials, Trials) else read_trials(trials)
    bound = bind(told, measured)
    dealt = stratified(bound, folds)
    check_search(told.share, measured, len(dealt))
    task = {
        "trials": measured.fingerprint(),
        "onsets": repr(told.known),
        "settings": told.describe(),
        "folds": [list(fold) for fold in dealt],
    }
    book = open_book(checkpoint, task, resume)
    effort = Effort(told.noise == "own", told.restarts, told.tolerance, told.max_steps)
    with watched(progress, "hidden processes") as report, asked_to_end() as ended:
        try:
            return Work(told, bound, dealt, effort, seed, level, book, report, ended).done()
        finally:
            book.close()


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """One fit from end to end.

    dealt   the trials of every fold; none where nothing is held out
    ended   whether someone asked for the end
    """

    told: HiddenProcesses
    bound: Bound
    dealt: Folds
    effort: Effort
    seed: int
    level: float
    book: Book
    report: Report
    ended: Callable[[], bool]

    def done(self) -> ProcessFit:
        """All of it, in its order; what is asked to end leaves out what can be left out."""
        bound, timing = (
            self.bound,
            self._timed(self.bound.trials.names) if self.bound.open else None,
        )
        if timing is not None and self._searched:
            bound = held_at(bound, timing.iterate)
        parts = bound.by_fold(self.dealt) if self.dealt and not bound.open else None
        grouped = self._grouped(bound, parts)
        if timing is not None and bound.open:
            total = expected(bound, bound.trials.names, timing.iterate.trials)
        else:
            total = bound.moments(bound.trials.names)
        fitted = fit_all(total, bound, grouped.groups, self.effort, self.seed, self.level)
        score = self._score(bound, parts, grouped)
        done = Done(self.told, bound, self.dealt, total, fitted, score, timing is not None)
        return self._put_together(done, grouped, timing)

    @property
    def _searched(self) -> bool:
        return isinstance(self.told.share, Partition | Merging)

    @property
    def _nested(self) -> bool:
        share = self.told.share
        return isinstance(share, Partition | Merging) and share.nested and len(self.dealt) > 2

    def _timed(self, trials: Sequence[str]) -> Climb[Timing]:
        share = "all" if self._searched else self.told.share
        groups = [series for _, series in told_groups(share, self.bound.trials)]

        def heard(_here: Timing, _trace: Sequence[float]) -> None:
            if self.ended():
                raise KeyboardInterrupt

        random = np.random.default_rng(self.seed)
        return learn_onsets(self.bound, trials, groups, self.effort, random, heard)

    def _search(self, bound: Bound, parts: ProcessMoments) -> Search:
        return Search(
            self.told, bound.trials, bound.layout, self.effort, parts, self.book, self.ended
        )

    def _grouped(self, bound: Bound, parts: ProcessMoments | None) -> Grouped:
        if parts is None or not self._searched:
            return Grouped(told_groups(self.told.share, bound.trials))
        return self._search(bound, parts).whole(self.report)

    def _score(
        self, bound: Bound, parts: ProcessMoments | None, grouped: Grouped
    ) -> HeldOut | None:
        """Every fold scored by what the others teach; None if that was broken off."""
        if not self.dealt:
            return None
        scores: list[float] = []
        if parts is not None and not grouped.groups:
            scores = own_scores(parts, bound.layout).tolist()
        elif parts is not None and not self._searched:
            each = [
                fold_scores(parts.take(series), bound.layout, self.effort)
                for _, series in grouped.groups
            ]
            scores = np.sum(each, axis=0).tolist()
        else:
            for fold in range(len(self.dealt)):
                if not self.ended():
                    scores.append(self._fold(bound, parts, grouped, fold))
                    self.report(fold + 1, len(self.dealt))
            if self.ended():
                return None
        return HeldOut(self.dealt, tuple(scores), self._nested or not self._searched)

    def _fold(
        self, bound: Bound, parts: ProcessMoments | None, grouped: Grouped, fold: int
    ) -> float:
        if parts is None:
            return self._fold_of_open(fold)
        if self._nested:
            return self._search(bound, parts).held_out(fold)
        others = np.flatnonzero(np.arange(len(self.dealt)) != fold)
        held = parts.batch(np.array([fold]))
        left = parts.batch(others).total()
        return scored(left, held, grouped.groups, bound.layout, self.effort)

    def _fold_of_open(self, fold: int) -> float:
        """Onsets of held-out trials are summed out; courses come from the others alone."""
        left = [name for at, each in enumerate(self.dealt) if at != fold for name in each]
        learned = self._timed(left).iterate.learned
        return sum(timed(self.bound, name, learned).log_likelihood for name in self.dealt[fold])

    def _put_together(
        self, done: Done, grouped: Grouped, timing: Climb[Timing] | None
    ) -> ProcessFit:
        bound, fitted, trials = done.bound, done.fitted, done.bound.trials
        stop, trace = _course(fitted.groups, timing)
        still_open = timing is not None and bound.open
        return ProcessFit(
            processes=dict(zip(bound.names, bound.layout.lengths, strict=True)),
            groups=fitted.groups,
            series=trials.series,
            onsets=self.told.known,
            found=() if timing is None else tuple(_found(self.bound, timing.iterate)),
            score=done.score,
            cells=grouped.cells,
            merges=tuple(
                (_names(trials, each.one), _names(trials, each.other), each.gain)
                for each in grouped.merges
            ),
            log_likelihood=timing.iterate.objective
            if timing is not None and still_open
            else fitted.log_likelihood,
            parameters=fitted.parameters,
            measurements=trials.measurements,
            missing=trials.missing,
            trials=trials.names,
            step=trials.step,
            level=self.level,
            factor=fitted.factor,
            stop=Stop.INTERRUPTED if self.ended() else stop,
            trace=trace,
            settings={
                **self.told.describe(), "folds": len(self.dealt),
                **({"onsets_file": self.told.file} if self.told.file else {}),
            },
            seed=self.seed,
            notes=tuple(notes_of(done)),
            fingerprint=trials.fingerprint(),
            source=trials.source,
            places=trials.places,
            regions=trials.regions,
            reading=trials.reading,
        )  # fmt: skip


def _names(trials: Trials, at: Sequence[int]) -> tuple[str, ...]:
    return tuple(trials.series[each] for each in at)


def _course(
    groups: Sequence[ProcessGroup], timing: Climb[Timing] | None
) -> tuple[Stop, tuple[float, ...]]:
    """Why it all ended, and the objective step by step where there is one climb to tell of."""
    if timing is not None:
        return timing.stop, timing.trace
    order = (Stop.INTERRUPTED, Stop.STEP_LIMIT, Stop.CONVERGED, Stop.CLOSED_FORM)
    stops = {group.stop for group in groups}
    stop = next(each for each in order if each in stops)
    return stop, groups[0].trace if len(groups) == 1 else ()


def _found(bound: Bound, timing: Timing) -> Iterator[tuple[Onset, float]]:
    """The most probable time of every onset that was open, with its probability."""
    trials = bound.trials
    for trial, each in zip(trials.names, timing.trials, strict=True):
        for column, event in enumerate(events(bound, trial)):
            if event.starts.size > 1:
                chances = np.array(
                    [each.chances[each.ways[:, column] == start].sum() for start in event.starts]
                )
                best = int(np.argmax(chances))
                time = trials.first[trial] + trials.step * int(event.starts[best])
                yield Onset(bound.names[event.process], trial, time), float(chances[best])


def held_at(bound: Bound, timing: Timing) -> Bound:
    """The same trials with every open onset at its most probable time."""
    known = {}
    for trial, each in zip(bound.trials.names, timing.trials, strict=True):
        best = each.ways[int(np.argmax(each.chances))]
        known[trial] = tuple(
            Placed(event.process, int(start), 1.0, event.acts)
            for event, start in zip(events(bound, trial), best, strict=True)
        )
    return replace(bound, known=known, windows=dict.fromkeys(known, ()))
