"""Text to rules."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from tacit.core.errors import KnowledgeError
from tacit.knowledge.complaints import complaint
from tacit.knowledge.shapes import Misfit, maker, statement_maker
from tacit.knowledge.statements import Expression, Rule
from tacit.knowledge.sums import Wrong
from tacit.knowledge.tokens import Phrase, phrases, whole


def rules_of(text: str, source: str = "") -> tuple[Rule, ...]:
    """Every rule that a text states; `source` is the file it came from."""
    with _keeping():
        return tuple([_rule(phrase, source) for phrase in phrases(text)])


@contextmanager
def _keeping() -> Iterator[None]:
    """Collect no garbage: all that is made here is kept, and looking for it takes half the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def rule_of(text: str) -> Rule:
    """The one rule that a text states, which stands in no source."""
    rules = rules_of(text)
    if len(rules) != 1:
        raise KnowledgeError(f"one rule is expected here, not {len(rules)}: {text!r}")
    return replace(rules[0], line=0)


def expression_of(text: str) -> Expression:
    """The linear expression that a text states: `2 * P(A=a) - 0.1`."""
    phrase = whole(text)
    if not phrase.kinds:
        raise KnowledgeError("nothing is said here\n\na probability is written P(A=a | B=b)")
    try:
        found: Expression = maker(tuple(phrase.kinds), "sum")(phrase)
    except (Misfit, Wrong) as problem:
        raise KnowledgeError(complaint(phrase, problem, "")) from None
    return found


def _rule(phrase: Phrase, source: str) -> Rule:
    try:
        statement, by, confidence = statement_maker(tuple(phrase.kinds))(phrase)
    except (Misfit, Wrong) as problem:
        raise KnowledgeError(complaint(phrase, problem, source)) from None
    start = phrase.starts[0]
    text = phrase.source[start : phrase.ends[-1]]
    return Rule(statement, by, confidence, text, start, phrase.line, source)
