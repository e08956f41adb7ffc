"""Where the numbers of a network stand in its one vector, as those who compute want them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.infer.normal.frames import Numbers
from tacit.infer.normal.kinds import Plan
from tacit.infer.normal.posterior import Parameters
from tacit.learn.continuous.vector import Vector


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Positions in the vector, in the order of the plan.

    slopes, levels, logs  of all regressions, as `Numbers` has them; logs are of variances
    cells    of all tables, one after the other
    flat     where these cells stand in the layout of the plan
    starts   where each row begins among the cells, and how long it is
    shapes   per variable the end and the shape of its table in the layout; none of a continuous one
    """

    plan: Plan
    slopes: Ints
    levels: Ints
    logs: Ints
    cells: Ints
    flat: Ints
    starts: Ints
    lengths: Ints
    shapes: tuple[tuple[int, tuple[int, ...]], ...]

    @staticmethod
    def of(plan: Plan, vector: Vector) -> Places:
        """The places of a vector's numbers."""
        own = dict(vector.parts(np.arange(vector.size)))
        layout, none = plan.layout, np.zeros(0, np.int64)
        reals = [vector.split(name, own[name]) for name in plan.frame.names]
        tables = [at for at, real in enumerate(plan.real) if real < 0]
        shapes = [_shape(plan, at) for at in range(len(layout.names))]
        lengths = [
            np.full(own[layout.names[at]].size // layout.cards[at], layout.cards[at])
            for at in tables
        ]
        length = np.concatenate([none, *lengths])
        first = [layout.axes[at].start for at in tables]
        return Places(
            plan=plan,
            slopes=np.concatenate([none, *(part[0].ravel() for part in reals)]),
            levels=np.concatenate([none, *(part[1] for part in reals)]),
            logs=np.concatenate([none, *(part[2] for part in reals)]),
            cells=np.concatenate([none, *(own[layout.names[at]] for at in tables)]),
            flat=np.concatenate(
                [none, *(np.arange(a, shapes[at][0]) for a, at in zip(first, tables, strict=True))]
            ),
            starts=np.cumsum(length) - length,
            lengths=length,
            shapes=tuple(shapes),
        )

    def parameters(self, theta: Floats) -> Parameters:
        """The parameters that a vector stands for."""
        numbers = Numbers(theta[self.slopes], theta[self.levels], np.exp(theta[self.logs]))
        whole = np.zeros(self.plan.layout.size)
        with np.errstate(divide="ignore"):
            whole[self.flat] = np.log(theta[self.cells])
        tables = [
            whole[axes.start : end].reshape(shape) if shape else None
            for axes, (end, shape) in zip(self.plan.layout.axes, self.shapes, strict=True)
        ]
        return Parameters(numbers, tuple(tables))

    def table(self, cell: int) -> str:
        """Whose table has a cell of the layout."""
        ends = [end for end, _ in self.shapes]
        held = [at for at, end in enumerate(ends) if self.plan.layout.axes[at].start <= cell < end]
        return self.plan.layout.names[held[0]]

    def rows(self, weights: Floats) -> Floats:
        """Shares of the cells in their rows; a row of nothing is even."""
        if not weights.size:
            return weights
        totals = np.repeat(np.add.reduceat(weights, self.starts), self.lengths)
        even = 1.0 / np.repeat(self.lengths, self.lengths)
        return np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), even)


def _shape(plan: Plan, at: int) -> tuple[int, tuple[int, ...]]:
    """Where a table ends in the layout, and its shape."""
    if plan.real[at] >= 0:
        return 0, ()
    axes = plan.layout.axes[at]
    shape = tuple(plan.layout.cards[place] for place in axes.variables)
    return axes.start + prod(shape), shape
