"""Families with shared rows inside EM: tables of which some rows are one and the same.

In an E-step they are tables like all others. Before rows are estimated, the expected counts of all
that share a row are spread evenly over them; the rows then come out equal, and right:

Σ over the rows r that share θ of Σ N_r log θ = Σ (Σ_r N_r) log θ,

and the prior's pseudo-counts of a row are spread in the same way. So no step lowers the objective.
[EST 1.9; Thm 4.2.1 for shared parameters]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import OptionError, quoted
from tacit.core.network import Network
from tacit.estimate.estimates import Estimate
from tacit.families.cause_counts import CauseCounts
from tacit.families.shared import SharedRows
from tacit.families.table import check_size
from tacit.infer.flat import Layout


@dataclass(frozen=True, slots=True, eq=False)
class Pools:
    """Cells of a layout that are one and the same.

    cells  of all families that share rows
    group  (cells,)  which cells are one
    size   (groups,) how many are
    """

    cells: Ints
    group: Ints
    size: Floats

    def pooled(self, weights: Floats) -> Floats:
        """Numbers of cells, those that are one holding their mean."""
        weights = weights.copy()
        sums = np.bincount(self.group, weights[self.cells], self.size.size)
        weights[self.cells] = (sums / self.size)[self.group]
        return weights


def pools_of(layout: Layout, shared: Mapping[str, SharedRows]) -> Pools:
    """The pools of these families, each of which is a table of the layout."""
    cells, group, start = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    every = np.arange(layout.size)
    for name, family in shared.items():
        block = layout.block(every, layout.places[name])
        states = block.shape[-1]
        row = rows_everywhere(family)
        cells.append(block.ravel())
        group.append(start + (row[:, None] * states + np.arange(states)).ravel())
        start += family.values.size
    which = np.concatenate(group)
    return Pools(np.concatenate(cells), which, np.bincount(which, minlength=start).astype(float))


def rows_everywhere(family: SharedRows) -> Ints:
    """(configurations,) the row of each, in the order of a table."""
    sizes = [len(parent.states) for parent in family.variables[:-1]]
    check_size(family.child, [*sizes, family.values.shape[1]])
    at = np.indices(sizes).reshape(len(sizes), -1) if sizes else np.zeros((0, 1), dtype=np.int64)
    return family.rows_at(list(at), family.configurations)


def spread_pseudo(
    layout: Layout, shared: Mapping[str, SharedRows], alpha: Mapping[str, Floats],
    estimate: Estimate, pseudo: Floats,
) -> None:  # fmt: skip
    """Write what the estimate adds to every row, spread over the rows of the whole table."""
    for name, family in shared.items():
        row = rows_everywhere(family)
        each = estimate.pseudo(alpha[name]) / np.maximum(np.bincount(row), 1)[:, None]
        block = layout.block(pseudo, layout.places[name])
        block[...] = each[row].reshape(block.shape)


def shared_families(
    layout: Layout, shared: Mapping[str, SharedRows], theta: Floats
) -> dict[str, SharedRows]:
    """The families with the rows that these parameters hold."""
    found = {}
    for name, family in shared.items():
        row = rows_everywhere(family)
        rows = layout.block(theta, layout.places[name]).reshape(row.size, -1)
        values = family.values.copy()
        values[row] = rows
        found[name] = family.with_values(values / values.sum(axis=1, keepdims=True))
    return found


def expected_counts(
    layout: Layout, shared: Mapping[str, SharedRows], expected: Floats
) -> dict[str, CauseCounts]:
    """What is expected of every configuration, those that have nothing left out."""
    found = {}
    for name in shared:
        block = np.maximum(layout.block(expected, layout.places[name]), 0.0)
        values = block.reshape(-1, block.shape[-1])
        used = np.flatnonzero(values.sum(axis=1) > 0)
        at = np.unravel_index(used, block.shape[:-1]) if block.ndim > 1 else ()
        seen = np.array(at, dtype=np.int64).reshape(block.ndim - 1, used.size).T
        found[name] = CauseCounts(block.shape, seen, values[used])
    return found


def written_rows(network: Network, shared: Mapping[str, SharedRows]) -> Network:
    """A network with these families written out, to start from: its rows have to be shared, too."""
    families = dict(network.families)
    for name, family in shared.items():
        own = families[name]
        if not isinstance(own, SharedRows) or own.with_values(family.values) != family:
            raise OptionError(
                f"{quoted(name)} is to share rows, and in the network to start from it has others"
                '\n\nleave out start="given"'
            )
        families[name] = own.to_table()
    return Network(network.dag, network.variables, families)
