"""Matrices of derivatives: dense while they are small, since sparse ones take their time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from tacit.arrays import Floats, Ints

Matrix: TypeAlias = Any
"""A dense or a sparse array; both add and multiply."""
SMALL = 100_000
"""Entries up to which a matrix is dense."""


def matrix(parts: Sequence[tuple[Ints, Ints, Floats]], shape: tuple[int, int]) -> Matrix:
    """Entries (row, column, value) added up; those outside the shape are of none."""
    small = shape[0] * shape[1] <= SMALL
    if not parts and small:
        return np.zeros(shape)
    none = np.zeros(0, dtype=np.int64)
    every = [(none, none, np.zeros(0)), *parts]
    row, column, data = (np.concatenate(each) for each in zip(*every, strict=True))
    fits = (column < shape[1]) & (row < shape[0])
    row, column, data = row[fits], column[fits], data[fits]
    if small:
        return np.bincount(row * shape[1] + column, data, shape[0] * shape[1]).reshape(shape)
    from scipy.sparse import coo_array, csr_array

    return csr_array(coo_array((data, (row, column)), shape=shape))


def full(given: Matrix) -> Floats:
    """The matrix as a dense array."""
    return np.asarray(given if isinstance(given, np.ndarray) else given.toarray())
