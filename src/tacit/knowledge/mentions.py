"""Which variables a rule names, and what is left of rules while some of these are not there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from tacit.knowledge.declarations import Group, StateOrder
from tacit.knowledge.statements import Arcs, MostParents, Rule, Tiers
from tacit.knowledge.terms import Term, Word

OF_STATES = {"state", "states"}
"""Parts of statements that name states, not variables."""


def mentioned(rule: Rule) -> frozenset[str]:
    """The names of the variables, and of the states that a sharing tree lists, in a rule."""
    return frozenset(_named(rule.statement))


def _named(said: Any) -> Iterator[str]:
    if isinstance(said, Word):
        yield said.text
    elif isinstance(said, Term):
        yield said.variable.text
    elif isinstance(said, tuple):
        for each in said:
            yield from _named(each)
    elif is_dataclass(said):
        for part in fields(said):
            if part.name not in OF_STATES:
                yield from _named(getattr(said, part.name))


def states_of(rules: Iterable[Rule], name: str) -> frozenset[str]:
    """The states of a variable that rules name; a group of states is named by its states."""
    rules = tuple(rules)
    groups = {
        rule.statement.name.text: {state.text for state in rule.statement.states}
        for rule in rules
        if isinstance(rule.statement, Group)
    }
    found = {state for rule in rules for state in _states(rule.statement, name)}
    return frozenset(each for state in found for each in groups.get(state, {state}))


def _states(said: Any, name: str) -> Iterator[str]:
    if isinstance(said, Term | StateOrder):
        if said.variable.text == name:
            yield from (word.text for word in said.states or ())
    elif isinstance(said, tuple):
        for each in said:
            yield from _states(each, name)
    elif is_dataclass(said):
        for part in fields(said):
            yield from _states(getattr(said, part.name), name)


def rules_without(rules: Iterable[Rule], gone: Collection[str]) -> tuple[Rule, ...]:
    """What the rules say of the variables that are there.

    Of a rule about several arcs, an order or bounds on parents the rest stays in force; any other
    rule that names a variable which is not there says nothing.
    """
    kept = (_without(rule, frozenset(gone)) for rule in rules)
    return tuple(rule for rule in kept if rule is not None)


def _without(rule: Rule, gone: frozenset[str]) -> Rule | None:
    if gone.isdisjoint(mentioned(rule)):
        return rule
    said = rule.statement
    if isinstance(said, Arcs):
        arcs = tuple(arc for arc in said.arcs if not any(_is_one(word, gone) for word in arc))
        return replace(rule, statement=replace(said, arcs=arcs)) if arcs else None
    if isinstance(said, Tiers):
        left = (tuple(word for word in tier if not _is_one(word, gone)) for tier in said.tiers)
        tiers = tuple(tier for tier in left if tier)
        return replace(rule, statement=replace(said, tiers=tiers)) if len(tiers) > 1 else None
    if isinstance(said, MostParents):
        children = tuple(word for word in said.children if not _is_one(word, gone))
        return replace(rule, statement=replace(said, children=children)) if children else None
    return None


def _is_one(word: Word | None, names: frozenset[str]) -> bool:
    return word is not None and word.text in names
