"""Where a hidden variable may stand: which variables get a new parent, and in which dags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import KnowledgeError, listed, quoted
from tacit.knowledge.limits import Limits
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.unseen.insertion import Insertion, Refusal, free_parameters, inserted
from tacit.learn.unseen.signatures import signatures
from tacit.learn.unseen.sought import Bench, Named

FEWEST = 3
"""Children that rules must leave of a set."""
SURE, LINKED, AROUND, EXPERT = (
    "links in bootstrap samples", "links of the dag", "all that one variable is linked to",
    "named by the expert",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A dag with a hidden variable put into it.

    source  what suggested its children
    moved   whether arcs from outside to the children go to the new variable instead
    asked   what an expert said of it, if one named it
    """

    insertion: Insertion
    source: str
    moved: bool
    asked: Named | None = None

    @property
    def name(self) -> str:
        """The new variable."""
        return self.insertion.name

    @property
    def dag(self) -> Dag:
        """The dag with it."""
        return self.insertion.dag


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Places in the order in which to try them, and those that are not tried, with the reason."""

    found: tuple[Place, ...]
    refused: tuple[Refusal, ...]
    more: int = 0


def places(
    bench: Bench,
    dag: Dag,
    confidence: ArcConfidence | None,
    done: Sequence[frozenset[str]] = (),
) -> Places:
    """The places that are worth a trial: the signatures, each of them in two ways.

    The source moves arcs from outside to the new variable. Where a child has parents of its own
    beside the hidden one, the truth leaves them where they are; both ways are tried.

    confidence  how sure links are, from bootstrap samples
    done        the children of hidden variables that are in already: the links among them are
                explained
    """
    return places_of(bench, dag, _signed(bench, dag, confidence, done))


def places_of(bench: Bench, dag: Dag, sets: Sequence[tuple[tuple[str, ...], str]]) -> Places:
    """The places above some sets of variables, the best first, each with what suggested it."""
    settings = bench.settings
    found, refused = list[Place](), list[Refusal]()
    name = free_name(settings.name, dag, bench.cases.names)
    wanted = _as_rules_want(sets, bench.limits(dag, name), name, settings.least)
    tried = left = 0
    for members, source in wanted:
        if tried == settings.tries:
            left += 1
            continue
        here, why = _ways(bench, dag, members, name, source, None)
        found += here
        refused += why
        tried += bool(here)
    return Places(tuple(found), tuple(refused), left)


def _as_rules_want(
    sets: Sequence[tuple[tuple[str, ...], str]], limits: Limits, name: str, least: int
) -> list[tuple[tuple[str, ...], str]]:
    """The sets with the children that rules require of the variable, without those they forbid it.

    A set that loses so many that fewer than three are left, or had fewer than `least`, stays as it
    is, to be refused with the reason.
    """
    place = {each: at for at, each in enumerate(limits.names)}
    here = place[name]
    must = [each for each in limits.names if limits.required[here, place[each]]]
    found = dict[frozenset[str], tuple[tuple[str, ...], str]]()
    for members, source in sets:
        free = [e for e in members if limits.allowed[here, place[e]] or e in must]
        whole = tuple(dict.fromkeys((*free, *must)))
        kept = whole if len(whole) >= min(least, FEWEST) else members
        found.setdefault(frozenset(kept), (kept, source))
    return list(found.values())


def named_places(bench: Bench, dag: Dag, named: Named) -> Places:
    """The same for the one variable that an expert named; an error if the rules are against it."""
    found, refused = _ways(bench, dag, named.children, named.name, EXPERT, named)
    if not found:
        who = listed(map(quoted, named.children))
        raise KnowledgeError(
            f"{quoted(named.name)} cannot be the parent of {who}: {refused[0].why}"
        )
    return Places(tuple(found), ())


def free_name(wanted: str, dag: Dag, columns: Iterable[str]) -> str:
    """The name, with a number behind it if it is taken."""
    taken = {*dag.names, *columns}
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted}{number}"
    return name


def _ways(
    bench: Bench, dag: Dag, members: Sequence[str], name: str, source: str, named: Named | None
) -> tuple[list[Place], list[Refusal]]:
    """The dags with the new variable above these, or why there is none."""
    if named is None and (why := _unwanted(bench, members)):
        return [], [Refusal(tuple(sorted(members)), why)]
    limits = bench.limits(dag, name)
    found, refused = dict[tuple[tuple[str, str], ...], Place](), list[Refusal]()
    for moved in (True, False):
        done = inserted(dag, members, name, limits, moved)
        if isinstance(done, Refusal):
            refused.append(done)
        elif idle := [each for each in bench.known if not done.dag.children[each]]:
            told = f"it would leave {listed(map(quoted, idle))} without a child"
            refused.append(Refusal(tuple(sorted(members)), told))
        else:
            found.setdefault(done.dag.arcs, Place(done, source, moved, named))
    return list(found.values()), [] if found else refused[:1]


def _unwanted(bench: Bench, members: Iterable[str]) -> str:
    """Why an expert does not want a variable above these; nothing if there is no reason."""
    return "the expert refused it" if is_refused(bench, frozenset(members)) else ""


def is_refused(bench: Bench, children: frozenset[str]) -> bool:
    """Whether an expert refused a variable that means these children."""
    return any(alike(children, refused) for refused in bench.settings.refused)


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of children mean the same variable: most of all they name is in both."""
    return 2 * len(one & other) > len(one | other)


def _signed(
    bench: Bench, dag: Dag, confidence: ArcConfidence | None, done: Sequence[frozenset[str]]
) -> list[tuple[tuple[str, ...], str]]:
    """By turns signatures of uncertain links, the surest first, those of the dag, and each variable
    with its neighbours, those that save most parameters first; no name decides between equals."""
    settings = bench.settings
    place = {name: at for at, name in enumerate((*bench.cases.names, *bench.known))}

    def own(members: Iterable[str]) -> tuple[int, ...]:
        return tuple(sorted(place[name] for name in members))

    soft = []
    if confidence is not None:
        shares = signatures(confidence, threshold=settings.threshold, least=settings.least)
        fresh = (e for e in shares if not any(_explained(e.members, who) for who in done))
        soft = sorted(fresh, key=lambda e: (-e.saves, -e.weakest, own(e.members)))
    states = {**bench.states(), settings.name: 2}
    hard = sorted(
        signatures(dag, least=settings.least),
        key=lambda e: (_parameters(dag, e.members, states), own(e.members)),
    )
    near = sorted(
        _neighbourhoods(dag, settings.least, done),
        key=lambda members: (_parameters(dag, members, states), own(members)),
    )
    by_turns = _by_turns(
        [(each.members, SURE) for each in soft], [(each.members, LINKED) for each in hard],
        [(members, AROUND) for members in near],
    )  # fmt: skip
    mute = constant(bench.completed)
    told = dict[frozenset[str], tuple[tuple[str, ...], str]]()
    for members, source in by_turns:
        left = tuple(each for each in members if each not in mute)
        if len(left) >= settings.least:
            told.setdefault(frozenset(left), (left, source))
    return list(told.values())


def constant(cases: Dataset) -> frozenset[str]:
    """The variables that have no second state in any case: they tell nothing of any other."""
    seen = {name: cases[name][~absent(cases[name])] for name in cases.names}
    return frozenset(name for name, codes in seen.items() if np.unique(codes).size < 2)


def _neighbourhoods(
    dag: Dag, least: int, done: Sequence[frozenset[str]]
) -> Iterator[tuple[str, ...]]:
    """Every variable with all that it is linked to.

    The children of a hidden variable of few states may be explained by one of them, that knows it
    best, nearly as well: a star, in which no two others are linked.
    """
    for name in dag.names:
        members = tuple(sorted({name, *dag.parents[name], *dag.children[name]}))
        if len(members) >= least and not any(_explained(members, who) for who in done):
            yield members


def _explained(members: Iterable[str], children: frozenset[str]) -> bool:
    mine = frozenset(members)
    return 2 * len(mine & children) > len(mine)


def _parameters(dag: Dag, members: Sequence[str], states: dict[str, int]) -> int:
    name = free_name("H", dag, ())
    done = inserted(dag, members, name)
    assert not isinstance(done, Refusal)
    return free_parameters(done.dag, {**states, name: 2})


def _by_turns(
    *several: Sequence[tuple[tuple[str, ...], str]],
) -> Iterator[tuple[tuple[str, ...], str]]:
    """One of each in turn, each set once: the first time it comes."""
    seen = set[frozenset[str]]()
    for at in range(max(map(len, several))):
        for each in several:
            if at < len(each) and frozenset(each[at][0]) not in seen:
                seen.add(frozenset(each[at][0]))
                yield each[at]
