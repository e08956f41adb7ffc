"""Knowledge brought to a structure: rules bound to its tables, and the plan to estimate by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.core.dag import Dag
from tacit.core.errors import EstimateError
from tacit.core.variables import Discrete, Variable
from tacit.estimate.ruled.inequalities import ImpossibleEvidenceError
from tacit.estimate.ruled.plan import Plan, compile_plan
from tacit.infer.flat import Layout
from tacit.knowledge.binding import bind
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.expansion import cell_label
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.structural import check_structure
from tacit.learn.parts import discrete_axes


@dataclass(frozen=True, slots=True, eq=False)
class Ruled:
    """What experts said, bound to tables and ready to be estimated by."""

    knowledge: Knowledge
    bound: Bound
    plan: Plan

    @property
    def settings(self) -> dict[str, Any]:
        """The rules as they were written, and the files they came from."""
        files = list(dict.fromkeys(rule.source for rule in self.knowledge if rule.source))
        said: dict[str, Any] = {"knowledge": str(self.knowledge)}
        return {**said, "knowledge_files": files} if files else said


def ruled(
    knowledge: Knowledge | None,
    dag: Dag,
    families: Mapping[str, tuple[Variable, ...]],
    layout: Layout | None = None,
) -> Ruled | None:
    """The rules bound to the tables; an error where they do not fit, or contradict each other.

    layout: where the tables lie in one vector; one after the other if it is not given.
    """
    if knowledge is None:
        return None
    check_structure(knowledge.rules, dag)
    tables = {
        name: discrete_axes(axes)
        for name, axes in families.items()
        if isinstance(axes[-1], Discrete)
    }
    cells = Cells.of(tables) if layout is None else _placed(tables, layout)
    declared = {axis.name for axes in tables.values() for axis in axes if not axis.inferred_order}
    others = [name for name in families if name not in tables]
    bound = bind(knowledge.rules, cells, ordered=declared, others=others)
    return Ruled(knowledge, bound, compile_plan(bound))


def _placed(tables: Mapping[str, tuple[Discrete, ...]], layout: Layout) -> Cells:
    starts = {name: layout.axes[at].start for at, name in enumerate(layout.names)}
    return Cells(tables, starts, layout.size)


@contextmanager
def impossible_in_words(known: Ruled | None) -> Iterator[None]:
    """An error about evidence that rules hold impossible names the cell and the rules."""
    try:
        yield
    except ImpossibleEvidenceError as problem:
        if known is None:
            raise
        cell = int(known.plan.blocks.cells[problem.positions[0]])
        more = (
            f" (and {problem.positions.size - 1} more cells)" if problem.positions.size > 1 else ""
        )
        rules = known.bound.rows
        (first,), (length,) = known.bound.cells.rows_of(np.array([cell]))
        near = (rules.cells >= first) & (rules.cells < first + length)
        named = dict.fromkeys(rules.rule[rules.owner[near]].tolist())
        said = "\n".join(f"    {known.bound.rules[number]}" for number in named)
        raise EstimateError(
            f"the rules hold {cell_label(known.bound.cells, cell)} at 0, but cases have it{more}: "
            "under the rules they are impossible"
            f"\n\n{said}\n\nallow a little, or look at these cases"
        ) from None
