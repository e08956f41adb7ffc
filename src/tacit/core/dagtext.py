"""Dags as text: `A -> B <- C; D`.

Statements are separated by `;` or line ends. A statement is a chain of groups joined by `->` or
`<-`; a group is one variable or several separated by commas: `Smoker, Genes -> Cancer -> Xray`.
A variable alone has no parents so far. Parents keep the order in which they are mentioned. Names
of letters, digits, `_` and `.` stand bare, any other in double quotes; `#` starts a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tacit.core.dag import Dag
from tacit.core.errors import DagError, marked

_TOKEN = re.compile(
    r"""(?P<skip>[ \t\r]+|\#[^\n]*)
      | (?P<arrow><->|->|<-)
      | (?P<comma>,)
      | (?P<end>[;\n])
      | (?P<quoted>"(?:[^"\\\n]|\\.)*")
      | (?P<name>[\w.]+)""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def _unquote(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text[1:-1])


def _tokens(text: str, where: str) -> list[_Token]:
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            hint = "\n\nnames with other than letters, digits, _ and . stand in double quotes"
            what = f"this is no part of a dag: {text[at]!r}"
            if text[at] == '"':
                what, hint = "this quoted name has no end", ""
            raise DagError(marked(text, at, at + 1, what, where) + hint)
        kind = str(match.lastgroup)
        if kind == "quoted":
            tokens.append(_Token("name", _unquote(match[0]), at, match.end()))
        elif kind != "skip":
            tokens.append(_Token(kind, match[0], at, match.end()))
        at = match.end()
    tokens.append(_Token("end", "", len(text), len(text)))
    return tokens


def _fail(text: str, where: str, token: _Token, what: str) -> DagError:
    at, end = token.start, token.end
    if token.kind == "end" and token.text != ";":  # mark the last word before the line's end
        end = len(text[:at].rstrip())
        at = max(0, end - 1)
    return DagError(
        marked(text, at, end, what, where)
        + "\n\na dag is written like  Smoker -> Cancer <- Genes; Cancer -> Xray"
    )


def _group(text: str, where: str, tokens: list[_Token], at: int) -> tuple[list[str], int]:
    names: list[str] = []
    while True:
        token = tokens[at]
        if token.kind != "name":
            raise _fail(text, where, token, "a variable is expected here")
        if not token.text.strip():
            raise _fail(text, where, token, "a variable needs a name")
        names.append(token.text)
        at += 1
        if tokens[at].kind != "comma":
            return names, at
        at += 1


def parse_dag(text: str, where: str = "") -> Dag:
    """The dag that `text` describes; errors mark the words at fault.

    where: what to call the text in messages, for example the file it came from.
    """
    tokens = _tokens(text, where)
    parents: dict[str, dict[str, None]] = {}  # inner keys: parents as mentioned, each once
    at = 0
    while at < len(tokens):
        if tokens[at].kind == "end":
            at += 1
            continue
        left, at = _group(text, where, tokens, at)
        for name in left:
            parents.setdefault(name, {})
        while tokens[at].kind == "arrow":
            arrow = tokens[at]
            if arrow.text == "<->":
                raise _fail(text, where, arrow, "an arc has one direction")
            right, at = _group(text, where, tokens, at + 1)
            tails, heads = (left, right) if arrow.text == "->" else (right, left)
            _add_arcs(parents, tails, heads, right)
            left = right
        if tokens[at].kind != "end":
            raise _fail(text, where, tokens[at], "an arrow or the end of the statement is expected")
    if not parents:
        raise DagError(
            f"{where + ': ' if where else ''}this dag names no variable: {text.strip()!r}"
        )
    return Dag({name: tuple(who) for name, who in parents.items()})


def _add_arcs(
    parents: dict[str, dict[str, None]], tails: list[str], heads: list[str], new: list[str]
) -> None:
    for name in new:
        parents.setdefault(name, {})
    for head in heads:
        parents[head].update(dict.fromkeys(tails))
