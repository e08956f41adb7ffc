"""Draws from posteriors under rules, many blocks at once.

Every block is drawn by itself: a Dirichlet on a tree of splits by its gammas, everything else along
chords. The draws of a block depend on the seed and on its cells, not on threads or other blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from tacit.arrays import Ints
from tacit.core.interrupts import Asked, asked_to_end
from tacit.estimate.bayes.chains import Chains, Summary, summary, thinned
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Draws, Sampling
from tacit.estimate.bayes.page import Page, per_chain
from tacit.estimate.bayes.ways import Problem, chains_of
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.polytope import Interior, relative_interior

Told: TypeAlias = Callable[[int, int], None]
Each: TypeAlias = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]

_AGREED = 1.1
"""Chains whose R-hat is above this have not met yet, and what they did is forgotten."""
_MORE = 1.1
"""Sweeps beyond those that the error so far asks for."""
_AT_ONCE = 8_000_000
"""Numbers that are held a second time while chains go on."""


def sample(
    blocks: Blocks,
    which: Ints,
    density: Density,
    settings: Sampling,
    seed: int,
    *,
    threads: int = 1,
    inside: Interior | None = None,
    told: Told | None = None,
) -> Draws:
    """Draws of the cells of these blocks from the density held to the rules.

    inside  what the rules force, if that is known already
    told    called with the number of blocks that are done and of all, after every round

    An interrupt from the keyboard returns the draws so far, not settled, once every block has some.
    """
    found = inside if inside is not None else relative_interior(blocks)
    problem = Problem(blocks, density, settings, seed, found)
    page = Page.of(blocks, settings)
    settled, begun = False, False
    with asked_to_end() as asked, _workers(threads) as each:
        say = _Counter(len(which), told, asked)
        try:
            groups = [_begin(problem, page, group, each) for group in _groups(problem, which)]
            begun = True
            ended = [_finish(problem, page, runs, each, say) for runs in groups]
            settled = all(ended)
        except KeyboardInterrupt:
            if not begun:
                raise
    return page.draws(settled=settled)


@dataclass(slots=True)
class _Counter:
    """Blocks that are done, told to whoever listens; the place where an interrupt is heeded."""

    total: int
    told: Told | None
    asked: Asked
    done: int = 0

    def more(self, blocks: int) -> None:
        self.done += blocks
        if self.told is not None:
            self.told(self.done, self.total)
        if self.asked():
            raise KeyboardInterrupt


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """The chains of a block on their way.

    spent  sweeps of every chain since it warmed up, those forgotten too
    """

    number: int
    chains: Chains
    told: Summary
    spent: int

    def missing(self, settings: Sampling) -> int:
        """Sweeps that every chain should go on for; 0 where it is done."""
        left = settings.most - self.spent
        if settings.precision is None or left <= 0 or self.good(settings):
            return 0
        if not self.agreed:
            return min(2 * self.spent, left)
        made = int(self.chains.record.tally[0, 0])
        wanted = _MORE * made * (self.told.error.max(initial=0.0) / settings.precision) ** 2
        return min(int(np.clip(wanted - made, 0.1 * made, 5.0 * made)) + 1, left)

    @property
    def agreed(self) -> bool:
        """Whether all chains are in the same places."""
        return bool(self.told.rhat.max(initial=1.0) <= _AGREED)

    def good(self, settings: Sampling) -> bool:
        """Whether the wished precision is reached."""
        error = self.told.error.max(initial=0.0)
        return self.agreed and (settings.precision is None or bool(error <= settings.precision))


@contextmanager
def _workers(threads: int) -> Iterator[Each]:
    """Something that does a piece of work for each of several things, on so many threads."""
    if threads == 1:
        yield lambda work, things: [work(thing) for thing in things]
        return
    pool: Executor
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield lambda work, things: list(pool.map(work, things))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _groups(problem: Problem, which: Ints) -> list[list[int]]:
    """Blocks whose draws may be held a second time at once."""
    drawn = problem.settings.draws * np.diff(problem.blocks.cell_at)[which]
    group = (np.cumsum(drawn) - 1) // _AT_ONCE
    return [which[group == each].tolist() for each in np.unique(group)]


def _begin(problem: Problem, page: Page, numbers: list[int], each: Each) -> list[_Run]:
    """Warm up, and as many sweeps as draws are kept; the draws go to the page."""
    draws = per_chain(problem.settings)
    ready: list[Chains] = each(lambda number: chains_of(problem, number), numbers)
    told = _go(ready, [draws] * len(ready), each)
    runs = []
    for number, chains, summed in zip(numbers, ready, told, strict=True):
        page.write(number, chains.record.kept, summed, draws)
        light = chains.record._replace(kept=chains.record.kept[:, :0])
        runs.append(_Run(number, chains.recording(light), summed, draws))
    return runs


def _go(ready: Sequence[Chains], sweeps: Sequence[int], each: Each) -> list[Summary]:
    """So many sweeps of all chains of every block, and what they say then."""
    jobs = [
        (chains, chain, many)
        for chains, many in zip(ready, sweeps, strict=True)
        for chain in range(chains.record.tally.shape[0])
    ]
    each(lambda job: job[0].go(job[1], job[2]), jobs)
    return each(summary, ready)


def _finish(problem: Problem, page: Page, runs: list[_Run], each: Each, say: _Counter) -> bool:
    """Go on until the wished precision is reached everywhere; whether it was."""
    settings = problem.settings
    settled = all(run.good(settings) for run in runs if not run.missing(settings))
    going = [_roomy(page, run) for run in runs if run.missing(settings)]
    say.more(len(runs) - len(going))
    while going:
        going = _round(going, settings, each)
        ended = [run for run in going if not run.missing(settings)]
        for run in ended:
            record = run.chains.record
            values = thinned(record, page.values.shape[1])
            page.write(run.number, values, run.told, int(record.tally[0, 0]))
        settled &= all(run.good(settings) for run in ended)
        going = [run for run in going if run.missing(settings)]
        say.more(len(ended))
    return settled


def _roomy(page: Page, run: _Run) -> _Run:
    """The same with room for twice as many draws, and those that the page has."""
    values = page.values[:, :, page.span(run.number)]
    kept = np.concatenate([values, np.empty_like(values)], axis=1)
    return replace(run, chains=run.chains.recording(run.chains.record._replace(kept=kept)))


def _round(going: list[_Run], settings: Sampling, each: Each) -> list[_Run]:
    sweeps = [run.missing(settings) for run in going]
    ready = [run.chains if run.agreed else _forgetful(run.chains) for run in going]
    told = _go(ready, sweeps, each)
    return [
        replace(run, chains=chains, told=summed, spent=run.spent + many)
        for run, chains, summed, many in zip(going, ready, told, sweeps, strict=True)
    ]


def _forgetful(chains: Chains) -> Chains:
    """The same chains with an empty record."""
    from tacit.kernels.records import record_for

    old = chains.record
    return chains.recording(record_for(old.centre, old.tally.shape[0], old.kept.shape[1]))
