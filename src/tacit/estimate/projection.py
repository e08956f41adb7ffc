"""Tables as other families: the nearest noisy-or, tree or list of rows, and how far off it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.arrays import Floats
from tacit.core.errors import OptionError, quoted
from tacit.core.grid import number
from tacit.core.options import is_number
from tacit.estimate.causes.estimate import estimate_causes
from tacit.estimate.local.growing import Told, grown_tree
from tacit.estimate.local.listing import listed_rows
from tacit.estimate.local.worth import RowWorth
from tacit.families.cause_counts import CauseCounts
from tacit.families.default_table import DefaultTable
from tacit.families.noisy import Noisy
from tacit.families.shared import SharedRows
from tacit.families.table import Table, row_label
from tacit.families.tree_table import TreeTable

EXACT = 1e-9
"""Nats below which a row of its own is only rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """A family as near to a table as its kind can be.

    divergence  Σ w KL(row of the table, row of the family) in nats, w the weight of each row
    largest     the largest difference between two probabilities
    where       the cell that differs so much, as a rule would name it
    """

    family: Noisy | SharedRows
    divergence: float
    largest: float
    where: str

    def __str__(self) -> str:
        off = "the same distribution"
        if self.largest > EXACT:
            off = (
                f"{number(self.divergence, 4)} nats off on average, "
                f"at most {number(self.largest)} in {self.where}"
            )
        return f"{self.family}\n{off}"


def project(
    table: Table, kind: Any, weights: npt.ArrayLike | None = None, *, price: float = EXACT
) -> Projection:
    """The family of a kind that is nearest to a table:

    minimise  Σ over the rows u of w(u) KL(P(child | u), Q(child | u)).

    For independent causes that is the concave programme of their fit, and the answer the one
    optimum; a noisy-or that was written out comes back. A tree or a list of rows is grown by the
    same criterion, a row being worth its own place if that saves `price` nats or more.

    kind     `tc.NoisyOr`, `tc.NoisyAnd`, `tc.NoisyMax`, `tc.TreeTable`, `tc.DefaultTable`
    weights  (states of the parents...,) how much each row counts; all alike unless given
    """
    if not isinstance(table, Table):
        raise OptionError(
            f"tc.project takes a table, as tc.table(...) makes one or a network holds it, not "
            f"{table!r:.40}"
        )
    shape = table.values.shape
    if table.partial:
        raise OptionError(f"the table of {quoted(table.child)} has rows that are unknown")
    if not is_number(price) or price < 0:
        raise OptionError(f"price={price!r} must be a number of nats, 0 or more")
    shares = _shares(table, weights)
    codes = np.array(list(np.ndindex(shape[:-1])), dtype=np.int64).reshape(
        shares.size, len(shape) - 1
    )
    rows = table.values.reshape(-1, shape[-1])
    counts = CauseCounts(shape, codes, shares[:, None] * rows)
    if isinstance(kind, type) and issubclass(kind, Noisy):
        family: Noisy | SharedRows = _noisy(kind, table, counts)
    elif kind in (TreeTable, DefaultTable):
        family = _shared(kind, table, counts, price)
    else:
        raise OptionError(
            f"a table cannot be projected on {kind!r}\n\nthere are: tc.NoisyOr, tc.NoisyAnd, "
            "tc.NoisyMax, tc.TreeTable, tc.DefaultTable"
        )
    return _judged(table, family, shares)


def _shares(table: Table, weights: npt.ArrayLike | None) -> Floats:
    shape = table.values.shape[:-1]
    given = np.ones(shape) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape != shape or not (np.isfinite(given).all() and (given >= 0).all()):
        raise OptionError(f"weights of the rows are {shape} numbers, 0 or more")
    if given.sum() <= 0:
        raise OptionError("some row must have a weight above 0")
    return np.asarray(given.ravel() / given.sum())


def _noisy(kind: type[Noisy], table: Table, counts: CauseCounts) -> Noisy:
    frame = kind.frame_for(table.variables)
    nothing = np.zeros((len(frame) + 1, frame.levels))
    return kind.from_causes(estimate_causes(frame, counts, nothing).causes)


def _shared(kind: Any, table: Table, counts: CauseCounts, price: float) -> SharedRows:
    """Rows whose places are found, each the mean of those that share it."""
    worth = RowWorth(0.0, -1.0, price)
    even = np.full(table.values.shape[-1:], 1.0 / table.values.shape[-1])
    if kind is TreeTable:
        tree, _ = grown_tree(Told.of(counts), worth)
        family: SharedRows = TreeTable(table.variables, tree, np.tile(even, (tree.leaves, 1)))
    else:
        listed, _ = listed_rows(counts, worth)
        family = DefaultTable(table.variables, listed, np.tile(even, (len(listed) + 1, 1)))
    pooled = family.pooled(counts).values
    total = pooled.sum(axis=1, keepdims=True)
    return family.with_values(np.where(total > 0, pooled / np.where(total > 0, total, 1), even))


def _judged(table: Table, family: Noisy | SharedRows, shares: Floats) -> Projection:
    ours, theirs = table.values, family.to_table().values
    off = np.abs(ours - theirs)
    at = int(np.argmax(off))
    state = table.variables[-1].states[at % ours.shape[-1]]
    label = row_label(table.variables, at // ours.shape[-1])
    where = label.replace(f"P({quoted(table.child)}", f"P({quoted(table.child)}={quoted(state)}", 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(ours > 0, ours * np.log(ours / theirs), 0.0).reshape(shares.size, -1)
    used = shares > 0
    divergence = max(0.0, float(shares[used] @ terms[used].sum(axis=1)))
    return Projection(family, divergence, float(off.max(initial=0.0)), where)
