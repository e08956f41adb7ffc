"""A walk over dags on disk: enough to go on as if nothing had happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.core.errors import OptionError
from tacit.learn.diaries import Diary, Form, damaged
from tacit.learn.structure.climbing import Walk, begun
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.state import VERBS, Change, Parents

FORM = Form("tacit-search-checkpoint", "checkpoint of a search", "search", "walk", empty=True)
SAME = 1e-6
"""Scores that differ by less, as a share, are the same score computed in another order."""


@dataclass(slots=True, eq=False)
class KeptWalk:
    """The file, and the walk it held when it was opened; None: nothing to go on from."""

    diary: Diary
    found: Mapping[str, Any] | None = None

    @staticmethod
    def open(path: str | Path, task: Mapping[str, Any], resume: bool) -> KeptWalk:
        """A fresh file, or with `resume` the one on disk, if it is of the same search.

        A fresh one is written at once: a file that cannot be written is an error before the work.
        """
        diary = Diary(Path(path), FORM, dict(task))
        if resume and diary.path.exists():
            return KeptWalk(diary, FORM.resumed(diary.path, task))
        diary.write(None)
        return KeptWalk(diary)

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
            raise damaged(self.diary.path) from None
        return walk

    def keep(
        self, walk: Walk, rng: np.random.Generator, evaluations: int, now: bool = False
    ) -> None:
        """Write the walk if it is time, whole or not at all."""
        if now or self.diary.due:
            plain = _plain(walk)
            plain.update(random=rng.bit_generator.state, evaluations=evaluations)
            self.diary.write(plain)


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
        "scored": [] if walk.state is None else [list(each) for each in walk.state.scored()],
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
        [_scored(each, n) for each in plain["scored"]],
    )


def _scored(plain: Sequence[Any], n: int) -> tuple[int, int, int]:
    tail, head, instead = (int(each) for each in plain)
    if not (0 <= tail < n and 0 <= head < n and tail != head and -1 <= instead < n):
        raise ValueError("no change of a dag over these variables")
    return tail, head, instead


def _change(plain: Sequence[Any], n: int) -> tuple[Change, int]:
    verb, tail, head, gain, instead, restart = plain
    if not (verb >= 0 and 0 <= tail < n and 0 <= head < n and -1 <= instead < n and restart >= 0):
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
    if min(walk.since, walk.failed, walk.restarts) < 0:
        raise ValueError("no number of steps or restarts")


def refuse_checkpoint(method: str) -> OptionError:
    """The error about a checkpoint that a method does not write."""
    return OptionError(
        f"{method} keeps no checkpoint: leave checkpoint= out\n\ntc.HillClimb() and tc.Tabu() do"
    )
