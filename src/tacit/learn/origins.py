"""Where structure, sources and cases that judge came from, as settings keep it to do it again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tacit.core.dataset import Dataset
from tacit.core.reading import Reading
from tacit.io.databases import without_secrets
from tacit.io.formats import is_dag_file, is_network_file
from tacit.learn.fits import Fit

if TYPE_CHECKING:
    from tacit.learn.borrowed_fit import Lenders
    from tacit.learn.choices import Choices
    from tacit.learn.structures import Structure

FitT = TypeVar("FitT", bound=Fit)
FILE, STATES = "network_file", "states_given"
"""The file of the network; that a network said the states, where no file of it is known."""
START_FILE, START_GIVEN = "start_file", "network_given"
"""The same of the network that a search begins at."""
ASKED = "asked"
"""The prior and the estimate that were asked for, where borrowing made others of them."""
READING, JUDGED = "reading", "held_out_reading"
"""How the cases of a source were read; how those were that judge."""


def with_origin(
    found: Fit, structure: Structure, choices: Choices, lent: Lenders | None = None
) -> Fit:
    """The same fit, whose settings tell it."""
    more: dict[str, Any] = {}
    asked = {"prior": choices.prior.describe(), "estimate": choices.estimate.describe()}
    if any(not str(found.settings[name]).startswith(said) for name, said in asked.items()):
        more[ASKED] = asked
    if structure.file:
        more[FILE] = structure.file
    elif structure.variables is not None:
        more[STATES] = True
    said = found.settings.get("sources")
    if lent is not None and said:
        known = {source.name: reading_of(source.data, READING) for source in lent.sources}
        more["sources"] = {name: {**each, **known.get(name, {})} for name, each in said.items()}
    return replace(found, settings={**found.settings, **more}) if more else found


def of_cases(found: FitT, whole: Dataset) -> FitT:
    """The same fit, which knows how its cases were read, whatever was made of them on the way."""
    return replace(found, cases=replace(found.cases, reading=whole.reading))


def reading_of(given: Any, name: str) -> dict[str, Any]:
    """How cases that were handed over were read, under this name; nothing if nobody knows."""
    reading = given.reading if isinstance(given, Dataset) else None
    return {} if reading is None else {name: reading.to_plain()}


def judged_by(held_out: Any) -> dict[str, Any]:
    """How cases that judge were read, where they are cases of their own."""
    if isinstance(held_out, str | Path):
        return {JUDGED: Reading(without_secrets(str(held_out)), {"like": True}).to_plain()}
    return reading_of(held_out, JUDGED)


def network_file(given: Any) -> str:
    """The name of the file that a network is read from, if one was handed over for it."""
    if not isinstance(given, str | Path):
        return ""
    name = str(given)
    return name if is_network_file(name) and not is_dag_file(name) else ""


def read_from(found: FitT, name: str, at: str = FILE, within: str | None = None) -> FitT:
    """The same fit, whose settings tell the file of a network.

    within  the part of the settings that tells it; None: they do themselves
    """
    said = dict(found.settings)
    if within is None:
        said = {key: each for key, each in said.items() if key != STATES} | {at: name}
    else:
        said[within] = {**said[within], at: name}
    return replace(found, settings=said)
