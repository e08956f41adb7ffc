"""Rules in the steps of EM: tables and regressions that obey them, given expected statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.estimate.continuous.regression import Extra
from tacit.estimate.continuous.tolls import statuses as tie_statuses
from tacit.estimate.ruled.multipliers import priced
from tacit.estimate.ruled.plan import FEW, Near, Ruling, solve
from tacit.estimate.ruled.prices import statuses
from tacit.estimate.ruled.proof import Proof, proof_of
from tacit.estimate.ruled.status import RuleStatus
from tacit.families.counts import Counts
from tacit.families.table import Table
from tacit.learn.continuous.rules import ruled_families, squares_of, tie_notes
from tacit.learn.fits import Evidence
from tacit.learn.obeyed import local_notes, resisted_notes, rule_notes
from tacit.learn.positions import held_at, tables_named
from tacit.learn.ruled import Ruled

HOLDS = 1e-12
"""How far beyond an inequality an extrapolation may end."""


@dataclass(frozen=True, slots=True, eq=False)
class Obeying:
    """The rules, and what the estimate adds to counts and to moments.

    pseudo  per table
    extra   per Gaussian family
    """

    known: Ruled
    pseudo: Mapping[str, Floats]
    extra: Mapping[str, Extra]

    def families(
        self,
        free: Mapping[str, Family],
        evidence: Mapping[str, Evidence],
        ruling: Ruling | None,
        here: Network | None = None,
    ) -> tuple[dict[str, Family], Ruling | None]:
        """The best families that obey, from the free ones and where the last solution ended."""
        found = dict(free)
        plan = self.known.plan
        if len(plan.blocks):
            weights = self.weights(evidence)
            before = None if here is None else held_at(self.known, _counts(here))
            near = Near(before, FEW, wide=ruling is None, second=False)
            ruling = solve(plan, weights, ruling, 1, prove=False, near=near)
            self._replace(found, ruling.theta)
        if self.known.ties is not None:
            ties = self.known.ties
            found = ruled_families(ties, ties.solved(squares_of(ties, evidence, self.extra)), found)
        return found, ruling

    def weights(self, evidence: Mapping[str, Evidence]) -> Floats:
        """Expected counts plus prior in the cells of the plan."""
        plan = self.known.plan
        prior = held_at(self.known, {name: Counts(each) for name, each in self.pseudo.items()})
        counts = held_at(self.known, evidence)
        weights = counts + prior
        weights[plan.zeros] = counts[plan.zeros]
        return np.maximum(weights, 0.0)

    def _replace(self, families: dict[str, Family], theta: Floats) -> None:
        cells = self.known.plan.blocks.cells
        for name, inside in tables_named(self.known).items():
            table = families[name]
            assert isinstance(table, Table)
            values = table.values.copy()
            values.flat[cells[inside] - self.known.bound.cells.starts[name]] = theta[inside]
            families[name] = Table(table.variables, values)

    def holds(self, network: Network) -> bool:
        """Whether all inequalities hold; False where some rule is not linear."""
        plan = self.known.plan
        if len(plan.blocks):
            excess = plan.blocks.rules.excess(held_at(self.known, _counts(network)))
            if plan.bends.stated or plan.curved.any() or excess.max(initial=0.0) > HOLDS:
                return False
        return self.known.ties is None or self.known.ties.hold(network.families, HOLDS)

    def told(
        self, network: Network, evidence: Mapping[str, Evidence]
    ) -> tuple[tuple[RuleStatus, ...], tuple[str, ...], Proof | None]:
        """What became of the rules, what to say of them, and the proof for tables."""
        known, notes, proof = self.known, list[str](), None
        weights = self.weights(evidence)
        theta = held_at(known, _counts(network))
        worth = priced(known.plan, weights, near=Near(theta, wide=False))
        tables = statuses(known.bound, known.plan, worth, theta, expected=True)
        if len(known.plan.blocks):
            proof = proof_of(known.plan, worth)
            notes += [*resisted_notes(tables), *rule_notes(known, weights)]
            notes += local_notes(worth.ruling)
        real: tuple[RuleStatus, ...] = ()
        if known.ties is not None:
            squares = squares_of(known.ties, evidence, self.extra)
            real = tie_statuses(known.ties, squares, known.ties.solved(squares), expected=True)
            notes += tie_notes(known.ties, real)
        return known.in_order(tables, real), tuple(dict.fromkeys(notes)), proof


def _counts(network: Network) -> dict[str, Evidence]:
    """The tables of a network as numbers in their cells."""
    return {
        name: Counts(family.values)
        for name, family in network.families.items()
        if isinstance(family, Table)
    }
