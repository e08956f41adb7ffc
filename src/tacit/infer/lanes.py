"""Many cases through one clique tree of the whole network, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Codes, Floats, Ints
from tacit.infer.flat import Layout
from tacit.infer.pieces import in_parts, parts_of
from tacit.infer.planting import MANY_RUNS, Planted, Scopes, plant_one

if TYPE_CHECKING:
    from tacit.kernels.lanes import Lanes, Owned

MOST_LANES, FEW_LANES = 64, 8
AT_ONCE = 500_000
"""Numbers that work space for one block of cases should hold: more would leave the caches."""


@dataclass(frozen=True, slots=True, eq=False)
class LaneTree:
    """A clique tree over all variables, and who stands where in it."""

    layout: Layout
    planted: Planted
    owned: Owned
    lanes: int

    @property
    def cells(self) -> int:
        """Of all cliques."""
        return self.planted.work[0]

    def prior(self, theta: Floats) -> Floats:
        """The product of the factors in every clique."""
        from tacit.kernels.flow import fill

        prior = np.empty(self.cells)
        fill(self.planted.forest, self._bases(), theta, prior)
        return prior

    def _bases(self) -> Ints:
        return np.asarray(self.layout.graph.starts[self.planted.families])

    def space(self) -> Lanes:
        """Work space for one worker."""
        from tacit.kernels.lanes import Lanes

        cells, messages = (np.empty((n, self.lanes)) for n in self.planted.work)
        return Lanes(cells, messages, np.empty_like(messages), np.empty_like(cells))

    def posteriors(self, codes: Codes, theta: Floats, threads: int) -> tuple[Floats, Floats]:
        """The posteriors of all variables one after the other, each (cases, states), flat, and
        P(findings) of every case; where that is 0, the case is impossible or lost to underflow,
        and its posteriors are not to be used."""
        from tacit.kernels.lanes import posteriors_by_lanes

        forest, prior = self.planted.forest, self.prior(theta)
        masses = np.zeros(len(codes))
        out = np.zeros(len(codes) * int(self.layout.state_at[-1]))

        def part(number: int, first: int, last: int) -> None:
            del number
            space = self.space()
            posteriors_by_lanes(forest, self.owned, prior, codes, first, last, space, masses, out)

        in_parts(parts_of(len(codes)), part, threads)
        return out, masses

    def expected(
        self, codes: Codes, weights: Floats, theta: Floats, threads: int
    ) -> tuple[Floats, Floats]:
        """Expected counts of the cases, flat, and P(findings) of each; a case that is impossible
        or lost to underflow has 0 there and adds nothing."""
        from tacit.kernels.flow import expect
        from tacit.kernels.lanes import expected_by_lanes

        forest, prior, spans = self.planted.forest, self.prior(theta), parts_of(len(codes))
        masses, totals = np.zeros(len(codes)), np.zeros((len(spans), self.cells))

        def part(number: int, first: int, last: int) -> None:
            space, out = self.space(), np.zeros((self.cells, self.lanes))
            expected_by_lanes(
                forest, self.owned, prior, codes, weights, first, last, space, masses, out
            )
            totals[number] = out.sum(axis=1)

        in_parts(spans, part, threads)
        counts = np.zeros(self.layout.size)
        expect(forest, 0, self._bases(), 0, 1.0, totals.sum(axis=0), counts)
        return counts, masses


def lane_tree(layout: Layout) -> LaneTree:
    """The clique tree of a network, for cases side by side."""
    nothing = np.full(len(layout.names), -1, dtype=np.int64)
    planted, scopes = plant_one(layout, nothing, effort=MANY_RUNS)
    lanes = min(MOST_LANES, max(FEW_LANES, AT_ONCE // planted.work[0]))
    lanes = max(1, min(lanes, 8 * AT_ONCE * FEW_LANES // planted.work[0]))
    return LaneTree(layout, planted, _owned(layout, scopes), lanes)


def _owned(layout: Layout, scopes: Scopes) -> Owned:
    from tacit.kernels.lanes import Owned

    at, variables, digits = [0], [], []
    for c, own in enumerate(scopes.own):
        mine = scopes.variables[scopes.at[c] : scopes.at[c] + own]
        shape = [layout.cards[v] for v in mine]
        digits += [digit.ravel() for digit in np.indices(shape)]
        variables += mine.tolist()
        at.append(len(variables))
    ends = np.cumsum([digit.size for digit in digits])
    return Owned(
        np.array(at, dtype=np.int64),
        np.array(variables, dtype=np.int64),
        np.concatenate([[0], ends[:-1]]).astype(np.int64),
        np.concatenate(digits).astype(np.int64),
        layout.state_at,
    )
