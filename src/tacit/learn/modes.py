"""The most probable parameters of a posterior."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import EstimateError
from tacit.estimate.bayes.density import Density
from tacit.estimate.ruled.plan import compile_blocks, solve
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.expansion import cell_label
from tacit.learn.posteriors import Mode, Posterior

SLACK = 1e-9
TINY = 1e-12


def mode_of(posterior: Posterior) -> dict[str, Floats]:
    """maximise  log p(θ given cases)  under the rules, table by table as they stand.

    Where doubted rules are mixed, under the most probable set of them.
    """
    if posterior.counts is None or (posterior.bound is not None and posterior.bound.curved):
        why = "rules that are not linear" if posterior.counts is not None else "missing cells"
        raise EstimateError(
            f"with {why} the most probable parameters are not told by tc.posterior"
            "\n\nuse tc.fit, which looks for them, with estimate=tc.MAP()"
        )
    free = [each.ravel() for each in _free(posterior).values()]
    out = np.concatenate([np.zeros(0), *free])
    for mode in posterior.modes:
        cells = mode.ground.blocks.cells
        if mode.density.dirichlet:
            _refuse(posterior, mode)
            plan = compile_blocks(mode.ground.blocks, mode.ground.inside)
            weights = np.maximum(mode.density.alpha - 1.0, 0.0)
            weights[mode.ground.inside.zero] = 0.0
            out[cells] = solve(plan, weights).theta
        else:
            out[cells] = _climbed(mode, posterior.whole.mean[posterior.where(cells)])
    return {name: out[posterior.cells.block(name)] for name in posterior.cells.families}


def _free(posterior: Posterior) -> dict[str, Floats]:
    """Rows without rules; those with rules are written over."""
    ruled = np.zeros(posterior.cells.size, dtype=np.bool_)
    ruled[posterior.whole.cells] = True
    found = {}
    for name, alpha in posterior.alpha.items():
        weights = np.where(ruled[posterior.cells.block(name)], 1.0, alpha - 1.0)
        if weights.min() < -SLACK:
            cell = posterior.cells.starts[name] + int(np.argmin(weights))
            raise _no_mode(posterior, cell, float(weights.min()) + 1)
        weights = np.maximum(weights, 0.0)
        totals = weights.sum(axis=-1, keepdims=True)
        even = np.full_like(weights, 1.0 / weights.shape[-1])
        found[name] = np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), even)
    return found


def _refuse(posterior: Posterior, mode: Mode) -> None:
    weights = np.where(mode.ground.inside.zero, 0.0, mode.density.alpha - 1.0)
    worst = int(np.argmin(weights)) if weights.size else 0
    if weights.size and weights[worst] < -SLACK:
        cell = int(mode.ground.blocks.cells[worst])
        raise _no_mode(posterior, cell, float(weights[worst]) + 1)


def _no_mode(posterior: Posterior, cell: int, total: float) -> EstimateError:
    return EstimateError(
        f"{cell_label(posterior.cells, cell)} has no most probable value: counts plus prior come "
        f"to {total:.4g}, less than 1\n\nuse a prior of at least 1 per cell, tc.K2() for example"
    )


def _climbed(mode: Mode, start: Floats) -> Floats:
    """The maximum of a density that is no Dirichlet, block by block from the mean."""
    blocks, out = mode.ground.blocks, start.copy()
    for number in range(len(blocks)):
        at = np.arange(blocks.cell_at[number], blocks.cell_at[number + 1])
        out[at] = _highest(blocks, number, at, mode.density, start[at], mode.ground.inside.zero)
    return out


def _highest(
    blocks: Blocks, number: int, at: Ints, density: Density, start: Floats, zero: Bools
) -> Floats:
    """Of one block, by sequential quadratic programs."""
    from scipy.optimize import Bounds, LinearConstraint, minimize

    block = blocks[number]
    rows = np.zeros((int(block.row[-1]) + 1, at.size))
    rows[block.row, np.arange(at.size)] = 1.0
    held = [LinearConstraint(rows, 1.0, 1.0)]
    if len(block.rules):
        rules = np.zeros((len(block.rules), at.size))
        rules[block.rules.owner, block.rules.cells] = block.rules.factors
        low = np.where(block.rules.equal, block.rules.limits, -np.inf)
        held.append(LinearConstraint(rules, low, block.rules.limits))
    part = density.of(at)

    def below(theta: Floats) -> float:
        return -float(part.log(np.clip(theta, TINY, 1 - TINY)))

    found = minimize(
        below, start, method="SLSQP", constraints=held, tol=1e-14,
        bounds=Bounds(np.zeros(at.size), np.where(zero[at], 0.0, 1.0)),
    )  # fmt: skip
    return np.asarray(found.x)
