"""Ways to leave a local maximum: another dag, not far away, that obeys the limits; other cases."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.knowledge.limits import Limits
from tacit.learn.structure.state import Change, Parents, State

TRIES = 1_000
"""Random changes tried in vain before a dag is taken for one that cannot be changed."""
MOST_DRAWS = 2.0**53
"""Cases that a bootstrap sample has at most; their weights add up to the whole in any case."""


def reordered(parents: Parents, limits: Limits, moved: int, rng: np.random.Generator) -> Parents:
    """The same links after some variables changed places in a topological order.

    An arc that then points backwards is turned where the limits allow it, else left as it is where
    that closes no cycle, else dropped. Single turns and deletions would each cost score; together
    they often lead over the ridge between two maxima.
    """
    order = _order(parents, rng)
    for _ in range(moved):
        order.insert(int(rng.integers(len(order))), order.pop(int(rng.integers(len(order)))))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    arcs = [(tail, head) for head, who in enumerate(parents) for tail in who]
    return _assembled(arcs, place, limits)


def _order(parents: Parents, rng: np.random.Generator) -> list[int]:
    """A topological order, variables of equal depth at random."""
    depth: dict[int, int] = {}

    def of(variable: int) -> int:
        if variable not in depth:
            stack = [variable]
            while stack:
                here = stack[-1]
                open_ = [parent for parent in parents[here] if parent not in depth]
                if open_:
                    stack.extend(open_)
                else:
                    depth[here] = 1 + max((depth[each] for each in parents[here]), default=-1)
                    stack.pop()
        return depth[variable]

    ties = rng.random(len(parents))
    return sorted(range(len(parents)), key=lambda variable: (of(variable), ties[variable]))


def _assembled(arcs: Iterable[tuple[int, int]], place: Ints, limits: Limits) -> Parents:
    """A dag of these arcs, turned to agree with the places as far as limits and cycles allow."""
    from tacit.kernels.dags import add_paths

    n = len(limits.names)
    above = np.zeros((n, n), dtype=np.bool_)
    found: list[set[int]] = [set() for _ in range(n)]

    def put(tail: int, head: int) -> bool:
        room = len(found[head]) < limits.most[head]
        if not (limits.allowed[tail, head] and room) or above[head, tail]:
            return False
        found[head].add(tail)
        add_paths(above, tail, head)
        return True

    required = list(zip(*np.nonzero(limits.required), strict=True))
    for tail, head in required:
        put(int(tail), int(head))
    for tail, head in arcs:
        if limits.required[tail, head]:
            continue
        forward = place[tail] < place[head]
        first, second = ((tail, head), (head, tail)) if forward else ((head, tail), (tail, head))
        if not put(*first):
            put(*second)
    return tuple(tuple(sorted(who)) for who in found)


def shaken(state: State, changes: int, rng: np.random.Generator) -> Parents:
    """The dag after so many random legal changes; the state is used up."""
    for _ in range(changes):
        change = random_change(state, rng)
        if change is None:
            break
        state.turn(change)
    return state.now


def random_change(state: State, rng: np.random.Generator) -> Change | None:
    """A legal change, every pair of variables equally likely; None if none was found."""
    n = state.ledger.n
    for _ in range(TRIES if n > 1 else 0):
        tail, head = int(rng.integers(n)), int(rng.integers(n - 1))
        head += head >= tail
        verb = "add"
        if state.arcs[tail, head]:
            verb = "delete" if rng.random() < 0.5 else "reverse"
        change = Change(verb, tail, head, 0.0)
        if not state.arcs[head, tail] and state.legal(change):
            return change
    return None


def required_only(limits: Limits) -> Parents:
    """The dag of the required arcs and no others."""
    return tuple(
        tuple(int(tail) for tail in np.flatnonzero(limits.required[:, head]))
        for head in range(len(limits.names))
    )


def drawn_again(weights: Floats, rng: np.random.Generator) -> Floats:
    """Weights of cases drawn as often as these weigh, each with a probability like its weight."""
    total = float(weights.sum())
    many = max(1, round(min(total, MOST_DRAWS)))
    draws = rng.multinomial(many, weights / total)
    return np.asarray(draws * (total / many), dtype=np.float64)
