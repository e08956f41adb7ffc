"""`check`: rules and a network in; what the rules say without data out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacit.core.dag import Dag
from tacit.core.errors import KnowledgeError, OptionError
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.estimate.continuous.tying import tie_conflicts
from tacit.knowledge.cells import Cells
from tacit.knowledge.checks import Check, Frame, checked
from tacit.knowledge.conflicts import Conflict
from tacit.knowledge.knowledge import Knowledge, KnowledgeLike, as_knowledge
from tacit.knowledge.regressions import bind_regressions, speaks_of_reals, speaks_of_regressions
from tacit.knowledge.statements import Rule
from tacit.learn.causes.kinds import caused_of
from tacit.learn.causes.linking import spoken_of_links
from tacit.learn.structures import Structure, as_structure, families_of


def check(
    knowledge: KnowledgeLike,
    network: Dag | Network | str | Path,
    data: Any = None,
    *,
    everything: bool = False,
) -> Check:
    """What rules say without data: can they hold together, which are implied, what they settle.

    If they cannot, the smallest set that conflicts is shown, and why in numbers. Rules that name
    what the network does not have are an error. Rules that are not linear are shown with what they
    stand for; only a search in a fit can tell whether they hold.

    knowledge   a text, a file (`.know`), `tc.Knowledge`, or several of them
    network     a network, a dag, its text, or a file of one; its numbers are not used
    data        cases, for the states of a dag that has none; not needed where rules speak of
                coefficients, intercepts and variances alone: all its variables are real then
    everything  compute all intervals and redundant rules even where that takes long
    """
    known = as_knowledge(knowledge)
    if not known:
        raise KnowledgeError("there are no rules to check")
    structure = as_structure(network)
    variables: Mapping[str, Variable] = {}
    if len(known.structure) == len(known):
        frame = Frame(structure.dag, Cells.of({}), others=structure.dag.names)
    else:
        variables = _variables(structure, data, known)
        frame = _frame(structure.dag, variables)
    real = any(isinstance(each, Continuous) for each in variables.values())
    linked, clashes = _about_links(structure, variables, known)
    rest = [
        rule
        for rule in known.rules
        if not (real and speaks_of_regressions(rule)) and rule not in linked
    ]
    found = checked(rest, frame, everything)
    found = replace(found, conflicts=(*found.conflicts, *clashes), linked=linked)
    if real and any(map(speaks_of_regressions, known.rules)):
        found = _with_regressions(found, known.rules, families_of(structure.dag, variables))
    if found.bound.curved:
        from tacit.estimate.curved.functions import functions_of

        functions_of(found.bound, structure.dag)  # an event that is too wide is told of now
    return found


def _about_links(
    structure: Structure, variables: Mapping[str, Variable], known: Knowledge
) -> tuple[tuple[Rule, ...], tuple[Conflict, ...]]:
    """The rules about links of the noisy-ors that the network holds, and their conflicts."""
    if structure.network is None or not variables:
        return (), ()
    families = families_of(structure.dag, variables)
    return spoken_of_links(caused_of(None, structure.network, families), known)


def _with_regressions(
    found: Check, rules: Sequence[Rule], families: Mapping[str, tuple[Variable, ...]]
) -> Check:
    """What rules about Gaussian families say beside those about tables."""
    spoken = [rule for rule in rules if speaks_of_regressions(rule)]
    rest = [rule for rule in rules if not speaks_of_regressions(rule)]
    bound = bind_regressions(spoken, families, rest)
    return replace(found, regressed=bound, conflicts=(*found.conflicts, *tie_conflicts(bound)))


def _frame(dag: Dag, variables: Mapping[str, Variable]) -> Frame:
    """What rules can speak of: the tables of the discrete variables."""
    families = {
        name: tuple(axis for axis in axes if isinstance(axis, Discrete))
        for name, axes in families_of(dag, variables).items()
        if isinstance(axes[-1], Discrete)
    }
    states = [variable for variable in variables.values() if isinstance(variable, Discrete)]
    return Frame(
        dag,
        Cells.of(families),
        ordered={variable.name for variable in states if not variable.inferred_order},
        others=tuple(name for name in dag.names if name not in families),
    )


def _variables(structure: Structure, data: Any, known: Knowledge) -> Mapping[str, Variable]:
    if structure.variables is not None:
        return structure.variables
    if data is None and all(
        speaks_of_reals(rule) for rule in known.rules if rule not in known.structure
    ):
        return {name: Continuous(name) for name in structure.dag.names}
    if data is None:
        raise OptionError(
            "a dag says nothing about states, and rules speak of them"
            "\n\ngive a network instead of the dag, or cases that show the states"
        )
    from tacit.learn.gathered import gather

    return gather(structure, data, None).variables
