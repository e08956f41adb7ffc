"""Rules about Gaussian families: coefficients, intercepts and variances become numbers in a row.

A discrete parent that a condition does not name stands for every one of its states, as in rules
about tables: what is left free is one index of the whole statement, paired wherever it stands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import isfinite
from typing import NoReturn

import numpy as np

from tacit.core.errors import listed, nearest
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.knowledge.cells import Cells
from tacit.knowledge.expressions import Coefficient, Expression
from tacit.knowledge.faults import clash, fault
from tacit.knowledge.meaning import Index, Place, added, axes_named, cells_of, check_slack
from tacit.knowledge.names import Axis, Layout, Names, names_of, refuse, states_of
from tacit.knowledge.slots import Regressed, Row, Slots, width
from tacit.knowledge.statements import About, Compare, Rule
from tacit.knowledge.terms import named

MOST = 1e18
"""Of coefficients in rules; linear programs take 1e20 for infinite."""
RATIOS = (
    "rules about variances are bounds,  variance(Y) <= 4,  or ratios,  "
    "variance(Y) = 2 * variance(Z)"
)


def speaks_of_regressions(rule: Rule) -> bool:
    """Whether a rule is about numbers of Gaussian families."""
    said = rule.statement
    if isinstance(said, Compare):
        return any(_coefficients(side) for side in said.sides)
    return isinstance(said, About) and any(_coefficients(s) for s in (said.left, said.right))


def speaks_of_reals(rule: Rule) -> bool:
    """Whether a rule is about numbers of Gaussian families, whatever the states of anything."""
    if not speaks_of_regressions(rule):
        return False
    said = rule.statement
    assert isinstance(said, Compare | About)
    sides = said.sides if isinstance(said, Compare) else (said.left, said.right)
    return not any(each.given for side in sides for each in _coefficients(side))


def _coefficients(said: Expression) -> list[Coefficient]:
    return [part.of for part in said.parts if isinstance(part.of, Coefficient)]


def bind_regressions(
    rules: Sequence[Rule],
    families: Mapping[str, tuple[Variable, ...]],
    declared: Sequence[Rule] = (),
    others: Collection[str] = (),
) -> Regressed:
    """What these rules say of the Gaussian families; the first word that does not fit is an error.

    declared  all rules, among them groups of states
    others    further variables that have no family here
    """
    tables = {
        name: tuple(axis for axis in axes if isinstance(axis, Discrete))
        for name, axes in families.items()
        if isinstance(axes[-1], Discrete)
    }
    slots = Slots.of(families)
    cells, known = Cells.of(tables), [*slots.families, *others]
    names = names_of(list(declared), cells, None, known)
    rows: list[Row] = []
    for number, rule in enumerate(rules):
        _check_kinds(rule)
        if rule.confidence < 1:
            refuse_doubt(rule)
        new = _rows(names, slots, number, rule)
        _check_sizes(rule, new, slots)
        _check_variances(rule, new, slots)
        rows += new
    return Regressed(slots, tuple(rules), tuple(rows))


def measured_regressions(
    rule: Rule, families: Mapping[str, tuple[Variable, ...]], declared: Sequence[Rule] = ()
) -> Regressed:
    """A quantity, said as `quantity <= 0`: any sum of coefficients, intercepts and variances."""
    tables = {
        name: tuple(axis for axis in axes if isinstance(axis, Discrete))
        for name, axes in families.items()
        if isinstance(axes[-1], Discrete)
    }
    slots = Slots.of(families)
    names = names_of(list(declared), Cells.of(tables), None, list(slots.families))
    return Regressed(slots, (rule,), tuple(_rows(names, slots, 0, rule)))


def refuse_doubt(rule: Rule) -> NoReturn:
    """Say that a rule about a regression cannot be said with less than certainty."""
    raise fault(
        rule, None, "a rule about a regression is certain or left out",
        "confidence is for rules about probabilities",
    )  # fmt: skip


def _check_kinds(rule: Rule) -> None:
    """Nothing, or an error about a rule of variances and of coefficients."""
    said = rule.statement
    assert isinstance(said, Compare | About)
    sides = said.sides if isinstance(said, Compare) else (said.left, said.right)
    kinds = {each.what == "variance" for side in sides for each in _coefficients(side)}
    if len(kinds) > 1:
        raise fault(
            rule, None, "variances do not stand beside coefficients and intercepts in one rule",
            RATIOS,
        )  # fmt: skip


def _check_sizes(rule: Rule, rows: Sequence[Row], slots: Slots) -> None:
    """Nothing, or an error about numbers so large that they are taken for no limit at all."""
    for row in rows:
        spread = slots.is_variance(int(row.slots[0]))
        least, most = (1 / MOST**5, MOST**5) if spread else (0.0, MOST)
        sizes = np.abs(np.append(row.factors, row.limit))
        if sizes.max() > most or bool(((sizes > 0) & (sizes < least)).any()):
            raise fault(
                rule, None, f"a number of this rule is not between {least:g} and {most:g} in size",
                "express the variables in other units",
            )  # fmt: skip


def _check_variances(rule: Rule, rows: Sequence[Row], slots: Slots) -> None:
    """Nothing, or an error about a rule of variances that is no bound and no ratio."""
    for row in rows:
        if not slots.is_variance(int(row.slots[0])):
            continue
        alone = row.slots.size == 1
        ratio = row.slots.size == 2 and row.factors.prod() < 0 and row.limit == 0
        if not (alone or ratio):
            raise fault(rule, None, "variances are not added up in rules", RATIOS)
        bound = row.limit / float(row.factors[0]) if alone else 1.0
        if bound <= 0 and (row.equal or row.factors[0] > 0):
            raise clash(rule, None, "a variance is above 0", "allow some noise")


def _rows(names: Names, slots: Slots, number: int, rule: Rule) -> list[Row]:
    said = rule.statement
    if isinstance(said, Compare):
        sides = [_measured(names, slots, rule, side) for side in said.sides]
        pairs = zip(sides[:-1], sides[1:], said.signs, strict=True)
        return [
            row for left, right, sign in pairs for row in _pair(number, rule, left, right, sign)
        ]
    assert isinstance(said, About)
    check_slack(rule, said.slack)
    left, (places, limit) = (_measured(names, slots, rule, s) for s in (said.left, said.right))
    if said.slack == 0:
        return _pair(number, rule, left, (places, limit), "=")
    return [
        *_pair(number, rule, left, (places, limit + said.slack), "<="),
        *_pair(number, rule, left, (places, limit - said.slack), ">="),
    ]


Said = tuple[list[tuple[float, Place]], float]


def _measured(names: Names, slots: Slots, rule: Rule, expression: Expression) -> Said:
    places, numbers = [], []
    for part in expression.parts:
        if not isfinite(part.factor):
            raise fault(rule, None, f"{part.factor!r} is no number that a rule can use")
        if part.of is None:
            numbers.append(part.factor)
        else:
            assert isinstance(part.of, Coefficient)
            places.append((part.factor, place(names, slots, rule, part.of)))
    return places, added(numbers)


def place(names: Names, slots: Slots, rule: Rule, said: Coefficient) -> Place:
    """The slots that a coefficient, an intercept or a variance names."""
    child = said.child.text
    if child not in slots.families:
        if child in names.variables:
            what = f"{child!r} is discrete and has no {said.what}"
            raise fault(rule, said.child, what, "its rules speak of probabilities")
        refuse(names, rule, said.child)
    axes = slots.families[child]
    layout = _layout(slots.starts[child], axes)
    first, indices = layout.start + _offset(names, rule, said, axes), list[tuple[Index, int]]()
    given = axes_named(names, rule, layout, said.given)
    for name, axis in layout.parents.items():
        term = given.get(name)
        codes = axis.every if term is None else states_of(names, rule, axis, term)
        if len(codes) == 1:
            first += codes[0] * axis.stride
        else:
            indices.append(((name, codes), axis.stride))
    return Place(first, tuple(indices), (0,))


def _offset(names: Names, rule: Rule, said: Coefficient, axes: tuple[Variable, ...]) -> int:
    """Where the number stands in its regression."""
    parents = [axis.name for axis in axes[:-1] if isinstance(axis, Continuous)]
    if said.parent is None:
        return len(parents) + (said.what == "variance")
    name = said.parent.text
    if name in parents:
        return parents.index(name)
    if name in [axis.name for axis in axes[:-1]]:
        what = f"{name!r} is discrete: it chooses the regression of {said.child.text!r}"
        like = f"coefficient({named(said.child.text)}, X | {named(name)}=...)"
        raise fault(rule, said.parent, what, f"say in which of its states, as in  {like}")
    if name not in names.variables and name not in names.others:
        refuse(names, rule, said.parent)
    known = listed(parents) if parents else "none"
    raise fault(
        rule, said.parent,
        f"{name!r} is no parent of {said.child.text!r}{nearest(name, parents)}",
        f"continuous parents of {said.child.text!r}: {known}",
    )  # fmt: skip


def _layout(start: int, axes: tuple[Variable, ...]) -> Layout:
    """The discrete parents as axes over the slots of a family."""
    stride, placed = width(axes), []
    for axis in reversed(axes[:-1]):
        if isinstance(axis, Discrete):
            codes = {state: code for code, state in enumerate(axis.states)}
            placed.append(Axis(axis.name, codes, tuple(range(len(codes))), stride))
            stride *= len(codes)
    own = Axis(axes[-1].name, {}, (), 1)
    return Layout(start, {axis.name: axis for axis in reversed(placed)}, own)


def _pair(number: int, rule: Rule, left: Said, right: Said, sign: str) -> list[Row]:
    turn = -1 if sign == ">=" else 1
    parts = [(turn * factor, where) for factor, where in left[0]]
    parts += [(-turn * factor, where) for factor, where in right[0]]
    limit, equal = turn * added((right[1], -left[1])), sign == "="
    if not parts:
        return []
    factors = np.array([factor for factor, _ in parts])
    rows = []
    for slots in cells_of(rule, [where for _, where in parts]):
        kept, inverse = np.unique(slots, return_inverse=True)
        sums = np.bincount(inverse, factors, kept.size)
        some = np.abs(sums) > 1e-12 * np.abs(factors).max()
        if some.any():
            rows.append(Row(kept[some], sums[some], limit, equal, number, turn))
        elif limit < 0 or (equal and limit != 0):
            what = "this rule cannot hold, whatever the numbers are"
            raise clash(rule, None, what, "both sides name the same, and differ by a number")
    return rows
