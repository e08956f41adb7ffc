"""What is wrong with a rule, shown where it stands."""

from __future__ import annotations

import re

from tacit.core.errors import ConflictError, KnowledgeError, marked, quoted
from tacit.knowledge.statements import Rule
from tacit.knowledge.terms import Word


def fault(rule: Rule, word: Word | None, what: str, advice: str = "") -> KnowledgeError:
    """An error that shows the rule, marks the word in it (None: all of it) and ends in advice."""
    return KnowledgeError(shown(rule, word, what, advice))


def clash(rule: Rule, word: Word | None, what: str, advice: str = "") -> ConflictError:
    """The same, for a rule that nothing can obey or that a given structure breaks."""
    return ConflictError(shown(rule, word, what, advice), (rule.text,))


def shown(rule: Rule, word: Word | None, what: str, advice: str = "") -> str:
    """One message: where, what, the line of the rule with the word marked, advice."""
    start, end = (0, len(rule.text)) if word is None else span_of(rule, word)
    before = rule.text.count("\n", 0, start)
    line = rule.text.split("\n")[before]
    first = rule.text.rfind("\n", 0, start) + 1
    place = _place(rule, before)
    if end <= start:
        message = f"{place + ': ' if place else ''}{what}\n\n    {line}"
    else:
        message = marked(line, start - first, min(end - first, len(line)), what, place)
    return f"{message}\n\n{advice}" if advice else message


def _place(rule: Rule, lines_down: int) -> str:
    if not rule.line:
        return rule.source
    line = rule.line + lines_down
    return f"{rule.source}:{line}" if rule.source else f"line {line}"


def span_of(rule: Rule, word: Word) -> tuple[int, int]:
    """Where the word stands in the text of the rule: by its span, else by looking for it.

    Nowhere is (0, 0).

    A rule built in Python has a text of its own, of which the spans of its words know nothing.
    """
    written = quoted(word.text)
    start, end = word.start - rule.start, word.end - rule.start
    if 0 <= start < end and rule.text[start:end] in {written, word.text, f'"{word.text}"'}:
        return start, end
    found = re.search(rf"(?<![\w.]){re.escape(written)}(?![\w.])", rule.text)
    return found.span() if found else (0, 0)
