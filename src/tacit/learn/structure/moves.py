"""Single changes of a dag, by name."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.core.errors import quoted


@dataclass(frozen=True, slots=True)
class Move:
    """One change: the arc from tail to head is added, deleted or turned, or its tail replaced.

    verb     "add", "delete", "reverse" or "replace"
    gain     what the score gained, in nats; below 0 where a search went downhill
    instead  with "replace": the parent that `tail` takes the place of
    restart  how often the search had started anew before
    """

    verb: str
    tail: str
    head: str
    gain: float
    instead: str | None = None
    restart: int = 0

    def __str__(self) -> str:
        arc = f"{quoted(self.tail)} -> {quoted(self.head)}"
        more = f" instead of {quoted(self.instead)}" if self.instead is not None else ""
        return f"{self.verb} {arc}{more} ({self.gain:+.3f})"
