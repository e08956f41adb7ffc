"""Groups by cutting space: cells are cut as long as that predicts held-out trials better."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import OptionError, quoted
from tacit.core.grid import counted
from tacit.core.trials import Trials
from tacit.learn.processes.settings import Partition
from tacit.learn.processes.validation import Judge

Ended = Callable[[], bool]
"""Whether someone asked for the end."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of space and the series in it.

    alone     the cross-validated log-likelihood of one shared fit to it
    apart     that of the best way to cut it that was looked at; None if it cannot be cut
    children  the cells that it was cut into; empty if it is a group
    why       why it was not cut further; empty if it was
    """

    name: str
    series: tuple[int, ...]
    alone: float
    apart: float | None
    children: tuple[Cell, ...] = ()
    why: str = ""

    def leaves(self) -> Iterator[Cell]:
        """The groups."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()

    def to_plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "name": self.name,
            "series": list(self.series),
            "alone": self.alone,
            "apart": self.apart,
            "children": [child.to_plain() for child in self.children],
            "why": self.why,
        }


WHOLE = "it cannot be cut"
WORSE = "cutting it predicts held-out trials worse"
ASKED = "interrupted"


def cut(places: Floats, series: Ints, cuts: tuple[int, ...]) -> list[Ints]:
    """The series in each cell of their bounding box, cut by evenly spaced planes, empty ones aside.

    A series on a plane belongs to the cell above it. [Alg 8.3.1 step 3]
    """
    where = places[series]
    low, high = where.min(axis=0), where.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    parts = np.array(cuts)
    cell = np.minimum((parts * ((where - low) / width)).astype(np.int64), parts - 1)
    return [
        series[inside]
        for at in product(*map(range, cuts))
        if (inside := (cell == np.array(at)).all(axis=1)).any()
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Cutter:
    """A search for cells.

    While a cell is open, b, what its children are worth together, is held against a, what it is
    worth as it is; b < a makes it a group, else its children are open. A cell of one series, or
    whose children are itself, is a group. [Alg 8.3.1; the last rule and ties by erratum 27]

    With `look_ahead` above 0 a child is worth the best of so many further levels of cuts.
    """

    places: Floats
    cuts: tuple[int, ...]
    look_ahead: int
    judge: Judge
    ended: Ended

    def cells(self, name: str, series: Ints) -> Cell:
        """The cells below this one."""
        alone = self.judge.score(series)
        children = self._children(series)
        if len(children) < 2:
            return Cell(name, tuple(series.tolist()), alone, None, (), WHOLE)
        if self.ended():
            return Cell(name, tuple(series.tolist()), alone, None, (), ASKED)
        apart = sum(self._worth(child, self.look_ahead) for child in children)
        if apart < alone:
            return Cell(name, tuple(series.tolist()), alone, apart, (), WORSE)
        below = tuple(self.cells(f"{name}.{at}", child) for at, child in enumerate(children, 1))
        return Cell(name, tuple(series.tolist()), alone, apart, below)

    def _children(self, series: Ints) -> list[Ints]:
        return cut(self.places, series, self.cuts) if series.size > 1 else [series]

    def _worth(self, series: Ints, levels: int) -> float:
        alone = self.judge.score(series)
        children = self._children(series)
        if not levels or len(children) < 2 or self.ended():
            return alone
        return max(alone, sum(self._worth(child, levels - 1) for child in children))


def regions_of(trials: Trials) -> dict[str, Ints]:
    """The series of every region; all of them where nobody said."""
    if trials.regions is None:
        return {"all": np.arange(len(trials.series))}
    names = np.array(trials.regions)
    return {name: np.flatnonzero(names == name) for name in sorted(set(trials.regions))}


def cuts_of(told: Partition, trials: Trials) -> tuple[int, ...]:
    """Into how many parts each axis is cut; an error where series have no places."""
    if trials.places is None or np.isnan(trials.places).any():
        lost = "" if trials.places is None else _first_lost(trials, trials.places)
        raise OptionError(
            f"a partition cuts space, and {lost or 'nobody said where the series were measured'}"
            "\n\ngive places to tc.read_trials (--places on the command line), or let groups grow "
            "by share=tc.Merging(), which needs none"
        )
    axes = trials.places.shape[1]
    cuts = told.cuts if told.cuts is not None else (2,) * axes
    if len(cuts) != axes:
        raise OptionError(
            f"cuts={cuts} has {counted(len(cuts), 'number')}, one per axis; places have {axes}"
        )
    return cuts


def _first_lost(trials: Trials, places: Floats) -> str:
    at = int(np.flatnonzero(np.isnan(places).any(axis=1))[0])
    return f"the series {quoted(trials.series[at])} has no place"


def partition(told: Partition, trials: Trials, judge: Judge, ended: Ended) -> tuple[Cell, ...]:
    """The cells of every region."""
    assert trials.places is not None
    cutter = Cutter(trials.places, cuts_of(told, trials), told.look_ahead, judge, ended)
    return tuple(cutter.cells(name, series) for name, series in regions_of(trials).items())
