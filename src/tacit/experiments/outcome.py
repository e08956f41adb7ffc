"""What an experiment is told and what it hands back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill
from typing import Any, TypeVar

from tacit.core.grid import Grid
from tacit.learn.progress import Callback, watched

T = TypeVar("T")
SCALES = ("smoke", "default", "full")
"""Seconds, to see that it works; about a minute; the paper's own size, or more."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How large an experiment shall be, and what repeats it.

    scale     one of `SCALES`
    data      the folder of public data, for experiments that need it
    progress  as `tc.fit` takes it
    """

    scale: str = "default"
    seed: int = 1
    data: Path | None = None
    progress: bool | Callback | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that ours must show, as the paper does, and whether it does."""

    text: str
    holds: bool

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}: {self.text}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Tables with the paper's figures beside ours, what is claimed, and why the two differ.

    done, asked  how many repetitions were made, of how many; fewer after an interruption
    plain        all figures as JSON holds them
    """

    name: str
    seed: int
    done: int
    asked: int
    tables: tuple[Grid, ...]
    claims: tuple[Claim, ...]
    remarks: tuple[str, ...]
    plain: Mapping[str, Any] = field(default_factory=dict)

    def to_plain(self) -> dict[str, Any]:
        """The outcome as JSON holds it."""
        return {
            "experiment": self.name,
            "seed": self.seed,
            "repetitions": {"done": self.done, "asked": self.asked},
            "claims": [{"text": claim.text, "holds": claim.holds} for claim in self.claims],
            "remarks": list(self.remarks),
            **self.plain,
        }

    def __str__(self) -> str:
        parts = [*map(str, self.tables), "\n".join(map(str, self.claims))]
        parts.append("\n".join(_item(remark) for remark in self.remarks))
        if self.done < self.asked:
            parts.append(f"interrupted: {self.done} of {self.asked} repetitions were made")
        return "\n\n".join(part for part in parts if part)

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables)


def repeated(one: Callable[[int], T], times: int, settings: Settings, what: str) -> list[T]:
    """`one(0)`, `one(1)`, ...; an interruption from the keyboard ends it with what was done."""
    made: list[T] = []
    with watched(settings.progress, what) as told:
        try:
            for number in range(times):
                made.append(one(number))
                told(number + 1, times)
        except KeyboardInterrupt:
            if not made:
                raise
    return made


def _item(remark: str) -> str:
    return fill(remark, 100, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
