"""How the score of a dag changes with how often each case counts.

Up to a number that is the same for all cases: weights have a fixed sum and do not notice it.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import OptionError
from tacit.engines.curve_scores import CurveScorer
from tacit.engines.gaussian_scores import BGeScorer, GaussianScorer, Reals
from tacit.engines.mixed_curve_scores import MixedCurveScorer
from tacit.engines.mixed_scores import MixedScorer, ObservedReals
from tacit.engines.prior_scores import PriorScorer
from tacit.engines.scoring import Scorer
from tacit.engines.table_scores import Columns, TableScorer, configurations

Parents: TypeAlias = tuple[tuple[int, ...], ...]


def slopes(scorer: Scorer, parents: Parents) -> Floats:
    """(cases,) the derivative of the score of this dag by the weight of each case.

    Under a marginal likelihood psi(S[x, pa] + alpha) - psi(S[pa] + alpha of the row), summed over
    families: the log of about what the case is predicted with. Under a greatest likelihood the log
    of the probability that the fitted family gives the case; the price depends on all weights
    together. [HV1 2.4, erratum E19: by how often a case counts, not by its share]
    """
    match scorer:
        case TableScorer():
            parts = (_table(scorer, child, who) for child, who in enumerate(parents))
        case PriorScorer():
            parts = (_prior(scorer, child, who) for child, who in enumerate(parents))
        case GaussianScorer():
            parts = (_gaussian(scorer.reals, child, who) for child, who in enumerate(parents))
        case BGeScorer():
            parts = (_wishart(scorer, child, who) for child, who in enumerate(parents))
        case MixedScorer():
            parts = (_mixed(scorer, child, who) for child, who in enumerate(parents))
        case _:
            curved = isinstance(scorer, CurveScorer | MixedCurveScorer)
            raise OptionError(
                f"weights cannot be set against {'curves' if curved else type(scorer).__name__}, "
                "whose slope is not known"
                '\n\nuse tc.WeightAnnealing(..., reweight="random")'
            )
    return np.asarray(sum(parts), dtype=np.float64)


def _table(scorer: TableScorer, child: int, parents: tuple[int, ...]) -> Floats:
    """Of a table: a marginal likelihood with one alpha for all cells, or the greatest."""
    columns, states = scorer.columns, int(scorer.columns.states[child])
    rows, many = configurations(columns, parents)
    alpha = scorer.score.alpha(columns.rows(parents), states)
    cells = rows * states + columns.codes[child]
    counts = np.bincount(cells, columns.weights, many * states).astype(np.float64)
    totals = counts.reshape(many, states).sum(axis=1)
    if alpha < 0:
        return np.asarray(_log(counts)[cells] - _log(totals)[rows])
    from scipy.special import psi

    return np.asarray(psi(counts + alpha)[cells] - psi(totals + alpha * states)[rows])


def _log(counts: Floats) -> Floats:
    """The logarithm, 0 where nothing was counted: such cases weigh nothing."""
    return np.asarray(np.log(np.where(counts > 0, counts, 1.0)))


def _prior(scorer: PriorScorer, child: int, parents: tuple[int, ...]) -> Floats:
    """Of a table whose cells have an alpha each."""
    from scipy.special import psi

    columns = scorer.columns
    alpha = scorer.alpha(child, parents)
    places = tuple(columns.codes[at] for at in (*parents, child))
    cells = np.ravel_multi_index(places, alpha.shape)
    counts = np.bincount(cells, columns.weights, alpha.size).reshape(alpha.shape) + alpha
    totals = counts.sum(axis=-1)
    return np.asarray(psi(counts).ravel()[cells] - psi(totals).ravel()[cells // alpha.shape[-1]])


def _gaussian(reals: Reals, child: int, parents: tuple[int, ...]) -> Floats:
    """Of a linear Gaussian: the log density of each case at the regression of all."""
    return _densities(reals.values[:, child], reals.values[:, list(parents)], reals.weights)


def _densities(child: Floats, parents: Floats, weights: Floats | None) -> Floats:
    """(cases,) log density at the weighted regression, but for a number common to all."""
    used = np.ones(len(child)) if weights is None else weights
    design = np.column_stack([np.ones(len(child)), parents])
    root = np.sqrt(used)
    slope, *_ = np.linalg.lstsq(design * root[:, None], child * root)
    squares = (child - design @ slope) ** 2
    variance = float(used @ squares / used.sum())
    if variance <= 0:
        return np.zeros(len(child))
    return np.asarray(-0.5 * (np.log(variance) + squares / variance))


def _wishart(scorer: BGeScorer, child: int, parents: tuple[int, ...]) -> Floats:
    """Of BGe: a case adds (x - mean)(x - mean)ᵀ to R, and (x - mean)ᵀ R⁻¹ (x - mean) to log |R|."""
    reals, k = scorer.reals, len(parents)
    used = np.ones(len(reals.values)) if reals.weights is None else reals.weights
    apart = reals.values - used @ reals.values / used.sum()
    apart = apart * (reals.units / np.exp(scorer.scale / 2))

    def distance(of: tuple[int, ...]) -> Floats:
        at = list(of)
        if not at:
            return np.zeros(len(apart))
        solved = np.linalg.solve(scorer.matrix[np.ix_(at, at)], apart[:, at].T)
        return np.asarray((apart[:, at] * solved.T).sum(axis=1))

    inner, outer = distance(parents), distance((*parents, child))
    cases = scorer.weight + scorer.freedom + k + 1
    return np.asarray(-0.5 * cases * (outer - inner) - 0.5 * inner)


def _mixed(scorer: MixedScorer, child: int, parents: tuple[int, ...]) -> Floats:
    """Of a table, or of a regression for each configuration of the discrete parents.

    A configuration with too few cases for a regression of its own is taken at that of all cases, as
    if that stood still.
    """
    states = tuple(int(scorer.place[each]) for each in parents if scorer.discrete[each])
    real = [int(scorer.place[each]) for each in parents if not scorer.discrete[each]]
    at = int(scorer.place[child])
    tables, here = scorer.tables, scorer.regressions.source
    assert isinstance(tables, TableScorer)
    assert isinstance(here, ObservedReals)
    if scorer.discrete[child]:
        return _table(tables, at, states)
    return _by_configuration(here.columns, here.values[:, at], here.values[:, real], states)


def _by_configuration(
    columns: Columns, child: Floats, parents: Floats, states: tuple[int, ...]
) -> Floats:
    rows: Ints = configurations(columns, states)[0] if states else np.zeros(len(child), np.int64)
    used = np.ones(len(child)) if columns.weights is None else columns.weights
    weight = np.bincount(rows, used)
    found = _densities(child, parents, used)
    for row in np.flatnonzero(weight > parents.shape[1] + 2):
        mine = rows == row
        found[mine] = _densities(child[mine], parents[mine], used[mine])
    return found
