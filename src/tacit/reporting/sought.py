"""A dag that was searched for as a reader wants it: arc by arc, rule by rule, climb by climb."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tacit.core.errors import quoted
from tacit.reporting.blocks import Block, Bullets, Paragraph, Section, Sheet
from tacit.reporting.climbs import chosen
from tacit.reporting.ruled import one_line
from tacit.reporting.turning import CASES, KINDS, NOBODY, RULES
from tacit.reporting.wording import are, arrow, joined, shortened, some

MOST_ARCS = 200
"""Arcs that a text lists, those that the score gains most by first."""
MOST_MOVES = 60
"""Changes that a text lists; a page lists more of them."""
MOST_MOVES_SHOWN = 400
MOST_GUIDANCE = 100
"""Rules of which a page says what they did to the dag."""

WAYS = {CASES: "the cases", KINDS: "the kinds", RULES: "rules", NOBODY: "nobody"}
"""Who says which way an arc points."""

_SAID = {
    CASES: "{} the same way in every dag that implies the same independences",
    KINDS: "{} that way because no discrete variable may depend on a continuous one",
    RULES: "{} that way because of rules",
    NOBODY: "{} as well the other way: a dag with the same independences has it so",
}


def arcs(section: Section) -> Iterator[Block]:
    """What the numbers mean, every arc, links that are not there, what families add."""
    yield Paragraph(" ".join(meaning(section)))
    shown = section["arcs"][:MOST_ARCS]
    sure = section["replicates"] is not None
    heads = ("parent", "child", "gain", *(("link", "this way") if sure else ()), "way told by")
    yield Sheet(
        "Arcs, with what the score gains by each, in nats",
        (*heads, "rule"),
        tuple(_row(one, sure) for one in shown),
        labels=2,
        foot=_beyond(len(section["arcs"]) - len(shown), "arc"),
    )
    if section["absent"]:
        yield Sheet(
            ABSENT,
            ("parent", "child", "link", "this way"),
            tuple(_absent(one) for one in section["absent"]),
            labels=2,
        )


ABSENT = "Links of half of the bootstrap samples or more that the dag has not"


def meaning(section: Section) -> list[str]:
    """How to read the list of arcs, in sentences."""
    told = [
        "The gain of an arc is what the score would lose if this arc alone were left out; below "
        f"{section['little']:g} nats it rests on little."
    ]
    if section["replicates"] is not None:
        told.append(
            f"Link: the share of {some(section['replicates'], 'bootstrap sample')} whose dag joins "
            "the two; this way: of those, the share with the arc as it is here, a link that may "
            "turn counting half. Links are taken for real from a share of "
            f"{section['threshold']:.2f} on."
        )
    counts = section["directions"]
    parts = [f"{counts[who]:,} {said}" for who, said in _points(counts)]
    total = sum(counts.values())
    told.append(f"Of {some(total, 'arc')} {joined(parts, 4)}.")
    return told


def _points(counts: Section) -> Iterator[tuple[str, str]]:
    for who, said in _SAID.items():
        one = counts[who] == 1
        verb = ("points" if one else "point") if who != NOBODY else "could point"
        if counts[who]:
            yield who, said.format(verb)


def _row(one: Section, sure: bool) -> tuple[str, ...]:
    shares = (share(one["link"]), share(one["this_way"])) if sure else ()
    rule = shortened(one_line(one["required"]), 60) if one["required"] else ""
    ends = quoted(one["parent"]), quoted(one["child"])
    return (*ends, gain(one["gain"]), *shares, WAYS[one["direction"]], rule)


def _absent(one: Section) -> tuple[str, ...]:
    ends = quoted(one["parent"]), quoted(one["child"])
    return (*ends, share(one["link"]), share(one["this_way"]))


def gain(value: float | None) -> str:
    """Nats to two digits."""
    return "unknown" if value is None else f"{value:,.2f}"


def share(value: float | None) -> str:
    """A share to two digits."""
    return "" if value is None else f"{value:.2f}"


def _beyond(many: int, what: str) -> str:
    """`8 more arcs are left out here; the report saved as .json holds them all.`"""
    if not many:
        return ""
    return f"{some(many, f'more {what}')} {are(many)} left out here; .json holds more."


def guidance(section: Section) -> Iterator[Block]:
    """What each rule did, what the required arcs cost, what the forbidden ones would give."""
    yield Paragraph(" ".join(effect(section)))
    told = section["guidance"]
    more = len(told) - MOST_GUIDANCE
    items = [*told[:MOST_GUIDANCE], *([f"and {some(more, 'more rule')}"] if more > 0 else [])]
    yield Bullets("Rule by rule", tuple(map(one_line, items)))
    heads = ("parent", "child", "gain", "rule")
    for title, key in ((REQUIRED, "required"), (MISSED, "missed")):
        if section[key]:
            rows = tuple(_ruled(one) for one in section[key])
            yield Sheet(title, heads, rows, labels=2)


REQUIRED = "Required arcs, with what the score gains by each, in nats"
MISSED = "Forbidden arcs that the score would gain by, each on its own, in nats"


def _ruled(one: Section) -> tuple[str, ...]:
    rule = shortened(one_line(one["rule"] or ""), 80)
    return (quoted(one["parent"]), quoted(one["child"]), gain(one["gain"]), rule)


def effect(section: Section) -> list[str]:
    """What the rules did to the score, in sentences."""
    required, missed = section["required"], section["missed"]
    losing = [one for one in required if one["gain"] is not None and one["gain"] < 0]
    told = []
    if required:
        demand = f"Rules require {some(len(required), 'arc')} of the dag"
        cost = "none of them at a cost"
        if losing:
            one = losing[0]
            cost = (
                f"{len(losing):,} of them at a cost: without {arrow(one['parent'], one['child'])} "
                f"alone the score would be higher by {-one['gain']:,.2f} nats"
            )
        told.append(f"{demand}, {cost}.")
    if missed:
        one = missed[0]
        told.append(
            f"Rules forbid {some(len(missed), 'arc')} that the score would gain by, most by "
            f"{arrow(one['parent'], one['child'])}: {one['gain']:,.2f} nats."
        )
    else:
        told.append("No single arc that a rule forbids would raise the score.")
    return told


def course(section: Section) -> Iterator[Block]:
    """How the search went: the score, its climbs, its changes."""
    found = section["search"]
    yield Paragraph(" ".join([*summary(found), f"Stopped: {section['stop']}."]))
    if found["climbs"]:
        heads: tuple[str, ...] = ("climb", "changes", "score after it", "higher by")
        yield Sheet(CLIMBS, heads, tuple(map(climb_row, found["climbs"])))
    if found["moves"]:
        shown = shown_moves(found, MOST_MOVES)
        heads = ("step", "climb", "change", "gain", "best score")
        left = moves_left(found, len(shown))
        yield Sheet("Changes made", heads, tuple(map(move_row, shown)), labels=3, foot=left)


CLIMBS = "Climbs that found a better dag"


def summary(found: Section) -> list[str]:
    """The score and the work, in sentences."""
    score = "not finite" if found["score"] is None else f"{found['score']:,.3f} nats"
    families = some(found["evaluations"], "family", "families")
    told = [f"The score of the dag is {score}; {families} {_were(found['evaluations'])} scored."]
    if found["changes"]:
        verbs = [f"{many:,} × {verb}" for verb, many in found["verbs"].items()]
        told.append(
            f"The search made {some(found['changes'], 'change')} ({', '.join(verbs)}) and began "
            f"anew {some(found['restarts'], 'time')}."
        )
    if found["vain"]:
        told.append(f"The last {some(found['vain'], 'restart')} found nothing better.")
    return told


def _were(many: int) -> str:
    return "was" if many == 1 else "were"


def shown_moves(found: Section, most: int) -> list[Any]:
    """The changes that are laid out."""
    return chosen(found["moves"], found["climbs"], most)


def moves_left(found: Section, shown: int) -> str:
    """How many changes are not laid out, and where they are."""
    left = found["changes"] - shown
    if not left:
        return ""
    return (
        f"{some(left, 'more change')} {are(left)} left out here: climbs that found nothing better "
        "first, then early ones. fit.moves holds them all."
    )


def climb_row(climb: Section) -> tuple[str, ...]:
    """A climb as text; the first began at the start, every other after a restart."""
    number = "first" if climb["number"] == 0 else f"restart {climb['number']:,}"
    return (number, f"{climb['changes']:,}", f"{climb['best']:,.3f}", f"{climb['gained']:,.3f}")


def move_row(move: Section) -> tuple[str, ...]:
    """A change as text."""
    best = "" if move["best"] is None else f"{move['best']:,.3f}"
    change = f"{move['verb']} {arrow(move['tail'], move['head'])}"
    if move["instead"] is not None:
        change += f" instead of {quoted(move['instead'])}"
    gained = "" if move["gain"] is None else f"{move['gain']:+,.3f}"
    return (f"{move['step']:,}", f"{move['climb']:,}", change, gained, best)


def arcs_view(section: Section) -> dict[str, Any]:
    """The list of arcs as the page lays it out."""
    return {
        "said": meaning(section),
        "sure": section["replicates"] is not None,
        "ways": WAYS,
        "absent_title": ABSENT,
        "weak": sum(
            one["gain"] is not None and one["gain"] < section["little"] for one in section["arcs"]
        ),
        "any_rule": any(one["required"] for one in section["arcs"]),
    }


def guidance_view(section: Section) -> dict[str, Any]:
    """What the rules did as the page lays it out."""
    return {
        "said": effect(section),
        "more": max(0, len(section["guidance"]) - MOST_GUIDANCE),
        "most": MOST_GUIDANCE,
        "sheets": [
            (title, section[key])
            for title, key in ((REQUIRED, "required"), (MISSED, "missed"))
            if section[key]
        ],
    }


def course_view(section: Section) -> dict[str, Any]:
    """How the search went as the page lays it out."""
    found = section["search"]
    shown = shown_moves(found, MOST_MOVES_SHOWN)
    return {
        "said": summary(found),
        "climbs_title": CLIMBS,
        "climbs": [climb_row(one) for one in found["climbs"]],
        "moves": [move_row(one) for one in shown],
        "left": moves_left(found, len(shown)),
    }
