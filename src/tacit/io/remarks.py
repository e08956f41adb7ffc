"""What the reader of cases should know, said once for all columns it is true of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from tacit.core.errors import listed


class Topic(Enum):
    """What a remark is about: {names}, {detail}, and {is_} or {has} as their number asks."""

    MARKER = "{detail!r} is a state of {names}; missing=[{detail!r}] would make it a missing value"
    INTEGERS = (
        "{names} {has} whole numbers of more than {detail} values and {is_} taken as continuous; "
        "discrete=[...] would make them states"
    )
    STATES = "{names} {has} {detail} states; a name or a number of each case is no variable"
    ALMOST = "{names} {is_} discrete because {detail} is no number"
    BLANK = "cells of {names} that hold nothing but spaces count as missing: {detail}"
    EMPTY = "{names} {has} no value in any case and {is_} taken as continuous"
    UNUSED = "the states of {names} leave out what occurs in no case: {detail}"
    SPACES = "states of {names} differ in nothing but spaces around them: {detail}"


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that is true of one column."""

    topic: Topic
    name: str
    detail: str = ""


def notes(remarks: Iterable[Remark]) -> tuple[str, ...]:
    """The remarks as sentences, in the order they first come; equal ones share a sentence."""
    groups: dict[tuple[Topic, str], list[str]] = {}
    for remark in remarks:
        groups.setdefault((remark.topic, remark.detail), []).append(remark.name)
    return tuple(_sentence(topic, detail, names) for (topic, detail), names in groups.items())


def _sentence(topic: Topic, detail: str, names: list[str]) -> str:
    one = len(names) == 1
    return topic.value.format(
        names=listed([repr(name) for name in names]),
        detail=detail,
        is_="is" if one else "are",
        has="has" if one else "have",
    )
