"""Knowledge brought to a structure: rules bound to its tables, and the plan to estimate by them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tacit.core.dag import Dag
from tacit.core.errors import EstimateError
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.estimate.continuous.tying import Member, Ties, compile_ties
from tacit.estimate.curved.report import EdgeError, NoPointError
from tacit.estimate.curved.solver import HOLDS
from tacit.estimate.ruled.curves import missed_in, rules_of
from tacit.estimate.ruled.impossible import ImpossibleEvidenceError
from tacit.estimate.ruled.plan import Plan, compile_plan
from tacit.estimate.ruled.status import RuleStatus
from tacit.infer.flat import Layout
from tacit.knowledge.binding import bind
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.conflicts import why_zero
from tacit.knowledge.expansion import cell_label
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.regressions import bind_regressions, refuse_doubt, speaks_of_regressions
from tacit.knowledge.statements import Rule
from tacit.knowledge.structural import check_structure
from tacit.knowledge.wording import written
from tacit.learn.parts import discrete_axes


@dataclass(frozen=True, slots=True, eq=False)
class Ruled:
    """What experts said, bound to tables and ready to be estimated by.

    ties  what they said of Gaussian families
    """

    knowledge: Knowledge
    bound: Bound
    plan: Plan
    ties: Ties | None = None

    def in_order(
        self, tables: Sequence[RuleStatus], regressions: Sequence[RuleStatus]
    ) -> tuple[RuleStatus, ...]:
        """What became of rules about tables and about regressions, as they were written."""
        if self.ties is None:
            return tuple(tables)
        one, other = iter(tables), iter(regressions)
        return tuple(next(other if real else one) for real in self._kinds())

    def of_regressions(self, every: Sequence[RuleStatus]) -> tuple[RuleStatus, ...]:
        """What became of rules about regressions, out of what became of all rules in order."""
        if self.ties is None:
            return ()
        return tuple(each for each, real in zip(every, self._kinds(), strict=True) if real)

    def _kinds(self) -> list[bool]:
        """Of every rule about parameters, as they were written, whether it is of regressions."""
        assert self.ties is not None
        real = set(map(id, self.ties.bound.rules))
        table = set(map(id, self.bound.rules))
        return [id(each) in real for each in self.knowledge.rules if id(each) in real | table]

    @property
    def settings(self) -> dict[str, Any]:
        """The rules as they were written, and the files they came from."""
        return said_by_experts(self.knowledge)


def said_by_experts(knowledge: Knowledge) -> dict[str, Any]:
    """Rules as settings keep them: as they were written, and the files they came from."""
    files = list(dict.fromkeys(rule.source for rule in knowledge if rule.source))
    said: dict[str, Any] = {"knowledge": str(knowledge)}
    return {**said, "knowledge_files": files} if files else said


def ruled(
    knowledge: Knowledge | None,
    dag: Dag,
    families: Mapping[str, tuple[Variable, ...]],
    layout: Layout | None = None,
    without: Collection[str] = (),
    pinned: Sequence[Member] = (),
) -> Ruled | None:
    """The rules bound to the tables; an error where they do not fit, or contradict each other.

    layout   where the tables lie in one vector; one after the other if it is not given
    without  further variables, whose families have no tables
    pinned   regressions of hidden continuous variables, which have a scale already
    """
    if knowledge is None:
        return None
    real = any(isinstance(axes[-1], Continuous) for axes in families.values())
    spoken = [rule for rule in knowledge.rules if real and speaks_of_regressions(rule)]
    rest = [rule for rule in knowledge.rules if not (real and speaks_of_regressions(rule))]
    check_structure(knowledge.rules, dag)
    tables = {
        name: discrete_axes(axes)
        for name, axes in families.items()
        if isinstance(axes[-1], Discrete)
    }
    cells = Cells.of(tables) if layout is None else _placed(tables, layout)
    others = [*(name for name in families if name not in tables), *without]
    ties = None
    if spoken:
        ties = compile_ties(bind_regressions(spoken, families, rest, without), pinned)
    bound = bind(rest, cells, ordered=cells.declared, others=others)
    return Ruled(knowledge, bound, compile_plan(bound, dag), ties)


def certain_part(knowledge: Knowledge) -> Knowledge:
    """The rules that are certain, and all that speaks of no parameter."""
    doubted = set(map(id, doubted_part(knowledge)))
    return Knowledge(tuple(rule for rule in knowledge.rules if id(rule) not in doubted))


def about_tables(knowledge: Knowledge) -> Knowledge:
    """The rules about tables, with groups and orders of states; none about numbers of Gaussian
    families, and none about arcs."""
    arcs = set(map(id, knowledge.structure))
    kept = (rule for rule in knowledge.rules if not speaks_of_regressions(rule))
    return Knowledge(tuple(rule for rule in kept if id(rule) not in arcs))


def doubted_part(knowledge: Knowledge) -> tuple[Rule, ...]:
    """The rules about parameters that were said with less than certainty."""
    found = tuple(rule for rule in knowledge.parameters if rule.confidence < 1)
    for rule in found:
        if speaks_of_regressions(rule):
            refuse_doubt(rule)
    return found


def _placed(tables: Mapping[str, tuple[Discrete, ...]], layout: Layout) -> Cells:
    starts = {name: layout.axes[at].start for at, name in enumerate(layout.names)}
    return Cells(tables, starts, layout.size)


def _nowhere(known: Ruled, problem: NoPointError) -> str:
    """The rules of a block under which no tables were found, and by how much each was missed."""
    missed = missed_in(known.bound, known.plan, problem.block, problem.theta)
    said = "\n".join(
        f"    {written(known.bound.rules[rule])}\n"
        f"        {f'missed by {by:.3g}' if by > HOLDS else 'kept'}"
        for rule, by in missed.items()
    )
    return (
        "no tables were found that keep all of these rules; those that came nearest do not keep "
        f"every one\n\n{said}\n\n"
        "that is no proof that they conflict, since not all of them are linear; loosen one, or "
        "leave one out"
    )


def _edge(known: Ruled, problem: EdgeError) -> str:
    """The rules of a block, one of whose cells they leave no probability though it has some."""
    blocks = known.plan.blocks
    cell = int(blocks.cells[blocks.cell_at[problem.block] + problem.positions[0]])
    rules = rules_of(known.plan, problem.block)
    said = "\n".join(f"    {written(known.bound.rules[rule])}" for rule in rules)
    return (
        f"the rules leave no probability to {cell_label(known.bound.cells, cell)}, which cases or "
        f"prior speak for\n\n{said}\n\nallow a little, or look at these cases"
    )


@contextmanager
def impossible_in_words(known: Ruled | None) -> Iterator[None]:
    """An error about evidence that rules hold impossible names the cell and the rules."""
    try:
        yield
    except NoPointError as problem:
        if known is None:
            raise
        raise EstimateError(_nowhere(known, problem)) from None
    except EdgeError as problem:
        if known is None:
            raise
        raise EstimateError(_edge(known, problem)) from None
    except ImpossibleEvidenceError as problem:
        if known is None:
            raise
        cell = int(known.plan.blocks.cells[problem.positions[0]])
        more = problem.positions.size - 1
        others = f" (and {more} more {'cell' if more == 1 else 'cells'})" if more else ""
        said = "\n".join(f"    {written(rule)}" for rule in why_zero(known.bound, cell))
        raise EstimateError(
            f"the rules hold {cell_label(known.bound.cells, cell)} at 0, but cases have it{others}"
            ": under the rules they are impossible"
            f"\n\n{said}\n\nallow a little, or look at these cases"
        ) from None
