"""Traces of hidden variables by definition: on names, sets and fractions. A dag is {name: parents}.

They import nothing of what they check.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import naive

Parents = Mapping[str, Sequence[str]]
Weights = Mapping[frozenset[str], Fraction]
"""How surely each two variables are linked; those that are not named, not at all."""


def at_random(rng, size, most, prefix="X"):
    """A dag along a hidden order that neither names nor listing show."""
    names = [f"{prefix}{at}" for at in range(size)]
    order = [names[at] for at in rng.permutation(size)]
    parents = {}
    for at, name in enumerate(order):
        many = int(rng.integers(0, min(at, most) + 1))
        parents[name] = tuple(order[i] for i in rng.choice(at, many, replace=False))
    return {name: parents[name] for name in names}


def without(parents: Parents, name: str, order: Sequence[str]) -> dict[str, set[str]]:
    """The variable's arcs to its children turned in this order, then it is left out.

    Turning A -> B makes every parent of either a parent of both (Shachter 1988). It may be turned
    as long as no other path leads from A to B, so the children come in topological order.
    """
    above = {each: set(who) for each, who in parents.items()}
    for child in order:
        both = (above[name] | above[child]) - {name}
        above[child], above[name] = set(both), both | {child}
        assert naive.acyclic(above)
    assert not any(name in who for who in above.values())
    return {each: who for each, who in above.items() if each != name}


def linked(parents: Parents) -> Weights:
    return {frozenset((a, b)): Fraction(1) for b, who in parents.items() for a in who}


def mean_links(dags: Sequence[Parents]) -> Weights:
    """The share of these dags that join each two."""
    found: dict[frozenset[str], Fraction] = {}
    for dag in dags:
        for pair in linked(dag):
            found[pair] = found.get(pair, Fraction(0)) + Fraction(1, len(dags))
    return found


def inside(weights: Weights, one: str, others: Collection[str]) -> Fraction:
    return sum((weights.get(frozenset((one, each)), Fraction(0)) for each in others), Fraction(0))


def is_semi_clique(weights: Weights, members: Collection[str], threshold: object) -> bool:
    """Definition 4.1.2, and the two ways to read its relaxation."""
    size = Fraction(len(members))
    for one in members:
        links = inside(weights, one, set(members) - {one})
        holds = {
            "strict": links > size / 2,
            "half": links >= size / 2,
            "others": links >= (size - 1) / 2,
        }.get(threshold)
        if holds is None:
            holds = links >= Fraction(str(threshold)) * (size - 1)
        if not holds:
            return False
    return True


def triangles(weights: Weights, names: Sequence[str], threshold: object) -> list[frozenset[str]]:
    return [
        frozenset(three)
        for three in combinations(names, 3)
        if all(frozenset(pair) in weights for pair in combinations(three, 2))
        and is_semi_clique(weights, three, threshold)
    ]


def find_hidden(weights: Weights, names: Sequence[str], threshold: object, least: int) -> set:
    """Algorithm 5 with ExpandClique as printed, each set once."""
    found = []
    for seed in triangles(weights, names, threshold):
        members, expanded = set(seed), True
        while expanded:
            expanded = False
            for name in names:
                if name not in members and is_semi_clique(weights, members | {name}, threshold):
                    members.add(name)
                    expanded = True
        if len(members) >= least:
            found.append(frozenset(members))
    return set(found)


def every_way(weights: Weights, names: Sequence[str], threshold: object, least: int) -> set:
    """Sets grown by the most linked variable; all of several at once if they may, else each."""
    done, seen = set(), set()

    def grow(members: frozenset[str]) -> None:
        if members in seen:
            return
        seen.add(members)
        fit = [
            name
            for name in names
            if name not in members and is_semi_clique(weights, members | {name}, threshold)
        ]
        if not fit:
            done.add(members)
            return
        top = max(inside(weights, name, members) for name in fit)
        best = [name for name in fit if inside(weights, name, members) == top]
        if is_semi_clique(weights, members | set(best), threshold):
            grow(members | set(best))
        else:
            for name in best:
                grow(members | {name})

    for seed in triangles(weights, names, threshold):
        grow(seed)
    return {members for members in done if len(members) >= least}


def with_parent(parents: Parents, members: Collection[str], name: str) -> dict[str, set[str]]:
    """The candidate, arc by arc: an arc to the new variable only if no cycle comes of it."""
    above = {each: set(who) for each, who in parents.items()}
    above[name] = set()
    for child in members:
        above[child] = (above[child] - set(members)) | {name}
    for parent in set(parents) - set(members):
        if parent in naive.descends(above, name):
            continue
        for child in members:
            if parent in above[child]:
                above[child].discard(parent)
                above[name].add(parent)
    assert naive.acyclic(above)
    return above
