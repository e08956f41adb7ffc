"""What every parent of every variable could be replaced by, and the best of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tacit.arrays import Bools, Floats, Ints

Marks: TypeAlias = npt.NDArray[np.uint64]


@dataclass(slots=True, eq=False)
class Swaps:
    """Gains of replacements; the best legal one of each head is found when it may matter.

    rows   per head, its parents and (parents, n) what taking another one instead gains
    highs  (n,)  the largest of them, legal or not
    gain, tail, out, fresh  (n,)  the best legal one of each head, and whether it is known
    """

    rows: dict[int, tuple[Ints, Floats]]
    highs: Floats
    gain: Floats
    tail: Ints
    out: Ints
    fresh: Bools

    @staticmethod
    def none(n: int) -> Swaps:
        """No variable has a parent."""
        lowest, nobody = np.full(n, -np.inf), np.zeros(n, dtype=np.int64)
        return Swaps({}, lowest, lowest.copy(), nobody, nobody.copy(), np.ones(n, np.bool_))

    def put(self, head: int, outs: Ints, rows: Floats) -> None:
        """What the parents `outs` of a head could be replaced by."""
        self.rows[head] = outs, rows
        self.changed(head)

    def changed(self, head: int) -> None:
        """The rows of a head were written to."""
        self.highs[head] = self.rows[head][1].max(initial=-np.inf)
        self.fresh[head] = False

    def forget(self) -> None:
        """Paths went, so that more may be legal."""
        self.fresh[:] = False

    def best(
        self, least: float, slack: float, above: Bools, marks: tuple[np.uint64, Marks, Marks]
    ) -> tuple[float, int, int, int] | None:
        """(gain, new parent, head, old parent) of the best legal one that gains more than `least`;
        of equal ones the first.

        marks  of the dag, of all arcs, and of the dags not to go to
        """
        from tacit.kernels.dags import swap_gain

        heads = np.flatnonzero(self.highs > least + slack)
        if not heads.size:
            return None
        known = self.fresh[heads] & ~above[heads, self.tail[heads]]
        here, arcs, visited = marks
        for head in (heads if visited.size else heads[~known]).tolist():
            outs, rows = self.rows[head]
            self.gain[head], self.tail[head], self.out[head] = swap_gain(
                rows, outs, head, above, slack, here, arcs, visited
            )
            self.fresh[head] = not visited.size
        gains = self.gain[heads]
        highest = float(gains.max())
        if not highest > least + slack:
            return None
        head = int(heads[np.argmax(gains >= highest - slack)])
        return float(self.gain[head]), int(self.tail[head]), head, int(self.out[head])
