"""Onsets that nobody knows: their posterior, given courses, and courses, given that. EM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import SizeError, quoted
from tacit.estimate.processes.moments import (
    Layout,
    Pair,
    Placed,
    ProcessMoments,
    trial_moments,
)
from tacit.learn.climb import Climb, climb
from tacit.learn.processes.alternating import Effort
from tacit.learn.processes.bound import Bound, Window
from tacit.learn.processes.sharing import Learned, relearned

MOST = 20_000
"""Ways in which the processes of one trial may start together."""
UNLIKELY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """What is known of the onsets in one trial.

    ways            (ways, processes) the measurement at which each process of the trial starts
    chances         (ways,) their posterior probabilities
    log_likelihood  of the trial, onsets summed out, in nats
    """

    ways: Ints
    chances: Floats
    log_likelihood: float


@dataclass(frozen=True, slots=True, eq=False)
class Timing:
    """An iterate of EM: what was learned, the onsets given that, and the log-likelihood there."""

    learned: Learned
    trials: tuple[Timed, ...]
    objective: float


def events(bound: Bound, trial: str) -> list[Window]:
    """All processes of a trial; a known onset is a window of one measurement."""
    return [
        *(
            Window(one.process, np.array([one.start]), np.zeros(1), one.acts)
            for one in bound.known[trial]
        ),
        *bound.windows[trial],
    ]


def ways_of(bound: Bound, trial: str) -> Ints:
    """(ways, processes) all ways in which the processes of a trial may start."""
    starts = [each.starts for each in events(bound, trial)]
    many = int(np.prod([each.size for each in starts], dtype=np.float64))
    if many > MOST:
        raise SizeError(
            f"the processes of trial {quoted(trial)} may start in {many:,} ways; the most is "
            f"{MOST:,}\n\nmake windows narrower, or leave fewer onsets open"
        )
    grids = np.meshgrid(*[np.arange(each.size) for each in starts], indexing="ij")
    if not grids:
        return np.zeros((1, 0), dtype=np.int64)
    return np.stack([grid.reshape(-1) for grid in grids], axis=1)


def timed(bound: Bound, trial: str, learned: Learned) -> Timed:
    """The posterior of the onsets in a trial, and its log-likelihood.

    log P(x, way) is quadratic in the responses of the processes: their products with the
    measurements and with each other are taken once per onset, not once per way.
    """
    every, ways = events(bound, trial), ways_of(bound, trial)
    values = bound.trials[trial]
    there = ~np.isnan(values)
    filled = np.where(there, values, 0.0)
    weights = there / learned.variances
    at, shown = _shown(bound.layout, every, learned.courses, values.shape)
    many = there.sum(axis=0)
    if bound.centred:
        filled = there * (filled - filled.sum(axis=0) / np.maximum(many, 1))
        shown = shown - ((shown * there).sum(axis=1) / np.maximum(many, 1))[:, None]
        many = many - (many > 0)
    flat = shown.reshape(shown.shape[0], filled.size)
    weighted = flat * weights.reshape(-1)
    linear, squares = weighted @ filled.reshape(-1), weighted @ flat.T
    base = -0.5 * float((many * np.log(2 * np.pi * learned.variances)).sum())
    base -= 0.5 * float((weights * filled**2).sum())
    scores = np.full(ways.shape[0], base)
    for one, event in enumerate(every):
        here = at[one] + ways[:, one]
        scores += event.prior[ways[:, one]] + linear[here]
        for other in range(len(every)):
            scores -= 0.5 * squares[here, at[other] + ways[:, other]]
    total = float(np.logaddexp.reduce(scores))
    starts = np.stack(
        [event.starts[ways[:, one]] for one, event in enumerate(every)], axis=1
    ) if every else ways  # fmt: skip
    return Timed(starts, np.exp(scores - total), total)


def _shown(
    layout: Layout, every: Sequence[Window], courses: Floats, shape: tuple[int, int]
) -> tuple[list[int], Floats]:
    """What every process shows for every onset it may have: (onsets, times, series)."""
    at, shown = [], np.zeros((sum(each.starts.size for each in every), *shape))
    row = 0
    for event in every:
        at.append(row)
        course = courses[layout.block(event.process)]
        if event.acts is not None:
            course = course * event.acts
        for start in event.starts:
            low, high = max(int(start), 0), min(int(start) + len(course), shape[0])
            if low < high:
                shown[row, low:high] = course[low - start : high - start]
            row += 1
    return at, shown


def expected(bound: Bound, trials: Sequence[str], known: Sequence[Timed]) -> ProcessMoments:
    """The expected evidence of trials under the posterior of their onsets."""
    total: ProcessMoments | None = None
    for trial, each in zip(trials, known, strict=True):
        singles, pairs = _marginals(events(bound, trial), each)
        values = bound.trials[trial]
        one = trial_moments(bound.layout, bound.pattern, values, singles, pairs, bound.centred)
        total = one if total is None else total + one
    assert total is not None
    return total


def _marginals(every: Sequence[Window], known: Timed) -> tuple[list[Placed], list[Pair]]:
    singles: list[Placed] = []
    pairs: list[Pair] = []
    for one, event in enumerate(every):
        for (start,), chance in _grouped(known.ways[:, [one]], known.chances):
            singles.append(Placed(event.process, start, chance, event.acts))
        for other, second in enumerate(every):
            if one == other:
                continue
            for (start, then), chance in _grouped(known.ways[:, [one, other]], known.chances):
                first = Placed(event.process, start, 1.0, event.acts)
                pairs.append((first, Placed(second.process, then, 1.0, second.acts), chance))
    return singles, pairs


def _grouped(ways: Ints, chances: Floats) -> list[tuple[tuple[int, ...], float]]:
    likely = chances > UNLIKELY
    unique, place = np.unique(ways[likely], axis=0, return_inverse=True)
    sums = np.bincount(place.reshape(-1), weights=chances[likely])
    return [(tuple(map(int, way)), float(chance)) for way, chance in zip(unique, sums, strict=True)]


def at_times(bound: Bound, trial: str, choose: Callable[[Window], int | None]) -> Timed:
    """A start of EM: the onsets chosen, or all that a window allows by their prior (None)."""
    every, ways = events(bound, trial), ways_of(bound, trial)
    chances = np.ones(ways.shape[0])
    for one, event in enumerate(every):
        chosen = choose(event)
        if chosen is None:
            chances *= np.exp(event.prior)[ways[:, one]]
        else:
            chances *= ways[:, one] == chosen
    starts = np.stack(
        [event.starts[ways[:, one]] for one, event in enumerate(every)], axis=1
    ) if every else ways  # fmt: skip
    return Timed(starts, chances / chances.sum(), float("-inf"))


def most_likely(window: Window) -> int:
    """Where its prior says that it starts."""
    return int(np.argmax(window.prior))


def learn_onsets(
    bound: Bound,
    trials: Sequence[str],
    groups: Sequence[Ints],
    effort: Effort,
    random: np.random.Generator,
    told: Callable[[Timing, Sequence[float]], None] | None = None,
) -> Climb[Timing]:
    """maximise  Σ_trials log Σ_onsets P(onsets) P(trial | onsets, courses, scales, variances).

    EM: the posterior of the onsets of each trial, then alternating least squares on the evidence
    it expects; neither lowers the log-likelihood. It starts from the most probable onsets, from all
    of them by their prior, and from onsets at random; the best of these is kept. [beyond Sec. 6.3,
    which takes onsets for known]
    """

    def at(learned: Learned) -> Timing:
        each = tuple(timed(bound, trial, learned) for trial in trials)
        return Timing(learned, each, sum(one.log_likelihood for one in each))

    def step(here: Timing) -> Timing:
        return at(
            relearned(
                expected(bound, trials, here.trials), bound.layout, groups, effort, here.learned
            )
        )

    def drawn(window: Window) -> int:
        return int(random.choice(window.starts.size, p=np.exp(window.prior)))

    choices: list[Callable[[Window], int | None]] = [most_likely, lambda _: None]
    choices += [drawn] * effort.restarts
    runs: list[Climb[Timing]] = []
    for choose in choices:
        begun = expected(bound, trials, [at_times(bound, trial, choose) for trial in trials])
        first = at(relearned(begun, bound.layout, groups, effort, None))
        runs.append(
            climb(step, first, tolerance=effort.tolerance, max_steps=effort.max_steps, told=told)
        )
    return max(runs, key=lambda run: run.iterate.objective)
