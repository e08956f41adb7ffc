"""`--family`: which variables get another family than the usual one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from tacit.cli.options import plain_name
from tacit.core.errors import OptionError, marked, nearest

WORDS = {
    "table": "table",
    "noisy-or": "noisy-or",
    "noisy-and": "noisy-and",
    "noisy-max": "noisy-max",
    "tree-table": "tree-table[:exact]",
    "default-table": "default-table",
    "sigmoid": "sigmoid",
    "softplus": "softplus",
}
"""The words of `--family`, and how each is written."""

FamilyNames = Annotated[
    list[str] | None,
    typer.Option(
        "--family",
        metavar="X=KIND",
        help="X gets links (noisy-or, noisy-and, noisy-max), shared rows (tree-table, "
        "default-table) or a curve (sigmoid, softplus); KIND alone is for all; repeatable.",
        autocompletion=lambda: list(WORDS),
    ),
]


def families_of(said: Sequence[str] | None) -> Any:
    """`X=noisy-or` as {"X": "noisy-or"}, `tree-table` for all; None where nothing was said."""
    found: dict[str, Any] = {}
    for text in said or ():
        name, equals, word = text.rpartition("=")
        kind = _kind(text, word)
        if not equals:
            if len(said or ()) > 1:
                raise OptionError(
                    "--family: a kind for every variable stands alone\n\n"
                    "name variables: --family X=noisy-or --family Y=tree-table"
                )
            return kind
        key = plain_name(name)
        if key in found:
            what = f"{key!r} is given two families"
            raise OptionError(marked(text, 0, len(name), what, "--family"))
        found[key] = kind
    return found or None


def _kind(text: str, word: str) -> Any:
    from tacit.estimate.local.settings import GrowTree

    if word == "tree-table:exact":
        return GrowTree(exact=True)
    if word not in WORDS:
        what = f"{word!r} is no family{nearest(word, WORDS)}"
        marks = marked(text, len(text) - len(word), len(text), what, "--family")
        raise OptionError(f"{marks}\n\nfamilies: {', '.join(WORDS.values())}")
    return f"{word}-gaussian" if word in ("sigmoid", "softplus") else word
