"""A hierarchy of hidden variables in the last section: the table of its settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tacit.core.reading import Reading
from tacit.learn.fits import Fit
from tacit.learn.origins import JUDGED
from tacit.reporting.again_given import dag_python, prior, qualified, seed
from tacit.reporting.again_reading import read_call
from tacit.reporting.again_settings import NOTHING, Said, Setting, Verb


def _start(fit: Fit) -> Said:
    """The hierarchy that it began at, if one was given."""
    if not fit.settings["hierarchy"]["given"]:
        return NOTHING
    return Said(dag_python(str(fit.settings["structure"])))


def _method(fit: Fit) -> Said:
    """The path that it followed."""
    return Said(qualified(str(fit.settings["method"])))


def _held_out(fit: Fit) -> Said:
    """What judged: a share of the cases, or others, which are not kept."""
    told = fit.settings["hierarchy"]
    said = told["held_out"]
    if said == "..." and JUDGED in told:
        reading = Reading.from_plain(told[JUDGED])
        return Said("others", (), [f"others = {read_call(reading, 'cases')}"])
    if said == "...":
        line = "others = ...  # the cases that judged"
        return Said("others", (), [line], "The cases that judged are not kept: put them in.")
    return Said(repr(said))


def _plainly(name: str) -> Callable[[Any], Said]:
    def said(fit: Fit) -> Said:
        value = fit.settings["hierarchy"].get(name)
        return Said(repr(value)) if value else NOTHING

    return said


HIERARCHY = Verb(
    "found = tc.learn_hierarchy",
    "",
    (
        Setting(("start",), (), _start),
        Setting(("method",), (), _method),
        Setting(("prior",), (), prior),
        Setting(("states",), (), _plainly("states")),
        Setting(("name",), (), _plainly("name")),
        Setting(("held_out",), (), _held_out),
        Setting(("leave_out",), (), _plainly("left_out")),
        Setting(("as_given",), (), _plainly("as_given")),
        Setting(("seed",), (), seed),
    ),
)
