"""The E-step where variables are continuous: expected moments and counts of incomplete cases.

A family that a case shows whole is counted once. What a case lacks falls apart into pieces that are
independent given what it shows; cases that lack the same piece are solved together, one
factorisation for all of them, in every configuration of the states that are open. With u the
unknown reals of a piece, its configurations b with posterior q(b), and u | b ~ Normal(m, C),

    E[1{b} z zᵀ] = Σ_b q(b) (m mᵀ + C)

fills the moments of every family that the piece touches: exactly, since a family lies in one piece.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Variable
from tacit.engines.axes import nothing
from tacit.engines.memory import statistics
from tacit.engines.normal_plans import Compiled
from tacit.engines.normal_shapes import codes_of
from tacit.engines.scales import check_scales
from tacit.engines.stand_ins import shortened
from tacit.engines.tasks import Evidence
from tacit.estimate.conditional import conditional_log_likelihood
from tacit.estimate.gaussians import gaussian_log_likelihood
from tacit.estimate.tables import log_probability
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.counts import Counts, SparseCounts
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments
from tacit.families.table import Table
from tacit.infer.normal.groups import Group, Grouped, grouped
from tacit.infer.normal.kinds import plan_of
from tacit.infer.normal.posterior import Found, Parameters, Solved, open_axes, solved

if TYPE_CHECKING:
    from tacit.kernels.reals_told import Sums

Axes = Mapping[str, tuple[Variable, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """What one E-step found.

    evidence        per variable the expected statistics of its family, those it showed included
    log_likelihood  of what was observed, in nats
    """

    evidence: Mapping[str, Evidence]
    log_likelihood: float


@dataclass(frozen=True, slots=True, eq=False)
class NormalExpectation:
    """The E-step of some cases, compiled.

    held      the groups of cases with gaps, many of them by stand-ins
    families  parents..., child of every variable
    known     the statistics of the cases complete in each family
    weights   of the lines of `held`
    compiled  the groups that a kernel takes, and `left` those that it does not
    """

    held: Grouped
    families: Axes
    known: Mapping[str, Evidence]
    weights: Floats
    compiled: Compiled
    left: tuple[Group, ...]

    @staticmethod
    def of(network: Network, cases: Dataset) -> NormalExpectation:
        """The E-step of networks with this structure; variables without a column are hidden."""
        plan = plan_of(network)
        families = {
            name: tuple(network.variables[other] for other in (*network.dag.parents[name], name))
            for name in network.dag.names
        }
        check_scales(cases, [name for name in plan.frame.names if name in cases])
        seen = [axes for axes in families.values() if all(axis.name in cases for axis in axes)]
        found = statistics(cases, seen, missing="available")
        known = {name: found.get(name) or nothing(axes) for name, axes in families.items()}
        weights = np.ones(len(cases)) if cases.weights is None else cases.weights
        held = grouped(plan, cases)
        centre = _centre(held.reals)
        held, weights = shortened(held, weights)
        return NormalExpectation(
            held, families, known, weights, *Compiled.of(held, weights, centre)
        )

    def run(self, network: Network) -> Expected:
        """The expected statistics under these parameters, and how likely they make the cases."""
        total = sum(known_likelihood(network, name, held) for name, held in self.known.items())
        sums = self.infer(Parameters.of(self.held.plan, network))
        return Expected(self.evidence(sums), total + float(sums.mass.sum()))

    def infer(self, parameters: Parameters) -> Sums:
        """What the cases with gaps say under these parameters."""
        exact = not bool((parameters.numbers.noise > 0).all())
        sums = self.compiled.nothing() if exact else self.compiled.run(parameters)
        slow = Slow(self, sums)
        for at, group in enumerate(self.held.groups if exact else self.left):
            for found in solved(self.held, group, parameters):
                weights = self.weights[found.cases]
                counted = weights > 0
                sums.mass[at] += float(weights[counted] @ found.mass[counted])
                slow.add(group, found, weights)
        return sums

    def evidence(self, sums: Sums) -> dict[str, Evidence]:
        """What was shown and what is expected, together."""
        found, plan = dict(self.known), self.held.plan
        for axes, name in zip(plan.layout.axes, plan.layout.names, strict=True):
            held = found[name]
            if isinstance(held, Counts | SparseCounts):
                values = held.dense().values
                own = sums.counts[axes.start : axes.start + values.size]
                found[name] = Counts(values + own.reshape(values.shape))
        for place, name in enumerate(plan.frame.names):
            inferred, held = self.compiled.moments(place, sums), found[name]
            if isinstance(held, Moments):
                found[name] = held + inferred.at(0)
            else:
                assert isinstance(held, ConditionalMoments)
                found[name] = held + _shaped(inferred, held.shape)
        return found


def _centre(reals: Floats) -> Floats:
    """(continuous variables,) what sums are taken about, so that large means cost no digits."""
    shown = np.where(np.isnan(reals), 0.0, reals)
    return np.asarray(shown.sum(axis=0) / np.maximum((~np.isnan(reals)).sum(axis=0), 1))


def known_likelihood(network: Network, name: str, held: Evidence) -> float:
    """The log-likelihood of the cases that a family was counted on."""
    family = network[name]
    if isinstance(held, Moments):
        assert isinstance(family, LinearGaussian)
        return gaussian_log_likelihood(family, held) if held.weight > 0 else 0.0
    if isinstance(held, ConditionalMoments):
        assert isinstance(family, ConditionalGaussian)
        return conditional_log_likelihood(family, held) if held.total > 0 else 0.0
    assert isinstance(family, Table)
    assert isinstance(held, Counts | SparseCounts)
    return log_probability(family, held.dense().values)


class Slow:
    """Sums of what is inferred outside the kernel: groups too large for it, or without noise."""

    def __init__(self, expectation: NormalExpectation, sums: Sums) -> None:
        self.of = expectation
        self.sums = sums

    def add(self, group: Group, found: Found, weights: Floats) -> None:
        """What some cases of a group say."""
        for table in group.kind.tables:
            self._table(group, found, weights, table)
        for each in found.parts:
            self._part(group, found, weights, each)

    def _table(self, group: Group, found: Found, weights: Floats, table: int) -> None:
        held = self.of.held
        layout = held.plan.layout
        axes, shape = layout.axes[table], [layout.cards[v] for v in layout.axes[table].variables]
        opened, seen = open_axes(held.plan, group.kind, table)
        chance = np.nan_to_num(found.posterior(opened))
        chance = chance * weights.reshape(-1, *(1 for _ in opened))
        own = self.sums.counts[axes.start : axes.start + prod(shape)].reshape(shape)
        out = own.transpose([axes.variables.index(v) for v in (*seen, *opened)])
        if seen:
            np.add.at(out, tuple(held.codes[found.cases, v] for v in seen), chance)
        else:
            out += chance.sum(axis=0)

    def _part(self, group: Group, found: Found, weights: Floats, each: Solved) -> None:
        """E[z] and E[z zᵀ] of every family of a component, configuration by configuration."""
        part, held = each.part, self.of.held
        component, compiled = part.component, self.of.compiled
        choice = part.choice(codes_of(group, part))
        chance = np.nan_to_num(each.weights).T * weights
        column = {place: at for at, place in enumerate(component.unknown.tolist())}
        for row, place in enumerate(component.rows.tolist()):
            axes = [*held.plan.frame.parents[place].tolist(), place]
            values = np.empty((*chance.shape, len(axes)))
            for at, axis in enumerate(axes):
                known = axis not in column
                whole = held.reals[found.cases, axis] if known else each.means[:, :, column[axis]]
                values[:, :, at] = whole - compiled.families.centre[axis]
            sums, products = moment_sums(values, chance)
            inner = [at for at, axis in enumerate(axes) if axis in column]
            if inner:
                places = np.array([column[axes[at]] for at in inner], np.int64)
                spread = each.solution.covariance(places) * chance.sum(axis=1)[:, None, None]
                products[np.ix_(range(len(products)), inner, inner)] += spread
            parts = (chance.sum(axis=1), sums, products)
            for out, new in zip(compiled.sums_of(place, self.sums), parts, strict=True):
                np.add.at(out, choice[:, row], new)


def moment_sums(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """(configurations, k) Σ w z and (configurations, k, k) Σ w z zᵀ over the cases of each."""
    weighted = values * weights[:, :, None]
    return weighted.sum(axis=1), weighted.swapaxes(1, 2) @ values


def _shaped(found: ConditionalMoments, shape: tuple[int, ...]) -> ConditionalMoments:
    size = found.size
    return ConditionalMoments(
        found.weights.reshape(shape),
        found.means.reshape(*shape, size),
        found.scatter.reshape(*shape, size, size),
    )
