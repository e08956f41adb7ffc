"""What was read and how, as plain data: enough to read the same once more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Reading:
    """A file, a pattern of files or a database, and all that was said of how to read it.

    source   its name, a password left out
    options  of `tc.read_cases` or `tc.read_trials`, as plain data: those alone that were given and
             make the result what it is. `like` is True where a network said kinds and states: the
             variables that came of it say the same
    whole    False where only the name is known, as older versions of saved fits have it
    """

    source: str
    options: Mapping[str, Any] = field(default_factory=dict)
    whole: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))

    @staticmethod
    def of(source: str, options: Mapping[str, Any]) -> Reading:
        """A reading of which nothing is kept that was not said."""
        return Reading(source, {name: each for name, each in options.items() if each})

    def with_options(self, more: Mapping[str, Any]) -> Reading:
        """The same, read on: what is said later counts."""
        return Reading(self.source, {**self.options, **more}, self.whole)

    def without(self, *names: str) -> Reading:
        """The same with nothing said of these options."""
        kept = {name: each for name, each in self.options.items() if name not in names}
        return Reading(self.source, kept, self.whole)

    def __reduce__(self) -> tuple[type[Reading], tuple[Any, ...]]:
        return Reading, (self.source, dict(self.options), self.whole)

    def to_plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"source": self.source, "options": dict(self.options)}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Reading:
        """The reading that `to_plain` described."""
        return Reading(str(plain["source"]), dict(plain["options"]))

    @staticmethod
    def kept_in(plain: Mapping[str, Any]) -> Reading | None:
        """The reading in a part of a saved file that has a `source` beside it; older files kept
        that alone."""
        if "reading" not in plain:
            return Reading(str(plain["source"]), whole=False)
        said = plain["reading"]
        return None if said is None else Reading.from_plain(said)
