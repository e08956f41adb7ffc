"""Which dags say the same: equivalence classes, their pattern, and independence maps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from tacit.core.dag import AnyDag, Dag, as_dag
from tacit.core.errors import DagError, quoted
from tacit.core.independence import d_separated


@dataclass(frozen=True, slots=True)
class Cpdag:
    """The class of all dags equivalent to one: compelled arcs, and links free to turn.

    arcs   (parent, child) pairs that every dag of the class has
    links  pairs that some dags direct one way and some the other, in alphabetical order
    """

    names: frozenset[str]
    arcs: frozenset[tuple[str, str]]
    links: frozenset[tuple[str, str]]

    def __str__(self) -> str:
        parts = [f"{quoted(a)} -> {quoted(b)}" for a, b in sorted(self.arcs)]
        parts += [f"{quoted(a)} - {quoted(b)}" for a, b in sorted(self.links)]
        linked = {name for pair in self.arcs | self.links for name in pair}
        return "; ".join(parts + [quoted(name) for name in sorted(self.names - linked)])


def skeleton(dag: Dag) -> frozenset[frozenset[str]]:
    """The pairs of variables joined by an arc, in either direction."""
    return frozenset(frozenset(arc) for arc in dag.arcs)


def v_structures(dag: Dag) -> frozenset[tuple[frozenset[str], str]]:
    """Two parents that no arc joins, and their common child."""
    joined = skeleton(dag)
    return frozenset(
        (frozenset(pair), child)
        for child, who in dag.parents.items()
        for pair in combinations(who, 2)
        if frozenset(pair) not in joined
    )


def equivalent(one: AnyDag, other: AnyDag) -> bool:
    """Whether both imply the same independences: same skeleton, same v-structures
    (Verma and Pearl 1990; Chickering 1995)."""
    one, other = as_dag(one), as_dag(other)
    return (
        set(one.names) == set(other.names)
        and skeleton(one) == skeleton(other)
        and v_structures(one) == v_structures(other)
    )


def cpdag(dag: AnyDag, fixed: Iterable[tuple[str, str]] = ()) -> Cpdag:
    """The pattern of the class of `dag`: v-structures, closed under Meek's rules.

    fixed  arcs of the dag that may not turn, whatever the class says; then the pattern is that of
           the members of the class that have them

    Rules 1 to 3 suffice when nothing but v-structures is oriented at first, with fixed arcs it
    takes all four (Meek 1995).
    """
    dag = as_dag(dag)
    arcs = {(tail, child) for pair, child in v_structures(dag) for tail in pair}
    for tail, head in fixed:
        if tail not in dag.parents.get(head, ()):
            raise DagError(f"the dag has no arc {quoted(tail)} -> {quoted(head)} that could stay")
        arcs.add((tail, head))
    links = {frozenset(arc) for arc in dag.arcs} - {frozenset(arc) for arc in arcs}
    near: dict[str, set[str]] = {name: set() for name in dag.names}
    for tail, head in dag.arcs:
        near[tail].add(head)
        near[head].add(tail)
    downwards = [(tail, head) for head in dag.order for tail in dag.parents[head]]
    turned = True
    while turned:
        turned = False
        for tail, head in downwards:  # a compelled link turns the way the dag itself does
            if frozenset((tail, head)) in links and _compelled(tail, head, arcs, links, near):
                links.discard(frozenset((tail, head)))
                arcs.add((tail, head))
                turned = True
    pairs = frozenset((min(link), max(link)) for link in links)
    return Cpdag(frozenset(dag.names), frozenset(arcs), pairs)


def _compelled(
    tail: str,
    head: str,
    arcs: set[tuple[str, str]],
    links: set[frozenset[str]],
    near: dict[str, set[str]],
) -> bool:
    into = [other for other in near[tail] if (other, tail) in arcs]
    if any(other not in near[head] for other in into):
        return True  # rule 1: other -> tail - head, else a new v-structure
    between = [mid for mid in near[tail] & near[head] if (mid, head) in arcs]
    if any((tail, mid) in arcs for mid in between):
        return True  # rule 2: tail -> mid -> head, else a cycle
    linked = [mid for mid in between if frozenset((tail, mid)) in links]
    if any(b not in near[a] for a, b in combinations(linked, 2)):
        return True  # rule 3
    far = near[tail] - near[head]
    return any((other, mid) in arcs for mid in between for other in far)  # rule 4, else a cycle


def is_imap(candidate: AnyDag, truth: AnyDag) -> bool:
    """Whether every independence that `candidate` states holds in `truth`.

    The candidate may leave out variables of the truth (they are marginalised). Enough to test: each
    variable is independent of its predecessors given its parents, in one topological order; the
    rest follows by the semi-graphoid axioms (Pearl 1988, theorem 9).
    """
    candidate, truth = as_dag(candidate), as_dag(truth)
    for name in candidate.names:
        truth.check_name(name)
    return all(_local(candidate, truth, at) for at in range(len(candidate.order)))


def _local(candidate: Dag, truth: Dag, at: int) -> bool:
    name = candidate.order[at]
    parents = candidate.parents[name]
    others = [before for before in candidate.order[:at] if before not in parents]
    return not others or d_separated(truth, name, others, parents)


def is_minimal_imap(candidate: AnyDag, truth: AnyDag) -> bool:
    """Whether `candidate` is an I-map of `truth` that stays none if any one arc is removed."""
    candidate, truth = as_dag(candidate), as_dag(truth)
    if not is_imap(candidate, truth):
        return False
    return not any(
        is_imap(Dag({**candidate.parents, head: _without(candidate.parents[head], tail)}), truth)
        for tail, head in candidate.arcs
    )


def minimal_imap(truth: AnyDag, order: Sequence[str]) -> Dag:
    """The minimal I-map of `truth` over the variables of `order`, with arcs along that order.

    Each variable keeps of its predecessors only those it is not separated from given the others.
    """
    truth = as_dag(truth)
    if len(set(order)) < len(order):
        raise DagError(f"the order names a variable twice: {', '.join(order)}")
    for name in order:
        truth.check_name(name)
    parents: dict[str, tuple[str, ...]] = {}
    for at, name in enumerate(order):
        who: tuple[str, ...] = tuple(order[:at])
        for parent in order[:at]:
            rest = _without(who, parent)
            if d_separated(truth, name, parent, rest):
                who = rest
        parents[name] = who
    return Dag(parents)


def _without(names: Iterable[str], name: str) -> tuple[str, ...]:
    return tuple(other for other in names if other != name)
