"""How probable cases are under networks that were fitted without them, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints, readonly
from tacit.core.grid import Grid, counted
from tacit.core.network import Network
from tacit.infer.likelihood import LogLikelihood
from tacit.learn.averaged import average_and_error, with_error
from tacit.learn.evaluation.evaluation import AnyEvaluation


@dataclass(frozen=True, slots=True)
class Fold:
    """The cases of one fold under the network that was fitted without them.

    total       their log-likelihood in nats, each case as often as its weight says
    average     per case
    impossible  how many of them the network holds impossible
    """

    cases: int
    weight: float
    total: float
    average: float
    impossible: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrossValidation:
    """The log-likelihood of every case under a network that was fitted without it.

    per_case  (cases,) in nats, in the order of the data; -inf where a case is held impossible
    fold      (cases,) the fold with which each case was held out, 0, 1, ...
    weights   (cases,) how often each case counts; None if every case counts once
    networks  per fold, what was learned from all other folds
    settings  plain data that says how the networks were fitted
    seed      repeats the split into folds, and the fits, bit for bit
    evaluation  how well the target was predicted in held-out cases; None if none was named
    """

    per_case: Floats
    fold: Ints
    weights: Floats | None
    networks: tuple[Network, ...]
    settings: Mapping[str, Any]
    seed: int
    notes: tuple[str, ...] = ()
    evaluation: AnyEvaluation | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "per_case", readonly(self.per_case))
        fold = self.fold.copy()
        fold.flags.writeable = False
        object.__setattr__(self, "fold", fold)
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    @property
    def total(self) -> float:
        """The log-likelihood of all cases, each held out once."""
        return float(LogLikelihood(self.per_case, self.weights))

    @property
    def average(self) -> float:
        """The held-out log-likelihood per case: the average log score. [Sec. 2.2.7]"""
        return self._spread[0]

    @property
    def error(self) -> float:
        """The standard error of the average, over cases; nan where a case is impossible."""
        return self._spread[1]

    @property
    def impossible(self) -> int:
        """How many held-out cases their network holds impossible."""
        return int(np.isneginf(self.per_case).sum())

    @property
    def folds(self) -> tuple[Fold, ...]:
        """What became of every fold."""
        return tuple(map(self._fold, range(len(self.networks))))

    @property
    def _spread(self) -> tuple[float, float]:
        return average_and_error(self.per_case, self.weights)

    def _fold(self, number: int) -> Fold:
        inside = self.fold == number
        weights = None if self.weights is None else self.weights[inside]
        value = LogLikelihood(self.per_case[inside], weights)
        weight = float(inside.sum() if weights is None else weights.sum())
        impossible = int(np.isneginf(value.per_case).sum())
        return Fold(int(inside.sum()), weight, float(value), value.average, impossible)

    def to_plain(self) -> dict[str, Any]:
        """All of it but the networks, as plain data."""
        return {
            "cases": int(self.per_case.size),
            "log_likelihood": self.total,
            "average_log_likelihood": self.average,
            "standard_error": self.error,
            "impossible_cases": self.impossible,
            "folds": [
                {
                    "cases": each.cases,
                    "weight": each.weight,
                    "log_likelihood": each.total,
                    "average_log_likelihood": each.average,
                    "impossible_cases": each.impossible,
                }
                for each in self.folds
            ],
            "per_case": self.per_case.tolist(),
            "fold": self.fold.tolist(),
            "settings": dict(self.settings),
            "seed": self.seed,
            "notes": list(self.notes),
            **({} if self.evaluation is None else {"prediction": self.evaluation.to_plain()}),
        }

    def grid(self) -> Grid:
        """One line per fold, and what all of them say together."""
        rows = tuple(
            (str(at), f"{each.cases:,}", f"{each.total:.6g}", f"{each.average:.4f}")
            for at, each in enumerate(self.folds, 1)
        )
        heads = ("fold", "cases", "log-likelihood", "per case")
        notes = (f"note: {note}" for note in self.notes)
        foot = f"held-out log-likelihood {with_error(self.average, self.error)} nats per case"
        told = [] if self.evaluation is None else [str(self.evaluation)]
        return Grid(repr(self)[1:-1], heads, rows, foot="\n".join([foot, *notes, *told]))

    def __reduce__(self) -> tuple[type[CrossValidation], tuple[Any, ...]]:
        values = (getattr(self, each.name) for each in fields(self))
        plain = (dict(each) if isinstance(each, MappingProxyType) else each for each in values)
        return CrossValidation, tuple(plain)

    def __repr__(self) -> str:
        folds = counted(len(self.networks), "fold")
        return f"<CrossValidation of {counted(self.per_case.size, 'case')} in {folds}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def difference(one: CrossValidation, other: CrossValidation) -> tuple[float, float]:
    """How far `one` is above `other` per case, and the standard error of that, case by case.

    Both held out the same cases in the same folds, so that what makes a case hard to predict for
    both of them cancels. nan where both hold the same case impossible.
    """
    with np.errstate(invalid="ignore"):
        return average_and_error(one.per_case - other.per_case, one.weights)
