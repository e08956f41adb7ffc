"""Quotients of polynomials in atoms, which are numbers from 0 to 1.

An atom is a number 0, 1, ... here; a product of atoms is their rising tuple.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from tacit.knowledge.chunks import ROUNDING

MOST_TERMS = 2_000
"""Terms of one polynomial beyond which a rule is refused."""

Poly: TypeAlias = Mapping[tuple[int, ...], float]
Fixed: TypeAlias = tuple[tuple[tuple[int, ...], float], ...]
"""A polynomial as a value that can be counted."""

ONE: Poly = {(): 1.0}


class TooManyTermsError(Exception):
    """A product of sums has more terms than anybody would write."""


class ZeroDivisorError(Exception):
    """A divisor is 0 whatever the probabilities are."""


def added(left: Poly, right: Poly, factor: float = 1.0) -> Poly:
    """left + factor · right, without what cancels."""
    found, size = dict(left), {key: abs(value) for key, value in left.items()}
    for key, value in right.items():
        found[key] = found.get(key, 0.0) + factor * value
        size[key] = size.get(key, 0.0) + abs(factor * value)
    return {key: value for key, value in found.items() if abs(value) > ROUNDING * size[key]}


def times(left: Poly, right: Poly) -> Poly:
    """The product of two polynomials."""
    if len(left) * len(right) > MOST_TERMS:
        raise TooManyTermsError
    found: Poly = {}
    for key, value in left.items():
        found = added(found, {tuple(sorted(key + k)): value * v for k, v in right.items()})
    return found


def fixed(poly: Poly) -> Fixed:
    """The polynomial as a value."""
    return tuple(sorted(poly.items()))


def lowest(poly: Poly) -> float:
    """A number that the polynomial is never below: no product of atoms is outside 0..1."""
    return poly.get((), 0.0) + sum(min(v, 0.0) for key, v in poly.items() if key)


def highest(poly: Poly) -> float:
    """A number that it is never above."""
    return -lowest({key: -value for key, value in poly.items()})


@dataclass(frozen=True, slots=True)
class Quotient:
    """over / (product of under)."""

    over: Poly
    under: tuple[Fixed, ...] = ()

    def __add__(self, other: Quotient) -> Quotient:
        mine, others = Counter(self.under), Counter(other.under)
        left = times(self.over, _product((others - mine).elements()))
        right = times(other.over, _product((mine - others).elements()))
        return Quotient(added(left, right), tuple((mine | others).elements())).reduced()

    def __mul__(self, other: Quotient) -> Quotient:
        return Quotient(times(self.over, other.over), self.under + other.under).reduced()

    def __truediv__(self, other: Quotient) -> Quotient:
        if not other.over:
            raise ZeroDivisorError
        over = times(self.over, _product(other.under))
        below: tuple[Fixed, ...]
        if len(other.over) == 1:
            ((key, value),) = other.over.items()
            over = {k: v / value for k, v in over.items()}
            below = tuple((((atom,), 1.0),) for atom in key)
        else:
            below = (fixed(other.over),)
        return Quotient(over, self.under + below).reduced()

    def scaled(self, by: float) -> Quotient:
        """This times a number."""
        return Quotient({key: by * value for key, value in self.over.items()}, self.under)

    def reduced(self) -> Quotient:
        """Without divisors that are one atom which every term holds."""
        over, kept = self.over, list[Fixed]()
        for each in self.under:
            atom = each[0][0][0] if len(each) == 1 and len(each[0][0]) == 1 else None
            if atom is None or not over or not all(atom in key for key in over):
                kept.append(each)
            else:
                over = {_without(key, atom): value for key, value in over.items()}
        return Quotient(over, tuple(kept))


def _without(key: tuple[int, ...], atom: int) -> tuple[int, ...]:
    at = key.index(atom)
    return key[:at] + key[at + 1 :]


def _product(factors: Iterable[Fixed]) -> Poly:
    return reduce(times, (dict(each) for each in factors), ONE)


def multiplied_out(said: Quotient, equal: bool) -> tuple[Poly, tuple[tuple[Fixed, int], ...]]:
    """said = 0, or said <= 0, without division, and what it was multiplied with.

    A divisor that is nowhere negative is multiplied out, one that is nowhere positive turns the
    inequality round. One of either sign is multiplied out twice, which is as if it stayed.
    """
    over, powers = said.over, list[tuple[Fixed, int]]()
    for each in said.under:
        poly = dict(each)
        if equal or lowest(poly) >= -ROUNDING:
            powers.append((each, 1))
        elif highest(poly) <= ROUNDING:
            over = {key: -value for key, value in over.items()}
            powers.append((fixed({key: -value for key, value in poly.items()}), 1))
        else:
            over = times(over, poly)
            powers.append((each, 2))
    return over, tuple(powers)
