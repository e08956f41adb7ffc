"""Cases to learn from and to judge by: real where they are to be had, otherwise stand-ins.

`domain("stock", folder)` reads them, `domain("stock")` makes them. [HV1 section 8]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, nearest
from tacit.core.network import Network
from tacit.experiments.elidan import standins
from tacit.experiments.elidan.standins import Random
from tacit.infer.sampling import AtRandom, sample
from tacit.io.cases import read_cases

PLACES = ("tables/{}.csv.gz", "tables/{}.csv", "{}.csv.gz", "{}.csv")
"""Where a table may lie in the folder of data."""


@dataclass(frozen=True, slots=True)
class Domain:
    """Cases of one kind, in two parts.

    network  what they were drawn from, with its hidden variables; None where they are real
    hidden   the variables of the network that the cases do not show
    unseen   their columns in the cases to learn from, to compare what was found with
    source   where they come from, in words
    """

    name: str
    train: Dataset
    test: Dataset
    network: Network | None
    hidden: tuple[str, ...]
    unseen: Dataset | None
    source: str


@dataclass(frozen=True, slots=True)
class _Kind:
    """How many cases there are, what makes them, and which table holds the real ones.

    missing  the share of cells that are missing
    file     the name of the table; none where nobody gives it away
    """

    train: int
    test: int
    make: Callable[[Random], Network]
    hidden: Callable[[Network], tuple[str, ...]] = lambda _: ()
    missing: float = 0.0
    file: str = ""


KINDS = {
    "soybean": _Kind(307, 376, standins.SOYBEAN.network, missing=0.1, file="uci_soybean"),
    "audiology": _Kind(202, 26, standins.AUDIOLOGY.network, missing=0.2, file="uci_audiology"),
    "rosetta": _Kind(240, 60, standins.ROSETTA.network, standins.regulators),
    "stock": _Kind(1213, 303, standins.stock, lambda _: ("Market",), file="stock_tech20"),
    "tb": _Kind(1842, 460, lambda _: standins.tuberculosis(), lambda _: ("population",)),
    "news": _Kind(5000, 5000, standins.news, lambda _: ("topic",), file="news100"),
    "interacting": _Kind(
        1000, 10_000, lambda _: standins.interacting(), lambda _: ("h0", "h1", "h2", "h3")
    ),
}


def domain(name: str, data: Path | None = None, seed: int = 1, train: int | None = None) -> Domain:
    """The cases of this name: soybean, audiology, rosetta, stock, tb, news or interacting.

    data   a folder of public tables; where the one that is wanted lies in it, it is read
    seed   of the stand-in, or of the shuffle that parts the real cases
    train  how many cases to learn from, instead of the source's number
    """
    if name not in KINDS:
        raise OptionError(
            f"there are no cases called {name!r}{nearest(name, KINDS)}\n\nthere are: "
            + ", ".join(KINDS)
        )
    kind, places = KINDS[name], [place.format(KINDS[name].file) for place in PLACES]
    found = [data / place for place in places if data and kind.file and (data / place).is_file()]
    if found:
        return _read(name, kind, found[0], seed, train)
    return _made(name, kind, seed, train or kind.train)


def _read(name: str, kind: _Kind, path: Path, seed: int, train: int | None) -> Domain:
    """Shuffled and parted as the source parts them: by its numbers, or its shares of fewer."""
    held = read_cases(path)
    share = kind.train / (kind.train + kind.test)
    many = min(kind.train, round(share * len(held))) if train is None else train
    if not 0 < many < len(held):
        raise OptionError(f"{path.name} has {len(held)} cases: {many} to learn from leave none")
    order = np.random.default_rng(seed).permutation(len(held))
    parts = held.take(order[:many]), held.take(order[many : many + kind.test])
    said = f"{path.name}, {len(held):,} cases, shuffled"
    return Domain(name, *parts, None, (), None, f"{said}: {len(parts[0]):,} and {len(parts[1]):,}")


def _made(name: str, kind: _Kind, seed: int, train: int) -> Domain:
    """A network and its cases, which depend on the seed alone."""
    random = np.random.default_rng(seed)
    network = kind.make(random)
    hidden = kind.hidden(network)
    shown = [each for each in network.dag.names if each not in hidden]
    draw, total = int(random.integers(2**31)), train + kind.test
    missing = AtRandom(kind.missing, columns=shown) if kind.missing else None
    held = sample(network, total, seed=draw, missing=missing)
    first, rest = held.take(np.arange(train)), held.take(np.arange(train, total))
    said = f"a stand-in of seed {seed}, {len(network)} variables"
    if hidden:
        said += f" of which {len(hidden)} {'is' if len(hidden) == 1 else 'are'} hidden"
    said += f": {train:,} and {kind.test:,} cases"
    parts = first.select(shown), rest.select(shown)
    return Domain(name, *parts, network, hidden, first.select(hidden), said)
