"""A walk over dags on disk: enough to go on as if nothing had happened."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tacit.core.errors import FormatError, OptionError, TacitError
from tacit.io.files import read_text, write_whole
from tacit.learn.checkpoints import EVERY, check_same_task
from tacit.learn.structure.climbing import Walk, begun
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.state import VERBS, Change, Parents

FORMAT = "tacit-search-checkpoint"
VERSION = 1


@dataclass(slots=True, eq=False)
class KeptWalk:
    """The file, what it must agree with, and the walk it held when it was opened.

    task   plain data that names the problem: cases, score, method, seed
    found  what the file held; None: nothing to go on from
    every  seconds between two writings
    """

    path: Path
    task: Mapping[str, Any]
    found: Mapping[str, Any] | None = None
    every: float = field(default_factory=lambda: EVERY)
    _written: float = field(default_factory=time.monotonic)

    @staticmethod
    def open(path: str | Path, task: Mapping[str, Any], resume: bool) -> KeptWalk:
        """A fresh file, or with `resume` the one on disk, if it is of the same search.

        A fresh one is written at once: a file that cannot be written is an error before the work.
        """
        here = Path(path)
        if not resume or not here.exists():
            fresh = KeptWalk(here, dict(task))
            fresh._write(None)
            return fresh
        plain = _opened(here)
        check_same_task(here, plain["task"], task, "search")
        return KeptWalk(here, dict(task), plain["walk"])

    def begin(self, ledger: Ledger, start: Parents, rng: np.random.Generator) -> Walk:
        """The walk that was kept, or one that has not made a step; `rng` is set to where it was."""
        if self.found is None:
            return begun(ledger, start)
        try:
            walk = _walk(self.found, ledger.n)
            rng.bit_generator.state = self.found["random"]
            ledger.evaluations += int(self.found["evaluations"])
        except (KeyError, TypeError, ValueError, AttributeError):
            raise _damaged(self.path) from None
        return walk

    def keep(
        self, walk: Walk, rng: np.random.Generator, evaluations: int, now: bool = False
    ) -> None:
        """Write the walk if it is time, whole or not at all."""
        if now or time.monotonic() - self._written >= self.every:
            plain = _plain(walk)
            plain.update(random=rng.bit_generator.state, evaluations=evaluations)
            self._write(plain)

    def _write(self, walk: Mapping[str, Any] | None) -> None:
        plain = {"format": FORMAT, "version": VERSION, "task": dict(self.task), "walk": walk}
        write_whole(self.path, json.dumps(plain))
        self._written = time.monotonic()


def kept_search_seed(path: str | Path) -> int | None:
    """The seed of the search that a checkpoint keeps, if there is one."""
    if not Path(path).exists():
        return None
    seed = _opened(Path(path))["task"].get("seed")
    return seed if type(seed) is int and seed >= 0 else None


def _opened(path: Path) -> dict[str, Any]:
    try:
        plain = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError):
        plain = None
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise FormatError(
            f"{path}: this is no checkpoint of a search, or it was cut short; start without it"
        )
    if plain.get("version") != VERSION:
        raise FormatError(
            f"{path}: version {plain.get('version')!r} of checkpoints is not known here; "
            f"this release reads version {VERSION}"
        )
    if not isinstance(plain.get("task"), dict) or not isinstance(plain.get("walk"), dict | None):
        raise _damaged(path)
    return plain


def _damaged(path: Path) -> TacitError:
    return FormatError(f"{path}: the checkpoint is damaged; start without it")


def _plain(walk: Walk) -> dict[str, Any]:
    changes = [
        [VERBS.index(each.verb), each.tail, each.head, each.gain, each.instead, restart]
        for each, restart in walk.changes
    ]
    return {
        "now": [list(who) for who in walk.now],
        "best": [list(who) for who in walk.best],
        "highest": walk.highest,
        "visited": list(walk.visited),
        "since": walk.since,
        "bettered": walk.bettered,
        "failed": walk.failed,
        "restarts": walk.restarts,
        "changes": changes,
        "trace": list(walk.trace),
    }


def _walk(plain: Mapping[str, Any], n: int) -> Walk:
    changes = [
        (Change(VERBS[verb], int(tail), int(head), float(gain), int(instead)), int(restart))
        for verb, tail, head, gain, instead, restart in plain["changes"]
    ]
    return Walk(
        _parents(plain["now"], n),
        _parents(plain["best"], n),
        float(plain["highest"]),
        [int(mark) for mark in plain["visited"]],
        int(plain["since"]),
        bool(plain["bettered"]),
        int(plain["failed"]),
        int(plain["restarts"]),
        changes,
        [float(score) for score in plain["trace"]],
    )


def _parents(plain: Sequence[Sequence[int]], n: int) -> Parents:
    parents = tuple(tuple(sorted(int(at) for at in who)) for who in plain)
    if len(parents) != n or any(not 0 <= at < n for who in parents for at in who):
        raise ValueError("no dag over these variables")
    return parents


def refuse_checkpoint(method: str) -> OptionError:
    """The error about a checkpoint that a method does not write."""
    return OptionError(
        f"{method} keeps no checkpoint: leave checkpoint= out\n\ntc.HillClimb() and tc.Tabu() do"
    )
