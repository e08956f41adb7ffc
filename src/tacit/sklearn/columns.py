"""Columns of a matrix as variables with states: labels as they are, measurements cut to intervals.

A column of numbers becomes intervals between quantiles, unless it holds few whole numbers only,
which are states of their own. A histogram with exponential tails stands behind every interval, so
that a state has a density, a mean and values to draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.arrays import Codes, Floats, code_type
from tacit.core.dataset import Dataset
from tacit.core.variables import Discrete
from tacit.io.discretise import interval_names
from tacit.io.states import natural_order, number_text, state_text

FEW = 10
"""Whole numbers that are states of their own, if there are no more of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """A column whose values are states.

    values  what each state was before it was text
    """

    variable: Discrete
    values: tuple[Any, ...]
    numeric: bool

    def codes(self, column: npt.NDArray[Any]) -> Codes:
        """The state of every cell; -1 where it is missing or was never seen."""
        at = {state: place for place, state in enumerate(self.variable.states)}
        texts = map(_text, column.tolist())
        return np.array([at.get(text, -1) for text in texts], code_type(len(at)))

    def labels(self) -> npt.NDArray[Any]:
        """What each state was before it was text."""
        found = np.empty(len(self.values), dtype=object)
        found[:] = self.values
        return found

    def means(self) -> Floats:
        """What each state is worth, as a number; nan for text."""
        return np.array([float(each) if self.numeric else np.nan for each in self.values])


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A column of numbers cut to intervals.

    cuts    between the intervals
    ends    the lowest and the highest value seen
    centre  the mean of the values in each interval
    """

    variable: Discrete
    cuts: Floats
    ends: tuple[float, float]
    centre: Floats

    def codes(self, column: npt.NDArray[Any]) -> Codes:
        """The interval of every cell; -1 where it is missing."""
        values = as_numbers(column)
        found = np.searchsorted(self.cuts, values, side="right").astype(np.int64)
        found[np.isnan(values)] = -1
        return found.astype(code_type(len(self.variable.states)))

    def means(self) -> Floats:
        """The mean of the values in each interval."""
        return self.centre

    def log_density(self, column: npt.NDArray[Any]) -> Floats:
        """log of the density within the interval of each value; 0 where it is missing.

        Even between two cuts; beyond the outermost exponential, with the mean that was seen.
        """
        values, codes = as_numbers(column), self.codes(column).astype(np.int64)
        found = np.zeros(values.size)
        last = self.cuts.size
        width = np.diff(self.cuts)
        inner = (codes > 0) & (codes < last)
        found[inner] = -np.log(width[codes[inner] - 1])
        for tail, (edge, sign) in ((0, (self.cuts[0], -1.0)), (last, (self.cuts[-1], 1.0))):
            inside = codes == tail
            mean = self.tail(tail)
            found[inside] = -np.log(mean) - sign * (values[inside] - edge) / mean
        return found

    def tail(self, at: int) -> float:
        """How far values lie beyond the outermost cut on average."""
        edge = self.cuts[0] if at == 0 else self.cuts[-1]
        span = (self.ends[1] - self.ends[0]) or 1.0
        return float(max(abs(self.centre[at] - edge), 1e-3 * span))

    def draw(self, codes: Codes, random: np.random.Generator) -> Floats:
        """A value of each of these intervals."""
        last = self.cuts.size
        low = np.concatenate([[self.cuts[0]], self.cuts])
        high = np.concatenate([self.cuts, [self.cuts[-1]]])
        place = codes.astype(np.int64)
        values = random.uniform(low[place], high[place])
        for at, sign in ((0, -1.0), (last, 1.0)):
            inside = place == at
            edge = self.cuts[0] if at == 0 else self.cuts[-1]
            values[inside] = edge + sign * random.exponential(self.tail(at), int(inside.sum()))
        return np.asarray(values)


Column = Labels | Cut


def learn_columns(
    matrix: npt.NDArray[Any], names: Sequence[str], weights: Floats, bins: int
) -> tuple[Column, ...]:
    """How every column is read, from the cases that weigh anything."""
    used = weights > 0
    seen, weighed = matrix[used], weights[used]
    return tuple(_column(seen[:, at], name, weighed, bins) for at, name in enumerate(names))


def _column(column: npt.NDArray[Any], name: str, weights: Floats, bins: int) -> Column:
    if is_numeric(column):
        values = as_numbers(column)
        known = ~np.isnan(values)
        distinct = np.unique(values[known])
        whole = bool((distinct == np.round(distinct)).all())
        if distinct.size > 1 and not (whole and distinct.size <= FEW):
            return _cut(values[known], name, weights[known], bins)
        numbers = tuple(distinct.tolist())
        states = tuple(map(number_text, numbers)) or ("?",)
        return Labels(Discrete(name, states), numbers or (np.nan,), True)
    texts: dict[str, Any] = {}
    for value in column.tolist():
        texts.setdefault(_text(value), value)
    texts.pop("", None)
    states = tuple(natural_order(texts)) or ("?",)
    return Labels(Discrete(name, states), tuple(texts.get(each) for each in states), False)


def _cut(values: Floats, name: str, weights: Floats, bins: int) -> Cut:
    shares = np.arange(1, bins) / bins
    edges = np.quantile(values, shares, weights=weights, method="inverted_cdf")
    low, high = float(values.min()), float(values.max())
    cuts = np.unique(edges[(edges > low) & (edges <= high)])
    if not cuts.size:  # most cases have the lowest value: cut it off
        cuts = np.array([values[values > low].min()])
    place = np.searchsorted(cuts, values, side="right")
    weight = np.bincount(place, weights, cuts.size + 1)
    total = np.bincount(place, weights * values, cuts.size + 1)
    return Cut(Discrete(name, interval_names(cuts)), cuts, (low, high), total / weight)


def encoded(columns: Sequence[Column], matrix: npt.NDArray[Any]) -> Dataset:
    """The cases of a matrix."""
    variables = {each.variable.name: each.variable for each in columns}
    codes = {each.variable.name: each.codes(matrix[:, at]) for at, each in enumerate(columns)}
    return Dataset(variables, codes)


def unseen(columns: Sequence[Column], matrix: npt.NDArray[Any], data: Dataset) -> dict[str, int]:
    """How many cells of each column hold a label that no case had before; they say nothing."""
    found = {}
    for at, each in enumerate(columns):
        gaps = int(is_missing(matrix[:, at]).sum())
        strange = int((data.columns[each.variable.name] < 0).sum()) - gaps
        if strange > 0:
            found[each.variable.name] = strange
    return found


def is_numeric(column: npt.NDArray[Any]) -> bool:
    """Whether all that is there is a number."""
    if column.dtype.kind in "fiu":
        return True
    if column.dtype.kind == "b":
        return False
    return all(
        isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)
        for value in column[~is_missing(column)].tolist()
    )


def as_numbers(column: npt.NDArray[Any]) -> Floats:
    """The numbers of a column, nan where it has none."""
    if column.dtype.kind in "fiub":
        return np.asarray(column, dtype=np.float64)
    missing = is_missing(column)
    values = np.full(column.size, np.nan)
    values[~missing] = [float(value) for value in column[~missing].tolist()]
    return values


def is_missing(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which cells hold nan, None, a null of a data frame, or no text at all."""
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    if column.dtype.kind in "iub":
        return np.zeros(column.size, dtype=np.bool_)
    return np.array([_text(value) == "" for value in column.tolist()], dtype=np.bool_)


def _text(value: Any) -> str:
    """A value as a state; nothing where it is missing."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return ""
    return state_text(value)
