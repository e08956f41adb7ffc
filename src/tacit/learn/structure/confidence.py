"""How sure single arcs are: the shares of bootstrap samples whose best dag has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.core.dag import Dag
from tacit.core.errors import OptionError, quoted
from tacit.core.grid import Grid, counted
from tacit.core.options import is_number

SHOWN = 40


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ArcConfidence:
    """Shares of the bootstrap samples in which each arc was found.

    names       the variables
    shares      (n, n)  of [tail, head]; a link that equivalent dags turn counts half each way
    allowed     (n, n)  arcs that knowledge allows, none against a required one
    replicates  how many samples were drawn
    """

    names: tuple[str, ...]
    shares: Floats
    allowed: Bools
    replicates: int

    def arc(self, tail: str, head: str) -> float:
        """The share of samples with this arc."""
        return float(self.shares[self._place(tail), self._place(head)])

    def link(self, one: str, other: str) -> float:
        """The share of samples that join the two, whichever way."""
        return self.arc(one, other) + self.arc(other, one)

    def direction(self, tail: str, head: str) -> float:
        """Of the samples that join the two, the share in which the arc goes this way."""
        joined = self.link(tail, head)
        return self.arc(tail, head) / joined if joined else 0.0

    @property
    def threshold(self) -> float:
        """The share from which on links are taken for real.

        The t whose 0-1 distribution is closest to that of the shares, in area between the two:
        links as sure as that are in, others out. [Scutari and Nagarajan 2013]
        """
        n = len(self.names)
        above = np.triu_indices(n, 1)
        shares = np.sort((self.shares + self.shares.T)[above])
        return _nearest_step(shares)

    def averaged(self, threshold: float | None = None) -> Dag:
        """The dag of all links as sure as the threshold, the surest first, against no cycle.

        Each goes the way most samples have it; one that would close a cycle is turned if knowledge
        allows, else left out.
        """
        least = self.threshold if threshold is None else threshold
        if not (is_number(least) and 0 <= least <= 1):
            raise OptionError(f"threshold={threshold!r} must be a share from 0 to 1")
        arcs, joined = [], self.shares + self.shares.T
        reach: dict[str, set[str]] = {name: {name} for name in self.names}
        pairs = [
            (one, other)
            for one in range(len(self.names))
            for other in range(one + 1, len(self.names))
            if joined[one, other] > 0 and joined[one, other] >= least
        ]
        for one, other in sorted(pairs, key=lambda pair: (-joined[pair], pair)):
            forward = self.shares[one, other] >= self.shares[other, one]
            ways = [(one, other), (other, one)] if forward else [(other, one), (one, other)]
            for tail, head in ways:
                start, end = self.names[tail], self.names[head]
                if self.allowed[tail, head] and start not in reach[end]:
                    arcs.append((start, end))
                    for below in reach.values():
                        if start in below:
                            below.update(reach[end])
                    break
        return Dag.of_arcs(arcs, self.names)

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise OptionError(f"there is no variable {quoted(str(name))}")
        return self.names.index(name)

    def __repr__(self) -> str:
        return f"<ArcConfidence from {counted(self.replicates, 'bootstrap sample')}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()

    def grid(self, most: int = SHOWN) -> Grid:
        """One line per link, the surest first."""
        joined, n = self.shares + self.shares.T, len(self.names)
        pairs = sorted(
            ((a, b) for a in range(n) for b in range(a + 1, n) if joined[a, b] > 0),
            key=lambda pair: (-joined[pair], pair),
        )
        rows = []
        for pair in pairs[:most]:
            tail, head = pair if self.shares[pair] >= self.shares[pair[::-1]] else pair[::-1]
            there = self.shares[tail, head]
            arc = f"{quoted(self.names[tail])} -> {quoted(self.names[head])}"
            rows.append((arc, f"{joined[pair]:.2f}", f"{there / joined[pair]:.2f}"))
        more = len(pairs) - len(rows)
        return Grid(
            f"links in {counted(self.replicates, 'bootstrap sample')}, real from "
            f"{self.threshold:.2f} on",
            ("arc", "link", "this way"),
            tuple(rows),
            labels=1,
            foot=f"  ... and {counted(more, 'more link')}" if more else "",
        )


def _nearest_step(shares: Floats) -> float:
    """The threshold t that minimises ∫ |F(x) - F_t(x)| dx, F the distribution of the shares.

    F_t jumps to the share of links that are out, and stays there till 1. The candidates are the
    levels of F itself: the best constant for a step function is one of its values.
    """
    if not shares.size:
        return 1.0
    edges = np.unique(np.concatenate([[0.0], shares, [1.0]]))
    levels = np.searchsorted(shares, edges[:-1], side="right") / shares.size
    widths = np.diff(edges)
    area = [float(np.abs(levels - level) @ widths) for level in levels]
    out = round(float(levels[int(np.argmin(area))]) * shares.size)
    return float(shares[out]) if out < shares.size else 1.0


def confidence_of(
    names: Sequence[str],
    dags: Iterable[Dag],
    allowed: Bools,
    replicates: int,
) -> ArcConfidence:
    """The shares of the arcs among these dags; arcs that may not go back stay as they are."""
    from tacit.core.equivalence import cpdag

    place: Mapping[str, int] = {name: at for at, name in enumerate(names)}
    shares = np.zeros((len(names), len(names)))
    for dag in dags:
        fixed = [(tail, head) for tail, head in dag.arcs if not allowed[place[head], place[tail]]]
        loose = {frozenset(link) for link in cpdag(dag, fixed).links}
        for tail, head in dag.arcs:
            here = (place[tail], place[head])
            back = here[::-1]
            turns = frozenset((tail, head)) in loose
            shares[here] += 0.5 if turns else 1.0
            shares[back] += 0.5 if turns else 0.0
    shares /= max(1, replicates)
    shares.flags.writeable = False
    return ArcConfidence(tuple(names), shares, allowed, replicates)
