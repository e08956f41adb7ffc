"""`tacit posterior`: what cases, prior and rules say of every parameter."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer, noted
from tacit.cli.choices import normal_beside, prior_of
from tacit.cli.options import (
    Cases,
    Continuouses,
    Discretes,
    Json,
    KnowledgeFiles,
    Missing,
    NormalPriorName,
    PriorName,
    Query,
    Quiet,
    Seed,
    StructureOf,
    TableName,
    Threads,
    Weights,
)
from tacit.cli.reading import Reading, structure_of
from tacit.cli.targets import Target, check_targets, network_target, write_all
from tacit.core.grid import counted

if TYPE_CHECKING:
    from tacit.learn.posteriors import Posterior

EXAMPLES = """\
tacit posterior patients.csv --network asia.bif --knowledge experts.know
tacit posterior patients.csv --network asia.bif --knowledge experts.know -o means.bif \\
    --of "P(lung=yes | smoke=yes) - P(lung=yes | smoke=no)" --draws-to draws.csv --seed 1"""


NO_EVIDENCE = (
    "no log marginal likelihood: it is not computed with missing cells, under rules that are not "
    "linear or tie coefficients of several regressions, where hardly any draw keeps the rules, or "
    "with --likelihood binomial_product"
)


class LikelihoodName(StrEnum):
    """The likelihoods by name."""

    MULTINOMIAL = "multinomial"
    BINOMIAL_PRODUCT = "binomial_product"


def posterior(
    cases: Cases,
    network: StructureOf,
    knowledge: KnowledgeFiles = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="OUT", help="The posterior means as a network."),
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option(
            "--of", metavar="QUANTITY", help='Say "P(A=a | B=b) - P(A=a | B=c)"; repeatable.'
        ),
    ] = None,
    prior: PriorName = "bdeu:1",
    normal_prior: NormalPriorName = None,
    likelihood: Annotated[
        LikelihoodName, typer.Option(help="binomial_product is MPL-C as it was printed.")
    ] = LikelihoodName.MULTINOMIAL,
    draws: Annotated[int, typer.Option(min=16, help="How many draws are kept.")] = 4_000,
    precision: Annotated[
        float, typer.Option(min=0, help="Monte Carlo error of sampled means, at most.")
    ] = 1e-3,
    draws_to: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the draws: .csv .parquet ...")
    ] = None,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Compute the log marginal likelihood too.")
    ] = False,
    level: Annotated[float, typer.Option(help="Of the credible intervals.")] = 0.95,
    weights: Weights = None,
    missing: Missing = None,
    discrete: Discretes = None,
    continuous: Continuouses = None,
    table: TableName = None,
    query: Query = None,
    threads: Threads = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Say how probable parameters are, given cases and rules.

    Means, spreads and credible intervals of every cell; rules said with less than certainty get a
    probability.
    """
    chosen = normal_beside(prior_of(prior), normal_prior)
    targets = _targets(output, draws_to)
    read = [("CASES", cases), *(("--knowledge", file) for file in knowledge or ())]
    check_targets(list(targets.values()), *read)
    reading = Reading.of(weights, missing, discrete, continuous, table, query)

    from tacit.estimate.bayes.draws import Sampling
    from tacit.learn.posterior import posterior as compute

    structure, notes = structure_of(network)
    found = compute(
        structure,
        reading.cases(cases, structure, threads),
        knowledge=[Path(file) for file in knowledge] if knowledge else None,
        prior=chosen,
        likelihood=likelihood.value,
        sampling=Sampling(draws=draws, precision=precision or None),
        level=level,
        seed=seed,
        threads=threads,
        progress=False if quiet or json else None,
    )
    quantities = [found.of(text) for text in of or ()]
    weighed = found.evidence if evidence else None
    if evidence and weighed is None:
        notes = (*notes, NO_EVIDENCE)
    _write(found, targets)
    plain = _plain(found, quantities, weighed, targets, notes)
    asked = "\n\n".join(str(each) for each in quantities)
    told = _told(found, quantities, weighed, targets, notes)
    return Answer(told, plain, asked, json=json, quiet=quiet)


def _targets(output: str | None, draws_to: str | None) -> dict[str, Target]:
    from tacit.io.casesout import PACKED, SUFFIXES

    targets = {}
    if output is not None:
        targets["means"] = network_target("-o", output)
    if draws_to is not None:
        targets["draws"] = Target("--draws-to", draws_to, SUFFIXES, PACKED)
    return targets


def _write(found: Posterior, targets: dict[str, Target]) -> None:
    from tacit.io.casesout import write_cases
    from tacit.io.formats import write
    from tacit.learn.posterior_shown import draws_dataset

    writers = {
        "means": lambda path: write(found.network, path),
        "draws": lambda path: write_cases(draws_dataset(found), path),
    }
    write_all([(target, writers[what]) for what, target in targets.items()])


def _told(
    found: Posterior,
    quantities: list[Any],
    weighed: Any,
    targets: dict[str, Target],
    notes: tuple[str, ...],
) -> str:
    from tacit.learn.posterior_shown import cells_grid

    lines = [f"Posterior from {counted(found.cases.cases, 'case')}", str(found.diagnostics)]
    for belief in found.beliefs:
        said = " ".join(belief.text.split())
        lines.append(f"{said}: holds with probability {belief.probability:.3g}")
    if weighed is not None:
        error = f" ± {weighed.error:.2g}" if weighed.error else ""
        lines.append(f"log marginal likelihood {weighed.value:.6g}{error} nats")
    lines += ["", str(cells_grid(found))]
    for each in quantities:
        lines += ["", str(each)]
    lines += ["", *noted([*notes, *found.notes])] if notes or found.notes else []
    lines += [f"{what} written to {target.path}" for what, target in targets.items()]
    return "\n".join(lines)


def _plain(
    found: Posterior,
    quantities: list[Any],
    weighed: Any,
    targets: dict[str, Target],
    notes: tuple[str, ...],
) -> dict[str, Any]:
    from tacit.learn.posterior_shown import posterior_plain

    return {
        "command": "posterior",
        **posterior_plain(found),
        "quantities": [
            {
                "text": each.text,
                "instances": list(each.labels),
                "mean": each.mean.tolist(),
                "sd": each.sd.tolist(),
                "lower": each.interval[0].tolist(),
                "upper": each.interval[1].tolist(),
            }
            for each in quantities
        ],
        "log_marginal_likelihood": None if weighed is None else weighed.value,
        "log_marginal_likelihood_error": None if weighed is None else weighed.error,
        "notes": [*notes, *found.notes],
        "written": {what: target.path for what, target in targets.items()},
    }
