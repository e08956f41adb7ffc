"""`score`: what a dag, its families and single changes of it are worth on some cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.core.dag import Dag
from tacit.core.errors import DagError, OptionError, quoted
from tacit.core.grid import Grid
from tacit.core.network import Network
from tacit.core.options import names_in
from tacit.estimate.scores.dag_priors import DagPrior
from tacit.estimate.scores.values import BIC, AnyScore
from tacit.knowledge.limits import Limits
from tacit.learn.curved import own_curves
from tacit.learn.gathered import gather_measured
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.question import check_complete, check_scores, scorer_of
from tacit.learn.structures import as_structure

UNMEASURED = (
    "a dag is scored on what was measured: tc.cheeseman_stutz scores networks with hidden variables"
)
VERBS = ("add", "delete", "reverse")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scored:
    """A dag with its score: the sum over families, the prior over dags included, in nats.

    families  what each variable with its parents adds
    """

    dag: Dag
    families: Mapping[str, float]
    scored_by: str
    _ledger: Ledger

    @property
    def total(self) -> float:
        """The score of the dag."""
        return float(sum(self.families.values()))

    def __getitem__(self, name: str) -> float:
        return self.families[self._ledger.limits.names[self._place(name)]]

    def family(self, child: str, parents: str | Sequence[str]) -> float:
        """What the child would add with these parents instead of its own."""
        parents = names_in("parents", parents)
        places = tuple(sorted(self._place(name) for name in parents))
        if child in parents:
            raise OptionError(f"{quoted(child)} is no parent of itself")
        for name in parents:
            if parents.count(name) > 1:
                raise OptionError(f"the parent {quoted(name)} is named twice")
        return self._ledger.family(self._place(child), places)

    def gain(self, move: str) -> float:
        """What a change would gain: "add A -> B", "delete A -> B" or "reverse A -> B"."""
        verb, _, said = (move if isinstance(move, str) else "").strip().partition(" ")
        arcs = Dag.parse(said).arcs if verb in VERBS and said.strip() else ()
        if len(arcs) != 1:
            raise OptionError(
                f"{move!r} is no change of one arc\n\nwrite for example "
                '"add A -> B", "delete A -> B" or "reverse A -> B"'
            )
        after = _changed(self.dag, verb, *arcs[0])
        touched = [name for name in self.dag.names if after.parents[name] != self.dag.parents[name]]
        return sum(self.family(each, after.parents[each]) - self[each] for each in touched)

    def _place(self, name: str) -> int:
        names = self._ledger.limits.names
        if name not in names:
            raise OptionError(f"the dag has no variable {quoted(str(name))}")
        return names.index(name)

    def __repr__(self) -> str:
        return f"<Scored: {self.total:,.2f} nats by {self.scored_by}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()

    def grid(self) -> Grid:
        """One line per family."""
        rows = tuple(
            (quoted(name), ", ".join(map(quoted, self.dag.parents[name])) or "-", f"{worth:,.3f}")
            for name, worth in self.families.items()
        )
        title = f"{self.scored_by} of {self.total:,.2f} nats, by family"
        return Grid(title, ("variable", "parents", "nats"), rows, labels=2)


def score(
    structure: Dag | Network | str | Path,
    data: Any,
    score: AnyScore | None = None,
    *,
    dag_prior: DagPrior | None = None,
    threads: int | None = None,
) -> Scored:
    """What a dag is worth on complete cases; nothing is fitted. [HV1 1.5]

    structure  a dag, its text, a network (its states count, and which variables follow curves), or
               a file of one
    score      `tc.BIC()` unless given; any prior scores by its log marginal likelihood
    """
    chosen = BIC() if score is None else score
    prior = check_scores(chosen, dag_prior)
    given = as_structure(structure)
    gathered = gather_measured(given, data, UNMEASURED)
    cases, dag = gathered.cases.select(given.dag.names), given.dag
    check_complete(cases)
    limits = Limits.none(dag.names)
    terms = None if prior is None else prior.terms(dag.names)
    curves = own_curves(given.network) or None
    ledger = Ledger(scorer_of(cases, chosen, threads, curves), limits, terms)
    place = {name: at for at, name in enumerate(dag.names)}
    families = {
        name: ledger.family(at, tuple(sorted(place[who] for who in dag.parents[name])))
        for name, at in place.items()
    }
    return Scored(dag, families, chosen.describe(), ledger)


def _changed(dag: Dag, verb: str, tail: str, head: str) -> Dag:
    """The dag after a change of one arc; an error where it has, or lacks, the arc."""
    for name in (tail, head):
        if name not in dag.parents:
            raise OptionError(f"the dag has no variable {quoted(name)}")
    there = tail in dag.parents[head]
    if there == (verb == "add"):
        what = "has" if there else "does not have"
        raise DagError(f"the dag {what} the arc {quoted(tail)} -> {quoted(head)}")
    parents = {name: list(who) for name, who in dag.parents.items()}
    if verb == "add":
        parents[head].append(tail)
    else:
        parents[head].remove(tail)
    if verb == "reverse":
        parents[tail].append(head)
    return Dag({name: tuple(who) for name, who in parents.items()})
