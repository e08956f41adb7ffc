"""Symmetric linear systems that may be singular, many at a time."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Floats

SINGULAR = 1e-10
"""A pivot, or eigenvalue, below this share of the largest is taken for rounding."""


def solved(matrices: Floats, right: Floats) -> Floats:
    """The solutions of least norm: (..., n, n) positive semidefinite, (..., n, m).

    An unknown that no measurement shows comes out as 0. [Sec. 6.3: A'A may be singular]
    """
    scaled, scale = _scaled(matrices)
    if _regular(scaled):
        return np.asarray(np.linalg.solve(scaled, scale * right) * scale)
    return np.asarray(np.linalg.pinv(matrices, rcond=SINGULAR, hermitian=True) @ right)


def regular(matrices: Floats) -> bool:
    """Whether none of the matrices is singular, up to rounding."""
    return _regular(_scaled(matrices)[0]) and bool((np.einsum("...ii->...i", matrices) > 0).all())


def inverse(matrices: Floats) -> Floats:
    """The inverses, or pseudo-inverses where they have none."""
    return np.asarray(np.linalg.pinv(matrices, rcond=SINGULAR, hermitian=True))


def rank(matrix: Floats) -> int:
    """How many directions measurements tell about."""
    return int(
        np.linalg.matrix_rank(matrix, tol=SINGULAR * max(matrix.max(), 1e-300), hermitian=True)
    )


def _scaled(matrices: Floats) -> tuple[Floats, Floats]:
    """The matrices with a diagonal of ones, and what they were multiplied by on either side.

    A zero on the diagonal stands in a row and column of zeros, whose unknown comes out as 0.
    """
    diagonal = np.einsum("...ii->...i", matrices)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled = matrices * scale[..., :, None] * scale[..., None, :]
    np.einsum("...ii->...i", scaled)[...] = 1.0
    return scaled, scale[..., None]


def _regular(scaled: Floats) -> bool:
    try:
        lower = np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        return False
    return bool(np.einsum("...ii->...i", lower).min(initial=1.0) ** 2 > SINGULAR)
