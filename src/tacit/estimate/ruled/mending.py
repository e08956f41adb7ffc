"""Multipliers of what the rules force anyway.

Where rules leave no room, multipliers are not unique: P <= 0.3 and P >= 0.3 together say P = 0.3,
and only the difference of their prices matters. The solver sees one equality; its multiplier may
have a sign that no price of an inequality has. Every set of forced equalities has a combination
with positive factors that adds up to nothing (Farkas); adding a multiple of it mends all signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.ruled.certificate import most, reduced_costs
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.polytope import Interior
from tacit.knowledge.programs import Part, part_of


@dataclass(frozen=True, slots=True, eq=False)
class Circuits:
    """For each block one way to change multipliers that changes nothing else.

    row, rule  what is added to the multipliers of rows and rules
    zero       (positions,) what that adds to the reduced costs of cells that must be 0, else 0
    tight      (rules,) what it adds to those of tight inequalities, else 0
    """

    row: Floats
    rule: Floats
    zero: Floats
    tight: Floats


def circuits(blocks: Blocks, interior: Interior) -> Circuits:
    """One positive combination for every block that has something forced."""
    row, rule = np.zeros(int(blocks.row_at[-1])), np.zeros(len(blocks.rules))
    block = blocks.cell_block
    rule_block = blocks.rule_block
    forced = np.union1d(block[interior.zero], rule_block[interior.tight])
    for number in forced:
        part = part_of(blocks, np.array([number]))
        found = _circuit(part, interior.tight[part.rules], interior.zero[part.positions])
        rows = slice(blocks.row_at[number], blocks.row_at[number + 1])
        row[rows], rule[part.rules] = found
    largest = np.zeros(len(blocks.rules))
    np.maximum.at(largest, blocks.rules.owner, np.abs(blocks.rules.factors))
    rule /= np.where(largest > 0, largest, 1.0)
    zero = np.where(interior.zero, reduced_costs(blocks, row, rule), 0.0)
    return Circuits(row, rule, zero, np.where(interior.tight, rule, 0.0))


def _circuit(part: Part, tight: Any, zero: Any) -> tuple[Floats, Floats]:
    """y, c with A'y + G'c = 0 but for cells that must be 0, there >= 1; c >= 1 where tight.

    A linear program finds it to its tolerance, least squares make it exact.
    """
    from scipy.optimize import linprog

    rows, count = part.sums.shape[0], len(part.limits)
    used = np.flatnonzero(part.equal | tight)
    matrix = np.hstack([
        part.sums.T.toarray(), part.matrix.T.toarray()[:, used], -np.eye(zero.size)[:, zero],
    ])  # fmt: skip
    positive = np.concatenate(
        [np.zeros(rows, np.bool_), tight[used], np.ones(int(zero.sum()), np.bool_)]
    )
    solve: Any = linprog
    result = solve(
        positive.astype(np.float64), A_eq=matrix, b_eq=np.zeros(zero.size),
        bounds=[(1.0, None) if each else (None, None) for each in positive], method="highs",
    )  # fmt: skip
    found = np.zeros(rows), np.zeros(count)
    if result.status == 0:
        exact = result.x - np.linalg.lstsq(matrix, matrix @ result.x, rcond=None)[0]
        found[0][:] = exact[:rows]
        found[1][used] = exact[rows : rows + used.size]
    return found


def mended(blocks: Blocks, around: Circuits, row: Floats, rule: Floats) -> tuple[Floats, Floats]:
    """The same multipliers, and as much of each block's circuit as its signs need."""
    if not (around.zero.any() or around.tight.any()):
        return row, rule
    reduced = reduced_costs(blocks, row, rule)
    block = blocks.cell_block
    rule_block = blocks.rule_block
    row_block = np.repeat(np.arange(len(blocks)), np.diff(blocks.row_at))
    zero, tight = around.zero > 0, around.tight > 0
    times = np.maximum(
        most(-reduced[zero] / around.zero[zero], block[zero], len(blocks)),
        most(-rule[tight] / around.tight[tight], rule_block[tight], len(blocks)),
    )
    return row + times[row_block] * around.row, rule + times[rule_block] * around.rule
