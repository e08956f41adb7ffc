"""Expressions: which words of a statement are factors, and of what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite
from typing import Any, TypeAlias

from tacit.knowledge.expressions import Expression, Factors, Part
from tacit.knowledge.tokens import Phrase

Make: TypeAlias = Callable[[Phrase], Any]
"""From the words of a statement to a value."""

MOST_NUMBERS = 20
"""Numbers in one product beyond which it is refused: nobody writes them."""

MOST_FACTORS = 12
"""Probabilities in one product beyond which it is refused."""


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
class Fraction:
    """What makes a product of probabilities, or of sums of them, divided by others."""

    over: tuple[Make, ...]
    under: tuple[Make, ...] = ()

    def __call__(self, phrase: Phrase) -> Factors:
        over, under = ([make(phrase) for make in side] for side in (self.over, self.under))
        return Factors(tuple(over), tuple(under))


@dataclass(frozen=True, slots=True)
class Product:
    """A sign, numbers to multiply with or to divide by, and what they are factors of, if anything.

    kind  P, coefficient or link; nothing for a number alone
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
    """The product of two sums."""
    if left.constant or right.constant:
        by, of = (left, right) if left.constant else (right, left)
        return _scaled(by, of, left.first, right.last, divides=False)
    return _combined(left, right, divides=False)


def divided(left: Sum, right: Sum) -> Sum:
    """A sum divided by another."""
    if right.constant:
        return _scaled(right, left, left.first, right.last, divides=True)
    if left.constant and len(left.products) > 1:
        raise Wrong(left.first, left.last, "write one number in place of this sum")
    return _combined(left, right, divides=True)


_LINEAR = {"coefficient": "coefficients", "link": "links"}
"""What stands in linear rules only, and what it is called."""


def _combined(left: Sum, right: Sum, divides: bool) -> Sum:
    """One product of all factors of two sums; a sum of several parts is one factor."""
    for kind in (product.kind for each in (left, right) for product in each.products):
        if kind in _LINEAR:
            what = f"{_LINEAR[kind]} can be multiplied with numbers only"
            raise Wrong(left.first, right.last, what, f"rules about {_LINEAR[kind]} are linear")
    one, other = _alone(left), _alone(right)
    up, down = _fraction(one), _fraction(other)
    if divides:
        down = Fraction(down.under, down.over)
    numbers = tuple((number, inverse != divides) for number, inverse in other.numbers)
    found = Fraction(up.over + down.over, up.under + down.under)
    if len(found.over) + len(found.under) > MOST_FACTORS:
        what = f"more than {MOST_FACTORS} probabilities stand in one product"
        raise Wrong(left.first, right.last, what, "write a simpler rule")
    if len(one.numbers) + len(numbers) > MOST_NUMBERS:
        raise Wrong(left.first, right.last, "write one number in place of all these")
    product = Product(one.sign * other.sign, one.numbers + numbers, found, "P")
    return Sum((product,), left.first, right.last)


def _alone(factor: Sum) -> Product:
    return factor.products[0] if len(factor.products) == 1 else Product(of=factor, kind="P")


def _fraction(product: Product) -> Fraction:
    if isinstance(product.of, Fraction):
        return product.of
    return Fraction(() if product.of is None else (product.of,))


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
        kind, side = next((each, kinds[each]) for each in _LINEAR if each in kinds)
        other = "probabilities" if "P" in kinds else "links"
        raise Wrong(side.first, side.last, f"{other} and {_LINEAR[kind]} do not mix in one rule")
    for left, right in pairwise(sides):
        if left.constant and right.constant:
            what = "nothing is said here of any probability"
            raise Wrong(left.first, right.last, what, "a bound is written like  P(A=yes) <= 0.3")
