"""Tables drawn again and again under their rules, as the counts of completed cases change."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import MissingError
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.bayes.masses import chosen, misses, without_inequalities
from tacit.estimate.bayes.sampler import sample
from tacit.estimate.posteriors import draw_rows
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.polytope import Interior
from tacit.learn.ground import Ground
from tacit.learn.told import Scene, Told, certain_ground, pools

TRIES = 32
"""Draws without inequalities, of which the first that keeps them is taken."""
SWEEPS = 64
"""Sweeps of the sampler between one completion of the cases and the next."""


def _quick(exact: Exact) -> Exact:
    """Without blocks done by quadrature, which is slow for a single draw."""
    which = exact.which.copy()
    which[list(exact.patches)] = False
    return replace(exact, which=which, patches={})


@dataclass(frozen=True, slots=True, eq=False)
class _Rest:
    """Blocks without constants: drawn without their inequalities until these hold, or, where that
    takes too long, by some sweeps of the sampler.

    at     positions of their cells among those of all blocks
    loose  the same blocks without inequalities; None where even that has no constants
    """

    blocks: Blocks
    inside: Interior
    at: Ints
    loose: Exact | None

    @staticmethod
    def of(ground: Ground, exact: Exact, density: Density) -> _Rest | None:
        which = np.flatnonzero(~exact.which)
        if not which.size:
            return None
        part, inside = chosen(ground.blocks, ground.inside, which)
        at = np.flatnonzero(~exact.which[ground.blocks.cell_block])
        loose = _quick(Exact.of(*without_inequalities(part, inside), density))
        return _Rest(part, inside, at, loose if loose.which.all() else None)

    def draw(self, density: Density, random: np.random.Generator, out: Floats) -> None:
        """Write a draw of these blocks to their positions."""
        mine = replace(density, alpha=density.alpha[self.at])
        drawn = np.full(self.at.size, np.nan)
        missing: Bools = np.ones(len(self.blocks), dtype=np.bool_)
        if self.loose is not None:
            many = self.loose.draw(mine, random, TRIES)
            unequal = ~self.blocks.rules.equal & ~self.inside.tight
            holds = misses(self.blocks, many, unequal) <= 0
            first = holds.argmax(axis=0)
            missing = np.asarray(~holds.any(axis=0))
            drawn = many[first[self.blocks.cell_block], np.arange(self.at.size)]
        if missing.any():
            few = Sampling(draws=4, chains=1, precision=None, most=SWEEPS)
            seed = int(random.integers(2**63))
            left = np.flatnonzero(missing)
            found = sample(self.blocks, left, mine, few, seed, inside=self.inside)
            inside = missing[self.blocks.cell_block]
            drawn[inside] = found.values[-1, -1][inside]
        out[self.at] = drawn


@dataclass(frozen=True, slots=True, eq=False)
class Redrawn:
    """All tables of a scene, ready to be drawn given complete counts.

    sizes  (rows,) cells of every row
    """

    scene: Scene
    ground: Ground
    exact: Exact
    pooled: bool
    sizes: Ints
    rest: _Rest | None

    @staticmethod
    def of(told: Told, scene: Scene) -> Redrawn:
        """An error where rules hold cells at 0."""
        ground = certain_ground(scene, np.zeros(0, dtype=np.int64))
        if ground.inside.zero.any():
            raise MissingError(
                "rules that hold cells at 0 need complete cases in tc.posterior"
                "\n\nallow a little instead of 0, or leave out the incomplete cases"
            )
        pooled = pools(ground, scene.prior, told.pooled)
        density = scene.density(ground.blocks.cells, np.zeros(scene.cells.size), False, pooled)
        exact = _quick(Exact.of(ground.blocks, ground.inside, density))
        starts, lengths = scene.cells.rows_of(np.arange(scene.cells.size))
        sizes = lengths[np.unique(starts, return_index=True)[1]]
        return Redrawn(scene, ground, exact, pooled, sizes, _Rest.of(ground, exact, density))

    def draw(self, counts: Floats, random: np.random.Generator) -> Floats:
        """(cells,) all cells, drawn given complete counts."""
        scene, blocks = self.scene, self.ground.blocks
        theta = _rows(scene.prior + counts, self.sizes, random)
        if not len(blocks):
            return theta
        density = scene.density(blocks.cells, counts, False, self.pooled)
        drawn = self.exact.draw(density, random, 1)[0]
        if self.rest is not None:
            self.rest.draw(density, random, drawn)
        theta[blocks.cells] = drawn
        return theta


def _rows(alpha: Floats, sizes: Ints, random: np.random.Generator) -> Floats:
    """Independent Dirichlet rows, rows of one length together."""
    starts = np.cumsum(sizes) - sizes
    out = np.empty_like(alpha)
    for size in np.unique(sizes).tolist():
        at = starts[sizes == size][:, None] + np.arange(size)
        out[at] = draw_rows(alpha[at], random)
    return out
