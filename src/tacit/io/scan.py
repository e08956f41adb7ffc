"""Words, quoted names and runs of numbers of a text format, each with its place in the file.

A format says what its comments and punctuation look like (`Syntax`); a `Scanner` walks over the
text. Words come one at a time, numbers in bulk: a table of a million cells is never a million
tokens, and nothing is set aside for numbers that a file only promises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from tacit.arrays import Floats
from tacit.core.errors import FormatError, marked
from tacit.io.words import floats, is_number, many, short

C_COMMENT = r"//[^\n]*+|/\*.*?\*/"
C_OPENING = r"//|/\*"


@dataclass(frozen=True, slots=True)
class Syntax:
    """What tells the tokens of a format apart."""

    comment: re.Pattern[str]
    blank: re.Pattern[str]
    token: re.Pattern[str]
    run: re.Pattern[str]
    item: re.Pattern[str]

    @staticmethod
    def of(marks: str, comment: str, opening: str) -> Syntax:
        """marks: the punctuation; comment: its pattern; opening: how it begins, also a pattern.

        All repetition is possessive: no text makes the patterns go back and try again.
        """
        inside = re.escape(marks)
        return Syntax(
            comment=re.compile(comment, re.DOTALL),
            blank=re.compile(rf"(?:\s++|{comment})*+", re.DOTALL),
            token=re.compile(
                r'(?P<quoted>"(?:[^"\\]++|\\.)*+")'
                rf"|(?P<mark>[{inside}])"
                rf'|(?P<word>(?:(?!{opening})[^\s"{inside}])++)',
                re.DOTALL,
            ),
            run=re.compile(
                rf"(?:[^;{{}}{opening[0]}]++|{comment}|(?!{opening}){opening[0]})*+", re.DOTALL
            ),
            item=re.compile(rf"{comment}|(?P<item>[^\s,()]++)", re.DOTALL),
        )


class Token(NamedTuple):
    """A word, a quoted name (without its quotes), a mark, or the end of the file."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def is_name(self) -> bool:
        """Whether it can name a variable or a state."""
        return self.kind in ("word", "quoted")


def unquoted(text: str) -> str:
    """What stands between the quotes; a backslash keeps a quote or a backslash from acting."""
    return re.sub(r'\\(["\\])', r"\1", text[1:-1])


@dataclass(slots=True)
class Scanner:
    """A walk over the text of one file; `at` is how far it has come."""

    text: str
    where: str
    syntax: Syntax
    at: int = 0
    ahead: tuple[int, Token] | None = None

    def take(self) -> Token:
        """The next token, which is left behind."""
        token = self.peek()
        self.at = token.end
        return token

    def peek(self) -> Token:
        """The next token, which stays ahead."""
        if self.ahead is None or self.ahead[0] != self.at:
            self.ahead = (self.at, self._match())
        return self.ahead[1]

    def _match(self) -> Token:
        start = self._behind_blanks()
        match = self.syntax.token.match(self.text, start)
        if match is None:
            if start == len(self.text):
                return Token("end", "", start, start)
            what = "quoted text" if self.text[start] == '"' else "comment"
            raise self.fail_at(start, start + 1, f"this {what} has no end")
        kind = str(match.lastgroup)
        shown = unquoted(match[0]) if kind == "quoted" else match[0]
        return Token(kind, shown, start, match.end())

    def _behind_blanks(self) -> int:
        blank = self.syntax.blank.match(self.text, self.at)
        return blank.end() if blank else self.at

    def done(self) -> bool:
        """Whether only blanks and comments are left."""
        return self.peek().kind == "end"

    def taken(self, *texts: str) -> bool:
        """Whether the next token is one of these marks or bare words; if so it is left behind."""
        token = self.peek()
        if token.kind == "quoted" or token.text not in texts:
            return False
        self.at = token.end
        return True

    def expect(self, text: str) -> Token:
        """The next token, which must be this mark or bare word."""
        token = self.take()
        if token.kind == "quoted" or token.text != text:
            raise self.fail(token, f"{text!r} is expected here" + self._instead(token))
        return token

    def _instead(self, token: Token) -> str:
        return f", not {short(token.text)}" if token.kind != "end" else ""

    def name(self, what: str) -> Token:
        """The next token, which must be a bare or quoted name."""
        token = self.take()
        if not token.is_name:
            raise self.fail(token, f"{what} is expected here" + self._instead(token))
        return token

    def names(self, close: str, what: str, most: int | None = None) -> list[Token]:
        """Names up to a closing mark, which is left behind; commas between them may be missing.

        most: give up behind so many names; the closing mark is then still ahead.
        """
        found: list[Token] = []
        while most is None or len(found) < most:
            token = self.take()
            if token.kind == "mark" and token.text == close:
                break
            if token.is_name:
                found.append(token)
            elif token.text != ",":
                raise self.fail(token, f"{what} is expected here" + self._instead(token))
        return found

    def skip_statement(self) -> None:
        """Go behind the next semicolon outside quotes."""
        while not self.taken(";"):
            token = self.take()
            if token.kind == "end" or token.text in ("{", "}"):
                raise self.fail(token, "';' is expected here")

    def skip_block(self) -> None:
        """Go behind the brace that closes the one just read."""
        depth = 1
        while depth:
            token = self.take()
            if token.kind == "end":
                raise self.fail(token, "'}' is expected here")
            if token.kind == "mark":
                depth += {"{": 1, "}": -1}.get(token.text, 0)

    def run(self) -> Run:
        """What stands before the next semicolon or brace, for numbers in bulk."""
        start = self._behind_blanks()
        match = self.syntax.run.match(self.text, start)
        self.at = match.end() if match else start
        return Run(self, start, self.at)

    def fail(self, token: Token, what: str) -> FormatError:
        """An error that marks this token; at the end of the file, the last thing before it."""
        if token.kind != "end":
            return self.fail_at(token.start, token.end, what)
        last = max(0, len(self.text.rstrip()) - 1)
        return self.fail_at(last, last + 1, f"{what}, but the file ends")

    def fail_at(self, start: int, end: int, what: str) -> FormatError:
        """An error that marks these places of the text."""
        if not self.text.strip():
            return FormatError(f"{self.where}: the file is empty")
        return FormatError(marked(self.text, start, end, what, self.where))


class Run(NamedTuple):
    """A stretch of text that holds numbers, commas, parentheses and comments."""

    source: Scanner
    start: int
    end: int

    def values(self, expected: int, whose: str) -> Floats:
        """Its numbers, which must be as many as expected."""
        values = self.numbers()
        if values.size != expected:
            raise self.fail(f"{whose} needs {many(expected)} numbers, not {many(values.size)}")
        return values

    def numbers(self) -> Floats:
        """All its numbers; a word that is none is marked."""
        text = self.source.text[self.start : self.end]
        text = self.source.syntax.comment.sub(" ", text)
        for separator in ",()":
            text = text.replace(separator, " ")
        values = floats(text)
        if values is None:
            raise self._no_number()
        return values

    def fail(self, what: str) -> FormatError:
        """An error that marks what stands there, as far as its first line goes."""
        text = self.source.text[self.start : self.end]
        start = self.end - len(text.lstrip())
        return self.source.fail_at(start, start + max(1, len(text.strip())), what)

    def fail_numbers(self, first: int, count: int, what: str) -> FormatError:
        """An error that marks the numbers from this one on, as far as their line goes."""
        places = [item.span() for item in islice(self._items(), first, first + count)]
        if not places:
            return self.fail(what)
        return self.source.fail_at(places[0][0], places[-1][1], what)

    def _items(self) -> Iterator[re.Match[str]]:
        found = self.source.syntax.item.finditer(self.source.text, self.start, self.end)
        return (item for item in found if item["item"])

    def _no_number(self) -> FormatError:
        for item in self._items():
            if not is_number(item[0]):
                return self.source.fail_at(*item.span(), f"this is no number: {short(item[0])}")
        return self.fail("these are no numbers")
