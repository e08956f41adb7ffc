"""How probable cases are under a network."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset, absent
from tacit.core.network import Network, check_network
from tacit.infer.bent.bulk import bent_masses
from tacit.infer.bent.straight import is_bent
from tacit.infer.chains import settled_masses
from tacit.infer.engine import engine_of
from tacit.infer.known import joined, known_masses
from tacit.infer.normal.bulk import above, inferred_masses, is_real
from tacit.infer.pieces import compile_cases, log_masses
from tacit.infer.prediction import observed_columns


class LogLikelihood(float):
    """log P(cases) in nats, as a number, with what it is made of.

    per_case  the log-likelihood of each case, not weighted
    average   the mean over cases (weighted): the average log score. [Sec. 2.2.7]
    notes     what to know about it: around curves some of it may be no exact number
    """

    per_case: Floats
    average: float
    notes: tuple[str, ...]

    def __new__(
        cls, per_case: Floats, weights: Floats | None = None, notes: tuple[str, ...] = ()
    ) -> LogLikelihood:
        """The sum over cases, each counted as often as its weight says."""
        used = np.ones_like(per_case) if weights is None else weights
        positive = used > 0
        total = _total(used[positive] * per_case[positive])
        value = super().__new__(cls, total)
        value.per_case = per_case
        weight = float(used.sum())
        value.average = total / weight if weight else float("nan")
        value.notes = notes
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (float(self), self.per_case, self.average, self.notes)


def _total(parts: Floats) -> float:
    """The sum; one impossible case makes all of them impossible, however dense the others are."""
    return -np.inf if bool(np.isneginf(parts).any()) else float(np.sum(parts))


def _restored(
    total: float, per_case: Floats, average: float, notes: tuple[str, ...] = ()
) -> LogLikelihood:
    value = float.__new__(LogLikelihood, total)
    value.per_case, value.average, value.notes = per_case, average, notes
    return value


def log_likelihood(network: Network, data: Any, *, threads: int = 1) -> LogLikelihood:
    """log P(what is observed of each case), summed over cases.

    data: anything `tc.read_cases` takes; variables without a column are unobserved in all cases.
    What is missing is summed out, exactly; what is unknown above a curve by weighted draws, with
    the Monte Carlo error in `notes`. A case the network holds impossible has -inf.
    """
    check_network(network)
    cases = observed_columns(network, data)
    if is_bent(network):
        masses = bent_masses(network, cases)
        return LogLikelihood(masses.logs, cases.weights, masses.notes)
    total = known_masses(network, cases)
    if _incomplete(cases, tuple(network)):
        _add_inferred(total, network, cases, threads)
    return LogLikelihood(total, cases.weights)


def _incomplete(cases: Dataset, names: tuple[str, ...]) -> bool:
    return any(name not in cases or bool(absent(cases[name]).any()) for name in names)


def _add_inferred(total: Floats, network: Network, cases: Dataset, threads: int) -> None:
    """Add the log mass of every missing piece to the case it belongs to."""
    if is_real(network):
        measured = above(network, {name for name in network if name in cases})
        total[:] = joined(total, inferred_masses(measured, cases))
        return
    engine = engine_of(network)
    total += settled_masses(network, engine.layout, cases)
    compiled = compile_cases(cases, engine.layout)
    masses = log_masses(compiled, engine.theta, threads)
    np.add.at(total, compiled.pieces.case, masses[compiled.pieces.context])
