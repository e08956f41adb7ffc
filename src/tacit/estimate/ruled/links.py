"""Rules that compare two things, and the chains they form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """x[low] <= ratio · x[high], or = where `equal`: one link after the other.

    rule    (links,)  the rule row that says so
    factor  (links,)  of x[low] in that rule row
    """

    low: Ints
    high: Ints
    ratio: Floats
    equal: Bools
    rule: Ints
    factor: Floats

    def chosen(self, which: Ints) -> Links:
        """These links alone."""
        return Links(
            self.low[which], self.high[which], self.ratio[which],
            self.equal[which], self.rule[which], self.factor[which],
        )  # fmt: skip


def distinct(links: Links, things: int) -> Links:
    """Each link once: what is said again holds nothing back.

    The rule that two rows of two states are equal says it of either state.
    """
    turned = links.equal & (links.low > links.high)
    low, high = np.where(turned, (links.high, links.low), (links.low, links.high))
    pair = low * things + high
    in_order = np.sort(pair)
    if np.all(in_order[1:] > in_order[:-1]):
        return links
    ratio = np.where(turned, 1 / links.ratio, links.ratio)
    order = np.lexsort((ratio, links.equal, pair))
    pair, ratio, equal = pair[order], ratio[order], links.equal[order]
    again = (pair[1:] == pair[:-1]) & (ratio[1:] == ratio[:-1]) & (equal[1:] == equal[:-1])
    return links.chosen(np.sort(order[np.concatenate([[True], ~again])]))


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """What links make of things.

    part    (things,)  things of one part are linked to each other
    order   (things,)  all things, part after part, in the order of their chain
    tied    (things,)  a thing is fixed by the one before it in that order
    scale   (things,)  x / scale rises along a chain
    up      (things,)  the thing each is linked to, nearer the start of its chain, or -1
    link    (things,)  the link that does it, -1 where a chain starts
    sound   (things,)  whether the part of this thing is a chain: no rings, no forks
    """

    part: Ints
    order: Ints
    tied: Bools
    scale: Floats
    up: Ints
    link: Ints
    sound: Bools


def chains_of(links: Links, things: int) -> Chains:
    """Follow the links between `things`.

    Equal things count as one. A part is a chain if its links form a tree that has, once equal
    things are one, a single thing on every level; rings and forks are left to the general solver.
    """
    from tacit.kernels.linking import trace

    ends = np.concatenate([links.low, links.high])
    near = np.argsort(ends, kind="stable") % max(links.low.size, 1)
    at = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=things))]).astype(np.int64)
    found = trace(at, near, links.low, links.high, links.ratio, links.equal)
    part, level = found.part[found.order], found.level[found.order]
    same_part = np.concatenate([[False], part[1:] == part[:-1]])[:things]
    tied = same_part & np.concatenate([[False], level[1:] == level[:-1]])[:things]
    levels = np.bincount(part[~tied], minlength=things)
    rises = np.bincount(found.part[links.low[~links.equal]], minlength=things)
    sound = (levels - 1 == rises)[found.part] & ~found.closed[found.part]
    return Chains(found.part, found.order, tied, found.scale, found.up, found.link, sound)


def with_singles(chains: Chains, more: int) -> Chains:
    """The chains, and after them so many things that no rule links."""
    count = chains.order.size
    own, none = np.arange(count, count + more), np.full(more, -1)
    return Chains(
        np.append(chains.part, own), np.append(chains.order, own),
        np.append(chains.tied, none > 0), np.append(chains.scale, np.ones(more)),
        np.append(chains.up, none), np.append(chains.link, none),
        np.append(chains.sound, none < 0),
    )  # fmt: skip


def handed_on(links: Links, link: Ints, thing: Ints, flow: Floats, scale: Floats) -> Floats:
    """The multiplier of each link: flow leaves its low end, whichever end it is reckoned from.

    thing  (links used,)  the end that was reached by the link, and what it hands to the other
    """
    outward = links.low[link] == thing
    signed = np.where(outward, flow, -flow) / (links.factor[link] * scale[links.low[link]])
    return np.asarray(np.where(links.equal[link], signed, np.maximum(signed, 0.0)))
