"""What the reader of a fit of hidden processes should know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacit.core.errors import quoted
from tacit.core.grid import counted
from tacit.estimate.processes.moments import ProcessMoments
from tacit.estimate.processes.solving import rank
from tacit.estimate.processes.steps import rounding
from tacit.learn.fits import Stop
from tacit.learn.processes.bound import Bound
from tacit.learn.processes.settings import HiddenProcesses, Merging, Partition
from tacit.learn.processes.turning import Fitted, unused
from tacit.learn.processes.validation import HeldOut

HOPELESS = 1e4
"""Nats per measurement below which a fold was scored by a variance that is only rounding."""
UNEVEN = 10.0
"""How many times larger the noise of one series may be than that of another without a note."""


@dataclass(frozen=True, slots=True, eq=False)
class Done:
    """What was done.

    dealt   the trials of every fold
    timed   whether onsets were open
    """

    told: HiddenProcesses
    bound: Bound
    dealt: tuple[tuple[str, ...], ...]
    total: ProcessMoments
    fitted: Fitted
    score: HeldOut | None
    timed: bool


def notes_of(done: Done) -> Iterator[str]:
    """Notes, the plain ones first."""
    yield from done.bound.notes
    yield from _about_courses(done)
    yield from _about_noise(done)
    yield from _about_scores(done)
    if done.timed:
        yield from _about_onsets(done.told)
    stopped = sum(group.stop is Stop.STEP_LIMIT for group in done.fitted.groups)
    if stopped:
        yield f"{counted(stopped, 'group')} reached the step limit; raise max_steps"


def _about_courses(done: Done) -> Iterator[str]:
    bound, total = done.bound, done.total
    gram = total.gram[0].sum(axis=0)
    seen = np.diag(gram) > 0
    for name, block in zip(bound.names, bound.layout.blocks, strict=True):
        lost = int(np.count_nonzero(~seen[block]))
        if 0 < lost < seen[block].size:
            yield (
                f"{lost} of the {seen[block].size} measurements of {quoted(name)} fall into no "
                "trial; the course stands at 0 there"
            )
    free = int(seen.sum()) - rank(gram)
    if free:
        yield (
            f"the courses are not told apart in {counted(free, 'direction')}: processes that "
            "always start together, or at the same distance, cannot be; the smallest courses "
            "that fit are given"
        )


def _about_noise(done: Done) -> Iterator[str]:
    bound, total, fitted = done.bound, done.total, done.fitted
    empty = unused(bound.trials)
    if empty:
        yield f"{empty} of the series have no measurement at all"
    exact = int(np.count_nonzero(fitted.left <= rounding(total)[0])) - empty
    if exact > 0:
        yield (
            f"the processes leave nothing of {exact} of the series but rounding; log-likelihoods "
            "say nothing there"
        )
    shared = done.told.share != "none" and done.told.noise == "common"
    sizes = np.sqrt(fitted.left[fitted.left > 0])
    if shared and sizes.size > 1:
        low, high = np.quantile(sizes, [0.05, 0.95])
        if high > UNEVEN * low:
            yield (
                f"what is left differs {high / low:.0f}-fold between series, which are held to "
                "have one variance per group; noise='own' gives each its own"
            )


def _about_scores(done: Done) -> Iterator[str]:
    share, score = done.told.share, done.score
    if score is None:
        if done.dealt:
            yield "interrupted before all folds were held out, so there is no held-out score"
        return
    if isinstance(share, Partition | Merging) and not score.nested:
        few = "" if not share.nested else "; to choose them inside takes 3 folds or more"
        yield f"the held-out score is too good: groups were chosen on the same trials{few}"
    if min(score.scores) < -HOPELESS * done.bound.trials.measurements:
        yield (
            "some folds were learned without any remainder, so what they hold out looks impossible;"
            " take fewer folds, or let more series share"
        )
    shortest = min(len(done.bound.trials) - len(fold) for fold in done.dealt)
    if shortest < 3:
        yield f"folds leave {counted(shortest, 'trial')} to learn from; scores are rough"


def _about_onsets(told: HiddenProcesses) -> Iterator[str]:
    if isinstance(told.share, Partition | Merging):
        yield (
            "open onsets were found with one group of all series, and then held while groups were "
            "looked for; held-out scores take them for known"
        )
    certain = {each.process for each in told.known if each.known}
    loose = {each.process for each in told.known if not each.known and each.sd == float("inf")}
    for name in sorted(loose - certain):
        yield (
            f"no onset of {quoted(name)} is known or expected: a course that begins later with "
            "onsets that are earlier would fit as well, window edges aside"
        )
