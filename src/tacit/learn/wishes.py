"""Further options of a fit whose missing cells are inferred."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tacit.core.network import Network
from tacit.knowledge.knowledge import Knowledge


@dataclass(frozen=True, slots=True)
class Wishes:
    """Further options of a fit with missing cells."""

    tied: tuple[tuple[str, ...], ...] = ()
    start: Network | None = None
    threads: int | None = None
    checkpoint: str | Path | None = None
    resume: bool = False
    knowledge: Knowledge | None = None
