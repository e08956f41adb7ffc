"""Rules built in Python: `tc.P("Cancer=yes | Smoker=yes") <= 0.3`."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any, TypeAlias

from tacit.core.errors import KnowledgeError
from tacit.knowledge.parsing import expression_of, rule_of
from tacit.knowledge.statements import About, Compare, Expression, Part, Rule, Statement


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Quantity:
    """A probability, or what sums, products and quotients make of probabilities and numbers.

    Comparing it with another quantity or a number is a `Rule`, the same as a text would state.
    """

    expression: Expression

    def between(self, low: Amount, high: Amount) -> Rule:
        """low <= this <= high."""
        if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
            raise KnowledgeError(f"between({low}, {high}): the lower bound comes first")
        sides = (_quantity(low).expression, self.expression, _quantity(high).expression)
        return _rule(Compare(sides, ("<=", "<=")))

    def about(self, other: Amount, within: float) -> Rule:
        """this ~ other +- within: the two differ by at most so much."""
        return _rule(About(self.expression, _quantity(other).expression, _number(within)))

    def __le__(self, other: Amount) -> Rule:
        return _rule(Compare((self.expression, _quantity(other).expression), ("<=",)))

    def __ge__(self, other: Amount) -> Rule:
        return _rule(Compare((self.expression, _quantity(other).expression), (">=",)))

    def __eq__(self, other: Any) -> Rule:  # type: ignore[override]  # equality here is a rule
        return _rule(Compare((self.expression, _quantity(other).expression), ("=",)))

    __hash__ = None  # type: ignore[assignment]  # it has no equality of its own to agree with

    def __lt__(self, other: Amount) -> Rule:
        raise KnowledgeError("rules are closed: write <= instead of <")

    def __gt__(self, other: Amount) -> Rule:
        raise KnowledgeError("rules are closed: write >= instead of >")

    def __ne__(self, other: Any) -> Rule:  # type: ignore[override]  # nor is inequality a bool
        raise KnowledgeError("a rule cannot say that two quantities differ")

    def __add__(self, other: Amount) -> Quantity:
        return Quantity(Expression(self.expression.parts + _quantity(other).expression.parts))

    def __radd__(self, other: Amount) -> Quantity:
        return _quantity(other) + self

    def __sub__(self, other: Amount) -> Quantity:
        return self + -_quantity(other)

    def __rsub__(self, other: Amount) -> Quantity:
        return _quantity(other) - self

    def __neg__(self) -> Quantity:
        return -1 * self

    def __mul__(self, factor: Amount) -> Quantity:
        if isinstance(factor, Quantity):
            return _combined(self, "*", factor)
        return self._scaled(_number(factor))

    __rmul__ = __mul__

    def __rtruediv__(self, over: float) -> Quantity:
        return _combined(_quantity(over), "/", self)

    def __truediv__(self, divisor: Amount) -> Quantity:
        if isinstance(divisor, Quantity):
            return _combined(self, "/", divisor)
        by = _number(divisor)
        if by == 0:
            raise KnowledgeError(f"{self} cannot be divided by zero")
        return self._scaled(1.0, by)

    def _scaled(self, by: float, divisor: float = 1.0) -> Quantity:
        parts = [Part(by * part.factor / divisor, part.of) for part in self.expression.parts]
        if not all(isfinite(part.factor) for part in parts):
            raise KnowledgeError(f"the numbers of {self} times {by / divisor:g} are too large")
        return Quantity(Expression(tuple(parts)))

    def __str__(self) -> str:
        return str(self.expression)

    __repr__ = __str__


Amount: TypeAlias = Quantity | float


def P(text: str) -> Quantity:  # noqa: N802 - as it is written everywhere
    """The probability `P("Cancer=yes | Smoker=yes")`, to be compared in a rule."""
    if not isinstance(text, str):
        raise KnowledgeError(f'tc.P takes a text such as "Cancer=yes | Smoker=yes", not {text!r}')
    written = text if text.lstrip().startswith("P(") else f"P({text})"
    return Quantity(expression_of(written))


def _rule(statement: Statement) -> Rule:
    """The rule as its own text states it, so that its words know where they stand."""
    return rule_of(str(statement))


def _combined(left: Quantity, sign: str, right: Quantity) -> Quantity:
    """A product or a quotient, as its own text states it."""
    return Quantity(expression_of(f"({left}) {sign} ({right})"))


def _quantity(given: Amount) -> Quantity:
    if isinstance(given, Quantity):
        return given
    return Quantity(Expression((Part(_number(given)),)))


def _number(given: Any) -> float:
    if isinstance(given, Quantity):
        raise KnowledgeError(f"a number is expected here, not {given}")
    if not isinstance(given, Real):
        raise KnowledgeError(f"a number is expected here, or tc.P(...), not {given!r}")
    try:
        value = float(given)
    except (OverflowError, ValueError):
        raise KnowledgeError("a number in a rule is too large: it has over 300 digits") from None
    if not isfinite(value):
        raise KnowledgeError(f"a number is expected here, or tc.P(...), not {given!r}")
    return value
