"""What was borrowed as a reader wants it: in sentences, table by table, source by source."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from tacit.core.errors import quoted
from tacit.reporting.blocks import Block, Bullets, Paragraph, Section, Sheet
from tacit.reporting.odds import chance
from tacit.reporting.ruled import one_line
from tacit.reporting.wording import joined, percent, shortened, some

MOST_TABLES = 200
"""Tables that a page shows, the borrowed ones first; JSON holds them all."""
MOST_LOANS = 6
"""Fragments per table that a page shows, those believed most first."""
MOST_REFUSED = 50
"""Rules that ruled out fragments of a table, of which a page speaks."""


def borrowed(section: Section) -> Iterator[Block]:
    """What holds of all, the borrowed tables, the others, and what rules ruled out."""
    yield Paragraph(" ".join(summary(section)))
    yield Paragraph(meaning(section))
    lent, kept = shown(section)
    if lent:
        rows = tuple(row for one in lent for row in _rows(one))
        heads = ("table", "came from", "worth", "Bayes factor", "same table", "moved up to")
        yield Sheet("Borrowed tables, those that moved most first", heads, rows, labels=2)
        yield from _remarks(lent, section["leaning_from"])
    if kept:
        items = tuple(f"{table_name(one)}: {one['why']}" for one in kept)
        yield Bullets("Tables that borrowed nothing", items)
    if excluded := ruled_out(section):
        yield Bullets("What the rules ruled out", tuple(excluded))
    if left := left_out(section):
        yield Paragraph(left)


def _remarks(lent: list[Section], most: float) -> Iterator[Block]:
    items = [f"{table_name(one)}: {said}" for one in lent for said in remarks(one, most)]
    if items:
        yield Bullets("Of these", tuple(items))


def _rows(one: Section) -> Iterator[tuple[str, ...]]:
    for at, loan in enumerate(one["loans"][:MOST_LOANS]):
        first = at == 0
        yield (
            table_name(one) if first else "",
            "; ".join([fragment(loan), *made(loan)]),
            worth(loan),
            factor(loan["log_factor"]),
            sure(loan),
            moved(one) if first else "",
        )


MEANING = (
    "The Bayes factor says how much more likely the cases of both sites are if they have this "
    "table in common than if each has its own; “same table” is the probability of that, given "
    "both. Names count for nothing in this, and sources that look like the few cases at hand are "
    "preferred."
)
_NORMAL = (
    "Every cell of a borrowed table got a truncated normal prior from the cases of its source, and "
    "the estimate is the posterior mean."
)
_WAYS = {
    "Aggregate": "A table and that of the nearest source were averaged; its worth is the share of "
    "the source, in cases of it. The Bayes factor took no part in the choice.",
    "Pool": "The cases of every source that has a table of the same name and shape were added to "
    "its own, whether they fit or not.",
}
_ADDED = "A table is borrowed as so many cases, which are added to its own."


def meaning(section: Section) -> str:
    """How tables were borrowed, and what the columns mean."""
    way = section["transfer"]
    said = _NORMAL if "'normal'" in way else _WAYS.get(way.partition("(")[0], _ADDED)
    return f"{said} {MEANING}"


def summary(section: Section) -> list[str]:
    """How many tables were borrowed and from whom; which sources earned nothing."""
    tables, lent = section["tables"], section["lent"]
    earned = [one for one in section["sources"] if one["earned"]]
    idle = [quoted(one["name"]) for one in section["sources"] if not one["earned"]]
    told = [in_short(lent, len(tables), [quoted(one["name"]) for one in earned])]
    if len(earned) > 1:
        shares = (
            f"{quoted(one['name'])} to {some(one['tables'], 'table')}, worth "
            f"{some(round(one['worth']), 'case')} in all"
            for one in earned
        )
        told.append(f"Lent: {'; '.join(shares)}.")
    if idle:
        told.append(f"{joined(idle, 6)} earned nothing: no table was borrowed from there.")
    return [*told, *_no_tables(section["no_tables"]), f"Borrowed by {section['transfer']}."]


def _no_tables(names: list[str]) -> list[str]:
    """A sentence about families that are no tables, where there are some."""
    if not names:
        return []
    what = "its family is no table" if len(names) == 1 else "their families are no tables"
    return [f"{joined([quoted(name) for name in names], 6)} borrowed nothing: {what}."]


def in_short(lent: int, of: int, names: list[str]) -> str:
    """`5 of 8 tables were borrowed from Leeds and York.`"""
    if not lent:
        return f"None of {some(of, 'table')} was borrowed."
    were = "was" if lent == 1 else "were"
    return f"{lent:,} of {some(of, 'table')} {were} borrowed from {joined(names, 4)}."


def shown(section: Section) -> tuple[list[Section], list[Section]]:
    """The tables that a page shows: those borrowed, and the others."""
    tables = section["tables"][:MOST_TABLES]
    return [t for t in tables if t["loans"]], [t for t in tables if not t["loans"]]


def left_out(section: Section) -> str:
    """A sentence about tables that are not shown; nothing where all are."""
    more = len(section["tables"]) - MOST_TABLES
    if more <= 0:
        return ""
    return f"{some(more, 'more table')} left out here; the report saved as .json holds them all."


def table_name(one: Section) -> str:
    """`P(Cancer | Smoker)`."""
    return _conditional(one["variable"], one["parents"])


def fragment(loan: Section) -> str:
    """`Leeds, P(Tumour | Smokes)`; `*` stands where no parent of the source does."""
    return f"{quoted(loan['source'])}, {_conditional(loan['fragment'], loan['order'])}"


def made(loan: Section) -> list[str]:
    """What was done to the fragment, and what its cases are where nobody counted them."""
    said = [loan["mapped"]] if loan["mapped"] else []
    return [*said, "a network, its worth as it was said"] if loan["nominal"] else said


def _conditional(child: str, parents: list[str]) -> str:
    given = ", ".join("*" if name == "*" else quoted(name) for name in parents)
    return f"P({quoted(child)}{f' | {given}' if given else ''})"


def worth(loan: Section) -> str:
    """`143 of 150 cases`."""
    return f"{round(loan['worth']):,} of {some(round(loan['cases']), 'case')}"


def factor(log_factor: float | None) -> str:
    """exp of it, to two digits; very large and very small ones as a power of ten."""
    if log_factor is None:
        return "0"
    decades = log_factor / math.log(10)
    if abs(decades) >= 4:
        return f"10^{math.floor(decades):,}"
    return f"{float(f'{math.exp(log_factor):.2g}'):,g}"


def sure(loan: Section) -> str:
    """The probability that the tables are the same."""
    known = loan["probability"]
    if known is None:
        return "?"
    if known < 0.01 or known == 1:
        return chance(known)
    return ">0.99" if known >= 0.995 else f"{known:.2f}"


def moved(one: Section) -> str:
    """The largest change of a cell against the estimate without sources."""
    return "<0.01" if 0 < one["moved"] < 0.005 else f"{one['moved']:.2f}"


def remarks(one: Section, most: float) -> list[str]:
    """What is to be said of a borrowed table beside its numbers; `most`: a large share."""
    said = []
    if further := one["loans"][MOST_LOANS:]:
        cases = some(round(sum(loan["worth"] for loan in further)), "case")
        said.append(f"{some(len(further), 'more fragment')} gave it {cases}")
    if one["tied"]:
        said.append("another fragment fitted as well: names decided, or the number of cases")
    if one["leaning"]:
        rows = f"{one['leaning']:,} of {some(one['rows'], 'row')}"
        rows += " rests" if one["leaning"] == 1 else " rest"
        rows = "it rests" if one["leaning"] == one["rows"] else rows
        said.append(f"{rows} on what was borrowed for more than {percent(most)}")
    return said


def ruled_out(section: Section) -> list[str]:
    """Per table and rule the fragments that the rule excluded."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in section["tables"]:
        for no in one["refused"]:
            said = f"{shortened(no['fragment'], 60)} of {quoted(no['source'])}"
            rule = shortened(one_line(no["rule"]), 100)
            groups.setdefault((table_name(one), rule), []).append(said)
    found = [
        f"{table}: {joined(said, 4)} cannot keep {rule}" for (table, rule), said in groups.items()
    ]
    more = len(found) - MOST_REFUSED
    rest = [f"and so on {some(more, 'more time')}; the report saved as .json names all"]
    return found[:MOST_REFUSED] + (rest if more > 0 else [])


def view(section: Section) -> dict[str, Any]:
    """The section as the page lays it out, every number as text."""
    lent, kept = shown(section)
    widest = max((one["moved"] for one in lent), default=0.0)
    return {
        "summary": summary(section),
        "meaning": meaning(section),
        "lent": [_line(one, widest, section["leaning_from"]) for one in lent],
        "full": f"{widest:.2f}",
        "kept": [(table_name(one), one["why"]) for one in kept],
        "ruled_out": ruled_out(section),
        "left_out": left_out(section),
    }


def _line(one: Section, widest: float, most: float) -> dict[str, Any]:
    return {
        "name": table_name(one),
        "variable": one["variable"],
        "cases": some(one["cases"], "case"),
        "remarks": remarks(one, most),
        "moved": moved(one),
        "share": f"{one['moved'] / widest if widest > 0 else 0.0:.3f}",
        "loans": [
            {
                "from": fragment(loan),
                "made": made(loan),
                "worth": worth(loan),
                "factor": factor(loan["log_factor"]),
                "sure": sure(loan),
            }
            for loan in one["loans"][:MOST_LOANS]
        ],
    }
