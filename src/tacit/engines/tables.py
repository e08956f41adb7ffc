"""Counts of discrete families on cases in memory: small tables together, large ones apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log10, prod
from typing import TypeAlias

import numpy as np

from tacit.arrays import Column, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import SizeError, listed, quoted
from tacit.core.variables import Discrete
from tacit.engines.plans import CELLS, Plan, places, plan
from tacit.engines.tasks import Evidence, IncompleteError, Job, chunks
from tacit.families.counts import DENSE_CELLS, Counts, SparseCounts
from tacit.families.table import MOST_AXES, cells

Axes: TypeAlias = tuple[Discrete, ...]
"""The parents, then the child."""

FOURFOLD = 16_384
"""Cells of a table that is small enough to be kept four times while cases are counted."""
SORTED = 1_000_000
"""Cases whose cells are sorted at once, in tables too large to keep."""


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """Columns that kernels may read, kept alive for as long as someone has their addresses."""

    arrays: tuple[Column, ...]
    addresses: Ints
    widths: Ints


def _columns(data: Dataset, axes: Sequence[Discrete]) -> _Columns:
    arrays = tuple(_readable(data[axis.name]) for axis in axes)
    addresses = [array.__array_interface__["data"][0] for array in arrays]
    return _Columns(
        arrays, np.array(addresses, np.int64), np.array([a.itemsize for a in arrays], np.int64)
    )


def _readable(column: Column) -> Column:
    flags = column.flags
    return column if flags.c_contiguous and flags.aligned else column.copy()


def table_jobs(data: Dataset, families: Sequence[Axes], available: bool) -> list[Job]:
    """How to count these families; `available` leaves out cases with missing cells."""
    for axes in families:
        check_size(axes)
    names = dict.fromkeys(axis.name for axes in families for axis in axes)
    complete = {name: not (available and data[name].min(initial=0) < 0) for name in names}
    together, apart = list[Axes](), list[Axes]()
    for axes in families:
        (together if _fits_bytes(axes, complete) else apart).append(axes)
    alone = [_alone(data, axes, available) for axes in apart]
    return [*alone, _together(data, together, complete)] if together else alone


def shape_of(axes: Axes) -> tuple[int, ...]:
    """How many states each axis has."""
    return tuple(len(axis.states) for axis in axes)


def check_size(axes: Axes) -> None:
    """Nothing, or an error about a table whose cells cannot even be numbered."""
    if len(axes) <= MOST_AXES and prod(shape_of(axes)) < 2**63:
        return
    child, parents = quoted(axes[-1].name), [quoted(axis.name) for axis in axes[:-1]]
    if len(axes) > MOST_AXES:
        raise SizeError(
            f"{child} has {len(parents):,} parents; a table takes at most {MOST_AXES - 1}"
        )
    digits = sum(log10(states) for states in shape_of(axes))
    raise SizeError(
        f"the table of {child} given {listed(parents)} has about "
        f"10^{digits:.0f} cells, more than can be told apart"
        "\n\nremove parents, or merge states with tc.discretise"
    )


def _fits_bytes(axes: Axes, complete: Mapping[str, bool]) -> bool:
    rooms = [places(len(axis.states), complete[axis.name]) for axis in axes]
    return max(rooms) <= CELLS // 2 and prod(rooms) <= CELLS


def _together(data: Dataset, families: Sequence[Axes], complete: Mapping[str, bool]) -> Job:
    """Families that share small tables, in one pass over the columns, chunk by chunk."""
    from tacit.kernels.counting import LANES, count_bytes

    axes = list({axis.name: axis for family in families for axis in family}.values())
    place = {axis.name: at for at, axis in enumerate(axes)}
    columns = _columns(data, axes)
    cover = plan(
        tuple(tuple(place[axis.name] for axis in family) for family in families),
        shape_of(tuple(axes)),
        tuple(complete[axis.name] for axis in axes),
    )
    slots = (cover.groups, cover.columns, cover.strides, cover.keeps)
    kind = np.uint32 if data.weights is None else np.float64

    def task(span: tuple[int, int]) -> Floats:
        tables = np.zeros((cover.groups.size - 1, LANES, CELLS), dtype=kind)
        if not count_bytes(columns.addresses, *slots, span, data.weights, tables):
            raise IncompleteError
        return np.asarray(tables.sum(axis=1, dtype=np.float64))

    tasks = [partial(task, span) for span in chunks(len(data))]
    return Job(tasks, partial(_summed_out, families, cover))


def _summed_out(
    families: Sequence[Axes], cover: Plan, parts: list[Floats]
) -> Mapping[str, Evidence]:
    total = np.zeros((cover.groups.size - 1, CELLS))
    for part in parts:
        total += part
    size = int(cover.starts[-1])
    flat = _weighed(cover.targets, total.ravel()[cover.sources], size)
    flat.flags.writeable = False
    spans = zip(families, cover.starts[:-1], cover.starts[1:], strict=True)
    return {
        axes[-1].name: Counts(flat[start:end].reshape(shape_of(axes))) for axes, start, end in spans
    }


def _weighed(at: Ints, weights: Floats, size: int) -> Floats:
    return np.asarray(np.bincount(at, weights, size), dtype=np.float64)


def _alone(data: Dataset, axes: Axes, available: bool) -> Job:
    """One family with a table of its own: every cell of it, or only those that occur."""
    size, columns = prod(shape_of(axes)), _columns(data, axes)
    count = _every_cell if size <= DENSE_CELLS else _cells_seen
    task = partial(count, shape_of(axes), columns, data.weights, available)
    return Job([task], lambda results: {axes[-1].name: results[0]})


def _every_cell(
    shape: tuple[int, ...], columns: _Columns, weights: Floats | None, available: bool
) -> Counts:
    from tacit.kernels.counting import LANES, count_cells

    size, cases = prod(shape), columns.arrays[0].size
    strides = np.array([prod(shape[at + 1 :]) for at in range(len(shape))], np.int64)
    kind = np.uint32 if weights is None and cases < 2**32 else np.float64
    table = np.zeros((LANES if size <= FOURFOLD else 1, size + 1), dtype=kind)
    complete = count_cells(columns.addresses, columns.widths, strides, cases, weights, table)
    if not (complete or available):
        raise IncompleteError
    counts: Floats = np.asarray(table[:, :-1].sum(axis=0, dtype=np.float64))
    counts.flags.writeable = False
    return Counts(counts.reshape(shape))


def _cells_seen(
    shape: tuple[int, ...], columns: _Columns, weights: Floats | None, available: bool
) -> SparseCounts:
    found = SparseCounts(shape, np.zeros(0, np.int64), np.zeros(0))
    for start in range(0, columns.arrays[0].size, SORTED):
        span = slice(start, start + SORTED)
        at = cells(shape, [array[span] for array in columns.arrays])
        known = at >= 0
        if not (available or known.all()):
            raise IncompleteError
        weight = np.ones(at.size) if weights is None else weights[span]
        seen, place = np.unique(at[known], return_inverse=True)
        found += SparseCounts(shape, seen, _weighed(place, weight[known], seen.size))
    return found
