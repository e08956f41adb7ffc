"""Sources as a fit keeps them: enough to name them again, and never their cases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.engines.statistics import Statistics
from tacit.learn.sources import Source


def plain_sources(sources: Sequence[Source]) -> dict[str, dict[str, Any]]:
    """By name: `data`, a file or words for what it was, and what else was said of each source."""
    return {source.name: _told(source) for source in sources}


def _told(source: Source) -> dict[str, Any]:
    said: dict[str, Any] = {"data": _data(source.data)}
    if source.structure is not None:
        said["structure"] = _structure(source.structure)
    if source.strength is not None:
        said["strength"] = float(source.strength)
    if source.related != Source(source.data).related:
        said["related"] = float(source.related)
    return said


def _data(data: Any) -> str:
    match data:
        case str() | Path():
            return str(data)
        case Network():
            return "a network"
        case Statistics():
            return "statistics"
        case Dataset() if data.source:
            return data.source
    return f"a {type(data).__name__}"


def _structure(structure: Dag | Network | str | Path) -> str:
    if isinstance(structure, Network):
        return str(structure.dag)
    return str(structure)
