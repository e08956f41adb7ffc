"""What the observed cells of cases say by themselves: families of which nothing is missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Column, Floats
from tacit.core.dataset import Dataset, absent
from tacit.core.family import Family
from tacit.core.network import Network

BLOCK = 65_536


def known_masses(network: Network, cases: Dataset) -> Floats:
    """(cases,) Σ log P(child given parents) over the families each case has all of."""
    total = np.zeros(len(cases))
    for name in network:
        family = network[name]
        names = (*family.parents, name)
        if all(other in cases for other in names):
            _add_known(total, family, [cases[other] for other in names])
    return total


def _add_known(total: Floats, family: Family, columns: Sequence[Column]) -> None:
    for start in range(0, total.size, BLOCK):
        block = slice(start, start + BLOCK)
        parts = [column[block] for column in columns]
        gaps = np.logical_or.reduce([absent(part) for part in parts])
        total[block] = joined(total[block], np.where(gaps, 0.0, family.log_prob(parts)))


def joined(one: Floats, other: Floats) -> Floats:
    """The sums of logs: a case that one of them holds impossible is impossible, however dense the
    other is."""
    with np.errstate(invalid="ignore"):
        both = np.asarray(one + other)
    both[np.isneginf(one) | np.isneginf(other)] = -np.inf
    return both
