"""Fragments whose variable has other parents than at the target.

Parents that only the source has are summed out: N(x, y, z) = Σ_w N(x, y, z, w), whose most likely
table is Σ_w P(x given y, z, w) P(w given y, z) with the source's own P(w given y, z). For parents
that only the target has the table is repeated, its cases divided evenly over the repetitions so
that none counts twice. The log of the number of alignments is paid for the choice.
[EXT-8; Luis, Sucar and Morales 2010, who take P(w) for P(w given y, z)]
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from math import log, prod

import numpy as np

from tacit.estimate.transfer.fragments import Fragment, Match

NOBODY = -1
"""In the order of a match: no parent of the fragment takes this place."""
MOST_ALIGNMENTS = 5_000
"""Of one fragment, tried at most."""


def aligned(fragment: Fragment, shape: tuple[int, ...]) -> Iterator[Match]:
    """The fragment with some parents summed out, some repeated for, or both."""
    theirs, ours = fragment.counts.shape, shape[:-1]
    if theirs[-1] != shape[-1]:
        return
    found = list(_placings(theirs[:-1], ours))[:MOST_ALIGNMENTS]
    price = log(len(found)) if found else 0.0
    for order in found:
        used = [at for at in order if at != NOBODY]
        rest = tuple(at for at in range(len(theirs) - 1) if at not in used)
        summed = fragment.counts.sum(axis=rest)
        kept = sorted(used)
        turned = np.transpose(summed, (*(kept.index(at) for at in used), len(used)))
        wide = tuple(1 if at == NOBODY else theirs[at] for at in order)
        times = prod(size for size, at in zip(ours, order, strict=True) if at == NOBODY)
        counts = np.broadcast_to(turned.reshape(*wide, shape[-1]) / times, shape)
        yield Match(fragment, order, (None,) * len(shape), counts, price)


def _placings(theirs: tuple[int, ...], ours: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every way to put some of their parents in our places, most of them first; not the ways in
    which all of theirs take all of ours, which are orders and no alignments."""
    for number in range(min(len(theirs), len(ours)), -1, -1):
        if number == len(theirs) == len(ours):
            continue
        for places in combinations(range(len(ours)), number):
            for chosen in permutations(range(len(theirs)), number):
                if all(theirs[a] == ours[p] for a, p in zip(chosen, places, strict=True)):
                    at = dict(zip(places, chosen, strict=True))
                    yield tuple(at.get(place, NOBODY) for place in range(len(ours)))
