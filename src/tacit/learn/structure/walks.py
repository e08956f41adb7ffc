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
SAME = 1e-6
"""Scores that differ by less, as a share, are the same score computed in another order."""


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
            _check(walk, ledger)
            rng.bit_generator.state = self.found["random"]
            ledger.evaluations += int(self.found["evaluations"])
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
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
        "chosen_at": None if walk.chosen_at is None else [list(who) for who in walk.chosen_at],
    }


def _walk(plain: Mapping[str, Any], n: int) -> Walk:
    changes = [_change(each, n) for each in plain["changes"]]
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
        None if plain["chosen_at"] is None else _parents(plain["chosen_at"], n),
    )


def _change(plain: Sequence[Any], n: int) -> tuple[Change, int]:
    verb, tail, head, gain, instead, restart = plain
    if not (verb >= 0 and 0 <= tail < n and 0 <= head < n and -1 <= instead < n):
        raise ValueError("no change of a dag over these variables")
    return Change(VERBS[verb], int(tail), int(head), float(gain), int(instead)), int(restart)


def _parents(plain: Sequence[Sequence[int]], n: int) -> Parents:
    """Parents by number, checked to be a dag: variables without parents can be taken away."""
    parents = tuple(tuple(sorted(int(at) for at in who)) for who in plain)
    if len(parents) != n or any(not 0 <= at < n for who in parents for at in who):
        raise ValueError("no dag over these variables")
    left = dict(enumerate(map(set, parents)))
    while left:
        free = [child for child, who in left.items() if not who & left.keys()]
        if not free:
            raise ValueError("a cycle")
        for child in free:
            del left[child]
    return parents


def _check(walk: Walk, ledger: Ledger) -> None:
    """Nothing, or an error: the best dag is allowed and has the score that is told."""
    limits = ledger.limits
    for dag in (walk.now, walk.best):
        for child, who in enumerate(dag):
            forced = np.flatnonzero(limits.required[:, child]).tolist()
            if not limits.allowed[list(who), child].all() or not set(forced) <= set(who):
                raise ValueError("a dag that the rules do not allow")
    if not np.isclose(ledger.total(walk.best), walk.highest, rtol=SAME, atol=SAME):
        raise ValueError("another score")
    if any(not 0 <= mark < 2**64 for mark in walk.visited):
        raise ValueError("no mark of a dag")


def refuse_checkpoint(method: str) -> OptionError:
    """The error about a checkpoint that a method does not write."""
    return OptionError(
        f"{method} keeps no checkpoint: leave checkpoint= out\n\ntc.HillClimb() and tc.Tabu() do"
    )
