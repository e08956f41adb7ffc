"""What linear comparisons of probabilities say of cells.

A parent that a condition does not name stands for every one of its states. Every variable that
a statement leaves free is one index of the whole statement: paired wherever it stands free, in
every combination with whatever else is free. A set in a condition is an index of its own, the
same wherever the same set is written (all states: the same as free); a set in the target is the
mass of its states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isfinite, prod
from typing import NoReturn, TypeAlias

import numpy as np

from tacit.arrays import Ints
from tacit.core.errors import SizeError, listed, quoted
from tacit.knowledge.chunks import ROUNDING, Chunk
from tacit.knowledge.faults import fault, shown
from tacit.knowledge.names import Layout, Names, layout_of, refuse, states_of
from tacit.knowledge.statements import (
    About,
    Coefficient,
    Compare,
    Expression,
    Link,
    Ratios,
    Rule,
)
from tacit.knowledge.terms import Probability, Term

MOST_ENTRIES = 50_000_000

Index: TypeAlias = tuple[str, tuple[int, ...]]
"""A variable and the states it runs through: one quantified index of a statement."""


@dataclass(frozen=True, slots=True)
class Place:
    """The cells that a probability names, for every value of its indices.

    first    the cell where all indices and the mass are at state 0
    indices  with the stride of each
    mass     what to add to reach each of the cells that are summed
    """

    first: int
    indices: tuple[tuple[Index, int], ...]
    mass: tuple[int, ...]


def place(names: Names, rule: Rule, probability: Probability) -> Place:
    """The cells of P(target | given)."""
    (target,) = probability.targets
    layout = layout_of(names, rule, target.variable)
    first, indices = layout.start, list[tuple[Index, int]]()
    named = axes_named(names, rule, layout, probability.given)
    for name, axis in layout.parents.items():
        term = named.get(name)
        codes = axis.every if term is None else states_of(names, rule, axis, term)
        if len(codes) == 1:
            first += codes[0] * axis.stride
        else:
            indices.append(((name, codes), axis.stride))
    codes = states_of(names, rule, layout.child, target)
    if target.states is None:
        indices.append(((layout.child.name, codes), 1))
        return Place(first, tuple(indices), (0,))
    return Place(first, tuple(indices), codes)


def axes_named(names: Names, rule: Rule, layout: Layout, given: Sequence[Term]) -> dict[str, Term]:
    """The terms of a condition by the parent they speak of."""
    named: dict[str, Term] = {}
    for term in given:
        name = term.variable.text
        if name not in layout.parents:
            _refuse_condition(names, rule, layout, term)
        if name in named:
            raise fault(rule, term.variable, f"{name!r} stands twice in one condition")
        named[name] = term
    return named


def _refuse_condition(names: Names, rule: Rule, layout: Layout, term: Term) -> NoReturn:
    child, name = layout.child.name, term.variable.text
    if name == child:
        raise fault(rule, term.variable, f"{name!r} cannot be its own condition")
    if name not in names.variables and name not in names.others:
        refuse(names, rule, term.variable)
    who = f"parents of {child!r}: {listed(layout.parents) if layout.parents else 'none'}"
    raise fault(rule, term.variable, f"{name!r} is no parent of {child!r}", who)


def compared(names: Names, rule: Rule, said: Compare) -> list[Chunk]:
    """A chain: every two neighbours are one set of rows."""
    sides = [_measured(names, rule, side) for side in said.sides]
    return [
        _pair(rule, left, right, sign)
        for left, right, sign in zip(sides[:-1], sides[1:], said.signs, strict=True)
    ]


def about(names: Names, rule: Rule, said: About) -> list[Chunk]:
    """left <= right + slack and left >= right - slack."""
    check_slack(rule, said.slack)
    left = _measured(names, rule, said.left)
    places, number = _measured(names, rule, said.right)
    if said.slack == 0:
        return [_pair(rule, left, (places, number), "=")]
    return [
        _pair(rule, left, (places, number + said.slack), "<="),
        _pair(rule, left, (places, number - said.slack), ">="),
    ]


def check_slack(rule: Rule, slack: float) -> None:
    """Nothing, or an error about what stands behind +-."""
    if not slack >= 0 or not isfinite(slack):
        raise fault(rule, None, f"the slack behind +- must be 0 or more, not {slack!r}")


Measured: TypeAlias = tuple[list[tuple[float, Place]], float]
"""An expression: places with their factors, and a number."""


def _measured(names: Names, rule: Rule, expression: Expression) -> Measured:
    places: list[tuple[float, Place]] = []
    numbers: list[float] = []
    for part in expression.parts:
        if not isfinite(part.factor):
            raise fault(rule, None, f"{part.factor!r} is no number that a rule can use")
        if part.of is None:
            numbers.append(part.factor)
        elif isinstance(part.of, Coefficient | Link):
            refuse_linear(names, rule, part.of)
        elif isinstance(part.of, Probability):
            places.append((part.factor, place(names, rule, part.of)))
    return places, added(numbers)


def added(numbers: Sequence[float]) -> float:
    """Their sum, 0 where only rounding is left of it: 0.3 - 0.2 - 0.1 is nothing."""
    total = fsum(numbers)
    return total if abs(total) > ROUNDING * max(map(abs, numbers), default=0.0) else 0.0


def refuse_linear(names: Names, rule: Rule, said: Coefficient | Link) -> NoReturn:
    """Say why a coefficient or a link cannot stand in a rule that is bound to tables."""
    for word in (said.child, said.parent):
        if word and word.text not in names.variables and word.text not in names.others:
            refuse(names, rule, word)
    if isinstance(said, Link):
        raise fault(
            rule, said.child, f"{said.child.text!r} has no links",
            f"give it some: families={{{said.child.text!r}: tc.NoisyOr}}",
        )  # fmt: skip
    article = "an" if said.what == "intercept" else "a"
    what = f"this rule speaks of {article} {said.what} of a Gaussian family, "
    if said.child.text in names.variables:
        raise fault(rule, said.child, f"{what}but {said.child.text!r} is discrete")
    raise fault(
        rule, said.child, f"{what}which only tc.fit and tc.check can hold",
        "rules that everything holds speak of probabilities of discrete variables",
    )  # fmt: skip


def _pair(rule: Rule, left: Measured, right: Measured, sign: str) -> Chunk:
    turn = -1 if sign == ">=" else 1
    parts = [(turn * factor, where) for factor, where in left[0]]
    parts += [(-turn * factor, where) for factor, where in right[0]]
    cells = cells_of(rule, [where for _, where in parts])
    factors = [factor for factor, where in parts for _ in where.mass]
    return Chunk(cells, factors, turn * added((right[1], -left[1])), sign == "=", turn)


def cells_of(rule: Rule, places: Sequence[Place]) -> Ints:
    """(rows, cells): for every value of all indices together, the cells of all places."""
    if not any(where.indices for where in places):
        return np.array([[where.first + add for where in places for add in where.mass]], np.int64)
    indices = list(dict.fromkeys(index for where in places for index, _ in where.indices))
    shape = [len(codes) for _, codes in indices]
    width = sum(len(where.mass) for where in places)
    check_size(rule, prod(shape), width, [name for name, _ in indices])
    axis = {index: at for at, index in enumerate(indices)}
    out = np.empty((*shape, width), dtype=np.int64)
    at = 0
    for where in places:
        cells = np.array(where.mass, dtype=np.int64) + where.first
        for index, stride in where.indices:
            steps = np.array(index[1], dtype=np.int64) * stride
            cells = cells + steps.reshape(-1, *(1,) * (len(shape) - axis[index]))
        out[..., at : at + len(where.mass)] = cells
        at += len(where.mass)
    return out.reshape(-1, width)


def check_size(rule: Rule, rows: int, width: int, free: Sequence[str]) -> None:
    """Nothing, or an error if a rule stands for more rows than memory can be expected to hold."""
    if rows * width > MOST_ENTRIES:
        raise SizeError(
            shown(
                rule, None, f"this rule stands for {rows:,} rules of {width} cells each",
                f"hold some variables to single states: {listed(map(quoted, free))}",
            )
        )  # fmt: skip


def check_lengths(rule: Rule, said: Ratios) -> None:
    """Nothing, or an error about a ratio whose sides have not the same number of terms."""
    if len({len(side) for side in said.sides}) > 1:
        shapes = " and ".join(str(len(side)) for side in said.sides)
        raise fault(rule, None, f"the sides of a ratio must be equally long, not {shapes} terms")


def proportional(names: Names, rule: Rule, said: Ratios) -> list[Ints]:
    """Lists of cells that are multiples of each other, one array for every value of the indices."""
    check_lengths(rule, said)
    length = len(said.sides[0])
    places = [place(names, rule, each) for side in said.sides for each in side]
    for each, where in zip((p for side in said.sides for p in side), places, strict=True):
        if len(where.mass) > 1:
            raise fault(
                rule, each.targets[0].variable, "a ratio is between single states, not masses",
                f"name one state of {each.targets[0].variable.text!r} in each term",
            )  # fmt: skip
    lists = cells_of(rule, places).reshape(-1, len(said.sides), length)
    ascending = np.sort(lists, axis=2)
    if (ascending[..., 1:] == ascending[..., :-1]).any():
        raise fault(rule, None, "one side of this ratio names the same cell twice")
    again = [(lists[:, :at] == lists[:, at : at + 1]).all(axis=2).any(axis=1)
             for at in range(len(said.sides))]  # fmt: skip
    new = ~np.stack(again, axis=1)
    return [each[fresh] for each, fresh in zip(lists, new, strict=True) if fresh.sum() > 1]


def rows_named(
    names: Names, rule: Rule, layout: Layout, given: Sequence[Term]
) -> dict[str, tuple[int, ...]]:
    """For every parent the states that a condition allows: the rows it names."""
    named = axes_named(names, rule, layout, given)
    return {
        name: states_of(names, rule, axis, named[name]) if name in named else axis.every
        for name, axis in layout.parents.items()
    }
