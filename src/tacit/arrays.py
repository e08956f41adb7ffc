"""The array types that pass between layers, and a few helpers that every layer needs."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.integer]
"""States as small integers; -1 is a missing cell."""
Column: TypeAlias = npt.NDArray[np.integer] | Floats
"""One column of cases: codes of a discrete variable or reals of a continuous one."""


_KINDS: tuple[tuple[np.dtype[np.signedinteger], int], ...] = (
    (np.dtype(np.int8), 2**7 - 1),
    (np.dtype(np.int16), 2**15 - 1),
    (np.dtype(np.int32), 2**31 - 1),
)


def readonly(values: npt.ArrayLike) -> Floats:
    """The values as doubles that nobody can write to; copied only if they can be written now."""
    array = np.asarray(values, dtype=np.float64)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


def shares(masses: Floats) -> Floats:
    """Each row, along the last axis, divided by its sum; rows without mass, or of nan, as they are.

    What is read off a clique, a mixture or weighted draws was scaled as a whole, and adds up to 1
    only up to rounding. A sum of doubles that are 0 or more is never below the largest of them,
    however it is rounded: so a quotient here is at most 1 without being cut off there, which would
    hide an error, and n of them add up to 1 within n units in the last place.
    """
    total = masses.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(masses, total, out=masses.copy(), where=total > 0))


def shares_of_logs(logs: Floats) -> Floats:
    """The same of masses given by their logs; nan where all of a row is impossible."""
    with np.errstate(invalid="ignore"):
        return shares(np.exp(logs - logs.max(axis=-1, keepdims=True)))


def code_type(states: int) -> np.dtype[np.signedinteger]:
    """The smallest signed integer that holds the codes 0..states-1 and the missing mark -1."""
    for kind, most in _KINDS:
        if states - 1 <= most:
            return kind
    return np.dtype(np.int64)


LARGEST = 1e75
"""Of values: their squares, and the squares of those, are numbers too."""
