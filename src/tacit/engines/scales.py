"""Which numbers can be computed with: their squares, and the squares of those, are numbers too."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tacit.arrays import LARGEST, Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, quoted

SMALLEST = 1 / LARGEST
"""A column whose greatest absolute value is outside is refused, unless it is 0 throughout."""
STILL = 1e-12
"""A standard deviation below this share of the mean is rounding."""


def check_scales(data: Dataset, names: Iterable[str]) -> None:
    """Nothing, or an error about a continuous column whose squares overflow or vanish."""
    for name in names:
        check_scale(name, np.abs(data[name]))


def check_spreads(data: Dataset, names: Iterable[str]) -> None:
    """Nothing, or an error about a continuous column with one value in all cases that count."""
    for name in names:
        values = np.asarray(data[name], dtype=np.float64)
        counts = (
            ~np.isnan(values) if data.weights is None else (data.weights > 0) & ~np.isnan(values)
        )
        if is_still(values[counts]):
            raise CasesError(
                f"{quoted(name)} has the same value in all cases, so no Gaussian fits it"
                "\n\nleave the column out"
            )


def is_still(values: Floats) -> bool:
    """Whether nothing tells these numbers apart but rounding; none at all are still, too."""
    largest = np.abs(values).max(initial=0.0)
    if not largest > 0:
        return True
    shares = values / largest  # whose squares are numbers, whatever the unit
    return not shares.std() > STILL * abs(shares.mean())


def check_scale(name: str, values: Floats) -> None:
    """The same of one column of absolute values."""
    if values.size:
        largest = float(np.max(values, initial=0.0, where=~np.isnan(values)))
        if largest > LARGEST or 0 < largest < SMALLEST:
            what = "has values as large as" if largest > LARGEST else "has no value larger than"
            raise CasesError(
                f"{quoted(name)} {what} {largest:.3g}, and the squares of such numbers cannot be "
                "computed with\n\nexpress the column in another unit, between "
                f"{SMALLEST:g} and {LARGEST:g}"
            )
