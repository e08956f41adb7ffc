"""Constants and means of cut-off Dirichlets, by exact fractions or by drawing and looking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, factorial, log, prod

import numpy as np

Holds = Callable[[np.ndarray], np.ndarray]
"""Of tables (draws, cells): which obey."""


def beta_integral(a: int, b: int, low: float, high: float) -> Fraction:
    """∫ x^(a-1) (1-x)^(b-1) from low to high: a polynomial, term by term."""
    one, other = Fraction(low), Fraction(high)
    terms = (
        (-1) ** k * comb(b - 1, k) * (other ** (a + k) - one ** (a + k)) / (a + k) for k in range(b)
    )
    return sum(terms, Fraction(0))


def logarithm(value: Fraction) -> float:
    """Of fractions of any size."""
    shift = value.numerator.bit_length() - value.denominator.bit_length()
    scaled = value / Fraction(2) ** shift
    return log(scaled) + shift * log(2)


def rising_integral(powers: Sequence[int]) -> Fraction:
    """∫ Π θ^powers over θ_1 <= θ_2 <= θ_3 of three states, up to the area of that triangle.

    Its corners are (1, 1, 1) / 3, (0, 1, 1) / 2 and (0, 0, 1); with weights u, v, w of these,
    every cell is a sum, and ∫ u^i v^j w^k = i! j! k! / (i + j + k + 2)! twice over.
    """
    found = {(0, 0, 0): Fraction(1)}
    third, half = Fraction(1, 3), Fraction(1, 2)
    sums = (
        (third, Fraction(0), Fraction(0)),
        (third, half, Fraction(0)),
        (third, half, Fraction(1)),
    )
    for factors, power in zip(sums, powers, strict=True):
        for _ in range(power):
            grown: dict[tuple[int, int, int], Fraction] = {}
            for (i, j, k), value in found.items():
                for at, factor in enumerate(factors):
                    key = (i + (at == 0), j + (at == 1), k + (at == 2))
                    grown[key] = grown.get(key, Fraction(0)) + value * factor
            found = grown
    return sum(
        (
            value * factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 2)
            for (i, j, k), value in found.items()
        ),
        Fraction(0),
    )


def uniform_box(caps: Sequence[float]) -> Fraction:
    """P(m <= caps) for m uniform on the simplex, by inclusion and exclusion."""
    total = Fraction(0)
    for size in range(len(caps) + 1):
        for chosen in combinations(map(Fraction, caps), size):
            left = 1 - sum(chosen, Fraction(0))
            if left > 0:
                total += (-1) ** size * left ** (len(caps) - 1)
    return total


def obeying(alpha: Sequence[float], holds: Holds, draws: int, seed: int) -> np.ndarray:
    """The draws of a Dirichlet row that obey."""
    drawn = np.random.default_rng(seed).dirichlet(np.asarray(alpha, dtype=float), draws)
    kept = drawn[holds(drawn)]
    assert len(kept) > 100, "too few draws obey"
    return kept


def probability(alpha: Sequence[float], holds: Holds, draws: int, seed: int) -> tuple[float, float]:
    """P(a Dirichlet row obeys), and its standard error."""
    part = len(obeying(alpha, holds, draws, seed)) / draws
    return part, (part * (1 - part) / draws) ** 0.5


def all_counts(cells: int, cases: int) -> Iterator[tuple[int, ...]]:
    """All ways to put so many cases into so many cells."""
    if cells == 1:
        yield (cases,)
        return
    for first in range(cases + 1):
        for rest in all_counts(cells - 1, cases - first):
            yield (first, *rest)


def orders(counts: Sequence[int]) -> int:
    """In how many orders these cases can have come."""
    return factorial(sum(counts)) // prod(factorial(each) for each in counts)
