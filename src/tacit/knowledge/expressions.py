"""Expressions over probabilities, over coefficients of Gaussian families, or over links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tacit.knowledge.terms import Probability, Term, Word, named


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A number of a Gaussian family: coefficient(child, parent), intercept(child) or
    variance(child).

    parent  whose coefficient it is; none of the others
    given   states of discrete parents, where it is that of some configurations
    what    which of the three
    """

    child: Word
    parent: Word | None = None
    given: tuple[Term, ...] = ()
    what: str = "coefficient"

    def __str__(self) -> str:
        words = [self.child] if self.parent is None else [self.child, self.parent]
        given = f" | {', '.join(map(str, self.given))}" if self.given else ""
        return f"{self.what}({', '.join(named(word.text) for word in words)}{given})"


@dataclass(frozen=True, slots=True)
class Link:
    """How strong a parent is by itself in a noisy-or or noisy-and: link(child, parent); without a
    parent what nothing accounts for: leak(child)."""

    child: Word
    parent: Word | None = None

    def __str__(self) -> str:
        if self.parent is None:
            return f"leak({named(self.child.text)})"
        return f"link({named(self.child.text)}, {named(self.parent.text)})"


@dataclass(frozen=True, slots=True)
class Factors:
    """A product of probabilities, divided by others: P(A=a) * (P(B=b) + P(C=c)) / P(D=d).

    Each is a probability, or a sum of several parts, which stands in brackets.
    """

    over: tuple[Probability | Expression, ...]
    under: tuple[Probability | Expression, ...] = ()

    @property
    def bracketed(self) -> bool:
        """Whether a sum stands first: a number before it would be taken into its brackets."""
        return bool(self.over) and isinstance(self.over[0], Expression)

    def written(self, factor: str) -> str:
        """The product times a number that is 1 where it is the empty text."""
        words = [_in_brackets(each) for each in self.over]
        if not words:
            words = [factor or "1"]
        elif factor and not self.bracketed:
            words.insert(0, factor)
        said = " / ".join([" * ".join(words), *map(_in_brackets, self.under)])
        return f"{said} * {factor}" if factor and self.bracketed else said

    def __str__(self) -> str:
        return self.written("")


@dataclass(frozen=True, slots=True)
class Part:
    """A number times a probability, a coefficient, a link or a product; `of` is None for a number
    alone."""

    factor: float
    of: Probability | Coefficient | Link | Factors | None = None


@dataclass(frozen=True, slots=True)
class Expression:
    """A sum of parts: 2 * P(A=a) + P(A=b) - 0.1."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        first, *rest = self.parts or (Part(0.0),)
        words = [_first(first)]
        for part in rest:
            words += ["-" if part.factor < 0 else "+", _said(part, abs(part.factor))]
        return " ".join(words)


Operand: TypeAlias = Probability | Expression
"""What can be multiplied or divided by."""


def _in_brackets(operand: Operand) -> str:
    return f"({operand})" if isinstance(operand, Expression) else str(operand)


def _first(part: Part) -> str:
    """The part that begins a sum, with its sign."""
    if part.factor >= 0:
        return _said(part, part.factor)
    if isinstance(part.of, Factors) and part.of.bracketed:
        return part.of.written(number_text(part.factor))
    return f"-{_said(part, -part.factor)}"


def _said(part: Part, size: float) -> str:
    if part.of is None:
        return number_text(size)
    if isinstance(part.of, Factors):
        return part.of.written("" if size == 1 else number_text(size))
    return str(part.of) if size == 1 else f"{number_text(size)} * {part.of}"


def number_text(value: float) -> str:
    """A number as it is written: the shortest text that reads back as the same."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
