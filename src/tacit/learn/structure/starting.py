"""Where a search begins: a given dag, checked against cases and rules, or the required arcs."""

from __future__ import annotations

from pathlib import Path

from tacit.core.dag import Dag
from tacit.core.errors import KnowledgeError, OptionError, SizeError, listed, nearest, quoted
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.knowledge.structural import arrow
from tacit.knowledge.wording import written
from tacit.learn.structure.bent import check_unbent
from tacit.learn.structure.perturbing import required_only
from tacit.learn.structure.question import Question
from tacit.learn.structure.state import Parents
from tacit.learn.structures import as_structure, families_of


def dag_named(given: Dag | Network | str | Path | None) -> Dag | None:
    """The dag that was given to begin at, if there is one."""
    return None if given is None else as_structure(given).dag


def start_of(question: Question, given: Dag | Network | str | Path | None) -> Parents:
    """The dag to begin at, by number; an error where it is not over these cases, or not allowed."""
    if given is None:
        return required_only(question.limits)
    dag = as_structure(given).dag
    for name in dag.names:
        if name not in question.names:
            raise OptionError(
                f"the start names {quoted(name)}, which is no column of the cases"
                f"{nearest(name, question.names)}\n\ncolumns: {listed(question.names)}"
            )
    families_of(dag, question.cases.variables)
    check_unbent(question.cases, dag, question.curves)
    _check_allowed(question, dag)
    whole = Dag({name: dag.parents.get(name, ()) for name in question.names})
    return question.parents(whole)


def check_kept(question: Question, begin: Parents) -> None:
    """Nothing, or an error about a family of the start with more numbers than can be kept."""
    for child, who in enumerate(begin):
        if not question.limits.keeps(child, who):
            names = question.names
            raise SizeError(
                f"{quoted(names[child])} given {listed(quoted(names[at]) for at in who)} has more "
                "numbers than can be kept, and these arcs are required or in the start"
                "\n\nrequire fewer parents, or merge states with tc.discretise"
            )


def _check_allowed(question: Question, dag: Dag) -> None:
    reasons, arcs = question.reasons, set(dag.arcs)
    for arc, rule in reasons.forbidden.items() if arcs else ():
        if arc in arcs:
            raise KnowledgeError(
                f"the start has the arc {arrow(*arc)}, which a rule forbids"
                f"\n\n    {written(rule)}\n\nstart without the arc, or drop the rule"
            )
    for arc, rule in reasons.required.items():
        if arc not in arcs:
            raise KnowledgeError(
                f"the start lacks the arc {arrow(*arc)}, which a rule requires"
                f"\n\n    {written(rule)}\n\nstart with the arc, or drop the rule"
            )
    for name, most in zip(question.names, reasons.most.tolist(), strict=True):
        there = len(dag.parents.get(name, ()))
        if there > most:
            raise KnowledgeError(
                f"in the start {quoted(name)} has {counted(there, 'parent')}, and at most "
                f"{most} are allowed\n\nstart with fewer, or allow more"
            )
