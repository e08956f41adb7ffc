"""Text cut into words, and words into statements; nothing is judged here.

One expression finds the words. Brackets tell where a word of the language is just a name, and
where a line may end without ending the statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tacit.knowledge.terms import KEYWORDS

DEEPEST = 20
"""Brackets within brackets beyond which a statement is not read."""

_TOKEN = re.compile(
    r"""[^\S\n]*+(?:\#[^\n]*+)?+(?:
        (?P<NUMBER>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
      | (?P<NAME>[\w.]+)
      | (?P<sign><=|>=|\+-|->|<-|==|!=|=<|=>|[-+*/=<>~:|,(){}%≤≥±→−])
      | (?P<line>\n)
      | (?P<part>;)
      | (?P<QUOTED>"(?:[^"\\\n]|\\.)*")
      | (?P<BAD>"[^\n]*|.)
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_ENDS = frozenset(("line", "part", "end"))
_BRACKETS = frozenset("(){}")
_SAME = {"≤": "<=", "≥": ">=", "±": "+-", "→": "->", "−": "-"}
_CALLS = ("P", "table", "coefficient", "intercept", "variance", "link", "leak")
_GOES_ON = frozenset([*"=<>+-/~:|,", "<=", ">=", "+-", "->", "not"])
"""A line that ends in one of these goes on in the next one."""
_NO_PART_ENDS = _GOES_ON | {"{", "_SEP"}


@dataclass(slots=True)
class Phrase:
    """The words of one statement, and where they stand in `source`.

    kinds  NAME, NUMBER, QUOTED, _SEP, BAD, or the word of the language itself
    line   where the statement starts
    open   the brackets that are still open: what stands in them, `names`, a `sum` or a `level`
    """

    source: str
    line: int = 0
    kinds: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def word(self, at: int) -> str:
        """One word as it stands in the source."""
        return self.source[self.starts[at] : self.ends[at]]

    def add(self, kind: str, start: int, end: int) -> None:
        """One word more."""
        self.kinds.append(kind)
        self.starts.append(start)
        self.ends.append(end)


def phrases(text: str) -> Iterator[Phrase]:
    """The statements of a text: a line each, or several with ; between them."""
    line, phrase = 1, Phrase(text, 1)
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "end"
        start, end = match.span(match.lastindex or 0)
        if kind not in _ENDS:
            phrase.kinds.append(_kind(phrase, kind, text[start:end]))
            phrase.starts.append(start)
            phrase.ends.append(end)
            continue
        line += kind == "line"
        if kind == "end" or not _goes_on(phrase, kind, start):
            if phrase.kinds:
                yield phrase
            phrase = Phrase(text, line)


def whole(text: str, inside: bool = False) -> Phrase:
    """A text that is one phrase over all its lines; `inside`: as if it stood in brackets."""
    phrase = Phrase(text, 1)
    if inside:
        phrase.open.append("names")
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "end"
        if kind not in _ENDS or kind == "part":
            start, end = match.span(kind)
            phrase.add(_kind(phrase, kind, text[start:end]), start, end)
    return phrase


def _kind(phrase: Phrase, kind: str, word: str) -> str:
    """What a word is at this place of its statement; brackets are opened and closed."""
    if kind == "NAME":
        if word == "not":
            return word if phrase.kinds[-1:] == ["="] else kind
        plain = phrase.open and phrase.open[-1] != "sum"
        return kind if plain or word not in KEYWORDS else word
    if kind == "sign":
        return _turned(phrase, word) if word in _BRACKETS else _SAME.get(word, word)
    return ";" if kind == "part" else kind


def _turned(phrase: Phrase, bracket: str) -> str:
    """Open or close a bracket; one that opens too deep is no bracket."""
    before = phrase.kinds[-1] if phrase.kinds else ""
    if bracket == "(":
        called = before == "NAME" and phrase.word(-1) in _CALLS
        if called and "names" not in phrase.open:
            phrase.kinds[-1] = phrase.word(-1)
        phrase.open.append("names" if called else "sum")
    elif bracket == "{":
        names = before in ("=", "not") or phrase.kinds[:1] != ["share"]
        phrase.open.append("names" if names else "level")
    elif phrase.open:
        phrase.open.pop()
    if bracket in "{}" and before == "_SEP":
        for words in (phrase.kinds, phrase.starts, phrase.ends):
            words.pop()
    return bracket if len(phrase.open) <= DEEPEST else "BAD"


def _goes_on(phrase: Phrase, ended: str, start: int) -> bool:
    """Whether the statement goes on behind this end of a line, or this semicolon."""
    last = phrase.kinds[-1] if phrase.kinds else ""
    if phrase.open and phrase.open[-1] == "level":
        if last not in _NO_PART_ENDS:
            phrase.add("_SEP", start, start + 1)
        return True
    if ended == "part":
        if phrase.open:
            phrase.add(";", start, start + 1)
        return bool(phrase.open)
    if phrase.open or last in _GOES_ON:
        return True
    if last == "*":
        return len(phrase.kinds) > 1 and phrase.kinds[-2] in (")", "NUMBER", "%")
    return last == ")" and phrase.kinds[0] == "share"
