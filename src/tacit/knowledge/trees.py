"""What a tree table says, as rules in the language: people read it, and other tables obey it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise, product

from tacit.core.errors import SizeError, quoted
from tacit.families.tree_table import TreeTable
from tacit.knowledge.expressions import Expression, Part
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.statements import Compare, Ignores, Rule
from tacit.knowledge.terms import Probability, Term, Word

MOST_RULES = 10_000
"""Rules that one tree may come to."""


def tree_rules(family: TreeTable) -> Knowledge:
    """What the tree says in rules: `X ignores B when A=yes`, and equal rows where one branch takes
    several states.

    A whole table under these rules has the same rows as the tree, and the same fit.
    """
    rules = []
    for where, ignored in family.ignored:
        if not all(where.values()):
            continue  # no case can come here
        several = {name: states for name, states in where.items() if len(states) > 1}
        if ignored:
            given = tuple(Term(Word(n), tuple(map(Word, states))) for n, states in where.items())
            rules.append(Rule(Ignores(Word(family.child), tuple(map(Word, ignored)), given)))
        for name in several:
            rules += _equal_rows(family, where, name)
        if len(rules) > MOST_RULES:
            raise SizeError(
                f"the tree of {quoted(family.child)} comes to more than {MOST_RULES:,} rules"
            )
    return Knowledge(tuple(rules))


def _equal_rows(
    family: TreeTable, where: Mapping[str, tuple[str, ...]], name: str
) -> Iterator[Rule]:
    """Neighbouring states of one parent that lead to the same leaf have the same row there; a
    parent that does not matter is held at its first state."""
    first = {each.name: each.states[:1] for each in family.variables[:-1]}
    held = {**first, **{other: states for other, states in where.items() if other != name}}
    del held[name]
    for states in product(*held.values()):
        given = dict(zip(held, states, strict=True))
        for one, other in pairwise(where[name]):
            sides = (_row(family, {**given, name: each}) for each in (one, other))
            yield Rule(Compare(tuple(sides), ("=",)))


def _row(family: TreeTable, given: Mapping[str, str]) -> Expression:
    terms = tuple(Term(Word(name), (Word(given[name]),)) for name in family.parents)
    return Expression((Part(1.0, Probability((Term(Word(family.child)),), terms)),))
