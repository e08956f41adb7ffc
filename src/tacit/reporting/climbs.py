"""How a search went: its climbs, and the changes that it made, as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from tacit.learn.structure.searched import Search
from tacit.reporting.wording import finite

MOST_MOVES = 2_000
"""Changes that a report holds."""
MOST_CLIMBS = 500
"""Climbs that found a better dag, and are listed: the last of them."""
ROUNDING = 1e-9


def search_course(fit: Search) -> dict[str, Any]:
    """The numbers of a search; `climbs` that found a better dag; `moves`, the changes made.

    climb  {number, changes, best, gained}: how often the search had begun anew, how many changes it
           made, the best score after it, and by how much that was higher than before
    move   {step, climb, verb, tail, head, instead, gain, best}: `best` is the best score so far
    `vain` counts the restarts after the last climb that found a better dag; `moves` are all, or
    those that `chosen` keeps of more than 2,000.
    """
    climbs = _climbs(fit)
    better = [each for each in climbs if _is_better(each)]
    told = [_move(fit, at) for at in range(len(fit.moves))]
    return {
        "score": finite(fit.score),
        "method": str(fit.settings["method"]),
        "scored_by": str(fit.settings["score"]),
        "dag_prior": fit.settings.get("dag_prior"),
        "evaluations": fit.evaluations,
        "restarts": fit.found.restarts,
        "vain": vain(fit),
        "changes": len(fit.moves),
        "verbs": dict(sorted(Counter(move.verb for move in fit.moves).items())),
        "climbs": better[-MOST_CLIMBS:],
        "moves": chosen(told, better, MOST_MOVES),
    }


def vain(fit: Search) -> int | None:
    """Restarts since the last climb that found a better dag; None where nobody kept count."""
    if not _in_step(fit):
        return None
    better = [each["number"] for each in _climbs(fit) if _is_better(each)]
    return fit.found.restarts - max(better, default=0)


def chosen(
    moves: Sequence[Mapping[str, Any]], better: Sequence[Mapping[str, Any]], most: int
) -> list[Mapping[str, Any]]:
    """All changes, or of too many those of whole climbs: those that found a better dag before the
    others, late ones before early ones; of a climb that is too long by itself the last changes."""
    if len(moves) <= most:
        return list(moves)
    numbers = {each["number"] for each in better}
    climbs = [list(group) for _, group in groupby(moves, key=lambda move: move["climb"])]
    order = sorted(
        climbs, key=lambda climb: (climb[0]["climb"] in numbers, climb[0]["step"]), reverse=True
    )
    kept: list[Mapping[str, Any]] = order[0][-most:]
    for climb in order[1:]:
        if len(kept) + len(climb) > most:
            break
        kept += climb
    return sorted(kept, key=lambda move: int(move["step"]))


def _climbs(fit: Search) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    at = 0
    for number, group in groupby(fit.moves, key=lambda move: move.restart):
        many = len(list(group))
        before, after = (_best(fit, at), _best(fit, at + many))
        gained = None if before is None or after is None else after - before
        found.append({"number": number, "changes": many, "best": after, "gained": gained})
        at += many
    return found


def _is_better(climb: Mapping[str, Any]) -> bool:
    gained, best = climb["gained"], climb["best"]
    return gained is not None and gained > ROUNDING * max(1.0, abs(best))


def _move(fit: Search, at: int) -> dict[str, Any]:
    move = fit.moves[at]
    return {
        "step": at + 1,
        "climb": move.restart,
        "verb": move.verb,
        "tail": move.tail,
        "head": move.head,
        "instead": move.instead,
        "gain": finite(move.gain),
        "best": _best(fit, at + 1),
    }


def _best(fit: Search, step: int) -> float | None:
    return finite(fit.trace[step]) if _in_step(fit) else None


def _in_step(fit: Search) -> bool:
    """Whether the trace has the score at the start and after each change, and not each round."""
    rounds = "starts" in fit.settings
    return bool(fit.moves) and not rounds and len(fit.trace) == len(fit.moves) + 1
