"""What was learned on the way to hidden variables, on disk: work is done once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit.core.dataset import Dataset
from tacit.core.errors import TacitError
from tacit.io.ownjson import network_from_plain, network_to_plain
from tacit.learn.diaries import Diary, Form, damaged
from tacit.learn.kinds import number
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.structure.saved_search import confidence_from_plain, confidence_to_plain
from tacit.learn.unseen.learning import Learned, Memory

FORM = Form("tacit-hidden-checkpoint", "checkpoint of a search for hidden variables",
            "search for hidden variables", "learned")  # fmt: skip

LINKS = "links in samples"
"""The key of how sure links are, among those of what was learned."""


def opened(
    path: str | Path | None, task: Mapping[str, Any], cases: Dataset, resume: bool
) -> tuple[Memory, Callable[[], None]]:
    """A memory, kept in a file if one is named, and what writes the last of it.

    On `resume` it knows what the file holds already.
    """
    if path is None:
        return Memory(), lambda: None
    diary = Diary(Path(path), FORM, dict(task))
    kept = _Kept(diary)
    if resume and diary.path.exists():
        kept.plain = dict(FORM.resumed(diary.path, task))
    else:
        diary.write({})
    try:
        sure = kept.plain.get(LINKS)
        links = None if sure is None else confidence_from_plain(sure, frozenset(cases.names))
        known = {key: _learned(plain, cases) for key, plain in kept.plain.items() if key != LINKS}
    except (TacitError, KeyError, TypeError, ValueError, AttributeError):
        raise damaged(path) from None
    return Memory(known, kept.keep, links, kept.keep_links), kept.close


@dataclass(slots=True, eq=False)
class _Kept:
    diary: Diary
    plain: dict[str, Any] = field(default_factory=dict)
    fresh: bool = False

    def keep(self, question: str, learned: Learned | None) -> None:
        """Remember an answer; write the file if it is time, whole or not at all."""
        self.plain[question] = None if learned is None else _plain(learned)
        self.fresh = True
        if self.diary.due:
            self.close()

    def keep_links(self, sure: ArcConfidence) -> None:
        """Remember how sure links are."""
        self.plain[LINKS] = confidence_to_plain(sure)
        self.close(fresh=True)

    def close(self, fresh: bool = False) -> None:
        """Write what is not yet written."""
        if self.fresh or fresh:
            self.diary.write(self.plain)
            self.fresh = False


def _plain(learned: Learned) -> dict[str, Any]:
    return {"network": network_to_plain(learned.network), "score": learned.score}


def _learned(plain: Any, cases: Dataset) -> Learned | None:
    """An answer; an error if it cannot be one about these cases."""
    if plain is None:
        return None
    network = network_from_plain(plain["network"])
    measured = {name: network.variables[name] for name in cases.names}
    if measured != dict(cases.variables):
        raise ValueError(network)
    return Learned(network, number(plain["score"]))
