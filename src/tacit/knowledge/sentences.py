"""The parts of comparisons that need not be linear."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from tacit.knowledge.meaning import check_lengths, check_slack, place
from tacit.knowledge.names import Names
from tacit.knowledge.outlines import is_row
from tacit.knowledge.statements import About, Compare, Expression, Factors, Part, Ratios, Rule
from tacit.knowledge.terms import Probability

Sentence: TypeAlias = Compare | About | Ratios
Pair: TypeAlias = tuple[Expression, str, Expression]


def bends(names: Names, said: Sentence) -> bool:
    """Whether a statement multiplies or divides probabilities, or speaks of events."""
    if isinstance(said, Ratios):
        return not all(is_row(names, each) for side in said.sides for each in side)
    sides = said.sides if isinstance(said, Compare) else (said.left, said.right)
    return any(
        isinstance(part.of, Factors)
        or (isinstance(part.of, Probability) and not is_row(names, part.of))
        for side in sides
        for part in side.parts
    )


def as_ratios(names: Names, rule: Rule, said: Sentence) -> Ratios | None:
    """P(a) / P(b) = P(c) / P(d) of single cells as P(a) : P(b) = P(c) : P(d), which it is."""
    if not isinstance(said, Compare) or set(said.signs) != {"="}:
        return None
    sides = []
    for side in said.sides:
        match side.parts:
            case (Part(1.0, Factors((Probability() as over,), (Probability() as under,))),):
                sides.append((over, under))
            case _:
                return None
    for each in (each for side in sides for each in side):
        if not is_row(names, each) or len(place(names, rule, each).mass) > 1:
            return None
    return Ratios(tuple(sides))


def pairs(rule: Rule, said: Sentence) -> Iterator[Pair]:
    """The comparisons of two sides that a statement is made of."""
    if isinstance(said, Compare):
        yield from zip(said.sides[:-1], said.signs, said.sides[1:], strict=True)
    elif isinstance(said, About):
        check_slack(rule, said.slack)
        for sign, slack in (("<=", said.slack), (">=", -said.slack)) if said.slack else (("=", 0),):
            more = (Part(float(slack)),) if slack else ()
            yield said.left, sign, Expression((*said.right.parts, *more))
    else:
        check_lengths(rule, said)
        first, *rest = said.sides
        for side in rest:
            for one, other in zip(first[1:], side[1:], strict=True):
                yield _multiplied(first[0], other), "=", _multiplied(one, side[0])


def _multiplied(one: Probability, other: Probability) -> Expression:
    return Expression((Part(1.0, Factors((one, other))),))


def inside(expression: Expression) -> Iterator[Probability]:
    """All probabilities in an expression."""
    for part in expression.parts:
        if isinstance(part.of, Probability):
            yield part.of
        elif isinstance(part.of, Factors):
            for each in (*part.of.over, *part.of.under):
                yield from (each,) if isinstance(each, Probability) else inside(each)
