"""`tacit demo`: a small clinic learns from its patients, from cases on disk to a report."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer
from tacit.cli.fit import write_fit
from tacit.cli.options import Json, Quiet, Seed
from tacit.cli.targets import fit_target, network_target, report_target
from tacit.core.errors import OptionError
from tacit.core.grid import Grid, counted

if TYPE_CHECKING:
    from tacit.arrays import Floats
    from tacit.core.network import Network
    from tacit.infer.likelihood import LogLikelihood
    from tacit.learn.fits import Fit

EXAMPLES = """\
tacit demo
tacit demo --output /tmp/clinic --seed 7"""

PATIENTS, NEWCOMERS, SEED = 200, 1000, 1

EXPERTS = """\
# What the doctors of the clinic know about their patients.
P(either=yes | tub=yes) = 1; P(either=yes | lung=yes) = 1      # either: one of the two, or both
P(either=yes | tub=no, lung=no) = 0
lung increases with smoke                                       by "Dr. Lee"
dysp increases with bronc                                       by "Dr. Lee"
dysp increases with either                                      by "Dr. Lee"
P(tub=yes | asia=yes) = 5 * P(tub=yes | asia=no)                by "Dr. Kim"
P(xray=yes | either=no) <= 0.06                                 by "Dr. Kim"
0.6 <= P(dysp=yes | bronc=no, either=yes) <= 0.8                by "Dr. Roe"
"""


def demo(
    output: Annotated[
        str, typer.Option(metavar="DIR", help="The folder for all files; made if not there.")
    ] = "demo-output",
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Learn a small network from cases and rules, and report on it.

    Everything it uses comes with the package; all files go to one folder.
    """
    from tacit.estimate.estimates import ML
    from tacit.infer.likelihood import log_likelihood
    from tacit.io.cases import read_cases
    from tacit.io.files import write_whole
    from tacit.io.textbook import textbook
    from tacit.learn.fit import fit

    folder = _folder(output)
    clinic = textbook("asia")
    used = SEED if seed is None else seed
    _write_patients(clinic, folder, used)
    patients = read_cases(folder / "patients.csv", like=clinic)
    newcomers = read_cases(folder / "new-patients.csv", like=clinic)
    experts = folder / "experts.know"
    write_whole(experts, EXPERTS)
    found = fit(clinic, patients, knowledge=experts, seed=used)
    alone = fit(clinic, patients, seed=used)
    plain_shares = fit(clinic, patients, estimate=ML(), seed=used)
    targets = {
        "network": network_target("--output", str(folder / "learned.bif")),
        "fit": fit_target("--output", str(folder / "fit.json")),
        "report": report_target("--output", str(folder / "report.html")),
    }
    write_fit(found, targets)
    scores = {
        "ruled": log_likelihood(found.network, newcomers),
        "smoothed": log_likelihood(alone.network, newcomers),
        "ml": log_likelihood(plain_shares.network, newcomers),
        "truth": log_likelihood(clinic, newcomers),
    }
    files = {"cases": str(folder / "patients.csv"), "experts": str(experts)}
    files |= {what: target.path for what, target in targets.items()}
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
        "rules": {
            verdict: sum(rule.verdict == verdict for rule in found.rules)
            for verdict in ("free", "binding", "resisted")
        },
        "new_cases": NEWCOMERS,
        "average_log_likelihood": {name: score.average for name, score in scores.items()},
        "impossible_cases": {
            name: int((score.per_case == -float("inf")).sum()) for name, score in scores.items()
        },
        "seed": seed,
        "written": files,
    }


def _told(found: Fit, clinic: Network, plain: dict[str, Any]) -> str:
    files, score = plain["written"], plain["average_log_likelihood"]
    return "\n".join(
        [
            f"A chest clinic has the records of {PATIENTS} patients, eight facts about each. Its"
            " doctors know",
            f"what depends on what, and {len(found.rules)} rules about how; the"
            f" {plain['free_parameters']} numbers of the network are to be learned.",
            "(The patients are drawn from the textbook network 'asia', so for once the truth is"
            " known.)",
            "",
            str(_table(found, clinic)),
            "",
            "What was learned:",
            f"- Short of breath (dysp): bronchitis alone makes it {_chance(found, 1)} likely,"
            f" neither illness {_chance(found, 3)}.",
            f"- The third row rests on {_patients(found, 2)}: its interval says how little that"
            " is, and the report shows every such row.",
            f"- {counted(plain['rows_without_cases'], 'row')} of the eight tables had no patient"
            " at all; there the prior speaks alone.",
            *_resisted(found),
            f"- {NEWCOMERS:,} new patients: {score['ruled']:.3f} nats each under the network"
            f" learned, {score['truth']:.3f} under the truth,",
            f"  {score['smoothed']:.3f} under what the same patients teach without the doctors.",
            _contrast(plain["impossible_cases"]["ml"]),
            "",
            f"cases    {files['cases']}",
            f"rules    {files['experts']}",
            f"network  {files['network']}",
            f"fit      {files['fit']}",
            f"report   {files['report']}   (open it in a browser)",
        ]
    )


def _resisted(found: Fit) -> list[str]:
    """What the patients say about the rules, the most expensive one by name."""
    binding = sorted((rule for rule in found.rules if rule.active), key=lambda r: -(r.cost or 0.0))
    against = [rule for rule in binding if rule.verdict == "resisted"]
    told = [
        f"- {len(binding)} of {counted(len(found.rules), 'rule')} bind; the patients speak against"
        f" {len(against) or 'none'} of them."
    ]
    if binding and binding[0].cost:
        told.append(
            f"  Dearest, at {binding[0].cost:.2f} nats: {' '.join(binding[0].text.split())}"
        )
    return told


def _contrast(impossible: int) -> str:
    if not impossible:
        return "- Maximum likelihood, the plain shares, would do about as well here."
    cases = "1 of them" if impossible == 1 else f"{impossible:,} of them"
    return (
        f"- Maximum likelihood, the plain shares of the {PATIENTS}, calls {cases} impossible:"
        " what it never saw cannot be."
    )


def _table(found: Fit, clinic: Network) -> Grid:
    """P(dysp=yes) row by row: learned, with its interval and its patients, and in truth."""
    learned, interval = _rows(found.network), found.intervals["dysp"]
    lower, upper = (bound.reshape(learned.shape) for bound in (interval.lower, interval.upper))
    truth = _rows(clinic)
    states = product(("yes", "no"), repeat=2)
    rows = [
        (
            *given,
            f"{learned[at, 0]:.3f}",
            f"{lower[at, 0]:.2f} to {upper[at, 0]:.2f}",
            f"{_counts(found)[at]:.0f}",
            f"{truth[at, 0]:.3f}",
        )
        for at, given in enumerate(states)
    ]
    heads = ("bronc", "either", "learned", f"{interval.level:.0%} interval", "patients", "truth")
    title = "P(dysp=yes | bronc, either)"
    return Grid(title, heads, tuple(rows), labels=2)


def _rows(network: Network) -> Floats:
    from tacit.families.table import Table

    table = network["dysp"]
    assert isinstance(table, Table)
    return table.values.reshape(-1, 2)


def _counts(found: Fit) -> Floats:
    """How many patients each row rests on."""
    import numpy as np

    from tacit.families.counts import Counts

    counts = found.evidence["dysp"]
    assert isinstance(counts, Counts)
    return np.asarray(counts.rows().sum(axis=1))


def _chance(found: Fit, row: int) -> str:
    return f"{_rows(found.network)[row, 0]:.0%}"


def _patients(found: Fit, row: int) -> str:
    return counted(int(_counts(found)[row]), "patient")
