"""Queries and findings: text to values; errors mark the words at fault."""

from __future__ import annotations

from typing import Any

from tacit.core.errors import QueryError, marked
from tacit.knowledge.shapes import Misfit, maker
from tacit.knowledge.sums import Wrong
from tacit.knowledge.terms import Probability, Term
from tacit.knowledge.tokens import Phrase, whole

_EXAMPLES = {
    "query": "a query is written like  P(Cancer | Xray=abnormal, Smoker=yes)",
    "terms": "findings are written like  Xray=abnormal, Stage={III, IV}",
}


def parse_query(text: str) -> Probability:
    """The query that `text` states, `P(A, B | C=c, D={x, y})`."""
    found = _parsed(text, "query")
    return Probability(found.targets, found.given, text)


def parse_findings(text: str) -> tuple[Term, ...]:
    """What stands behind the bar of a query, alone: `C=c, D={x, y}`."""
    found: tuple[Term, ...] = _parsed(text, "terms")
    return found


def _parsed(text: str, start: str) -> Any:
    phrase = whole(text, inside=start == "terms")
    try:
        return maker(tuple(phrase.kinds), start)(phrase)
    except Misfit as problem:
        raise QueryError(f"{_complaint(phrase, problem, start)}\n\n{_EXAMPLES[start]}") from None
    except Wrong as problem:
        first, last = phrase.starts[problem.first], phrase.ends[problem.last]
        raise QueryError(f"{marked(text, first, last, problem.what)}\n\n{problem.advice}") from None


def _complaint(phrase: Phrase, problem: Misfit, start: str) -> str:
    text = phrase.source
    if problem.at is None:
        last = max(0, len(text.rstrip()) - 1)
        what = "the query ends too early" if start == "query" else "more is expected here"
        return marked(text, last, last + 1, what)
    first, end = phrase.starts[problem.at], phrase.ends[problem.at]
    told = marked(text, first, end, f"this does not fit here: {text[first:end]!r}")
    if phrase.kinds[problem.at] in ("<", ">", "<=", ">="):
        told += "\n\nbounds are for what is asked, P(X > 5 | Y=2); a finding is a value, Y=2"
    return told
