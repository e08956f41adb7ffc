"""Structural EM on disk: enough of its runs to go on as if nothing had happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit.core.errors import TacitError
from tacit.io.ownjson import network_from_plain, network_to_plain
from tacit.learn.annealing.driver import Round as Heated
from tacit.learn.diaries import Diary, Form, damaged
from tacit.learn.fits import Stop
from tacit.learn.structure.moves import Move
from tacit.learn.structure.sem_rounds import Hypothesis
from tacit.learn.structure.sem_running import Round, Rounds
from tacit.learn.structure.state import VERBS

FORM = Form("tacit-structural-em-checkpoint", "checkpoint of structural EM", "search", "runs")


@dataclass(slots=True, eq=False)
class KeptRounds:
    """The file, and the runs it holds."""

    diary: Diary
    runs: dict[int, Rounds] = field(default_factory=dict)

    @staticmethod
    def open(path: str | Path, task: Mapping[str, Any], resume: bool) -> KeptRounds:
        """A fresh file, or with `resume` the one on disk, if it is of the same job.

        A fresh one is written at once: a file that cannot be written is an error before the work.
        """
        diary = Diary(Path(path), FORM, dict(task))
        if not resume or not diary.path.exists():
            fresh = KeptRounds(diary)
            fresh.write()
            return fresh
        found = FORM.resumed(diary.path, task)
        try:
            runs = {int(number): _rounds(each) for number, each in found.items()}
        except (TacitError, KeyError, TypeError, ValueError, AttributeError):
            raise damaged(path) from None
        return KeptRounds(diary, runs)

    def keep(self, number: int, rounds: Rounds, now: bool) -> None:
        """Remember a run; write the file if it is time, whole or not at all."""
        self.runs[number] = rounds
        if now or self.diary.due:
            self.write()

    def write(self) -> None:
        """Put everything on disk, whole or not at all."""
        runs = {str(number): _plain(each) for number, each in sorted(self.runs.items())}
        self.diary.write(runs)


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
    weak = {"weak": list(here.weak)} if here.weak else {}
    network = network_to_plain(here.network)
    return {"network": network, "settled": here.settled, **numbers, **weak}


def _rounds(plain: Mapping[str, Any]) -> Rounds:
    trace = tuple(
        Round(
            float(each["before"]),
            float(each["after"]),
            float(each["objective"]),
            float(each["log_likelihood"]),
            tuple(_move(*move) for move in each["moves"]),
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


def _move(verb: str, tail: str, head: str, gain: float, instead: str | None, restart: int) -> Move:
    names = (tail, head) if instead is None else (tail, head, instead)
    if verb not in VERBS or not all(isinstance(name, str) for name in names) or restart < 0:
        raise ValueError("no change of a dag")
    return Move(verb, tail, head, float(gain), instead, int(restart))


def _hypothesis(plain: Mapping[str, Any]) -> Hypothesis:
    return Hypothesis(
        network_from_plain(plain["network"]),
        float(plain["log_likelihood"]),
        float(plain["objective"]),
        bool(plain["settled"]),
        tuple(map(str, plain.get("weak", ()))),
    )
