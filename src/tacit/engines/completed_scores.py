"""Scores of tables and Gaussian families at the expected statistics of completed cases."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacit.arrays import code_type
from tacit.core.variables import Discrete, Variable
from tacit.engines.completed import Completed, Spread
from tacit.engines.gaussian_scores import TINY, Reals
from tacit.engines.mixed_scores import MixedScorer, Regressions, check_mixed, of_both
from tacit.engines.table_scores import Columns
from tacit.estimate.scores.values import AnyScore


def completed_scorer(
    completed: Completed,
    variables: Mapping[str, Variable],
    score: AnyScore,
    threads: int | None = None,
) -> MixedScorer:
    """The `Scorer` of these variables at the expected statistics of completed cases.

    `weighted` takes weights of their lines.
    """
    known, weights = check_mixed(score), completed.line_weights
    discrete = tuple(each for each in variables.values() if isinstance(each, Discrete))
    states = np.array([len(each.states) for each in discrete], dtype=np.int64)
    codes = np.empty((states.size, weights.size), dtype=code_type(int(states.max(initial=1))))
    for at, each in enumerate(discrete):
        codes[at] = completed.codes[each.name]
    names = tuple(name for name, each in variables.items() if not isinstance(each, Discrete))
    order = [completed.names.index(name) for name in names]
    values, held = completed.reals[:, order], completed.spread
    units = np.maximum(np.abs(values).max(axis=0, initial=0.0), TINY)
    place = np.argsort(order)
    left = Spread(held.line, place[held.pair], held.value)
    # a plain count where every line is a case that counts once
    whole = completed.share.size == completed.weights.size and bool((weights == 1).all())
    columns = Columns(discrete, codes, states, None if whole else weights)
    reals = Reals(names, values / units, units, columns.weights)
    return of_both(variables, columns, Regressions.of(reals, columns, known, None, left), threads)
