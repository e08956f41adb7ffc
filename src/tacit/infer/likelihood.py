"""How probable cases are under a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.arrays import Column, Floats
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import MissingError
from tacit.core.family import Family
from tacit.core.network import Network, check_network
from tacit.core.variables import Discrete
from tacit.infer.engine import engine_of
from tacit.infer.pieces import compile_cases, log_masses
from tacit.infer.prediction import observed_columns

BLOCK = 65_536


class LogLikelihood(float):
    """log P(cases) in nats, as a number, with what it is made of.

    per_case  the log-likelihood of each case, not weighted
    average   the mean over cases (weighted): the average log score. [Sec. 2.2.7]
    """

    per_case: Floats
    average: float

    def __new__(cls, per_case: Floats, weights: Floats | None = None) -> LogLikelihood:
        """The sum over cases, each counted as often as its weight says."""
        used = np.ones_like(per_case) if weights is None else weights
        positive = used > 0
        total = _total(used[positive] * per_case[positive])
        value = super().__new__(cls, total)
        value.per_case = per_case
        weight = float(used.sum())
        value.average = total / weight if weight else float("nan")
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (float(self), self.per_case, self.average)


def _total(parts: Floats) -> float:
    """The sum; one impossible case makes all of them impossible, however dense the others are."""
    return -np.inf if bool(np.isneginf(parts).any()) else float(np.sum(parts))


def _joined(one: Floats, other: Floats) -> Floats:
    """The sums, likewise: a case that one family holds impossible is impossible."""
    with np.errstate(invalid="ignore"):
        both = one + other
    both[np.isneginf(one) | np.isneginf(other)] = -np.inf
    return both


def _restored(total: float, per_case: Floats, average: float) -> LogLikelihood:
    value = float.__new__(LogLikelihood, total)
    value.per_case, value.average = per_case, average
    return value


def log_likelihood(network: Network, data: Any, *, threads: int = 1) -> LogLikelihood:
    """log P(what is observed of each case), summed over cases.

    data: anything `tc.read_cases` takes; variables without a column are unobserved in all cases.
    What is missing is summed out, exactly. A case the network holds impossible has -inf.
    """
    check_network(network)
    cases = observed_columns(network, data)
    total = np.zeros(len(cases))
    for name in network:
        family = network[name]
        names = (*family.parents, name)
        if all(other in cases for other in names):
            _add_known(total, family, [cases[other] for other in names])
    if _incomplete(cases, tuple(network)):
        _add_inferred(total, network, cases, threads)
    return LogLikelihood(total, cases.weights)


def _add_known(total: Floats, family: Family, columns: Sequence[Column]) -> None:
    """Add log P(child given parents) of the cases that have all of them."""
    for start in range(0, total.size, BLOCK):
        block = slice(start, start + BLOCK)
        parts = [column[block] for column in columns]
        gaps = np.logical_or.reduce([absent(part) for part in parts])
        total[block] = _joined(total[block], np.where(gaps, 0.0, family.log_prob(parts)))


def _incomplete(cases: Dataset, names: tuple[str, ...]) -> bool:
    return any(name not in cases or bool(absent(cases[name]).any()) for name in names)


def _add_inferred(total: Floats, network: Network, cases: Dataset, threads: int) -> None:
    """Add the log mass of every missing piece to the case it belongs to."""
    real = [v.name for v in network.variables.values() if not isinstance(v, Discrete)]
    if real:
        raise MissingError(
            f"cells are missing, and {real[0]!r} is continuous: missing cells are summed out in "
            "networks of discrete variables only\n\nleave out the incomplete cases"
        )
    engine = engine_of(network)
    compiled = compile_cases(cases, engine.layout)
    masses = log_masses(compiled, engine.theta, threads)
    np.add.at(total, compiled.pieces.case, masses[compiled.pieces.context])
