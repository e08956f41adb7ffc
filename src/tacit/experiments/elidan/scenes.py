"""Stocks, digits and genes, and the dags above them whose inner variables nobody measured.

[Elidan 2004, section 6.6; HV2 4.1, HV2-15, HV2-38]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.arrays import Column, Floats, Ints
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.variables import Continuous, Discrete
from tacit.experiments.elidan.domains import PLACES, domain
from tacit.experiments.elidan.planted import measured, planted_hierarchy
from tacit.io.cases import read_cases
from tacit.learn.hierarchies.building import grouped_hierarchy, quadrant_hierarchy

MOVES = ("down", "same", "up")
SIDE, GREYS, LEVELS = 8, 10, 17
"""Pixels on a side of an image, the bins they are put into, and the greys that they come with."""
CONDITIONS = 173


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Cases to learn from and to judge by, and where they come from, in words."""

    train: Dataset
    test: Dataset
    source: str

    @property
    def names(self) -> tuple[str, ...]:
        """What is measured."""
        return self.train.names

    def cut(self, cases: int | None) -> Scene:
        """With the first so many cases to learn from; None: all."""
        if cases is None or cases >= len(self.train):
            return self
        said = f"{self.source}; the first {cases:,} to learn from"
        return Scene(self.train.take(np.arange(cases)), self.test, said)


def scene(name: str, data: Path | None, seed: int) -> Scene:
    """Stock, Digit or Yeast: the public table if the folder has it, otherwise a stand-in.

    Real cases are shuffled by the seed and parted in the source's proportion.
    """
    return _SCENES[name](data, seed)


def above(names: Sequence[str], hidden: str = "H") -> Dag:
    """Naive Bayes: one hidden parent of everything."""
    return grouped_hierarchy({hidden: names})


def digit_dag(levels: int) -> Dag:
    """The hierarchy of quadrants, 5 hidden variables with 3 levels and 21 with 4."""
    return quadrant_hierarchy(SIDE, SIDE, levels=levels, pixel="p{}{}".format)


# --- stocks ------------------------------------------------------------------------------------


def _stock(data: Path | None, seed: int) -> Scene:
    held = domain("stock", data, seed)
    return Scene(held.train, held.test, held.source)


# --- digits ------------------------------------------------------------------------------------


def _digit(data: Path | None, seed: int) -> Scene:
    """7291 and 2007 cases in the source; its pixels are in "10 equal bins", and so are ours."""
    path = _found(data, "digits")
    if path is None:
        return _planted(digit_dag(4), GREYS, 3, (7291, 2007), seed)
    held = read_cases(path)
    names = [name for name in held.names if name != "class"]
    variables = {name: Discrete(name, tuple(map(str, range(GREYS)))) for name in names}
    binned = {name: greys(_numbers(held, name)) for name in names}
    return _parted(Dataset(variables, binned), 7291 / (7291 + 2007), seed, path.name)


def _numbers(held: Dataset, name: str) -> Ints:
    """The greys that a column holds."""
    variable = held.variables[name]
    assert isinstance(variable, Discrete)
    return np.array([int(state) for state in variable.states])[held[name]]


def greys(values: Ints) -> Column:
    """0 to 16 in ten bins of equal width."""
    return np.minimum(values * GREYS // LEVELS, GREYS - 1).astype(np.int8)


# --- genes -------------------------------------------------------------------------------------


def _yeast(data: Path | None, seed: int) -> Scene:
    """6152 genes under 173 conditions, 4922 of them to learn from."""
    path = _found(data, "gasch2000")
    if path is None:
        return _planted(yeast_dag(), len(MOVES), 3, (4922, 1230), seed)
    held = read_cases(path)
    real = [name for name, each in held.variables.items() if isinstance(each, Continuous)]
    moves = changes(np.column_stack([held[name] for name in real]).astype(np.float64))
    names = [condition(at) for at in range(len(real))]
    columns = {name: moves[:, at] for at, name in enumerate(names)}
    variables = {name: Discrete(name, MOVES) for name in names}
    return _parted(Dataset(variables, columns), 4922 / 6152, seed, path.name)


def changes(values: Floats) -> Column:
    """Down, same or up: a standard deviation away from the mean of the gene, which is a row.

    What is missing is the same: the source does not say what it did. [HV2 4.1]
    """
    known = ~np.isnan(values)
    many = np.maximum(known.sum(axis=1, keepdims=True), 1)
    mean = np.where(known, values, 0.0).sum(axis=1, keepdims=True) / many
    apart = np.where(known, values - mean, 0.0)
    spread = np.sqrt((apart**2).sum(axis=1, keepdims=True) / many)
    return np.asarray((apart > spread).astype(np.int8) - (apart < -spread) + 1, dtype=np.int8)


def condition(at: int) -> str:
    """The name of a condition, numbered from 0 in the order of the file."""
    return f"c{at:03d}"


def _spans(*ends: int) -> list[int]:
    """Conditions from each even end to the odd one after it, both included."""
    return [at for low, high in zip(ends[::2], ends[1::2], strict=True)
            for at in range(low, high + 1)]  # fmt: skip


GROUPS: Mapping[str, Sequence[int]] = {
    "heat_1": _spans(0, 14), "heat_2": _spans(15, 24), "heat_3": _spans(25, 34),
    "heat_4": _spans(134, 138, 160, 172), "peroxide": _spans(35, 44, 139, 143),
    "menadione": _spans(45, 53), "dtt": _spans(54, 68), "diamide": _spans(69, 76),
    "osmotic": _spans(77, 89), "starvation": _spans(90, 104), "diauxic": _spans(105, 121),
    "ypd": _spans(122, 133), "carbon": _spans(144, 159),
}  # fmt: skip
"""Conditions under each of the 13 lowest hidden variables. [HV2 4.1, a stand-in for figure 6.6a]"""
MIDDLE: Mapping[str, Sequence[str]] = {
    "heat": ["heat_1", "heat_2", "heat_3", "heat_4"], "oxidative": ["peroxide", "menadione"],
    "redox": ["dtt", "diamide"], "osmosis": ["osmotic", "carbon"],
    "nutrient": ["starvation", "diauxic", "ypd"],
}  # fmt: skip
FEW_GROUPS: Mapping[str, Sequence[int]] = {
    "heat_1": _spans(0, 14), "heat_2": _spans(15, 24), "heat_3": _spans(25, 27, 29, 34),
    "strains": _spans(134, 138), "growth": _spans(160, 172), "nitrogen": _spans(95, 104),
}  # fmt: skip
"""Of the 62 conditions on heat and on nitrogen. [HV2 4.1, a stand-in for figure 6.11a]"""


def yeast_dag() -> Dag:
    """19 hidden variables above the 173 conditions: a root, 5 kinds of stress, 13 groups."""
    lowest = {name: list(map(condition, group)) for name, group in GROUPS.items()}
    return grouped_hierarchy({**lowest, **MIDDLE, "stress": list(MIDDLE)})


def yeast62_dag() -> Dag:
    """8 hidden variables above 62 conditions: a root, heat, and 6 groups."""
    lowest = {name: list(map(condition, group)) for name, group in FEW_GROUPS.items()}
    warm = [name for name in FEW_GROUPS if name != "nitrogen"]
    return grouped_hierarchy({**lowest, "heat": warm, "stress": ["heat", "nitrogen"]})


def yeast62(held: Scene) -> Scene:
    """Only the 62 conditions."""
    names = [condition(at) for group in FEW_GROUPS.values() for at in group]
    return Scene(held.train.select(names), held.test.select(names), f"{held.source}; 62 conditions")


# --- what all have in common -------------------------------------------------------------------


def _found(data: Path | None, name: str) -> Path | None:
    places = [place.format(name) for place in PLACES]
    found = [data / place for place in places if data and (data / place).is_file()]
    return found[0] if found else None


def _parted(held: Dataset, share: float, seed: int, file: str) -> Scene:
    order = np.random.default_rng(seed).permutation(len(held))
    many = round(share * len(held))
    train, test = held.take(order[:many]), held.take(order[many:])
    said = f"{file}, {len(held):,} cases, shuffled: {len(train):,} and {len(test):,}"
    return Scene(train, test, said)


def _planted(dag: Dag, states: int, hidden: int, sizes: tuple[int, int], seed: int) -> Scene:
    """Cases of a hierarchy drawn at random, with the source's numbers of cases."""
    many = {name: hidden if dag.children[name] else states for name in dag.names}
    network = planted_hierarchy(dag, many, seed, stays=0.7)
    held = measured(network, sum(sizes), seed + 1)
    train, test = (held.take(np.arange(*ends)) for ends in ((0, sizes[0]), (sizes[0], sum(sizes))))
    said = (
        f"a stand-in of seed {seed}, a planted hierarchy of {len(dag.names)} variables: "
        f"{len(train):,} and {len(test):,} cases"
    )
    return Scene(train, test, said)


_SCENES: Mapping[str, Callable[[Path | None, int], Scene]] = {
    "Stock": _stock,
    "Digit": _digit,
    "Yeast": _yeast,
}
