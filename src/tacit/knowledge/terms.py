"""Terms of a probability: a variable, and what is said of its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tacit.core.errors import quoted

KEYWORDS = frozenset(
    ("additive", "allow", "at", "by", "confidence", "decreases", "for", "forbid", "ignores",
     "increases", "let", "most", "negative", "not", "of", "on", "order", "parent", "parents",
     "positive", "product", "require", "share", "synergy", "when", "with")
)  # fmt: skip
"""Words of the language; a name that is one of them is quoted where it could be taken for it."""


def in_quotes(text: str) -> str:
    """A text in double quotes, whatever is in it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def named(name: str) -> str:
    """A name as it stands inside brackets, where only `not` may be a word of the language."""
    return in_quotes(name) if name == "not" else quoted(name)


def spoken(name: str) -> str:
    """A name as it stands outside brackets, between words of the language."""
    return in_quotes(name) if name in KEYWORDS else quoted(name)


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
    bounds       of a query about a continuous variable, what it lies above and below: a sign and
                 a number, `X > 5`, for each
    """

    variable: Word
    states: tuple[Word, ...] | None = None
    negated: bool = False
    likelihoods: tuple[float, ...] | None = None
    starred: bool = field(default=False, compare=False)
    bounds: tuple[tuple[str, Word], ...] = ()

    def __str__(self) -> str:
        return self.written(named)

    def written(self, name: Callable[[str], str]) -> str:
        """The term with its names written by `name`."""
        variable = name(self.variable.text)
        if self.bounds:
            return self._bounded(variable)
        if self.states is None:
            return f"{variable}=*" if self.starred else variable
        if self.likelihoods is not None:
            pairs = zip(self.states, self.likelihoods, strict=True)
            said = (f"{named(word.text)}: {value!r}" for word, value in pairs)
            return f"{variable}={{{', '.join(said)}}}"
        negation = "not " if self.negated else ""
        if len(self.states) == 1:
            return f"{variable}={negation}{name(self.states[0].text)}"
        return f"{variable}={negation}{{{', '.join(named(word.text) for word in self.states)}}}"

    def _bounded(self, variable: str) -> str:
        """`X > 5`, or `5 < X < 9`, the lesser number first."""
        said = sorted(self.bounds, key=lambda bound: bound[0][0] == "<")
        (sign, word), *more = said
        if not more:
            return f"{variable} {sign} {word.text}"
        lower = f"{word.text} {sign.replace('>', '<')} "
        return f"{lower}{variable} {more[0][0]} {more[0][1].text}"


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
