"""What `tacit hidden` takes in words: fixed variables, refused ones, cases to judge by, methods."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from tacit.core.dag import Dag
from tacit.core.errors import OptionError, TacitError, marked, nearest

SIGNATURES = "signatures"


class Variant(StrEnum):
    """`--variant`."""

    STAGED = "staged"
    LOCAL = "local"
    FULL = "full"
    PARAMS = "params"


def fixed_of(texts: Sequence[str] | None) -> dict[str, tuple[str, ...]] | None:
    """`"Severity -> Cough, Fever"` as {"Severity": ("Cough", "Fever")}."""
    found = dict[str, tuple[str, ...]]()
    for text in texts or ():
        dag = _parsed(text, "--children")
        tops = [name for name in dag.names if dag.children[name]]
        if len(tops) != 1 or len(dag.names) != 1 + len(dag.children[tops[0]]):
            what = 'write one variable and its children: "Severity -> Cough, Fever"'
            raise OptionError(marked(text, 0, len(text), what, "--children"))
        name = tops[0]
        if name in found:
            what = f"the children of {name!r} are named twice"
            raise OptionError(marked(text, 0, len(text), what, "--children"))
        found[name] = dag.children[name]
    return found or None


def refused_of(texts: Sequence[str] | None) -> list[tuple[str, ...]]:
    """`"Cough, Fever, Rash"` as a set of children."""
    found = list[tuple[str, ...]]()
    for text in texts or ():
        dag = _parsed(text, "--refuse")
        if dag.arcs:
            what = 'names of children are expected: "Cough, Fever, Rash"'
            raise OptionError(marked(text, 0, len(text), what, "--refuse"))
        found.append(dag.names)
    return found


def _parsed(text: str, option: str) -> Dag:
    try:
        return Dag.parse(text)
    except TacitError as problem:
        raise type(problem)(f"{option}: {problem}") from None


def held_out_of(text: str) -> float | str:
    """A share as a number; anything else names a file."""
    try:
        return float(text)
    except ValueError:
        return text


def method_of_words(word: str | None, settings: Sequence[str] | None) -> Any:
    """`signatures` as None, `ibem` as `IBEM()`, and so on, with what was said of it."""
    from types import NoneType

    from tacit.cli.tuning import tuned
    from tacit.learn.unseen.seeking import SEEKERS

    kinds = {each.__name__.lower(): each for each in SEEKERS if each is not NoneType}
    if word is None or word == SIGNATURES:
        if settings:
            raise OptionError("--set says how a method works, and signatures have options instead")
        return None
    if word not in kinds:
        known = [SIGNATURES, *kinds]
        what = f"{word!r} is no method{nearest(word, known)}"
        said = marked(word, 0, len(word), what, "--method")
        raise OptionError(f"{said}\n\nmethods: {', '.join(known)}")
    return kinds[word](**tuned(kinds[word], settings))
