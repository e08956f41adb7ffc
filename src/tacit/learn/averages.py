"""Exact Bayes with missing cells, by summing over every way to fill them: small cases only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.errors import SizeError
from tacit.core.network import Network
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.estimate.priors import BDeu, Prior
from tacit.families.counts import Counts
from tacit.infer.contexts import code_matrix
from tacit.infer.flat import Layout, layout_of
from tacit.learn.gathered import gather
from tacit.learn.hidden import Hidden
from tacit.learn.parts import pseudo_counts
from tacit.learn.structures import as_structure

MOST_COMPLETIONS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Average:
    """The whole posterior, averaged over completions.

    mean  {variable: E[θ | cases]}, shaped like its table
    """

    log_marginal_likelihood: float
    mean: Mapping[str, Floats]


def average(
    structure: Dag | Network | str | Path,
    data: Any,
    *,
    prior: Prior | None = None,
    hidden: Hidden = None,
) -> Average:
    """The posterior mean and log marginal likelihood of a few incomplete cases, exactly.

    P(cases) = Σ over completions U of P(cases, U), each a ratio of Dirichlet constants; the
    posterior mean is the mean of (N_U + alpha) / Σ (N_U + alpha), weighted alike. [Sec. 3.5]

    The number of completions grows exponentially: more than a million is refused.
    """
    gathered = gather(as_structure(structure), data, hidden)
    alpha = pseudo_counts(prior or BDeu(1), gathered.families)
    data = gathered.cases
    layout = layout_of(gathered.structure.dag, gathered.variables)
    codes = code_matrix(data, layout.names, np.arange(len(data))).astype(np.int64)
    weights = np.ones(len(data)) if data.weights is None else data.weights
    gaps = [(int(case), int(v)) for case, v in np.argwhere(codes < 0)]
    number = prod(layout.cards[v] for _, v in gaps)
    if number > MOST_COMPLETIONS:
        raise SizeError(
            f"{len(gaps)} missing cells can be filled in {number:,} ways; "
            f"more than {MOST_COMPLETIONS:,} are not summed up"
            "\n\nuse tc.fit, which fills them in by expectation"
        )
    logs, means = [], []
    for counts in _completions(codes, gaps, layout, weights):
        tables = {name: layout.block(counts, v) for v, name in enumerate(layout.names)}
        logs.append(sum(log_marginal_likelihood(Counts(n), alpha[k]) for k, n in tables.items()))
        means.append(np.concatenate([_mean(n, alpha[k]) for k, n in tables.items()]))
    share = np.exp(np.array(logs) - max(logs))
    total = float(np.log(share.sum()) + max(logs))
    mean = np.average(np.array(means), axis=0, weights=share)
    return Average(total, {name: layout.block(mean, v) for v, name in enumerate(layout.names)})


def _mean(counts: Floats, alpha: Floats) -> Floats:
    weights = counts + alpha
    return np.asarray((weights / weights.sum(axis=-1, keepdims=True)).ravel())


def _completions(
    codes: Ints, gaps: list[tuple[int, int]], layout: Layout, weights: Floats
) -> Iterator[Floats]:
    """The flat counts of every completed data set."""
    for states in product(*(range(layout.cards[v]) for _, v in gaps)):
        for (case, v), state in zip(gaps, states, strict=True):
            codes[case, v] = state
        counts = np.zeros(layout.size)
        for axes in layout.axes:
            at = codes[:, list(axes.variables)] @ np.array(axes.strides) + axes.start
            np.add.at(counts, at, weights)
        yield counts
