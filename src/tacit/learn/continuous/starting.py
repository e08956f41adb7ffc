"""Where EM starts when some variables are continuous.

What is shown says where: tables by counts, Gaussians by the cases complete in the measured part of
their families. Around hidden variables every start is drawn at random: the states of a hidden
discrete variable begin at the means of groups of cases that were chosen far apart (k-means++,
Arthur and Vassilvitskii 2007), the coefficients of a hidden continuous one are normal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines.memory import statistics
from tacit.engines.tasks import Evidence
from tacit.estimate.conditional import estimate_conditional
from tacit.estimate.continuous.prior import Scales
from tacit.estimate.continuous.regressions import joined, regressions
from tacit.estimate.gaussians import estimate_gaussian
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.counts import Counts, SparseCounts
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments
from tacit.families.table import Table

LEAST = 1e-3
"""The smallest sd that a start gives, as a share of the variable's own."""
SPREAD = 0.7
"""How much of a child's noise a hidden parent takes over at the start, as a share of its sd."""
NONE = np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """What all starts are made from.

    seen  per variable the statistics of the measured part of its family, by available cases
    """

    dag: Dag
    cases: Dataset
    families: Mapping[str, tuple[Variable, ...]]
    hidden: Mapping[str, Variable]
    scales: Scales
    seen: Mapping[str, Evidence]

    @staticmethod
    def of(
        dag: Dag,
        cases: Dataset,
        families: Mapping[str, tuple[Variable, ...]],
        hidden: Mapping[str, Variable],
        scales: Scales,
    ) -> Start:
        """The measured parts of all families, counted once."""
        parts = [
            tuple(axis for axis in axes if axis.name not in hidden)
            for name, axes in families.items()
            if name not in hidden
        ]
        return Start(
            dag, cases, families, hidden, scales, statistics(cases, parts, missing="available")
        )

    def network(self, random: np.random.Generator, first: bool) -> Network:
        """One start; the first keeps what was measured as it is, others shake it."""
        groups = {
            name: self._groups(name, len(variable.states), random)
            for name, variable in self.hidden.items()
            if isinstance(variable, Discrete)
        }
        families: dict[str, Family] = {}
        for name, axes in self.families.items():
            if isinstance(axes[-1], Discrete):
                families[name] = self._table(axes, random, first)
            else:
                families[name] = self._gaussian(axes, groups, random, first)
        variables = {name: axes[-1] for name, axes in self.families.items()}
        return Network(self.dag, variables, families)

    def _table(self, axes: tuple[Variable, ...], random: np.random.Generator, first: bool) -> Table:
        discrete = tuple(axis for axis in axes if isinstance(axis, Discrete))
        shape, states = [len(axis.states) for axis in discrete], len(discrete[-1].states)
        unseen = [axis.name in self.hidden for axis in discrete]
        held = self.seen.get(discrete[-1].name)
        counts = np.zeros([1 if gone else size for gone, size in zip(unseen, shape, strict=True)])
        if held is not None:
            assert isinstance(held, Counts | SparseCounts)
            counts = held.dense().values.reshape(counts.shape) + 0.0
        rows = np.broadcast_to(counts, shape) + 1.0 / states
        rows = rows / rows.sum(axis=-1, keepdims=True)
        if any(unseen):
            rows = random.standard_gamma(np.maximum(2.0 * states * rows, 0.1)) + 1e-6
        elif not first:
            rows = 0.5 * rows + 0.5 * _shares(random.standard_gamma(np.maximum(rows * states, 0.2)))
        return Table(discrete, _shares(rows))

    def _gaussian(
        self,
        axes: tuple[Variable, ...],
        groups: Mapping[str, Ints],
        random: np.random.Generator,
        first: bool,
    ) -> Family:
        """The measured regression in every configuration, then what hidden parents add."""
        child, discrete = axes[-1].name, [axis for axis in axes if isinstance(axis, Discrete)]
        base = self._measured(axes)
        offsets = {g.name: self._offsets(base, g, groups) for g in discrete if g.name in groups}
        found = []
        for code in range(prod(len(axis.states) for axis in discrete)):
            at = np.unravel_index(code, [len(axis.states) for axis in discrete] or [1])
            states = {axis.name: int(s) for axis, s in zip(discrete, at, strict=False)}
            own = base[self._shown(axes, states)]
            if child in self.hidden:
                shift, sd = 0.7 * random.standard_normal() * (code > 0), 1.0
            else:
                shift = sum(float(offsets[name][states[name]]) for name in offsets)
                sd = own.sd
            found.append(self._shaken(axes, own, (shift, sd), random, first))
        return joined(axes, found)

    def _shaken(
        self,
        axes: tuple[Variable, ...],
        own: LinearGaussian,
        begin: tuple[float, float],
        random: np.random.Generator,
        first: bool,
    ) -> LinearGaussian:
        """One regression with coefficients for hidden parents; later starts shake all of them."""
        shift, sd = begin
        reals = tuple(axis for axis in axes if isinstance(axis, Continuous))
        known = dict(zip(own.parents, own.coefficients.tolist(), strict=True))
        slopes, taken = [], 0.0
        for parent in reals[:-1]:
            slope = known.get(parent.name, 0.0)
            if parent.name in self.hidden or axes[-1].name in self.hidden:
                slope = SPREAD * sd * float(random.standard_normal()) / self._sd(parent.name)
                taken += float(parent.name in self.hidden)
            elif not first:
                slope += 0.3 * sd * float(random.standard_normal()) / self._sd(parent.name)
            slopes.append(slope)
        left = sd * (1 - SPREAD**2) ** 0.5 if taken else sd
        if axes[-1].name in self.hidden:
            left = 1.0
        elif not first:
            left *= float(np.exp(0.3 * random.standard_normal()))
        level = own.intercept + shift
        return LinearGaussian(reals, np.array(slopes), level, left)

    def _measured(self, axes: tuple[Variable, ...]) -> list[LinearGaussian]:
        """The regressions on measured parents, one per configuration of measured discrete ones."""
        child = axes[-1]
        assert isinstance(child, Continuous)
        if child.name in self.hidden:
            shape = [len(a.states) for a in self._parts(axes)]
            return [LinearGaussian((child,), NONE, 0.0, 1.0)] * prod(shape)
        held, least = self.seen[child.name], LEAST * self._sd(child.name)
        part = tuple(axis for axis in axes if axis.name not in self.hidden)
        if held.total <= 0:
            return self._alone(part, child)
        if isinstance(held, ConditionalMoments):
            found = regressions(estimate_conditional(part, held).family)
        else:
            assert isinstance(held, Moments)
            reals = tuple(axis for axis in part if isinstance(axis, Continuous))
            few = held.weight <= len(reals) + 1
            found = self._alone(part, child) if few else [estimate_gaussian(reals, held).family]
        return [
            LinearGaussian(each.variables, each.coefficients, each.intercept, max(each.sd, least))
            for each in found
        ]

    def _alone(self, part: tuple[Variable, ...], child: Continuous) -> list[LinearGaussian]:
        """Mean and sd of the child, where no case shows it with its parents."""
        level = float(self.scales.means[self.scales.names.index(child.name)])
        many = prod(len(axis.states) for axis in part if isinstance(axis, Discrete))
        return [LinearGaussian((child,), NONE, level, self._sd(child.name))] * many

    def _parts(self, axes: tuple[Variable, ...]) -> list[Discrete]:
        """The measured discrete parents."""
        return [a for a in axes if isinstance(a, Discrete) and a.name not in self.hidden]

    def _shown(self, axes: tuple[Variable, ...], states: Mapping[str, int]) -> int:
        """Which of the measured regressions a configuration has."""
        parts = self._parts(axes)
        shape, codes = [len(a.states) for a in parts], [states[a.name] for a in parts]
        return int(np.ravel_multi_index(codes, shape)) if parts else 0

    def _sd(self, name: str) -> float:
        return float(self.scales.sds[self.scales.names.index(name)])

    def _offsets(
        self, base: list[LinearGaussian], by: Discrete, groups: Mapping[str, Ints]
    ) -> Floats:
        """How far the cases of each group lie from the measured regressions, on average."""
        child, group = base[0].child, groups[by.name]
        if child in self.hidden:
            return np.zeros(len(by.states))
        own = self.cases[child]
        if len({each.parents for each in base}) == 1 and len(base) == 1:
            off = own - base[0].mean([self.cases[p] for p in base[0].parents], len(own))
        else:
            off = own - np.nanmean(own)
        there = ~np.isnan(off)
        sums = np.bincount(group[there], off[there], len(by.states))
        many = np.bincount(group[there], minlength=len(by.states))
        return np.where(many > 0, sums / np.maximum(many, 1), 0.0)

    def _groups(self, name: str, states: int, random: np.random.Generator) -> Ints:
        """(cases,) the nearest of as many cases, drawn far apart in the children's units."""
        children = [
            each
            for each, axes in self.families.items()
            if isinstance(axes[-1], Continuous)
            and each not in self.hidden
            and name in [axis.name for axis in axes]
        ]
        cases = len(self.cases)
        if not children:
            return random.integers(states, size=cases)
        columns = [(self.cases[each] - self._mean(each)) / self._sd(each) for each in children]
        points = np.nan_to_num(np.stack(columns, axis=1))
        chosen = int(random.integers(cases))
        near, group = _squares(points, chosen), np.zeros(cases, dtype=np.int64)
        for state in range(1, states):
            total = near.sum()
            chosen = int(random.choice(cases, p=near / total if total > 0 else None))
            apart = _squares(points, chosen)
            group[apart < near] = state
            near = np.minimum(near, apart)
        return group

    def _mean(self, name: str) -> float:
        return float(self.scales.means[self.scales.names.index(name)])


def _squares(points: Floats, chosen: int) -> Floats:
    """(points,) squared distances from one of them."""
    return np.asarray(((points - points[chosen]) ** 2).sum(axis=1))


def _shares(rows: Floats) -> Floats:
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))
