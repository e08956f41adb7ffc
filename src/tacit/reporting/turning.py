"""Why arcs that were learned point the way they do: told by the cases, or set by somebody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from tacit.core.dag import Dag
from tacit.core.equivalence import cpdag
from tacit.core.variables import Continuous
from tacit.families.curved import CurvedGaussian
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.limits import reasons_of
from tacit.knowledge.reasons import Reasons
from tacit.learn.structure.searched import Arc, Search

CASES, RULES, KINDS, NOBODY = "cases", "rules", "kinds", "nobody"
"""Who says which way an arc points."""

Directions: TypeAlias = Mapping[Arc, str]


def reasons(fit: Search) -> Reasons | None:
    """Which rule forces or forbids each arc, read from the rules as the fit keeps them."""
    text = fit.settings.get("knowledge")
    if not text:
        return None
    return reasons_of(Knowledge.parse(str(text)), fit.dag.names, parameters=True)


def directions(fit: Search, known: Reasons | None = None) -> Directions:
    """For every arc who says which way it points.

    cases   every dag that implies the same independences has it this way; or it leads into a
            curve, which turned round would be another distribution
    kinds   some have not, but a discrete variable cannot depend on a continuous one
    rules   nor does that settle it, but rules require the arc, forbid the one back, or do so with
            arcs around it
    nobody  an equivalent dag, with all that kinds and rules settle, has it the other way
    """
    dag = fit.dag
    kinds, ruled = _by_kinds(fit), _by_rules(dag, reasons(fit) if known is None else known)
    bent = {arc for arc in dag.arcs if isinstance(fit.network[arc[1]], CurvedGaussian)}
    who = (
        (CASES, {*cpdag(dag).arcs, *bent}),
        (KINDS, cpdag(dag, kinds).arcs if kinds else ()),
        (RULES, cpdag(dag, kinds | ruled).arcs if ruled else ()),
    )
    return {
        arc: next((name for name, settled in who if arc in settled), NOBODY) for arc in dag.arcs
    }


def _by_kinds(fit: Search) -> set[Arc]:
    real = {name for name, each in fit.network.variables.items() if isinstance(each, Continuous)}
    return {(tail, head) for tail, head in fit.dag.arcs if head in real and tail not in real}


def _by_rules(dag: Dag, known: Reasons | None) -> set[Arc]:
    if known is None:
        return set()
    place = {name: at for at, name in enumerate(known.names)}
    return {
        (tail, head)
        for tail, head in dag.arcs
        if known.requiring[place[tail], place[head]] >= 0
        or known.forbidding[place[head], place[tail]] >= 0
    }
