"""How many states of a hidden variable are worth telling apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.infer.flat import Layout


@dataclass(frozen=True, slots=True, eq=False)
class States:
    """Expected counts around a hidden variable, one column per state.

    counts  (cells, states) without the prior
    alpha   (cells, states) the prior's pseudo-counts
    signs   (cells,) +1 for a cell of a table, -1 for the total of a row that the state picks
    """

    counts: Floats
    alpha: Floats
    signs: Floats

    @staticmethod
    def of(layout: Layout, expected: Floats, alpha: Floats, hidden: int) -> States:
        """The tables around a hidden variable, its own and its children's."""
        counts, priors, signs = list[Floats](), list[Floats](), list[Floats]()
        for family in layout.touching[hidden]:
            axes = layout.axes[family]
            place, own = axes.variables.index(hidden), axes.variables[-1] == hidden
            for flat, into in ((expected, counts), (alpha, priors)):
                table = np.moveaxis(layout.block(flat, family), place, -1)
                into.append(table.reshape(-1, table.shape[-1]))
                if not own:
                    totals = layout.block(flat, family).sum(axis=-1)
                    totals = np.moveaxis(totals, place, -1)
                    into.append(totals.reshape(-1, totals.shape[-1]))
            signs.append(np.ones(len(counts[-1]) if own else len(counts[-2])))
            if not own:
                signs.append(-np.ones(len(counts[-1])))
        return States(np.concatenate(counts), np.concatenate(priors), np.concatenate(signs))

    def worth(self, counts: Floats, alpha: Floats) -> Floats:
        """(columns,) what each column adds to the log marginal likelihood."""
        from scipy.special import gammaln

        return np.asarray(self.signs @ (gammaln(counts + alpha) - gammaln(alpha)))

    def gains(self) -> Floats:
        """(states, states) Δ_ij: by how much the score grows when states i and j become one.

        Counts and pseudo-counts of the two add up; -inf for a state and itself. [HV2 2.10]
        """
        alone = self.worth(self.counts, self.alpha)
        found = np.full((alone.size, alone.size), -np.inf)
        for i in range(alone.size - 1):
            both = self.worth(
                self.counts[:, i, None] + self.counts[:, i + 1 :],
                self.alpha[:, i, None] + self.alpha[:, i + 1 :],
            )
            found[i, i + 1 :] = found[i + 1 :, i] = both - alone[i] - alone[i + 1 :]
        return found

    def merged(self, i: int, j: int) -> States:
        """Two states as one."""
        return States(_joined(self.counts, i, j), _joined(self.alpha, i, j), self.signs)


def effective_states(layout: Layout, expected: Floats, alpha: Floats, hidden: int) -> int:
    """How many states are left after merging the best pair while that raises the BDe score.

    A cell without a prior counts as if BDeu(1) were its prior: without one no score has a value.
    [HV2 2.10, effective cardinality]
    """
    states = States.of(layout, expected, proper(layout, alpha), hidden)
    while states.counts.shape[1] > 1:
        gains = states.gains()
        i, j = np.unravel_index(int(np.argmax(gains)), gains.shape)
        if gains[i, j] <= 0:
            break
        states = states.merged(int(i), int(j))
    return int(states.counts.shape[1])


def proper(layout: Layout, alpha: Floats) -> Floats:
    """The prior's pseudo-counts; those of BDeu(1) where it has none."""
    even = np.concatenate(
        [np.full(int(np.prod(shape)), 1 / np.prod(shape)) for _, shape in layout.blocks]
    )
    return np.where(alpha > 0, alpha, even)


def _joined(columns: Floats, i: int, j: int) -> Floats:
    found = np.delete(columns, j, axis=1)
    found[:, i - (j < i)] = columns[:, i] + columns[:, j]
    return found
