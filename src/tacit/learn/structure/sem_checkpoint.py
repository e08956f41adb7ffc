"""Structural EM on disk: enough of its runs to go on as if nothing had happened."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit.core.errors import FormatError, TacitError
from tacit.io.files import read_text, write_whole
from tacit.io.ownjson import network_from_plain, network_to_plain
from tacit.learn.annealing.driver import Round as Heated
from tacit.learn.checkpoints import EVERY, check_same_task
from tacit.learn.fits import Stop
from tacit.learn.structure.moves import Move
from tacit.learn.structure.sem_rounds import Hypothesis
from tacit.learn.structure.sem_running import Round, Rounds

FORMAT = "tacit-structural-em-checkpoint"
VERSION = 1


@dataclass(slots=True, eq=False)
class KeptRounds:
    """The file, what it must agree with, and the runs it holds.

    task   plain data that names the problem: cases, score, method, seed
    every  seconds between two writings
    """

    path: Path
    task: Mapping[str, Any]
    runs: dict[int, Rounds] = field(default_factory=dict)
    every: float = field(default_factory=lambda: EVERY)
    _written: float = field(default_factory=time.monotonic)

    @staticmethod
    def open(path: str | Path, task: Mapping[str, Any], resume: bool) -> KeptRounds:
        """A fresh file, or with `resume` the one on disk, if it is of the same job.

        A fresh one is written at once: a file that cannot be written is an error before the work.
        """
        here = Path(path)
        if not resume or not here.exists():
            fresh = KeptRounds(here, dict(task))
            fresh.write()
            return fresh
        plain = _opened(here)
        check_same_task(here, plain["task"], task, "search")
        try:
            runs = {int(number): _rounds(each) for number, each in plain["runs"].items()}
        except (TacitError, KeyError, TypeError, ValueError, AttributeError):
            raise FormatError(f"{path}: the checkpoint is damaged; start without it") from None
        return KeptRounds(here, dict(task), runs)

    def keep(self, number: int, rounds: Rounds, now: bool) -> None:
        """Remember a run; write the file if it is time, whole or not at all."""
        self.runs[number] = rounds
        if now or time.monotonic() - self._written >= self.every:
            self.write()

    def write(self) -> None:
        """Put everything on disk, whole or not at all."""
        runs = {str(number): _plain(each) for number, each in sorted(self.runs.items())}
        plain = {"format": FORMAT, "version": VERSION, "task": dict(self.task), "runs": runs}
        write_whole(self.path, json.dumps(plain))
        self._written = time.monotonic()


def kept_rounds_seed(path: str | Path) -> int | None:
    """The seed of the job that a checkpoint keeps, if there is one."""
    if not Path(path).exists():
        return None
    task = _opened(Path(path))["task"]
    seed = task.get("seed") if isinstance(task, dict) else None
    return seed if type(seed) is int and seed >= 0 else None


def _opened(path: Path) -> dict[str, Any]:
    try:
        plain = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError):
        plain = None
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise FormatError(
            f"{path}: this is no checkpoint of structural EM, or it was cut short; start without it"
        )
    if plain.get("version") != VERSION:
        raise FormatError(
            f"{path}: version {plain.get('version')!r} of checkpoints is not known here; "
            f"this release reads version {VERSION}"
        )
    if not isinstance(plain.get("task"), dict) or not isinstance(plain.get("runs"), dict):
        raise FormatError(f"{path}: the checkpoint is damaged; start without it")
    return plain


def _plain(rounds: Rounds) -> dict[str, Any]:
    return {
        "best": _plain_hypothesis(rounds.best),
        "last": _plain_hypothesis(rounds.last),
        "begin": rounds.begin,
        "trace": [_plain_round(each) for each in rounds.trace],
        "stop": None if rounds.stop is None else rounds.stop.name,
        "evaluations": rounds.evaluations,
        "drawn": rounds.drawn,
        "heated": [[h.temperature, h.effective, h.objective, h.settled] for h in rounds.heated],
    }


def _plain_round(here: Round) -> dict[str, Any]:
    return {
        "before": here.before,
        "after": here.after,
        "objective": here.objective,
        "log_likelihood": here.log_likelihood,
        "moves": [[m.verb, m.tail, m.head, m.gain, m.instead, m.restart] for m in here.moves],
        "dropped": list(here.dropped),
    }


def _plain_hypothesis(here: Hypothesis) -> dict[str, Any]:
    numbers = {"log_likelihood": here.log_likelihood, "objective": here.objective}
    return {"network": network_to_plain(here.network), "settled": here.settled, **numbers}


def _rounds(plain: Mapping[str, Any]) -> Rounds:
    trace = tuple(
        Round(
            float(each["before"]),
            float(each["after"]),
            float(each["objective"]),
            float(each["log_likelihood"]),
            tuple(Move(*move) for move in each["moves"]),
            tuple(map(str, each["dropped"])),
        )
        for each in plain["trace"]
    )
    return Rounds(
        _hypothesis(plain["best"]),
        _hypothesis(plain["last"]),
        float(plain["begin"]),
        trace,
        None if plain["stop"] is None else Stop[plain["stop"]],
        int(plain["evaluations"]),
        int(plain["drawn"]),
        tuple(
            Heated(float(heat), float(share), float(objective), bool(settled))
            for heat, share, objective, settled in plain["heated"]
        ),
    )


def _hypothesis(plain: Mapping[str, Any]) -> Hypothesis:
    return Hypothesis(
        network_from_plain(plain["network"]),
        float(plain["log_likelihood"]),
        float(plain["objective"]),
        bool(plain["settled"]),
    )
