"""Linear expressions over probabilities, or over the coefficients of Gaussian families."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.knowledge.terms import Probability, Word, named


@dataclass(frozen=True, slots=True)
class Coefficient:
    """The coefficient of a parent in a Gaussian family: coefficient(child, parent)."""

    child: Word
    parent: Word

    def __str__(self) -> str:
        return f"coefficient({named(self.child.text)}, {named(self.parent.text)})"


@dataclass(frozen=True, slots=True)
class Part:
    """A number times a probability or coefficient; `of` is None for a number alone."""

    factor: float
    of: Probability | Coefficient | None = None


@dataclass(frozen=True, slots=True)
class Expression:
    """A sum of parts: 2 * P(A=a) + P(A=b) - 0.1."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        words: list[str] = []
        for part in self.parts:
            sign = "-" if part.factor < 0 else "+"
            size = abs(part.factor)
            said = number_text(size) if part.of is None else str(part.of)
            if part.of is not None and size != 1:
                said = f"{number_text(size)} * {said}"
            if words:
                words += [sign, said]
            else:
                words.append(f"-{said}" if sign == "-" else said)
        return " ".join(words)


def number_text(value: float) -> str:
    """A number as it is written: the shortest text that reads back as the same."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
