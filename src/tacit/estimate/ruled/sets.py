"""The sets of cells that the rules of single rows compare, and how they lie in each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.ruled.links import Links, distinct
from tacit.knowledge.blocks import Blocks


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """Sets of cells, each once.

    block    (sets,)   the block of its row
    size     (sets,)   how many cells it has
    parent   (sets,)   the smallest set around it, -1 where there is none
    nested   (sets,)   no other set overlaps it in part
    home     (cells,)  the innermost set of every position, -1 where no rule names it
    bounded, limit, factor, equal, bound_rule   the rules factor · mass <= limit, one by one
    links    the rules that compare the masses of two sets
    """

    block: Ints
    size: Ints
    parent: Ints
    nested: Bools
    home: Ints
    bounded: Ints
    limit: Floats
    factor: Floats
    equal: Bools
    bound_rule: Ints
    links: Links


def comparing(blocks: Blocks) -> Bools:
    """(rules,) whether a rule bounds the mass of one set, or compares the masses of two.

    One factor for all cells, or one above and one below 0 and nothing else.
    """
    rules = blocks.rules
    owner, factors = rules.owner, rules.factors
    most, least = np.full(len(rules), -np.inf), np.full(len(rules), np.inf)
    named = np.flatnonzero(np.diff(rules.at))
    most[named] = np.maximum.reduceat(factors, rules.at[named]) if named.size else 0
    least[named] = np.minimum.reduceat(factors, rules.at[named]) if named.size else 0
    plain = factors == np.where(factors > 0, most[owner], least[owner])
    odd = np.bincount(owner[~plain], minlength=len(rules)) > 0
    two = (least < 0) & (most > 0)
    return np.asarray(~odd & (~two | (rules.limits == 0)))


def sets_of(blocks: Blocks, rules: Ints) -> Sets:
    """The sets that these rules name.

    A rule has one or two sides, each a set of cells. Go through the sides of every cell from the
    largest to the smallest: sides lie properly in each other exactly if each has the same side
    before it in all of its cells. That one is then the smallest side around it, or the same set
    once more where their sizes agree.
    """
    rows = blocks.rules.chosen(rules)
    entry_side = 2 * rows.owner + (rows.factors < 0)
    entries = np.bincount(entry_side, minlength=2 * rules.size)
    sides = np.flatnonzero(entries)
    number = np.cumsum(entries > 0) - 1
    side, size = number[entry_side], entries[sides]
    before, nested, last = _before(rows.cells, side, size)
    same = (before >= 0) & (size[before] == size)
    chief = np.where(same, before, np.arange(sides.size))
    while np.any(chief != chief[chief]):
        chief = chief[chief]
    chiefs = np.flatnonzero(~same)
    name = np.cumsum(~same) - 1
    around = before[chiefs]
    parent = np.where(around >= 0, name[chief[around]], -1)
    home = np.full(blocks.cells.size, -1)
    home[rows.cells[last]] = name[chief[side[last]]]
    mine = name[chief]
    sound = np.bincount(mine[~nested], minlength=chiefs.size) == 0
    block = np.searchsorted(blocks.rule_at, rules[sides[chiefs] // 2], side="right") - 1
    lead = rows.factors[_first(side, sides.size)]
    two = np.bincount(sides // 2, minlength=rules.size) == 2
    single = np.flatnonzero(~two[sides // 2])
    of = sides[single] // 2
    return Sets(
        block, size[chiefs], parent, sound, home,
        mine[single], rows.limits[of], lead[single], rows.equal[of], rules[of],
        distinct(_links(mine, sides, two, lead, rows.equal, rules), chiefs.size),
    )  # fmt: skip


def _before(cells: Ints, side: Ints, size: Ints) -> tuple[Ints, Bools, Ints]:
    """The side before each side, whether all its cells agree on it, the last entry of each cell."""
    rank = np.empty(size.size, dtype=np.int64)
    rank[np.argsort(-size, kind="stable")] = np.arange(size.size)
    order = np.argsort(cells * max(size.size, 1) + rank[side])
    again = np.concatenate([[False], cells[order][1:] == cells[order][:-1]])[: order.size]
    earlier = np.full(order.size, -1)
    earlier[order] = np.where(again, np.roll(side[order], 1), -1)
    by_side = np.argsort(side, kind="stable")
    start = np.cumsum(size) - size
    least = np.minimum.reduceat(earlier[by_side], start) if size.size else earlier
    most = np.maximum.reduceat(earlier[by_side], start) if size.size else earlier
    last = order[np.concatenate([~again[1:], [True]])[: order.size]]
    return least, least == most, last


def _first(labels: Ints, kinds: int) -> Ints:
    first = np.empty(kinds, dtype=np.int64)
    first[labels[::-1]] = np.arange(labels.size)[::-1]
    return first


def _links(mine: Ints, sides: Ints, two: Bools, lead: Floats, equal: Bools, rules: Ints) -> Links:
    """Both sides of a rule stand together, the one with the factor above 0 first."""
    low = np.flatnonzero(two[sides // 2] & (sides % 2 == 0))
    of = sides[low] // 2
    return Links(
        mine[low], mine[low + 1], -lead[low + 1] / lead[low], equal[of], rules[of], lead[low]
    )
