"""Rules that contradict each other: the smallest set of them, and why in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Ints
from tacit.core.errors import ConflictError
from tacit.core.grid import counted
from tacit.knowledge.blocks import Blocks, blocks_of
from tacit.knowledge.bound import Bound
from tacit.knowledge.hitting import smallest_conflict, without_spare
from tacit.knowledge.polytope import relative_interior
from tacit.knowledge.programs import (
    MISSED,
    ROOM,
    UNIT,
    Part,
    batches,
    extreme,
    part_of,
    sizes,
    violations,
)
from tacit.knowledge.statements import Rule
from tacit.knowledge.underlining import Span, underlined
from tacit.knowledge.wording import called, expressed, plainly

MOST = 5
"""So many conflicts are explained; the others are counted."""
LONG = 100
"""A conflict of more rules than this is shown as it was found, and no other is explained then."""
_SHOWN, _NAMED = 40, 12
_DEMAND = -1


@dataclass(frozen=True, slots=True)
class Conflict:
    """Rules that cannot hold together, though any fewer of them can.

    smallest  it is proven that no conflict in this part of the network has fewer rules
    blocks    in how many separate parts of the network the same rules conflict
    marks     for each rule where the words at fault stand in its text, if that is known
    """

    rules: tuple[Rule, ...]
    why: str
    smallest: bool = True
    blocks: int = 1
    marks: tuple[tuple[Span, ...], ...] = ()

    def __str__(self) -> str:
        if len(self.rules) == 1:
            head = "a rule contradicts itself"
        else:
            head = f"{len(self.rules)} rules contradict each other"
        if not self.smallest:
            head += " (perhaps fewer do)"
        if self.blocks > 1:
            head += f", in {self.blocks} separate parts of the network alike"
        marks = self.marks or ((),) * len(self.rules)
        pairs = zip(self.rules[:_SHOWN], marks, strict=False)
        lines = [underlined(rule, spans) for rule, spans in pairs]
        if (more := len(self.rules) - _SHOWN) > 0:
            lines.append(f"    ... and {counted(more, 'more rule')}")
        return "\n".join([head, "", *lines, "", self.why])


def check_feasible(bound: Bound) -> None:
    """Nothing if the linear rules can hold together, else a `ConflictError` that shows why."""
    blocks = blocks_of(bound)
    feasible = relative_interior(blocks).feasible
    if not feasible.all():
        raise conflict_error(*conflicts_of(bound, blocks, np.flatnonzero(~feasible)))


def conflict_error(conflicts: tuple[Conflict, ...], more: int) -> ConflictError:
    """All conflicts in one message; `more` parts of the network with others are only counted."""
    told = [str(conflict) for conflict in conflicts]
    if more:
        told.append(f"and {counted(more, 'more part')} of the network with other conflicts")
    told.append("change or leave out one of the rules of each")
    if len(conflicts) == 1 and not more:
        told[-1] = "change it" if len(conflicts[0].rules) == 1 else "change or leave out one"
    return ConflictError("\n\n".join(told), tuple(map(str, conflicts[0].rules)))


def conflicts_of(bound: Bound, blocks: Blocks, bad: Ints) -> tuple[tuple[Conflict, ...], int]:
    """The conflicts of infeasible blocks, and how many of the blocks are left unexplained."""
    found: list[Conflict] = []
    left, explained = bad, 0
    while left.size and len(found) < MOST and explained < LONG:
        part = part_of(blocks, left[:1])
        numbers, smallest = _fewest(part, blocks.rules.rule[part.rules])
        alike = _also_in(blocks, left, numbers)
        why = _why(bound, blocks, left[0], numbers)
        rules = tuple(bound.rules[number] for number in numbers)
        found.append(Conflict(rules, why, smallest, int(alike.sum())))
        left, explained = left[~alike], explained + numbers.size
    return tuple(found), int(left.size)


def why_zero(bound: Bound, cell: int) -> tuple[Rule, ...]:
    """The fewest rules that together hold a cell at 0; none if they do not.

    They are those that conflict with the demand that it be a millionth.
    """
    blocks = blocks_of(bound)
    places = np.flatnonzero(blocks.cells == cell)
    if not places.size:
        return ()
    block = np.searchsorted(blocks.cell_at, places, side="right") - 1
    part = part_of(blocks, block)
    demanding = part.with_least(int(places[0] - blocks.cell_at[block[0]]), 1 / UNIT)
    rule = np.append(blocks.rules.rule[part.rules], _DEMAND)
    if np.abs(violations(demanding)[0]).sum() <= MISSED:
        return ()
    return tuple(bound.rules[number] for number in _fewest(demanding, rule)[0])


def _fewest(part: Part, rule: Ints) -> tuple[Ints, bool]:
    """The numbers of the fewest statements of a block that conflict, and whether it is proven.

    rule  (rules,) the statement each comes from; a demand is none, and always counts
    """
    demand = rule == _DEMAND
    numbers, statement = np.unique(np.where(demand, rule.max(), rule), return_inverse=True)

    def conflicts(members: Bools) -> bool:
        return _missed(part.only(members[statement] | demand)) > MISSED

    def grow(seed: Bools) -> Bools | None:
        if conflicts(seed):
            return None
        grown = _holding_with(part, statement, seed, demand)
        for other in np.flatnonzero(~grown):
            wider = grown.copy()
            wider[other] = True
            if not conflicts(wider):
                grown = wider
        return grown

    core = np.zeros(numbers.size, dtype=np.bool_)
    core[statement[_priced(part) & ~demand]] = True
    if core.sum() > LONG:
        return numbers[core], False
    members, proven = smallest_conflict(without_spare(core, conflicts), grow)
    return numbers[members], proven


def _missed(part: Part) -> float:
    return float(np.abs(violations(part)[0]).sum())


def _priced(part: Part) -> Bools:
    """The rules that carry a certificate of the conflict."""
    return np.asarray(np.abs(violations(part)[1]) > 1e-9)


def _holding_with(part: Part, statement: Ints, seed: Bools, demand: Bools) -> Bools:
    """The statements that hold where all in `seed` do and the others are missed least."""
    own = seed[statement] | demand
    eased = part.limits.copy()
    eased[own] += violations(part.only(own))[0]
    missed, _ = violations(part.with_limits(eased), hard=own)
    total = np.bincount(statement, np.where(demand, 0.0, np.abs(missed)), seed.size)
    return np.asarray(seed | (total <= MISSED / 10))


def _also_in(blocks: Blocks, candidates: Ints, numbers: Ints) -> Bools:
    """In which of these blocks the rules conflict too."""
    named = np.flatnonzero(np.isin(blocks.rules.rule, numbers))
    owner = np.searchsorted(blocks.rule_at, named, side="right") - 1
    alike = np.isin(candidates, owner)
    which = np.flatnonzero(alike)
    for batch in batches(sizes(blocks)[candidates[which]]):
        part = part_of(blocks, candidates[which[batch]])
        only = part.only(np.isin(blocks.rules.rule[part.rules], numbers))
        missed, _ = violations(only)
        total = np.bincount(only.rule_block, np.abs(missed), part.blocks)
        alike[which[batch]] = total > MISSED
    return alike


def _why(bound: Bound, blocks: Blocks, block: int, numbers: Ints) -> str:
    """What one of the rules needs, and what the others leave of it."""
    part = part_of(blocks, np.array([block]))
    part = part.only(np.isin(blocks.rules.rule[part.rules], numbers))

    needed = _priced(part)
    if needed.sum() <= LONG:
        needed = without_spare(needed, lambda rows: _missed(part.only(rows)) > MISSED)
    rows = blocks.rules.chosen(part.rules)
    chosen = min(
        np.flatnonzero(needed).tolist(),
        key=lambda row: (rows.limits[row] == 0, rows.at[row + 1] - rows.at[row], row),
    )
    needed[chosen] = False
    rest = part.only(needed)
    entries = slice(rows.at[chosen], rows.at[chosen + 1])
    cost = np.zeros(part.positions.size)
    cost[np.searchsorted(part.positions, rows.cells[entries])] = rows.factors[entries]
    sign, limit = (1 if rows.factors[rows.at[chosen]] > 0 else -1), float(rows.limits[chosen])
    low, high = (_no_dust(float(cost @ extreme(rest, way * cost).x)) for way in (1, -1))
    needs, leaves = _bounds(sign, limit, low, high, bool(rows.equal[chosen]))
    subject = expressed(
        bound.cells, blocks.cells[rows.cells[entries]], sign * rows.factors[entries]
    )
    return _told(bound, numbers, int(rows.rule[chosen]), np.unique(rows.rule[needed]),
                 (subject, needs, leaves))  # fmt: skip


def _no_dust(value: float) -> float:
    """0 for what a solver takes for 0."""
    return value if abs(value) > ROOM else 0.0


def _bounds(sign: int, limit: float, low: float, high: float, equal: bool) -> tuple[str, str]:
    """`at least 0.4`, `at most 0.3`: what is needed, and what is left."""
    if sign < 0:
        limit, low, high = -limit, -high, -low
    over = low > limit if equal else sign > 0
    digits = 6 if plainly(low if over else high) != plainly(limit) else 12
    needs = "" if equal else "at most " if sign > 0 else "at least "
    left = "at least " if over else "at most "
    return needs + plainly(limit, digits), left + plainly(low if over else high, digits)


def _told(bound: Bound, numbers: Ints, one: int, others: Ints, said: tuple[str, str, str]) -> str:
    subject, needs, leaves = said
    among = [bound.rules[number] for number in numbers]
    who = called([bound.rules[one]], among) if len(among) > 1 else "it"
    needed = f"{who} needs {subject} to be {needs}"
    rest = [number for number in others.tolist() if number != one]
    if not rest:
        source = "its other parts leave" if one in others else "the table leaves"
        return f"{needed}, {source} {leaves}"
    if len(rest) > _NAMED:
        return f"{needed}, the others leave {leaves}"
    names = called([bound.rules[number] for number in rest], among)
    if one in others:
        return f"{needed}, {names} and the rest of {who} leave {leaves}"
    return f"{needed}, {names} {'leaves' if len(rest) == 1 else 'leave'} {leaves}"
