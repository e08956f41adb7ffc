"""The sections about hidden processes as paragraphs and sheets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tacit.core.errors import quoted
from tacit.reporting.blocks import Block, Code, Paragraph, Section, Sheet
from tacit.reporting.wording import joined, percent, probability, real_interval, some

MOST_TIMES = 40
MOST_GROUPS = 60
SHOWN = 6
"""Groups whose courses are written out, and drawn one by one."""


def said_of_courses(section: Section) -> str:
    """What the reader sees."""
    many = len(section["groups"])
    shown = "" if many <= SHOWN else f", of the {SHOWN} groups that explain most"
    return (
        "What each process adds to a series of scale 1, from its onset on"
        f"{shown}, with {percent(section['level'])} intervals. Scales have a mean square of 1 in "
        "each group."
    )


def courses(section: Section) -> Iterator[Block]:
    """As text and markdown show them: a sheet per process, a column per group."""
    yield Paragraph(said_of_courses(section))
    groups = section["groups"][:SHOWN]
    for name, length in section["processes"].items():
        every = max(1, -(-length // MOST_TIMES))
        rows = tuple(
            (f"{at * section['step']:g}", *(_value(group["courses"][name], at) for group in groups))
            for at in range(0, length, every)
        )
        heads = ("time", *(f"{group['name']} ({group['size']:,})" for group in groups))
        yield Sheet(quoted(name), heads, rows)


def _value(course: Mapping[str, Any], at: int) -> str:
    value, low, high = (course[key][at] for key in ("value", "low", "high"))
    if low is None or high is None:
        return "not seen"
    return f"{value:.3g} [{real_interval(low, high)}]"


GROUP_HEADS = ("group", "series", "noise")


def group_heads(section: Section) -> tuple[str, ...]:
    """The columns of the table of groups."""
    return (*GROUP_HEADS, *(f"peak of {quoted(name)}" for name in section["processes"]), "who")


def group_rows(section: Section) -> list[tuple[str, ...]]:
    """A line per group, the largest first."""
    return [
        (
            group["name"],
            f"{group['size']:,}",
            f"{group['noise']:.3g}",
            *(f"{peak:.3g} at {at * section['step']:g}" for at, peak in group["peaks"].values()),
            joined(map(quoted, group["series"][:8]), 8)
            + (f" and {group['size'] - 8:,} more" if group["size"] > 8 else ""),
        )
        for group in section["groups"][:MOST_GROUPS]
    ]


def left_out(section: Section) -> str:
    """What the table of groups leaves out."""
    more = len(section["groups"]) - MOST_GROUPS
    return f"and {some(more, 'smaller group')}" if more > 0 else ""


CELL_HEADS = ("cell", "series", "alone", "cut", "verdict")


def cell_rows(section: Section) -> list[tuple[str, ...]]:
    """A line per cell that was looked at."""
    return [
        (
            cell["name"],
            f"{cell['size']:,}",
            _nats(cell["alone"]),
            _nats(cell["apart"]),
            f"a group: {cell['why']}" if cell["why"] else "cut",
        )
        for cell in section["cells"]
    ]


MERGE_HEADS = ("one", "other", "gain")


def merge_rows(section: Section) -> list[tuple[str, ...]]:
    """A line per merge, in their order."""
    return [
        (
            _named(merge["one"], merge["ones"]),
            _named(merge["other"], merge["others"]),
            f"{merge['gain']:,.2f}",
        )
        for merge in section["merges"]
    ]


def _named(series: list[str], many: int) -> str:
    return ", ".join(map(quoted, series)) + (
        f" and {many - len(series):,} more" if many > len(series) else ""
    )


def _nats(value: float | None) -> str:
    return "" if value is None else f"{value:,.2f}"


CELLS_TITLE = "Cells, with the held-out log-likelihood of one shared fit and of the cells below"
MERGES_TITLE = "Merges, with what each gained in held-out log-likelihood"


def sharing(section: Section) -> Iterator[Block]:
    """Groups, and how they were found."""
    rows = tuple(group_rows(section))
    yield Sheet("Groups", group_heads(section), rows, foot=left_out(section))
    if section["cells"]:
        yield Sheet(CELLS_TITLE, CELL_HEADS, tuple(cell_rows(section)))
    if section["merges"]:
        yield Sheet(MERGES_TITLE, MERGE_HEADS, tuple(merge_rows(section)), labels=2)


ONSET_HEADS = ("process", "trial", "found", "probability", "window")


def onset_rows(section: Section) -> list[tuple[str, ...]]:
    """A line per onset that was open."""
    return [
        (
            one["process"],
            one["trial"],
            f"{one['time']:g}",
            probability(one["probability"]),
            f"{one['earliest']:g} to {one['latest']:g}",
        )
        for one in section["onsets"]
    ]


def onsets(section: Section) -> Iterator[Block]:
    """Onsets with the probability of the most probable time."""
    yield Sheet("The most probable time of each", ONSET_HEADS, tuple(onset_rows(section)), labels=2)


def said_of_folds(section: Section) -> str:
    """How trials were held out."""
    honest = "" if section["nested"] else " Groups were chosen on all trials, so this is too good."
    return (
        f"Every trial was scored by what was learned without its fold: {section['average']:,.2f} ± "
        f"{section['error']:,.2f} nats per trial.{honest}"
    )


FOLD_HEADS = ("fold", "trials", "log-likelihood")


def fold_rows(section: Section) -> list[tuple[str, ...]]:
    """A line per fold."""
    return [
        (str(at), joined(map(quoted, fold["trials"]), 8), f"{fold['score']:,.2f}")
        for at, fold in enumerate(section["folds"], 1)
    ]


def held_out(section: Section) -> Iterator[Block]:
    """The folds."""
    yield Paragraph(said_of_folds(section))
    yield Sheet("Folds, in nats", FOLD_HEADS, tuple(fold_rows(section)), labels=2)


def repeat(section: Section) -> Iterator[Block]:
    """How to do it again."""
    yield Code(section["python"])
    if section.get("command"):
        yield Code(section["command"])
    yield from map(Paragraph, section.get("remarks", ()))
    yield Sheet("", ("setting", "value"), tuple(repeat_rows(section)), labels=2)


def repeat_rows(section: Section) -> list[tuple[str, str]]:
    """Settings in full."""
    told = {
        "source of the trials": section["source"] or "not said",
        "fingerprint of the trials": section["fingerprint"],
        "seed": section["seed"],
        **section["settings"],
    }
    return [(key, str(value)) for key, value in told.items()]
