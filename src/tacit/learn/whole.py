"""The whole posterior of the cells that one set of rules speaks of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.bayes.constants import exact_log_evidence
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.bayes.sampler import sample
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.polytope import Interior


@dataclass(frozen=True, slots=True)
class Asking:
    """What is wanted of a posterior.

    level     of the intervals
    sampling  where constants do not exist
    told      told(done, total) while drawing
    """

    level: float = 0.95
    sampling: Sampling = field(default_factory=Sampling)
    seed: int = 0
    threads: int = 1
    told: Callable[[int, int], None] | None = None


def no_powers(used: Ints) -> float | None:
    """Nothing is known in closed form."""
    del used
    return None


def precise(error: Floats, sampling: Sampling) -> bool:
    """Whether Monte Carlo errors are as small as was wished."""
    return sampling.precision is None or bool(error.max(initial=0.0) <= sampling.precision)


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """The posterior of some cells, numbered as all cells of the network are.

    draws    (draws, cells)
    error    Monte Carlo error of the means; 0 where they are exact
    size     effective sample size; inf where the mean is exact
    rhat     1 where it is exact, or chains agree
    exact    (cells,) whether mean and sd are exact
    settled  whether the sampler came to the wished precision everywhere
    ways     how many blocks were solved in which way
    block    (cells,) cells of different blocks are independent of each other
    powers   log E[Π θ] over some positions of one block, in closed form; None where there is none
    """

    cells: Ints
    mean: Floats
    sd: Floats
    lower: Floats
    upper: Floats
    draws: Floats
    error: Floats
    size: Floats
    rhat: Floats
    exact: Bools
    settled: bool
    ways: dict[str, int]
    block: Ints
    powers: Callable[[Ints], float | None] = no_powers


SAMPLED = "sampled under the rules"


def whole(blocks: Blocks, inside: Interior, density: Density, asking: Asking) -> Whole:
    """Mean, spread, interval and draws of all cells of these blocks.

    Exact where constants exist and can be vouched for; every other block by the sampler.
    """
    exact = Exact.of(blocks, inside, density)
    which = exact.which & ~np.isnan(exact.log_constant(density))
    rest = np.flatnonzero(~which)
    known = which[blocks.cell_block]
    random = np.random.default_rng([asking.seed, 1])
    mean, sd = exact.mean(density), exact.sd(density)
    draws = exact.draw(density, random, asking.sampling.draws)
    lower, upper = exact.interval(density, asking.level, draws)
    shape = mean.shape
    error, size, rhat = np.zeros(shape), np.full(shape, np.inf), np.ones(shape)
    settled, ways = True, _counted(exact, which)
    if rest.size:
        found = sample(
            blocks, rest, density, asking.sampling, asking.seed,
            threads=asking.threads, inside=inside, told=asking.told,
        )  # fmt: skip
        drawn = found.values.reshape(-1, shape[0])[: draws.shape[0], ~known]
        draws = draws[: drawn.shape[0]]
        draws[:, ~known] = drawn
        mean[~known], sd[~known] = found.mean[~known], found.sd[~known]
        error[~known], size[~known], rhat[~known] = (
            each[~known] for each in (found.error, found.size, found.rhat)
        )
        tails = [(1 - asking.level) / 2, (1 + asking.level) / 2]
        lower[~known], upper[~known] = np.quantile(drawn, tails, axis=0)
        settled, ways = found.settled, {**ways, SAMPLED: int(rest.size)}
    return Whole(
        blocks.cells, mean, sd, lower, upper, draws, error, size, rhat, known, settled, ways,
        blocks.cell_block, Powers(blocks.cell_block, exact, density),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Powers:
    """log E[Π θ] is the log marginal likelihood of one case that uses those cells. [1.7]

    owner  the block of every cell
    """

    owner: Ints
    exact: Exact
    density: Density

    def __call__(self, used: Ints) -> float | None:
        at = self.owner[used[0]]
        if not (self.density.dirichlet and self.exact.which[at]):
            return None
        more = np.bincount(used, minlength=self.owner.size).astype(np.float64)
        alpha, pooled = self.density.alpha, self.density.pooled
        return float(exact_log_evidence(self.exact, alpha, more, pooled=pooled)[at])


def _counted(exact: Exact, which: Bools) -> dict[str, int]:
    ways: dict[str, int] = {}
    for block, said in exact.kinds.items():
        if which[block]:
            ways[said] = ways.get(said, 0) + 1
    return ways
