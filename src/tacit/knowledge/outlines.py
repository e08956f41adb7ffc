"""Probabilities in rules that are not linear: rows of tables, and events of a whole network.

P(A=a | B=b) is one row, or all rows that leave it open, where A has no parents or every condition
names a parent of A. Any other probability is of an event: P(A=a) of a variable with parents,
P(A=a | C=c) given something that is no parent, P(A=a, B=b). In an event, what is not named is
summed out; what is named without a state, and a set behind the bar, runs through its states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tacit.knowledge.curves import Atom, Event, Mass
from tacit.knowledge.faults import fault
from tacit.knowledge.meaning import Index, axes_named
from tacit.knowledge.names import Axis, Names, layout_of, states_of
from tacit.knowledge.statements import Rule
from tacit.knowledge.terms import Probability, Term, Word

At: TypeAlias = Mapping[Index, int]
"""A state for everything that runs."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A variable and its states: one of them at a time if it `runs`, else all together."""

    axis: Axis
    codes: tuple[int, ...]
    runs: bool

    @property
    def index(self) -> Index:
        """What runs here."""
        return self.axis.name, self.codes

    def at(self, at: At) -> tuple[int, ...]:
        """The states it has where everything that runs has the state `at` says."""
        return (at[self.index],) if self.runs else self.codes

    def term(self, at: At) -> Term:
        """The same in the language."""
        states = list(self.axis.codes)
        return Term(Word(self.axis.name), tuple(Word(states[code]) for code in self.at(at)))


@dataclass(frozen=True, slots=True)
class Outline:
    """A probability as slots; a row of a table names all its parents behind the bar."""

    row: bool
    targets: tuple[Slot, ...]
    given: tuple[Slot, ...]

    @property
    def indices(self) -> Iterable[Index]:
        """All that runs in it, conditions first."""
        return (slot.index for slot in (*self.given, *self.targets) if slot.runs)

    def said(self, at: At) -> Probability:
        """The probability where nothing runs."""
        targets, given = (tuple(s.term(at) for s in side) for side in (self.targets, self.given))
        return Probability(targets, given)


def is_row(names: Names, probability: Probability) -> bool:
    """Whether this is about the rows of one table; what cannot be known is left to them, too."""
    if len(probability.targets) > 1:
        return False
    layout = names.layouts.get(probability.targets[0].variable.text)
    if layout is None:
        return True
    if not probability.given:
        return not layout.parents
    own = layout.child.name
    return all(
        term.variable.text in layout.parents or term.variable.text == own
        for term in probability.given
    )


def outline(names: Names, rule: Rule, probability: Probability) -> Outline:
    """The slots of a probability; an error where its words do not fit."""
    return (_row if is_row(names, probability) else _event)(names, rule, probability)


def _row(names: Names, rule: Rule, probability: Probability) -> Outline:
    (target,) = probability.targets
    layout = layout_of(names, rule, target.variable)
    named = axes_named(names, rule, layout, probability.given)
    given = tuple(
        _slot(names, rule, axis, named.get(name, Term(Word(name))), given=True)
        for name, axis in layout.parents.items()
    )
    return Outline(True, (_slot(names, rule, layout.child, target),), given)


def _event(names: Names, rule: Rule, probability: Probability) -> Outline:
    behind = {term.variable.text for term in probability.given}
    for term in probability.targets:
        if term.variable.text in behind:
            raise fault(
                rule, term.variable,
                f"{term.variable.text!r} stands on both sides of the bar",
                "what is given is known: leave it out on one side",
            )  # fmt: skip
    targets, given = (
        _slots(names, rule, side, given=side is probability.given)
        for side in (probability.targets, probability.given)
    )
    return Outline(False, targets, given)


def _slots(names: Names, rule: Rule, terms: Iterable[Term], given: bool) -> tuple[Slot, ...]:
    seen: set[str] = set()
    found = []
    for term in terms:
        name = term.variable.text
        if name in seen:
            where = "in one condition" if given else "before the bar"
            raise fault(rule, term.variable, f"{name!r} stands twice {where}")
        seen.add(name)
        axis = layout_of(names, rule, term.variable).child
        _check_ancestors(names, rule, term.variable)
        found.append(_slot(names, rule, axis, term, given))
    return tuple(found)


def _slot(names: Names, rule: Rule, axis: Axis, term: Term, given: bool = False) -> Slot:
    codes = states_of(names, rule, axis, term)
    return Slot(axis, codes, len(codes) > 1 and (given or term.states is None))


def _check_ancestors(names: Names, rule: Rule, word: Word) -> None:
    """All variables that an event is summed over must have tables."""
    waiting, seen = [word.text], {word.text}
    while waiting:
        for parent in names.layouts[waiting.pop()].parents:
            if parent not in names.layouts:
                raise fault(
                    rule, word, f"{parent!r}, on which {word.text!r} depends, has no table",
                    "a marginal is summed over tables of probabilities",
                )  # fmt: skip
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)


def atoms(names: Names, outlined: Outline, at: At) -> tuple[Atom, Atom | None]:
    """The mass of a row; or the events of numerator and denominator, if there is a condition."""
    targets, given = (
        [(slot.axis.name, slot.at(at)) for slot in side]
        for side in (outlined.targets, outlined.given)
    )
    if outlined.row:
        return _mass(names, outlined, at), None
    return event(names, targets + given), event(names, given) if given else None


def _mass(names: Names, outlined: Outline, at: At) -> Mass:
    (target,) = outlined.targets
    layout = names.layouts[target.axis.name]
    first = layout.start + sum(slot.at(at)[0] * slot.axis.stride for slot in outlined.given)
    return Mass(tuple(first + code for code in target.at(at)))


def event(names: Names, held: Iterable[tuple[str, tuple[int, ...]]]) -> Atom:
    """That these variables have these states; of one variable without parents it is a mass."""
    said = sorted((name, codes) for name, codes in held
                  if len(codes) < len(names.layouts[name].child.every))  # fmt: skip
    if len(said) == 1 and not names.layouts[said[0][0]].parents:
        start = names.layouts[said[0][0]].start
        return Mass(tuple(start + code for code in said[0][1]))
    return Event(tuple(said))
