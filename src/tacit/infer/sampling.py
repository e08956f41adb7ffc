"""Cases drawn from a network, with cells blanked out on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Column, Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import ColumnError, OptionError, SizeError, listed, nearest
from tacit.core.grid import counted
from tacit.core.network import Network, check_network
from tacit.infer.conditional import sample_given


@dataclass(frozen=True, slots=True)
class AtRandom:
    """Cells go missing with probability `share`, whatever their value.

    columns  where cells go missing; None: everywhere
    given    an always observed column on which the probability depends: cases low in its order
             lose fewer cells, cases high in it more, `share` on average. Without it the cells are
             missing completely at random, with it at random (Rubin 1976).
    """

    share: float
    columns: Sequence[str] | None = None
    given: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.share, int | float | np.number) or not 0 <= self.share <= 1:
            raise OptionError(f"share={self.share!r} must lie between 0 and 1")
        if self.columns is not None and self.given in self.columns:
            raise OptionError(f"{self.given!r} cannot lose cells and decide which are lost")


def sample(
    network: Network,
    cases: int,
    *,
    given: Mapping[str, Any] | None = None,
    seed: int | None = None,
    missing: AtRandom | None = None,
) -> Dataset:
    """Independent cases drawn from the network, parents before children.

    given    findings, {"A": "yes"}: the cases come from the posterior, exactly; around curves
             whose parents are unknown by weighted draws, which a note of the cases tells
    seed     repeats the draw bit for bit; without it one is made up and kept in `source`
    missing  blanks out cells
    """
    check_network(network)
    if isinstance(cases, bool) or not isinstance(cases, int | np.integer) or cases < 0:
        raise OptionError(f"the number of cases must be 0 or more, not {cases!r}")
    if missing is not None and not isinstance(missing, AtRandom):
        raise OptionError(f"missing takes a value such as tc.AtRandom(0.1), not {missing!r}")
    cases, seed = int(cases), fresh_seed(seed)
    random = np.random.default_rng(seed)
    notes: tuple[str, ...] = ()
    try:
        if given:
            columns, notes = sample_given(network, cases, given, random)
        else:
            columns = sample_forward(network, cases, random)
    except MemoryError:
        raise SizeError(
            f"{cases:,} cases of {counted(len(network), 'variable')} do not fit into memory"
            "\n\ndraw fewer at a time"
        ) from None
    if missing is not None:
        columns = _blanked(columns, missing, random)
    ordered = {name: columns[name] for name in network.dag.names}
    source = f"{cases} cases sampled with seed {seed}"
    return Dataset(network.variables, ordered, notes=notes, source=source)


def sample_forward(network: Network, cases: int, random: np.random.Generator) -> dict[str, Column]:
    """Columns drawn along the arcs."""
    columns: dict[str, Column] = {}
    for name in network:
        family = network[name]
        columns[name] = family.sample([columns[p] for p in family.parents], cases, random)
    return columns


def fresh_seed(seed: int | None) -> int:
    """The seed given, or one made up, so that it can be written down."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise OptionError(f"a seed is a whole number, 0 or more, not {seed!r}")
    return int(seed)


def _blanked(
    columns: dict[str, Column], missing: AtRandom, random: np.random.Generator
) -> dict[str, Column]:
    chosen = list(columns) if missing.columns is None else list(missing.columns)
    for name in [*chosen, *([missing.given] if missing.given is not None else [])]:
        if name not in columns:
            raise ColumnError(
                f"there is no variable {name!r} to blank{nearest(name, columns)}"
                f"\n\nvariables: {listed(columns)}"
            )
    length = len(next(iter(columns.values()), ()))
    chance = np.full(length, missing.share)
    if missing.given is not None:
        chance = _rising(np.asarray(columns[missing.given], dtype=np.float64), missing.share)
        chosen = [name for name in chosen if name != missing.given]
    blanked = dict(columns)
    for name in chosen:
        gone = random.random(length) < chance
        column = columns[name].copy()
        column[gone] = np.nan if column.dtype.kind == "f" else -1
        blanked[name] = column
    return blanked


def _rising(given: Floats, share: float) -> Floats:
    """A probability that rises with the rank of `given` and is `share` on average."""
    if not given.size:
        return given
    _, rank = np.unique(given, return_inverse=True)
    height = rank / rank.mean() if rank.any() else np.ones(given.size)
    steepest = min(1.0, (1 - share) / max(share * (height.max() - 1), 1e-300))
    return np.asarray(share * (1 + steepest * (height - 1)))
