"""Trees of splits: the one form that every equality compiles to, and all that is computed on it.

A parameter is the product of the shares on its path; a share is given or learned, and a split may
be tied: the same in several rows. In these coordinates the log-likelihood is a sum of ordinary
multinomials, so the nine equality theorems (4.2.1 to 4.10.1) are one function on nine shapes of
tree, and so are posterior mean, normalising constant and draws. [parameter domain knowledge 2.0.2]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import EstimateError
from tacit.estimate.ruled.flat import Paths, Split, flattened, planted

__all__ = ["Forest", "ImproperError", "Split", "Tree"]


class ImproperError(EstimateError):
    """A prior that cannot be integrated; `positions` lists the cells at fault."""

    def __init__(self, positions: Ints, parameter: float) -> None:
        self.positions = positions
        super().__init__(
            f"the prior cannot be integrated under these rules: cells that they tie have together "
            f"a Dirichlet parameter of {parameter:.4g}, which must be above 0\n\n"
            "give these cells a stronger prior"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """How the parameters of one block arise.

    splits  from the top: what a split divides has been told apart before
    kind    the theorem that it is, in words
    paths   the learned shares on the way to every position
    fixed   (positions,) the product of the given shares on that way
    """

    splits: tuple[Split, ...]
    kind: str
    paths: Paths
    fixed: Floats

    @staticmethod
    def of(splits: Sequence[Split], kind: str, size: int) -> Tree:
        """The tree of these splits over so many positions."""
        return Tree(tuple(splits), kind, *flattened(splits, size))


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Many trees over one vector of positions, so that all of them are solved at once.

    paths   of all trees together
    fixed   (positions,) the product of given shares; 0 at positions of no tree
    tree    (positions,) the tree of each position, -1 if none
    owner   (splits,)    the tree of each split with learned shares
    trees   how many trees there are
    """

    paths: Paths
    fixed: Floats
    tree: Ints
    owner: Ints
    trees: int

    @staticmethod
    def of(trees: Sequence[Tree], positions: Sequence[Ints], size: int | None = None) -> Forest:
        """These trees, each with the positions of its cells in the common vector.

        size: of that vector; as far as the positions reach if not given
        """
        paths, owner = planted([each.paths for each in trees], positions)
        where = np.concatenate([np.zeros(0, dtype=np.int64), *positions])
        reach = 1 + int(where.max(initial=-1)) if size is None else size
        fixed, tree = np.zeros(reach), np.full(reach, -1, dtype=np.int64)
        fixed[where] = np.concatenate([np.zeros(0), *(each.fixed for each in trees)])
        tree[where] = np.repeat(np.arange(len(trees)), [each.fixed.size for each in trees])
        return Forest(paths, fixed, tree, owner, len(trees))

    def pooling(self) -> Forest:
        """The same trees for priors that add up the alphas of cells that rules tie.

        `mean` is then (Σ N + Σ α) over its total, and no prior above 0 is improper.
        """
        paths = replace(self.paths, more=np.zeros_like(self.paths.more))
        return replace(self, paths=paths)

    def most_likely(self, weights: Floats) -> Floats:
        """The parameters that maximise Σ weights · log θ; 0 at positions of no tree.

        What no weight tells is divided by numbers of cells; `undetermined` says where. [2.0.4]
        """
        return self.products(self._shares(self._pooled(weights)))

    def undetermined(self, weights: Floats) -> Bools:
        """(size,) cells whose share of a mass above 0 no weight tells."""
        pooled = self._pooled(weights)
        silent = np.bincount(self.paths.split, pooled, minlength=self.owner.size) <= 0
        theta = self.products(self._shares(pooled))
        found = np.zeros(theta.size, dtype=np.bool_)
        for at, branch in self.paths.levels:
            found[at] |= silent[self.paths.split[branch]]
        return np.asarray(found & (theta > 0))

    def mean(self, alpha: Floats) -> Floats:
        """The posterior mean for Dirichlet parameters `alpha` (prior + counts) of every cell.

        Splits are independent, and no path meets one twice: the mean of a product of shares is
        the product of their means. [2.2 to 2.9]
        """
        return self.products(self._normalised(self.parameters(alpha)))

    def log_constant(self, alpha: Floats) -> Floats:
        """(trees,) log ∫ Π θ^(α-1) over the learned shares: a product of Dirichlet constants.

        Up to a factor that depends on which parameters are eliminated, and without the powers of
        given shares, which `log_evidence` adds. [4.1, 4.2.2, 4.3.2, 4.4.2, 4.7.2, 4.8.3]
        """
        from scipy.special import gammaln

        found = self.parameters(alpha)
        totals = np.bincount(self.paths.split, found, minlength=self.owner.size)
        above = np.bincount(self.owner[self.paths.split], gammaln(found), minlength=self.trees)
        return np.asarray(above - np.bincount(self.owner, gammaln(totals), minlength=self.trees))

    def log_evidence(self, alpha: Floats, counts: Floats) -> Floats:
        """(trees,) log P(counts given the prior): a ratio of constants and powers of given shares.

        [1.7; the factors of known and proportional cells are part of it]
        """
        seen = np.flatnonzero((self.tree >= 0) & (counts > 0))
        with np.errstate(divide="ignore"):
            logs = counts[seen] * np.log(self.fixed[seen])
        given = np.bincount(self.tree[seen], logs, minlength=self.trees)
        return np.asarray(self.log_constant(alpha + counts) - self.log_constant(alpha) + given)

    def sample(self, alpha: Floats, random: np.random.Generator, size: int = 1) -> Floats:
        """(size, positions) independent draws from the posterior with these parameters.

        Gammas in logarithms, since those of small parameters underflow: G(a) = G(a + 1) U^(1/a).
        """
        found = self.parameters(alpha)
        draws = np.empty((size, self.fixed.size))
        for draw in draws:
            uniform = 1.0 - random.random(found.size)
            logs = np.log(random.standard_gamma(found + 1.0)) + np.log(uniform) / found
            draw[:] = self.products(self._normalised(np.exp(logs - self._highest(logs))))
        return draws

    def parameters(self, alpha: Floats) -> Floats:
        """(branches,) the Dirichlet parameter of every learned share.

        1 + Σ (α - 1) over the positions that pass, and the free shares of every split below, which
        the change to coordinates of shares brings: a_i of 2.4, r of 2.6 and 2.7, a_l of 2.8.
        """
        found = self._pooled(alpha) + self.paths.more
        if (found <= 0).any():
            worst = int(np.argmin(found))
            at = np.concatenate([at[branch == worst] for at, branch in self.paths.levels])
            raise ImproperError(np.sort(at), float(found[worst]))
        return found

    def _pooled(self, weights: Floats) -> Floats:
        totals = np.zeros(self.paths.split.size)
        for at, branch in self.paths.levels:
            totals += np.bincount(branch, weights[at], minlength=self.paths.split.size)
        return totals

    def _shares(self, pooled: Floats) -> Floats:
        totals = np.bincount(self.paths.split, pooled, minlength=self.owner.size)
        silent = (totals <= 0)[self.paths.split]
        return self._normalised(
            np.where(silent, self.paths.cells, pooled) if silent.any() else pooled
        )

    def _normalised(self, values: Floats) -> Floats:
        totals = np.bincount(self.paths.split, values, minlength=self.owner.size)
        return np.asarray(values / totals[self.paths.split])

    def _highest(self, values: Floats) -> Floats:
        if not values.size:
            return values
        starts = np.flatnonzero(np.diff(self.paths.split, prepend=-1))
        return np.asarray(np.maximum.reduceat(values, starts)[self.paths.split])

    def products(self, shares: Floats) -> Floats:
        """The parameters: every one the product of the shares on its path."""
        theta = self.fixed.copy()
        for at, branch in self.paths.levels:
            theta[at] *= shares[branch]
        return theta
