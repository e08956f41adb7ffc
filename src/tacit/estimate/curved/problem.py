"""The problem of rows under rules of any smooth kind, as arrays.

maximise  Σ w log θ   subject to   A θ = b or A θ <= b,   g(θ) = 0,   h(θ) <= 0,   θ >= 0.

[parameter domain knowledge 1.2]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.arrays import Bools, Floats, Ints


class Functions(Protocol):
    """Smooth functions of some cells, each to be 0, or at most 0 where not `equal`.

    equal    (functions,)
    rule     (functions,)  the number of the rule each comes from
    support  the cells that they depend on
    """

    @property
    def equal(self) -> Bools: ...
    @property
    def rule(self) -> Ints: ...
    @property
    def support(self) -> Ints: ...

    def values(self, theta: Floats) -> Floats:
        """(functions,) at a vector of all cells."""
        ...

    def jacobian(self, theta: Floats) -> Floats:
        """(functions, support) their slopes."""
        ...

    def hessian(self, theta: Floats, multipliers: Floats) -> Floats:
        """(support, support) Σ multiplier · second derivatives."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Rows of tables under sums, linear rules and curved ones; positions are cells of the rows.

    weights  (positions,)  evidence of every cell
    row      (positions,)  its row, 0, 1, ...
    matrix   (linear, positions)  the sums of the rows first, then linear rules; limits likewise
    level    (linear,)     whether each holds with equality
    curved   functions over positions
    """

    weights: Floats
    row: Ints
    matrix: Floats
    limits: Floats
    level: Bools
    curved: tuple[Functions, ...] = ()

    @property
    def size(self) -> int:
        """How many cells there are."""
        return int(self.weights.size)

    @property
    def equal(self) -> Bools:
        """(constraints,) of linear rules and functions, in this order."""
        return np.concatenate([self.level, *(each.equal for each in self.curved)])

    @property
    def shares(self) -> Floats:
        """The weights as shares of all; even where there is none."""
        total = float(self.weights.sum())
        return self.weights / total if total > 0 else np.full(self.size, 1.0 / self.size)

    def objective(self, theta: Floats) -> float:
        """Σ w log θ; cells without evidence say nothing."""
        seen = self.weights > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(self.weights[seen] @ np.log(theta[seen]))

    def values(self, theta: Floats) -> Floats:
        """(constraints,) each to be 0, or at most 0."""
        linear = self.matrix @ theta - self.limits
        return np.concatenate([linear, *(each.values(theta) for each in self.curved)])

    def jacobian(self, theta: Floats) -> Floats:
        """(constraints, positions)"""
        parts = [self.matrix]
        for each in self.curved:
            slopes = np.zeros((each.equal.size, self.size))
            slopes[:, each.support] = each.jacobian(theta)
            parts.append(slopes)
        return np.vstack(parts)

    def hessian(self, theta: Floats, multipliers: Floats) -> Floats:
        """(positions, positions) Σ multiplier · second derivatives of the constraints."""
        found, at = np.zeros((self.size, self.size)), self.limits.size
        for each in self.curved:
            held = multipliers[at : at + each.equal.size]
            at += each.equal.size
            found[np.ix_(each.support, each.support)] += each.hessian(theta, held)
        return found

    def missed(self, theta: Floats) -> Floats:
        """(constraints,) how far each is from holding."""
        values = self.values(theta)
        return np.asarray(np.where(self.equal, np.abs(values), np.maximum(values, 0.0)))


@dataclass(frozen=True, slots=True, eq=False)
class Bilinear:
    """θ[left[0]] θ[left[1]] - θ[right[0]] θ[right[1]], pair by pair: ratios and product synergy.

    left, right  (2, functions)
    """

    left: Ints
    right: Ints
    equal: Bools
    rule: Ints
    support: Ints

    @staticmethod
    def of(left: Ints, right: Ints, equal: bool, rule: int) -> Bilinear:
        """Pairs of cells whose products are equal, or at most those of the others."""
        count = left.shape[1]
        support = np.unique(np.concatenate([left.ravel(), right.ravel()]))
        return Bilinear(left, right, np.full(count, equal), np.full(count, rule), support)

    def values(self, theta: Floats) -> Floats:
        """(functions,) at a vector of all cells."""
        return np.asarray(theta[self.left].prod(axis=0) - theta[self.right].prod(axis=0))

    def jacobian(self, theta: Floats) -> Floats:
        """(functions, support) their slopes."""
        found = np.zeros((self.equal.size, self.support.size))
        which = np.arange(self.equal.size)
        for pair, sign in ((self.left, 1.0), (self.right, -1.0)):
            for one, other in (pair, pair[::-1]):
                np.add.at(found, (which, self._place(one)), sign * theta[other])
        return found

    def hessian(self, theta: Floats, multipliers: Floats) -> Floats:
        """(support, support) Σ multiplier · second derivatives."""
        del theta  # products of two have constant second derivatives
        found = np.zeros((self.support.size, self.support.size))
        for pair, sign in ((self.left, 1.0), (self.right, -1.0)):
            for one, other in (pair, pair[::-1]):
                np.add.at(found, (self._place(one), self._place(other)), sign * multipliers)
        return found

    def _place(self, cells: Ints) -> Ints:
        return np.searchsorted(self.support, cells).astype(np.int64)


def proportional(lists: Ints, rule: int) -> Bilinear:
    """Lists of cells that are multiples of each other, as equal products. [Thm 4.6.1, 4.10.1]

    θ[i, j] θ[0, 0] = θ[i, 0] θ[0, j] for every further list i and column j.
    """
    others, columns = lists.shape
    i, j = (each.ravel() for each in np.mgrid[1:others, 1:columns])
    first = np.full(i.size, lists[0, 0])
    return Bilinear.of(
        np.stack([lists[i, j], first]), np.stack([lists[i, 0], lists[0, j]]), True, rule
    )


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Some functions over all cells, seen from the positions that they depend on.

    which    the functions, among all
    cells    (positions,) the cell at each position
    others   (all cells,) anything at cells elsewhere, which only other functions look at
    support  the positions that they depend on
    columns  where these stand in the support of the functions
    """

    of: Functions
    which: Ints
    cells: Ints
    others: Floats
    support: Ints
    columns: Ints

    @staticmethod
    def at(of: Functions, which: Ints, cells: Ints, others: Floats) -> Placed:
        """Some functions, at positions that hold these cells."""
        inside = np.flatnonzero(np.isin(cells, of.support))
        order = np.argsort(of.support)
        columns = order[np.searchsorted(of.support, cells[inside], sorter=order)]
        return Placed(of, which, cells, others, inside, columns)

    @property
    def equal(self) -> Bools:
        """(functions,) of these."""
        return self.of.equal[self.which]

    @property
    def rule(self) -> Ints:
        """(functions,) of these."""
        return self.of.rule[self.which]

    def values(self, theta: Floats) -> Floats:
        """(functions,) at positions."""
        return self.of.values(self._whole(theta))[self.which]

    def jacobian(self, theta: Floats) -> Floats:
        """(functions, support) their slopes."""
        return self.of.jacobian(self._whole(theta))[np.ix_(self.which, self.columns)]

    def hessian(self, theta: Floats, multipliers: Floats) -> Floats:
        """(support, support) Σ multiplier · second derivatives."""
        held = np.zeros(self.of.equal.size)
        held[self.which] = multipliers
        found = self.of.hessian(self._whole(theta), held)
        return found[np.ix_(self.columns, self.columns)]

    def _whole(self, theta: Floats) -> Floats:
        whole = self.others.copy()
        whole[self.cells] = theta
        return whole


def independent(matrix: Floats) -> Ints:
    """As many rows as the rank, which say all that the others say."""
    from scipy.linalg import qr

    if not matrix.size:
        return np.arange(0)
    _, triangle, order = qr(matrix.T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    return np.sort(order[: sizes.size][sizes > 1e-10 * sizes[0]]).astype(np.int64)
