"""What rules that are not linear say of cells, instance by instance.

Every variable that a statement leaves free is one index of the whole statement, as in linear
rules. An instance whose divisions can be multiplied out so that it is linear in cells is linear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import isfinite, prod
from typing import NoReturn

import numpy as np

from tacit.arrays import Ints
from tacit.core.errors import SizeError, listed, quoted
from tacit.knowledge.algebra import (
    ONE,
    Poly,
    Quotient,
    TooManyTermsError,
    ZeroDivisorError,
    fixed,
    highest,
    lowest,
    multiplied_out,
)
from tacit.knowledge.calling import check_function
from tacit.knowledge.chunks import ROUNDING, Chunk
from tacit.knowledge.curves import Applied, Atom, Event, Mass, Polynomial, Terms
from tacit.knowledge.faults import fault, shown
from tacit.knowledge.meaning import refuse_linear
from tacit.knowledge.names import Names
from tacit.knowledge.outlines import At, Outline, atoms, outline
from tacit.knowledge.sentences import Pair, Sentence, inside, pairs
from tacit.knowledge.statements import (
    Coefficient,
    Compare,
    Expression,
    Factors,
    Link,
    Part,
    Rule,
    Smooth,
)
from tacit.knowledge.terms import Probability

MOST_INSTANCES = 20_000
"""Instances of one rule beyond which it is refused."""


@dataclass(slots=True, eq=False)
class Bent:
    """What a rule says: linear chunks, curved instances (equalities apart), divisors.

    impossible  an instance that no probabilities obey, as the end of a sentence
    """

    chunks: list[Chunk] = field(default_factory=list)
    equal: list[Polynomial | Applied] = field(default_factory=list)
    unequal: list[Polynomial | Applied] = field(default_factory=list)
    divisors: dict[Terms, None] = field(default_factory=dict)
    impossible: str | None = None


def bent(names: Names, rule: Rule, said: Sentence) -> Bent:
    """Every instance of a comparison, linear where it can be."""
    found = Bent()
    for pair in pairs(rule, said):
        reader = _Reader(names, rule, found)
        for at in reader.assignments([*inside(pair[0]), *inside(pair[2])]):
            try:
                reader.compared(pair, at)
            except TooManyTermsError:
                raise SizeError(
                    shown(rule, None, "this rule has too many terms when it is multiplied out",
                          "write a simpler one")
                ) from None  # fmt: skip
            except ZeroDivisorError:
                raise fault(rule, None, "this rule divides by zero") from None
    return found


def applied(names: Names, rule: Rule, said: Smooth) -> Bent:
    """Every instance of a rule on a function."""
    found = Bent()
    reader = _Reader(names, rule, found)
    outlines = [reader.outlined(each) for each in said.of]
    check_function(rule, said)
    same = said.low is not None and said.low == said.high
    for at in reader.assignments(said.of):
        of = tuple(atoms(names, each, at) for each in outlines)
        one = replace(said, of=tuple(each.said(at) for each in outlines))
        found.divisors.update({((1.0, (below,)),): None for _, below in of if below is not None})
        if same:
            found.equal.append(Applied(said, of, said.low or 0.0, 1, str(one)))
            continue
        for limit, sign in ((said.low, -1), (said.high, 1)):
            if limit is not None:
                low, high = (None, limit) if sign > 0 else (limit, None)
                text = str(replace(one, low=low, high=high))
                found.unequal.append(Applied(said, of, limit, sign, text))
    return found


class _Reader:
    """Reads the expressions of one rule, and adds what they say to `found`."""

    def __init__(self, names: Names, rule: Rule, found: Bent) -> None:
        self.names, self.rule, self.found = names, rule, found
        self.outlines: dict[Probability, Outline] = {}
        self.numbers: dict[Atom, int] = {}
        self.known: list[Atom] = []

    def outlined(self, probability: Probability) -> Outline:
        """The slots of a probability, looked up once."""
        if probability not in self.outlines:
            self.outlines[probability] = outline(self.names, self.rule, probability)
        return self.outlines[probability]

    def assignments(self, inside: Sequence[Probability]) -> Iterator[At]:
        """A state for everything that runs, in every combination."""
        indices = list(dict.fromkeys(i for each in inside for i in self.outlined(each).indices))
        count = prod(len(codes) for _, codes in indices)
        if count > MOST_INSTANCES:
            free = listed(quoted(name) for name, _ in indices)
            raise SizeError(
                shown(
                    self.rule, None, f"this rule stands for {count:,} rules that are not linear",
                    f"hold some variables to single states: {free}",
                )
            )  # fmt: skip
        for chosen in product(*(codes for _, codes in indices)):
            yield dict(zip(indices, chosen, strict=True))

    def compared(self, pair: Pair, at: At) -> None:
        """One instance of left sign right: a linear chunk, or a polynomial."""
        left, sign, right = pair
        turn = -1 if sign == ">=" else 1
        said = (self._value(left, at) + self._value(right, at).scaled(-1.0)).scaled(turn)
        over, powers = multiplied_out(said, sign == "=")
        if not over:
            return
        if linear := self._linear(over):
            self.found.chunks.append(Chunk(*linear, sign == "=", turn))
            return
        largest = max(abs(value) for value in over.values())
        if lowest(over) > ROUNDING * largest or (
            sign == "=" and highest(over) < -ROUNDING * largest
        ):
            self._refused(self._text(pair, at))
        under = tuple((self._terms(dict(each)), power) for each, power in powers)
        (self.found.equal if sign == "=" else self.found.unequal).append(
            Polynomial(self._terms(over), self._text(pair, at), under)
        )

    def _refused(self, text: str) -> None:
        if self.found.impossible is None:
            same = text == str(self.rule.statement)
            self.found.impossible = "" if same else f", and it says\n    {text}"

    def _text(self, pair: Pair, at: At) -> str:
        left, sign, right = pair
        return str(Compare((self._said(left, at), self._said(right, at)), (sign,)))

    def _value(self, expression: Expression, at: At) -> Quotient:
        total = Quotient({})
        for part in expression.parts:
            if not isfinite(part.factor):
                raise fault(self.rule, None, f"{part.factor!r} is no number that a rule can use")
            total = total + self._part(part, at).scaled(part.factor)
        return total

    def _part(self, part: Part, at: At) -> Quotient:
        if isinstance(part.of, Coefficient | Link):
            self._refuse(part.of)
        if isinstance(part.of, Factors):
            found = Quotient(ONE)
            for each in part.of.over:
                found = found * self._operand(each, at)
            for each in part.of.under:
                found = self._divided(found, self._operand(each, at))
            return found
        return Quotient(ONE) if part.of is None else self._operand(part.of, at)

    def _refuse(self, said: Coefficient | Link) -> NoReturn:
        refuse_linear(self.names, self.rule, said)

    def _operand(self, each: Probability | Expression, at: At) -> Quotient:
        if isinstance(each, Expression):
            return self._value(each, at)
        over, under = atoms(self.names, self.outlined(each), at)
        found = Quotient(self._poly(over))
        return found if under is None else self._divided(found, Quotient(self._poly(under)))

    def _divided(self, left: Quotient, right: Quotient) -> Quotient:
        found = left / right
        self.found.divisors[self._terms(right.over)] = None
        return found

    def _poly(self, atom: Atom) -> Poly:
        if isinstance(atom, Event) and not atom.held:
            return ONE
        if atom not in self.numbers:
            self.numbers[atom] = len(self.known)
            self.known.append(atom)
        return {(self.numbers[atom],): 1.0}

    def _terms(self, poly: Poly) -> Terms:
        return tuple((value, tuple(self.known[atom] for atom in key)) for key, value in fixed(poly))

    def _linear(self, over: Poly) -> tuple[Ints, list[float], float] | None:
        """Cells, factors and limit, where nothing is multiplied and no event is in it."""
        cells, factors = list[int](), list[float]()
        for key, value in over.items():
            if len(key) > 1:
                return None
            for mass in (self.known[atom] for atom in key):
                if not isinstance(mass, Mass):
                    return None
                cells += mass.cells
                factors += [value] * len(mass.cells)
        return np.array([cells], dtype=np.int64), factors, -over.get((), 0.0) + 0.0

    def _said(self, expression: Expression, at: At) -> Expression:
        """The expression where nothing runs."""
        return Expression(tuple(replace(part, of=self._said_of(part, at))
                                for part in expression.parts))  # fmt: skip

    def _said_of(self, part: Part, at: At) -> Probability | Factors | None:
        if isinstance(part.of, Probability):
            return self.outlined(part.of).said(at)
        if not isinstance(part.of, Factors):
            return None
        over, under = (
            tuple(
                self.outlined(each).said(at)
                if isinstance(each, Probability)
                else self._said(each, at)
                for each in side
            )
            for side in (part.of.over, part.of.under)
        )
        return Factors(over, under)
