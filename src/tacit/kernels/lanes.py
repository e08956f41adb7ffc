"""One clique tree over a whole network, run for many cases side by side.

The tables hold one number per cell and case (lane), so that every step is the same for all of them
and the machine does several at once. Findings enter as zeros in what they exclude. The product of
the factors is the same for all cases and made once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Codes, Floats, Ints
from tacit.kernels.forests import (
    ABOVE,
    AT,
    CELLS,
    INNER,
    LAST,
    LENGTH,
    OUTER,
    RUN,
    SEP_AT,
    SEP_CELLS,
    Forest,
    Words,
)

LEAST_MASS = 1e-200
"""Below this, cells of a clique may have been lost to underflow."""


class Owned(NamedTuple):
    """The variables that each clique does not pass on: every variable is in one such list.

    at               (cliques + 1,)  where those of a clique start in `variable` and `digit_at`
    digit_at, digits the state of a variable in each joint state of its list
    state_at         (variables + 1,)  where the states of a variable stand among all states
    """

    at: Ints
    variable: Ints
    digit_at: Ints
    digits: Ints
    state_at: Ints


class Lanes(NamedTuple):
    """Work space, one column per lane.

    psi        (cells, lanes)     potentials
    sep, sent  (messages, lanes)  messages up, messages on their way
    own        (cells, lanes)     the joint states of what a clique does not pass on
    """

    psi: Floats
    sep: Floats
    sent: Floats
    own: Floats


@njit(cache=True, nogil=True)
def _find(
    owned: Owned, c: int, states: int, codes: Codes, first: int, last: int, own: Floats
) -> None:
    """own[state, lane] = 1 where the findings of a case agree, else 0."""
    lanes = own.shape[1]
    for state in range(states):
        for lane in range(lanes):
            own[state, lane] = 1.0
    for each in range(owned.at[c], owned.at[c + 1]):
        v, at = owned.variable[each], owned.digit_at[each]
        for case in range(first, last):
            found = codes[case, v]
            for state in range(states if found >= 0 else 0):
                if owned.digits[at + state] != found:
                    own[state, case - first] = 0.0


@njit(cache=True, nogil=True)
def _begin(psi: Floats, start: int, states: int, size: int, prior: Floats, own: Floats) -> None:
    """psi[(state, place), lane] = prior[(state, place)] * own[state, lane]."""
    lanes = psi.shape[1]
    for state in range(states):
        for cell in range(start + state * size, start + (state + 1) * size):
            value = prior[cell]
            for lane in range(lanes):
                psi[cell, lane] = value * own[state, lane]


@njit(cache=True, nogil=True)
def _add_up(psi: Floats, start: int, cells: int, sep: Floats, first: int, size: int) -> None:
    """sep[place, lane] = the sum of psi[(state, place), lane] over states."""
    lanes = psi.shape[1]
    for place in range(size):
        for lane in range(lanes):
            sep[first + place, lane] = psi[start + place, lane]
    for layer in range(start + size, start + cells, size):
        for place in range(size):
            for lane in range(lanes):
                sep[first + place, lane] += psi[layer + place, lane]


@njit(cache=True, nogil=True)
def _multiply(
    psi: Floats, start: int, cells: int, slots: Ints, slot: int, offsets: Words, sep: Floats,
    first: int,
) -> None:  # fmt: skip
    """psi[cell, lane] *= sep[first + pattern(cell), lane]."""
    lanes, cell = psi.shape[1], start
    length, run = slots[slot, LENGTH], slots[slot, RUN]
    for o in range(cells // (length * run)):
        for i in range(length):
            offset = offsets[slots[slot, OUTER] + o] + offsets[slots[slot, INNER] + i]
            place = first + np.int64(offset)
            for _ in range(run):
                for lane in range(lanes):
                    psi[cell, lane] *= sep[place, lane]
                cell += 1


@njit(cache=True, nogil=True)
def _add(
    psi: Floats, start: int, cells: int, slots: Ints, slot: int, offsets: Words, sent: Floats,
    first: int,
) -> None:  # fmt: skip
    """sent[first + pattern(cell), lane] += psi[cell, lane]."""
    lanes, cell = psi.shape[1], start
    length, run = slots[slot, LENGTH], slots[slot, RUN]
    for o in range(cells // (length * run)):
        for i in range(length):
            offset = offsets[slots[slot, OUTER] + o] + offsets[slots[slot, INNER] + i]
            place = first + np.int64(offset)
            for _ in range(run):
                for lane in range(lanes):
                    sent[place, lane] += psi[cell, lane]
                cell += 1


@njit(cache=True, nogil=True)
def _finish(
    psi: Floats, start: int, cells: int, sent: Floats, first: int, size: int, own: Floats
) -> None:
    """psi[(state, place), lane] *= sent[place, lane], and its sums over places into own."""
    lanes = psi.shape[1]
    for state in range(cells // size):
        for lane in range(lanes):
            own[state, lane] = 0.0
        for place in range(size):
            cell = start + state * size + place
            for lane in range(lanes):
                value = psi[cell, lane] * sent[first + place, lane]
                psi[cell, lane] = value
                own[state, lane] += value


@njit(cache=True, nogil=True)
def _collect(
    f: Forest, owned: Owned, prior: Floats, codes: Codes, first: int, last: int, space: Lanes,
    masses: Floats,
) -> None:  # fmt: skip
    """Pass messages to the roots; masses[case] = P(findings), 0 where it is lost to underflow."""
    cliques, psi, sep = f.cliques, space.psi, space.sep
    for case in range(first, last):
        masses[case] = 1.0
    for c in range(f.kinds[1]):
        start, cells, size = cliques[c, AT], cliques[c, CELLS], cliques[c, SEP_CELLS]
        _find(owned, c, cells // size, codes, first, last, space.own)
        _begin(psi, start, cells // size, size, prior, space.own)
    for c in range(f.kinds[1]):
        place, above = cliques[c, SEP_AT], cliques[c, ABOVE]
        _add_up(psi, cliques[c, AT], cliques[c, CELLS], sep, place, cliques[c, SEP_CELLS])
        if above < 0:
            for case in range(first, last):
                masses[case] *= sep[place, case - first]
            continue
        start, cells = cliques[above, AT], cliques[above, CELLS]
        _multiply(psi, start, cells, f.slots, cliques[c, LAST], f.offsets, sep, place)
    for case in range(first, last):
        if not masses[case] > LEAST_MASS:
            masses[case] = 0.0


@njit(cache=True, nogil=True)
def _pass_down(f: Forest, c: int, space: Lanes) -> None:
    """The message from above, divided by what was sent up, and what it makes of clique c."""
    cliques, sep, sent = f.cliques, space.sep, space.sent
    place, size, above = cliques[c, SEP_AT], cliques[c, SEP_CELLS], cliques[c, ABOVE]
    lanes = sent.shape[1]
    if above >= 0:
        for at in range(place, place + size):
            for lane in range(lanes):
                sent[at, lane] = 0.0
        start, cells = cliques[above, AT], cliques[above, CELLS]
        _add(space.psi, start, cells, f.slots, cliques[c, LAST], f.offsets, sent, place)
        for at in range(place, place + size):
            for lane in range(lanes):
                sent[at, lane] = sent[at, lane] / sep[at, lane] if sep[at, lane] > 0.0 else 0.0
    _finish(space.psi, cliques[c, AT], cliques[c, CELLS], sent, place, size, space.own)


@njit(cache=True, nogil=True)
def _weigh_root(
    f: Forest, c: int, masses: Floats, weights: Floats, first: int, last: int, space: Lanes
) -> None:
    """Let a root add up to the weight of each case, to nothing where there is no case."""
    place = f.cliques[c, SEP_AT]
    for lane in range(space.sent.shape[1]):
        case = first + lane
        used = case < last and masses[case] > 0.0
        space.sent[place, lane] = weights[case] / space.sep[place, lane] if used else 0.0


@njit(cache=True, nogil=True)
def posteriors_by_lanes(
    f: Forest, owned: Owned, prior: Floats, codes: Codes, first: int, last: int, space: Lanes,
    masses: Floats, out: Floats,
) -> None:  # fmt: skip
    """The posterior of every variable of the cases first..last; their probabilities in `masses`, 0
    where posteriors are not to be used.

    out: the variables one after the other, each (cases, states), zero before
    """
    lanes, ones = space.psi.shape[1], np.ones(last)
    for begin in range(first, last, lanes):
        end = min(begin + lanes, last)
        _collect(f, owned, prior, codes, begin, end, space, masses)
        for c in range(f.kinds[1] - 1, -1, -1):
            if f.cliques[c, ABOVE] < 0:
                _weigh_root(f, c, masses, ones, begin, end, space)
            _pass_down(f, c, space)
            states = f.cliques[c, CELLS] // f.cliques[c, SEP_CELLS]
            for each in range(owned.at[c], owned.at[c + 1]):
                v, digit_at = owned.variable[each], owned.digit_at[each]
                card = owned.state_at[v + 1] - owned.state_at[v]
                for state in range(states):
                    at = codes.shape[0] * owned.state_at[v] + owned.digits[digit_at + state]
                    for case in range(begin, end):
                        out[at + case * card] += space.own[state, case - begin]


@njit(cache=True, nogil=True)
def expected_by_lanes(
    f: Forest, owned: Owned, prior: Floats, codes: Codes, weights: Floats, first: int, last: int,
    space: Lanes, masses: Floats, out: Floats,
) -> None:  # fmt: skip
    """Add the posterior of every cell of the cases first..last, with their weights, to `out`, one
    column per lane; their probabilities in `masses`, 0 where nothing was added."""
    lanes, psi = space.psi.shape[1], space.psi
    for begin in range(first, last, lanes):
        end = min(begin + lanes, last)
        _collect(f, owned, prior, codes, begin, end, space, masses)
        for c in range(f.kinds[1] - 1, -1, -1):
            if f.cliques[c, ABOVE] < 0:
                _weigh_root(f, c, masses, weights, begin, end, space)
            _pass_down(f, c, space)
            for cell in range(f.cliques[c, AT], f.cliques[c, AT] + f.cliques[c, CELLS]):
                for lane in range(lanes):
                    out[cell, lane] += psi[cell, lane]


@njit(cache=True, nogil=True)
def spread(
    codes: Codes, state_at: Ints, case: Ints, start: Ints, kind: Ints, member_at: Ints,
    members: Ints, values: Floats, out: Floats,
) -> None:  # fmt: skip
    """Write the posteriors of pieces, values[start[piece]] on, and what is observed.

    out: the variables one after the other, each (cases, states), zero before
    """
    cases = codes.shape[0]
    for row in range(cases):
        for v in range(codes.shape[1]):
            if codes[row, v] >= 0:
                card = state_at[v + 1] - state_at[v]
                out[cases * state_at[v] + row * card + codes[row, v]] = 1.0
    for piece in range(case.size):
        at = start[piece]
        for each in range(member_at[kind[piece]], member_at[kind[piece] + 1]):
            v = members[each]
            card = state_at[v + 1] - state_at[v]
            to = cases * state_at[v] + case[piece] * card
            for state in range(card):
                out[to + state] = values[at + state]
            at += card
