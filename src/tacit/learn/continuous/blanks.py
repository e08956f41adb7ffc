"""Incomplete cases of networks with continuous variables, laid out to be completed at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines.scales import check_scales
from tacit.families.conditional_moments import ConditionalMoments
from tacit.infer.flat import Layout, layout_of
from tacit.learn.augmented import times_of

if TYPE_CHECKING:
    from tacit.kernels.refilling import Lines, Tables

Axes = Mapping[str, tuple[Variable, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Counts of tables; weights, sums and products of regressions about a centre."""

    counts: Floats
    weight: Floats
    sums: Floats
    products: Floats

    def copy(self) -> Sums:
        """The same numbers, to be added to."""
        return Sums(self.counts.copy(), self.weight.copy(), self.sums.copy(), self.products.copy())


@dataclass(frozen=True, slots=True, eq=False)
class Blanks:
    """The incomplete cases, one line each, and the sums of the complete ones.

    reals    the continuous variables, in the order of the columns of `values`
    codes    (cases, discrete variables), -1 where missing; `values` likewise with nan
    centre   what sums are taken about: the means of what was seen
    """

    layout: Layout
    reals: tuple[str, ...]
    families: Axes
    tables: Tables
    lines: Lines
    codes: Ints
    values: Floats
    centre: Floats
    complete: Sums
    columns: Floats

    @staticmethod
    def of(dag: Dag, families: Axes, cases: Dataset) -> Blanks:
        """An error where part of a case has gaps, or numbers cannot be computed with."""
        reals = tuple(name for name, axes in families.items() if isinstance(axes[-1], Continuous))
        check_scales(cases, reals)
        discrete = [name for name in dag.names if name not in reals]
        variables = {name: families[name][-1] for name in discrete}
        layout = layout_of(Dag({name: dag.parents[name] for name in discrete}), variables)
        tables, lines = _tables(layout), _lines(families, reals, layout)
        values = np.column_stack([np.asarray(cases[name], np.float64) for name in reals])
        none = np.zeros((len(cases), 0), np.int64)
        codes = np.column_stack([none, *(cases[name].astype(np.int64) for name in layout.names)])
        weights = np.ones(len(cases)) if cases.weights is None else cases.weights
        gaps: Bools = np.asarray((codes < 0).any(axis=1) | np.isnan(values).any(axis=1))
        times = times_of(gaps, weights)
        there = np.maximum((~np.isnan(values)).sum(axis=0), 1)
        centre = np.nansum(values, axis=0) / there
        empty = _nothing(layout, families, reals)
        found = Blanks(
            layout, reals, families, tables, lines, np.repeat(codes[gaps], times, axis=0),
            np.repeat(values[gaps], times, axis=0), centre, empty, values,
        )  # fmt: skip
        found.add(empty, codes[~gaps], values[~gaps], weights[~gaps])
        return found

    def add(self, sums: Sums, codes: Ints, values: Floats, weights: Floats) -> None:
        """Add complete cases to sums."""
        from tacit.kernels.refilling import add_up

        add_up(
            self.tables, self.lines, np.ascontiguousarray(codes), np.ascontiguousarray(values),
            weights, self.centre, sums.counts, sums.weight, sums.sums, sums.products,
        )  # fmt: skip

    def started(self, random: np.random.Generator) -> tuple[Ints, Floats]:
        """The cases with states and values put in their gaps: any state, any value that was seen of
        the variable."""
        codes, values = self.codes.copy(), self.values.copy()
        for at, card in enumerate(self.layout.cards):
            gone = codes[:, at] < 0
            codes[gone, at] = random.integers(0, card, int(gone.sum()))
        for at in range(len(self.reals)):
            seen = self.columns[:, at]
            gone = np.isnan(values[:, at])
            values[gone, at] = random.choice(seen[~np.isnan(seen)], int(gone.sum()))
        return codes, values

    @property
    def gaps(self) -> tuple[Bools, Bools]:
        """What the incomplete cases lack."""
        return self.codes < 0, np.isnan(self.values)

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Per real how many regressions it has, and of how many variables, its own included."""
        return _shapes(self.families, self.reals)

    def moments(self, sums: Sums, real: int) -> ConditionalMoments:
        """Of (parents..., child) of a continuous variable, configuration by configuration."""
        first, last = self.lines.parent_at[real], self.lines.parent_at[real + 1]
        many, size = self.shapes[real]
        level, start = int(self.lines.level_at[real]), int(self.lines.sum_at[real])
        square = int(self.lines.product_at[real])
        centre = self.centre[[*self.lines.parent[first:last].tolist(), real]]
        return centred(
            sums.weight[level : level + many],
            sums.sums[start : start + many * size].reshape(many, size),
            sums.products[square : square + many * size * size].reshape(many, size, size),
            centre,
        )


def _many(axes: Sequence[Variable]) -> int:
    return prod(len(axis.states) for axis in axes if isinstance(axis, Discrete))


def _tables(layout: Layout) -> Tables:
    from tacit.kernels.refilling import Tables

    graph = layout.graph
    return Tables(
        graph.cards, graph.touch_at, graph.touch, graph.axes_at, graph.axes, graph.strides,
        graph.starts,
    )  # fmt: skip


def _lines(families: Axes, reals: Sequence[str], layout: Layout) -> Lines:
    from tacit.kernels.refilling import Lines

    places = {name: at for at, name in enumerate(reals)}
    parents: list[list[int]] = []
    switches: list[list[int]] = []
    strides: list[list[int]] = []
    for name in reals:
        axes = families[name]
        parents.append([places[axis.name] for axis in axes[:-1] if axis.name in places])
        chosen = [axis for axis in axes[:-1] if isinstance(axis, Discrete)]
        switches.append([layout.places[axis.name] for axis in chosen])
        sizes = [len(axis.states) for axis in chosen]
        strides.append([prod(sizes[at + 1 :]) for at in range(len(sizes))])
    many, size = np.array(_shapes(families, reals), np.int64).T
    return Lines(
        _starts([len(each) for each in parents]), _flat(parents),
        _starts([len(each) for each in switches]), _flat(switches), _flat(strides),
        _starts(many * (size - 1))[:-1], _starts(many)[:-1], _starts(many * size)[:-1],
        _starts(many * size * size)[:-1],
    )  # fmt: skip


def _starts(lengths: Sequence[int] | Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)


def _flat(lists: Sequence[Sequence[int]]) -> Ints:
    return np.array([each for own in lists for each in own], np.int64)


def centred(weight: Floats, sums: Floats, products: Floats, centre: Floats) -> ConditionalMoments:
    """The moments behind sums about a centre."""
    safe = np.where(weight > 0, weight, 1.0)
    off = sums / safe[:, None]
    scatter = products - weight[:, None, None] * off[:, :, None] * off[:, None, :]
    places = np.arange(centre.size)
    scatter[:, places, places] = np.maximum(scatter[:, places, places], 0.0)
    means = np.where(weight[:, None] > 0, centre + off, 0.0)
    return ConditionalMoments(weight, means, scatter)


def _shapes(families: Axes, reals: Sequence[str]) -> list[tuple[int, int]]:
    sizes = [sum(isinstance(axis, Continuous) for axis in families[name]) for name in reals]
    return [(_many(families[name]), size) for name, size in zip(reals, sizes, strict=True)]


def _nothing(layout: Layout, families: Axes, reals: Sequence[str]) -> Sums:
    shapes = np.array(_shapes(families, reals), np.int64)
    many, size = shapes.T
    return Sums(
        np.zeros(layout.size),
        np.zeros(int(many.sum())),
        np.zeros(int((many * size).sum())),
        np.zeros(int((many * size * size).sum())),
    )
