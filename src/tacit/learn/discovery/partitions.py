"""Items that may be one and the same: the partition that the cases like best.

Items are rows of tables, pieces of rows, or whole tables. A partition of them is worth a sum of
group terms, and a move is worth the change of the few terms that it touches. Two log marginal
likelihoods are looked at. The search goes by the *reference*: whatever a group holds, its rows are
drawn evenly among all distributions, so that rows apart are not held to be rare or certain. What is
found must also gain under the *prior of the caller*, pooled: what groups hold adds up, counts and
prior alike. [parameter domain knowledge 5.1, 5.3]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import lgamma, log
from typing import Protocol, TypeAlias

import numpy as np

from tacit.arrays import Floats

Groups: TypeAlias = tuple[tuple[int, ...], ...]
"""Items side by side that are one and the same; groups in the order of their first items."""

PASSES = 20
"""How often every item may be moved; a search that still improves then is good enough."""
SLIGHT = 1e-9
"""Gains below this are rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """What is known of items that may be one.

    counts     (items, rows, states) the cases
    alpha      (items, rows, states) the caller's prior, which adds up in groups
    reference  (states,) that of the reference, the same for a group as for one item
    """

    counts: Floats
    alpha: Floats
    reference: Floats

    def __len__(self) -> int:
        return int(self.counts.shape[0])

    def gathered(self, groups: Groups) -> Floats:
        """(groups, rows, states) the cases of every group."""
        at = np.concatenate([[0], np.cumsum([len(group) for group in groups])[:-1]])
        order = np.concatenate([np.array(group, dtype=np.int64) for group in groups])
        return np.asarray(np.add.reduceat(self.counts[order], at))

    def worth(self, counts: Floats) -> Floats:
        """The log marginal likelihood of groups with these counts, by the reference."""
        return terms(np.broadcast_to(self.reference, counts.shape), counts)

    def gains(self, group: Sequence[int]) -> tuple[float, float]:
        """What one item instead of these gains: by the pooled prior, and by the reference."""
        at = list(group)
        counts, alpha = self.counts[at], self.alpha[at]
        pooled = terms(alpha.sum(axis=0), counts.sum(axis=0)) - terms(alpha, counts).sum()
        plain = self.worth(counts.sum(axis=0)) - self.worth(counts).sum()
        return float(pooled), float(plain)


def terms(alpha: Floats, counts: Floats) -> Floats:
    """log P(counts given the prior) of rows of states on the last two axes, rows added up:

    Σ_rows [ ln Γ(α) - ln Γ(α + N) + Σ_states ( ln Γ(α_i + N_i) - ln Γ(α_i) ) ].  [EST 1.3]
    """
    from scipy.special import gammaln

    cells = (gammaln(alpha + counts) - gammaln(alpha)).sum(axis=-1)
    whole = alpha.sum(axis=-1)
    rows = cells - (gammaln(whole + counts.sum(axis=-1)) - gammaln(whole))
    return np.asarray(rows.sum(axis=-1))


def sizes_of(groups: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """How many items each group has that has several, from the smallest on."""
    return tuple(sorted(len(group) for group in groups if len(group) > 1))


@lru_cache(maxsize=1 << 16)
def price(items: int, sizes: tuple[int, ...]) -> float:
    """What the prior over partitions asks for groups of these sizes, in nats against no sharing.

    No sharing and some sharing are equally likely. Some sharing comes in one of two ways: as a
    number of groups, and any partition into so many; or group by group, each of any size and of any
    items that are left, until a coin says that it is enough. So the chance that items which share
    nothing look better by t nats than the price of any partition is at most exp(-t). [Markov]
    """
    if not sizes:
        return 0.0
    groups = items - sum(sizes) + len(sizes)
    at_once = log(items - 1) + float(_log_partitions(items)[groups])
    one_by_one, left = len(sizes) * log(2) - lgamma(len(sizes) + 1), items
    for size in sizes:
        one_by_one += log(left - 1) + log_choices(left, size)
        left -= size
    return log(2) + min(at_once, one_by_one)


@lru_cache(maxsize=64)
def _log_partitions(items: int) -> Floats:
    """(items + 1,) log of the number of partitions of the items into k groups: Stirling numbers."""
    row = np.full(items + 1, -np.inf)
    row[0] = 0.0
    with np.errstate(divide="ignore"):
        logs = np.log(np.arange(items + 1))
    for _ in range(items):
        before, row = row, np.full(items + 1, -np.inf)
        row[1:] = np.logaddexp(logs[1:] + before[1:], before[:-1])
    return row


def log_choices(items: int, size: int) -> float:
    """log of the number of ways to take so many of the items."""
    return lgamma(items + 1) - lgamma(size + 1) - lgamma(items - size + 1)


def apart(items: int) -> Groups:
    """Every item alone."""
    return tuple((item,) for item in range(items))


def best_partition(items: Items) -> Groups:
    """The partition found best: merge greedily, keep the best level, then move and split.

    The whole path of merges is looked at, so that groups which pay only when they are complete are
    found as well.
    """
    if len(items) < 2:
        return apart(len(items))
    groups = apart(len(items))
    value = _value(items, groups)
    for _ in range(PASSES):
        merged = _merged(items, groups)
        moved = _moved(items, merged)
        reached = _value(items, moved)
        if reached <= value + SLIGHT:
            break
        groups, value = moved, reached
    return groups


def _value(items: Items, groups: Groups) -> float:
    return float(items.worth(items.gathered(groups)).sum()) - price(len(items), sizes_of(groups))


def _merged(items: Items, groups: Groups) -> Groups:
    """The best level of the path on which always the two groups that gain most are merged."""
    counts = items.gathered(groups)
    own = items.worth(counts)
    gains = _pair_gains(items, counts, own)
    members: list[tuple[int, ...]] = list(groups)
    total = float(own.sum())
    levels = [(total - price(len(items), sizes_of(groups)), groups)]
    for _ in groups[1:]:
        one, other = divmod(int(gains.argmax()), own.size)
        total += float(gains[one, other])
        members[one], members[other] = members[one] + members[other], ()
        counts[one] += counts[other]
        own[one] = items.worth(counts[one])
        gains[other, :] = gains[:, other] = -np.inf
        live = np.array([at for at, each in enumerate(members) if each and at != one], dtype=int)
        new = items.worth(counts[live] + counts[one]) - own[live] - own[one]
        gains[one, live] = np.where(live > one, new, -np.inf)
        gains[live, one] = np.where(live < one, new, -np.inf)
        level = tuple(filter(None, members))
        levels.append((total - price(len(items), sizes_of(level)), level))
    return _sorted(max(levels, key=lambda level: level[0])[1])


def _pair_gains(items: Items, counts: Floats, own: Floats) -> Floats:
    """(items, items) what merging two items gains; -inf on and below the diagonal."""
    gains = np.full((own.size, own.size), -np.inf)
    for at in range(own.size - 1):
        rest = slice(at + 1, None)
        gains[at, rest] = items.worth(counts[rest] + counts[at]) - own[rest] - own[at]
    return gains


def _sorted(groups: Sequence[Sequence[int]]) -> Groups:
    return tuple(sorted(tuple(sorted(group)) for group in groups if group))


def _moved(items: Items, groups: Groups) -> Groups:
    """Items moved one by one to the group, or to a place of their own, where they gain most."""
    state = _Moving(items, groups)
    for _ in range(PASSES):
        moves = [state.move(item) for item in range(len(items))]
        if not any(moves):
            break
    return _sorted([sorted(group) for group in state.members])


class _Moving:
    """Groups whose items can be moved; one of them is empty, a place of one's own."""

    def __init__(self, items: Items, groups: Groups) -> None:
        self.items = items
        self.members = [set(group) for group in groups] + [set()]
        counts = items.gathered(groups)
        self.counts = np.concatenate([counts, np.zeros((1, *counts.shape[1:]))])
        self.own = items.worth(self.counts)
        self.home = {item: at for at, group in enumerate(groups) for item in group}

    def move(self, item: int) -> bool:
        """Whether the item has found a better place."""
        home, counts = self.home[item], self.items.counts[item]
        others = sorted(self.members[home] - {item})
        left = self.items.counts[others].sum(axis=0)
        rest = float(self.items.worth(left))
        joined = self.items.worth(self.counts + counts)
        change = rest - self.own[home] + joined - self.own + self._price()
        change -= self._prices(home)
        change[home] = 0.0
        to = int(change.argmax())
        if change[to] <= SLIGHT:
            return False
        self.members[home].discard(item)
        self.members[to].add(item)
        self.counts[to] += counts
        self.counts[home] = left
        self.own[home], self.own[to], self.home[item] = rest, joined[to], to
        if all(self.members):
            self.members.append(set())
            self.counts = np.concatenate([self.counts, np.zeros((1, *counts.shape))])
            self.own = np.append(self.own, 0.0)
        return True

    def _price(self, home: int = -1, to: int = -1) -> float:
        """What the groups cost, perhaps after a move."""
        sizes = [len(each) + (at == to) - (at == home) for at, each in enumerate(self.members)]
        return price(len(self.items), tuple(sorted(size for size in sizes if size > 1)))

    def _prices(self, home: int) -> Floats:
        """(groups,) what they cost after a move to each; groups of one size are alike."""
        by_size = {len(each): at for at, each in enumerate(self.members) if at != home}
        found = {size: self._price(home, at) for size, at in by_size.items()}
        return np.array([found.get(len(each), 0.0) for each in self.members])


@dataclass(frozen=True, slots=True)
class Found:
    """Items that are one: what that gains over them apart, by how much it is sure, what it costs.

    gain   under the caller's prior, in nats
    sure   the lesser of the gains under the prior and under the reference
    price  its part of what the choice among partitions costs
    """

    group: tuple[int, ...]
    gain: float
    sure: float
    price: float


class Sharing(Protocol):
    """Things of which some may be one and the same."""

    def __len__(self) -> int:
        """How many there are."""

    def gains(self, group: Sequence[int]) -> tuple[float, float]:
        """What one instead of these gains: by the pooled prior, and by the reference."""


def worthy(items: Sharing, groups: Groups, least: float) -> tuple[Found, ...]:
    """The groups that gain `least` more than they cost; the weakest is dissolved until all do.

    A group must be worth the difference that it makes to the price of all, and all together their
    price; every group is told its part of that, by the items it does away with.
    """
    many = len(items)
    gains = {group: items.gains(group) for group in groups if len(group) > 1}
    kept = sorted(gains, key=lambda group: (-min(gains[group]), group))
    while kept:
        whole = price(many, sizes_of(kept))
        net = [
            min(gains[each]) - whole + price(many, sizes_of(kept[:at] + kept[at + 1 :]))
            for at, each in enumerate(kept)
        ]
        together = sum(min(gains[each]) for each in kept) - whole
        weakest = int(np.argmin(net))
        if min(together, net[weakest]) > least:
            break
        del kept[weakest]
    spared = sum(len(group) - 1 for group in kept)
    total = price(many, sizes_of(kept))
    return tuple(
        Found(group, gains[group][0], min(gains[group]), total * (len(group) - 1) / spared)
        for group in kept
    )
