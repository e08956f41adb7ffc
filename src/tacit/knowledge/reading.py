"""Text to values by one grammar; errors mark the words at fault."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tacit.core.errors import QueryError, marked
from tacit.knowledge.terms import Probability, Term, Word

if TYPE_CHECKING:
    from lark import Lark

_EXAMPLES = {
    "query": "a query is written like  P(Cancer | Xray=abnormal, Smoker=yes)",
    "terms": "findings are written like  Xray=abnormal, Stage={III, IV}",
}


@cache
def _parser() -> Lark:
    from lark import Lark

    grammar = files("tacit.knowledge").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, start=list(_EXAMPLES), parser="lalr", maybe_placeholders=True)


def parse_query(text: str) -> Probability:
    """The query that `text` states, `P(A, B | C=c, D={x, y})`."""
    targets, given = _parsed(text, "query").children[0].children
    return Probability(_terms(targets), _terms(given) if given is not None else (), text)


def parse_findings(text: str) -> tuple[Term, ...]:
    """What stands behind the bar of a query, alone: `C=c, D={x, y}`."""
    return _terms(_parsed(text, "terms"))


def _parsed(text: str, start: str) -> Any:
    from lark.exceptions import UnexpectedInput

    try:
        return _parser().parse(text, start=start)
    except UnexpectedInput as problem:
        raise QueryError(f"{_complaint(text, problem, start)}\n\n{_EXAMPLES[start]}") from None


def _complaint(text: str, problem: Any, rule: str) -> str:
    start = problem.pos_in_stream
    token = getattr(problem, "token", None)
    length = len(token) if token is not None else 1
    ended = token is not None and token.type == "$END"
    if ended or start is None or not 0 <= start < len(text):
        start = max(0, len(text.rstrip()) - 1)
        what = "the query ends too early" if rule == "query" else "more is expected here"
        return marked(text, start, start + 1, what)
    word = text[start : start + length]
    return marked(text, start, start + length, f"this does not fit here: {word!r}")


def _terms(tree: Any) -> tuple[Term, ...]:
    return tuple(_term(child) for child in tree.children)


def _term(tree: Any) -> Term:
    first, *rest = tree.children
    name = _word(first)
    match tree.data:
        case "free":
            return Term(name)
        case "weighed":
            states = tuple(_word(pair.children[0]) for pair in rest)
            return Term(name, states, likelihoods=tuple(float(pair.children[1]) for pair in rest))
        case kind:
            return Term(name, tuple(map(_word, rest)), negated="not" in kind)


def _word(tree: Any) -> Word:
    token = tree.children[0]
    text = str(token)
    if token.type == "QUOTED":
        text = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text[1:-1])
    return Word(text, token.start_pos, token.end_pos)
