"""Clique trees: maximal cliques of an elimination, children before parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.infer.triangulation import Elimination


@dataclass(frozen=True, slots=True)
class CliqueTree:
    """Cliques of variables, and for each the clique above it; the root comes last with -1.

    Several trees may stand side by side, each with a root of its own.
    """

    cliques: tuple[tuple[int, ...], ...]
    parents: tuple[int, ...]


def step_tree(found: Elimination) -> CliqueTree:
    """One clique per eliminated variable, in the order of elimination: nothing is absorbed.

    The first variable of each clique is the one that goes, so sums and maxima can be mixed and
    choices traced back one variable at a time.
    """
    place = {v: at for at, v in enumerate(found.order)}
    parents = tuple(min((place[u] for u in clique[1:]), default=-1) for clique in found.cliques)
    return CliqueTree(found.cliques, parents)


def clique_tree(found: Elimination) -> CliqueTree:
    """The tree of an elimination: a clique hangs below the one in which its next variable goes.

    A clique that is its child less one variable is absorbed by that child.
    """
    place = {v: at for at, v in enumerate(found.order)}
    parents = [min((place[u] for u in clique[1:]), default=-1) for clique in found.cliques]
    stands_for = list(range(len(parents)))  # the clique that absorbed each one, itself if none
    for at, clique in enumerate(found.cliques):
        if stands_for[at] != at:
            continue
        inside = set(clique)
        while (
            (up := parents[at]) >= 0
            and stands_for[up] == up
            and inside.issuperset(found.cliques[up])
        ):
            stands_for[up] = at
            parents[at] = parents[up]
    return _ordered(found, parents, stands_for)


def _ordered(found: Elimination, parents: Sequence[int], stands_for: Sequence[int]) -> CliqueTree:
    """The kept cliques, each after all that hang below it."""

    def final(at: int) -> int:
        while at >= 0 and stands_for[at] != at:
            at = stands_for[at]
        return at

    parent = {at: final(parents[at]) for at, whose in enumerate(stands_for) if whose == at}
    below: dict[int, list[int]] = {at: [] for at in parent}
    roots: list[int] = []
    for at, up in parent.items():
        (below[up] if up >= 0 else roots).append(at)
    order: list[int] = []
    waiting = list(roots)
    while waiting:
        at = waiting.pop()
        order.append(at)
        waiting.extend(below[at])
    order.reverse()
    place = {at: n for n, at in enumerate(order)}
    return CliqueTree(
        tuple(found.cliques[at] for at in order),
        tuple(place[parent[at]] if parent[at] >= 0 else -1 for at in order),
    )
