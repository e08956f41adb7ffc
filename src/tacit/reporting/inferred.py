"""Sections of a fit with gaps as blocks: missing cells, hidden variables, how it went."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tacit.core.errors import quoted
from tacit.reporting.blocks import Block, Paragraph, Section, Sheet
from tacit.reporting.wording import are, first, nats, percent, probability, some, weight


def missing(section: Section) -> Iterator[Block]:
    """Shares, patterns, and what rests on inference."""
    cells = sum(one["cells"] for one in section["cells"])
    yield Paragraph(
        f"{some(cells, 'cell')} of {some(section['cases'], 'case')} {are(cells)} missing. "
        f"{used(section)} Method: {section['method']}."
    )
    yield Sheet(
        "Missing cells per variable",
        ("variable", "missing cells", "share of the cases"),
        tuple(
            (quoted(one["variable"]), f"{one['cells']:,}", percent(one["share"] or 0.0))
            for one in section["cells"]
        ),
    )
    common, more = common_patterns(section)
    if common:
        yield _patterns(common, more)
    elif more:
        yield Paragraph(more)
    if section["families"]:
        yield Sheet(
            f"Families that rest on fewer than the {weight(section['weight'])} cases",
            ("variable", "cases", "share"),
            tuple(
                (quoted(one["variable"]), weight(one["weight"]), percent(one["share"]))
                for one in section["families"]
            ),
        )
    if section["imputed"] and section["imputed"]["rows"]:
        yield _imputed(section["imputed"])


def used(section: Section) -> str:
    """How many cases were used, and how many of them lack nothing."""
    whole = section["complete"]
    lacking = (
        "" if whole is None else f", {weight(whole) if whole else 'none'} of them without a gap"
    )
    if section["inferred"]:
        return f"All {some(section['cases'], 'case')} were used{lacking}."
    return f"Each family was counted on the cases complete in it{lacking}."


def common_patterns(section: Section) -> tuple[list[Section], str]:
    """The patterns that several cases share, and a sentence about all others."""
    patterns = section["patterns"]
    if not patterns:
        return [], ""
    common = [one for one in patterns["common"] if one["cases"] > 1]
    more = patterns["number"] - len(common)
    if not common:
        return [], f"No two cases lack the same cells: {some(more, 'pattern')}." if more > 1 else ""
    return common, f"There {are(more)} {some(more, 'more pattern')}." if more else ""


def _patterns(common: list[Section], more: str) -> Sheet:
    rows = tuple(
        (first(map(quoted, one["missing"]), 8), f"{one['cases']:,}", percent(one["share"]))
        for one in common
    )
    heads = ("missing together", "cases", "share of the cases")
    return Sheet("The most common patterns", heads, rows, foot=more)


def _imputed(found: Section) -> Sheet:
    rows = tuple(
        (
            quoted(one["variable"]),
            f"{one['rows']:,} of {one['of']:,}",
            weight(one["seen"]),
            weight(one["cases"]),
        )
        for one in found["tables"]
    )
    heads = ("variable", "rows", "cases seen whole", "cases in all")
    return Sheet(IMPUTED, heads, rows)


UNSEEN = (
    "Nobody measured these: all that is said of them is inferred from the variables around them. "
    "The names of their states mean nothing by themselves; what they stand for is shown here."
)
IMPUTED = "Rows that rest mostly on inferred cases, per table"


def hidden(section: Section) -> Iterator[Block]:
    """One part per variable, then what can be known of them."""
    yield Paragraph(UNSEEN)
    for one in section["variables"]:
        yield Paragraph(place(one))
        if any("given" in near for near in one["neighbours"]):
            yield states(one)
        rest = [near for near in one["neighbours"] if "given" not in near]
        if rest:
            told = (f"{quoted(near['name'])} ({nats(near['information'])})" for near in rest)
            yield Paragraph(f"Further neighbours: {first(told, 12)}.")
    if section["others"]:
        yield Paragraph(f"Also hidden: {first(map(quoted, section['others']), 20)}.")
    if section["identified"]:
        yield Paragraph(identification(section["identified"]))


def place(one: Section) -> str:
    """Where a hidden variable stands, in a sentence."""
    parents = first(map(quoted, one["parents"]), 6) or "none"
    children = first(map(quoted, one["children"]), 6) or "none"
    alike = first(map(quoted, one["alike"]), 4)
    kind = some(len(one["states"]), "state") if one["states"] else "continuous"
    told = f"{quoted(one['name'])}: {kind}; parents: {parents}; "
    return f"{told}children: {children}." + (f" The same table holds for {alike}." if alike else "")


def states(one: Section) -> Sheet:
    """What the states stand for, a line per value of a neighbour."""
    shares = one["shares"] or [None] * len(one["states"])
    heads = (
        "value of a neighbour",
        *(
            f"{quoted(state)} ({share_text(s)})"
            for state, s in zip(one["states"], shares, strict=True)
        ),
        "overall",
        "information",
    )
    rows = tuple(
        (
            f"{quoted(near['name'])}={quoted(state)}",
            *(probability(given[at]) for given in near["given"]),
            probability(near["overall"][at]),
            nats(near["information"]) if at == 0 else "",
        )
        for near in one["neighbours"]
        if "given" in near
        for at, state in enumerate(near["states"])
    )
    return Sheet(f"What the states of {quoted(one['name'])} stand for", heads, rows)


def share_text(share: float | None) -> str:
    """The share of a state among the cases."""
    return "no cases" if share is None else f"{percent(share)} of the cases"


def identification(found: Section) -> str:
    """Whether the observed variables determine the parameters."""
    free, dimension = found["free"], found["dimension"]
    if dimension >= free:
        return (
            f"Identified: the observed variables determine all {some(free, 'free parameter')}, "
            "locally and up to the names of hidden states."
        )
    return (
        f"Not identified: of {some(free, 'free parameter')} the observed variables determine "
        f"{dimension:,}; {some(free - dimension, 'direction')} change nothing that can be seen, so "
        "the tables around hidden variables are one choice among equals."
    )


def course(section: Section) -> Iterator[Block]:
    """The objective, why it ended, every start."""
    yield Paragraph(f"{maximised(section)} Stopped: {section['stop']}.")
    if len(section["trace"]) > 1:
        ends = [section["trace"][0], section["trace"][-1]]
        before, last = ("not finite" if value is None else f"{value:,.3f}" for value in ends)
        steps = some(len(section["trace"]) - 1, "step")
        yield Paragraph(f"{steps} took the objective from {before} to {last} nats.")
    if len(section["runs"]) > 1:
        yield Sheet(
            "Every start", ("start", "objective", "below the best", "steps", "why it ended"),
            tuple(map(_run, starts(section))),
        )  # fmt: skip


def maximised(section: Section) -> str:
    """What the objective is, and of what parts."""
    objective, likelihood = section["objective"], section["log_likelihood"]
    if objective is None or likelihood is None:
        return "The objective is not finite."
    rest = objective - likelihood
    if abs(rest) <= 1e-9 * max(1.0, abs(likelihood)):
        return f"The objective is the log-likelihood: {objective:,.1f} nats."
    return (
        f"The objective is {objective:,.1f} nats: the log-likelihood {likelihood:,.1f} and the "
        f"prior's term {rest:,.1f}."
    )


def _run(one: dict[str, Any]) -> tuple[str, ...]:
    mark = " (best)" if one["best"] else ""
    return (
        f"{one['number']}{mark}",
        one["objective"],
        one["below"],
        f"{one['steps']:,}",
        one["stop"],
    )


MOST_RUNS = 100
"""Starts that are listed: the best of them."""


def starts(section: Section) -> list[dict[str, Any]]:
    """Every start as a reader wants it, in order; of very many those with the best objectives."""
    known = [run["objective"] for run in section["runs"] if run["objective"] is not None]
    top = max(known, default=0.0)
    found = []
    for number, run in enumerate(section["runs"], 1):
        value = run["objective"]
        found.append(
            {
                "number": number,
                "best": run["best"],
                "value": value,
                "objective": "not finite" if value is None else f"{value:,.3f}",
                "below": "" if value is None or run["best"] else f"{top - value:,.3f}",
                "steps": run["steps"],
                "stop": run["stop"],
                "path": run["path"],
            }
        )
    if len(found) <= MOST_RUNS:
        return found
    order = sorted(found, key=lambda one: -(one["value"] if one["value"] is not None else -1e300))
    return sorted(order[:MOST_RUNS], key=lambda one: int(one["number"]))
