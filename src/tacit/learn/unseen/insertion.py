"""A hidden variable in the place of the links between its children."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from tacit.core.dag import AnyDag, Dag, as_dag
from tacit.core.errors import DagError, KnowledgeError, listed, quoted
from tacit.core.grid import counted
from tacit.core.independence import descendants
from tacit.knowledge.knowledge import KnowledgeLike, as_knowledge
from tacit.knowledge.limits import Limits, limits_of
from tacit.knowledge.structural import arrow

Arc: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Insertion:
    """A dag with a hidden variable put into it.

    children  whose common parent it is
    parents   whose arcs to the children now go to it, and those that rules require
    kept      arcs to children that stay: required, or because they cannot go to the new variable
    saved     how many arcs the dag has fewer
    """

    name: str
    children: tuple[str, ...]
    parents: tuple[str, ...]
    kept: tuple[Arc, ...]
    dag: Dag
    saved: int

    def __str__(self) -> str:
        above = f"{listed(map(quoted, self.parents))} -> " if self.parents else ""
        return f"{above}{quoted(self.name)} -> {listed(map(quoted, self.children))}"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the rules do not let a hidden variable be the parent of these variables."""

    children: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class _Rules:
    """What rules say about arcs by name; of variables that they do not cover, nothing."""

    limits: Limits
    place: Mapping[str, int]

    def covers(self, tail: str, head: str) -> bool:
        return tail in self.place and head in self.place

    def requires(self, tail: str, head: str) -> bool:
        place = self.place
        return self.covers(tail, head) and bool(self.limits.required[place[tail], place[head]])

    def allows(self, tail: str, head: str) -> bool:
        place = self.place
        return not self.covers(tail, head) or bool(self.limits.allowed[place[tail], place[head]])

    def most(self, head: str) -> float:
        return int(self.limits.most[self.place[head]]) if head in self.place else float("inf")


def insert_hidden(
    dag: AnyDag, members: Iterable[str], name: str = "H", *, knowledge: KnowledgeLike = None
) -> Dag:
    """The dag in which a new variable is the parent of `members` instead of what links them.

    Arcs among the members go; the new variable becomes the parent of each; an arc from outside to
    a member goes to the new variable instead. If the new variable already leads to where that arc
    comes from, this would close a cycle, and the arc stays as it is.

    knowledge  rules about structure, which may speak of the new variable. An arc that they require
               stays, and so does one from a variable that may not be a parent of the new one. An
               error says why where they cannot be obeyed.
    [Algorithm 5, second phase; HV1 3.4, HV1-28]
    """
    dag, members = as_dag(dag), [members] if isinstance(members, str) else list(members)
    _check(dag, members, name)
    limits = limits_of(as_knowledge(knowledge), (*dag.names, name))
    done = inserted(dag, members, name, limits)
    if isinstance(done, Refusal):
        who = listed(map(quoted, done.children))
        raise KnowledgeError(f"{quoted(name)} cannot be the parent of {who}: {done.why}")
    return done.dag


def inserted(
    dag: Dag,
    members: Sequence[str],
    name: str = "H",
    limits: Limits | None = None,
    move: bool = True,
) -> Insertion | Refusal:
    """The same, with what became of the arcs, or the reason why the rules do not let it be.

    move  whether arcs from outside go to the new variable, as the source has it; False leaves each
          child the parents it has outside
    """
    _check(dag, members, name)
    rules = _rules(Limits.none(()) if limits is None else limits)
    children = tuple(each for each in dag.names if each in set(members))
    below = descendants(dag, children)
    parents = _parents(dag, children, name, below, rules, move)
    kept = {
        child: tuple(
            parent
            for parent in dag.parents[child]
            if rules.requires(parent, child) or not (parent in parents or parent in children)
        )
        for child in children
    }
    if why := _broken(rules, name, parents, kept, below):
        return Refusal(tuple(sorted(members)), why)
    changed = {child: (name, *kept[child]) for child in children}
    whole = Dag({**dag.parents, **changed, name: parents})
    left = tuple((parent, child) for child in children for parent in kept[child])
    saved = len(dag.arcs) - len(whole.arcs)
    return Insertion(name, tuple(sorted(members)), parents, left, whole, saved)


def _rules(limits: Limits) -> _Rules:
    return _Rules(limits, {name: at for at, name in enumerate(limits.names)})


def _check(dag: Dag, members: Sequence[str], name: str) -> None:
    for member in members:
        dag.check_name(member)
    if not members:
        raise DagError("a hidden variable needs children; none are named")
    if len(set(members)) < len(members):
        raise DagError(f"a child of a hidden variable is named twice: {listed(members)}")
    if name in dag:
        raise DagError(f"the dag has a variable {name!r} already; choose another name")


def _parents(
    dag: Dag,
    children: Sequence[str],
    name: str,
    below: frozenset[str],
    rules: _Rules,
    move: bool,
) -> tuple[str, ...]:
    """Required ones, and those outside with arcs to children that are free to go.

    If there is no room for all, those with the most such arcs; of equally many all or none, so
    that the order of the variables decides nothing.
    """
    must = {parent for parent in dag.names if rules.requires(parent, name)}
    free = Counter(
        parent
        for child in (children if move else ())
        for parent in dag.parents[child]
        if parent not in below and not rules.requires(parent, child) and rules.allows(parent, name)
    )
    chosen = set(must)
    for arcs in sorted(set(free.values()), reverse=True):
        alike = {parent for parent in free if free[parent] == arcs}
        if len(chosen | alike) > rules.most(name):
            break
        chosen |= alike
    return tuple(each for each in dag.names if each in chosen)


def _broken(
    rules: _Rules,
    name: str,
    parents: tuple[str, ...],
    kept: Mapping[str, tuple[str, ...]],
    below: frozenset[str],
) -> str:
    """What the rules have against it, in words; nothing if they have nothing."""
    for parent in parents:
        if parent in below:
            return f"{arrow(parent, name)} is required, and would close a cycle"
    for child in rules.place:
        if child not in kept and rules.requires(name, child):
            return f"{arrow(name, child)} is required"
    for child, others in kept.items():
        if not rules.allows(name, child):
            return f"the rules forbid {arrow(name, child)}"
        if 1 + len(others) > rules.most(child):
            many = counted(1 + len(others), "parent")
            return f"{quoted(child)} would have {many}, and may have {rules.most(child)}"
    return ""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Dags with a hidden variable, in the order in which to try them, and what rules refused."""

    found: tuple[Insertion, ...]
    refused: tuple[Refusal, ...]


def candidates(
    dag: Dag,
    sets: Iterable[Sequence[str]],
    name: str = "H",
    *,
    limits: Limits | None = None,
    states: Mapping[str, int] | None = None,
) -> Candidates:
    """A hidden variable in the place of each of these sets.

    What a candidate is worth takes EM to know. Until then, those of a single dag are best put in
    order by the parameters that each saves, its likelihood may fall by their price before it scores
    less; sets found in many dags by how surely they are linked, as `signatures` returns them.

    states  of the variables, the new one among them: the candidates that save most parameters come
            first; without them all stay in the order of the sets
    """
    done = [inserted(dag, members, name, limits) for members in sets]
    found = [each for each in done if isinstance(each, Insertion)]
    if states:
        found.sort(key=lambda each: (free_parameters(each.dag, states), each.children))
    refused = tuple(each for each in done if isinstance(each, Refusal))
    return Candidates(tuple(found), refused)


def free_parameters(dag: Dag, states: Mapping[str, int]) -> int:
    """Of a network of full tables, Σ (states - 1) · rows [2.1.3]; of variables that are in no
    `states`, being continuous, lines: (continuous parents + 2) · rows."""
    found = 0
    for name, who in dag.parents.items():
        lines = sum(parent not in states for parent in who) + 2
        each = states[name] - 1 if name in states else lines
        found += each * prod(states.get(parent, 1) for parent in who)
    return found
