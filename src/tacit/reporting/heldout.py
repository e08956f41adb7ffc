"""The section on cases that were held out: how probable they are under networks of the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tacit.learn.averaged import with_error
from tacit.learn.heldout import CrossValidation
from tacit.reporting.blocks import Block, Paragraph, Section, Sheet
from tacit.reporting.wording import are, finite, some

TITLE = "Every fold under the network learned from all others"
HEADS = ("fold", "cases", "log-likelihood (nats)", "per case")


def folds(found: CrossValidation) -> dict[str, Any]:
    """The `average` log-likelihood of held-out cases with its `error`, in nats, and every fold."""
    return {
        "cases": int(found.per_case.size),
        "average": finite(found.average),
        "error": finite(found.error),
        "impossible": found.impossible,
        "folds": [
            {
                "cases": each.cases,
                "log_likelihood": finite(each.total),
                "average": finite(each.average),
                "impossible": each.impossible,
            }
            for each in found.folds
        ],
    }


def score(section: Section) -> str:
    """`-7.0123 ± 0.051 nats`."""
    if section["average"] is None:
        return "not finite"
    return f"{with_error(section['average'], section['error'] or 0.0)} nats"


def said(section: Section) -> str:
    """What was held out, and what it came to, in sentences."""
    told = (
        f"{some(section['cases'], 'case')} were split into {some(len(section['folds']), 'part')}, "
        "and each part was scored by the network learned from all others: on average "
        f"{score(section)} per case."
    )
    if section["impossible"]:
        many = section["impossible"]
        told += f" {some(many, 'case')} {are(many)} held impossible there."
    return told


def rows(section: Section) -> tuple[tuple[str, ...], ...]:
    """A line per fold."""
    return tuple(
        (
            str(at),
            f"{each['cases']:,}",
            *(
                "not finite" if value is None else f"{value:,.{digits}f}"
                for value, digits in ((each["log_likelihood"], 1), (each["average"], 4))
            ),
        )
        for at, each in enumerate(section["folds"], 1)
    )


def blocks(section: Section) -> Iterator[Block]:
    """The section as text."""
    yield Paragraph(said(section))
    yield Sheet(TITLE, HEADS, rows(section))


def view(section: Section) -> dict[str, Any]:
    """The section as the page lays it out."""
    sheet = {"title": TITLE, "heads": HEADS, "rows": rows(section), "open": True}
    return {"said": said(section), "sheets": [sheet]}
