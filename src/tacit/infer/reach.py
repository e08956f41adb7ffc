"""Values that can be computed with: their squares, and those of their sums, are numbers, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from tacit.arrays import LARGEST, Bools, Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, NetworkError, quoted
from tacit.core.variables import Continuous

MOST = 1e150
"""Of the numbers of regressions."""
WHY = "and the squares of such numbers cannot be computed with"
RIGHT = f"express it in another unit, up to {LARGEST:g}"
FAR = -1e12
"""Logs of densities below this differ by more than rounding only, whatever is asked of them."""

Pieces: TypeAlias = Sequence[Floats]


def check_values(cases: Dataset) -> None:
    """Nothing, or an error about the first value of a continuous variable that is too large."""
    for name, variable in cases.variables.items():
        if isinstance(variable, Continuous):
            over = np.abs(cases[name]) > LARGEST
            if over.any():
                at = int(np.argmax(over))
                raise CasesError(
                    f"{quoted(name)} is {cases[name][at]:g} in case {at + 1}, {WHY}\n\n{RIGHT}"
                )


def check_numbers(names: Sequence[str], slopes: Pieces, levels: Pieces, spreads: Pieces) -> None:
    """Nothing, or an error about a regression whose numbers have squares that are none.

    One piece for each name: its coefficients, intercepts and sds.
    """
    if not names:
        return
    sizes = np.abs(np.concatenate([*slopes, *levels, *spreads]))
    if not (sizes > MOST).any() and not _vanishing(np.concatenate([*spreads])).any():
        return
    for name, *three in zip(names, slopes, levels, spreads, strict=True):
        wrong = np.concatenate(three)
        wrong = wrong[(np.abs(wrong) > MOST)]
        wrong = np.concatenate([wrong, three[2][_vanishing(three[2])]])
        if wrong.size:
            raise NetworkError(
                f"the regression of {quoted(name)} has the number {wrong[0]:g}, {WHY}"
                "\n\nexpress its variables in other units"
            )


def _vanishing(spreads: Floats) -> Bools:
    return np.asarray((spreads > 0) & (spreads < 1 / MOST))
