"""Complete counts weighed under rules, as often as there are completions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import KnowledgeError
from tacit.estimate.bayes.constants import exact_log_evidence
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.exact import Exact
from tacit.infer.flat import Layout
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.polytope import relative_interior
from tacit.learn.evidence import is_proper
from tacit.learn.gathered import Gathered
from tacit.learn.parts import discrete_axes
from tacit.learn.ruled import Ruled, doubted_part, ruled

Weigher = Callable[[Floats], tuple[float, Floats]]


def under_rules(
    gathered: Gathered, layout: Layout, prior: Floats, knowledge: Knowledge, free: Weigher
) -> Weigher:
    """Rows that rules name by their constants, all others as `free` has them.

    prior: of all cells, numbered as in the layout
    """
    families = {name: discrete_axes(axes) for name, axes in gathered.families.items()}
    if doubted_part(knowledge):
        raise KnowledgeError("tc.average takes certain rules only: leave out their confidence")
    known = ruled(knowledge, gathered.structure.dag, families, layout)
    if known is None or not len(known.plan.blocks):
        return free
    blocks = known.plan.blocks
    inside = relative_interior(blocks)
    cells = blocks.cells
    pooled = not is_proper(known, prior[cells])
    exact = Exact.of(blocks, inside, Density(prior[cells], pooled=pooled))
    _refuse(known, exact)
    rows = _rows(layout, cells)

    def weigh(counts: Floats) -> tuple[float, Floats]:
        total, mean = free(counts)
        mine = counts[cells]
        if (mine[inside.zero] > 0).any():
            return -np.inf, mean
        total -= _plain(prior, counts, rows)
        total += float(exact_log_evidence(exact, prior[cells], mine, pooled=pooled).sum())
        mean[cells] = exact.mean(Density(prior[cells] + mine, pooled=pooled))
        return total, mean

    return weigh


def _refuse(known: Ruled, exact: Exact) -> None:
    if known.bound.curved or not exact.which.all():
        raise KnowledgeError(
            "averaging over completions needs rules whose constants are known: equalities that "
            "are trees of splits, single bounds, sums against sums"
            "\n\nuse tc.posterior, which draws missing cells and parameters in turn"
        )


def _rows(layout: Layout, cells: Ints) -> list[Ints]:
    """The cells of every row that rules name."""
    starts, lengths = layout.rows
    which = np.unique(np.searchsorted(starts, cells, side="right") - 1)
    return [np.arange(starts[at], starts[at] + lengths[at]) for at in which.tolist()]


def _plain(prior: Floats, counts: Floats, rows: list[Ints]) -> float:
    """The log marginal likelihood of these rows without rules."""
    from scipy.special import gammaln

    total = 0.0
    for row in rows:
        a, n = prior[row], counts[row]
        total += float((gammaln(a + n) - gammaln(a)).sum())
        total += float(gammaln(a.sum()) - gammaln(a.sum() + n.sum()))
    return total
