"""Exact Bayes with missing cells, by summing over every way to fill them: small cases only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import EstimateError, OptionError, SizeError, WeightError
from tacit.core.network import Network
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.estimate.priors import BDeu, Prior
from tacit.families.counts import Counts
from tacit.infer.contexts import code_matrix
from tacit.infer.flat import Layout, layout_of
from tacit.knowledge.knowledge import Knowledge, KnowledgeLike, as_knowledge
from tacit.learn.expectation import normalised
from tacit.learn.gathered import Gathered, gather
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
    knowledge: KnowledgeLike = None,
    prior: Prior | None = None,
    hidden: Hidden = None,
) -> Average:
    """The posterior mean and log marginal likelihood of a few incomplete cases, exactly.

    P(cases) = Σ over completions U of P(cases, U), each a ratio of constants; the posterior mean is
    the mean of those of completed cases, weighted alike. Without rules the constants are those of
    Dirichlets; rules must leave blocks whose constants are known. [Sec. 3.5]

    The number of completions grows exponentially: more than a million is refused.
    """
    gathered = gather(as_structure(structure), data, hidden)
    alpha = pseudo_counts(prior or BDeu(1), gathered.families)
    if any((values <= 0).any() for values in alpha.values()):
        raise OptionError("averaging needs a prior above 0 in every cell, tc.K2() for example")
    data = gathered.cases
    layout = layout_of(gathered.structure.dag, gathered.variables)
    whole = code_matrix(data, layout.names, np.arange(len(data))).astype(np.int64)
    codes, weights = _single(data, whole)
    gaps = [(int(case), int(v)) for case, v in np.argwhere(codes < 0)]
    number = prod(layout.cards[v] for _, v in gaps)
    if number > MOST_COMPLETIONS:
        raise SizeError(
            f"{len(gaps)} missing cells can be filled in {number:,} ways; "
            f"more than {MOST_COMPLETIONS:,} are not summed up"
            "\n\nuse tc.fit, which fills them in by expectation"
        )
    total, mean = -np.inf, np.zeros(layout.size)
    weigh = _weigher(gathered, layout, alpha, as_knowledge(knowledge))
    for counts in _completions(codes, gaps, layout, weights):
        log, expected = weigh(counts)
        if log == -np.inf:
            continue
        after = float(np.logaddexp(total, log))
        mean += np.exp(log - after) * (expected - mean)
        total = after
    if total == -np.inf:
        raise EstimateError("the rules hold every completion of the cases impossible")
    return Average(total, {name: layout.block(mean, v) for v, name in enumerate(layout.names)})


Weigher: TypeAlias = Callable[[Floats], tuple[float, Floats]]
"""Of complete counts, the log marginal likelihood and the posterior mean."""


def _weigher(
    gathered: Gathered, layout: Layout, alpha: Mapping[str, Floats], known: Knowledge | None
) -> Weigher:
    flat = np.concatenate([alpha[name].ravel() for name in layout.names])

    def free(counts: Floats) -> tuple[float, Floats]:
        log = sum(
            log_marginal_likelihood(Counts(layout.block(counts, v)), alpha[name])
            for v, name in enumerate(layout.names)
        )
        return log, normalised(layout, counts + flat)

    if known is None:
        return free
    from tacit.learn.averages_ruled import under_rules

    return under_rules(gathered, layout, flat, known, free)


def _single(data: Dataset, codes: Ints) -> tuple[Ints, Floats]:
    """The cases with their weights; one that stands for several and has gaps is taken apart, since
    each of them may be filled in another way."""
    if data.weights is None:
        return codes, np.ones(len(codes))
    gaps = (codes < 0).any(axis=1)
    times = np.where(gaps, data.weights, 1.0)
    if (times != np.round(times)).any():
        case = int(np.flatnonzero(times != np.round(times))[0])
        raise WeightError(
            f"case {case + 1} has gaps and weighs {times[case]:g}; "
            "the completions of part of a case cannot be summed up"
        )
    chosen = np.repeat(np.arange(len(codes)), times.astype(np.int64))
    return codes[chosen], np.where(gaps, 1.0, data.weights)[chosen]


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
