"""Blocks whose posterior has a closed form, or one or two dimensions: no sampler is needed.

Trees of splits, and trees whose two-way splits carry an interval each: sums against sums, one
bound on a mass, rows of two states, nested or disjoint ones; boxes on the masses of one split;
bounds on single cells, whatever the factors; at most two dimensions. [2, 3.1; estimation 3.3]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.bayes import recognised
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.feasible import Patch
from tacit.estimate.bayes.quadrature import Summary, at_cells, summary
from tacit.estimate.bayes.separable import Celled
from tacit.estimate.bayes.shares import Shares
from tacit.estimate.bayes.truncated import quantile
from tacit.estimate.ruled.splits import Forest, ImproperError
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.polytope import Interior

_DRAWS = 10_000
"""For intervals of products of shares."""
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """The blocks that need no sampler.

    which    (blocks,)  those
    kinds    the theorem that covers each of them, in words, by block
    trees    (trees,)   the blocks that are trees of splits; `forest` and `shares` are their splits
    patches  the feasible sets of those done by quadrature, by block
    celled   rows that are no Dirichlets, with bounds on single cells
    asked    the last density, and what quadrature said of it
    """

    blocks: Blocks
    which: Bools
    kinds: Mapping[int, str]
    trees: Ints
    forest: Forest
    shares: Shares
    patches: Mapping[int, tuple[Patch, ...]]
    celled: Celled
    asked: list[tuple[Density, dict[int, Summary]]] = field(default_factory=list, repr=False)

    @staticmethod
    def of(blocks: Blocks, inside: Interior, density: Density) -> Exact:
        """Recognise them; nothing but `dirichlet` and `pooled` is read of the density."""
        found = recognised.trees(blocks, _treelike(blocks, inside, density), inside)
        taken = np.zeros(len(blocks), dtype=np.bool_)
        taken[found.blocks] = True
        celled = Celled.of(blocks, inside, ~taken & (not density.dirichlet))
        taken[celled.blocks] = True
        left = np.flatnonzero(~taken & inside.feasible)
        patches = recognised.patches(blocks, inside, left, density.pooled)
        taken[list(patches)] = True
        kinds = dict(found.kinds)
        kinds |= dict.fromkeys(celled.blocks.tolist(), "bounds on single cells")
        kinds |= dict.fromkeys(patches, "quadrature over the feasible set")
        forest = found.forest.pooling() if density.pooled else found.forest
        return Exact(blocks, taken, kinds, found.blocks, forest, found.shares, patches, celled)

    def mean(self, density: Density) -> Floats:
        """(n,) the posterior mean; nan at positions of other blocks.

        Splits are independent, and no path meets one twice: means of shares multiply.
        """
        found = np.full(self.blocks.cells.size, np.nan)
        if self.trees.size:
            self._fill(found, self._products(self.shares.means(self._parameters(density))))
        for block, each in self._summaries(density).items():
            found[self._positions(block)] = each.mean
        if self.celled.blocks.size:
            found[self.celled.positions] = self.celled.told(density).mean
        return found

    def sd(self, density: Density) -> Floats:
        """(n,) the standard deviation of every cell; squares of shares multiply as well."""
        found = np.full(self.blocks.cells.size, np.nan)
        if self.trees.size:
            mean, square = self.shares.moments(self._parameters(density))
            self._fill(found, np.sqrt(self._variances(mean, square)))
        for block, each in self._summaries(density).items():
            found[self._positions(block)] = each.sd
        if self.celled.blocks.size:
            found[self.celled.positions] = self.celled.told(density).sd
        return found

    def log_constant(self, density: Density) -> Floats:
        """(blocks,) log ∫ of the density over what the rules allow; nan for other blocks.

        In shares, or along the feasible set: constants of one set of rules can be compared.
        """
        found = np.full(len(self.blocks), np.nan)
        if self.trees.size:
            inner = self._parameters(density)
            found[self.trees] = self.forest.log_constant(self._alpha(density))
            found[self.trees] += self.shares.log_mass(inner)
        for block, each in self._summaries(density).items():
            found[block] = each.log_constant
        if self.celled.blocks.size:
            found[self.celled.blocks] = self.celled.told(density).log_constant
        return found

    def log_mass(self, density: Density) -> Floats:
        """(blocks,) log P(the inequalities hold) without them; nan where no tree says it."""
        found = np.full(len(self.blocks), np.nan)
        if self.trees.size:
            found[self.trees] = self.shares.log_mass(self._parameters(density))
        return found

    def draw(self, density: Density, random: np.random.Generator, size: int) -> Floats:
        """(size, n) independent draws; nan at positions of other blocks."""
        found = self._independent(density, random, size)
        for block, each in self._summaries(density).items():
            found[:, self._positions(block)] = each.draw(random, size)
        return found

    def interval(
        self, density: Density, level: float, draws: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """(n,) where each cell lies with probability `level`, equal tails cut off.

        Exact where a cell is one share; `by_draws` says where it is a product of several, whose
        quantiles are those of draws.

        draws: (size, n) of `draw`; up to ten thousand are made if none are given
        """
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        found = np.full((2, self.blocks.cells.size), np.nan)
        if self.trees.size:
            for tail, out in zip(tails, found, strict=True):
                self._fill_quantiles(density, float(tail), out)
        if (drawn := np.flatnonzero(self.by_draws)).size:
            values = self._drawn(density, drawn) if draws is None else draws[:, drawn]
            found[:, drawn] = np.quantile(values, tails, axis=0)
        for block, each in self._summaries(density).items():
            found[:, self._positions(block)] = each.interval(level)
        if self.celled.blocks.size:
            found[:, self.celled.positions] = self.celled.interval(density, level)
        return found[0], found[1]

    @property
    def by_draws(self) -> Bools:
        """(n,) cells whose interval is taken from draws."""
        depth, _ = _depths(self.forest)
        branch, single = self._single()
        found = (self.forest.tree >= 0) & (depth > 0)
        found[branch[0][single]] = False
        return np.asarray(found)

    def _single(self) -> tuple[tuple[Ints, Ints], Bools]:
        """Positions that are one share and the branch each takes; which have a known quantile."""
        depth, last = _depths(self.forest)
        at = np.flatnonzero(depth == 1)
        branch = last[at]
        inner, _ = _depths(self.shares.forest)
        bounded = np.zeros(self.shares.low.size, dtype=np.int64)
        bounded[self.shares.pairs.ravel()] = 1
        for box in self.shares.boxes:
            bounded[box.ravel()] = 2
        worst = np.zeros(inner.size, dtype=np.int64)
        for place, taken in self.shares.forest.paths.levels:
            worst[place] = np.maximum(worst[place], bounded[taken])
        known = (worst[branch] == 0) | ((worst[branch] == 1) & (inner[branch] == 1))
        return (at, branch), known

    def _fill_quantiles(self, density: Density, tail: float, out: Floats) -> None:
        """Write the quantiles of cells that are one share, or none."""
        depth, _ = _depths(self.forest)
        still = (self.forest.tree >= 0) & (depth == 0)
        out[still] = self.forest.fixed[still]
        (at, branch), known = self._single()
        at, branch = at[known], branch[known]
        if not at.size:
            return
        a = self.forest.parameters(self._alpha(density))
        split = self.forest.paths.split
        rest = np.bincount(split, a, minlength=self.forest.owner.size)[split] - a
        low, high = self.shares.ranges()
        _, child = _depths(self.shares.forest)
        taken = child[branch]
        free = _depths(self.shares.forest)[0][branch] > 1
        one = np.where(free, 0.0, low[taken])
        other = np.where(free, 1.0, high[taken])
        share = quantile(a[branch], rest[branch], one, other, np.full(at.size, tail))
        out[at] = self.forest.fixed[at] * share

    def _drawn(self, density: Density, columns: Ints) -> Floats:
        random = np.random.default_rng(0)
        draws = int(np.clip(_AT_ONCE * 4 // columns.size, 1_000, _DRAWS))
        step = max(1, _AT_ONCE // max(1, self.blocks.cells.size))
        parts = [
            self._independent(density, random, min(step, draws - start))[:, columns]
            for start in range(0, draws, step)
        ]
        return np.concatenate(parts)

    def _independent(self, density: Density, random: np.random.Generator, size: int) -> Floats:
        found = np.full((size, self.blocks.cells.size), np.nan)
        if self.trees.size:
            drawn = self.shares.draw(self._parameters(density), random, size)
            for row, shares in zip(found, drawn, strict=True):
                self._fill(row, self._products(shares))
        if self.celled.blocks.size:
            found[:, self.celled.positions] = self.celled.draw(density, random, size)
        return found

    def _parameters(self, density: Density) -> Floats:
        """Of the smaller splits: those of a set of branches add up."""
        return self.shares.forest.parameters(self.forest.parameters(self._alpha(density)))

    def _alpha(self, density: Density) -> Floats:
        """Dirichlet parameters; trees beside misses are rows of two states."""
        if density.misses is None:
            return density.alpha
        found, first = density.alpha.copy(), self.blocks.cell_at[self.trees]
        found[first] += density.misses[first + 1]
        found[first + 1] += density.misses[first]
        return found

    def _products(self, shares: Floats) -> Floats:
        return self.forest.products(self.shares.forest.products(shares))

    def _variances(self, mean: Floats, square: Floats) -> Floats:
        """(n,) Π E s² - Π (E s)², by what the square of every share is more than its mean's."""
        with np.errstate(invalid="ignore", divide="ignore"):
            more = np.log(np.where(mean > 0, np.maximum(square / mean**2, 1.0), 1.0))
        return np.asarray(self._products(mean) ** 2 * np.expm1(self._sums(more)))

    def _sums(self, values: Floats) -> Floats:
        """(n,) added up over the shares on the way to every cell."""
        inner = _added(self.shares.forest, values)
        return _added(self.forest, inner)

    def _fill(self, out: Floats, values: Floats) -> None:
        mine = self.forest.tree >= 0
        out[mine] = values[mine]

    def _positions(self, block: int) -> slice:
        return slice(int(self.blocks.cell_at[block]), int(self.blocks.cell_at[block + 1]))

    def _summaries(self, density: Density) -> dict[int, Summary]:
        """By quadrature, once for every density that is asked about in a row."""
        if not self.patches:
            return {}
        if not (self.asked and self.asked[0][0] is density):
            found = {block: self._summary(block, density) for block in self.patches}
            self.asked[:] = [(density, found)]
        return self.asked[0][1]

    def _summary(self, block: int, density: Density) -> Summary:
        at = self._positions(block)
        try:
            return summary(self.patches[block], at_cells(density, np.r_[at]))
        except ImproperError as error:
            error.positions = error.positions + at.start
            raise


def _treelike(blocks: Blocks, inside: Interior, density: Density) -> Ints:
    """The blocks whose density may be a tree of Dirichlets: all, or rows of two free states.

    There the misses of one state are hits of the other: Beta(α_1 + misses_2, α_2 + misses_1).
    [estimation 3.3]
    """
    if density.dirichlet:
        return np.flatnonzero(inside.feasible)
    if density.centre is not None:
        return np.zeros(0, dtype=np.int64)
    held = np.zeros(len(blocks), dtype=np.bool_)
    held[blocks.rule_block[blocks.rules.equal | inside.tight]] = True
    held[blocks.cell_block[inside.zero]] = True
    pair = (np.diff(blocks.row_at) == 1) & (np.diff(blocks.cell_at) == 2)
    return np.flatnonzero(inside.feasible & pair & ~held)


def _depths(forest: Forest) -> tuple[Ints, Ints]:
    """(positions,) how many shares are on the way to each, and the first of them."""
    depth = np.zeros(forest.fixed.size, dtype=np.int64)
    first = np.full(forest.fixed.size, -1, dtype=np.int64)
    for at, branch in forest.paths.levels:
        first[at] = np.where(depth[at] == 0, branch, first[at])
        depth[at] += 1
    return depth, first


def _added(forest: Forest, values: Floats) -> Floats:
    found = np.zeros(forest.fixed.size)
    for at, branch in forest.paths.levels:
        found[at] += values[branch]
    return found
