"""Terms of a probability: a variable, and what is said of its state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tacit.core.errors import quoted


@dataclass(frozen=True, slots=True)
class Word:
    """A name or state as written, and where it stands in the text."""

    text: str
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Term:
    """A variable; free, or held to some states, or weighed by a likelihood for each.

    states       None: the variable is free; in rules also the name of a group of states
    negated      all states but these
    likelihoods  per state P(what was seen given the state), up to a factor
    starred      free, and said so: `X=*`
    """

    variable: Word
    states: tuple[Word, ...] | None = None
    negated: bool = False
    likelihoods: tuple[float, ...] | None = None
    starred: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        name = quoted(self.variable.text)
        if self.states is None:
            return f"{name}=*" if self.starred else name
        words = [_state(each.text) for each in self.states]
        if self.likelihoods is not None:
            pairs = zip(words, self.likelihoods, strict=True)
            return f"{name}={{{', '.join(f'{word}: {value!r}' for word, value in pairs)}}}"
        said = words[0] if len(words) == 1 else f"{{{', '.join(words)}}}"
        return f"{name}={'not ' if self.negated else ''}{said}"


def _state(text: str) -> str:
    """A state as it stands in a term: `not` is a word of the language there."""
    return f'"{text}"' if text == "not" else quoted(text)


@dataclass(frozen=True, slots=True)
class Probability:
    """P(targets | given), as it was written in `text`."""

    targets: tuple[Term, ...]
    given: tuple[Term, ...] = ()
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        given = f" | {', '.join(map(str, self.given))}" if self.given else ""
        return f"P({', '.join(map(str, self.targets))}{given})"


Likelihoods = Mapping[str, float]
