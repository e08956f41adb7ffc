"""Networks from many statistics under the same rules: bound and compiled once, then estimated.

What `tc.fit` computes, without the intervals, prices and notes that a learning curve of thousands
of fits has no use for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.estimate.estimates import Estimate
from tacit.estimate.priors import Prior
from tacit.estimate.ruled.plan import solve
from tacit.estimate.tables import estimate_table
from tacit.families.counts import Counts
from tacit.families.table import Table
from tacit.knowledge.knowledge import parse_knowledge
from tacit.learn.parts import pseudo_counts
from tacit.learn.ruled import ruled

if TYPE_CHECKING:
    from tacit.learn.ruled import Ruled


@dataclass(frozen=True, slots=True, eq=False)
class Learner:
    """A dag with its variables, a prior, an estimate, and rules that are ready to be used."""

    dag: Dag
    families: Mapping[str, tuple[Discrete, ...]]
    alpha: Mapping[str, Floats]
    estimate: Estimate
    known: Ruled | None

    @staticmethod
    def of(
        dag: Dag,
        variables: Mapping[str, Discrete],
        prior: Prior,
        estimate: Estimate,
        rules: str = "",
    ) -> Learner:
        """Rules as text, bound to the tables of the dag; none if it is empty."""
        families = {
            name: (*(variables[parent] for parent in dag.parents[name]), variables[name])
            for name in dag.names
        }
        known = ruled(parse_knowledge(rules), dag, families) if rules else None
        return Learner(dag, families, pseudo_counts(prior, families), estimate, known)

    def tables(self, counts: Mapping[str, Floats]) -> dict[str, Floats]:
        """maximise  Σ (N + pseudo) log θ  under the rules; every table as parents..., child."""
        free = {
            name: estimate_table(axes, Counts(counts[name]), self.alpha[name], self.estimate)
            for name, axes in self.families.items()
        }
        tables = {name: each.table.values for name, each in free.items()}
        return tables if self.known is None else self._ruled(self.known, counts, tables)

    def _ruled(
        self, known: Ruled, counts: Mapping[str, Floats], tables: Mapping[str, Floats]
    ) -> dict[str, Floats]:
        weights, theta = np.empty(known.bound.cells.size), np.empty(known.bound.cells.size)
        for name, start in known.bound.cells.starts.items():
            inside = slice(start, start + tables[name].size)
            weights[inside] = (counts[name] + self.estimate.pseudo(self.alpha[name])).ravel()
            theta[inside] = tables[name].ravel()
        cells = known.plan.blocks.cells
        theta[cells] = solve(known.plan, weights[cells]).theta
        return {
            name: theta[start : start + tables[name].size].reshape(tables[name].shape)
            for name, start in known.bound.cells.starts.items()
        }

    def network(self, counts: Mapping[str, Floats]) -> Network:
        """The network with these tables."""
        tables = self.tables(counts)
        variables = {name: axes[-1] for name, axes in self.families.items()}
        families = {name: Table(axes, tables[name]) for name, axes in self.families.items()}
        return Network(self.dag, variables, families)
