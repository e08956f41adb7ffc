"""What the words of rules stand for in one network: variables, states, groups, orders."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from tacit.core.errors import listed, nearest, quoted
from tacit.core.variables import Discrete
from tacit.knowledge.cells import Cells
from tacit.knowledge.faults import fault
from tacit.knowledge.statements import Group, Rule, StateOrder
from tacit.knowledge.terms import Term, Word


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a table.

    codes   the number of each state
    every   all of those numbers
    stride  how many cells further the next state lies
    """

    name: str
    codes: Mapping[str, int]
    every: tuple[int, ...]
    stride: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the cells of one table lie: `start`, and a stride for every axis."""

    start: int
    parents: Mapping[str, Axis]
    child: Axis


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """All that words can stand for.

    layouts    of the variables that have a table
    variables  all with states, parents included
    others     variables of the network without states or without a table
    groups     named sets of states
    orders     declared in the rules: the numbers of the states, low to high
    inferred   variables whose order of states nobody declared
    """

    cells: Cells
    layouts: Mapping[str, Layout]
    variables: Mapping[str, Discrete]
    others: Collection[str]
    groups: Mapping[str, tuple[str, ...]]
    orders: Mapping[str, tuple[int, ...]]
    inferred: Collection[str]


def names_of(
    rules: Sequence[Rule], cells: Cells, ordered: Collection[str] | None, others: Collection[str]
) -> Names:
    """What words stand for, with the groups and orders that the rules declare."""
    variables = {axis.name: axis for axes in cells.families.values() for axis in axes}
    layouts = {name: _layout(cells.starts[name], axes) for name, axes in cells.families.items()}
    inferred = set() if ordered is None else set(variables) - set(ordered)
    plain = Names(cells, layouts, variables, others, {}, {}, inferred)
    groups: dict[str, tuple[str, ...]] = {}
    orders: dict[str, tuple[int, ...]] = {}
    for rule in rules:
        said = rule.statement
        if isinstance(said, Group):
            if said.name.text in groups:
                raise fault(rule, said.name, f"the group {said.name.text!r} is named twice")
            groups[said.name.text] = tuple(word.text for word in said.states)
        elif isinstance(said, StateOrder):
            if said.variable.text in orders:
                raise fault(
                    rule, said.variable, f"the order of {said.variable.text!r} is declared twice"
                )
            orders[said.variable.text] = _declared(plain, rule, said)
    return Names(cells, layouts, variables, others, groups, orders, inferred - orders.keys())


def _layout(start: int, axes: tuple[Discrete, ...]) -> Layout:
    stride, placed = 1, []
    for axis in reversed(axes):
        count = len(axis.states)
        codes = {state: code for code, state in enumerate(axis.states)}
        placed.append(Axis(axis.name, codes, tuple(range(count)), stride))
        stride *= count
    return Layout(start, {axis.name: axis for axis in reversed(placed[1:])}, placed[0])


def _declared(names: Names, rule: Rule, said: StateOrder) -> tuple[int, ...]:
    variable = variable_of(names, rule, said.variable)
    codes: list[int] = []
    for word in said.states:
        if word.text not in variable.states:
            _no_state(variable, rule, word, ())
        codes.append(variable.states.index(word.text))
        if codes[-1] in codes[:-1]:
            raise fault(rule, word, f"the state {word.text!r} is listed twice")
    missing = [state for code, state in enumerate(variable.states) if code not in codes]
    if missing:
        raise fault(
            rule, said.variable,
            f"the order of {variable.name!r} leaves out {listed(map(repr, missing))}",
            f"states of {variable.name!r}: {listed(variable.states)}",
        )  # fmt: skip
    return tuple(codes)


def _no_state(variable: Discrete, rule: Rule, word: Word, groups: Collection[str]) -> NoReturn:
    near = nearest(word.text, [*variable.states, *groups])
    raise fault(
        rule, word, f"{variable.name!r} has no state {word.text!r}{near}",
        f"states of {variable.name!r}: {listed(variable.states)}",
    )  # fmt: skip


def variable_of(names: Names, rule: Rule, word: Word) -> Discrete:
    """The variable of this name; an error that suggests the nearest if there is none."""
    found = names.variables.get(word.text)
    if found is None:
        refuse(names, rule, word)
    return found


def layout_of(names: Names, rule: Rule, word: Word) -> Layout:
    """The table of this variable."""
    found = names.layouts.get(word.text)
    if found is None:
        refuse(names, rule, word)
    return found


def refuse(names: Names, rule: Rule, word: Word) -> NoReturn:
    """Say why this word cannot stand where a variable with a table is needed."""
    if word.text in names.others or word.text in names.variables:
        raise fault(
            rule, word, f"{word.text!r} has no table of probabilities",
            "such rules speak of discrete variables whose family is a table",
        )  # fmt: skip
    known = [*names.cells.families, *(n for n in names.variables if n not in names.layouts)]
    known += [name for name in names.others if name not in names.variables]
    raise fault(
        rule, word, f"the network has no variable {word.text!r}{nearest(word.text, known)}",
        f"variables: {listed(known)}",
    )  # fmt: skip


def states_of(names: Names, rule: Rule, axis: Axis, term: Term) -> tuple[int, ...]:
    """The numbers of the states that a term allows, rising: all where it is free.

    A set is a set: neither the order nor the way in which it is written counts.
    """
    if term.states is None:
        return axis.every
    if term.likelihoods is not None:
        raise fault(
            rule, term.variable, "a likelihood of states is a finding and has no place in a rule",
            f"name states instead:  {quoted(axis.name)}={{{quoted(next(iter(axis.codes)))}, ...}}",
        )  # fmt: skip
    if len(term.states) == 1 and not term.negated:
        return codes_of(names, rule, axis, term.states[0])
    chosen: set[int] = set()
    seen: set[str] = set()
    for word in term.states:
        if word.text in seen:
            raise fault(rule, word, f"{word.text!r} stands twice in one set", "leave out one")
        seen.add(word.text)
        chosen.update(codes_of(names, rule, axis, word))
    if term.negated:
        chosen = set(axis.every) - chosen
        if not chosen:
            raise fault(rule, term.states[0], f"this leaves no state of {axis.name!r}")
    return tuple(sorted(chosen))


def codes_of(names: Names, rule: Rule, axis: Axis, word: Word) -> tuple[int, ...]:
    """The number of the state that a word names, or those of the group it names, rising."""
    code, group = axis.codes.get(word.text), names.groups.get(word.text)
    if group is None:
        if code is None:
            _no_state(names.variables[axis.name], rule, word, names.groups)
        return (code,)
    outside = [state for state in group if state not in axis.codes]
    if code is not None and outside:
        return (code,)
    if code is not None:
        raise fault(
            rule, word, f"{word.text!r} is both a state of {axis.name!r} and a group of its states",
            "give the group another name",
        )  # fmt: skip
    if outside:
        raise fault(
            rule, word, f"the group {word.text!r} has {outside[0]!r}, no state of {axis.name!r}",
            f"states of {axis.name!r}: {listed(axis.codes)}",
        )  # fmt: skip
    return tuple(sorted({axis.codes[state] for state in group}))


def order_of(names: Names, rule: Rule, word: Word) -> tuple[int, ...]:
    """The states of a variable, low to high; an error if three or more were never ordered."""
    variable = names.variables[word.text]
    if word.text in names.inferred and len(variable.states) > 2:
        order = StateOrder(word, tuple(map(Word, variable.states)))
        raise fault(
            rule, word, f"this needs an order of the states of {word.text!r}, and none is declared",
            f"they stand in the order of their names: {', '.join(map(quoted, variable.states))}\n"
            f"say the right one, from low to high, in a line like  {order}",
        )  # fmt: skip
    return names.orders.get(word.text, tuple(range(len(variable.states))))
