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
    order = np.lexsort((found.reached, found.level, found.part))
    part, level = found.part[order], found.level[order]
    same_part = np.concatenate([[False], part[1:] == part[:-1]])[:things]
    tied = same_part & np.concatenate([[False], level[1:] == level[:-1]])[:things]
    levels = np.bincount(part[~tied], minlength=things)
    rises = np.bincount(found.part[links.low[~links.equal]], minlength=things)
    sound = (levels - 1 == rises)[found.part] & ~found.closed[found.part]
    return Chains(found.part, order, tied, found.scale, found.up, found.link, sound)


def handed_on(links: Links, link: Ints, thing: Ints, flow: Floats, scale: Floats) -> Floats:
    """The multiplier of each link: flow leaves its low end, whichever end it is reckoned from.

    thing  (links used,)  the end that was reached by the link, and what it hands to the other
    """
    outward = links.low[link] == thing
    signed = np.where(outward, flow, -flow) / (links.factor[link] * scale[links.low[link]])
    return np.asarray(np.where(links.equal[link], signed, np.maximum(signed, 0.0)))
