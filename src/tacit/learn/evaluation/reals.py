"""How well one continuous variable was predicted, as a value."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tacit.arrays import Bools, Floats, Ints, readonly
from tacit.core.errors import OptionError, quoted
from tacit.core.grid import Grid, counted, percentage
from tacit.learn.averaged import average_and_error, with_error, with_scaled_error
from tacit.learn.evaluation.measures import CalibrationBin, even_bins

LEVELS = (0.5, 0.9, 0.95)
"""Of the intervals whose coverage is shown."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RealEvaluation:
    """What was predicted of a continuous variable in cases that say which value came.

    target       the variable
    truth        (cases,) the value that came
    mean, sd     (cases,) of what was predicted without looking at it
    log_density  (cases,) the log of the density predicted where the value came, in nats
    distance     (cases,) the continuous ranked probability score
    below        (cases,) the probability predicted for values below the one that came
    drawn        (cases,) whether it was predicted by weighted draws, not exactly
    weights      (cases,) how often each case counts; None if every case counts once
    cases        (cases,) which of the cases these are, by position: those left out lack the target,
                 or are impossible under the network by their other cells
    notes        what was left out, and why
    """

    target: str
    truth: Floats
    mean: Floats
    sd: Floats
    log_density: Floats
    distance: Floats
    below: Floats
    drawn: Bools
    weights: Floats | None
    cases: Ints
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("truth", "mean", "sd", "log_density", "distance", "below"):
            object.__setattr__(self, name, readonly(getattr(self, name)))

    def __len__(self) -> int:
        return int(self.truth.size)

    @property
    def log_score(self) -> float:
        """Average log of the density where the value came, in nats; higher is better."""
        return self._average(self.log_density)[0]

    @property
    def log_score_error(self) -> float:
        """Its standard error over cases."""
        return self._average(self.log_density)[1]

    @property
    def base_log_score(self) -> float:
        """The log score of who always says one normal, with the mean and sd of these cases."""
        variance = self._average((self.truth - self._average(self.truth)[0]) ** 2)[0]
        if not variance > 0:
            return float("inf") if variance == 0 else float("nan")
        return float(-0.5 * np.log(2 * np.pi * np.e * variance))

    @property
    def rmse(self) -> float:
        """The root of the average of (value - predicted mean)²."""
        return float(np.sqrt(self._average((self.truth - self.mean) ** 2)[0]))

    @property
    def mae(self) -> float:
        """The average of |value - predicted mean|."""
        return self._average(np.abs(self.truth - self.mean))[0]

    @property
    def r_squared(self) -> float:
        """1 - Σ (value - predicted mean)² / Σ (value - mean of these cases)²: 1 is perfect, 0 is no
        better than knowing the mean of the cases that are judged; nan if all values are equal."""
        middle = self._average(self.truth)[0]
        spread = self._average((self.truth - middle) ** 2)[0]
        if not spread > 0:
            return float("nan")
        return 1 - self._average((self.truth - self.mean) ** 2)[0] / spread

    @property
    def crps(self) -> float:
        """Average continuous ranked probability score ∫ (F(x) - 1{x >= value})² dx, in the units of
        the variable; 0 is perfect, and where one value is named it is the absolute error."""
        return self._average(self.distance)[0]

    @property
    def crps_error(self) -> float:
        """Its standard error over cases."""
        return self._average(self.distance)[1]

    @property
    def coverage_95(self) -> float:
        """The share of cases inside their 95 % intervals."""
        return self.coverage(0.95)[0]

    @property
    def calibration_error(self) -> float:
        """How far the shares of cases below the nine predicted deciles are from 0.1 to 0.9, on
        average."""
        deciles = np.arange(1, 10) / 10
        shares = [self._average((self.below <= each).astype(np.float64))[0] for each in deciles]
        return float(np.abs(np.array(shares) - deciles).mean())

    def coverage(self, level: float) -> tuple[float, float]:
        """The share of cases inside the interval that should hold `level` of them, as many above as
        below it, and the standard error of that."""
        given: Any = level
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < 1:
            raise OptionError(f"level={level!r} must be a share, between 0 and 1")
        inside = np.abs(self.below - 0.5) <= level / 2
        return self._average(inside.astype(np.float64))

    def calibration(self, bins: int = 10) -> tuple[CalibrationBin, ...]:
        """How many of the values lie between predicted quantiles, in bins that should all hold the
        same share: the histogram of the probability integral transform."""
        if isinstance(bins, bool) or not isinstance(bins, int) or bins < 2:
            raise OptionError(f"bins={bins!r} must be a whole number, 2 or more")
        return even_bins(self.below, self._weight, bins)

    def to_plain(self) -> dict[str, Any]:
        """The measures as plain data."""
        return {
            "target": self.target,
            "cases": len(self),
            "weight": float(self._weight.sum()),
            "log_score": self.log_score,
            "log_score_error": self.log_score_error,
            "base_log_score": self.base_log_score,
            "rmse": self.rmse,
            "mae": self.mae,
            "r_squared": self.r_squared,
            "crps": self.crps,
            "crps_error": self.crps_error,
            "mean_sd": self._average(self.sd)[0],
            "coverage": [
                {"level": level, "share": share, "error": error}
                for level, (share, error) in ((each, self.coverage(each)) for each in LEVELS)
            ],
            "calibration_error": self.calibration_error,
            "calibration": [
                {name: getattr(each, name) for name in CalibrationBin.__slots__}
                for each in self.calibration()
            ],
            "notes": list(self.notes),
        }

    def grid(self) -> Grid:
        """The measures, then how many values lie in their intervals."""
        rows = tuple(
            (percentage(level), with_error(100 * share, 100 * error, 1) + "%")
            for level, (share, error) in ((each, self.coverage(each)) for each in LEVELS)
        )
        foot = "\n".join(f"note: {note}" for note in self.notes)
        return Grid(self._told(), ("interval", "holds"), rows, foot=foot)

    def _told(self) -> str:
        score = with_error(self.log_score, self.log_score_error)
        return (
            f"{quoted(self.target)} predicted in {counted(len(self), 'case')}\n"
            f"log score {score} nats (one normal for all: {self.base_log_score:.4f}), "
            f"CRPS {with_scaled_error(self.crps, self.crps_error)}\n"
            f"RMSE {self.rmse:.4g}, MAE {self.mae:.4g}, R² {self.r_squared:.4f} against the mean "
            f"of these cases,\ncalibration error {self.calibration_error:.4f}"
        )

    @property
    def _weight(self) -> Floats:
        return np.ones(len(self)) if self.weights is None else self.weights

    def _average(self, values: Floats) -> tuple[float, float]:
        return average_and_error(values, self.weights)

    def __reduce__(self) -> tuple[type[RealEvaluation], tuple[Any, ...]]:
        return RealEvaluation, tuple(getattr(self, each.name) for each in fields(self))

    def __repr__(self) -> str:
        return f"<RealEvaluation of {quoted(self.target)} in {counted(len(self), 'case')}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()
