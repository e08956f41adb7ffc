"""Rows on their own whose rules have a closed form: bounds on sets, chains inside them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.ruled.limits import FEASIBLE, Limits, limit_prices, limits_of
from tacit.estimate.ruled.links import Chains, Links, chains_of, handed_on, with_singles
from tacit.estimate.ruled.sets import Sets, comparing, sets_of
from tacit.kernels.nested import Nest
from tacit.knowledge.blocks import Blocks

KINDS = (
    "upper bounds (Thm 5.2.1)",
    "bounds on masses (clip)",
    "sums against sums (Thm 5.1.1)",
    "chain in one row (pooling)",
    "shares of one mass (pooling)",
    "chains inside bounds (clip and pooling)",
)


@dataclass(frozen=True, slots=True, eq=False)
class Nests:
    """Blocks of one row that closed forms solve.

    blocks  (rows,)  their numbers
    kind    (rows,)  which of KINDS each is
    nest    the rows as kernels see them
    limits  the bounds on the sets of `nest`
    links   the rules between sets, by the numbers of sets in `nest`
    link    (sets,)  the link of each set to the one that `nest.up` names, or -1
    """

    blocks: Ints
    kind: Ints
    nest: Nest
    limits: Limits
    links: Links
    link: Ints

    def solve(self, rows: Ints, weights: Floats, theta: Floats) -> tuple[Floats, Floats, Bools]:
        """Write the most likely cells of these rows into theta; counts, masses, flat or not."""
        from tacit.kernels.clip import solve_nests

        sets, flat = self.nest.parent.size, np.zeros(self.blocks.size, dtype=np.bool_)
        counts, mass = np.zeros(sets), np.zeros(sets)
        solve_nests(rows, self.nest, weights, theta, counts, mass, flat)
        return counts, mass, flat

    def prices(self, weights: Floats, theta: Floats, out: Floats) -> None:
        """Write the multipliers of the rules of all rows into `out`. [Thm 5.1.1, Lemma 5.2.1]"""
        from tacit.kernels.clip import price_nests

        counts, mass, _ = self.solve(np.arange(self.blocks.size), weights, theta)
        gain, flow = np.zeros(mass.size), np.zeros(mass.size)
        price_nests(self.nest, counts, mass, gain, flow)
        over = (gain > 0) & (mass == self.nest.upper)
        under = (gain < 0) & (mass == self.nest.lower)
        limit_prices(self.limits, np.where(over | under, gain, 0.0), out)
        ends = np.flatnonzero(self.link >= 0)
        link = self.link[ends]
        out[self.links.rule[link]] = handed_on(self.links, link, ends, flow[ends], self.nest.scale)


def nests_of(blocks: Blocks, which: Ints) -> Nests:
    """Those of these one-row blocks that are made of bounds and chains on disjoint or nested sets.

    A block that fails a test is left out and the others are read again.
    """
    block_of_rule = blocks.rule_block
    bad = np.unique(block_of_rule[~comparing(blocks)])
    while True:
        which = np.setdiff1d(which, bad, assume_unique=True)
        kept = np.isin(block_of_rule, which) & (np.diff(blocks.rules.at) > 0)
        sets = sets_of(blocks, np.flatnonzero(kept))
        chains = chains_of(sets.links, sets.size.size)
        bad = np.unique(sets.block[_mixed(sets, chains)])
        if not bad.size:
            return _assembled(blocks, which, _with_rests(blocks, which, sets), chains)


def _mixed(sets: Sets, chains: Chains) -> Bools:
    """Sets that overlap others, are part of no chain, or are bounded and not on their own.

    Inside a bounded set shares do not depend on its mass, as long as nothing there is bounded.
    """
    has_bound, linked = np.zeros((2, sets.size.size), dtype=np.bool_)
    has_bound[sets.bounded] = True
    linked[sets.links.low] = linked[sets.links.high] = True
    apart = np.zeros(sets.size.size, dtype=np.bool_)
    apart[sets.links.low[sets.parent[sets.links.low] != sets.parent[sets.links.high]]] = True
    inside = has_bound & ((sets.parent >= 0) | linked)
    return np.asarray(~sets.nested | ~chains.sound | inside | apart)


def _depth(parent: Ints) -> Ints:
    """How many sets lie around each set."""
    depth, above = np.zeros(parent.size, dtype=np.int64), parent
    while np.any(above >= 0):
        depth += above >= 0
        above = np.where(above >= 0, parent[above], -1)
    return depth


def _with_rests(blocks: Blocks, which: Ints, sets: Sets) -> Sets:
    """The sets, and for every row one more: all that lies in no bounded set."""
    length = np.diff(blocks.cell_at)[which]
    row, count = np.searchsorted(which, sets.block), sets.size.size
    has_bound = np.zeros(count, dtype=np.bool_)
    has_bound[sets.bounded] = True
    covered = np.bincount(row[has_bound], sets.size[has_bound], minlength=which.size)
    some = np.flatnonzero(covered < length)
    rest = np.full(which.size, -1)
    rest[some] = count + np.arange(some.size)
    row_of_cell = np.full(blocks.cells.size, -1)
    row_of_cell[_ranges(blocks.cell_at[which], length)] = np.repeat(np.arange(which.size), length)
    bare = (row_of_cell >= 0) & (sets.home < 0)
    home = sets.home.copy()
    home[bare] = rest[row_of_cell[bare]]
    top = (sets.parent < 0) & ~has_bound
    parent = np.where(top, rest[row], sets.parent) if count else sets.parent
    return replace(
        sets,
        block=np.concatenate([sets.block, which[some]]),
        size=np.concatenate([sets.size, (length - covered)[some].astype(np.int64)]),
        parent=np.concatenate([parent, np.full(some.size, -1)]),
        nested=np.concatenate([sets.nested, np.ones(some.size, dtype=np.bool_)]),
        home=home,
    )


def _ranges(starts: Ints, lengths: Ints) -> Ints:
    """starts[0], starts[0] + 1, ...: the ranges one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    return np.arange(total) + np.repeat(starts - ends + lengths, lengths)


def _assembled(blocks: Blocks, which: Ints, sets: Sets, chains: Chains) -> Nests:
    """Number the sets as kernels want them: row by row, groups first, chains in one piece."""
    count = sets.size.size
    chains = with_singles(chains, count - chains.order.size)
    place = np.empty(count, dtype=np.int64)
    place[chains.order] = np.arange(count)
    order = np.lexsort((place, _depth(sets.parent), sets.block))
    new = np.empty(count, dtype=np.int64)
    new[order] = np.arange(count)
    tied = np.empty(count, dtype=np.bool_)
    tied[chains.order] = chains.tied
    parent = _renamed(sets.parent[order], new)
    part, row = chains.part[order], np.searchsorted(which, sets.block[order])
    inner = parent >= 0
    begins = np.flatnonzero(inner & np.concatenate([[True], part[1:] != part[:-1]])[:count])
    ends = np.flatnonzero(inner & np.concatenate([part[1:] != part[:-1], [True]])[-count or 1 :])
    links = sets.links
    links = replace(links, low=new[links.low], high=new[links.high])
    limits = limits_of(
        new[sets.bounded], sets.factor, sets.limit, sets.equal, sets.bound_rule, count
    )
    assert _feasible(limits, row, inner, which.size), "the bounds of a row leave no room"
    home = _renamed(sets.home, new)
    ways = np.bincount(home[home >= 0], minlength=count)
    ways = ways + np.bincount(parent[inner & ~tied[order]], minlength=count)
    nest = Nest(
        np.stack([blocks.cell_at[which], blocks.cell_at[which + 1]], axis=1),
        _spans(row, which.size),
        np.bincount(row[~inner], minlength=which.size),
        _spans(row[begins], which.size),
        np.stack([begins, ends + 1], axis=1),
        home, parent, sets.size[order].astype(np.float64), ways,
        limits.lower, np.where(inner, np.inf, limits.upper),
        chains.scale[order], tied[order], _renamed(chains.up[order], new),
    )  # fmt: skip
    return Nests(which, _kinds(nest, limits, links, row), nest, limits, links, chains.link[order])


def _renamed(names: Ints, new: Ints) -> Ints:
    return np.where(names >= 0, new[names], -1) if new.size else names


def _spans(labels: Ints, kinds: int) -> Ints:
    """(kinds, 2) where each of the sorted labels starts and ends."""
    return np.searchsorted(labels, np.stack([np.arange(kinds), np.arange(1, kinds + 1)], axis=1))


def _feasible(limits: Limits, row: Ints, inner: Bools, rows: int) -> bool:
    lower = np.bincount(row[~inner], limits.lower[~inner], minlength=rows)
    upper = np.bincount(row[~inner], limits.upper[~inner], minlength=rows)
    return bool(np.all(lower <= 1 + FEASIBLE) and np.all(upper >= 1 - FEASIBLE))


def _kinds(nest: Nest, limits: Limits, links: Links, row: Ints) -> Ints:
    """Which of KINDS each row is."""
    rows = nest.groups.size

    def some(of: Ints) -> Bools:
        return np.bincount(row[of], minlength=rows) > 0

    members = nest.member_at
    longer = members[members[:, 1] - members[:, 0] > 2, 0]
    lower, upper = (
        some(np.flatnonzero(limits.lower_rule >= 0)),
        some(np.flatnonzero(limits.upper_rule >= 0)),
    )
    rises = some(links.low[~links.equal])
    shares = some(links.low[links.equal])
    scaled = some(links.low[links.ratio != 1])
    bounds, pairs = lower | upper, rises & ~shares & ~scaled & ~some(longer)
    linked = rises | shares
    return np.select(
        [linked & bounds, pairs, rises, shares, lower], [5, 2, 3, 4, 1], default=0
    ).astype(np.int64)
