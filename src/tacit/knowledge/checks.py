"""What rules say without data: can they hold together, and what do they settle already."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dag import Dag
from tacit.core.errors import ConflictError
from tacit.core.grid import counted
from tacit.knowledge.binding import CANNOT, bound_but_false
from tacit.knowledge.blocks import Blocks, blocks_of
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.conflicts import MOST, Conflict, conflicts_of
from tacit.knowledge.expansion import expansion
from tacit.knowledge.implied import SAME, affordable, cell_intervals, redundant
from tacit.knowledge.orders import orders_taken
from tacit.knowledge.polytope import Interior, relative_interior
from tacit.knowledge.slots import Regressed
from tacit.knowledge.statements import Arcs, MostParents, Rule, Tiers
from tacit.knowledge.structural import check_rule
from tacit.knowledge.wording import called, labels, place, plainly

WORK = 400_000
"""So many (question, cell or rule of the block) pairs are asked unless all are wanted: seconds."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Check:
    """What rules say of a network, without data.

    bound      the rules about parameters, bound to cells
    conflicts  smallest sets of rules that contradict each other; `more` parts of the network
               have conflicts that are not shown
    redundant  numbers of rules that others imply, each with the numbers of those others
    intervals  of each table that rules speak of, `[parents..., child, 2]`: the least and the
               largest value the rules leave to each cell; nan where that was not computed
    structure  statements about arcs, each with what the dag has against it (mostly nothing)
    fixed      cells that the rules settle though none names their number, and that number
    tight      rows of rules that always hold with equality, though other rules do not say so
    regressed  the rules about Gaussian families, bound to their numbers
    linked  those about links of independent causes
    """

    bound: Bound
    conflicts: tuple[Conflict, ...]
    more: int
    redundant: Mapping[int, tuple[int, ...]]
    intervals: Mapping[str, Floats]
    structure: tuple[tuple[Rule, str], ...]
    fixed: tuple[Ints, Floats]
    tight: Ints
    notes: tuple[str, ...] = ()
    regressed: Regressed | None = None
    linked: tuple[Rule, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Those about parameters, in the order in which they were written."""
        return self.bound.rules

    @property
    def count(self) -> int:
        """How many rules there are of all kinds."""
        regressed = 0 if self.regressed is None else len(self.regressed.rules)
        return len(self.rules) + len(self.structure) + regressed + len(self.linked)

    @property
    def curved(self) -> tuple[int, ...]:
        """Numbers of the rules that only a search in a fit can tell about: they are not linear."""
        return tuple(sorted({part.rule for part in self.bound.curved}))

    @property
    def feasible(self) -> bool:
        """Whether the linear rules can hold together, in this dag."""
        return not self.conflicts and not any(against for _, against in self.structure)

    @property
    def forced(self) -> tuple[str, ...]:
        """Equalities that the rules force though none of them says so."""
        return self.forced_first(self.fixed[0].size + self.tight.size)

    def forced_first(self, most: int) -> tuple[str, ...]:
        """The first of them."""
        rows = self.bound.rows.chosen(self.tight[:most])
        equal, rule = np.ones(len(rows), dtype=np.bool_), np.arange(len(rows))
        equations = Bound(self.bound.cells, (), replace(rows, equal=equal, rule=rule))
        said = [expansion(equations, number)[0] for number in range(len(rows))]
        left = max(0, most - len(said))
        cells, values = labels(self.bound.cells, self.fixed[0][:left]), self.fixed[1][:left]
        return (*said, *(f"{cell} = {plainly(v)}" for cell, v in zip(cells, values, strict=True)))

    def expansion(self, number: int, most: int = 12) -> tuple[str, ...]:
        """What rule `number` says, cell by cell."""
        return expansion(self.bound, number, most)

    def implied_by(self, number: int) -> str:
        """`implied by line 3`, for a redundant rule."""
        others = [self.rules[other] for other in self.redundant[number]]
        return f"implied by {called(others, self.rules)}" if others else "holds for every table"

    def __repr__(self) -> str:
        verdict = "can hold together" if self.feasible else "conflict"
        return f"<Check of {counted(self.count, 'rule')}: they {verdict}>"

    def __str__(self) -> str:
        from tacit.knowledge.showing import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from tacit.knowledge.showing import as_html

        return as_html(self)

    def to_plain(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "feasible": self.feasible,
            "rules": [self._rule(number) for number in range(len(self.rules))],
            "structure": [
                {"text": rule.text, "place": place(rule), "obeyed": not against}
                for rule, against in self.structure
            ],
            **({} if self.regressed is None else {"regressions": _regressions(self.regressed)}),
            **({"links": [rule.text for rule in self.linked]} if self.linked else {}),
            "conflicts": [_conflict(conflict) for conflict in self.conflicts],
            "more_conflicts": self.more,
            "forced": list(self.forced),
            "intervals": {name: values.tolist() for name, values in self.intervals.items()},
            "notes": list(self.notes),
        }

    def _rule(self, number: int) -> dict[str, Any]:
        rule = self.rules[number]
        implied = number in self.redundant
        return {
            "number": number,
            "text": rule.text,
            "place": place(rule),
            "expansion": list(self.expansion(number, most=1_000)),
            "linear": number not in self.curved,
            "redundant": implied,
            "implied_by": list(self.redundant[number]) if implied else [],
        }


def _regressions(found: Regressed) -> list[dict[str, Any]]:
    """Rules about Gaussian families, each with what it stands for."""
    return [
        {"text": rule.text, "place": place(rule), "expansion": list(found.expansion(number))}
        for number, rule in enumerate(found.rules)
    ]


def _conflict(conflict: Conflict) -> dict[str, Any]:
    return {
        "rules": [{"text": rule.text, "place": place(rule)} for rule in conflict.rules],
        "why": conflict.why,
        "smallest": conflict.smallest,
        "parts": conflict.blocks,
    }


@dataclass(frozen=True, slots=True)
class Frame:
    """What rules are held against: a dag, its tables, what is known of the order of states.

    ordered  variables whose order of states somebody declared; None: all
    others   variables without a table
    """

    dag: Dag
    cells: Cells
    ordered: Collection[str] | None = None
    others: Collection[str] = ()


def checked(rules: Sequence[Rule], frame: Frame, everything: bool = False) -> Check:
    """Everything that the rules say without data; `everything`: however long it takes."""
    structure = _structure(rules, frame.dag)
    against = _among_themselves(rules, frame.dag) if any(no for _, no in structure) else ()
    bound, impossible, others = _bound(rules, frame)
    blocks = blocks_of(bound)
    interior = relative_interior(blocks)
    found, more = conflicts_of(bound, blocks, np.flatnonzero(~interior.feasible))
    sizes = np.diff(blocks.cell_at) + np.diff(blocks.rule_at)
    most = np.iinfo(np.int64).max if everything else WORK
    small = interior.feasible & affordable(2 * np.diff(blocks.cell_at) * sizes, most)
    quick = interior.feasible & affordable(np.diff(blocks.rule_at) * sizes, most)
    ranges = cell_intervals(blocks, np.flatnonzero(small))
    fixed = _fixed(blocks, interior, ranges)
    curved = {part.rule for part in bound.curved}  # of these, lines that are implied prove nothing
    spare = {number: others for number, others in redundant(blocks, np.flatnonzero(quick)).items()
             if number not in curved}  # fmt: skip
    orders = orders_taken(rules, {name: axes[-1] for name, axes in bound.cells.families.items()})
    return Check(
        bound=bound,
        conflicts=(*against, *impossible, *found),
        more=more + others,
        redundant=MappingProxyType(spare),
        intervals=MappingProxyType(_by_table(bound.cells, blocks, ranges)),
        structure=structure,
        fixed=fixed,
        tight=_tight(bound, blocks.origin[interior.tight], fixed[0], spare),
        notes=(*orders, *_notes(bound, interior.feasible, small, quick)),
    )


def _structure(rules: Sequence[Rule], dag: Dag) -> tuple[tuple[Rule, str], ...]:
    """Each statement about arcs, with what the dag has against it."""
    found = []
    for rule in rules:
        if isinstance(rule.statement, Arcs | Tiers | MostParents):
            try:
                check_rule(rule, rules, dag)
                found.append((rule, ""))
            except ConflictError as problem:
                found.append((rule, str(problem)))
    return tuple(found)


def _among_themselves(rules: Sequence[Rule], dag: Dag) -> tuple[Conflict, ...]:
    """Statements about arcs that no dag over these variables obeys."""
    from tacit.knowledge.claims import claims_of
    from tacit.knowledge.clashes import structural_conflicts

    return structural_conflicts(claims_of(rules, dag.names, "the dag"), dag.names)


def _bound(rules: Sequence[Rule], frame: Frame) -> tuple[Bound, list[Conflict], int]:
    """The rules bound; those that cannot hold whatever the tables are, and how many more."""
    bound, false = bound_but_false(rules, frame.cells, ordered=frame.ordered, others=frame.others)
    told = list(false)[:MOST]
    return bound, [Conflict((bound.rules[n],), CANNOT) for n in told], len(false) - len(told)


def _fixed(blocks: Blocks, interior: Interior, ranges: Floats) -> tuple[Ints, Floats]:
    """Cells that the rules settle, less those whose number a rule names itself."""
    single = np.diff(blocks.rules.at) == 1
    told = blocks.rules.cells[blocks.rules.at[:-1][single & blocks.rules.equal]]
    settled: Bools = (ranges[:, 1] - ranges[:, 0] <= SAME * ranges[:, 1]) | interior.zero
    settled[told] = False
    which = np.flatnonzero(settled)
    values = np.where(interior.zero[which], 0.0, np.nan_to_num(ranges[which].mean(axis=1)))
    order = np.argsort(blocks.cells[which])
    return blocks.cells[which][order], values[order]


def _tight(bound: Bound, rows: Ints, fixed: Ints, spare: Collection[int]) -> Ints:
    """Those rows, less the ones of redundant rules and of cells that are settled one by one."""
    rows = np.sort(rows)
    chosen = bound.rows.chosen(rows)
    loose = np.bincount(chosen.owner, ~np.isin(chosen.cells, fixed), len(chosen)) > 0
    return _once(bound, rows[loose & ~np.isin(chosen.rule, list(spare))])


def _once(bound: Bound, rows: Ints) -> Ints:
    """Of rows that are one equation, whatever side each was written from, the first."""
    chosen, seen = bound.rows.chosen(rows), dict[tuple[bytes, ...], int]()
    for at, row in enumerate(rows.tolist()):
        entries = slice(chosen.at[at], chosen.at[at + 1])
        numbers = np.append(chosen.factors[entries], chosen.limits[at])
        numbers = np.round(numbers / numbers[0], 9) + 0.0
        seen.setdefault((chosen.cells[entries].tobytes(), numbers.tobytes()), row)
    return np.array(list(seen.values()), dtype=np.int64)


def _by_table(cells: Cells, blocks: Blocks, ranges: Floats) -> dict[str, Floats]:
    """`[parents..., child, 2]` of every table that rules speak of; rows without rules are free."""
    every = np.tile([0.0, 1.0], (cells.size, 1))
    every[blocks.cells] = ranges
    ruled = np.zeros(cells.size, dtype=np.bool_)
    ruled[blocks.cells] = True
    ranged = {}
    for name in cells.families:
        own = cells.block(name)
        if ruled[own].any():
            values = every[own]
            values.flags.writeable = False
            ranged[name] = values
    return ranged


def _notes(bound: Bound, feasible: Bools, small: Bools, quick: Bools) -> tuple[str, ...]:
    ratios, curved = ({part.rule for part in parts} for parts in (bound.proportions, bound.curved))
    notes = []
    for numbers, what in (
        (ratios, "not linear, so not held against the other rules"),
        (curved, "not linear, so looked for by search in a fit, and not held against the others"),
    ):
        if numbers:
            who = called([bound.rules[number] for number in sorted(numbers)[:6]], bound.rules)
            more = f" ({len(numbers) - 6} more)" if len(numbers) > 6 else ""
            notes.append(f"{what}: {who}{more}")
    for done, what in ((small, "intervals"), (quick, "redundant rules")):
        if left := int((feasible & ~done).sum()):
            parts = counted(left, "large part")
            notes.append(f"{what} were not computed in {parts} of the network: that takes longer")
    return tuple(notes)
