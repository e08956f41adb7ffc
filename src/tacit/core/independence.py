"""What a dag says about independence: blankets, separation, moral graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from tacit.core.dag import AnyDag, Dag, as_dag
from tacit.core.errors import DagError


def ancestors(dag: AnyDag, names: str | Iterable[str]) -> frozenset[str]:
    """The variables from which an arc path leads to one of `names`, these included."""
    dag = as_dag(dag)
    return _reached(dag, names, dag.parents)


def descendants(dag: AnyDag, names: str | Iterable[str]) -> frozenset[str]:
    """The variables to which an arc path leads from one of `names`, these included."""
    dag = as_dag(dag)
    return _reached(dag, names, dag.children)


def _reached(
    dag: Dag, names: str | Iterable[str], step: Mapping[str, tuple[str, ...]]
) -> frozenset[str]:
    waiting: list[str] = list(_names(dag, names))
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(step[name])
    return frozenset(seen)


def markov_blanket(dag: AnyDag, name: str) -> frozenset[str]:
    """Parents, children and the children's other parents; given them, `name` is independent
    of everything else."""
    dag = as_dag(dag)
    dag.check_name(name)
    blanket = set(dag.parents[name]) | set(dag.children[name])
    for child in dag.children[name]:
        blanket.update(dag.parents[child])
    return frozenset(blanket - {name})


def moral_graph(dag: AnyDag) -> Mapping[str, frozenset[str]]:
    """The neighbours of every variable once parents are married and directions dropped."""
    dag = as_dag(dag)
    neighbours: dict[str, set[str]] = {name: set() for name in dag.names}
    for child, who in dag.parents.items():
        for one, other in combinations((*who, child), 2):
            neighbours[one].add(other)
            neighbours[other].add(one)
    return {name: frozenset(near) for name, near in neighbours.items()}


def d_separated(
    dag: AnyDag, one: str | Iterable[str], other: str | Iterable[str], given: Iterable[str] = ()
) -> bool:
    """Whether the dag makes `one` independent of `other` given `given`.

    A path is blocked by a chain or fork whose middle is given, or by a collider of which neither
    itself nor any descendant is given. Reachability over (variable, direction), linear in the arcs
    (the ball of Shachter 1998).
    """
    dag = as_dag(dag)
    ones, others, known = _names(dag, one), _names(dag, other), _names(dag, given)
    overlap = (ones & others) | (ones & known) | (others & known)
    if overlap:
        raise DagError(f"{min(overlap)!r} stands on two sides of an independence statement")
    return not (reachable(dag, ones, known) & others)


def reachable(dag: Dag, starts: frozenset[str], given: frozenset[str]) -> frozenset[str]:
    """The variables not separated from `starts` by `given`.

    The ball runs on through variables that are not given and bounces back from those that are: up
    from one that it met from above, which opens every collider above it.
    """
    up, down = True, False  # travelling towards parents or towards children
    waiting = [(name, up) for name in starts]
    seen: set[tuple[str, bool]] = set()
    found: set[str] = set()
    while waiting:
        name, direction = visit = waiting.pop()
        if visit in seen:
            continue
        seen.add(visit)
        free = name not in given
        if free:
            found.add(name)
            waiting.extend((child, down) for child in dag.children[name])
        if free == (direction == up):  # on through a free one, back from a given one
            waiting.extend((parent, up) for parent in dag.parents[name])
    return frozenset(found)


def _names(dag: Dag, names: str | Iterable[str]) -> frozenset[str]:
    chosen = frozenset([names] if isinstance(names, str) else names)
    for name in chosen:
        dag.check_name(name)
    return chosen
