"""What a chain remembers of its sweeps: sums in batches, squares, and thinned draws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints

BATCHES = 128
"""Batches that a chain has at most; then two become one."""


class Record(NamedTuple):
    """Of all chains of one block.

    tally    (chains, 6)  sweeps, full batches, sweeps in the open one, length of a batch, draws
                          kept, sweeps from one kept draw to the next
    centre   (n,)         sums are about this
    batches  (chains, BATCHES + 1, n)  sums of each batch; the last is the open one
    squares  (chains, n)
    kept     (chains, room, n)  where it is full, every second draw is dropped
    """

    tally: Ints
    centre: Floats
    batches: Floats
    squares: Floats
    kept: Floats


def record_for(centre: Floats, chains: int, room: int) -> Record:
    """Empty, with room for so many draws of every chain."""
    tally = np.zeros((chains, 6), dtype=np.int64)
    tally[:, 3] = tally[:, 5] = 1
    size = centre.size
    return Record(
        tally,
        centre,
        np.zeros((chains, BATCHES + 1, size)),
        np.zeros((chains, size)),
        np.empty((chains, room, size)),
    )


@njit(cache=True, nogil=True)
def note(
    tally: Ints, centre: Floats, batches: Floats, squares: Floats, kept: Floats, chain: int,
    theta: Floats,
) -> None:  # fmt: skip
    """One more sweep of a chain, in the arrays of a record."""
    full = tally[chain, 1]
    for i in range(centre.size):
        away = theta[i] - centre[i]
        batches[chain, full, i] += away
        squares[chain, i] += away * away
    tally[chain, 2] += 1
    if tally[chain, 2] == tally[chain, 3]:
        tally[chain, 1], tally[chain, 2] = full + 1, 0
        if full + 1 == BATCHES:
            _halve_batches(tally, batches, chain)
    if tally[chain, 0] % tally[chain, 5] == 0:
        if tally[chain, 4] == kept.shape[1]:
            _halve_draws(tally, kept, chain)
        if tally[chain, 0] % tally[chain, 5] == 0:
            for i in range(centre.size):
                kept[chain, tally[chain, 4], i] = theta[i]
            tally[chain, 4] += 1
    tally[chain, 0] += 1


@njit(cache=True, nogil=True)
def _halve_batches(tally: Ints, batches: Floats, chain: int) -> None:
    half = BATCHES // 2
    for at in range(half):
        for i in range(batches.shape[2]):
            batches[chain, at, i] = batches[chain, 2 * at, i] + batches[chain, 2 * at + 1, i]
    batches[chain, half:] = 0.0
    tally[chain, 1] = half
    tally[chain, 3] *= 2


@njit(cache=True, nogil=True)
def _halve_draws(tally: Ints, kept: Floats, chain: int) -> None:
    half = kept.shape[1] // 2
    for at in range(half):
        kept[chain, at] = kept[chain, 2 * at]
    tally[chain, 4] = half
    tally[chain, 5] *= 2
