"""The gamma at which hidden variables begin to say something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.learn.bottleneck.contexts import Contexts

FEW = 40
"""Contexts up to which the matrix is written down."""


def threshold(contexts: Contexts) -> float:
    """γ_c = 1 / λ_max: below it the trivial solution Q(t|y) = Q(t) is stable; inf if always.

    Of several hidden variables the first to leave it counts: around the trivial solution they do
    not notice each other, for what one says of another is nothing to the first order.
    [HV2 2.3, for networks in general]
    """
    highest = max((_growth(contexts, at) for at in contexts.hidden), default=0.0)
    return 1.0 / highest if highest > 0 else float("inf")


@dataclass(frozen=True, slots=True, eq=False)
class _Pooling:
    """What a deviation r(y) is pooled to: its mean over cells minus its mean over their rows."""

    cells: tuple[Ints, ...]
    rows: tuple[Ints | None, ...]
    weights: Floats

    def __call__(self, scaled: Floats) -> Floats:
        """√w K r of r = scaled / √w.

        (K r)(y) = Σ over families of mean(r | cell of y) - mean(r | row of y): by so much a small
        deviation of the shares, relative to them, grows in one step of EM. [HV2 2.3, 2.4]
        """
        root = np.sqrt(self.weights)
        found = np.zeros(root.size)
        weighed = np.asarray(scaled).reshape(-1) * root
        weighed = weighed - self.weights * (weighed.sum() / self.weights.sum())
        for cell, row in zip(self.cells, self.rows, strict=True):
            found += self._mean(cell, weighed)
            if row is not None:
                found -= self._mean(row, weighed)
        return np.asarray(found * root)

    def _mean(self, group: Ints, weighed: Floats) -> Floats:
        """The mean over each context's group; a group of -1 says nothing."""
        at = group + 1
        totals, sums = np.bincount(at, self.weights), np.bincount(at, weighed)
        means = sums / np.maximum(totals, 1e-300)
        means[0] = 0.0
        return np.asarray(means[at])


def _growth(contexts: Contexts, at: int) -> float:
    """λ_max of the pooling around one hidden variable."""
    pooling = _pooling(contexts, contexts.open[at].variable)
    size = contexts.weights.size
    if size < 2 or not pooling.cells:
        return 0.0
    if size <= FEW:
        matrix = np.stack([pooling(each) for each in np.eye(size)])
        return float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[-1])
    from scipy.sparse.linalg import LinearOperator, eigsh

    operator = LinearOperator((size, size), matvec=pooling, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=size)
    return float(eigsh(operator, k=1, which="LA", v0=start, tol=1e-6, return_eigenvectors=False)[0])


def _pooling(contexts: Contexts, hidden: int) -> _Pooling:
    """The observed cells and rows around a hidden variable, those of other open ones left out."""
    layout, cells, rows = contexts.layout, list[Ints](), list[Ints | None]()
    opened = {each.variable for each in contexts.open}
    for family in layout.touching[hidden]:
        *parents, child = layout.axes[family].variables
        seen = [v for v in parents if v not in opened]
        row = _groups(contexts, seen)
        if child == hidden and seen:
            cells.append(row)
            rows.append(None)
        elif child not in opened:
            cells.append(_groups(contexts, [*seen, child]))
            rows.append(np.where(cells[-1] < 0, -1, row))
    return _Pooling(tuple(cells), tuple(rows), contexts.weights)


def _groups(contexts: Contexts, variables: list[int]) -> Ints:
    """A number for each configuration of some variables; -1 where one of them is unknown."""
    if not variables:
        return np.zeros(contexts.weights.size, dtype=np.int64)
    codes = contexts.codes[:, variables]
    _, group = np.unique(codes, axis=0, return_inverse=True)
    found = np.asarray(group, dtype=np.int64).reshape(-1)
    return np.where((codes < 0).any(axis=1), -1, found)
