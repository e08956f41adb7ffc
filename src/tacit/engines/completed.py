"""Cases completed under a network: lines with weights, and how uncertain their reals are.

An E-step for structures that are only tried. A case that lacks states is written out as a line for
every way in which they could be, which counts as much as that way is probable; each has the means
of its missing reals given these states, and their covariance. Expected statistics of every family,
also of one that the network lacks, are those of the weighted lines plus these covariances:

    E[1{b} z zᵀ] = Σ over lines in b of  q (m mᵀ + C).  [HV2 3.6, moment form]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from tacit.arrays import Bools, Codes, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines.tables import shape_of
from tacit.engines.written import lines_of, ways_of
from tacit.families.conditional_moments import ConditionalMoments, check_moments
from tacit.families.counts import Counts
from tacit.families.moments import Moments
from tacit.families.table import cells
from tacit.infer.known import known_masses
from tacit.infer.normal.groups import grouped
from tacit.infer.normal.kinds import plan_of
from tacit.infer.normal.posterior import Parameters


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """What is left open of reals: entries of the covariances of lines.

    line   (entries,)    whose each is
    pair   (entries, 2)  which two variables
    value  (entries,)
    """

    line: Ints
    pair: Ints
    value: Floats

    def scatter(self, at: Ints, many: int, places: Sequence[int], weights: Floats) -> Floats:
        """(configurations, places, places) the sum over the weighted lines of each configuration.

        at      (lines,)  which it is in
        places  the variables that are asked for
        """
        size = len(places)
        column = np.full(int(self.pair.max(initial=-1)) + 1, -1)
        for number, place in enumerate(places):
            if place < column.size:
                column[place] = number
        one, other = column[self.pair[:, 0]], column[self.pair[:, 1]]
        used = (one >= 0) & (other >= 0)
        line = self.line[used]
        cell = (at[line] * size + one[used]) * size + other[used]
        summed = np.bincount(cell, weights[line] * self.value[used], many * size * size)
        return np.asarray(summed.reshape(many, size, size), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Completed:
    """Cases with nothing missing, as weighted lines.

    names           the continuous variables, in the order of the columns of `reals`
    reals           (lines, variables) what was observed, the posterior mean where it was missing
    codes           per discrete variable the states of all lines
    spread          the posterior covariances
    case, share     (lines,) whose a line is, and its posterior
    shown           (cases, variables) whether a real was observed
    weights         (cases,) how often each case counts
    log_likelihood  of what was observed
    """

    names: tuple[str, ...]
    reals: Floats
    codes: Mapping[str, Codes]
    spread: Spread
    case: Ints
    share: Floats
    shown: Bools
    weights: Floats
    log_likelihood: float

    @property
    def line_weights(self) -> Floats:
        """(lines,) how often each counts."""
        return self.weighted(self.weights)

    def weighted(self, weights: Floats) -> Floats:
        """(lines,) how often each counts at these weights of the cases."""
        return np.asarray(weights[self.case] * self.share)

    def joint(self) -> Moments:
        """The expected moments of all continuous variables together: those of any linear Gaussian
        family are a part of them."""
        found = self.moments([Continuous(name) for name in self.names])
        assert isinstance(found, Moments)
        return found

    def moments(self, family: Sequence[Variable]) -> Moments | ConditionalMoments:
        """The expected moments of a family, parents..., child, in each configuration of its
        discrete parents."""
        reals = [self.names.index(each.name) for each in family if isinstance(each, Continuous)]
        axes = tuple(each for each in family if isinstance(each, Discrete))
        shape, weights = shape_of(axes), self.line_weights
        check_moments(shape, len(reals))
        at = np.zeros(len(self.reals), np.int64)
        if axes:
            at = cells(shape, [self.codes[each.name] for each in axes])
        found = ConditionalMoments.of(at, shape, self.reals[:, reals], weights)
        spread = self.spread.scatter(at, prod(shape), reals, weights)
        scatter = found.scatter + spread.reshape(found.scatter.shape)
        whole = ConditionalMoments(found.weights, found.means, scatter)
        return whole if axes else whole.at(0)

    def whole(self, family: Sequence[Variable]) -> Floats:
        """The expected number of cases that show all reals of a family, in each configuration of
        its discrete parents: the others tell nothing of its noise by themselves."""
        reals = [self.names.index(each.name) for each in family if isinstance(each, Continuous)]
        axes = tuple(each for each in family if isinstance(each, Discrete))
        used = np.all(self.shown[:, reals], axis=1)[self.case]
        shape = shape_of(axes)
        at = cells(shape, [self.codes[each.name][used] for each in axes])
        found = np.bincount(at, self.line_weights[used], prod(shape))
        return np.asarray(found, dtype=np.float64).reshape(shape)

    def counts(self, family: Sequence[Discrete]) -> Counts:
        """The expected counts of some discrete variables together."""
        shape = shape_of(tuple(family))
        at = cells(shape, [self.codes[each.name] for each in family])
        counts = np.bincount(at, self.line_weights, prod(shape)).astype(np.float64)
        return Counts(counts.reshape(shape))


def complete(network: Network, cases: Dataset) -> Completed:
    """The cases completed under a network of tables, linear and conditional Gaussians.

    Variables without a column are hidden. Exact, but that ways of less than 1e-12 of the posterior
    of what is missing are left out; an error where a case lacks so many states that they cannot be
    written out.
    """
    held = grouped(plan_of(network), cases)
    weights = np.ones(len(cases)) if cases.weights is None else np.array(cases.weights)
    ways, mass = ways_of(held, Parameters.of(held.plan, network))
    mass = mass + known_masses(network, cases)
    lines = lines_of(held, ways)
    layout, real = held.plan.layout, held.plan.real
    codes = {
        name: lines.codes[:, at].astype(np.int64)
        for at, name in enumerate(layout.names)
        if real[at] < 0
    }
    counted = weights > 0
    total = float(weights[counted] @ mass[counted])
    spread = Spread(lines.line, lines.pair, lines.left)
    return Completed(
        held.plan.frame.names, lines.reals, codes, spread, lines.case, lines.share,
        ~np.isnan(held.reals), weights, total,
    )  # fmt: skip
