"""How well one variable was predicted, as a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any, TypeAlias

import numpy as np

from tacit.arrays import Floats, Ints, readonly
from tacit.core.errors import OptionError, nearest, quoted
from tacit.core.grid import Grid, counted
from tacit.learn.averaged import average_and_error, with_error
from tacit.learn.evaluation.measures import (
    CalibrationBin,
    area,
    brier_scores,
    calibration,
    calibration_error,
    hits,
    log_scores,
)
from tacit.learn.evaluation.reals import RealEvaluation


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation:
    """What was predicted of a variable in cases that say which state came.

    target       the variable
    states       its states
    truth        (cases,) the state that came, by position
    probability  (cases, states) what was predicted without looking at it
    weights      (cases,) how often each case counts; None if every case counts once
    cases        (cases,) which of the cases these are, by position: those left out lack the target,
                 or are impossible under the network by their other cells
    notes        what was left out, and why
    """

    target: str
    states: tuple[str, ...]
    truth: Ints
    probability: Floats
    weights: Floats | None
    cases: Ints
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "probability", readonly(self.probability))

    def __len__(self) -> int:
        return int(self.truth.size)

    @property
    def log_score(self) -> float:
        """Average log of the probability of the state that came, in nats; 0 is perfect."""
        return self._average(log_scores(self.probability, self.truth))[0]

    @property
    def log_score_error(self) -> float:
        """Its standard error over cases."""
        return self._average(log_scores(self.probability, self.truth))[1]

    @property
    def base_log_score(self) -> float:
        """The log score of who always says the shares of the states among these cases."""
        shares = np.bincount(self.truth, self._weight, len(self.states))
        shares = shares[shares > 0] / shares.sum()
        return float(shares @ np.log(shares)) if shares.size else float("nan")

    @property
    def brier(self) -> float:
        """Average of Σ over states of (probability - indicator)²: 0 to 2, lower is better."""
        return self._average(brier_scores(self.probability, self.truth))[0]

    @property
    def accuracy(self) -> float:
        """How often the most probable state came."""
        return self._average(hits(self.probability, self.truth))[0]

    @property
    def auc(self) -> float:
        """Area under the ROC curve; with more than two states the average of one against the rest,
        over the states that came and did not come."""
        if len(self.states) == 2:
            return self.area(self.states[1])
        known = [value for value in map(self.area, self.states) if isfinite(value)]
        return sum(known) / len(known) if known else float("nan")

    @property
    def calibration_error(self) -> float:
        """How far predicted probabilities are from shares that came, on average over ten bins."""
        return calibration_error(self.calibration())

    def area(self, state: str) -> float:
        """P(a case with this state has it predicted higher than one without), ties half."""
        at = self._at(state)
        return area(self.probability[:, at], self.truth == at, self._weight)

    def calibration(self, state: str | None = None, bins: int = 10) -> tuple[CalibrationBin, ...]:
        """Predicted probabilities against what came, in bins of equal width.

        state  whose probability; by default the second of two states, or all states together
        """
        if isinstance(bins, bool) or not isinstance(bins, int) or bins < 2:
            raise OptionError(f"bins={bins!r} must be a whole number, 2 or more")
        if state is None and len(self.states) == 2:
            state = self.states[1]
        if state is not None:
            at = self._at(state)
            return calibration(self.probability[:, at], self.truth == at, self._weight, bins)
        came = np.zeros(self.probability.shape, dtype=np.bool_)
        came[np.arange(len(self)), self.truth] = True
        weights = np.repeat(self._weight, len(self.states))
        return calibration(self.probability.ravel(), came.ravel(), weights, bins)

    @property
    def confusion(self) -> Floats:
        """(states, states) weight of cases by state that came and by most probable state."""
        size = len(self.states)
        said = self.probability.argmax(axis=1) if len(self) else np.empty(0, dtype=np.int64)
        cells = np.bincount(self.truth * size + said, self._weight, size * size)
        return cells.reshape(size, size).astype(np.float64)

    def to_plain(self) -> dict[str, Any]:
        """The measures as plain data."""
        return {
            "target": self.target,
            "states": list(self.states),
            "cases": len(self),
            "weight": float(self._weight.sum()),
            "log_score": self.log_score,
            "log_score_error": self.log_score_error,
            "base_log_score": self.base_log_score,
            "brier": self.brier,
            "accuracy": self.accuracy,
            "auc": self.auc,
            "auc_by_state": {state: self.area(state) for state in self.states},
            "calibration_error": self.calibration_error,
            "calibration": [
                {name: getattr(each, name) for name in CalibrationBin.__slots__}
                for each in self.calibration()
            ],
            "confusion": self.confusion.tolist(),
            "notes": list(self.notes),
        }

    def grid(self) -> Grid:
        """The measures, then predicted against observed shares."""
        rows = tuple(
            (
                f"{each.low:.1f} to {each.high:.1f}",
                f"{each.weight:,.6g}",
                f"{each.predicted:.3f}",
                with_error(each.observed, each.error, 3),
            )
            for each in self.calibration()
        )
        heads = ("predicted", "weight", "on average", "came")
        return Grid(self._told(), heads, rows, foot="\n".join(f"note: {n}" for n in self.notes))

    def _told(self) -> str:
        score = with_error(self.log_score, self.log_score_error)
        return (
            f"{quoted(self.target)} predicted in {counted(len(self), 'case')}\n"
            f"log score {score} nats (shares alone: {self.base_log_score:.4f}), "
            f"Brier {self.brier:.4f}\naccuracy {self.accuracy:.4f}, AUC {self.auc:.4f}, "
            f"calibration error {self.calibration_error:.4f}"
        )

    @property
    def _weight(self) -> Floats:
        return np.ones(len(self)) if self.weights is None else self.weights

    def _average(self, values: Floats) -> tuple[float, float]:
        return average_and_error(values, self.weights)

    def _at(self, state: str) -> int:
        if state not in self.states:
            raise OptionError(
                f"{quoted(self.target)} has no state {state!r}{nearest(state, self.states)}"
                f"\n\nstates: {', '.join(map(quoted, self.states))}"
            )
        return self.states.index(state)

    def __reduce__(self) -> tuple[type[Evaluation], tuple[Any, ...]]:
        return Evaluation, tuple(getattr(self, each.name) for each in fields(self))

    def __repr__(self) -> str:
        return f"<Evaluation of {quoted(self.target)} in {counted(len(self), 'case')}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


AnyEvaluation: TypeAlias = Evaluation | RealEvaluation


def together(parts: Sequence[AnyEvaluation]) -> AnyEvaluation:
    """Evaluations of the same target in different cases as one, in the order of the cases, without
    notes."""
    first = parts[0]
    columns: dict[str, Any] = {}
    order = np.argsort(np.concatenate([each.cases for each in parts]), kind="stable")
    for name in (each.name for each in fields(first)):
        if isinstance(getattr(first, name), np.ndarray):
            columns[name] = np.concatenate([getattr(each, name) for each in parts])[order]
    return replace(first, notes=(), **columns)
