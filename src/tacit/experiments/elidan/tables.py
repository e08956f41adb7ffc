"""Real tables: does a hidden variable predict cases that nothing was learned from?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.experiments.elidan.crossing import Fold as Parts
from tacit.experiments.elidan.crossing import crossed
from tacit.experiments.elidan.domains import PLACES
from tacit.experiments.elidan.finding import SCORE, places_of
from tacit.experiments.elidan.judged import Watch
from tacit.experiments.elidan.tables_told import Fold, Judged, claims, plain, proposals, table
from tacit.experiments.outcome import Outcome, Settings, repeated
from tacit.infer.likelihood import log_likelihood
from tacit.io.cases import read_cases
from tacit.learn.structure.cheeseman_stutz import cheeseman_stutz
from tacit.learn.structure.search import search
from tacit.learn.structure.settings import HillClimb, Tabu
from tacit.learn.unseen.propose import propose_hidden

NAME = "hidden-tables"
PARTS = 5
"""A table is cut in so many; each is judged by what the others teach."""
LEFT_OUT = {
    "ecpe": ("id",),
    "pisa2009_math": ("idstud", "idschool", "hisei"),
    "pisa2009_read": ("idstud", "idschool", "hisei"),
    "uci_mushroom": ("stalk-root",),
    "uci_zoo": ("animal",),
}
"""Names and numbers of people, and a column a third of which is missing."""


@dataclass(frozen=True, slots=True)
class Size:
    """Which tables, how many of their parts are judged, and cases at most."""

    tables: tuple[str, ...]
    parts: int
    most: int = 1_000_000


FEW = ("stock_tech20", "ecpe", "pisa2009_math", "pisa2009_read", "uci_cmc", "science")
MANY = (*FEW, "uci_mushroom", "uci_solar_flare", "nltcs.train", "uci_car", "uci_nursery",
        "uci_kr_vs_kp", "news100", "msnbc.valid", "jester.train", "uci_lymph")  # fmt: skip
SIZES = {
    "smoke": Size(("pisa2009_math",), 1),
    "default": Size(FEW, PARTS),
    "full": Size(MANY, PARTS, 5000),
}


def run(settings: Settings) -> Outcome:
    """Part after part of every table."""
    size = SIZES[settings.scale]
    asked = [(name, part) for part in range(size.parts) for name in size.tables]

    def one(at: int) -> tuple[str, Fold]:
        name, part = asked[at]
        return name, tried(parts_of(name, settings, size)[part], settings.seed)

    made = repeated(one, len(asked), settings, "parts of tables")
    judged = [
        Judged(name, [fold for other, fold in made if other == name])
        for name in dict.fromkeys(name for name, _ in made)
    ]
    told = ((table(judged), proposals(judged)), claims(judged), _remarks(size))
    return Outcome(NAME, settings.seed, len(made), len(asked), *told, plain(judged))


def parts_of(name: str, settings: Settings, size: Size) -> list[Parts]:
    """The parts of a table; the seed decides which case is in which."""
    cases = read(name, settings.data)
    order = np.random.default_rng(settings.seed).permutation(len(cases))[: size.most]
    return crossed(cases.take(np.sort(order)), PARTS, settings.seed)


def read(name: str, data: Path | None) -> Dataset:
    """The discrete columns of a table, without those that name people."""
    assert data is not None
    found = [data / place.format(name) for place in PLACES if (data / place.format(name)).is_file()]
    if not found:
        raise OptionError(f"there is no table {name!r} in {data}")
    cases = read_cases(found[0])
    return cases.select(
        [
            each
            for each in cases.names
            if each not in LEFT_OUT.get(name, ()) and isinstance(cases.variables[each], Discrete)
        ]
    )


def tried(parts: Parts, seed: int) -> Fold:
    """Variables sought and confirmed without the part that judges."""
    watch = Watch()
    found = propose_hidden(parts.train, score=SCORE, as_given=True, seed=seed, progress=False)
    seconds = watch.seconds
    rival = best_without(parts.train, found.without.network, seed)
    here, there = (log_likelihood(each, parts.test).per_case for each in (found.network, rival))
    accepted = found.accepted
    return Fold(
        len(parts.train), len(parts.train.names), places_of(found.network, parts.train.names),
        here - there, float(there.mean()), tuple(each.gain for each in accepted),
        tuple(each.held_out_gain or 0.0 for each in accepted), seconds,
    )  # fmt: skip


def best_without(train: Dataset, known: Network, seed: int) -> Network:
    """The best network without hidden variables: that of the search for them, or what searches
    with restarts find in all cases to learn from, by their score."""
    rivals: Sequence[Network] = [known]
    if not any(train.missing().values()):
        for how in (Tabu(), HillClimb(restarts=20, perturb="order")):
            again = search(train, score=SCORE, method=how, as_given=True, seed=seed, progress=False)
            rivals = [*rivals, again.network]
    return max(rivals, key=lambda each: cheeseman_stutz(each, train, SCORE))


def _remarks(size: Size) -> tuple[str, ...]:
    few = f", {size.most:,} of its cases at most" if size.most < 10**6 else ""
    return (
        f"Each table is cut in {PARTS} parts at random{few}; what is learned from four, accepted "
        "on a fifth of these, is judged by the other one: nested, so that no case judges a "
        f"network it had a say in. Parts judged: {size.parts}.",
        "The rival has the highest score on all cases to learn from, of the network that the "
        "search for hidden variables compared with, tabu search, and hill climbing with twenty "
        "restarts; the network with hidden variables has its structure from four fifths of them.",
        "Nothing accepted: both are networks without, and differ only as the rival has more "
        "cases for its structure.",
    )
