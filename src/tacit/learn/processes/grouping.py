"""Which series share courses: as told, by cutting space, or by growing groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tacit.arrays import Ints
from tacit.core.errors import OptionError, listed, quoted
from tacit.core.trials import Trials
from tacit.estimate.processes.moments import Layout, ProcessMoments
from tacit.learn.processes.alternating import Effort, quick
from tacit.learn.processes.merging import Merge, merged
from tacit.learn.processes.settings import HiddenProcesses, Merging, Partition, Share
from tacit.learn.processes.splitting import Cell, cuts_of, partition, regions_of
from tacit.learn.processes.validation import Book, Judge, shared_scores

Groups: TypeAlias = tuple[tuple[str, Ints], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """Groups by name, and the search that found them."""

    groups: Groups
    cells: tuple[Cell, ...] = ()
    merges: tuple[Merge, ...] = ()


def told_groups(share: Share, trials: Trials) -> Groups:
    """Groups that need no search; no group at all where nothing is shared."""
    if isinstance(share, Mapping):
        return _named(share, trials)
    if share == "none":
        return ()
    if share == "regions":
        if trials.regions is None:
            raise OptionError(
                "share='regions' needs regions: give tc.read_trials places with a column 'region'"
            )
        return tuple(regions_of(trials).items())
    return (("all", np.arange(len(trials.series))),)


def _named(share: Mapping[str, object], trials: Trials) -> Groups:
    groups, home = [], dict[str, str]()
    for name, series in share.items():
        assert isinstance(series, tuple)
        for each in series:
            if each in home:
                raise OptionError(
                    f"the series {each!r} is in two groups, {quoted(home[each])} and {quoted(name)}"
                )
            home[each] = name
        if not series:
            raise OptionError(f"the group {quoted(name)} has no series")
        groups.append((name, np.sort(trials.positions(series))))
    lost = [each for each in trials.series if each not in home]
    if lost:
        raise OptionError(
            f"share leaves out {len(lost):,} series: {listed(map(quoted, lost), 6)}"
            "\n\nput every series into a group; one by itself is a group of one"
        )
    return tuple(groups)


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """All that a search for groups needs.

    parts   the moments of the folds
    ended   whether someone asked for the end
    """

    told: HiddenProcesses
    trials: Trials
    layout: Layout
    effort: Effort
    parts: ProcessMoments
    book: Book
    ended: Callable[[], bool]

    def whole(self, told: Callable[[int, int], None]) -> Grouped:
        """The groups that all folds choose."""
        return self._groups(self.parts, "all", told)

    def _groups(
        self, parts: ProcessMoments, name: str, told: Callable[[int, int], None]
    ) -> Grouped:
        judge = Judge(parts, self.trials.series, self.layout, self.effort, self.book, name)
        share = self.told.share
        if isinstance(share, Partition):
            cells = partition(share, self.trials, judge, self.ended)
            return Grouped(_leaves(cells), cells)
        assert isinstance(share, Merging)
        cells = ()
        start = [np.array([at]) for at in range(len(self.trials.series))]
        if share.start is not None:
            cells = partition(share.start, self.trials, judge, self.ended)
            start = [series for _, series in _leaves(cells)]
        found = merged(judge, start, share.neighbours, share.slack, self.ended, told)
        groups = tuple((str(at), np.array(each)) for at, each in enumerate(found.groups, 1))
        return Grouped(groups, cells, found.merges)

    def held_out(self, fold: int) -> float:
        """The score of a fold under groups and courses that only the other folds chose."""
        others = np.flatnonzero(np.arange(self.parts.squares.shape[0]) != fold)
        inner = self.parts.batch(others)
        groups = self._groups(inner, f"without {fold + 1}", lambda _done, _of: None).groups
        held = self.parts.batch(np.array([fold]))
        return scored(inner.total(), held, groups, self.layout, self.effort)


def scored(
    left: ProcessMoments,
    held: ProcessMoments,
    groups: Groups,
    layout: Layout,
    effort: Effort,
) -> float:
    """The log-likelihood of held-out measurements under groups fitted to what is left."""
    total = 0.0
    for _, series in groups:
        found = quick(left.take(series), layout, effort)
        total += float(shared_scores(held.take(series), found, layout).sum())
    return total


def check_search(share: Share, trials: Trials, folds: int) -> None:
    """Nothing, or an error about a search that cannot be: before anything is computed."""
    if not isinstance(share, Partition | Merging):
        return
    first = share if isinstance(share, Partition) else share.start
    if first is not None:
        cuts_of(first, trials)
    if folds < 2:
        raise OptionError(
            "groups are chosen by how well they predict held-out trials: folds= must be 2 or more, "
            f"and there must be as many trials; there {'is' if len(trials) == 1 else 'are'} "
            f"{len(trials)}"
        )


def _leaves(cells: tuple[Cell, ...]) -> Groups:
    return tuple((leaf.name, np.array(leaf.series)) for cell in cells for leaf in cell.leaves())
