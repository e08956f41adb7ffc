"""What was learned on the way to hidden variables, on disk: work is done once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit.core.errors import TacitError
from tacit.io.ownjson import network_from_plain, network_to_plain
from tacit.learn.diaries import Diary, Form, damaged
from tacit.learn.unseen.learning import Learned, Memory

FORM = Form("tacit-hidden-checkpoint", "checkpoint of a search for hidden variables",
            "search for hidden variables", "learned")  # fmt: skip


def opened(path: str | Path | None, task: Mapping[str, Any], resume: bool) -> Memory:
    """A memory, kept in a file if one is named; with what the file holds already on `resume`."""
    if path is None:
        return Memory()
    diary = Diary(Path(path), FORM, dict(task))
    kept = _Kept(diary)
    if resume and diary.path.exists():
        kept.plain = dict(FORM.resumed(diary.path, task))
    else:
        diary.write({})
    try:
        known = {key: _learned(plain) for key, plain in kept.plain.items()}
    except (TacitError, KeyError, TypeError, ValueError, AttributeError):
        raise damaged(path) from None
    return Memory(known, kept.keep)


@dataclass(slots=True, eq=False)
class _Kept:
    diary: Diary
    plain: dict[str, Any] = field(default_factory=dict)

    def keep(self, question: str, learned: Learned | None) -> None:
        """Remember an answer; write the file if it is time, whole or not at all."""
        self.plain[question] = None if learned is None else _plain(learned)
        if self.diary.due:
            self.diary.write(self.plain)


def _plain(learned: Learned) -> dict[str, Any]:
    return {"network": network_to_plain(learned.network), "score": learned.score}


def _learned(plain: Any) -> Learned | None:
    if plain is None:
        return None
    return Learned(network_from_plain(plain["network"]), float(plain["score"]))
