"""`tacit demo`: a small clinic learns from its patients, from cases on disk to a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer
from tacit.cli.fit import write_fit
from tacit.cli.options import Json, Quiet, Seed
from tacit.cli.targets import fit_target, network_target, report_target
from tacit.core.errors import OptionError

if TYPE_CHECKING:
    from tacit.core.network import Network
    from tacit.infer.likelihood import LogLikelihood
    from tacit.learn.fits import Fit

EXAMPLES = """\
tacit demo
tacit demo --output /tmp/clinic --seed 7"""

PATIENTS, NEWCOMERS, SEED = 200, 1000, 1


def demo(
    output: Annotated[
        str, typer.Option(metavar="DIR", help="The folder for all files; made if not there.")
    ] = "demo-output",
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Learn a small network, judge it, and write a report.

    Everything it uses comes with the package; all files go to one folder.
    """
    from tacit.estimate.estimates import ML
    from tacit.infer.likelihood import log_likelihood
    from tacit.io.cases import read_cases
    from tacit.io.textbook import textbook
    from tacit.learn.fit import fit

    folder = _folder(output)
    clinic = textbook("asia")
    used = SEED if seed is None else seed
    _write_patients(clinic, folder, used)
    patients = read_cases(folder / "patients.csv", like=clinic)
    newcomers = read_cases(folder / "new-patients.csv", like=clinic)
    found = fit(clinic, patients, seed=used)
    plain_shares = fit(clinic, patients, estimate=ML(), seed=used)
    targets = {
        "network": network_target("--output", str(folder / "learned.bif")),
        "fit": fit_target("--output", str(folder / "fit.json")),
        "report": report_target("--output", str(folder / "report.html")),
    }
    write_fit(found, targets)
    scores = {
        "smoothed": log_likelihood(found.network, newcomers),
        "ml": log_likelihood(plain_shares.network, newcomers),
        "truth": log_likelihood(clinic, newcomers),
    }
    files = {what: target.path for what, target in targets.items()}
    plain = _plain(found, scores, used, files)
    return Answer(_told(found, clinic, plain), plain, files["report"], json=json, quiet=quiet)


def _folder(output: str) -> Path:
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise OptionError(f"--output: {output!r} is a file, and a folder is needed") from None
    return folder


def _write_patients(clinic: Network, folder: Path, seed: int) -> None:
    from tacit.infer.sampling import sample
    from tacit.io.casesout import write_cases

    write_cases(sample(clinic, PATIENTS, seed=seed), folder / "patients.csv")
    write_cases(sample(clinic, NEWCOMERS, seed=seed + 1), folder / "new-patients.csv")


def _plain(
    found: Fit, scores: dict[str, LogLikelihood], seed: int, files: dict[str, str]
) -> dict[str, Any]:
    return {
        "command": "demo",
        "cases": found.cases_used,
        "free_parameters": found.network.free_parameters,
        "rows_without_cases": sum(map(len, found.empty_rows.values())),
        "new_cases": NEWCOMERS,
        "average_log_likelihood": {name: score.average for name, score in scores.items()},
        "impossible_cases": {
            name: int((score.per_case == -float("inf")).sum()) for name, score in scores.items()
        },
        "seed": seed,
        "written": files,
    }


def _told(found: Fit, clinic: Network, plain: dict[str, Any]) -> str:
    score, impossible = plain["average_log_likelihood"], plain["impossible_cases"]
    lines = [
        f"A chest clinic has the records of {PATIENTS} patients. Its doctors know what depends on",
        f"what; the {plain['free_parameters']} numbers of the network are to be learned. (The"
        f" patients are drawn from the",
        "textbook network 'asia', so the truth is known here, as it never is elsewhere.)",
        "",
        str(found.network["dysp"]),
        "",
        "in truth:",
        str(clinic["dysp"]),
        "",
        "What was learned:",
        *_rows(found),
        f"- {plain['rows_without_cases']} rows of the tables had no patient at all; the prior"
        " filled them, and the report marks them.",
        f"- {NEWCOMERS:,} new patients score {score['smoothed']:.3f} nats each under the network"
        f" learned, {score['truth']:.3f} under the truth.",
        _contrast(impossible["ml"]),
        "",
        f"cases    {Path(plain['written']['network']).parent / 'patients.csv'}",
        f"network  {plain['written']['network']}",
        f"fit      {plain['written']['fit']}",
        f"report   {plain['written']['report']}   (open it in a browser)",
    ]
    return "\n".join(lines)


def _contrast(impossible: int) -> str:
    if not impossible:
        return "- Maximum likelihood, the plain shares, would do about as well here."
    return (
        f"- Maximum likelihood, the plain shares of the {PATIENTS}, calls {impossible:,} of them"
        " impossible: what it never saw cannot be."
    )


def _rows(found: Fit) -> list[str]:
    """One row that many patients speak for, and one that hardly any does."""
    return [
        f"- P(bronc=yes | smoke=yes) is {_interval(found, 'bronc')}.",
        f"- P(tub=yes | asia=yes) is {_interval(found, 'tub')}: look before you believe.",
    ]


def _interval(found: Fit, name: str) -> str:
    """The first cell of the first row: its estimate, its interval, its cases."""
    from tacit.families.counts import Counts
    from tacit.families.table import Table

    family, counts, interval = found.network[name], found.evidence[name], found.intervals[name]
    assert isinstance(family, Table)
    assert isinstance(counts, Counts)
    low, high = interval.lower.flat[0], interval.upper.flat[0]
    cases = counts.rows()[0].sum()
    return (
        f"{family.values.flat[0]:.2f}, between {low:.2f} and {high:.2f} with probability"
        f" {interval.level:g}; it rests on {cases:.0f} patients"
    )
