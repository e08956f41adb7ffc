"""Yeast genes measured under 173 conditions, as the ideal parent experiments take them.

[Elidan 2004, section 7.6; HV2 5.1]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.variables import Continuous
from tacit.experiments.elidan.domains import PLACES
from tacit.families.responses import RESPONSES
from tacit.io.cases import read_cases

AMINO, STRESS = "gasch_amino", "gasch2000"
CONDITIONS = 173
SIZES: Mapping[str, int] = {"AA": 44, "Met": 89, "AA gaps": 354}
"""Genes of each set, as the paper counts them."""
GAPS = 0.1
"""The share of a gene's cells that may be missing."""
MOST_IN = 5
"""Parents that a stand-in variable has at most; one less than half of it on average."""


@dataclass(frozen=True, slots=True, eq=False)
class Genes:
    """Standardised cases and where they came from."""

    name: str
    cases: Dataset
    source: str


def genes(name: str, folder: Path | None, seed: int) -> Genes:
    """`AA`, `Met`, `AA gaps`, and with ` Cond` the same matrix with conditions as variables.

    AA: the first 44 of the genes that make amino acids, the few gaps filled by the gene's mean.
    Met: 89 of the genes without gaps, drawn by the seed; no list of metabolic genes is at hand.
    AA gaps: 354 of the genes with a few gaps, drawn by the seed.
    """
    turned = name.endswith(" Cond")
    kind = name.removesuffix(" Cond")
    many = SIZES[kind]
    if folder is None:
        values = standin(CONDITIONS, many, seed)
        source = f"a network of {many} curves at random"
        if kind == "AA gaps":
            values, source = _holed(values, seed), f"{source}, 3 % of its cells taken out"
    elif kind == "AA gaps":
        values, source = gapped(many, folder, seed)
    elif kind == "AA":
        values = _filled(_read(found(folder, AMINO)))[:, :many]
        source = f"{AMINO}, its first {many} genes"
    else:
        every = _read(found(folder, STRESS)).T
        whole = every[:, ~np.isnan(every).any(axis=0)]
        chosen = np.sort(np.random.default_rng([seed, 7, 1]).permutation(whole.shape[1])[:many])
        values, source = whole[:, chosen], f"{STRESS}, {many} genes without gaps"
    values = values.T if turned else values
    return Genes(name, dataset(values, "C" if turned else "G"), source)


def gapped(many: int, folder: Path, seed: int) -> tuple[Floats, str]:
    """Genes of which some cells are missing, drawn by the seed among those with a few gaps."""
    every = _read(found(folder, STRESS)).T
    gaps = np.isnan(every).sum(axis=0)
    open_ = np.flatnonzero((gaps > 0) & (gaps <= GAPS * len(every)))
    chosen = np.sort(np.random.default_rng([seed, 7, 2]).permutation(open_)[:many])
    return every[:, chosen], f"{STRESS}, {many} genes with up to a tenth of their cells missing"


def _holed(values: Floats, seed: int) -> Floats:
    random = np.random.default_rng([seed, 7, 4])
    return np.where(random.random(values.shape) < 0.03, np.nan, values)


def standin(cases: int, size: int, seed: int) -> Floats:
    """(cases, size) of a dag at random whose families are sigmoids of up to five parents."""
    random = np.random.default_rng([seed, 7, 3])
    columns: list[Floats] = []
    for at in range(size):
        parents = random.permutation(at)[: random.integers(0, MOST_IN + 1)]
        slopes = random.uniform(0.5, 1.5, len(parents)) * random.choice([-1, 1], len(parents))
        term = np.zeros(cases)
        for slope, parent in zip(slopes, parents.tolist(), strict=True):
            term += slope * columns[parent]
        mean = 4 * RESPONSES["sigmoid"].value(term)
        column = mean + random.normal(size=cases) * (0.5 if len(parents) else 1.0)
        columns.append((column - column.mean()) / column.std())
    return np.array(columns).T


def dataset(values: Floats, letter: str) -> Dataset:
    """Columns standardised over the cells that are there, named by a letter and a number."""
    mean, sd = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    scaled = (values - mean) / np.where(sd > 0, sd, 1.0)
    names = [f"{letter}{at + 1}" for at in range(values.shape[1])]
    return Dataset(
        {name: Continuous(name) for name in names}, dict(zip(names, scaled.T, strict=True))
    )


def found(folder: Path, name: str) -> Path:
    """The file of a table in the folder of data."""
    places = [folder / place.format(name) for place in PLACES]
    for place in places:
        if place.is_file():
            return place
    raise OptionError(f"there is no table {name!r} in {folder}\n\nlooked for {places[0]}")


def _read(path: Path) -> Floats:
    """The numbers of a table, without its column of names; nan where a cell is empty."""
    table = read_cases(path)
    columns = [table[n] for n, v in table.variables.items() if isinstance(v, Continuous)]
    return np.array(columns, dtype=np.float64).T


def _filled(values: Floats) -> Floats:
    return np.where(np.isnan(values), np.nanmean(values, axis=0), values)
