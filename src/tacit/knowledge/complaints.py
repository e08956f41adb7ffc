"""What is said about statements that cannot be read."""

from __future__ import annotations

import re

from tacit.core.errors import marked, nearest
from tacit.knowledge.shapes import Misfit
from tacit.knowledge.sums import Wrong
from tacit.knowledge.terms import KEYWORDS
from tacit.knowledge.tokens import DEEPEST, Phrase

_LIKE = {
    "synergy": "a synergy is written like  positive additive synergy of A, B on C",
    "positive": "a synergy is written like  positive additive synergy of A, B on C",
    "negative": "a synergy is written like  negative product synergy of A, B on C=yes",
    "let": "a group of states is written like  let weekdays = {mon, tue}",
    "share": "a sharing tree is written like  share P(Word | Author=*) { a, the; Author=x { of } }",
    "require": "arcs are required like  require A -> B, C -> D",
    "forbid": "arcs are forbidden like  forbid A -> B, X -> *",
    "allow": "arcs are allowed, and all others ruled out, like  allow A -> B, * -> C",
    "of": "an order of states is written like  order of Stage: I < II < III",
    "order": "an order of variables is written like  order A, B < C",
    "at": "parents are limited like  at most 3 parents  or  at most 2 parents for X",
    "increases": "an influence is written like  Cancer increases with Smoker when Age=old",
    "decreases": "an influence is written like  Cancer decreases with Exercise when Age=old",
    "ignores": "an independence is written like  Fever ignores Season, Age when Flu=no",
    "table": "tables are tied like  table(X2 | X1) = table(X3 | X2)",
    "coefficient": "coefficients are compared like  coefficient(Y, A) = 2 * coefficient(Y, B)",
    "link": "links of a noisy-or are compared like  link(Fever, Flu) >= 0.3",
    "leak": "the leak of a noisy-or is bounded like  leak(Fever) <= 0.05",
    "~": "two quantities are about equal like  P(A=yes | B=yes) ~ P(A=yes | B=no) +- 0.05",
    ":": "equal ratios are written like  P(A=a) : P(A=b) = P(B=a) : P(B=b)",
    "P": "a rule is written like  0.1 <= P(Cancer=yes | Smoker=yes) <= 0.3",
}
_ANY = "a rule is written like  P(Cancer=yes | Smoker=no) <= 0.3  or  Cancer increases with Smoker"
_ON = "a rule goes on in the next line behind an operator or a comma, not before it"
_POWER = "a power is written as a product:  P(A=a) * P(A=a)"
_COMPARED = {"=", "<=", ">=", "<", ">", "==", "=<", "=>", "~", "+", "/", "+-"}
_FIRST = ("allow", "at", "forbid", "let", "negative", "order", "positive", "require", "share")
_CLOSED = "rules are closed: write {0}= instead of {0}"
_INSTEAD = {
    "<": _CLOSED.format("<"),
    ">": _CLOSED.format(">"),
    "==": "write = for equal",
    "=<": "write <= for at most",
    "=>": "write >= for at least",
    "!=": "a rule cannot say that two quantities differ",
    "<-": "write arcs from the parent to the child, with ->",
    "+-": "+- belongs to ~, as in  P(A=a) ~ P(B=b) +- 0.05",
}


def complaint(phrase: Phrase, problem: Misfit | Wrong, source: str) -> str:
    """What is wrong with a statement, where, and what would be right."""
    if isinstance(problem, Wrong):
        first, last, what, advice = problem.first, problem.last, problem.what, problem.advice
    else:
        first, what, advice = _judged(phrase, problem)
        last, advice = first, advice or _like(phrase)
    message = marked(phrase.source, phrase.starts[first], phrase.ends[last], what, source)
    return f"{message}\n\n{advice}" if advice else message


def _judged(phrase: Phrase, problem: Misfit) -> tuple[int, str, str]:
    """The place at fault, what is wrong with it, and advice."""
    if problem.at is None:
        return _unfinished(phrase)
    at, kind, word = problem.at, phrase.kinds[problem.at], phrase.word(problem.at)
    if kind in ("BAD", ";", "_SEP"):
        return _unreadable(phrase, at)
    for guess in (_misspelt(phrase, at, problem.expected), _called(phrase, at)):
        if guess is not None:
            return guess
    if kind in KEYWORDS and "NAME" in problem.expected:
        return at, f"{word!r} is a word of the language", f'a name like it is quoted: "{word}"'
    if kind in _COMPARED and ")" in problem.expected:
        return at, f"a ) is missing before {word!r}", ""
    return at, f"this does not fit here: {word!r}", _advised(phrase, at)


def _advised(phrase: Phrase, at: int) -> str:
    """What is usually meant by a word that does not fit where it stands."""
    kind, before = phrase.kinds[at], phrase.kinds[at - 1] if at else ""
    inside = _inside(phrase, at)
    if kind == "!=" and inside:
        return "all states but one:  X=not a"
    if kind in _INSTEAD:
        return _INSTEAD[kind]
    if kind == before == "*":
        return _POWER
    if kind == "NUMBER" and ":" in phrase.kinds[:at] and "P" in phrase.kinds[:at]:
        return "a known ratio is written like  P(A=a) = 2 * P(A=b)"
    if kind == "when" and "P" in phrase.kinds[:at]:
        return "the conditions of a probability stand inside it:  P(A=a | B=b)"
    if kind == before == "NAME" and (inside or phrase.kinds[at - 2 : at - 1] == ["by"]):
        words = f"{phrase.word(at - 1)} {phrase.word(at)}"
        return f'a name of several words stands in quotes: "{words}"'
    return ""


def _unfinished(phrase: Phrase) -> tuple[int, str, str]:
    """A statement that ends too early: at the bracket that is still open, if there is one."""
    if not phrase.open:
        goes_on = re.match(r"\s*(<=|>=|[=+*/~:|])", phrase.source[phrase.ends[-1] :])
        return len(phrase.kinds) - 1, "the statement ends too early", _ON if goes_on else ""
    closed = 0
    for at in range(len(phrase.kinds) - 1, -1, -1):
        closed += (phrase.kinds[at] in ")}") - (phrase.kinds[at] in "({")
        if closed < 0:
            return at, "this bracket is never closed", ""
    raise AssertionError


def _unreadable(phrase: Phrase, at: int) -> tuple[int, str, str]:
    word = phrase.word(at)
    if word.startswith('"'):
        return at, "this quote is never closed", 'a quoted name ends in " on the same line'
    if word in ("(", "{"):
        return at, f"more than {DEEPEST} brackets stand within each other", "write a simpler rule"
    if phrase.kinds[at] != "BAD":
        return at, "a part ends here, but is not complete", ""
    power = word == "^" and at and phrase.kinds[at - 1] == ")"
    advice = _POWER if power else f"a name with {word} in it stands in quotes"
    return at, f"this does not fit here: {word!r}", advice


def _inside(phrase: Phrase, at: int) -> bool:
    """Whether this place is inside P(...) and the like."""
    opened = 0
    for kind in phrase.kinds[:at]:
        opened += (kind in ("(", "{")) - (kind in (")", "}"))
    return opened > 0


def _misspelt(phrase: Phrase, at: int, expected: frozenset[str]) -> tuple[int, str, str] | None:
    """A word close to a word of the language, here or at the start of the statement."""
    if _inside(phrase, at):
        return None
    word, first = phrase.word(at), phrase.word(0)
    near = nearest(word, sorted(expected & KEYWORDS))
    if near:
        return at, f"this does not fit here: {word!r}{near}", _LIKE.get(near.split("'")[1], "")
    near = nearest(first, _FIRST)
    if at == 1 and phrase.kinds[0] == "NAME" and near and phrase.kinds[1] != "(":
        return 0, f"no statement starts with {first!r}{near}", _LIKE[near.split("'")[1]]
    return None


def _called(phrase: Phrase, at: int) -> tuple[int, str, str] | None:
    """A bracket behind a word that calls nothing: p(...), Pr(...), odds(P(...), P(...))."""
    at += phrase.kinds[at : at + 3] == ["NAME", "(", "P"]
    if phrase.kinds[at] != "(" or not at or phrase.kinds[at - 1] != "NAME":
        return None
    word = phrase.word(at - 1)
    if phrase.kinds[at + 1 : at + 2] == ["P"]:
        what = f"{word!r} is a function, and no text can state a rule on it"
        return at - 1, what, f"state it in Python:  tc.rule({word}, [...], at_least=...)"
    if word.endswith("P") and word[:-1].replace(".", "").isdecimal():
        return at - 1, f"this does not fit here: {word!r}", f"write {word[:-1]} * P(...)"
    return at - 1, f"this does not fit here: {word!r}", "a probability is written P(...)"


def _like(phrase: Phrase) -> str:
    """An example of what was probably meant."""
    found = set(phrase.kinds)
    return next((example for word, example in _LIKE.items() if word in found), _ANY)
