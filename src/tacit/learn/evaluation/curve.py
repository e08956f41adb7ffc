"""How much is learned from how many cases, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from tacit import frames
from tacit.arrays import Floats, Ints, readonly
from tacit.core.errors import OptionError, listed, nearest
from tacit.core.grid import Grid, counted
from tacit.learn.averaged import with_error, with_scaled_error

MEASURES: Mapping[str, str] = {
    "log_likelihood": "log-likelihood per case held out, nats",
    "log_score": "log score of the target, nats",
    "brier": "Brier score of the target",
    "accuracy": "accuracy",
    "auc": "area under the ROC curve",
    "rmse": "root mean squared error of the predicted mean",
    "mae": "mean absolute error of the predicted mean",
    "r_squared": "R² against the mean of the cases held out",
    "crps": "continuous ranked probability score of the target",
    "coverage_95": "share of values inside their 95% intervals",
}
"""What is measured, in words; all but the first need a target."""
OF_STATES = ("log_score", "brier", "accuracy", "auc")
OF_VALUES = ("log_score", "rmse", "mae", "r_squared", "crps", "coverage_95")
IN_UNITS = frozenset({"rmse", "mae", "crps"})
"""Measures of any size, for they have the units of the target."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearningCurve:
    """Measures in held-out cases, by number of cases learned from.

    sizes     (sizes,) how many cases were learned from
    variants  the ways of learning that were compared, on the same cases
    values    measure -> (variants, sizes, repeats); nan where a measure cannot be had
    held_out  how many cases were held out in every repeat
    target    the variable that was predicted, if any
    seed      repeats all of it bit for bit
    settings  variant -> plain data that says how its first network was fitted
    """

    sizes: Ints
    variants: tuple[str, ...]
    values: Mapping[str, Floats]
    held_out: int
    target: str | None
    seed: int
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = {name: readonly(each) for name, each in self.values.items()}
        object.__setattr__(self, "values", MappingProxyType(values))
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    @property
    def repeats(self) -> int:
        """How often cases were drawn."""
        return int(next(iter(self.values.values())).shape[2])

    def mean(self, measure: str = "log_likelihood") -> Floats:
        """(variants, sizes) the average over repeats."""
        return np.asarray(self._of(measure).mean(axis=2))

    def error(self, measure: str = "log_likelihood") -> Floats:
        """(variants, sizes) the standard error of the average, over repeats."""
        return _error(self._of(measure))

    def gain(self, over: str, measure: str = "log_likelihood") -> tuple[Floats, Floats]:
        """How far every variant is above another, repeat by repeat: average and standard error.

        All variants learn from the same cases and are judged on the same others, so that what makes
        some cases hard for all of them cancels.
        """
        if over not in self.variants:
            raise OptionError(
                f"there is no variant {over!r}{nearest(over, self.variants)}"
                f"\n\nvariants: {listed(self.variants)}"
            )
        values = self._of(measure)
        with np.errstate(invalid="ignore"):
            apart = values - values[self.variants.index(over)]
        return np.asarray(apart.mean(axis=2)), _error(apart)

    def _of(self, measure: str) -> Floats:
        if measure not in self.values:
            raise OptionError(
                f"{measure!r} was not measured{nearest(measure, self.values)}"
                f"\n\nmeasures: {', '.join(self.values)}"
            )
        return self.values[measure]

    def columns(self) -> dict[str, Any]:
        """The columns of `to_frame`: one line per variant, size and repeat."""
        shape = (len(self.variants), self.sizes.size, self.repeats)
        variant, size, repeat = (each.ravel() for each in np.indices(shape))
        named = np.array(self.variants, dtype=np.str_)[variant]
        return {
            "variant": named,
            "cases": self.sizes[size],
            "repeat": repeat + 1,
            **{name: each.ravel() for name, each in self.values.items()},
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame with one line per variant, size and repeat."""
        return frames.build(self.columns(), backend)

    def to_plain(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "sizes": self.sizes.tolist(),
            "variants": list(self.variants),
            "values": {name: each.tolist() for name, each in self.values.items()},
            "held_out": self.held_out,
            "target": self.target,
            "seed": self.seed,
            "notes": list(self.notes),
        }

    def grid(self) -> Grid:
        """Every measure by number of cases, averaged over repeats."""
        rows = [
            (measure, variant, *self._row(measure, at))
            for measure in self.values
            for at, variant in enumerate(self.variants)
        ]
        heads = ("measure", "learned with", *(f"{size:,}" for size in self.sizes.tolist()))
        notes = "\n".join(f"note: {note}" for note in self.notes)
        return Grid(repr(self)[1:-1], heads, tuple(rows), labels=2, foot=notes)

    def _row(self, measure: str, at: int) -> list[str]:
        pairs = zip(self.mean(measure)[at], self.error(measure)[at], strict=True)
        return [measured(measure, float(mean), float(error)) for mean, error in pairs]

    def __reduce__(self) -> tuple[type[LearningCurve], tuple[Any, ...]]:
        values = [getattr(self, each.name) for each in fields(self)]
        plain = (dict(each) if isinstance(each, MappingProxyType) else each for each in values)
        return LearningCurve, tuple(plain)

    def __repr__(self) -> str:
        repeats = counted(self.repeats, "repeat")
        return (
            f"<LearningCurve of {int(self.sizes[0]):,} to {int(self.sizes[-1]):,} cases, "
            f"{self.held_out:,} held out, {repeats}>"
        )

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def measured(measure: str, value: float, error: float) -> str:
    """A measure and its standard error as tables show them."""
    return with_scaled_error(value, error) if measure in IN_UNITS else with_error(value, error, 3)


def _error(values: Floats) -> Floats:
    repeats = values.shape[2]
    if repeats < 2:
        return np.full(values.shape[:2], np.nan)
    with np.errstate(invalid="ignore"):
        return np.asarray(values.std(axis=2, ddof=1) / np.sqrt(repeats))
