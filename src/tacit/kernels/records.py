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
def note(record: Record, chain: int, theta: Floats) -> None:
    """One more sweep."""
    tally, centre = record.tally[chain], record.centre
    full = tally[1]
    row, squares = record.batches[chain, full], record.squares[chain]
    for i in range(centre.size):
        away = theta[i] - centre[i]
        row[i] += away
        squares[i] += away * away
    tally[2] += 1
    if tally[2] == tally[3]:
        tally[1], tally[2] = full + 1, 0
        if tally[1] == BATCHES:
            _halve_batches(record, chain)
    if tally[0] % tally[5] == 0:
        if tally[4] == record.kept.shape[1]:
            _halve_draws(record, chain)
        if tally[0] % tally[5] == 0:
            record.kept[chain, tally[4]] = theta
            tally[4] += 1
    tally[0] += 1


@njit(cache=True, nogil=True)
def _halve_batches(record: Record, chain: int) -> None:
    batches = record.batches[chain]
    half = BATCHES // 2
    for at in range(half):
        for i in range(batches.shape[1]):
            batches[at, i] = batches[2 * at, i] + batches[2 * at + 1, i]
    batches[half:] = 0.0
    record.tally[chain, 1] = half
    record.tally[chain, 3] *= 2


@njit(cache=True, nogil=True)
def _halve_draws(record: Record, chain: int) -> None:
    kept = record.kept[chain]
    half = kept.shape[0] // 2
    for at in range(half):
        kept[at] = kept[2 * at]
    record.tally[chain, 4] = half
    record.tally[chain, 5] *= 2
