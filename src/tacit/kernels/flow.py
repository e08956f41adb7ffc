"""Exact propagation in the clique trees of a forest, one context after the other."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.arrays import Floats, Ints
from tacit.kernels.forests import (
    ABOVE,
    AT,
    CELLS,
    FIRST,
    INNER,
    LAST,
    LENGTH,
    SEP_AT,
    SEP_CELLS,
    WHO,
    Forest,
    Space,
    add,
    multiply,
)  # fmt: skip
from tacit.kernels.trees import Batch

SHORT = 8
"""Messages up to this size are added up one by one, longer ones side by side."""
LEAST_MASS = 1e-200
"""Below this, cells of a clique may have been lost to underflow."""


@njit(cache=True, nogil=True)
def _rescale(psi: Floats, start: int, cells: int) -> float:
    """Divide the cells from `start` on by the largest; its log, -inf if there is nothing left."""
    top = 0.0
    for cell in range(start, start + cells):
        top = max(top, psi[cell])
    if not top > 0.0:
        return -np.inf
    for cell in range(start, start + cells):
        psi[cell] /= top
    return float(np.log(top))


@njit(cache=True, nogil=True)
def _pass_up(psi: Floats, start: int, cells: int, sep: Floats, first: int, size: int) -> float:
    """Add a clique up into its message; the mass of it."""
    mass, to, step = 0.0, np.uint64(first), np.uint64(size)
    begin, end = np.uint64(start), np.uint64(start) + np.uint64(cells)
    if size < SHORT:
        for place in range(step):
            total = 0.0
            for cell in range(begin + place, end, step):
                total += psi[cell]
            sep[to + place] = total
            mass += total
        return mass
    for place in range(step):
        sep[to + place] = psi[begin + place]
    for cell in range(begin + step, end, step):
        for place in range(step):
            sep[to + place] += psi[cell + place]
    for place in range(to, to + step):
        mass += sep[place]
    return mass


@njit(cache=True, nogil=True)
def _pass_down(psi: Floats, start: int, cells: int, sent: Floats, first: int, size: int) -> None:
    """Multiply a clique by a message from above."""
    begin, end = np.uint64(start), np.uint64(start) + np.uint64(cells)
    origin, step = np.uint64(first), np.uint64(size)
    for cell in range(begin, end, step):
        for place in range(step):
            psi[cell + place] *= sent[origin + place]


@njit(cache=True, nogil=True)
def _collect(
    f: Forest, kind: int, bases: Ints, base_at: int, theta: Floats, space: Space, careful: bool
) -> float:
    """What `collect` does, in one way or the other; nan where masses became too small."""
    cliques, slots, offsets = f.cliques, f.slots, f.offsets
    psi, sep, sent, log_mass = space.psi, space.sep, space.sent, 0.0
    low, high = f.kinds[kind], f.kinds[kind + 1]
    for cell in range(cliques[high - 1, AT] + cliques[high - 1, CELLS]):
        psi[cell] = 1.0
    for c in range(low, high):
        start, cells = cliques[c, AT], cliques[c, CELLS]
        for slot in range(cliques[c, FIRST], cliques[c, LAST]):
            base = bases[base_at + slots[slot, WHO]]
            multiply(psi, start, cells, slots, slot, offsets, theta, base)
            if careful:
                log_mass += _rescale(psi, start, cells)
        first, size, above = cliques[c, SEP_AT], cliques[c, SEP_CELLS], cliques[c, ABOVE]
        mass = _pass_up(psi, start, cells, sep, first, size)
        if not mass > LEAST_MASS:
            return -np.inf if careful else np.nan
        log_mass += np.log(mass)
        if above < 0:
            for cell in range(start, start + cells):
                psi[cell] /= mass
            continue
        for place in range(first, first + size):
            sent[place] = sep[place] / mass
        start, cells = cliques[above, AT], cliques[above, CELLS]
        multiply(psi, start, cells, slots, cliques[c, LAST], offsets, sent, first)
        if careful:
            log_mass += _rescale(psi, start, cells)
    return log_mass


@njit(cache=True, nogil=True)
def collect(f: Forest, kind: int, bases: Ints, base_at: int, theta: Floats, space: Space) -> float:
    """Fill the cliques of a kind and pass messages to the root; log of the total mass.

    Afterwards each clique holds its factors times the messages from below, the roots scaled to add
    up to one; -inf if the findings are impossible. Where a mass comes near the smallest number
    there is, everything is done again with care: every product is scaled at once.
    """
    mass = _collect(f, kind, bases, base_at, theta, space, False)
    return _collect(f, kind, bases, base_at, theta, space, True) if np.isnan(mass) else mass


@njit(cache=True, nogil=True)
def distribute(f: Forest, kind: int, space: Space) -> None:
    """Pass messages from the roots back: each clique becomes its posterior."""
    cliques, psi, sep, sent = f.cliques, space.psi, space.sep, space.sent
    for c in range(f.kinds[kind + 1] - 1, f.kinds[kind] - 1, -1):
        above, first, size = cliques[c, ABOVE], cliques[c, SEP_AT], cliques[c, SEP_CELLS]
        if above < 0:
            continue
        for place in range(first, first + size):
            sent[place] = 0.0
        start, cells = cliques[above, AT], cliques[above, CELLS]
        add(psi, start, cells, f.slots, cliques[c, LAST], f.offsets, sent, first, 1.0)
        for place in range(first, first + size):
            sent[place] = sent[place] / sep[place] if sep[place] > 0.0 else 0.0
        _pass_down(psi, cliques[c, AT], cliques[c, CELLS], sent, first, size)


@njit(cache=True, nogil=True)
def fill(f: Forest, bases: Ints, theta: Floats, psi: Floats) -> None:
    """The product of its factors in every clique of the first kind."""
    cliques, slots = f.cliques, f.slots
    for c in range(f.kinds[1]):
        start, cells = cliques[c, AT], cliques[c, CELLS]
        for cell in range(start, start + cells):
            psi[cell] = 1.0
        for slot in range(cliques[c, FIRST], cliques[c, LAST]):
            base = bases[slots[slot, WHO]]
            multiply(psi, start, cells, slots, slot, f.offsets, theta, base)


@njit(cache=True, nogil=True)
def expect(
    f: Forest, kind: int, bases: Ints, base_at: int, weight: float, psi: Floats, out: Floats
) -> None:
    """Add weight x the posterior of every factor to its cells of `out`."""
    cliques, slots, offsets = f.cliques, f.slots, f.offsets
    for c in range(f.kinds[kind], f.kinds[kind + 1]):
        start, cells = cliques[c, AT], cliques[c, CELLS]
        for slot in range(cliques[c, FIRST], cliques[c, LAST]):
            base = bases[base_at + slots[slot, WHO]]
            add(psi, start, cells, slots, slot, offsets, out, base, weight)


@njit(cache=True, nogil=True)
def expected_counts(
    f: Forest, batch: Batch, theta: Floats, first: int, last: int, space: Space, out: Floats,
    log_masses: Floats,
) -> None:  # fmt: skip
    """Expected counts of the contexts first..last into `out`, their log masses beside them."""
    for context in range(first, last):
        kind, at = batch.kind[context], batch.base_at[context]
        mass = collect(f, kind, batch.bases, at, theta, space)
        log_masses[context] = mass
        if mass > -np.inf:
            distribute(f, kind, space)
            expect(f, kind, batch.bases, at, batch.weights[context], space.psi, out)


@njit(cache=True, nogil=True)
def log_masses_of(
    f: Forest, batch: Batch, theta: Floats, first: int, last: int, space: Space, log_masses: Floats
) -> None:
    """The log mass of the contexts first..last alone."""
    for context in range(first, last):
        kind, at = batch.kind[context], batch.base_at[context]
        log_masses[context] = collect(f, kind, batch.bases, at, theta, space)


@njit(cache=True, nogil=True)
def posteriors_of(
    f: Forest, batch: Batch, theta: Floats, first: int, last: int, space: Space, out_at: Ints,
    out: Floats, log_masses: Floats,
) -> None:  # fmt: skip
    """The posterior of every open variable of the contexts first..last, side by side in `out`;
    nan where a context is impossible.

    out_at  (contexts + 1,)  where the posteriors of a context start
    """
    for context in range(first, last):
        kind, at = batch.kind[context], out_at[context]
        mass = collect(f, kind, batch.bases, batch.base_at[context], theta, space)
        log_masses[context] = mass
        out[at : out_at[context + 1]] = 0.0 if mass > -np.inf else np.nan
        if mass == -np.inf:
            continue
        distribute(f, kind, space)
        view = f.views[kind]
        while at < out_at[context + 1]:
            c = f.kinds[kind] + f.slots[view, WHO]
            start, cells = f.cliques[c, AT], f.cliques[c, CELLS]
            add(space.psi, start, cells, f.slots, view, f.offsets, out, at, 1.0)
            last = f.slots[view, INNER] + f.slots[view, LENGTH] - 1  # shows the last state
            at += np.int64(f.offsets[last]) + 1
            view += 1
