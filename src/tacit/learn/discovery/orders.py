"""Whether a child rises or falls with a parent: the Bayes factor of an order against its opposite.

Under a Dirichlet prior cut down to an order Ω, the marginal likelihood changes by the factor
P(Ω given the cases) / P(Ω), both without the rule. The two probabilities are estimated from
independent draws; where rows follow each other in a chain, from all combinations of these draws.
[parameter domain knowledge 1.7, 3.1]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import expm1, inf, log
from typing import TypeAlias

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.learn.discovery.partitions import Groups
from tacit.learn.discovery.sheets import Sheet, Unit

DRAWS = 500
"""Draws of every row; a chain sees all combinations of them."""
JOINT = 8_000
"""Draws of all rows together, where chains have rows in common."""
AGAINST = 3.0
"""Standard deviations: a step that falls by more speaks against a rise, whatever the others say."""
EVEN = log(0.5)
"""An order less probable than this is not proposed, whatever it was before."""
NEVER = 1e-12
"""The least probability that draws are taken to tell from 0, and the least distance from 1."""

Chain: TypeAlias = tuple[int, ...]
"""Units, from the lowest state of the parent to the highest; one and the same stand once."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """An order that the cases support: what it gains, and by how much it is sure."""

    parent: int
    direction: int
    gain: float
    sure: float
    price: float


@dataclass(frozen=True, slots=True, eq=False)
class Rising:
    """A table whose orders are weighed.

    sheet   the table
    units   all its rows, those that are one together
    cells   per unit, its groups of equal cells
    orders  per axis, child last: its states from low to high; None where nobody knows
    """

    sheet: Sheet
    units: Sequence[Unit]
    cells: Mapping[int, Groups]
    orders: Sequence[Sequence[int] | None]

    def found(self, least: float, random: np.random.Generator) -> list[Ordered]:
        """The orders that gain `least` more than the choice among them costs."""
        parents = [at for at, order in enumerate(self.orders[:-1]) if order and len(order) > 1]
        if self.orders[-1] is None or not parents:
            return []
        price = log(2 * len(parents))
        drawn = _draws(self, random)
        found = []
        for parent in parents:
            chains = self._chains(parent)
            if chains is None:
                continue
            for direction in (1, -1):
                turned = [chain[::direction] for chain in chains]
                if any(after.against(turned) for _, after in drawn):
                    continue
                gain, sure = _weighed(drawn, turned)
                if gain > 0 and sure - price > least:
                    found.append(Ordered(parent, direction, gain, sure, price))
        return found

    def _chains(self, parent: int) -> list[Chain] | None:
        """Different chains of different rows; None if there are none, or a row comes back."""
        unit_of = np.empty(len(self.sheet.counts), dtype=np.int64)
        for number, unit in enumerate(self.units):
            unit_of[list(unit)] = number
        table = np.moveaxis(unit_of.reshape(self.sheet.shape), parent, -1)
        order = self.orders[parent]
        chains: dict[Chain, None] = {}
        for row in table.reshape(-1, table.shape[-1])[:, list(order or ())].tolist():
            chain = tuple(unit for at, unit in enumerate(row) if at == 0 or row[at - 1] != unit)
            if len(set(chain)) < len(chain):
                return None
            if len(chain) > 1:
                chains[chain] = None
        return list(chains) or None


@dataclass(frozen=True, slots=True, eq=False)
class _Draws:
    """Where the rows of a table come from at random: a Dirichlet with these parameters each.

    parameters  (units, states)
    order       the states from low to high
    """

    parameters: Floats
    cells: Mapping[int, Groups]
    order: Ints
    seed: int
    kept: dict[tuple[int, int], Floats] = field(default_factory=dict)

    def tails(self, unit: int, size: int) -> Floats:
        """(size, thresholds) P(X >= c) as log-odds; the same draws whenever they are asked for."""
        if (unit, size) not in self.kept:
            self.kept[unit, size] = self._tails(unit, size)
        return self.kept[unit, size]

    def against(self, chains: Sequence[Chain]) -> bool:
        """Whether a step falls clearly, by the means and variances of the tails."""
        ordered = self.parameters[:, self.order]
        total = ordered.sum(axis=1, keepdims=True)
        mean = np.cumsum(ordered[:, ::-1], axis=1)[:, ::-1][:, 1:] / total
        variance = mean * (1 - mean) / (total + 1)
        steps = np.array([step for chain in chains for step in pairwise(chain)])
        rise = mean[steps[:, 1]] - mean[steps[:, 0]]
        spread = np.sqrt(variance[steps[:, 1]] + variance[steps[:, 0]])
        return bool((rise < -AGAINST * spread).any())

    def _tails(self, unit: int, size: int) -> Floats:
        """In logarithms, since gammas of small parameters underflow: G(a) = G(a + 1) U^(1/a)."""
        random = np.random.default_rng([self.seed, unit, size])
        groups = self.cells.get(unit) or tuple((at,) for at in range(self.order.size))
        alpha = np.array([self.parameters[unit][list(group)].sum() for group in groups])
        uniform = 1.0 - random.random((size, alpha.size))
        logs = np.log(random.standard_gamma(alpha + 1.0, uniform.shape)) + np.log(uniform) / alpha
        cells = np.empty((size, self.order.size))
        for at, group in enumerate(groups):
            cells[:, list(group)] = (logs[:, at] - log(len(group)))[:, None]
        cells = cells[:, self.order]
        if cells.shape[1] == 2:
            return cells[:, 1:] - cells[:, :1]
        shares = np.exp(cells - cells.max(axis=1, keepdims=True))
        below = np.cumsum(shares, axis=1)[:, :-1]
        above = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1][:, 1:]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(above) - np.log(below))

    def log_probability(self, chains: Sequence[Chain], least: float = -inf) -> float:
        """log P(every chain rises): chains without common units are independent.

        Once it is below `least`, what it is exactly does not matter.
        """
        total = 0.0
        for together in _connected(chains):
            one = len(together) == 1
            found = self._along(together[0]) if one else self._jointly(together)
            total += log(max(found, NEVER))
            if total < least:
                break
        return total

    def _along(self, chain: Chain) -> float:
        """The share of all combinations of draws, one of each unit, in which the tails rise."""
        before = self.tails(chain[0], DRAWS)
        reached = np.ones(DRAWS)
        for unit in chain[1:]:
            after = self.tails(unit, DRAWS)
            if after.shape[1] == 1:
                order = np.argsort(before[:, 0], kind="stable")
                sums = np.concatenate([[0.0], np.cumsum(reached[order])])
                places = np.searchsorted(before[order, 0], after[:, 0], side="right")
                reached = sums[places] / DRAWS
            else:
                above = np.ones((DRAWS, DRAWS), dtype=np.bool_)
                for one, other in zip(before.T, after.T, strict=True):
                    above &= one[None, :] <= other[:, None]
                reached = above @ reached / DRAWS
            before = after
        return float(reached.mean())

    def _jointly(self, chains: Sequence[Chain]) -> float:
        units = {unit: self.tails(unit, JOINT) for chain in chains for unit in chain}
        rises = np.ones(JOINT, dtype=np.bool_)
        for chain in chains:
            for one, other in pairwise(chain):
                rises &= (units[one] <= units[other]).all(axis=1)
        return float(rises.mean())


def _connected(chains: Sequence[Chain]) -> list[list[Chain]]:
    """Chains that have units in common, together."""
    found: list[list[Chain]] = []
    for chain in chains:
        touched = [each for each in found if any(set(chain) & set(other) for other in each)]
        found = [each for each in found if each not in touched]
        found.append([chain, *(other for each in touched for other in each)])
    return found


def _draws(rising: Rising, random: np.random.Generator) -> list[tuple[_Draws, _Draws]]:
    """Before the cases and after them, for the prior of the caller and for the reference."""
    items, order = rising.sheet.pooled(list(rising.units)), np.array(rising.orders[-1])
    counts, alpha = items.counts[:, 0], items.alpha[:, 0]
    seed = int(random.integers(1 << 62))
    return [
        (
            _Draws(prior, rising.cells, order, seed),
            _Draws(prior + counts, rising.cells, order, seed),
        )
        for prior in (alpha, np.ones_like(alpha))
    ]


def _weighed(
    draws: Sequence[tuple[_Draws, _Draws]], chains: Sequence[Chain]
) -> tuple[float, float]:
    """What the order gains under the prior, and how sure it is.

    Sure is the least log Bayes factor against its opposite, but no more than the log odds that it
    holds: an order that was very improbable before is not believed for being a little less so.
    """
    gains, sure = [], inf
    for before, after in draws:
        posterior = after.log_probability(chains, EVEN)
        if posterior < EVEN:
            return -inf, -inf
        prior = before.log_probability(chains)
        gains.append(posterior - prior)
        odds = _log_odds(posterior)
        sure = min(sure, odds, odds - _log_odds(prior))
    return (gains[0] if min(gains) > 0 else -inf), sure


def _log_odds(log_probability: float) -> float:
    return log_probability - log(max(-expm1(log_probability), NEVER))
