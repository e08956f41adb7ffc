"""Likelihood weighting: an estimate for networks too wide to be exact, with its error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Column, Floats, shares
from tacit.core.errors import ImpossibleError, OptionError
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table, cells
from tacit.infer.findings import Finding, combined
from tacit.infer.sampling import fresh_seed


@dataclass(frozen=True, slots=True)
class LikelihoodWeighting:
    """Draw cases along the arcs, keep findings fixed, weigh each case by their likelihood."""

    samples: int = 10_000
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.samples < 2:
            raise OptionError(f"samples={self.samples!r} must be at least 2")


def weighted_joint(
    network: Network,
    names: Sequence[str],
    findings: Sequence[Finding],
    method: LikelihoodWeighting,
) -> tuple[Floats, Floats]:
    """The estimate of P(names | findings) and the standard error of each value.

    Self-normalised importance sampling: p = Σ w 1[x] / Σ w, with variance
    Σ w² (1[x] - p)² / (Σ w)². (Fung and Chang 1990; Shachter and Peot 1990)
    """
    random = np.random.default_rng(fresh_seed(method.seed))
    columns, log_weights = _weighted_cases(network, findings, method.samples, random)
    top = log_weights.max()
    if top == -np.inf:
        raise ImpossibleError(
            f"none of {method.samples:,} samples agrees with the findings"
            "\n\nraise the number of samples; the findings may also be impossible"
        )
    weights = np.exp(log_weights - top)
    asked = (network.variables[name] for name in names)
    shape = [len(variable.states) for variable in asked if isinstance(variable, Discrete)]
    at = cells(shape, [columns[name] for name in names])
    size = int(np.prod(shape))
    total = weights.sum()
    share = shares(np.asarray(np.bincount(at, weights, size), np.float64))
    squares = np.bincount(at, weights**2, size)
    variance = (squares * (1 - 2 * share) + share**2 * (weights**2).sum()) / total**2
    never = share <= 0  # no sample says anything of these: one effective sample is the scale
    errors = np.where(never, (weights**2).sum() / total**2, np.sqrt(np.maximum(variance, 0.0)))
    return share.reshape(shape), errors.reshape(shape)


def _weighted_cases(
    network: Network, findings: Sequence[Finding], samples: int, random: np.random.Generator
) -> tuple[dict[str, Column], Floats]:
    held = combined(findings)
    columns: dict[str, Column] = {}
    log_weights = np.zeros(samples)
    for name in network:
        family = network[name]
        parents = [columns[parent] for parent in family.parents]
        finding = held.get(name)
        if finding is None:
            columns[name] = family.sample(parents, samples, random)
            continue
        if not isinstance(family, Table):
            columns[name], more = _weighed(family, parents, finding, samples, random)
            log_weights += more
            continue
        weighed = family.values * finding.likelihood
        chance = weighed.sum(axis=-1)
        row = cells(chance.shape, parents) if parents else np.zeros(samples, dtype=np.int64)
        with np.errstate(divide="ignore"):
            log_weights += np.log(chance.ravel())[row]
        even = np.full_like(weighed, 1 / weighed.shape[-1])
        rows = np.where(
            chance[..., None] > 0, weighed / np.where(chance > 0, chance, 1)[..., None], even
        )
        columns[name] = Table(family.variables, rows).sample(parents, samples, random)
    return columns, log_weights


def _weighed(
    family: Family,
    parents: Sequence[Column],
    finding: Finding,
    samples: int,
    random: np.random.Generator,
) -> tuple[Column, Floats]:
    """A column of the child that agrees with a finding, and the log weight of each case."""
    states = finding.likelihood.size
    every = [np.full(samples, state) for state in range(states)]
    chance = np.exp([family.log_prob([*parents, column]) for column in every]).T
    weighed = np.cumsum(chance * finding.likelihood, axis=1)
    total = weighed[:, -1]
    drawn = (random.random(samples) * total)[:, None] >= weighed
    with np.errstate(divide="ignore"):
        return np.minimum(drawn.sum(axis=1), states - 1).astype(np.int64), np.log(total)
