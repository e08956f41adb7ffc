"""Rules as a reader wants them: in sentences, by verdict, and as blocks of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tacit.reporting.blocks import Block, Bullets, Paragraph, Section
from tacit.reporting.doubted import DOUBTED, mixture
from tacit.reporting.odds import chance, figure, nats_lost, ratio
from tacit.reporting.wording import are, joined, percent, shortened, some

MOST_RULES = 200
"""Rules that a page shows, the resisted and the binding ones first; JSON holds them all."""
TITLES = {
    "resisted": "Resisted by the data",
    "overruled": "Overruled by the data",
    "binding": "Binding",
    "believed": "Believed, not certain",
    "free": "Free",
}


def rules(section: Section) -> Iterator[Block]:
    """What holds of all, then every rule by verdict."""
    yield Paragraph(" ".join(summary(section)))
    yield Paragraph(meaning(section))
    for each, shown in by_verdict(section):
        title = f"{TITLES[each]}, {of_all(shown, section['counts'][each])}"
        yield Bullets(title, tuple(map(_item, shown)))
    if left := left_out(section):
        yield Paragraph(left)


def _item(one: Section) -> str:
    said = [
        f"{one_line(one['text'])} ({', '.join(origin(one))})",
        standing(one),
        *effect(one),
        verdict(one),
    ]
    return f"{'; '.join(said)}. {solved(one)}."


def one_line(text: str) -> str:
    """A statement without the line breaks and indents it was written with."""
    return " ".join(text.split())


def by_verdict(section: Section) -> list[tuple[str, list[Section]]]:
    """The rules that are shown, under each verdict that some of them have."""
    shown = section["rules"][:MOST_RULES]
    groups = ((each, [one for one in shown if one["verdict"] == each]) for each in TITLES)
    return [(each, found) for each, found in groups if found]


def of_all(shown: list[Section], count: int) -> str:
    """`3 rules`, or `the first 200 of 5,000 rules`."""
    if len(shown) == count:
        return some(count, "rule")
    return f"the first {len(shown):,} of {some(count, 'rule')}"


def left_out(section: Section) -> str:
    """A sentence about the rules that are not shown; nothing where all are."""
    more = len(section["rules"]) - MOST_RULES
    if more <= 0:
        return ""
    hidden = section["rules"][MOST_RULES:]
    kinds = [(each, sum(one["verdict"] == each for one in hidden)) for each in TITLES]
    told = ", ".join(f"{count:,} {each}" for each, count in kinds if count)
    return (
        f"{some(more, 'more rule')} {are(more)} left out here ({told}); "
        "the report saved as .json holds them all."
    )


def summary(section: Section) -> list[str]:
    """How many rules there are, how many bind, which the data resist, what all of them cost."""
    counts, number = section["counts"], len(section["rules"])
    bind = counts["resisted"] + counts["binding"]
    if doubted := counts["overruled"] + counts["believed"]:
        told = mixture(number, doubted, counts["overruled"])
    elif number == 1:
        told = "There is 1 rule; the estimate keeps it by itself."
        told = "There is 1 rule, and it binds." if bind else told
    elif bind == number:
        told = f"There are {some(number, 'rule')}, and all of them bind."
    elif bind:
        told = f"There are {some(number, 'rule')}; {bind:,} of them {_binds(bind)}."
    else:
        told = f"There are {some(number, 'rule')}; the estimate keeps them all by itself."
    return [told, *_resisted(section), *_cost(section, bind), *_proven(section)]


def _proven(section: Section) -> Iterator[str]:
    proof = section["proof"]
    if proof is not None and proof["blocks"]:
        yield (
            "It is proven that no tables which keep the rules have an objective higher by more "
            f"than {max(proof['gap'], 1e-12):.0e} nats."
        )
    if proof is not None and proof["local"]:
        parts = some(proof["local"], "group of rows", "groups of rows")
        yield (
            f"Rules that are not linear tie {parts} together: the estimate there is the best local "
            "maximum that was found, and not proven to be the highest."
        )


def _binds(count: int) -> str:
    return "binds" if count == 1 else "bind"


def _resisted(section: Section) -> Iterator[str]:
    names = [name(one) for one in section["rules"] if one["verdict"] == "resisted"]
    if names:
        yield f"The data resist {joined(names, 6)}."
    elif section["counts"]["binding"]:
        yield "The data resist none."


def _cost(section: Section, bind: int) -> Iterator[str]:
    cost = section["cost"]
    if cost is not None and bind:
        whole = "it costs" if len(section["rules"]) == 1 else "all rules together cost"
        yield (
            f"Against the estimate without any, {whole} "
            f"{nats_lost(cost, section['at_least'])} of the objective."
        )


def meaning(section: Section) -> str:
    """What the words mean."""
    counts = section["counts"]
    doubted = f"{DOUBTED} " if counts["overruled"] + counts["believed"] else ""
    return doubted + (
        "Free: the estimate keeps the rule by itself. Binding: the rule bends the estimate; its "
        "cost is what the objective gains if only this rule is left out. Resisted: without any "
        "other rule it would cost so much that under a true one the chance of that is below "
        f"{percent(section['resisted_below'])}. A nat is a factor of e, about 2.7, in likelihood."
    )


def name(one: Section) -> str:
    """`rule 3 (line 7)`."""
    at = place(one)
    return f"rule {one['number']:,}" + (f" ({at})" if at else "")


def place(one: Section) -> str:
    """Where it was written: `expert.know:7`, `line 7`, or nothing."""
    if one["source"]:
        line = f":{one['line']}" if one["line"] else ""
        return f"{shortened(one['source'], 60)}{line}"
    return f"line {one['line']}" if one["line"] else ""


def origin(one: Section) -> list[str]:
    """Its number and where it stands; who said it and how sure, where the text itself does not."""
    said, sure = one["text"], one["confidence"]
    by = f"by {shortened(one['by'], 60)}" if one["by"] and one["by"] not in said else ""
    sure = "" if sure in (1, None) or f"confidence {sure:g}" in said else f"confidence {sure:g}"
    return [f"rule {one['number']:,}", *filter(None, (by, sure, place(one)))]


def standing(one: Section) -> str:
    """`value 0.300, limit 0.300`, of the instance nearest to its limit."""
    nearest = f" at {one['dearest']}" if one["dearest"] else ""
    return f"value {reached(one)}, limit {figure(one['limit'])}{nearest}: {to_spare(one)}"


def reached(one: Section) -> str:
    """The value; that of the limit where it has reached it, whatever rounding left."""
    at_limit = one["slack"] is not None and one["slack"] < TOUCHING
    return figure(one["limit" if at_limit else "value"])


def to_spare(one: Section) -> str:
    """The slack in words."""
    slack = one["slack"]
    if slack is None:
        return "slack not known"
    if one["probability"] is not None and slack >= TOUCHING:
        return f"{figure(slack)} apart"
    return "at its limit" if slack < TOUCHING else f"{figure(slack)} to spare"


TOUCHING = 5e-7
"""A value so near to its limit has reached it."""


def binds(one: Section) -> str:
    """`binds in 2 of 4 instances`; nothing for rules that are free or stand for one alone."""
    if not one["binding"] or one["instances"] == 1:
        return ""
    return f"binds in {one['binding']:,} of {some(one['instances'], 'instance')}"


def costs(one: Section) -> str:
    """What it costs to insist, for a small step and in all."""
    if one["verdict"] in ("free", "believed", "overruled"):
        return ""
    price = "" if one["price"] is None else f"{nats_lost(abs(one['price']))} per 0.01"
    if one["cost"] is not None:
        return (
            f"costs {price}{', ' if price else ''}{nats_lost(one['cost'], one['at_least'])} in all"
        )
    whole = "without end" if endless(one) else ""
    return f"costs {price or whole}" if price or whole else "cost not computed"


def endless(one: Section) -> bool:
    """Whether the cost has no end: the cases show what the rule excludes."""
    return one["cost"] is None and one["verdict"] == "resisted"


def effect(one: Section) -> list[str]:
    """Where it binds and what that costs, in phrases."""
    return [phrase for phrase in (binds(one), costs(one)) if phrase]


def verdict(one: Section) -> str:
    """Free, binding or resisted by the data; with the odds where they were computed."""
    if one["verdict"] == "free":
        return "free"
    if one["probability"] is not None:
        said = f"holds with probability {chance(one['probability'])}"
        return f"{one['verdict']}: {said}, said with {one['confidence']:g}"
    said = "binding" if one["verdict"] == "binding" else "resisted by the data"
    if endless(one):
        return f"{said}: the cases show what it excludes"
    against = one["cost"] if one["alone"] is None else one["alone"]
    if against is None:
        return said
    if one["alone"] == 0:
        return f"{said}: the cases keep it and other rules make it bind"
    least = "at least " if one["at_least"] else ""
    known = "" if one["chance"] is None else f", chance {chance(one['chance'])}"
    return f"{said}: likelihood ratio {least}{ratio(against)} against it{known}"


def solved(one: Section) -> str:
    """How its block was estimated."""
    return f"Solved by {one['solved_by']}"


def bars(shown: list[Section]) -> tuple[float, dict[int, str]]:
    """The slack that fills a bar, and by number how much of it each rule fills.

    All bars have one scale, that of the largest slack, or of 1 where something is larger: what
    probabilities are bounded by.
    """
    known = {one["number"]: one["slack"] for one in shown if one["slack"] is not None}
    full = min(1.0, max(known.values(), default=0.0))
    shares = {
        at: min(1.0, slack / full) if full >= TOUCHING else 0.0 for at, slack in known.items()
    }
    return full, {at: f"{share:.3f}" for at, share in shares.items()}


def view(section: Section) -> dict[str, Any]:
    """The section as the page lays it out: groups of rules, every number as text."""
    groups = by_verdict(section)
    full, shares = bars([one for _, shown in groups for one in shown])
    return {
        "summary": summary(section),
        "meaning": meaning(section),
        "left_out": left_out(section),
        "full": figure(full),
        "any_bar": full >= TOUCHING,
        "groups": [
            {
                "verdict": each,
                "title": TITLES[each],
                "extent": of_all(shown, section["counts"][each]),
                "rules": [_line(one, shares) for one in shown],
            }
            for each, shown in groups
        ],
    }


def _line(one: Section, shares: dict[int, str]) -> dict[str, Any]:
    said, _, odds = verdict(one).partition(": ")
    phrases = [part for phrase in (*effect(one), odds) for part in phrase.split(", ") if part]
    return {
        "number": one["number"],
        "text": one["text"],
        "origin": origin(one)[1:],
        "solved": solved(one),
        "dearest": one["dearest"],
        "value": reached(one),
        "limit": figure(one["limit"]),
        "slack": to_spare(one),
        "share": shares.get(one["number"], "0"),
        "verdict": said,
        "phrases": phrases,
    }
