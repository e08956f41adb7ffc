"""`tacit processes`: hidden processes behind series that were measured in many trials."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.answers import Answer
from tacit.cli.options import Json, Missing, Query, Quiet, Seed, TableName, plain_name, plain_names
from tacit.cli.targets import Target, check_kept, report_target, write_all
from tacit.core.errors import OptionError, listed, marked, nearest

if TYPE_CHECKING:
    from tacit.learn.processes.fitted import ProcessFit
    from tacit.learn.processes.settings import Share

EXAMPLES = """\
tacit processes trials.csv --onsets onsets.csv --length 32 -o courses.csv
tacit processes trials.csv --onsets onsets.csv --length Sentence=32 --length Picture=32 \\
    --places voxels.csv --share partition --cuts 2,2,4 -o brain.json --report brain.html"""

SHARES = ("all", "none", "regions", "partition", "merge")
FORMS = (".json", ".csv", ".tsv", ".parquet")


def processes(
    trials: Annotated[
        str,
        typer.Argument(
            metavar="TRIALS",
            help="A line per trial and time: columns trial, time, and one per series.",
            show_default=False,
        ),
    ],
    onsets: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Columns trial, process, onset; earliest and latest where it is open.",
        ),
    ],
    length: Annotated[
        list[str],
        typer.Option(
            metavar="[NAME=]N",
            help="How many measurements a process lasts, or all of them; repeatable.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="OUT", help="Courses as .csv .tsv .parquet; all as .json."
        ),
    ],
    share: Annotated[
        str, typer.Option(metavar="HOW", help=f"Which series share courses: {', '.join(SHARES)}.")
    ] = "all",
    places: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Where series are: columns series, one per axis, maybe region."
        ),
    ] = None,
    cuts: Annotated[
        str | None,
        typer.Option(metavar="N,N,...", help="Parts per axis of a cut, for partition; 2 each."),
    ] = None,
    look_ahead: Annotated[
        int, typer.Option(min=0, help="Further levels of cuts that a partition waits for.")
    ] = 0,
    neighbours: Annotated[
        int, typer.Option(min=1, help="Groups that each one is tried with, for merge.")
    ] = 4,
    slack: Annotated[
        float, typer.Option(min=0, help="Standard errors that a merge may lose, for merge.")
    ] = 1.0,
    flat: Annotated[
        bool,
        typer.Option("--flat", help="Score with groups chosen on all trials: faster, too good."),
    ] = False,
    noise: Annotated[
        str, typer.Option(metavar="HOW", help="common to the series of a group, or own.")
    ] = "common",
    baseline: Annotated[
        str, typer.Option(metavar="HOW", help="none, or trial: a level per series and trial.")
    ] = "none",
    folds: Annotated[
        int | None, typer.Option(min=0, help="Parts that are held out in turn; 0 for none.")
    ] = None,
    restarts: Annotated[int, typer.Option(min=0, help="Random starts beside two others.")] = 0,
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    series: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A column that is a series; repeatable. All if none."),
    ] = None,
    trial: Annotated[str, typer.Option(metavar="COLUMN", help="Names the trial.")] = "trial",
    time: Annotated[str, typer.Option(metavar="COLUMN", help="Holds the time.")] = "time",
    missing: Missing = None,
    scales: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Scales, a line per series: .csv .tsv .parquet."),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="R.html", help="A report: .html .md .txt .json.")
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keeps the scores of a search for groups.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.")] = False,
    table: TableName = None,
    query: Query = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Learn processes that add up in series of many trials.

    Each process has a course; series that share it show it at scales of their own. Which series
    share is told, cut out of space, or grown.
    """
    lengths = _lengths(length)
    how = _share(share, cuts, look_ahead, (neighbours, slack), flat)
    targets = _targets(output, scales, report)
    read = [("TRIALS", trials), ("--onsets", onsets), *([("--places", places)] if places else [])]
    unable = "" if share in ("partition", "merge") else "--checkpoint keeps a search for groups"
    notes = check_kept(checkpoint, resume, unable, targets, read)

    from tacit.io.trials import read_trials
    from tacit.learn.processes.settings import HiddenProcesses

    told = HiddenProcesses(
        lengths, onsets, share=how, noise=noise, baseline=baseline, restarts=restarts
    )
    measured = read_trials(
        trials, series=plain_names(series) or None, places=places, trial=plain_name(trial),
        time=plain_name(time), missing=tuple(missing or ()), table=table, query=query,
    )  # fmt: skip
    fit = told.fit(
        measured, folds=folds, level=level, seed=seed, checkpoint=checkpoint, resume=resume,
        progress=False if quiet or json else None,
    )  # fmt: skip
    _write(fit, targets)
    return _answer(fit, notes, targets, json=json, quiet=quiet)


def _lengths(given: list[str]) -> dict[str, int] | int:
    """`32` for all processes, or `Sentence=32` one by one."""
    found: dict[str, int] = {}
    for text in given:
        name, equals, number = text.rpartition("=")
        if not re.fullmatch(r"[0-9]{1,9}", number.strip()) or int(number) < 1:
            what = "a whole number of measurements, 1 or more, is expected here"
            start = len(name) + len(equals)
            raise OptionError(marked(text, start, max(len(text), start + 1), what, "--length"))
        if not equals:
            if len(given) > 1:
                raise OptionError(
                    f"--length {text} is for all processes, and stands alone; name each: "
                    "--length NAME=N"
                )
            return int(number)
        if plain_name(name) in found:
            raise OptionError(f"--length gives {plain_name(name)!r} twice")
        found[plain_name(name)] = int(number)
    return found


def _share(
    share: str, cuts: str | None, look_ahead: int, merging: tuple[int, float], flat: bool
) -> Share:
    """The words of the command line as a value; merging: its neighbours and its slack."""
    from tacit.learn.processes.settings import Merging, Partition

    if share not in SHARES:
        raise OptionError(
            f"--share {share} must be one of {listed(SHARES)}{nearest(share, SHARES)}"
        )
    if share != "partition" and (cuts is not None or look_ahead):
        raise OptionError("--cuts and --look-ahead are for --share partition")
    if share not in ("partition", "merge"):
        if flat:
            raise OptionError("--flat is for --share partition or merge")
        return share
    if share == "merge":
        return Merging(neighbours=merging[0], slack=merging[1], nested=not flat)
    return Partition(_cuts(cuts), look_ahead, not flat)


def _cuts(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    place = 0
    for part in text.split(","):
        if not re.fullmatch(r"\s*[0-9]{1,6}\s*", part):
            what = "parts per axis are whole numbers between commas, as 2,2,4"
            raise OptionError(marked(text, place, place + max(1, len(part)), what, "--cuts"))
        place += len(part) + 1
    return tuple(int(part) for part in text.split(","))


def _targets(output: str, scales: str | None, report: str | None) -> list[Target]:
    targets = [Target("-o", output, FORMS, (".json", ".csv", ".tsv"))]
    if scales is not None:
        targets.append(Target("--scales", scales, FORMS[1:], (".csv", ".tsv")))
    return [*targets, *([report_target("--report", report)] if report is not None else [])]


def _write(fit: ProcessFit, targets: list[Target]) -> None:
    """All files, or none."""
    from tacit.io.casesout import write_columns

    writers = {
        "-o": fit.write,
        "--scales": lambda path: write_columns(fit.scale_columns(), path),
        "--report": lambda path: _report(fit, path),
    }
    write_all([(target, writers[target.option]) for target in targets])


def _report(fit: ProcessFit, path: object) -> None:
    from tacit.reporting.report import report as about

    about(fit).save(str(path))


def _answer(
    fit: ProcessFit, notes: tuple[str, ...], targets: list[Target], *, json: bool, quiet: bool
) -> Answer:
    from tacit.learn.processes.saved import to_plain

    words = {"-o": "processes", "--scales": "scales", "--report": "report"}
    written = {words[target.option]: target.path for target in targets}
    plain = {"command": "processes", **to_plain(fit), "written": written}
    plain["notes"] = [*notes, *fit.notes]
    lines = [str(fit), *(f"note: {note}" for note in notes), ""]
    lines += [f"{what} written to {path}" for what, path in written.items()]
    return Answer("\n".join(lines), plain, json=json, quiet=quiet)
