"""The best dag there is, for a few variables."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from math import log

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import KnowledgeError, SizeError, listed, quoted
from tacit.core.interrupts import Asked, asked_to_end
from tacit.engines.scoring import Scorer
from tacit.engines.subset_scores import (
    BEGINNINGS,
    FamilyScores,
    additive,
    family_scores,
    members,
    place,
)
from tacit.engines.table_scores import TableScorer
from tacit.engines.tasks import Report, in_order
from tacit.estimate.scores.dag_priors import DagTerms
from tacit.families.table import MOST_CELLS
from tacit.knowledge.limits import Limits

LARGEST = 6 * 2**30
"""Bytes that scores may take, where the machine has them."""
SPANS = 16
"""Shares of the last phase between which an interrupt is heard."""
MOST = log(MOST_CELLS) + 1e-9
"""log of the cells of a table that can be kept, rounding aside."""
SLACK = 1e-12
"""What counts as equal, as a share of the score: rounding must not choose between dags."""


@dataclass(frozen=True, slots=True)
class BestDag:
    """A dag that no other beats.

    parents   of every variable, in rising order
    score     the sum over families, the prior over dags included
    families  how many were scored
    """

    parents: tuple[tuple[int, ...], ...]
    score: float
    families: int


def exact_search(
    scorer: Scorer,
    limits: Limits,
    terms: DagTerms | None = None,
    *,
    threads: int | None = None,
    progress: Report | None = None,
) -> BestDag:
    """The best dag within limits: all families are scored, then `best_dag` puts them together."""
    kinds = np.unique(scorer.columns.states).size if isinstance(scorer, TableScorer) else -1
    check_size(limits, 1 + kinds)
    walk, rest = 1 << min(len(limits.names), BEGINNINGS), len(limits.names) + SPANS
    told = progress or _silent
    scores = family_scores(
        scorer, limits, threads=threads, progress=lambda done, _: told(done, walk + rest)
    )
    return best_dag(
        scores,
        limits,
        terms,
        threads=threads,
        progress=lambda done, _: told(walk + done, walk + rest),
    )


def best_dag(
    scores: FamilyScores,
    limits: Limits,
    terms: DagTerms | None = None,
    *,
    threads: int | None = None,
    progress: Report | None = None,
) -> BestDag:
    """The dag of greatest score within limits.

    Of a set of variables one is a sink of its best dag: it has its best parents in the others, and
    these form their best dag. So the best dag of every set follows from those of the sets with one
    member less. [Silander and Myllymäki 2006]

    Of dags that score alike, the sinks are the highest numbers, each with as few parents as can be
    and the lowest of those; so the answer does not hang on rounding.
    """
    from tacit.kernels.dynamic import best_totals

    check_size(limits)
    n, told = len(limits.names), progress or _silent
    best, totals = np.empty((n, 1 << max(0, n - 1))), np.zeros(1 << n)
    with asked_to_end() as asked:
        tasks = [
            partial(_fill, best[child], child, scores, limits, terms, asked) for child in range(n)
        ]
        families = sum(in_order(tasks, threads, lambda done, _: told(done, n + SPANS)))
        edges = np.linspace(0, totals.size, SPANS + 1).astype(np.int64).tolist()
        for at in range(SPANS):
            _heed(asked)
            best_totals(best, totals, max(1, edges[at]), edges[at + 1])
            told(n + at + 1, n + SPANS)
    if not totals[-1] > -np.inf:
        raise KnowledgeError(_nothing_left(best, limits.names))
    parents = _traced(best, totals)
    score = sum(best[child, place(who, child)] for child, who in enumerate(parents))
    return BestDag(parents, float(score), families)


def narrowed(limits: Limits, most: int | None) -> Limits:
    """The same limits with at most so many parents for each variable."""
    return limits if most is None else replace(limits, most=np.minimum(limits.most, most))


def check_size(limits: Limits, sums: int = 1) -> None:
    """Nothing, or an error that says how much memory the scores of all sets would take.

    sums  how many numbers are kept of every set, beside the best score of a dag over it
    """
    n = len(limits.names)
    needed, room = 8 * (n * 2 ** max(0, n - 1) + (1 + sums) * 2**n), _room()
    if needed > room:
        raise SizeError(
            f"exact search over {n} variables would take {needed / 2**30:,.3g} GiB for the best "
            f"parents in every set of variables; {room / 2**30:,.3g} GiB are allowed\n\n"
            "search fewer variables, or use tc.Tabu(), which has no such bound"
        )


def _room() -> int:
    try:
        return min(LARGEST, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    except (AttributeError, ValueError, OSError):  # a system that does not say
        return LARGEST


def _heed(asked: Asked) -> None:
    if asked():
        raise KeyboardInterrupt


def _silent(done: int, total: int) -> None:
    del done, total


def _fill(
    best: Floats,
    child: int,
    scores: FamilyScores,
    limits: Limits,
    terms: DagTerms | None,
    asked: Asked,
) -> int:
    """Write what the child is worth with the best parents in every set; how many were scored."""
    from tacit.kernels.dynamic import raise_to_best, restrict

    _heed(asked)
    best[:] = scores.local(child)
    everyone = np.delete(np.arange(len(limits.names)), child)
    if not limits.keeps(child, everyone.tolist()) and limits.states is not None:
        states = np.log(np.maximum(limits.states, 1.0))
        best[states[child] + additive(states[everyone]) > MOST] = -np.inf
    if terms is not None:
        best += additive(np.delete(terms.by_arc[:, child], child))
        best += terms.by_size[additive(np.ones(len(limits.names) - 1, dtype=np.int8))]
    needed = place(np.flatnonzero(limits.required[:, child]).tolist(), child)
    open_ = place(np.flatnonzero(limits.allowed[:, child]).tolist(), child)
    left = restrict(best, needed, (best.size - 1) & ~open_, int(limits.most[child]))
    raise_to_best(best)
    return int(left)


def _traced(best: Floats, totals: Floats) -> tuple[tuple[int, ...], ...]:
    """The parents in a best dag, from its sinks back."""
    from tacit.kernels.dynamic import smallest, without

    left, n = totals.size - 1, best.shape[0]
    slack = SLACK * max(1.0, abs(totals[left]))
    parents = dict[int, tuple[int, ...]]()
    while left:
        for child in reversed(range(n)):
            rest = left & ~(1 << child)
            others = without(rest, child)
            if left != rest and totals[rest] + best[child, others] >= totals[left] - slack:
                break
        chosen = smallest(best[child], others, best[child, others] - slack)
        parents[child] = members(int(chosen), child)
        left = rest
    return tuple(parents[child] for child in range(n))


def _nothing_left(best: Floats, names: tuple[str, ...]) -> str:
    stuck = [quoted(name) for name, row in zip(names, best, strict=True) if not row[-1] > -np.inf]
    if stuck:
        return (
            f"no parents of {listed(stuck)} obey the structural rules and have a distribution"
            "\n\nlook at what the rules require of these variables, and at their numbers of parents"
        )
    return "no dag obeys the structural rules: the arcs that they require form a cycle"
