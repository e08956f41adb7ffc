"""Chains of one block, whichever way they walk, and what their sweeps say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tacit.arrays import Floats

if TYPE_CHECKING:
    from tacit.kernels.records import Record

_STILL = 1e-15
"""A cell whose standard deviation is below this does not move."""


class Chains(Protocol):
    """Chains of a block, ready to go on; each notes its sweeps in its part of the record."""

    @property
    def record(self) -> Record:
        """What they remember."""

    @property
    def independent(self) -> bool:
        """Whether draws are independent of each other."""

    def go(self, chain: int, sweeps: int, *, noted: bool = True) -> None:
        """So many sweeps of a chain."""

    def recording(self, record: Record) -> Chains:
        """The same chains with another record."""


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """What all sweeps of a block say of its cells; as in `Draws`."""

    mean: Floats
    sd: Floats
    error: Floats
    size: Floats
    rhat: Floats


def go_all(chains: Chains, sweeps: int, *, noted: bool = True) -> None:
    """So many sweeps of every chain, one chain after the other."""
    for chain in range(chains.record.tally.shape[0]):
        chains.go(chain, sweeps, noted=noted)


def worth(chains: Chains, sweeps: int) -> float:
    """Effective draws per sweep of the slowest cell, as so many sweeps of every chain tell."""
    from tacit.kernels.records import record_for

    record = record_for(chains.record.centre, chains.record.tally.shape[0], sweeps)
    trial = chains.recording(record)
    go_all(trial, sweeps)
    least = summary(trial).size.min(initial=np.inf)
    return float(least / (sweeps * record.tally.shape[0]))


def summary(chains: Chains) -> Summary:
    """Mean, spread, error and agreement of all sweeps that were noted.

    The error of the mean comes from the means of batches: their variance over their effective
    number, so that it holds even where a batch is no longer than the chain's memory.
    """
    from tacit.estimate.bayes.diagnostics import split_rhat
    from tacit.kernels.autocorrelation import effective_sizes

    record = chains.record
    sweeps, full, _, length, _, _ = record.tally[0].tolist()
    count = sweeps * record.tally.shape[0]
    away = record.batches[:, : full + 1].sum(axis=(0, 1)) / count
    variance = np.maximum(record.squares.sum(axis=0) / count - away * away, 0.0)
    moves = np.sqrt(variance) > _STILL
    if chains.independent:
        error = np.sqrt(variance / count)
        size = np.where(moves, float(count), np.inf)
    else:
        means = np.ascontiguousarray(record.batches[:, :full] / length)
        number = effective_sizes(means)
        error = np.where(moves, np.sqrt(_spread(means) / number), 0.0)
        size = np.where(moves, variance / np.where(error > 0, error, 1.0) ** 2, np.inf)
    rhat = np.where(moves, split_rhat(kept(record)), 1.0)
    return Summary(record.centre + away, np.sqrt(variance), error * moves, size, rhat)


def _spread(means: Floats) -> Floats:
    """(n,) the variance of all batches: within chains, and between them."""
    batches = means.shape[1]
    within = means.var(axis=1, ddof=1).mean(axis=0) * (batches - 1) / batches
    between = means.mean(axis=1).var(axis=0, ddof=1) if means.shape[0] > 1 else 0.0
    return np.asarray(within + between)


def kept(record: Record) -> Floats:
    """(chains, kept, n) the thinned draws so far."""
    return record.kept[:, : record.tally[0, 4]]


def thinned(record: Record, draws: int) -> Floats:
    """(chains, draws, n) so many of them, evenly."""
    have = int(record.tally[0, 4])
    return record.kept[:, np.arange(draws) * have // draws]
