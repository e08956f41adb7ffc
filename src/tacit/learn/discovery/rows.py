"""Rows of one table that are one and the same, and parents that do not matter in some context."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from math import log, prod

import numpy as np

from tacit.arrays import Floats
from tacit.learn.discovery.partitions import Found, best_partition, terms, worthy
from tacit.learn.discovery.sheets import Sheet, Unit

MOST_PARENTS = 7
"""Beyond so many parents, contexts in which some of them do not matter are not looked for."""
MOST_ROWS = 1_500
"""Of more rows than this, those with the most cases are compared with each other."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """The child does not depend on some parents, in every context or where others are held.

    parents  places of the ignored parents
    held     place and state of the parents that `when` names
    units    the rows that are one, context by context
    """

    parents: tuple[int, ...]
    held: tuple[tuple[int, int], ...]
    units: tuple[Unit, ...]
    gain: float
    sure: float
    price: float


@dataclass(frozen=True, slots=True)
class RowsFound:
    """What was found about rows: ignored parents, groups of units, and the units that remain.

    ignored  each gain adds to those before
    groups   of `before`, units and single rows
    units    all rows with cases that are open, in the groups they have come to
    left     rows that were not compared because there are too many
    """

    ignored: tuple[Ignored, ...]
    groups: tuple[Found, ...]
    before: tuple[Unit, ...]
    units: tuple[Unit, ...]
    left: int = 0


def find_rows(sheet: Sheet, least: float, wanted: bool = True) -> RowsFound:
    """Parents that do not matter first, then the best partition of what remains."""
    ignored = tuple(_ignored(sheet, least)) if wanted else ()
    bound = [*sheet.given, *(unit for each in ignored for unit in each.units)]
    inside = {row for unit in bound for row in unit}
    free = np.flatnonzero(sheet.open & sheet.seen).tolist()
    units = [unit for unit in bound if sheet.cases([unit]) > 0]
    units += [(row,) for row in free if row not in inside]
    units.sort(key=lambda unit: (-sheet.cases([unit]), unit))
    compared = sorted(units[:MOST_ROWS])
    if not wanted or len(compared) < 2:
        return RowsFound(ignored, (), tuple(compared), tuple(sorted(units)))
    items = sheet.pooled(compared)
    groups = worthy(items, best_partition(items), least)
    merged = [tuple(sorted(chain(*(compared[at] for at in each.group)))) for each in groups]
    taken = {at for each in groups for at in each.group}
    rest = [unit for at, unit in enumerate(compared) if at not in taken]
    left = units[MOST_ROWS:]
    return RowsFound(
        ignored, groups, tuple(compared), tuple(sorted([*merged, *rest, *left])), len(left)
    )


def _ignored(sheet: Sheet, least: float) -> Iterator[Ignored]:
    """The statements that gain most beyond their price, as long as they speak of other rows."""
    shape = sheet.shape
    moving = [at for at, size in enumerate(shape) if size > 1]
    if not 0 < len(moving) <= MOST_PARENTS or np.count_nonzero(sheet.seen & sheet.open) < 2:
        return
    choices = prod(size + 2 for size in shape) - prod(size + 1 for size in shape)
    cost = log(2) + log(choices)
    found = sorted(
        chain(*(_candidates(sheet, parents, least, cost) for parents in _subsets(moving))),
        key=lambda each: (cost - each.sure, len(each.held), each.parents, each.held),
    )
    taken: set[int] = set()
    for each in found:
        rows = set(chain(*each.units))
        if not rows & taken and _all_seen(sheet, each, rows):
            taken |= rows
            yield each


def _subsets(places: list[int]) -> Iterator[tuple[int, ...]]:
    return chain(*(combinations(places, size) for size in range(1, len(places) + 1)))


def _candidates(
    sheet: Sheet, parents: tuple[int, ...], least: float, cost: float
) -> Iterator[Ignored]:
    """All statements about these ignored parents that gain enough.

    In no context may the cases speak against it as strongly as `least`.
    """
    shape = sheet.shape
    others = tuple(at for at in range(len(shape)) if at not in parents)
    pooled, plain = _gains(sheet, parents)
    free = sheet.open.copy()
    free[list(chain(*sheet.given))] = False
    blocked = ~free.reshape(shape).all(axis=parents)
    worst = np.where(blocked, -np.inf, np.minimum(pooled, plain))
    rows = np.moveaxis(np.arange(prod(shape)).reshape(shape), parents, range(-len(parents), 0))
    rows = rows.reshape(*(shape[at] for at in others), -1)
    for held in chain([()], _subsets(list(range(len(others))))):
        summed = tuple(at for at in range(len(others)) if at not in held)
        sure = np.minimum(pooled.sum(axis=summed), plain.sum(axis=summed))
        sure = np.where(worst.min(axis=summed, initial=np.inf) >= -least, sure, -np.inf)
        gains = pooled.sum(axis=summed)
        for codes in zip(*np.nonzero(np.atleast_1d(sure - cost > least)), strict=True):
            at = tuple(int(code) for code in codes) if held else ()
            index = [slice(None)] * len(others)
            for place, code in zip(held, at, strict=True):
                index[place] = slice(code, code + 1)
            units = rows[tuple(index)].reshape(-1, rows.shape[-1])
            yield Ignored(
                parents,
                tuple((others[place], code) for place, code in zip(held, at, strict=True)),
                tuple(tuple(unit) for unit in units.tolist()),
                float(gains[at]),
                float(sure[at]),
                cost,
            )


def _gains(sheet: Sheet, parents: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Per context of the other parents, what one row instead of many gains: prior, reference."""
    shape = (*sheet.shape, sheet.states)
    counts, alpha = sheet.counts.reshape(shape), sheet.alpha.reshape(shape)

    def gain(prior: Floats, whole: Floats) -> Floats:
        apart = terms(prior[..., None, :], counts[..., None, :]).sum(axis=parents)
        return np.asarray(terms(whole[..., None, :], sums[..., None, :]) - apart)

    sums = counts.sum(axis=parents)
    pooled = gain(alpha, alpha.sum(axis=parents))
    return pooled, gain(np.ones_like(counts), np.ones_like(sums))


def _all_seen(sheet: Sheet, said: Ignored, rows: set[int]) -> bool:
    """Whether every state of every ignored parent has cases among these rows."""
    at = np.array(sorted(rows))
    at = at[sheet.seen[at]]
    codes = np.unravel_index(at, sheet.shape)
    return all(np.unique(codes[place]).size == sheet.shape[place] for place in said.parents)
