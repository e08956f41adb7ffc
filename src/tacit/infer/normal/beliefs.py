"""What many cases say about a few open states: a clique tree whose tables have a line per case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TypeAlias

import numpy as np

from tacit.arrays import Floats, shares_of_logs
from tacit.infer.cliques import CliqueTree, clique_tree
from tacit.infer.triangulation import best_elimination

Scope: TypeAlias = tuple[int, ...]
Factor: TypeAlias = tuple[Scope, Floats]
"""Variables, and logs: (cases or 1, states of each...)."""

CERTAIN = 1e7
"""Stands for an infinite log density: large enough to decide, small enough to keep the rest."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A clique tree in which every scope asked for stands in some clique."""

    cards: Mapping[int, int]
    tree: CliqueTree

    @staticmethod
    def of(cards: Mapping[int, int], scopes: Sequence[Scope]) -> Tree:
        """The tree of these open variables."""
        near: dict[int, set[int]] = {place: set() for place in cards}
        for scope in scopes:
            for one, other in combinations(scope, 2):
                near[one].add(other)
                near[other].add(one)
        return Tree(cards, clique_tree(best_elimination(near, cards)))

    @property
    def cells(self) -> int:
        """How many numbers a case takes."""
        return sum(prod(self.cards[v] for v in clique) for clique in self.tree.cliques)

    def home(self, scope: Scope) -> int:
        """The smallest clique that holds a scope."""
        held = [at for at, each in enumerate(self.tree.cliques) if set(scope) <= set(each)]
        return min(held, key=lambda at: prod(self.cards[v] for v in self.tree.cliques[at]))

    def _gathered(self, factors: Sequence[Factor]) -> list[Floats]:
        """The product of the factors of every clique, in logs."""
        cliques = self.tree.cliques
        whole = [np.zeros((1, *(self.cards[v] for v in each))) for each in cliques]
        for scope, values in factors:
            at = self.home(scope)
            whole[at] = whole[at] + _spread(scope, values, cliques[at])
        return whole

    def best(self, factors: Sequence[Factor]) -> tuple[float, Mapping[int, int]]:
        """The largest product of the factors of one case, in logs, and the states that give it."""
        cliques, above = self.tree.cliques, self.tree.parents
        whole, value, chosen = self._gathered(factors), 0.0, dict[int, int]()
        for at, (clique, parent) in enumerate(zip(cliques, above, strict=True)):
            if parent < 0:
                value += float(whole[at].max())
                continue
            common = _common(clique, cliques[parent])
            gone = tuple(1 + n for n, v in enumerate(clique) if v not in common)
            whole[parent] = whole[parent] + _spread(
                common, whole[at].max(axis=gone), cliques[parent]
            )
        for at in reversed(range(len(cliques))):
            clique = cliques[at]
            held = whole[at][0][tuple(chosen.get(v, slice(None)) for v in clique)]
            free = [v for v in clique if v not in chosen]
            states = np.unravel_index(int(held.argmax()), held.shape) if free else ()
            chosen |= {v: int(state) for v, state in zip(free, states, strict=True)}
        return value, chosen

    def calibrated(self, factors: Sequence[Factor], cases: int) -> Beliefs:
        """The posteriors of all cliques, by one pass up and one down."""
        cliques, above = self.tree.cliques, self.tree.parents
        whole = self._gathered(factors)
        mass, up = np.zeros(cases), list(whole)
        for at, (clique, parent) in enumerate(zip(cliques, above, strict=True)):
            if parent < 0:
                mass = mass + _summed(clique, whole[at], ())
                continue
            common = _common(clique, cliques[parent])
            up[at] = _summed(clique, whole[at], common)
            whole[parent] = whole[parent] + _spread(common, up[at], cliques[parent])
        for at in reversed(range(len(cliques))):
            if above[at] >= 0:
                parent, common = above[at], _common(cliques[at], cliques[above[at]])
                down = _summed(cliques[parent], whole[parent], common)
                gone = np.isneginf(up[at])
                with np.errstate(invalid="ignore"):
                    down = np.where(gone, 0.0, down - up[at])
                whole[at] = whole[at] + _spread(common, down, cliques[at])
        return Beliefs(self, mass, tuple(whole))


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """What is believed of every clique, in logs up to a constant.

    mass  (cases,) the log of what all factors sum to
    """

    tree: Tree
    mass: Floats
    whole: tuple[Floats, ...]

    def of(self, scope: Scope) -> Floats:
        """(cases, states...) the posterior of variables that share a clique; nan where it cannot
        be."""
        at = self.tree.home(scope)
        found = _summed(self.tree.tree.cliques[at], self.whole[at], scope)
        values = shares_of_logs(found.reshape(len(found), -1)).reshape(found.shape)
        return np.asarray(np.broadcast_to(values, (self.mass.size, *values.shape[1:])))


def _common(clique: Scope, other: Scope) -> Scope:
    return tuple(v for v in clique if v in other)


def _spread(scope: Scope, values: Floats, clique: Scope) -> Floats:
    """The values with the axes of a clique, of length one where the scope lacks them."""
    held = [v for v in clique if v in scope]
    ordered = values.transpose([0, *(1 + scope.index(v) for v in held)])
    sizes = iter(ordered.shape[1:])
    return ordered.reshape(len(values), *(next(sizes) if v in scope else 1 for v in clique))


def _summed(clique: Scope, values: Floats, kept: Scope) -> Floats:
    """log Σ exp over all axes but those kept, which come in their own order."""
    gone = tuple(1 + at for at, v in enumerate(clique) if v not in kept)
    if gone:
        top = values.max(axis=gone, keepdims=True)
        safe = np.where(np.isneginf(top), 0.0, top)
        with np.errstate(divide="ignore"):
            values = np.log(np.exp(values - safe).sum(axis=gone)) + safe.squeeze(axis=gone)
    left = tuple(v for v in clique if v in kept)
    return values.transpose([0, *(1 + left.index(v) for v in kept)])
