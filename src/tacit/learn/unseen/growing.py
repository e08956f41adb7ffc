"""Sets of variables most of which are linked to one another, grown from triangles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypeAlias

import numpy as np

from tacit.arrays import Ints

Threshold: TypeAlias = str | float
"""How many of its fellows a member must be linked to; see `needed`."""
THRESHOLDS = ("strict", "half", "others")
Members: TypeAlias = tuple[int, ...]
"""Numbers of variables in rising order."""
MOST_SETS = 20_000
"""How many sets may grow at once; beyond, those that could grow in several ways stop."""


def needed(threshold: Threshold, size: int, whole: int = 1) -> int:
    """The least number of links that each member of a set of `size` must have inside it.

    strict  more than half of the set          [Def. 4.1.2]
    half    at least half of the set, so that four variables may lack one link of six [fig. 4.2b]
    others  at least half of the others; a number asks for that share of the others instead of ½

    Links are counted in units of which `whole` make one that is certain.
    """
    if threshold == "strict":
        return size * whole // 2 + 1
    if threshold == "half":
        return (size * whole + 1) // 2
    share = 0.5 if threshold == "others" else float(threshold)
    return ceil(share * (size - 1) * whole - 1e-9)


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Which variables are linked, and how surely.

    counts     (n, n)  symmetric, none to itself; of `whole`, which is a link that is certain
    threshold  when a set is a semi-clique

    Counts are whole numbers, so that ties are ties whatever the order of the variables.
    """

    counts: Ints
    whole: int
    threshold: Threshold

    def hold(self, members: Members) -> bool:
        """Whether the set is a semi-clique: each member has the links that it needs inside."""
        inside = self.counts[np.ix_(members, members)].sum(axis=0)
        return bool(inside.min() >= needed(self.threshold, len(members), self.whole))

    def triangles(self) -> Iterator[Members]:
        """All semi-cliques of three of which each two are linked, in lexicographic order.

        In a dag every triangle is one. Each strict semi-clique has a triangle [Prop. 4.1.3].
        """
        least, joined = needed(self.threshold, 3, self.whole), self.counts > 0
        for one in range(len(self.counts)):
            near = np.flatnonzero(joined[one, one + 1 :]) + one + 1
            mine = self.counts[one, near]
            for at, two in enumerate(near):
                thirds = near[at + 1 :]
                both, far, yours = self.counts[one, two], mine[at + 1 :], self.counts[two, thirds]
                lowest = np.minimum(np.minimum(both + far, both + yours), far + yours)
                for three in thirds[(yours > 0) & (lowest >= least)]:
                    yield one, int(two), int(three)

    def joining(self, members: Members) -> tuple[Ints, Ints]:
        """The variables with which the set would still be a semi-clique, and their links to it."""
        rows = self.counts[list(members)]
        inside = rows.sum(axis=0)
        least = needed(self.threshold, len(members) + 1, self.whole)
        lacking = least - inside[list(members)]
        fit = (inside >= least) & (rows >= lacking[:, None]).all(axis=0)
        fit[list(members)] = False
        found = np.flatnonzero(fit)
        return found, inside[found]


def grown_in_order(links: Links, seed: Members, rank: Sequence[int] | Ints) -> Members:
    """The set that grows by the first variable that fits, round after round.

    rank  the place of each variable in the order in which they are tried
    [Procedure ExpandClique; HV1 3.3]
    """
    members, last = seed, -1
    while True:
        found, _ = links.joining(members)
        if not found.size:
            return members
        turns = np.asarray(rank)[found]
        later = turns > last
        at = int(np.argmin(np.where(later, turns, len(links.counts) + turns)))
        last = int(turns[at])
        members = tuple(sorted((*members, int(found[at]))))


def grown_by_links(links: Links, seeds: Iterable[Members]) -> set[Members]:
    """The sets that grow by the variable with the most links into them, whatever the order.

    Where several have as many, all join if that is a semi-clique; otherwise each way is gone. So
    the answer depends on nothing but the links: another order or other names give the same sets.
    If more than `MOST_SETS` grow at once, those with several ways to go stop where they are.
    """
    seen = set(seeds)
    growing: list[Members] = list(seen)
    done: set[Members] = set()
    while growing:
        ways = [(members, _next(links, members)) for members in growing]
        done.update(members for members, after in ways if not after)
        if len({each for _, after in ways for each in after} - seen) > MOST_SETS:
            done.update(members for members, after in ways if len(after) > 1)
            ways = [(members, after) for members, after in ways if len(after) == 1]
        fresh = {each for _, after in ways for each in after} - seen
        seen |= fresh
        growing = list(fresh)
    return done


def _next(links: Links, members: Members) -> list[Members]:
    found, inside = links.joining(members)
    if not found.size:
        return []
    best = found[inside == inside.max()].tolist()
    together = tuple(sorted((*members, *best)))
    if len(best) == 1 or links.hold(together):
        return [together]
    return [tuple(sorted((*members, each))) for each in best]
