"""Trees of questions grown on cases: at every node the question that gains most.

A node keeps its cases as a stretch of one array; asking a question sorts the stretch by branch.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.arrays import Bools, Floats, Ints
from tacit.kernels.families import log_gamma

FULL, ONE = 1, 2
"""A branch for every state; one state against all others."""


class Lines(NamedTuple):
    """Cases as a kernel takes them: codes (parents, lines), the child's, and how often each counts.

    first  (parents + 1,) where the states of each parent stand among those of all
    """

    codes: Ints
    child: Ints
    weights: Floats
    first: Ints
    states: int


class Terms(NamedTuple):
    """What a row is worth: strength / (rows x states) + each pseudo-counts in every cell, below 0
    the greatest likelihood instead; what a row costs; and whether questions do, too.

    A question is one of so many that could be asked there, and asking at all one choice of two:
    log 2 and the log of their number.
    """

    strength: float
    each: float
    price: float
    priced: bool


class Bans(NamedTuple):
    """Parents that may not be asked for in some contexts: (bans,) the parent, (bans, states of all
    parents) the states of which the context is made."""

    axis: Ints
    room: Bools


class Grown(NamedTuple):
    """Nodes in the order in which they were made: axis -1 at a leaf; `to` by state."""

    axis: Ints
    to: Ints
    worth: Floats
    room: Bools
    begin: Ints
    end: Ints
    share: Floats
    toll: Floats


@njit(cache=True, nogil=True)
def row_worth(counts: Floats, share: float, terms: Terms) -> float:
    """The log marginal likelihood of one row, or its greatest log-likelihood, less its price."""
    total, found = 0.0, -terms.price
    for count in counts:
        total += count
    if total <= 0.0:
        return found
    if terms.each < 0.0:
        for count in counts:
            if count > 0.0:
                found += count * log(count / total)
        return found
    alpha = terms.strength * share / counts.size + terms.each
    known = log_gamma(alpha)
    for count in counts:
        if count > 0.0:
            found += log_gamma(alpha + count) - known
    whole = alpha * counts.size
    return found + log_gamma(whole) - log_gamma(whole + total)


@njit(cache=True, nogil=True)
def _banned(room: Bools, axis: int, bans: Bans, first: Ints) -> bool:
    """Whether a rule says that this parent does not matter for some case of the node."""
    for ban in range(bans.axis.size):
        if bans.axis[ban] != axis:
            continue
        meets = True
        for other in range(first.size - 1):
            here = slice(first[other], first[other + 1])
            meets = meets and bool((room[here] & bans.room[ban, here]).any())
        if meets:
            return True
    return False


@njit(cache=True, nogil=True)
def _ask(
    lines: Lines, order: Ints, grown: Grown, node: int, axis: int, table: Floats, total: Floats
) -> int:
    """Count the cases of a node by the state of one parent; how many states have any."""
    table[:] = 0.0
    for at in range(grown.begin[node], grown.end[node]):
        line = order[at]
        table[lines.codes[axis, line], lines.child[line]] += lines.weights[line]
    total[:] = 0.0
    some = 0
    for state in range(lines.first[axis + 1] - lines.first[axis]):
        here = 0.0
        for child in range(lines.states):
            here += table[state, child]
            total[child] += table[state, child]
        some += here > 0.0
    return some


@njit(cache=True, nogil=True)
def questions_open(room: Bools, tests: int, bans: Bans, first: Ints) -> int:
    """How many questions could be asked of a node's cases."""
    many = 0
    for axis in range(first.size - 1):
        open_ = room[first[axis] : first[axis + 1]].sum()
        if open_ >= 2 and not _banned(room, axis, bans, first):
            many += (tests & FULL) > 0 or open_ == 2
            many += open_ * ((tests & ONE) > 0 and open_ > 2)
    return many


@njit(cache=True, nogil=True)
def _worth_of_all(table: Floats, room: Bools, share: float, terms: Terms) -> float:
    """What the rows are worth if every state that is possible has one of its own."""
    found = 0.0
    for state in range(room.size):
        if room[state]:
            found += row_worth(table[state], share, terms)
    return found


@njit(cache=True, nogil=True)
def _best_apart(
    table: Floats, total: Floats, room: Bools, share: float, terms: Terms
) -> tuple[float, int]:
    """The state that is best set apart from all others, and what both rows are worth."""
    rest, best, apart = np.zeros(total.size), -np.inf, -1
    many = room.sum()
    for state in range(room.size):
        rest[:] = total - table[state]
        if room[state] and table[state].sum() > 0.0:
            found = row_worth(table[state], share / many, terms)
            found += row_worth(rest, share * (many - 1) / many, terms)
            if found > best:
                best, apart = found, state
    return best, apart


@njit(cache=True, nogil=True)
def _best(
    lines: Lines, order: Ints, grown: Grown, node: int, terms: Terms, tests: int, bans: Bans
) -> tuple[int, int]:
    """The question that gains most: the parent, and the state set apart or -1; parent -1: none."""
    table, total = np.zeros((grown.to.shape[1], lines.states)), np.zeros(lines.states)
    best, chosen, apart = -np.inf, -1, -1
    for axis in range(lines.first.size - 1):
        room = grown.room[node, lines.first[axis] : lines.first[axis + 1]]
        open_ = room.sum()
        if open_ < 2 or _banned(grown.room[node], axis, bans, lines.first):
            continue
        if _ask(lines, order, grown, node, axis, table, total) < 2:
            continue
        if tests & FULL or open_ == 2:
            found = _worth_of_all(table, room, grown.share[node] / open_, terms)
            if found > best:
                best, chosen, apart = found, axis, -1
        if tests & ONE and open_ > 2:
            found, state = _best_apart(table, total, room, grown.share[node], terms)
            if found > best:
                best, chosen, apart = found, axis, state
    return chosen, apart


@njit(cache=True, nogil=True)
def _branches(room: Bools, apart: int) -> tuple[Ints, int]:
    """The branch of every state of a parent, and how many there are: what no case here can have
    goes with the first."""
    branch = np.zeros(room.size, dtype=np.int64)
    if apart >= 0:
        branch[:] = 1
        branch[apart] = 0
        return branch, 2
    many = 0
    for state in range(room.size):
        if room[state]:
            branch[state] = many
            many += 1
    return branch, many


@njit(cache=True, nogil=True)
def _sorted(codes: Ints, order: Ints, branch: Ints, many: int) -> Ints:
    """Sort the cases of a node by branch; (branches + 1,) where each begins."""
    begin = np.zeros(many + 1, dtype=np.int64)
    for line in order:
        begin[branch[codes[line]] + 1] += 1
    for one in range(many):
        begin[one + 1] += begin[one]
    place, sorted_ = begin.copy(), np.empty(order.size, dtype=np.int64)
    for line in order:
        one = branch[codes[line]]
        sorted_[place[one]] = line
        place[one] += 1
    order[:] = sorted_
    return begin


@njit(cache=True, nogil=True)
def _split(
    lines: Lines, order: Ints, grown: Grown, node: int, many: int, axis: int, apart: int
) -> int:
    """Give a node the branches of a question, its cases sorted by them; how many nodes are now."""
    start, end = lines.first[axis], lines.first[axis + 1]
    room, open_ = grown.room[node], grown.room[node, start:end].sum()
    branch, branches = _branches(room[start:end], apart)
    at = grown.begin[node]
    begin = at + _sorted(lines.codes[axis], order[at : grown.end[node]], branch, branches)
    grown.axis[node] = axis
    for one in range(branches):
        child = many + one
        grown.axis[child] = -1
        grown.begin[child], grown.end[child] = begin[one], begin[one + 1]
        grown.room[child] = room
        grown.room[child, start:end] = room[start:end] & (branch == one)
        grown.share[child] = grown.share[node] * grown.room[child, start:end].sum() / open_
    grown.to[node, : end - start] = many + branch
    return many + branches


@njit(cache=True, nogil=True)
def _node_worth(lines: Lines, order: Ints, grown: Grown, node: int, terms: Terms) -> float:
    counts = np.zeros(lines.states)
    for at in range(grown.begin[node], grown.end[node]):
        counts[lines.child[order[at]]] += lines.weights[order[at]]
    return row_worth(counts, grown.share[node], terms)


@njit(cache=True, nogil=True)
def _prune(lines: Lines, grown: Grown, many: int) -> None:
    """From the last node to the first: a question stays if the leaves below are worth more."""
    for at in range(many - 1, -1, -1):
        axis = grown.axis[at]
        if axis >= 0:
            to = grown.to[at, : lines.first[axis + 1] - lines.first[axis]]
            below = grown.worth[to.min() : to.max() + 1].sum() - grown.toll[at]
            if below > grown.worth[at]:
                grown.worth[at] = below
            else:
                grown.axis[at] = -1


@njit(cache=True, nogil=True)
def grow(lines: Lines, order: Ints, terms: Terms, tests: int, bans: Bans, grown: Grown) -> int:
    """Grow a tree until no question could pay, then take back what did not; how many nodes.

    A question is asked even where it gains nothing by itself: those below it may. Two leaves with
    cases cost two prices and are worth at most as much as if all but their first cases were
    certain; a leaf worth that much is left alone. `grown.worth` of the root is that of the tree.
    """
    grown.axis[0], grown.begin[0], grown.end[0] = -1, 0, order.size
    grown.room[0], grown.share[0] = True, 1.0
    bound = -2.0 * terms.price - (2.0 * log(lines.states) if terms.each >= 0.0 else 0.0)
    bound -= log(2.0) if terms.priced else 0.0
    many, node, most = 1, 0, grown.to.shape[1]
    while node < many:
        grown.worth[node] = _node_worth(lines, order, grown, node, terms)
        if grown.worth[node] < bound and many + most <= grown.axis.size:
            axis, apart = _best(lines, order, grown, node, terms, tests, bans)
            if axis >= 0:
                if terms.priced:
                    asked = questions_open(grown.room[node], tests, bans, lines.first)
                    grown.toll[node] = log(2.0) + log(float(asked))
                many = _split(lines, order, grown, node, many, axis, apart)
        node += 1
    _prune(lines, grown, many)
    return many
