"""Files that commands which learn write: the network or its dag, all that was found, a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.cli.targets import (
    Target,
    fit_target,
    network_target,
    report_target,
    structure_target,
    write_all,
)

if TYPE_CHECKING:
    from tacit.core.dataset import Dataset
    from tacit.learn.fits import Fit


def learned_targets(
    output: str, save_fit: str | None, report: str | None, *, dag: bool = True
) -> dict[str, Target]:
    """What is to be written, by its kind; dag: whether a dag alone may be asked for."""
    dag_alone = dag and output.lower().removesuffix(".gz").endswith(".dag")
    place = structure_target if dag else network_target
    targets = {"dag" if dag_alone else "network": place("-o", output)}
    if save_fit is not None:
        targets["fit"] = fit_target("--save-fit", save_fit)
    if report is not None:
        targets["report"] = report_target("--report", report)
    return targets


def write_learned(
    found: Fit,
    targets: Mapping[str, Target],
    more: Mapping[str, Callable[[Path], None]] | None = None,
    data: Dataset | None = None,
) -> None:
    """All of them or none; `more` writes what only some commands do, and `data` are the cases, with
    which a report compares lines and curves."""
    from tacit.io.files import write_whole
    from tacit.io.formats import write
    from tacit.reporting.report import report

    writers: dict[str, Callable[[Path], None]] = {
        "network": lambda path: write(found.network, path),
        "dag": lambda path: write_whole(path, f"{found.network.dag}\n"),
        "fit": found.save,
        "report": lambda path: report(found, data=data).save(path),
        **(more or {}),
    }
    write_all([(target, writers[what]) for what, target in targets.items()])
