"""Posteriors with missing cells: cells and parameters drawn in turn.

p(θ, missing cells given cases) is sampled by drawing the missing cells given θ, each given its
Markov blanket, and θ given the cases so completed, which is a posterior of complete cases.
[1.8, by simulation; Tanner and Wong 1987]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import KnowledgeError, MissingError, OptionError, SizeError, WeightError
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.diagnostics import effective_size, error_of_mean, split_rhat
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.bayes.masses import chosen, misses, without_inequalities
from tacit.estimate.bayes.sampler import sample
from tacit.estimate.posteriors import draw_rows
from tacit.infer.contexts import code_matrix
from tacit.infer.flat import Layout, layout_of
from tacit.infer.sampling import sample_forward
from tacit.knowledge.blocks import Blocks
from tacit.knowledge.polytope import Interior
from tacit.learn.counted import cases_used
from tacit.learn.doubts import doubts_of
from tacit.learn.gathered import Gathered
from tacit.learn.ground import Ground
from tacit.learn.making import assembled, even_network, notes_of
from tacit.learn.posteriors import Posterior
from tacit.learn.told import Scene, Told, certain_ground, pools, scene_of
from tacit.learn.whole import Whole, precise

WARM = 200
"""Rounds before draws are kept."""
TRIES = 32
"""Draws without inequalities, of which the first that keeps them is taken."""
SWEEPS = 64
"""Sweeps of the sampler between one completion of the cases and the next."""
MOST_CASES = 20_000_000
"""Incomplete cases, a case of weight 2 being two of them."""
MOST_NUMBERS = 200_000_000
"""Draws times cells that are kept at most."""


def posterior_augmented(gathered: Gathered, told: Told) -> Posterior:
    """The posterior of incomplete cases."""
    scene = scene_of(told)
    _refuse(told, scene)
    chain = _Chain.of(gathered, told, scene)
    sampling = told.asking.sampling
    each = max(4, min(sampling.draws, MOST_NUMBERS // max(1, scene.cells.size)) // sampling.chains)
    drawn = np.full((sampling.chains, each, scene.cells.size), np.nan)
    done = 0
    try:
        for number in range(sampling.chains):
            chain.run(number, drawn[number], told)
            done += 1
    except KeyboardInterrupt:
        if not done:
            raise
    found = _whole(drawn[:done], told, done == sampling.chains)
    counts = {name: np.zeros_like(alpha) for name, alpha in told.alpha.items()}
    notes = (*notes_of(told, chain.pooled, found), *_gaps(gathered))
    return assembled(told, scene, counts, found, cases_used(gathered.cases), notes)


def _refuse(told: Told, scene: Scene) -> None:
    if not told.dirichlet:
        raise OptionError(
            "missing cells need a Dirichlet prior and the multinomial likelihood"
            "\n\nleave out likelihood= and tc.TruncatedNormal, or the incomplete cases"
        )
    if scene.bound.curved:
        raise KnowledgeError(
            "rules that are not linear need complete cases in tc.posterior"
            "\n\ntc.fit takes both; or leave out the rules or the incomplete cases"
        )
    if doubts_of(scene.bound):
        raise KnowledgeError(
            "rules said with less than certainty need complete cases in tc.posterior"
            "\n\ntc.fit takes both; or leave out the confidence"
        )


def _gaps(gathered: Gathered) -> tuple[str, ...]:
    cells = sum(gathered.missing.values())
    return (
        f"{cells:,} missing cells were drawn together with the parameters; the log marginal "
        "likelihood is not computed (tc.average sums over all completions of a few cases)",
    )


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
class _Chain:
    """What every round needs.

    codes     (cases, variables) with gaps filled somehow; gap_case, gap_variable say which
    constant  (cells,) counts of the complete cases, numbered as in `scene`
    order     (cells,) the cell of the layout behind every cell of the scene
    """

    scene: Scene
    layout: Layout
    codes: Ints
    gap_case: Ints
    gap_variable: Ints
    constant: Floats
    order: Ints
    ground: Ground
    exact: Exact
    pooled: bool
    sizes: Ints
    rest: _Rest | None

    @staticmethod
    def of(gathered: Gathered, told: Told, scene: Scene) -> _Chain:
        layout = layout_of(told.structure.dag, gathered.variables)
        codes, constant = _codes(gathered, layout)
        ground = certain_ground(scene, np.zeros(0, dtype=np.int64))
        if ground.inside.zero.any():
            raise MissingError(
                "rules that hold cells at 0 need complete cases in tc.posterior"
                "\n\nallow a little instead of 0, or leave out the incomplete cases"
            )
        pooled = pools(ground, scene.prior, told.pooled)
        density = scene.density(ground.blocks.cells, np.zeros(scene.cells.size), False, pooled)
        exact = _quick(Exact.of(ground.blocks, ground.inside, density))
        gaps = np.argwhere(codes < 0)
        starts, lengths = scene.cells.rows_of(np.arange(scene.cells.size))
        sizes = lengths[np.unique(starts, return_index=True)[1]]
        order = _order(scene, layout)
        return _Chain(
            scene, layout, codes, gaps[:, 0].copy(), gaps[:, 1].copy(), constant[order],
            order, ground, exact, pooled, sizes, _Rest.of(ground, exact, density),
        )  # fmt: skip

    def run(self, number: int, kept: Floats, told: Told) -> None:
        """One chain: rounds of filling gaps and drawing parameters."""
        from tacit.kernels.filling import fill, tally

        random = np.random.default_rng([told.asking.seed, 4, number])
        graph = self.layout.graph
        codes = self.codes.copy()
        columns = sample_forward(even_network(told), codes.shape[0], random)
        for at, name in enumerate(self.layout.names):
            gone = codes[:, at] < 0
            codes[gone, at] = columns[name][gone]
        mass = np.zeros(max(self.layout.cards))
        flat = np.empty(self.layout.size)
        total = (WARM + len(kept)) * told.asking.sampling.chains
        for round_ in range(WARM + len(kept)):
            counts = np.zeros(self.layout.size)
            tally(codes, graph.axes_at, graph.axes, graph.strides, graph.starts, counts)
            theta = self._parameters(self.constant + counts[self.order], random)
            flat[self.order] = theta
            fill(
                codes, self.gap_case, self.gap_variable, random.random(self.gap_case.size), flat,
                graph.cards, graph.touch_at, graph.touch, graph.axes_at, graph.axes,
                graph.strides, graph.starts, mass,
            )  # fmt: skip
            if round_ >= WARM:
                kept[round_ - WARM] = theta
            if told.asking.told is not None and round_ % 50 == 0:
                told.asking.told(number * (WARM + len(kept)) + round_, total)

    def _parameters(self, counts: Floats, random: np.random.Generator) -> Floats:
        """All cells, drawn given complete counts."""
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


def _codes(gathered: Gathered, layout: Layout) -> tuple[Ints, Floats]:
    """The incomplete cases, one line each, and the counts of the complete ones."""
    data = gathered.cases
    codes = code_matrix(data, layout.names, np.arange(len(data))).astype(np.int64)
    weights = np.ones(len(data)) if data.weights is None else data.weights
    gaps = (codes < 0).any(axis=1)
    times = weights[gaps]
    if (times != np.round(times)).any():
        case = int(np.flatnonzero(gaps)[np.flatnonzero(times != np.round(times))[0]])
        raise WeightError(
            f"case {case + 1} has gaps and weighs {weights[case]:g}; "
            "part of a case cannot be filled in at random"
        )
    if times.sum() > MOST_CASES:
        raise SizeError(
            f"{times.sum():,.6g} cases have gaps, and each is filled in by itself; at most "
            f"{MOST_CASES:,}\n\ntc.fit takes their weights as they are"
        )
    counts = np.zeros(layout.size)
    whole = codes[~gaps]
    for axes in layout.axes:
        at = whole[:, list(axes.variables)] @ np.array(axes.strides) + axes.start
        np.add.at(counts, at, weights[~gaps])
    return np.repeat(codes[gaps], times.astype(np.int64), axis=0), counts


def _order(scene: Scene, layout: Layout) -> Ints:
    """(cells of the scene,) the cell of the layout that each is."""
    out = np.empty(scene.cells.size, dtype=np.int64)
    every = np.arange(layout.size)
    for at, name in enumerate(layout.names):
        start = scene.cells.starts[name]
        mine = layout.block(every, at).ravel()
        out[start : start + mine.size] = mine
    return out


def _whole(drawn: Floats, told: Told, complete: bool) -> Whole:
    """What all draws together say."""
    cells = drawn.shape[2]
    flat = drawn.reshape(-1, cells)
    size, rhat, error = effective_size(drawn), split_rhat(drawn), error_of_mean(drawn)
    tails = [(1 - told.asking.level) / 2, (1 + told.asking.level) / 2]
    lower, upper = np.quantile(flat, tails, axis=0)
    return Whole(
        np.arange(cells), flat.mean(axis=0), flat.std(axis=0), lower, upper, flat, error, size,
        rhat, np.zeros(cells, dtype=np.bool_), complete and precise(error, told.asking.sampling),
        {"cells and parameters drawn in turn": 1}, np.zeros(cells, dtype=np.int64),
    )  # fmt: skip
