"""Chains along chords: for equalities that are no tree of splits, and densities that are no
Dirichlet.

Cells move in directions that keep every equality: pairs of cells of a row, a sparse basis of all
moves, and the principal axes of the draws so far, which warming up finds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.bayes.chains import go_all, kept
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.directions import basis, equations, multiples, pairs, stretched
from tacit.estimate.ruled.splits import ImproperError
from tacit.knowledge.rows import Rows

if TYPE_CHECKING:
    from tacit.kernels.chance import State
    from tacit.kernels.chords import Chords, Desk
    from tacit.kernels.records import Record

_APART, _WARM = 10, 300
_ROUNDS = 3
"""Sweeps under a flat density; sweeps of each round of warming up, after which axes are found."""
_AXES = 48
"""Principal axes that are used at most."""

_PAIR, _CELL = 3.0, 3.0
"""What a pair costs beside drawing a gamma, and a cell of any other direction."""


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """Chains along the chords of a block.

    theta  (chains, n)  where they stand
    """

    chords: Chords
    theta: Floats
    states: State
    desks: tuple[Desk, ...]
    record: Record

    @property
    def independent(self) -> bool:
        """Draws are not independent of each other."""
        return False

    @property
    def work(self) -> float:
        """What a sweep costs, in gammas."""
        pairs = int(self.chords.pair.sum()) if self.chords.bare else 0
        return float(_PAIR * pairs + _CELL * (self.chords.where.size - 2 * pairs))

    def go(self, chain: int, sweeps: int, *, noted: bool = True) -> None:
        """So many sweeps of a chain."""
        from tacit.kernels.chords import walk_along

        theta, at = self.theta[chain], chain if noted else -1
        walk_along(
            self.chords, theta, self.desks[chain], self.states[chain], sweeps, self.record, at
        )

    def recording(self, record: Record) -> Along:
        """The same chains with another record."""
        return replace(self, record=record)


@dataclass(frozen=True, slots=True, eq=False)
class Polytope:
    """The cells of a block: rows, what holds with equality, what does not, one point inside."""

    row: Ints
    equal: Rows
    rules: Rows
    zero: Bools
    point: Floats


def along(block: Polytope, density: Density, states: State, record: Record) -> Along:
    """Chains that have warmed up."""
    from tacit.kernels.records import record_for

    matrix = equations(block.row, block.equal, ~block.zero)
    span = basis(matrix, ~block.zero)
    moves = _distinct(np.concatenate([pairs(matrix, ~block.zero), span]))
    chords = _chords(block, density, _powers(density, span, block.point), moves)
    theta = np.tile(block.point, (states.shape[0], 1))
    chains = Along(chords, theta, states, _desks(chords, theta), record)
    flat = replace(chains, chords=_flattened(chords))
    go_all(flat, _APART, noted=False)
    go_all(chains, _WARM, noted=False)
    for _ in range(_ROUNDS if span.shape[0] > 1 else 0):
        trial = chains.recording(record_for(block.point, theta.shape[0], _WARM))
        go_all(trial, _WARM)
        axes = stretched(span, kept(trial.record).reshape(-1, block.point.size), _AXES)
        chords = _chords(block, density, chords.power, np.concatenate([moves, axes]))
        chains = Along(chords, theta, states, _desks(chords, theta), record)
    return chains


def _distinct(moves: Floats) -> Floats:
    """Without directions that are there already, forwards or backwards."""
    first = moves[np.arange(moves.shape[0]), np.argmax(moves != 0, axis=1)]
    _, which = np.unique(moves / first[:, None], axis=0, return_index=True)
    return moves[np.sort(which)]


def _powers(density: Density, span: Floats, point: Floats) -> Floats:
    """(n,) the power of each cell: alpha - 1, and 0 for cells that cannot move.

    Cells that are multiples of each other have one power together, 1 less than their alphas where
    these are pooled; it must be above -1.
    """
    kind = multiples(span, point)
    moves = kind >= 0
    size = np.bincount(kind[moves])
    powers = np.zeros(point.size)
    less = 1.0 / size[kind[moves]] if density.pooled else 1.0
    powers[moves] = density.alpha[moves] - less
    together = 1.0 + np.bincount(kind[moves], powers[moves])
    if (together <= 0).any():
        worst = int(np.argmin(together))
        raise ImproperError(np.flatnonzero(kind == worst), float(together[worst]))
    return powers


def _chords(block: Polytope, density: Density, powers: Floats, moves: Floats) -> Chords:
    """The program of these directions."""
    from tacit.kernels.chords import Chords

    size, rules = block.point.size, block.rules
    matrix = np.zeros((len(rules), size))
    matrix[rules.owner, rules.cells] = rules.factors
    rates = moves @ matrix.T
    rates[np.abs(rates) <= 1e-13] = 0.0
    way, where = (np.ascontiguousarray(each) for each in np.nonzero(moves))
    cutting, cut = (np.ascontiguousarray(each) for each in np.nonzero(rates))
    spread = np.full(size, np.inf) if density.spread is None else density.spread
    centre = np.zeros(size) if density.centre is None else density.centre
    steps = np.bincount(way, minlength=moves.shape[0])
    return Chords(
        powers,
        np.zeros(size) if density.misses is None else density.misses.copy(),
        np.where(np.isfinite(spread), centre, 0.0),
        1.0 / spread**2,
        density.dirichlet,
        rules.at, rules.cells, rules.factors, rules.limits,
        _starts(steps), where, moves[way, where],
        _starts(np.bincount(cutting, minlength=moves.shape[0])), cut, rates[cutting, cut],
        (steps == 2) & (moves.sum(axis=1) == 0.0),
    )  # fmt: skip


def _starts(sizes: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _flattened(chords: Chords) -> Chords:
    still = np.zeros_like(chords.power)
    return chords._replace(power=still, misses=still, tightness=still)


def _desks(chords: Chords, theta: Floats) -> tuple[Desk, ...]:
    from tacit.kernels.chords import Desk

    widest = int(np.diff(chords.step_at).max(initial=0))
    return tuple(
        Desk(np.empty(theta.shape[1]), np.empty(chords.limit.size), np.empty(widest))
        for _ in range(theta.shape[0])
    )
