"""Items that may be one and the same: the partition that the cases like best.

Items are rows of tables, pieces of rows, or whole tables. A partition of them is worth a sum of
group terms, and a move is worth the change of the few terms that it touches. Two log marginal
likelihoods are looked at. The search goes by the *reference*: whatever a group holds, its rows are
drawn evenly among all distributions, so that rows apart are not held to be rare or certain. What is
found must also gain under the *prior of the caller*, pooled: what groups hold adds up, counts and
prior alike. [parameter domain knowledge 5.1, 5.3]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.learn.discovery.prices import price, sizes_of

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
    pairs = _Pairs(items, groups)
    members: list[tuple[int, ...]] = list(groups)
    total, levels = 0.0, [(-price(len(items), sizes_of(groups)), groups)]
    for _ in groups[1:]:
        one, other, gain = pairs.merge()
        total += gain
        members[one], members[other] = members[one] + members[other], ()
        level = tuple(filter(None, members))
        levels.append((total - price(len(items), sizes_of(level)), level))
    return _sorted(max(levels, key=lambda level: level[0])[1])


class _Pairs:
    """What merging any two groups gains, and for every group the best partner."""

    def __init__(self, items: Items, groups: Groups) -> None:
        self.items = items
        self.counts = items.gathered(groups)
        self.own = items.worth(self.counts)
        many = len(groups)
        self.gains = np.full((many, many), -np.inf)
        for at in range(many - 1):
            self.gains[at, at + 1 :] = self.gains[at + 1 :, at] = self._joined(
                at, slice(at + 1, None)
            )
        self.partner = self.gains.argmax(axis=1)
        self.best = self.gains.max(axis=1)
        self.live = np.ones(many, dtype=np.bool_)

    def _joined(self, one: int, others: slice | Ints) -> Floats:
        together = self.items.worth(self.counts[others] + self.counts[one])
        return np.asarray(together - self.own[others] - self.own[one])

    def merge(self) -> tuple[int, int, float]:
        """Merge the two groups that gain most, the second into the first."""
        first = int(self.best.argmax())
        one, other = sorted((first, int(self.partner[first])))
        gain = float(self.best[first])
        self.counts[one] += self.counts[other]
        self.own[one] = self.items.worth(self.counts[one])
        self.live[other] = False
        self.gains[other, :] = self.gains[:, other] = -np.inf
        rest = np.flatnonzero(self.live)
        rest = rest[rest != one]
        self.gains[one, rest] = self.gains[rest, one] = self._joined(one, rest)
        better = rest[self.gains[rest, one] > self.best[rest]]
        self.best[better], self.partner[better] = self.gains[better, one], one
        stale = rest[np.isin(self.partner[rest], (one, other))]
        for at in (one, other, *stale.tolist()):
            self.partner[at] = self.gains[at].argmax()
            self.best[at] = self.gains[at, self.partner[at]]
        return one, other, gain


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
