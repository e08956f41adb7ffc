"""Large components, by sparse elimination: a chain of any length costs what it is long.

The equations loadings · u = known + noise with variances D are solved through

    | D   L | | λ |   | known |
    | Lᵀ  0 | | u | = |   0   |,

whose solution u is the mean, and whose determinant and λ give the density. Nothing is divided by a
variance, so exact rows are no exception. (Hachtel's augmented system; Duff 1994)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import SizeError
from tacit.infer.normal.components import System
from tacit.infer.normal.dense import LOG_TURN

MOST_COVARIANCES = 2**27
"""Numbers in a covariance that is written out."""
AT_ONCE = 2**22
"""Numbers in a block of right sides."""


@dataclass(frozen=True, slots=True, eq=False)
class Sparse:
    """One factored matrix per configuration."""

    system: System
    factors: Sequence[Any]

    @staticmethod
    def of(system: System) -> Sparse:
        """The solution of a component whose rows name few variables each."""
        return Sparse(system, [_factored(system, at) for at in range(len(system.level))])

    def _solved(self, at: int, known: Floats) -> tuple[Floats, Floats]:
        """λ and u of (cases, rows) for one configuration."""
        part = self.system.component
        rows = part.rows.size
        right = np.zeros((rows + part.size, len(known)))
        right[:rows] = known.T
        found = self.factors[at].solve(right).T
        return found[:, :rows], found[:, rows:]

    def means(self, known: Floats) -> Floats:
        """u"""
        return np.array([self._solved(at, each)[1] for at, each in enumerate(known)])

    def log_density(self, known: Floats) -> Floats:
        """From λ and the determinant."""
        part, found = self.system.component, np.empty(known.shape[:2])
        free = part.rows.size - part.size
        for at, each in enumerate(known):
            squares = (each * self._solved(at, each)[0]).sum(axis=1)
            found[at] = -0.5 * (squares + self._log_determinant(at) + free * LOG_TURN)
        return found

    def _log_determinant(self, at: int) -> float:
        upper = np.abs(self.factors[at].U.diagonal())
        return float(np.log(upper).sum())

    def covariance(self, chosen: Ints) -> Floats:
        """Solved for the unknowns chosen, each against the others."""
        if chosen.size**2 * len(self.factors) > MOST_COVARIANCES:
            raise SizeError(
                f"the covariance of {chosen.size:,} variables is too large to write out; "
                "ask about fewer at once"
            )
        return np.array([self._columns(at, chosen)[chosen] for at in range(len(self.factors))])

    def _columns(self, at: int, chosen: Ints) -> Floats:
        """Columns of the covariance: the lower right block of the inverse, its sign turned."""
        part = self.system.component
        rows, found = part.rows.size, np.empty((part.size, chosen.size))
        step = max(1, AT_ONCE // (rows + part.size))
        for start in range(0, chosen.size, step):
            some = chosen[start : start + step]
            right = np.zeros((rows + part.size, some.size))
            right[rows + some, np.arange(some.size)] = -1.0
            found[:, start : start + step] = self.factors[at].solve(right)[rows:]
        return found

    def variances(self) -> Floats:
        """The diagonal, a block of columns at a time."""
        part = self.system.component
        found = np.empty((len(self.factors), part.size))
        step = max(1, AT_ONCE // (part.rows.size + part.size))
        for at in range(len(self.factors)):
            for start in range(0, part.size, step):
                some = np.arange(start, min(start + step, part.size))
                columns = self._columns(at, some)
                found[at, some] = columns[some, np.arange(some.size)]
        return np.maximum(found, 0.0)

    def log_volume(self) -> Floats:
        """From the determinants: |K| = |D| · |precision| up to sign."""
        part = self.system.component
        if not (self.system.noise > 0).all():
            raise SizeError(
                f"{part.size:,} variables are unknown together, some of them exact functions of "
                "others: the density of so many has no peak\n\ngive the functions a small sd"
            )
        noise = np.log(self.system.noise).sum(axis=1)
        found = [noise[at] - self._log_determinant(at) for at in range(len(self.factors))]
        return np.array(found) / 2 + part.size * LOG_TURN / 2


def _factored(system: System, at: int) -> Any:
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    part = system.component
    rows, size = part.rows.size, part.size
    every, first = np.arange(rows), np.arange(size)
    row = np.concatenate([first, part.inner.row])
    column = rows + np.concatenate([first, part.inner.column])
    values = np.concatenate([np.ones(size), -system.inner[at]])
    matrix = csc_array(
        (
            np.concatenate([system.noise[at], values, values]),
            (np.concatenate([every, row, column]), np.concatenate([every, column, row])),
        ),
        shape=(rows + size, rows + size),
    )
    try:
        return splu(matrix)
    except RuntimeError:
        raise SizeError(
            f"{size:,} variables are unknown together, and exact functions of them are observed: "
            "so many cannot be solved exactly\n\ngive the functions a small sd"
        ) from None
