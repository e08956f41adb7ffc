"""Proposed hidden variables as blocks of text and as the page lays them out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tacit.core.errors import quoted
from tacit.reporting import inferred
from tacit.reporting.blocks import Block, Paragraph, Section, Sheet
from tacit.reporting.pictures import Sketch
from tacit.reporting.unseen_views import unseen_view
from tacit.reporting.wording import joined, percent, some

MOST_LINES = 60
"""Lines of the log that a text shows; a page shows more of them, folded."""
MOST_SHOWN = 200
WIDTH, HEIGHT = 200.0, 90.0

HEADS = ("variable", "parents", "children", "states", "gain (nats)", "held out (nats a case)", "")
LOG = ("round", "placed above", "parents", "states", "gain (nats)", "ended with", "verdict")
LOG_TITLE = "Everything that was tried"


def blocks(section: Section) -> Iterator[Block]:
    """What was proposed, one by one, and what was tried."""
    yield Paragraph(meaning(section))
    if section["proposals"]:
        yield Sheet("Proposals", HEADS, tuple(map(row, section["proposals"])), labels=3)
    for one in section["proposals"]:
        yield Paragraph(" ".join([f"{heading(one)}.", *sentences(one)]))
        if not one["accepted"] and any("given" in near for near in one["variable"]["neighbours"]):
            yield inferred.states(one["variable"])
    if section["candidates"]:
        shown = section["candidates"][:MOST_LINES]
        yield Sheet(LOG_TITLE, LOG, tuple(map(log_row, shown)), 2, left_out(section, len(shown)))


def meaning(section: Section) -> str:
    """What gains are gains over, and how proposals were judged."""
    priced = section.get("priced")
    score = "an estimate of the log marginal likelihood"
    if priced:
        score = f"the log-likelihood less the price of the parameters ({priced})"
    told = (
        f"Learned from {some(section['learned_from'], 'case')}. A gain is what the score, {score}, "
        "lies above that of the best network without the variable"
    )
    if section["evidence"] is not None:
        told += f"; {section['evidence']:g} nats are needed to be accepted"
    if section["held_out"]:
        told += (
            f". {some(section['held_out'], 'other case')} {_judge(section['held_out'])}: the "
            "held-out gain says how much more probable each of them is on average"
        )
    return f"{told}."


def _judge(cases: int) -> str:
    return "was held out to judge by" if cases == 1 else "were held out to judge by"


def row(one: Section) -> tuple[str, ...]:
    """A proposal as a line."""
    return (
        quoted(one["name"]),
        ", ".join(map(quoted, one["parents"])) or "none",
        ", ".join(map(quoted, one["children"])),
        str(len(one["states"]) or "continuous"),
        signed(one["gain"]),
        held(one),
        "accepted" if one["accepted"] else "not accepted",
    )


def held(one: Section) -> str:
    """The held-out gain with its error."""
    if one["held_out_gain"] is None:
        return ""
    error = "" if one["held_out_error"] is None else f" ± {one['held_out_error']:.4f}"
    return f"{one['held_out_gain']:+.4f}{error}"


def signed(value: float | None, digits: int = 1) -> str:
    """Nats with their sign."""
    return "" if value is None else f"{value:+,.{digits}f}"


def heading(one: Section) -> str:
    """The name and what became of it."""
    return f"{quoted(one['name'])}: {one['why']}"


def sentences(one: Section) -> list[str]:
    """What is known of a proposal, in words."""
    around = joined(map(quoted, one["around"]), 8)
    told = [f"It was suggested by {one['source']} around {around}."]
    if len(one["curve"]) > 1:
        tried = ", ".join(f"{k}: {signed(gain)}" for k, gain in one["curve"])
        told.append(f"Gain by number of states: {tried}.")
    if (merging := one["merging"]) is not None:
        most = dict(map(tuple, merging["curve"])).get(merging["states"])
        told.append(
            f"Merging {some(merging['first'], 'configuration')} of its neighbours ends best at "
            f"{some(merging['states'], 'state')}, {signed(most)} nats above one."
        )
    if one["stability"] is not None:
        told.append(steadiness(one["stability"]))
    return told


def steadiness(found: Section) -> str:
    """What starts at random came to, in a sentence."""
    starts, low = found["below"], min(found["agree"])
    told = f"{found['reached']} of {some(len(starts), 'start')} of EM at random came as high"
    if found["reached"] < len(starts):
        told += f", the others ended up to {max(starts):,.1f} nats lower"
    told += f"; at least {percent(low)} of the cases are in the same state whatever the start"
    if found["merged"]:
        told += f". Merged states alone came {found['merged']:,.1f} nats lower than the best start"
    return f"{told}."


def log_row(one: Section) -> tuple[str, ...]:
    """A candidate as a line."""
    return (
        str(one["round"]),
        ", ".join(map(quoted, one["children"])),
        "moved" if one["moved"] else "kept",
        "" if one["states"] is None else str(one["states"]),
        signed(one["gain"]),
        ", ".join(map(quoted, one["ended_with"])),
        one["verdict"],
    )


def left_out(section: Section, shown: int) -> str:
    """How many lines are not laid out."""
    left = len(section["candidates"]) + section["more"] - shown
    return (
        f"{some(left, 'more candidate')} left out here; fit.candidates holds them all."
        if left
        else ""
    )


# --- the page ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure by number of states: dots joined by a line, the chosen one filled.

    zero  how far down the line of no gain lies; None where it is outside
    """

    title: str
    points: str
    dots: tuple[tuple[float, float, str, bool], ...]
    zero: float | None
    low: str
    high: str
    first: str
    last: str
    label: str


def view(known: Mapping[str, Section]) -> dict[str, Any]:
    """Everything the page needs beside the facts."""
    section = known["proposals"]
    names = [one["name"] for one in known.get("network", {}).get("variables", ())]
    place = {name: at for at, name in enumerate(names)}
    shown = section["candidates"][:MOST_SHOWN]
    return {
        "meaning": meaning(section),
        "heads": HEADS,
        "rows": list(map(row, section["proposals"])),
        "views": [_view(one, place) for one in section["proposals"]],
        "place": place,
        "log": list(map(log_row, shown)),
        "log_heads": LOG,
        "log_title": LOG_TITLE,
        "log_left": left_out(section, len(shown)),
        "anywhere": "hidden" in known,
    }


def _view(one: Section, place: Mapping[str, int]) -> dict[str, Any]:
    sketch = Sketch.of(one["network"])
    around = replace(sketch, place={name: place.get(name, -1) for name in sketch.variables})
    chosen = len(one["states"])
    curves = [curve("gain over no such variable (nats)", one["curve"], chosen)]
    if one["merging"] is not None:
        merging = one["merging"]
        title = "merged states above one (nats)"
        curves.append(curve(title, merging["curve"], merging["states"]))
    return {
        **one,
        "heading": heading(one),
        "told": sentences(one),
        "unseen": unseen_view(one["variable"], around),
        "curves": [each for each in curves if each is not None],
    }


def curve(title: str, points: Sequence[Sequence[float | None]], chosen: int) -> Curve | None:
    """A figure by number of states; None with fewer than two of them."""
    known = [(int(k or 0), value) for k, value in points if value is not None]
    if len(known) < 2:
        return None
    low, high = min(v for _, v in known), max(v for _, v in known)
    first, last = known[0][0], known[-1][0]
    up, across = (high - low) or 1.0, (last - first) or 1
    at = [
        (round(WIDTH * (k - first) / across, 1), round(HEIGHT * (1 - (v - low) / up), 1))
        for k, v in known
    ]
    best = max(known, key=lambda each: each[1])
    dots = tuple(
        (x, y, f"{some(k, 'state')}: {signed(v)} nats", k == chosen)
        for (x, y), (k, v) in zip(at, known, strict=True)
    )
    return Curve(
        title,
        " ".join(f"{x},{y}" for x, y in at),
        dots,
        round(HEIGHT * (1 - (0.0 - low) / up), 1) if low < 0 < high else None,
        signed(low),
        signed(high),
        some(first, "state"),
        str(last),
        f"{title} by number of states, highest at {best[0]}: {signed(best[1])}",
    )
