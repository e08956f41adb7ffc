"""Hidden processes in the last section: the tables of what was read and of what was said."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from tacit.core.errors import quoted
from tacit.learn.processes.fitted import ProcessFit
from tacit.learn.processes.settings import SHARES, HiddenProcesses
from tacit.reporting.again_given import qualified, seed
from tacit.reporting.again_reading import Cases, Option, known
from tacit.reporting.again_settings import NOTHING, Said, Setting, Verb, Written, called, written

ONSETS, PLACES = "onsets.csv", "places.csv"
"""Files that stand for tables of which no file is known."""
OF_FIT = ("folds", "level", "seed")
"""Arguments of the call that fits; the others say what the processes are."""
_PARTITION = re.compile(r"Partition\(cuts=(.+), look_ahead=(\d+), nested=(True|False)\)")
_MERGING = re.compile(r"Merging\(start=None, neighbours=(\d+), slack=(.+), nested=(True|False)\)")


def _names(names: list[str]) -> list[str]:
    return [quoted(each) for each in names]


def _name(name: str) -> list[str]:
    return [quoted(name)]


TRIALS: Mapping[str, Option] = {
    "series": Option("--series", _names),
    "places": Option("--places"),
    "trial": Option("--trial", _name),
    "time": Option("--time", _name),
    "missing": Option("--missing", lambda marks: marks),
    "table": Option("--table"),
    "query": Option("--query"),
}
"""What `tc.read_trials` can be told."""


@dataclass(frozen=True, slots=True)
class Measured(Cases):
    """The trials of a fit, as both languages read them again."""

    NAME: ClassVar[str] = "trials"
    KNOWN: ClassVar[Mapping[str, Option]] = TRIALS


def repeat(fit: ProcessFit) -> dict[str, Any]:
    """What the last section says of doing it again, settings aside."""
    reading = known(fit.reading)
    if reading is not None and not reading.whole and (fit.places is not None or fit.regions):
        reading = reading.with_options({"places": PLACES})
    told = written(PROCESSES, fit, Measured(reading, fit.source, fit.fingerprint))
    command = told.command("learned.json")
    remarks = [*told.remarks, *([] if command is not None else [told.wordless])]
    if "onsets_file" not in fit.settings:
        remarks.append(f"`{ONSETS}` stands for the table of onsets.")
    if reading is not None and reading.options.get("places") == PLACES and not reading.whole:
        remarks.append(f"`{PLACES}` stands for the table of places.")
    return {
        "python": _python(told),
        "command": command,
        "remarks": remarks,
        "source": fit.source,
        "fingerprint": fit.fingerprint,
        "seed": fit.seed,
    }


def _python(told: Written) -> str:
    """What the processes are, and the fit."""
    own = {name: text for name, text in told.named.items() if name not in OF_FIT}
    places = [own.pop("lengths"), own.pop("onsets")]
    fitted = {name: told.named[name] for name in OF_FIT}
    return "\n".join([
        "import tacit as tc", "", *told.lines[:-1],
        called("processes = tc.HiddenProcesses", places, own),
        called("fit = processes.fit", ["trials"], fitted),
    ])  # fmt: skip


def _lengths(fit: ProcessFit) -> Said:
    words = [
        w for name, many in fit.processes.items() for w in ("--length", f"{quoted(name)}={many}")
    ]
    return Said(repr(dict(fit.processes)), words)


def _onsets(fit: ProcessFit) -> Said:
    file = str(fit.settings.get("onsets_file", ONSETS))
    return Said(repr(file), ["--onsets", file])


def _share(fit: ProcessFit) -> Said:
    """`--share ...` with all that belongs to it; groups by name have no words."""
    told = fit.settings["share"]
    if not isinstance(told, str) or told in SHARES:
        return Said(repr(told), ["--share", told] if isinstance(told, str) else None)
    return Said(qualified(told), _searched(told))


def _searched(told: str) -> list[str] | None:
    if (cut := _PARTITION.fullmatch(told)) is not None:
        cuts = [] if cut[1] == "None" else ["--cuts", re.sub(r"[() ]", "", cut[1]).rstrip(",")]
        words = ["--share", "partition", *cuts, "--look-ahead", cut[2]]
        return [*words, *([] if cut[3] == "True" else ["--flat"])]
    if (merge := _MERGING.fullmatch(told)) is not None:
        words = ["--share", "merge", "--neighbours", merge[1], "--slack", merge[2]]
        return [*words, *([] if merge[3] == "True" else ["--flat"])]
    return None


def _plainly(name: str, option: str = "") -> Callable[[ProcessFit], Said]:
    """A setting that both languages take as it is; without an option only what is usual."""
    usual = {each.name: each.default for each in fields(HiddenProcesses)}.get(name)

    def said(fit: ProcessFit) -> Said:
        value = fit.settings[name]
        if not option and value == usual:
            return NOTHING
        return Said(repr(value), [option, str(value)] if option else None)

    return said


def _level(fit: ProcessFit) -> Said:
    return Said(repr(fit.level), ["--level", str(fit.level)])


PROCESSES = Verb(
    "fit = processes.fit",
    "processes",
    (
        Setting(("onsets",), ("--onsets",), _onsets),
        Setting(("lengths",), ("--length",), _lengths),
        Setting(
            ("share",),
            ("--share", "--cuts", "--look-ahead", "--neighbours", "--slack", "--flat"),
            _share,
        ),
        Setting(("noise",), ("--noise",), _plainly("noise", "--noise")),
        Setting(("baseline",), ("--baseline",), _plainly("baseline", "--baseline")),
        Setting(("restarts",), ("--restarts",), _plainly("restarts", "--restarts")),
        Setting(("tolerance",), (), _plainly("tolerance")),
        Setting(("max_steps",), (), _plainly("max_steps")),
        Setting(("folds",), ("--folds",), _plainly("folds", "--folds")),
        Setting(("level",), ("--level",), _level),
        Setting(("seed",), ("--seed",), seed),
    ),
    (),
)
