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

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Variable
from tacit.engines.axes import nothing
from tacit.engines.memory import statistics
from tacit.engines.scales import check_scales
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
from tacit.infer.normal.kinds import Part, plan_of
from tacit.infer.normal.posterior import Found, Parameters, Solved, open_axes, solved

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

    families  parents..., child of every variable
    known     the statistics of the cases complete in each family
    centre    (continuous variables,) what sums are taken about, so that large means cost no digits
    """

    held: Grouped
    families: Axes
    known: Mapping[str, Evidence]
    weights: Floats
    centre: Floats

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
        shown = np.where(np.isnan(held.reals), 0.0, held.reals)
        there = np.maximum((~np.isnan(held.reals)).sum(axis=0), 1)
        return NormalExpectation(held, families, known, weights, shown.sum(axis=0) / there)

    def run(self, network: Network) -> Expected:
        """The expected statistics under these parameters, and how likely they make the cases."""
        total = sum(known_likelihood(network, name, held) for name, held in self.known.items())
        parameters = Parameters.of(self.held.plan, network)
        sums = Sums(self)
        for group in self.held.groups:
            for found in solved(self.held, group, parameters):
                weights = self.weights[found.cases]
                counted = weights > 0
                total += float(weights[counted] @ found.mass[counted])
                sums.add(group, found, weights)
        return Expected(sums.evidence(), total)


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


class Sums:
    """Sums of weights, values and products over what is inferred, family by family."""

    def __init__(self, expectation: NormalExpectation) -> None:
        self.of = expectation
        self.tables: dict[int, Floats] = {}
        self.reals: dict[int, tuple[Floats, Floats, Floats]] = {}

    def add(self, group: Group, found: Found, weights: Floats) -> None:
        """What some cases of a group say."""
        for table in group.kind.tables:
            self._table(group, found, weights, table)
        for each in found.parts:
            self._part(group, found, weights, each)

    def _table(self, group: Group, found: Found, weights: Floats, table: int) -> None:
        held = self.of.held
        layout = held.plan.layout
        axes = layout.axes[table].variables
        if table not in self.tables:
            self.tables[table] = np.zeros([layout.cards[v] for v in axes])
        opened, seen = open_axes(held.plan, group.kind, table)
        chance = np.nan_to_num(found.posterior(opened))
        chance = chance * weights.reshape(-1, *(1 for _ in opened))
        out = self.tables[table].transpose([axes.index(v) for v in (*seen, *opened)])
        if seen:
            np.add.at(out, tuple(held.codes[found.cases, v] for v in seen), chance)
        else:
            out += chance.sum(axis=0)

    def _part(self, group: Group, found: Found, weights: Floats, each: Solved) -> None:
        """E[z] and E[z zᵀ] of every family of a component, configuration by configuration."""
        part, held = each.part, self.of.held
        component, frame = part.component, held.plan.frame
        choice = part.choice(_codes_of(group, part))
        chance = np.nan_to_num(each.weights).T * weights
        column = {place: at for at, place in enumerate(component.unknown.tolist())}
        for row, place in enumerate(component.rows.tolist()):
            axes = [*frame.parents[place].tolist(), place]
            values = np.empty((*chance.shape, len(axes)))
            for at, axis in enumerate(axes):
                known = axis not in column
                whole = held.reals[found.cases, axis] if known else each.means[:, :, column[axis]]
                values[:, :, at] = whole - self.of.centre[axis]
            sums, products = moment_sums(values, chance)
            inner = [at for at, axis in enumerate(axes) if axis in column]
            if inner:
                places = np.array([column[axes[at]] for at in inner], np.int64)
                spread = each.solution.covariance(places) * chance.sum(axis=1)[:, None, None]
                products[np.ix_(range(len(products)), inner, inner)] += spread
            self._collect(place, choice[:, row], chance.sum(axis=1), sums, products)

    def _collect(
        self, place: int, regression: Ints, weight: Floats, sums: Floats, products: Floats
    ) -> None:
        if place not in self.reals:
            many, size = self.of.held.plan.frame.configurations(place), sums.shape[-1]
            self.reals[place] = np.zeros(many), np.zeros((many, size)), np.zeros((many, size, size))
        for out, new in zip(self.reals[place], (weight, sums, products), strict=True):
            np.add.at(out, regression, new)

    def evidence(self) -> dict[str, Evidence]:
        """What was shown and what is expected, together."""
        found = dict(self.of.known)
        plan = self.of.held.plan
        for table, values in self.tables.items():
            name = plan.layout.names[table]
            held = found[name]
            assert isinstance(held, Counts | SparseCounts)
            found[name] = Counts(held.dense().values + values)
        for place, (weight, sums, products) in self.reals.items():
            name = plan.frame.names[place]
            centre = self.of.centre[[*plan.frame.parents[place].tolist(), place]]
            inferred, held = centred(weight, sums, products, centre), found[name]
            if isinstance(held, Moments):
                found[name] = held + inferred.at(0)
            else:
                assert isinstance(held, ConditionalMoments)
                found[name] = held + _shaped(inferred, held.shape)
        return found


def moment_sums(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """(configurations, k) Σ w z and (configurations, k, k) Σ w z zᵀ over the cases of each."""
    weighted = values * weights[:, :, None]
    products = weighted.swapaxes(1, 2) @ values
    return weighted.sum(axis=1), (products + products.swapaxes(1, 2)) / 2


def centred(weight: Floats, sums: Floats, products: Floats, centre: Floats) -> ConditionalMoments:
    """The moments behind sums about a centre."""
    safe = np.where(weight > 0, weight, 1.0)
    off = sums / safe[:, None]
    scatter = products - weight[:, None, None] * off[:, :, None] * off[:, None, :]
    places = np.arange(centre.size)
    scatter[:, places, places] = np.maximum(scatter[:, places, places], 0.0)
    means = np.where(weight[:, None] > 0, centre + off, 0.0)
    return ConditionalMoments(weight, means, scatter)


def _shaped(found: ConditionalMoments, shape: tuple[int, ...]) -> ConditionalMoments:
    size = found.size
    return ConditionalMoments(
        found.weights.reshape(shape),
        found.means.reshape(*shape, size),
        found.scatter.reshape(*shape, size, size),
    )


def _codes_of(group: Group, part: Part) -> Ints:
    places = group.kind.held
    at = [places.index(each) for each in part.held]
    return np.asarray(group.codes[at], dtype=np.int64)
