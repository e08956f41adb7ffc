"""Completed cases spelled out: every way to fill what is missing, of every case, one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import exp, lgamma, log
from typing import Any

import numpy as np

from naive_inference import cell, completions, tables_of, weights_in

Case = Mapping[str, int]


def weighed_completions(network: Any, case: Case) -> list[tuple[Case, float]]:
    """Every way to complete a case with its posterior."""
    ways = list(completions(tables_of(network), network.dag.parents, case))
    total = sum(chance for _, chance in ways)
    return [(whole, chance / total) for whole, chance in ways]


def expected(network: Any, data: Any, cases: Sequence[Case], family: Sequence[str]) -> np.ndarray:
    """E[N(family)] under a network that may not have this family."""
    counts = np.zeros([len(network.variables[name].states) for name in family])
    for case, weight in zip(cases, weights_in(data), strict=True):
        for whole, chance in weighed_completions(network, case):
            counts[tuple(whole[name] for name in family)] += weight * chance
    return counts


def entropy(network: Any, data: Any, cases: Sequence[Case]) -> float:
    """-Σ Q log Q over the ways to complete the cases."""
    total = 0.0
    for case, weight in zip(cases, weights_in(data), strict=True):
        for _, chance in weighed_completions(network, case):
            total -= weight * chance * log(chance) if chance > 0 else 0.0
    return total


def bde(counts: np.ndarray, alpha: float) -> float:
    """The log marginal likelihood of a table (parents..., child), alpha in every cell."""
    total = 0.0
    for row in counts.reshape(-1, counts.shape[-1]):
        total += lgamma(alpha * row.size) - lgamma(alpha * row.size + row.sum())
        total += sum(lgamma(alpha + n) - lgamma(alpha) for n in row)
    return total


def bdeu(network: Any, counts: Mapping[str, np.ndarray], strength: float) -> float:
    """The sum over the families of a network, alpha = strength / cells."""
    return sum(bde(counts[name], strength / counts[name].size) for name in network.dag.parents)


def log_evidence(network: Any, cases: Sequence[Case], strength: float) -> float:
    """log P(cases | dag) exactly: the marginal likelihoods of all completions of all cases
    together, added up. For a handful of cases only."""
    tables, parents = tables_of(network), network.dag.parents
    each = [[whole for whole, _ in completions(tables, parents, case)] for case in cases]
    logs = []
    for together in product(*each):
        counts = {name: np.zeros(tables[name].shape) for name in parents}
        for whole in together:
            for name in parents:
                counts[name][cell(whole, parents, name)] += 1
        logs.append(bdeu(network, counts, strength))
    top = max(logs)
    return top + log(sum(exp(value - top) for value in logs))
