"""How probable cases are under a network."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import MissingError, listed
from tacit.core.network import Network, check_network
from tacit.io.cases import as_dataset

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


def log_likelihood(network: Network, data: Any) -> LogLikelihood:
    """Σ over cases and families of log P(child given parents), for complete cases.

    data: anything `tc.read_cases` takes. A case the network holds impossible has -inf.
    """
    check_network(network)
    cases = as_dataset(data, like=network)
    refuse_missing(cases, tuple(network))
    total = np.zeros(len(cases))
    for name in network:
        family = network[name]
        columns = [cases[other] for other in (*family.parents, name)]
        for start in range(0, len(cases), BLOCK):
            block = slice(start, start + BLOCK)
            part = family.log_prob([column[block] for column in columns])
            total[block] = _joined(total[block], part)
    return LogLikelihood(total, cases.weights)


def refuse_missing(cases: Dataset, names: tuple[str, ...]) -> None:
    """Nothing, or an error that says which columns lack how many cells."""
    gaps = {name: int(np.count_nonzero(absent(cases[name]))) for name in names}
    gaps = {name: cells for name, cells in gaps.items() if cells}
    if gaps:
        shown = listed((f"{name}: {cells:,}" for name, cells in gaps.items()), 6)
        raise MissingError(
            f"{sum(gaps.values()):,} cells are missing ({shown}), "
            "and the likelihood of incomplete cases cannot be computed"
            "\n\nleave out the incomplete cases, or fill the cells, before asking for it"
        )
