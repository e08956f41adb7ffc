"""Finds in the language of rules, so that an expert can read, accept or strike them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from tacit.core.variables import Discrete
from tacit.knowledge.expressions import Expression, Part
from tacit.knowledge.statements import (
    Compare,
    Ignores,
    Influence,
    Ratios,
    Rule,
    TableOf,
    Tie,
)
from tacit.knowledge.terms import Probability, Term, Word

Place: TypeAlias = tuple[str, Mapping[str, str]]
"""A row: the child, and the states of its parents."""


def mass(child: str, states: Sequence[str] | None, context: Mapping[str, str]) -> Probability:
    """P(child=states | context); without states the whole row."""
    words = None if states is None else tuple(map(Word, states))
    given = tuple(Term(Word(name), (Word(state),)) for name, state in context.items())
    return Probability((Term(Word(child), words),), given)


def equal(sides: Sequence[Probability]) -> Rule:
    """side = side = ..."""
    said = tuple(Expression((Part(1.0, side),)) for side in sides)
    return Rule(Compare(said, ("=",) * (len(said) - 1)))


def equal_rows(child: str, contexts: Sequence[Mapping[str, str]]) -> Rule:
    """P(X | A=a) = P(X | A=b) = ..."""
    return equal([mass(child, None, context) for context in contexts])


def equal_cells(child: str, states: Sequence[str], context: Mapping[str, str]) -> Rule:
    """P(X=a | ...) = P(X=b | ...) = ..."""
    return equal([mass(child, [state], context) for state in states])


def equal_masses(states: Sequence[str], places: Sequence[Place]) -> Rule:
    """P(X={a, b} | A=a) = P(X={a, b} | A=b) = ..."""
    return equal([mass(child, states, context) for child, context in places])


def equal_ratios(states: Sequence[str], places: Sequence[Place]) -> Rule:
    """P(X=a | A=a) : P(X=b | A=a) = P(X=a | A=b) : P(X=b | A=b) = ..."""
    sides = [tuple(mass(child, [state], each) for state in states) for child, each in places]
    return Rule(Ratios(tuple(sides)))


def ignores(child: str, parents: Sequence[str], held: Mapping[str, str]) -> Rule:
    """X ignores Y when Z=z."""
    given = tuple(Term(Word(name), (Word(state),)) for name, state in held.items())
    return Rule(Ignores(Word(child), tuple(map(Word, parents)), given))


def one_table(families: Sequence[Sequence[Discrete]]) -> Rule:
    """table(A | B) = table(C | D) = ..."""
    return Rule(
        Tie(
            tuple(
                TableOf(Word(axes[-1].name), tuple(Word(axis.name) for axis in axes[:-1]))
                for axes in families
            )
        )
    )


def influence(child: str, parent: str, direction: int) -> Rule:
    """X increases with Y."""
    return Rule(Influence(Word(child), Word(parent), direction))
