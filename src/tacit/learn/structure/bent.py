"""Columns that are to follow curves, beside columns with states, which no curve has as parents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import KnowledgeError, OptionError, listed, quoted
from tacit.core.variables import Discrete
from tacit.knowledge.limits import Limits
from tacit.knowledge.reasons import Reasons
from tacit.knowledge.structural import arrow
from tacit.knowledge.wording import written
from tacit.learn.curved import Curves


def unbent(cases: Dataset, reasons: Reasons, limits: Limits, curves: Curves) -> Limits:
    """The limits less arcs from columns with states to curves; an error about required ones."""
    for (tail, head), rule in reasons.required.items():
        if head in curves and isinstance(cases.variables[tail], Discrete):
            raise KnowledgeError(
                f"{arrow(tail, head)} is required, but {_clash(tail, head, curves)}"
                f"\n\n    {written(rule)}\n\n"
                f"drop the rule, or leave {quoted(head)} out of families="
            )
    discrete = np.array([isinstance(each, Discrete) for each in cases.variables.values()])
    curved = np.array([name in curves for name in cases.names])
    return replace(limits, allowed=limits.allowed & ~(discrete[:, None] & curved))


def check_unbent(cases: Dataset, dag: Dag, curves: Curves) -> None:
    """Nothing, or an error about a dag in which a curve has a parent with states."""
    for tail, head in dag.arcs:
        if head in curves and isinstance(cases.variables[tail], Discrete):
            raise OptionError(
                f"the start has the arc {arrow(tail, head)}, and {_clash(tail, head, curves)}"
                f"\n\nstart without the arc, or leave {quoted(head)} out of families="
            )


def bent_notes(cases: Dataset, curves: Curves) -> Iterable[str]:
    """That arcs from columns with states to curves were no choice."""
    states = [quoted(name) for name, v in cases.variables.items() if isinstance(v, Discrete)]
    if states and curves:
        heads = listed(map(quoted, curves), 6)
        follows = "follow curves" if len(curves) > 1 else "follows a curve"
        yield (
            f"{heads} {follows}, whose parents are continuous: arcs from "
            f"{listed(states, 6)} to {'them' if len(curves) > 1 else 'it'} were no choice"
        )


def _clash(tail: str, head: str, curves: Curves) -> str:
    return (
        f"{quoted(head)} is to be a {curves[head].kind}, whose parents are continuous, and "
        f"{quoted(tail)} has states"
    )
