"""Posteriors of single variables in many contexts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.propagate import collect, distribute, marginal
from tacit.kernels.trees import Batch, Program, Room


class Open(NamedTuple):
    """The open variables of every kind, and where their posteriors go.

    at      (kinds + 1,)  those of a kind in `clique` (from the kind's first) and `dim`
    out_at  (contexts,)   where the posteriors of a context start
    """

    at: Ints
    clique: Ints
    dim: Ints
    out_at: Ints


@njit(cache=True, nogil=True)
def posteriors_of(
    p: Program, batch: Batch, opened: Open, theta: Floats, first: int, last: int, room: Room,
    out: Floats, log_masses: Floats,
) -> None:  # fmt: skip
    """The posterior of every open variable of the contexts first..last, side by side in `out`;
    nan where a context is impossible."""
    for context in range(first, last):
        kind = batch.kind[context]
        low, high = p.kinds[kind], p.kinds[kind + 1]
        mass = collect(p, low, high, batch.bases, batch.base_at[context], theta, room)
        log_masses[context] = mass
        if mass > -np.inf:
            distribute(p, low, high, room)
        at = opened.out_at[context]
        for each in range(opened.at[kind], opened.at[kind + 1]):
            c, dim = low + opened.clique[each], opened.dim[each]
            card = p.cards[p.dims[c] + dim]
            if mass > -np.inf:
                marginal(p, c, dim, room.psi, out[at : at + card])
            else:
                out[at : at + card] = np.nan
            at += card
