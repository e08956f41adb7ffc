"""Words and numbers of a statement: what makes them needs no other rule of the grammar."""

from __future__ import annotations

from typing import Any

from tacit.knowledge.quotes import unquoted
from tacit.knowledge.sums import Make, Number
from tacit.knowledge.terms import Word
from tacit.knowledge.tokens import Phrase


def word(tree: Any) -> Make:
    (token,) = tree.children
    at = token.start_pos
    if token.type == "QUOTED":
        return lambda phrase: Word(unquoted(phrase, at), phrase.starts[at], phrase.ends[at])

    def make(phrase: Phrase) -> Word:
        start, end = phrase.starts[at], phrase.ends[at]
        return Word(phrase.source[start:end], start, end)

    return make


def negative(tree: Any) -> Make:
    at = tree.children[0].start_pos
    return lambda phrase: Word(
        f"-{phrase.word(at)}", phrase.starts[tree.meta.start_pos], phrase.ends[at]
    )


def number_of(tree: Any) -> Number:
    return Number(tree.meta.start_pos, tree.data == "percent")
