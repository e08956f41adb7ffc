"""Rules that are not linear in the cells: polynomials in probabilities, and functions of them.

A probability that is no mass of one row is a quotient P(targets, given) / P(given) of two events,
each a sum of products of cells. Divisions are multiplied out where they stand, so that a rule is a
polynomial in masses and events that is 0, or at most 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tacit.knowledge.smooth import Smooth


@dataclass(frozen=True, slots=True)
class Mass:
    """θ summed over some cells of one row of a table."""

    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """The probability that each of these variables has one of these states, by their codes."""

    held: tuple[tuple[str, tuple[int, ...]], ...]


Atom: TypeAlias = Mass | Event
Terms: TypeAlias = tuple[tuple[float, tuple[Atom, ...]], ...]
"""Σ factor · product of atoms; no atoms: the number itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Polynomial:
    """Σ terms = 0, or <= 0: one instance of a rule, with every division multiplied out.

    text   the instance in the language
    under  what the rule was multiplied with, each with its power: 1, or 2 where its sign is not
           known, which leaves it once in the polynomial and never turns the rule round
    """

    terms: Terms
    text: str
    under: tuple[tuple[Terms, int], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """sign · (f(v₁, v₂, ...) - limit) = 0, or <= 0: one instance of a rule on a function.

    of    each v as an atom, or as a quotient of two
    """

    said: Smooth
    of: tuple[tuple[Atom, Atom | None], ...]
    limit: float
    sign: int
    text: str


Instance: TypeAlias = Polynomial | Applied


@dataclass(frozen=True, slots=True, eq=False)
class CurvedRule:
    """The instances of rule number `rule` that are equalities, or those that are not."""

    rule: int
    equal: bool
    instances: tuple[Instance, ...]
