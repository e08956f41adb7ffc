"""Bounds on a variable in a question: from the tree of `20 < X <= 50` to what makes its term."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tacit.knowledge.sums import Make, Wrong
from tacit.knowledge.terms import Term
from tacit.knowledge.tokens import Phrase

_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def bounded(tree: Any, listed: Callable[[Any], Make]) -> Make:
    """`X > 5`, `5 < X` or `5 < X <= 9`: two names are a variable and a number, as it may be."""
    words = [each for each in tree.children[::2] if each is not None]
    signs = [str(each.children[0]) for each in tree.children[1::2] if each is not None]
    names = listed(words)
    if len(words) == 3:
        whom, turned = 1, [_TURNED[signs[0]], signs[1]]
        if signs[0][0] != signs[1][0]:
            first, last = tree.meta.start_pos, tree.meta.end_pos - 1
            raise Wrong(first, last, "these signs point both ways", "write  20 < X < 50")
    else:
        whom = int(_is_number(words[0]) and not _is_number(words[1]))
        turned = [_TURNED[signs[0]] if whom else signs[0]]

    def make(phrase: Phrase) -> Term:
        said = list(names(phrase))
        variable = said.pop(whom)
        return Term(variable, bounds=tuple(zip(turned, said, strict=True)))

    return make


def _is_number(tree: Any) -> bool:
    return bool(tree.data == "negative" or tree.children[0].type == "NUMBER")
