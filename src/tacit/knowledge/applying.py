"""Rules on functions: `tc.rule(odds_ratio, [...], at_least=2)`."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from numbers import Real
from typing import Any

from tacit.core.errors import KnowledgeError
from tacit.knowledge.parsing import expression_of
from tacit.knowledge.smooth import Function, Gradient, Smooth
from tacit.knowledge.statements import Rule
from tacit.knowledge.terms import Probability

_LIKE = 'tc.rule takes a list such as ["P(A=yes | B=yes)", "P(A=yes | B=no)"]'
_SIGNS = frozenset("()=<>;#\n")
_BOUNDS = "say at_least=, at_most= or equal= of the function; equal= stands alone"


def rule(
    function: Function,
    probabilities: Sequence[str],
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    equal: float | None = None,
    name: str | None = None,
    gradient: Gradient | None = None,
    by: str = "",
    confidence: float = 1.0,
) -> Rule:
    """A rule on a smooth function of probabilities.

    function       takes as many numbers as there are probabilities, and returns one
    probabilities  such as "P(Cancer=yes | Smoker=yes)"; what they leave free is free in the rule
    at_least, at_most, equal   what is said of the function
    name           how the function prints; its own name unless told
    gradient       takes the same numbers, and returns the derivative by each; without it
                   derivatives are taken by differences
    """
    for each, what in ((function, "function"), (gradient, "gradient")):
        if not callable(each) and (each is not None or what == "function"):
            raise KnowledgeError(f"the {what} of a rule is a Python function, not {each!r:.80}")
    low, high = _bounds(at_least, at_most, equal)
    called = _name(function, name)
    empty = Smooth(called, function, (), low, high, gradient)
    said = _placed(_texts(probabilities), len(empty.before) + len(called) + 1)
    stated = Rule(Smooth(called, function, said, low, high, gradient))
    return stated.stated(by, confidence)


def _bounds(
    at_least: float | None, at_most: float | None, equal: float | None
) -> tuple[float | None, float | None]:
    low, high, same = (_number(each) for each in (at_least, at_most, equal))
    if (same is None) == (low is None and high is None):
        raise KnowledgeError(_BOUNDS)
    if low is not None and high is not None and low > high:
        raise KnowledgeError(f"at_least={low}, at_most={high}: the lower bound is the larger")
    return (low, high) if same is None else (same, same)


def _number(given: Any) -> float | None:
    if given is None:
        return None
    if not isinstance(given, Real) or not isfinite(given):
        raise KnowledgeError(f"a bound of a function is a number, not {given!r:.80}")
    return float(given)


def _name(function: Any, name: Any) -> str:
    if name is None:
        own = getattr(function, "__name__", "")
        return own if isinstance(own, str) and own.isidentifier() else "function"
    if not isinstance(name, str) or not name.strip() or _SIGNS & set(name):
        raise KnowledgeError(f"the name of a function is a word, not {name!r:.80}")
    return name.strip()


def _texts(given: Any) -> list[str]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise KnowledgeError(f"{_LIKE}, not {given!r:.80}")
    for each in given:
        if not isinstance(each, str):
            raise KnowledgeError(f"{_LIKE}, and {each!r:.80} is no text")
    return [text if text.lstrip().startswith("P(") else f"P({text})" for text in given]


def _placed(texts: Sequence[str], start: int) -> tuple[Probability, ...]:
    """The probabilities, whose words know where they stand in the text of the rule."""
    found: list[Probability] = []
    for text in texts:
        plain = _probability(text, str(_probability(text, text)))
        found.append(_probability(text, " " * start + str(plain)))
        start += len(str(plain)) + 2
    return tuple(found)


def _probability(given: str, text: str) -> Probability:
    parts = expression_of(text).parts
    if len(parts) != 1 or parts[0].factor != 1 or not isinstance(parts[0].of, Probability):
        raise KnowledgeError(f"{_LIKE}, and {given!r:.80} is no single probability")
    return parts[0].of
