"""Rows of variables with two states whose rules bound or order one probability each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.ruled.limits import FEASIBLE, Limits, limit_prices, limits_of
from tacit.estimate.ruled.links import Links, chains_of, distinct, handed_on
from tacit.kernels.nested import Orders
from tacit.knowledge.blocks import Blocks

KINDS = (
    "bounds on one probability (clip)",
    "chain across rows (pooling)",
    "chain across rows, with bounds (pooling)",
)


@dataclass(frozen=True, slots=True, eq=False)
class RowOrders:
    """Blocks of two-state rows that closed forms solve.

    blocks  (blocks,)  their numbers
    kind    (blocks,)  which of KINDS each is
    orders  the chains as kernels see them
    owner   (chains,)  which of the blocks each chain belongs to; nearly always one chain to a block
    limits  the bounds on their members
    links   the rules between members, by the numbers of members
    link    (members,) the link of each member to the one that `orders.up` names, or -1
    """

    blocks: Ints
    kind: Ints
    orders: Orders
    owner: Ints
    limits: Limits
    links: Links
    link: Ints

    def solve(self, chosen: Ints, weights: Floats, theta: Floats) -> Bools:
        """Write the most likely cells of the chosen blocks into theta; flat or not."""
        from tacit.kernels.pooling import solve_orders

        wanted = np.zeros(self.blocks.size, dtype=np.bool_)
        wanted[chosen] = True
        flat = np.zeros(self.owner.size, dtype=np.bool_)
        solve_orders(np.flatnonzero(wanted[self.owner]), self.orders, weights, theta, flat)
        return np.bincount(self.owner[flat], minlength=self.blocks.size) > 0

    def prices(self, weights: Floats, theta: Floats, out: Floats) -> None:
        """Write the multipliers of the rules of all blocks into `out`."""
        from tacit.kernels.pooling import price_orders

        self.solve(np.arange(self.blocks.size), weights, theta)
        press, flow = np.zeros((2, self.link.size))
        price_orders(self.orders, weights, theta, press, flow)
        limit_prices(self.limits, press, out)
        ends = np.flatnonzero(self.link >= 0)
        link, ones = self.link[ends], np.ones(self.link.size)
        out[self.links.rule[link]] = handed_on(self.links, link, ends, flow[ends], ones)


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """What each rule says of p = P(second state) of the rows it names, P(first state) being 1 - p.

    rule, row, factor  entries: factor · p[row], rule by rule, no factor zero
    limit              (rules,)
    """

    rule: Ints
    row: Ints
    factor: Floats
    limit: Floats


def orders_of(blocks: Blocks, which: Ints) -> RowOrders:
    """Those of these blocks of two-state rows whose rules form chains, with bounds or without."""
    told = _told(blocks, which)
    named = np.bincount(told.rule, minlength=told.limit.size)
    first = np.cumsum(named) - named
    pair = np.flatnonzero(named == 2)
    one, two = told.factor[first[pair]], told.factor[first[pair] + 1]
    ordering = (one == -two) & (told.limit[pair] == 0)
    block_of_rule = blocks.rule_block
    bad = block_of_rule[np.concatenate([np.flatnonzero(named > 2), pair[~ordering]])]
    which = np.setdiff1d(which, bad)
    while True:
        kept = np.isin(block_of_rule, which)
        pairs, singles = np.flatnonzero(kept & (named == 2)), np.flatnonzero(kept & (named == 1))
        links = _links(told, first[pairs], pairs, blocks.rules.equal)
        links = distinct(links, int(blocks.row_at[-1]))
        chains = chains_of(links, int(blocks.row_at[-1]))
        block_of_row = np.repeat(np.arange(len(blocks)), np.diff(blocks.row_at))
        bad = np.intersect1d(block_of_row[~chains.sound], which)
        if not bad.size:
            return _assembled(blocks, which, told, links, first[singles])
        which = np.setdiff1d(which, bad)


def _told(blocks: Blocks, which: Ints) -> _Told:
    rules = blocks.rules
    starts = np.searchsorted(blocks.row, np.arange(blocks.row_at[-1]))
    block_of_rule = blocks.rule_block
    mine = np.isin(block_of_rule, which)[rules.owner]
    owner, cells, factors = rules.owner[mine], rules.cells[mine], rules.factors[mine]
    row = blocks.row[cells]
    second = cells > starts[row]
    taken = np.bincount(owner[~second], factors[~second], minlength=len(rules))
    entry, at = np.unique(owner * max(starts.size, 1) + row, return_inverse=True)
    factor = np.bincount(at, np.where(second, factors, -factors), minlength=entry.size)
    rule, row = np.divmod(entry[factor != 0], max(starts.size, 1))
    limit = rules.limits - taken
    limit[np.abs(limit) <= 1e-15] = 0.0
    return _Told(rule, row, factor[factor != 0], limit)


def _links(told: _Told, at: Ints, rules: Ints, equal: Bools) -> Links:
    """Rules factor · (p[one] - p[other]) <= 0: the row with the factor above 0 is the lower one."""
    straight = told.factor[at] > 0
    low = np.where(straight, told.row[at], told.row[at + 1]) if at.size else at
    high = np.where(straight, told.row[at + 1], told.row[at]) if at.size else at
    return Links(low, high, np.ones(at.size), equal[rules], rules, np.abs(told.factor[at]))


def _assembled(blocks: Blocks, which: Ints, told: _Told, links: Links, singles: Ints) -> RowOrders:
    """Number the rows of these blocks chain by chain."""
    table_rows = int(blocks.row_at[-1])
    block_of_row = np.repeat(np.arange(len(blocks)), np.diff(blocks.row_at))
    chains = chains_of(links, table_rows)
    order = chains.order[np.isin(block_of_row[chains.order], which)]
    new = np.full(table_rows, -1)
    new[order] = np.arange(order.size)
    tied = np.zeros(table_rows, dtype=np.bool_)
    tied[chains.order] = chains.tied
    part = chains.part[order]
    begins = np.flatnonzero(np.concatenate([[True], part[1:] != part[:-1]])[: order.size])
    rule = told.rule[singles]
    limits = limits_of(
        new[told.row[singles]], told.factor[singles], told.limit[rule],
        blocks.rules.equal[rule], rule, order.size,
    )  # fmt: skip
    up = chains.up[order]
    assert _feasible(limits, part), "bounds cross along a chain"
    orders = Orders(
        np.stack([begins, np.append(begins[1:], order.size)], axis=1) if begins.size
        else np.empty((0, 2), dtype=np.int64),
        np.searchsorted(blocks.row, order), limits.lower, limits.upper, tied[order],
        np.where(up >= 0, new[up], -1),
    )  # fmt: skip
    owner = np.searchsorted(which, block_of_row[order[begins]])
    linked = np.bincount(np.searchsorted(which, block_of_row[links.low]), minlength=which.size) > 0
    told_of = blocks.rule_block[rule]
    bounded = np.bincount(np.searchsorted(which, told_of), minlength=which.size) > 0
    kind = np.where(linked, np.where(bounded, 2, 1), 0)
    moved = replace(links, low=new[links.low], high=new[links.high])
    return RowOrders(which, kind, orders, owner, limits, moved, chains.link[order])


def _feasible(limits: Limits, part: Ints) -> bool:
    """Whether what lies before in a chain is bounded from below by no more than what follows."""
    apart = (
        np.cumsum(np.concatenate([[0.0], np.diff(part) != 0])[: part.size]) * 2
    )  # bounds are in [0, 1]
    floor = np.maximum.accumulate(limits.lower + apart) - apart if part.size else limits.lower
    return bool(np.all(floor <= limits.upper + FEASIBLE))
