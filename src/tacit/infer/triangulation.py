"""Orders of elimination: which variable to sum out next."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

COSTLY = 1_000_000
"""Cells from which it pays to look for a better order."""
ROUNDS, PATIENCE, SECONDS = 16, 4, 10.0
"""How often at most, how often in vain, and how long."""


@dataclass(frozen=True, slots=True)
class Elimination:
    """An order, the clique each step makes (its variable first), and the cells of all of them."""

    order: tuple[int, ...]
    cliques: tuple[tuple[int, ...], ...]
    cost: int


def eliminate(
    neighbours: Mapping[int, Iterable[int]],
    cards: Mapping[int, int] | tuple[int, ...],
    measure: str = "fill",
    random: np.random.Generator | None = None,
    last: frozenset[int] = frozenset(),
) -> Elimination:
    """Greedy: always the variable whose elimination costs least; those of `last` come last.

    measure: "fill", fewest new links, or "weight", smallest clique; ties go to the other measure,
    then to chance if `random` is given, else to the first.
    """
    graph = {v: set(near) for v, near in neighbours.items()}
    order, cliques = _leaves(graph, last)
    noise = _noise(graph, random)

    def price(v: int) -> tuple[bool, float, float, float]:
        near = graph[v]
        weight = cards[v] * prod(cards[u] for u in near)
        fill = _missing_links(graph, near)
        first, second = (fill, weight) if measure == "fill" else (weight, fill)
        return (v in last, first, second, noise[v])

    current = {v: price(v) for v in graph}
    heap = [(each, v) for v, each in current.items()]
    heapq.heapify(heap)
    while heap:
        each, v = heapq.heappop(heap)
        if current.get(v) != each:
            continue
        near = graph.pop(v)
        del current[v]
        order.append(v)
        cliques.append((v, *sorted(near)))
        for u in _join(graph, v, near, measure):
            fresh = price(u)
            if fresh != current[u]:
                current[u] = fresh
                heapq.heappush(heap, (fresh, u))
    cost = sum(prod(cards[v] for v in clique) for clique in cliques)
    return Elimination(tuple(order), tuple(cliques), cost)


def _leaves(
    graph: dict[int, set[int]], last: frozenset[int]
) -> tuple[list[int], list[tuple[int, ...]]]:
    """Take out, as long as there are any, variables with one neighbour or none: no order does
    better, and chains and trees are done with."""
    order, cliques = [], []
    waiting = [v for v, near in graph.items() if len(near) <= 1 and v not in last]
    while waiting:
        following = []
        for v in waiting:
            if v not in graph or len(graph[v]) > 1:
                continue
            near = graph.pop(v)
            order.append(v)
            cliques.append((v, *near))
            for u in near:
                graph[u].discard(v)
                if len(graph[u]) <= 1 and u not in last:
                    following.append(u)
        waiting = following
    return order, cliques


def _noise(graph: Mapping[int, set[int]], random: np.random.Generator | None) -> dict[int, float]:
    if random is None:
        return {v: float(v) for v in graph}
    return dict(zip(graph, map(float, random.random(len(graph))), strict=True))


def _missing_links(graph: Mapping[int, set[int]], near: set[int]) -> int:
    linked = sum(len(graph[u] & near) for u in near)
    return (len(near) * (len(near) - 1) - linked) // 2


def _join(graph: dict[int, set[int]], v: int, near: set[int], measure: str) -> set[int]:
    """Take v out and link its neighbours; the variables whose price may have changed."""
    touched = set(near)
    for u in near:
        graph[u].discard(v)
        new = near - graph[u] - {u}
        if new:
            graph[u] |= new
            if measure == "fill":  # a new link u-w also serves the variables near both
                touched.update(*(graph[u] & graph[w] for w in new))
    return touched


def best_elimination(
    neighbours: Mapping[int, Iterable[int]],
    cards: Mapping[int, int] | tuple[int, ...],
    last: frozenset[int] = frozenset(),
) -> Elimination:
    """The cheaper of min-fill and min-weight; where that is costly, of several with ties broken
    by chance, the same ones every time unless they take too long."""
    best = eliminate(neighbours, cards, "fill", last=last)
    if all(len(clique) <= 2 for clique in best.cliques):
        return best  # a forest: nothing is cheaper
    best = min(best, eliminate(neighbours, cards, "weight", last=last), key=lambda each: each.cost)
    random, stop, idle = np.random.default_rng(0), time.monotonic() + SECONDS, 0
    for number in range(ROUNDS if best.cost > COSTLY else 0):
        if idle == PATIENCE or time.monotonic() > stop:
            break
        tried = eliminate(neighbours, cards, ("fill", "weight")[number % 2], random, last)
        idle = 0 if tried.cost < best.cost else idle + 1
        best = min(best, tried, key=lambda each: each.cost)
    return best
