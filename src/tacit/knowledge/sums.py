"""Linear expressions: which words of a statement are factors, and of what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite
from typing import Any, TypeAlias

from tacit.knowledge.statements import Expression, Part
from tacit.knowledge.tokens import Phrase

Make: TypeAlias = Callable[[Phrase], Any]
"""From the words of a statement to a value."""

MOST_NUMBERS = 20
"""Numbers in one product beyond which it is refused: nobody writes them."""

_RATIO = "a known ratio is written  P(..) = 2 * P(..), equal ratios  P(..) : P(..) = P(..) : P(..)"
_PRODUCT = "rules are linear: a number times a probability, and sums of those"


class Wrong(Exception):  # noqa: N818 - it becomes an error where the text is at hand
    """What is wrong with the words first to last of a statement, and what to do."""

    def __init__(self, first: int, last: int, what: str, advice: str = "") -> None:
        self.first, self.last, self.what, self.advice = first, last, what, advice
        super().__init__(what)


@dataclass(frozen=True, slots=True)
class Number:
    """A number at one place of a statement; in hundredths if `percent`."""

    at: int
    percent: bool = False

    def __call__(self, phrase: Phrase) -> float:
        text = phrase.word(self.at)
        if self.percent:
            text = f"{text}e-2" if "e" not in text.lower() else str(float(text) / 100)
        value = float(text)
        if not isfinite(value):
            raise Wrong(self.at, self.at, "this number is too large")
        return value


@dataclass(frozen=True, slots=True)
class Product:
    """A sign, numbers to multiply with or to divide by, and what they are factors of, if anything.

    kind  P or coefficient; nothing for a number alone
    """

    sign: float = 1.0
    numbers: tuple[tuple[Number, bool], ...] = ()
    of: Make | None = None
    kind: str = ""

    def __call__(self, phrase: Phrase) -> Part:
        factor = self.sign
        for number, divides in self.numbers:
            value = number(phrase)
            if divides and not value:
                raise Wrong(number.at, number.at, "this divides by zero")
            factor = factor / value if divides else factor * value
        if not isfinite(factor):
            raise Wrong(self.numbers[0][0].at, self.numbers[-1][0].at, "this is too large")
        return Part(factor, None if self.of is None else self.of(phrase))


@dataclass(frozen=True, slots=True)
class Sum:
    """Products that are added up; first and last are the places of its outer words."""

    products: tuple[Product, ...]
    first: int
    last: int

    def __call__(self, phrase: Phrase) -> Expression:
        return Expression(tuple([product(phrase) for product in self.products]))

    @property
    def constant(self) -> bool:
        """Whether it is made of numbers alone."""
        return not any(product.kind for product in self.products)

    def turned(self, sign: float) -> tuple[Product, ...]:
        """Its products, with the other sign if `sign` is -1."""
        if sign > 0:
            return self.products
        return tuple(replace(product, sign=-product.sign) for product in self.products)


def multiplied(left: Sum, right: Sum) -> Sum:
    """The product of two sums, one of them a plain number."""
    if not left.constant and not right.constant:
        what = "two probabilities cannot be multiplied in a rule"
        raise Wrong(left.first, right.last, what, _PRODUCT)
    by, of = (left, right) if left.constant else (right, left)
    return _scaled(by, of, left.first, right.last, divides=False)


def divided(left: Sum, right: Sum) -> Sum:
    """A sum divided by a plain number."""
    if not right.constant:
        raise Wrong(left.first, right.last, "a rule cannot divide by a probability", _RATIO)
    return _scaled(right, left, left.first, right.last, divides=True)


def _scaled(by: Sum, of: Sum, first: int, last: int, divides: bool) -> Sum:
    if len(by.products) > 1:
        raise Wrong(by.first, by.last, "write one number in place of this sum")
    (scale,) = by.products
    if len(scale.numbers) + max(len(each.numbers) for each in of.products) > MOST_NUMBERS:
        raise Wrong(first, last, "write one number in place of all these")
    numbers = tuple((number, inverse != divides) for number, inverse in scale.numbers)
    products = tuple(
        replace(each, sign=scale.sign * each.sign, numbers=each.numbers + numbers)
        for each in of.products
    )
    return Sum(products, first, last)


def check_sides(sides: list[Sum]) -> None:
    """Nothing, or why these expressions cannot stand in one rule."""
    kinds = {product.kind: side for side in sides for product in side.products if product.kind}
    if len(kinds) > 1:
        side = kinds["coefficient"]
        raise Wrong(side.first, side.last, "probabilities and coefficients do not mix in one rule")
    for left, right in pairwise(sides):
        if left.constant and right.constant:
            what = "nothing is said here of any probability"
            raise Wrong(left.first, right.last, what, "a bound is written like  P(A=yes) <= 0.3")
