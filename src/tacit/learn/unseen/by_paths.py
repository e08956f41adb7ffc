"""Hidden variables found along bottleneck paths: groups of a hierarchy are places, paths fill them.

A hierarchy above all columns says which of them hang together and how many states hold them
together, whatever the links of a dag; the signatures of a dag need enough cases for its links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from tacit.core.dag import Dag
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.fit import fit
from tacit.learn.unseen.learning import Learned, learned, scored
from tacit.learn.unseen.places import Place, named_places, places_of
from tacit.learn.unseen.rounds import Base, Course, Desk, Round, stronger
from tacit.learn.unseen.sought import PARAMS, Bench, Named
from tacit.learn.unseen.trials import WHOLE, Trial

SOURCE = "a hierarchy along the path of the bottleneck"
LEAST = 3
"""Children of a hidden variable that make a place."""


def round_by_paths(bench: Bench, base: Base, course: Course, named: Named | None = None) -> Round:
    """Try one more hidden variable above every group of a hierarchy, or where an expert fixed it.

    In every place a path of the method finds the numbers, with as many states as the group has in
    the hierarchy; structural EM goes on from there, as it does from signatures.
    """
    dag, counts = base.learned.network.dag, dict[frozenset[str], int]()
    if named is None:
        counts = {
            group: states
            for group, states in _groups(bench, course).items()
            if not any(2 * len(group & known) > len(group) for known in course.done)
        }
        spots = places_of(bench, dag, _sets_to_try(counts))
    else:
        spots = named_places(bench, dag, named)
    desk = Desk(bench, base, course, len(spots.found) + bench.settings.shown)
    trials = list[Trial]()
    for place in spots.found:
        if course.asked():
            break
        trials.append(_tried(bench, place, _states(bench, place, counts), course))
        desk.tell(1, trials[-1:])
    worked = desk.worked(trials)
    if worked and not course.asked():
        base = stronger(bench, base, worked[0])
    return Round(base, spots, tuple(trials), worked, course.asked())


def _sets_to_try(groups: Iterable[frozenset[str]]) -> list[tuple[tuple[str, ...], str]]:
    """The groups, then each without one of its members: what depends on another member beside the
    hidden variable is no child of it, and a hierarchy has no other place for it."""
    whole = [tuple(sorted(each)) for each in groups]
    less = [
        tuple(other for other in each if other != name)
        for each in whole
        if len(each) > LEAST
        for name in each
    ]
    return [(each, SOURCE) for each in dict.fromkeys((*whole, *less))]


def _groups(bench: Bench, course: Course) -> Mapping[frozenset[str], int]:
    """The children of every variable of a hierarchy above all columns, and its states; those that
    share most with their parent first."""
    columns = bench.cases.names
    name = _free(columns)
    start = Dag({name: (), **dict.fromkeys(columns, (name,))})
    method = bench.settings.method
    whole = replace(
        method, cardinality="adapt", structure=True, enrich=method.enrich or True,
        inference="exact", direction="simple", until=1.0,
    )  # fmt: skip
    found = course.memory.recall(
        _question(bench, "hierarchy", start, {name: 2}),
        lambda: Learned(_fitted(bench, start, {name: 2}, whole, rules=False), 0.0),
    )
    return {} if found is None else dict(_sets(found.network, columns, bench.settings.most_states))


def _sets(
    network: Network, columns: Sequence[str], most: int
) -> Iterator[tuple[frozenset[str], int]]:
    hidden = [name for name in network if name not in columns]
    sized = {name: [c for c in network.dag.children[name] if c in columns] for name in hidden}
    for name in sorted(hidden, key=lambda each: -len(sized[each])):
        variable = network.variables[name]
        assert isinstance(variable, Discrete)
        if len(sized[name]) >= LEAST:
            yield frozenset(sized[name]), min(len(variable.states), most)


def _states(
    bench: Bench, place: Place, counts: Mapping[frozenset[str], int]
) -> int | tuple[str, ...]:
    """How many states the variable has in a place: as was said, or as in the hierarchy."""
    said = place.asked.states if place.asked is not None else None
    if said is None:
        said = bench.settings.states
    if said is not None:
        return said
    mine = set(place.insertion.children)
    near = max(counts, key=lambda each: len(each & mine) / len(each | mine), default=frozenset())
    return counts.get(near, 2)


def _tried(bench: Bench, place: Place, states: int | tuple[str, ...], course: Course) -> Trial:
    """A path in a place, and structural EM from its end."""
    name, how = place.name, bench.settings.seek
    hidden: dict[str, int | tuple[str, ...]] = {
        each: known for each, known in bench.known.items() if each in place.dag
    }
    hidden[name] = states
    method = replace(bench.settings.method, cardinality="given", structure=False, enrich=False)
    begun = course.memory.recall(
        _question(bench, "path", place.dag, hidden),
        lambda: scored(bench, _fitted(bench, place.dag, hidden, method)),
    )
    many = states if isinstance(states, int) else len(states)
    if begun is None or how == PARAMS:
        return Trial(place, many, many, begun, settled=True)
    found = learned(bench, begun.network, name, how, WHOLE, course.memory)
    return Trial(place, many, many, found, settled=True)


def _fitted(
    bench: Bench,
    dag: Dag,
    hidden: Mapping[str, int | tuple[str, ...]],
    method: IBEM,
    rules: bool = True,
) -> Network:
    settings = bench.settings
    cases = bench.cases.select([each for each in bench.cases.names if each in dag])
    return fit(
        dag, cases, hidden=dict(hidden), method=method, prior=bench.prior,
        knowledge=bench.spoken(dag) if rules else None, seed=settings.seed,
        threads=settings.threads, progress=False,
    ).network  # fmt: skip


def _question(
    bench: Bench, what: str, dag: Dag, hidden: Mapping[str, int | tuple[str, ...]]
) -> str:
    said = f"{what} {dag} {sorted(hidden.items())} {bench.settings.method.describe()}"
    return sha256(said.encode()).hexdigest()[:32]


def _free(columns: Sequence[str]) -> str:
    name = "H"
    while name in columns:
        name += "H"
    return name
