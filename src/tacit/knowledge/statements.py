"""What an expert can say: one frozen value per kind of statement.

A statement knows how it is written; `Rule` adds where it stood, who said it and how sure they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import isfinite
from numbers import Real
from typing import Any, TypeAlias

from tacit.core.errors import KnowledgeError
from tacit.knowledge.declarations import Arcs, Group, MostParents, StateOrder, Tiers
from tacit.knowledge.expressions import Coefficient, Expression, Factors, Link, Part, number_text
from tacit.knowledge.smooth import Smooth
from tacit.knowledge.terms import Probability, Term, Word, in_quotes, named, spoken

__all__ = [
    "About", "Arcs", "Coefficient", "Compare", "Declaration", "Expression", "Factors", "Group",
    "Ignores", "Influence", "Level", "Link", "MostParents", "Parametric", "Part", "Ratios", "Rule",
    "Share", "Smooth", "StateOrder", "Statement", "Structural", "Synergy", "TableOf", "Tie",
    "Tiers",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Compare:
    """Expressions in a chain: sides[0] signs[0] sides[1] signs[1] ...; signs are = <= >=."""

    sides: tuple[Expression, ...]
    signs: tuple[str, ...]

    def __str__(self) -> str:
        rest = zip(self.signs, self.sides[1:], strict=True)
        return " ".join([str(self.sides[0]), *(f"{sign} {side}" for sign, side in rest)])


@dataclass(frozen=True, slots=True)
class About:
    """left ~ right +- slack: the two differ by at most `slack`."""

    left: Expression
    right: Expression
    slack: float

    def __str__(self) -> str:
        return f"{self.left} ~ {self.right} +- {number_text(self.slack)}"


@dataclass(frozen=True, slots=True)
class Ratios:
    """a : b : c = d : e : f = ...: lists of probabilities that are multiples of each other."""

    sides: tuple[tuple[Probability, ...], ...]

    def __str__(self) -> str:
        return " = ".join(" : ".join(map(str, side)) for side in self.sides)


@dataclass(frozen=True, slots=True)
class Influence:
    """child increases (direction 1) or decreases (-1) with parent: stochastic dominance.

    given  the contexts of the other parents in which it holds; all where none is named
    """

    child: Word
    parent: Word
    direction: int
    given: tuple[Term, ...] = ()

    def __str__(self) -> str:
        verb = "increases" if self.direction > 0 else "decreases"
        words = f"{spoken(self.child.text)} {verb} with {spoken(self.parent.text)}"
        return words + _when(self.given)


@dataclass(frozen=True, slots=True)
class Synergy:
    """Two parents help each other (sign 1) or stand in for each other (-1) in raising child.

    kind   "additive": the gain in P(child >= c) from one parent grows with the other
           "product": the factor in P(child = state) from one parent grows with the other
    state  of the child, for product synergy; its highest state if None
    """

    kind: str
    sign: int
    parents: tuple[Word, Word]
    child: Word
    state: Word | None = None
    given: tuple[Term, ...] = ()

    def __str__(self) -> str:
        how = "positive" if self.sign > 0 else "negative"
        first, second = (spoken(parent.text) for parent in self.parents)
        child = spoken(self.child.text)
        if self.state is not None:
            child += f"={spoken(self.state.text)}"
        return f"{how} {self.kind} synergy of {first}, {second} on {child}{_when(self.given)}"


@dataclass(frozen=True, slots=True)
class Ignores:
    """child ignores some of its parents in the contexts `given`: those rows are equal."""

    child: Word
    parents: tuple[Word, ...]
    given: tuple[Term, ...] = ()

    def __str__(self) -> str:
        parents = ", ".join(spoken(parent.text) for parent in self.parents)
        return f"{spoken(self.child.text)} ignores {parents}{_when(self.given)}"


@dataclass(frozen=True, slots=True)
class TableOf:
    """table(child | parents): the parents in the order in which the tables are compared."""

    child: Word
    parents: tuple[Word, ...]

    def __str__(self) -> str:
        given = ", ".join(named(parent.text) for parent in self.parents)
        return f"table({named(self.child.text)}{' | ' + given if given else ''})"


@dataclass(frozen=True, slots=True)
class Tie:
    """Tables that are one and the same, position by position."""

    tables: tuple[TableOf, ...]

    def __str__(self) -> str:
        return " = ".join(map(str, self.tables))


@dataclass(frozen=True, slots=True)
class Level:
    """One node of a sharing tree: states whose cells all rows of its scope share.

    scope     which rows, among those of the level above; () at the root: all of them
    states    of the child; their probabilities are the same in every row of the scope
    children  levels below, whose scopes split this one
    """

    scope: tuple[Term, ...]
    states: tuple[Word, ...]
    children: tuple[Level, ...] = ()

    def __str__(self) -> str:
        inside = [", ".join(named(state.text) for state in self.states)] if self.states else []
        inside += [f"{_held(each.scope, named)} {each}" for each in self.children]
        return f"{{ {'; '.join(inside)} }}"


@dataclass(frozen=True, slots=True)
class Share:
    """A sharing tree over the rows of one table: share P(child | rows) { states; scope { ... } }"""

    rows: Probability
    root: Level

    def __str__(self) -> str:
        return f"share {self.rows} {self.root}"


Linear: TypeAlias = Influence | Synergy | Ignores | Tie | Share
Parametric: TypeAlias = Compare | About | Ratios | Smooth | Linear
Structural: TypeAlias = Arcs | Tiers | MostParents
Declaration: TypeAlias = Group | StateOrder
Statement: TypeAlias = Parametric | Structural | Declaration


@dataclass(frozen=True, slots=True)
class Rule:
    """One statement, as it was written, where, by whom, and how sure they are.

    text    as written; printed from the statement where it was built in Python
    start   where the text stands in its source, as the words of the statement do, so that
            a word begins at `word.start - start` of the text
    line    its line in the source
    source  what the text came from: a file, or nothing
    """

    statement: Statement
    by: str = ""
    confidence: float = 1.0
    text: str = field(default="", compare=False)
    start: int = field(default=0, compare=False)
    line: int = field(default=0, compare=False)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.text:
            object.__setattr__(self, "text", self._written())

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        raise TypeError(
            "a rule is neither true nor false: in Python `a <= p <= b` keeps only its second half; "
            "write tc.P(...).between(a, b), or put the whole rule in a text"
        )

    def stated(self, by: str | None = None, confidence: float | None = None) -> Rule:
        """The same rule, with who said it and how sure they are."""
        from tacit.knowledge.parsing import rule_of

        by = self.by if by is None else by
        confidence = self.confidence if confidence is None else confidence
        who: Any = by
        sure: Any = confidence
        if not isinstance(who, str):
            raise KnowledgeError(f"who said a rule is a text, not {by!r}")
        if not isinstance(sure, Real) or not isfinite(sure):
            raise KnowledgeError(f"a confidence is a number above 0, at most 1, not {confidence!r}")
        if isinstance(self.statement, Smooth):  # no text states it, so none is read back
            if not 0 < confidence <= 1:
                raise KnowledgeError(f"a confidence is above 0 and at most 1, not {confidence!r}")
            return replace(self, by=by, confidence=confidence, text="")
        said = rule_of(Rule(self.statement, by, confidence).text)
        return replace(said, line=self.line, source=self.source)

    def _written(self) -> str:
        words = str(self.statement)
        if self.confidence != 1:
            words += f" confidence {number_text(self.confidence)}"
        if self.by:
            words += f" by {in_quotes(self.by)}"
        return words


def _when(given: tuple[Term, ...]) -> str:
    return f" when {_held(given, spoken)}" if given else ""


def _held(terms: tuple[Term, ...], name: Callable[[str], str]) -> str:
    """Terms of which every one says something of its states, if only `*`."""
    return ", ".join(replace(term, starred=True).written(name) for term in terms)
