"""The shape of a statement becomes, once, a function from its words to its value.

Thousands of rules have a few shapes, a shape being the kinds of their words in sequence. The
grammar reads each shape once; what remains is a function that picks the words of any statement of
this shape from their places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

from tacit.knowledge.making import listed, made
from tacit.knowledge.statements import Statement
from tacit.knowledge.sums import Wrong
from tacit.knowledge.tokens import Phrase

if TYPE_CHECKING:
    from lark import Lark

Shape: TypeAlias = tuple[str, ...]
Said: TypeAlias = tuple[Statement, str, float]
"""A statement, who said it, how sure they are."""


class Misfit(Exception):  # noqa: N818 - it becomes an error where the text is at hand
    """The word at this place of a shape does not fit (None: more is needed); these would."""

    def __init__(self, at: int | None, expected: frozenset[str]) -> None:
        self.at, self.expected = at, expected
        super().__init__(at)


@cache
def grammar() -> Lark:
    """The parser of the language: it reads shapes, and its tokens are places."""
    from lark import Lark, Token
    from lark.lexer import Lexer

    class Places(Lexer):
        def __init__(self, conf: Any) -> None:
            literals = [each for each in conf.terminals if each.pattern is not None]
            self.names = {each.pattern.value: each.name for each in literals}

        def lex(self, shape: Any, _: Any = None) -> Iterator[Token]:
            for at, kind in enumerate(shape):
                yield Token(self.names.get(kind, kind), kind, start_pos=at, end_pos=at + 1)

    text = files("tacit.knowledge").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        text, start=["query", "terms", "statement", "sum"], parser="lalr", lexer=Places,
        propagate_positions=True, maybe_placeholders=True,
    )  # fmt: skip


def _tree(shape: Shape, start: str) -> Any:
    from lark.exceptions import UnexpectedToken

    try:
        return grammar().parse(shape, start=start)
    except UnexpectedToken as problem:
        words = {each.name: each.pattern.value for each in grammar().terminals if each.pattern}
        expected = frozenset(words.get(name, name) for name in problem.accepts or ())
        at = None if problem.token.type == "$END" else problem.token.start_pos
        raise Misfit(at, expected) from None


@lru_cache(maxsize=1024)
def maker(shape: Shape, start: str) -> Callable[[Phrase], Any]:
    """What makes a `query`, its `terms` or a `sum` from words of this shape."""
    tree = _tree(shape, start)
    return listed(tree.children) if start == "terms" else made(tree)


@lru_cache(maxsize=4096)
def statement_maker(shape: Shape) -> Callable[[Phrase], Said]:
    """What makes a statement, its author and their confidence from words of this shape."""
    said, *asides = _tree(shape, "statement").children
    statement = made(said)
    found: dict[str, Any] = {}
    for aside in asides:
        if aside.data in found:
            first, last = aside.meta.start_pos, aside.meta.end_pos - 1
            raise Wrong(first, last, f"the {aside.data} is given twice")
        found[aside.data] = made(aside)
    author, confidence = found.get("author"), found.get("confidence")
    if not found:
        return lambda phrase: (statement(phrase), "", 1.0)
    return lambda phrase: (
        statement(phrase),
        author(phrase) if author else "",
        confidence(phrase) if confidence else 1.0,
    )
