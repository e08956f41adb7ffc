"""Missing cells filled in by expectation, root to leaf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.infer.flat import Layout
from tacit.learn.climb import Climb
from tacit.learn.expectation import EmIterate, Problem, at, maximise
from tacit.learn.fits import Stop
from tacit.learn.methods import FillIn
from tacit.learn.progress import Report

BLOCK = 20_000


def run_fill_in(
    problem: Problem, data: Dataset, method: FillIn, start: Floats, told: Report
) -> Climb[EmIterate]:
    """Fill, re-estimate, repeat until the parameters stand still.

    A missing cell becomes the distribution of its variable given the (filled) parents, or its
    observed shares; a family's counts are then products of such distributions. What is maximised is
    the likelihood of the filled cases, so the trace, which shows that of the observed ones, may
    fall. [Alg 3.3.2, and the last part of Sec. 3.3]
    """
    shares = None if method.given == "parents" else _shares(data, problem.layout)
    here, trace = at(problem, start), list[float]()
    try:
        for step in range(method.max_steps):
            filled = _filled_counts(data, problem.layout, here.theta, shares)
            counts = _possible(problem, filled)
            theta, ruled = maximise(problem, counts, here.ruled, here.theta)
            after = at(problem, theta, ruled=ruled)
            moved = float(np.abs(after.theta - here.theta).max(initial=0.0))
            here = after
            trace.append(here.objective)
            if moved <= method.tolerance or shares is not None:
                return Climb(here, tuple(trace), Stop.CONVERGED)
            told(step + 1, method.max_steps, here.objective)
    except KeyboardInterrupt:
        return Climb(here, tuple(trace or [here.objective]), Stop.INTERRUPTED)
    return Climb(here, tuple(trace), Stop.STEP_LIMIT)


def _possible(problem: Problem, filled: Floats) -> Floats:
    """Counts without what filling in puts on cells that rules hold at 0; what was seen stays."""
    if problem.plan is not None:
        zero = problem.plan.blocks.cells[problem.plan.zeros]
        filled[zero] = problem.expected.known[zero]
    return filled


def _shares(data: Dataset, layout: Layout) -> Mapping[int, Floats]:
    """How often each state was observed; even where nothing was."""
    found = {}
    for v, name in enumerate(layout.names):
        counts = np.zeros(layout.cards[v])
        if name in data:
            codes = data[name]
            weights = None if data.weights is None else data.weights[codes >= 0]
            counts += np.bincount(codes[codes >= 0], weights, minlength=counts.size)
        found[v] = counts / counts.sum() if counts.sum() else np.full(counts.size, 1 / counts.size)
    return found


def _filled_counts(
    data: Dataset, layout: Layout, theta: Floats, shares: Mapping[int, Floats] | None
) -> Floats:
    out = np.zeros(layout.size)
    for start in range(0, len(data), BLOCK):
        cases = slice(start, min(start + BLOCK, len(data)))
        weights = np.ones(cases.stop - start) if data.weights is None else data.weights[cases]
        filled: dict[int, Floats] = {}
        for v in range(len(layout.names)):  # the layout lists parents before children
            filled[v] = _column(data, layout, theta, v, cases, filled, shares)
        for v, axes in enumerate(layout.axes):
            block = layout.block(out, v)
            block += _products([filled[u] for u in axes.variables], weights)
    return out


def _column(
    data: Dataset,
    layout: Layout,
    theta: Floats,
    v: int,
    cases: slice,
    filled: Mapping[int, Floats],
    shares: Mapping[int, Floats] | None,
) -> Floats:
    """(cases, states): certain where observed, filled in where not."""
    name, card = layout.names[v], layout.cards[v]
    length = cases.stop - cases.start
    codes = data[name][cases] if name in data else np.full(length, -1)
    column = np.zeros((length, card))
    seen = codes >= 0
    column[seen, codes[seen]] = 1.0
    if not seen.all():
        if shares is not None:
            column[~seen] = shares[v]
        else:
            parents = [filled[u][~seen] for u in layout.axes[v].variables[:-1]]
            column[~seen] = _given_parents(layout.block(theta, v), parents, int((~seen).sum()))
    return column


def _given_parents(table: Floats, parents: Sequence[Floats], cases: int) -> Floats:
    """Σ over parent states of Π q(parent) P(child given parents), case by case."""
    values = np.broadcast_to(table, (cases, *table.shape))
    for parent in parents:
        values = np.einsum("cs,cs...->c...", parent, values)
    return np.asarray(values)


def _products(columns: Sequence[Floats], weights: Floats) -> Floats:
    """Σ over cases of weight x the outer product of the columns."""
    joint = columns[0] * weights[:, None]
    for column in columns[1:-1]:
        joint = (joint[:, :, None] * column[:, None, :]).reshape(len(weights), -1)
    if len(columns) == 1:
        return np.asarray(joint.sum(axis=0))
    shape = [column.shape[1] for column in columns]
    return np.asarray((joint.T @ columns[-1]).reshape(shape))
