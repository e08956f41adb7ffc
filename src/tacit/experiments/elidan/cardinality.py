"""How many states the 24 inner variables of alarm have, by the prior and by the number of cases.

[Elidan 2004, section 5.4, figure 5.3; HV1 X5.3, X5.4]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.experiments.elidan.cardinality_told import (
    BEGUN,
    PENALISED,
    RANDOM,
    TYPICAL,
    Draw,
    Found,
)
from tacit.experiments.elidan.inner import alarm_cases, inner, states_of, unseen, weights
from tacit.experiments.outcome import Outcome, Settings, repeated
from tacit.io.textbook import textbook
from tacit.learn.unseen.agglomeration import agglomerate
from tacit.learn.unseen.em_cardinality import em_cardinality
from tacit.learn.unseen.merging import PER_CELL, SUMMED, UNIFORM, TableWeights
from tacit.learn.unseen.penalised_em import penalised_em

NAME = "elidan2004-cardinality"
MOST, PATIENCE = 8, 2
"""States that EM tries, and how many numbers in a row may score less before it ends."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large the experiment is.

    draws   data sets
    cases   of each; the most is what the source's counts are for
    priors  what merging is tried with
    ems     data sets on which EM counts too, with the most cases
    few     how many of the variables are hidden, one at a time; None: all
    """

    draws: int
    cases: tuple[int, ...]
    priors: tuple[TableWeights, ...]
    ems: int
    few: int | None = None


SOME = (*weights(SUMMED, 1, 5, 10), *weights(UNIFORM, 2, 5), *weights(PER_CELL, 1, 2))
EVERY = (
    *weights(SUMMED, 1, 2, 5, 10, 20, 50, 100, 300, 1000),
    *weights(UNIFORM, 1, 2, 5, 10, 20, 50),
    *weights(PER_CELL, 0.1, 0.5, 1, 2, 4),
)
SIZES = {
    "smoke": Size(1, (250, 1000), TYPICAL, 1, 2),
    "default": Size(5, (250, 500, 1000, 2000, 5000, 10_000), SOME, 2),
    "full": Size(20, (100, 250, 500, 1000, 2000, 5000, 10_000), EVERY, 10),
}


def run(settings: Settings) -> Outcome:
    """Every prior on every number of cases; EM on some."""
    size = SIZES[settings.scale]

    def one(number: int) -> Draw:
        return drawn(settings.seed + number, size, number < size.ems)

    made = repeated(one, size.draws, settings, "data sets")
    found = Found(made, size.cases, size.priors)
    told = (found.tables(), found.claims(), found.remarks())
    return Outcome(NAME, settings.seed, len(made), size.draws, *told, found.plain())


def drawn(seed: int, size: Size, em: bool) -> Draw:
    """Of one seed; fewer cases are the first of the most."""
    network, data = textbook("alarm"), alarm_cases(max(size.cases), seed)
    names = inner(network)[: size.few]
    merged = {}
    for cases in size.cases:
        part = data.take(np.arange(cases))
        for prior in size.priors:
            merged[cases, prior] = merged_states(network, part, names, prior)
    first = {
        name: agglomerate(unseen(data, name), network.dag, name).first_states for name in names
    }
    true = {name: states_of(network, name) for name in names}
    return Draw(true, merged, first, em_states(network, data, names, seed) if em else {})


def merged_states(
    network: Network, data: Dataset, names: Sequence[str], prior: TableWeights
) -> dict[str, int]:
    """Each variable hidden by itself, in the true dag."""
    return {
        name: agglomerate(
            unseen(data, name), network.dag, name, prior=prior.kind, strength=prior.strength
        ).states
        for name in names
    }


def em_states(
    network: Network, data: Dataset, names: Sequence[str], seed: int
) -> dict[str, dict[str, int]]:
    """Each variable hidden by itself, and every number of states fitted by EM."""
    found: dict[str, dict[str, int]] = {BEGUN: {}, RANDOM: {}, PENALISED: {}}
    common: dict[str, Any] = {"most": MOST, "patience": PATIENCE, "seed": seed, "threads": 1}
    for name in names:
        seen, dag = unseen(data, name), network.dag
        begin = agglomerate(seen, dag, name)
        found[BEGUN][name] = em_cardinality(seen, dag, name, begin=begin, **common).states
        found[RANDOM][name] = em_cardinality(seen, dag, name, **common).states
        found[PENALISED][name] = penalised_em(seen, dag, name, seed=seed).states
    return found
