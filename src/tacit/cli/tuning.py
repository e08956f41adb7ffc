"""`--set NAME=VALUE`: any setting of a method, by the name that Python gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.core.errors import OptionError, marked, nearest

if TYPE_CHECKING:
    from tacit.learn.methods import Method

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A setting of the method: until=0.8, direction=exact, ...; repeatable.",
    ),
]
SIMPLE = {"int", "float", "str", "bool", "None"}
NOTHING = object()
"""What a text is that does not say a value of some kind."""


def tuned(kind: type[Method], texts: Sequence[str] | None) -> dict[str, Any]:
    """The settings that were given, as the method takes them; errors mark the words at fault."""
    known = {each.name: each for each in fields(kind) if set(_kinds(each)) & SIMPLE}
    found: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if name not in known:
            what = f"{kind.__name__} has no setting {name!r}{nearest(name, known)}"
            raise _wrong(text, 0, len(name), what, known)
        if not equals or not value:
            raise _wrong(text, 0, len(text), f"write {name}=VALUE", known)
        if name in found:
            raise _wrong(text, 0, len(name), f"{name!r} is set twice", known)
        found[name] = _value(text, value, known[name], known)
    return found


def _kinds(setting: Field[Any]) -> list[str]:
    return [each.strip() for each in str(setting.type).split("|")]


def _value(text: str, value: str, setting: Field[Any], known: Mapping[str, Any]) -> Any:
    kinds = _kinds(setting)
    for kind in ("bool", "None", "int", "float", "str"):
        if kind in kinds and (read := _READ[kind](value)) is not NOTHING:
            return read
    wanted = {"int": "a whole number", "float": "a number", "bool": "true or false"}
    what = f"{setting.name} is {' or '.join(wanted[each] for each in kinds if each in wanted)}"
    raise _wrong(text, len(text) - len(value), len(text), what, known)


def _number(kind: Callable[[str], float]) -> Callable[[str], Any]:
    def read(value: str) -> Any:
        try:
            return kind(value)
        except ValueError:
            return NOTHING

    return read


_READ: Mapping[str, Callable[[str], Any]] = {
    "bool": lambda value: {"true": True, "false": False}.get(value.lower(), NOTHING),
    "None": lambda value: None if value.lower() == "none" else NOTHING,
    "int": _number(int),
    "float": _number(float),
    "str": lambda value: value,
}


def _wrong(text: str, start: int, end: int, what: str, known: Mapping[str, Any]) -> OptionError:
    names = ", ".join(known) or "none"
    return OptionError(f"{marked(text, start, end, what, '--set')}\n\nsettings: {names}")
