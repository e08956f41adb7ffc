"""Ideal parents on cases drawn from networks that are known, few cases and many.

[Elidan 2004, section 7.6, Figure 7.3; HV2 5.3]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.grid import Grid
from tacit.core.network import Network
from tacit.estimate.estimates import ML
from tacit.experiments.elidan.genes import genes
from tacit.experiments.outcome import Claim, Outcome, Settings, repeated
from tacit.families.curved import SigmoidGaussian
from tacit.infer.likelihood import log_likelihood
from tacit.infer.sampling import sample
from tacit.learn.structure.search import search
from tacit.learn.structure.searched import Search
from tacit.learn.structure.settings import IdealParent

NAME = "elidan2004-figure7.3"
NEW = 2_000
"""Cases to judge by."""


@dataclass(frozen=True, slots=True)
class Size:
    """Families, cases to learn from, and data sets of each."""

    forms: tuple[str, ...]
    cases: tuple[int, ...]
    repetitions: int


SIZES = {
    "smoke": Size(("linear",), (100,), 1),
    "default": Size(("linear", "sigmoid"), (100, 400), 1),
    "full": Size(("linear", "sigmoid"), (50, 100, 200, 500, 1000, 2000), 5),
}


def run(settings: Settings) -> Outcome:
    """Every family and number of cases; an interruption leaves what was done."""
    size = SIZES[settings.scale]
    pieces = [
        (form, cases, number)
        for number in range(size.repetitions)
        for cases in size.cases
        for form in size.forms
    ]
    truths: dict[str, Network] = {}

    def one(at: int) -> dict[str, Any]:
        form, cases, number = pieces[at]
        if form not in truths:
            truths[form] = truth(form, settings)
        return compared(truths[form], form, cases, settings.seed + 100 * number)

    made = repeated(one, len(pieces), settings, "data sets")
    return Outcome(
        NAME, settings.seed, len(made), len(pieces), (_table(made),), _claims(made),
        _remarks(made, truths), {"rows": made},
    )  # fmt: skip


def truth(form: str, settings: Settings) -> Network:
    """What greedy search learns from the genes that make amino acids, 44 variables."""
    held = genes("AA", settings.data, settings.seed)
    method = IdealParent(k=2)
    return searched(held.cases, form, method).network


def searched(cases: Dataset, form: str, method: IdealParent) -> Search:
    """A search, and the most likely numbers of what it found."""
    return search(
        cases, method=method, family=_family(form), estimate=ML(), as_given=True, seed=1,
        progress=False,
    )  # fmt: skip


def _family(form: str) -> Any:
    return SigmoidGaussian if form == "sigmoid" else None


def compared(network: Network, form: str, cases: int, seed: int) -> dict[str, Any]:
    """Greedy, K = 5 and K = 2 on one data set."""
    train = sample(network, cases, seed=seed)
    test = sample(network, NEW, seed=seed + 50_000)
    links = {frozenset(arc) for arc in network.dag.arcs}
    runs = {}
    for name, k in (("greedy", len(network)), ("K = 5", 5), ("K = 2", 2)):
        method = IdealParent(k=k, similarity="exact" if name == "greedy" else "ideal", pooled=False)
        found = searched(train, form, method)
        here = {frozenset(arc) for arc in found.dag.arcs}
        unit = len(network) * log(2)
        runs[name] = {
            "train": log_likelihood(found.network, train).average / unit,
            "test": log_likelihood(found.network, test).average / unit,
            "found": len(here & links) / len(links),
            "learned": len(here) / len(links),
        }
    return {"form": form, "cases": cases, "runs": runs}


def _mean(made: Sequence[Mapping[str, Any]], form: str, cases: int, run: str, what: str) -> float:
    chosen = [m["runs"][run][what] for m in made if (m["form"], m["cases"]) == (form, cases)]
    return float(np.mean(chosen))


def _keys(made: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    return sorted(dict.fromkeys((m["form"], m["cases"]) for m in made))


def _table(made: Sequence[Mapping[str, Any]]) -> Grid:
    rows = [
        (form if name == "greedy" else "", str(cases) if name == "greedy" else "", name,
         *(f"{_mean(made, form, cases, name, what):.3f}"
           for what in ("train", "test", "found", "learned")))
        for form, cases in _keys(made)
        for name in ("greedy", "K = 5", "K = 2")
    ]  # fmt: skip
    heads = ("families", "cases", "search", "train", "test", "true links found", "learned / true")
    title = "44 variables drawn from a known network, bits per case and variable (Figure 7.3)"
    return Grid(title, heads, tuple(rows), labels=3)


def _claims(made: Sequence[Mapping[str, Any]]) -> tuple[Claim, ...]:
    lines = [key for key in _keys(made) if key[0] == "linear"]
    apart = [
        _mean(made, *key, "K = 2", "test") - _mean(made, *key, "greedy", "test") for key in lines
    ]
    return (
        Claim(
            f"of lines, K = 2 predicts new cases as greedy does (worst {min(apart):+.3f} bits)",
            min(apart) >= -0.05,
        ),
    )


def _remarks(made: Sequence[Mapping[str, Any]], truths: Mapping[str, Network]) -> tuple[str, ...]:
    del made
    arcs = ", ".join(f"{form} {len(network.dag.arcs)}" for form, network in truths.items())
    return (
        f"arcs of the networks that drew the cases: {arcs}",
        "the paper's plots are lost; it says that of lines all searches predict new cases alike, "
        "that of sigmoids greedy is slightly better, finds somewhat more true arcs, and learns "
        "close to half more arcs than there are; the similarity is the paper's",
    )
