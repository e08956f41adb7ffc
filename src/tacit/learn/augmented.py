"""Posteriors with missing cells: cells and parameters drawn in turn.

p(θ, missing cells given cases) is sampled by drawing the missing cells given θ, each given its
Markov blanket, and θ given the cases so completed, which is a posterior of complete cases.
[1.8, by simulation; Tanner and Wong 1987]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import KnowledgeError, OptionError, SizeError, WeightError
from tacit.estimate.bayes.diagnostics import effective_size, error_of_mean, split_rhat
from tacit.infer.contexts import code_matrix
from tacit.infer.flat import Layout, layout_of
from tacit.infer.sampling import sample_forward
from tacit.learn.counted import cases_used
from tacit.learn.doubts import doubts_of
from tacit.learn.gathered import Gathered
from tacit.learn.making import assembled, even_network, notes_of
from tacit.learn.posteriors import Posterior
from tacit.learn.redrawn import Redrawn
from tacit.learn.told import Scene, Told, scene_of
from tacit.learn.whole import Whole, precise

WARM = 200
"""Rounds before draws are kept."""
MOST_CASES = 20_000_000
"""Incomplete cases, a case of weight 2 being two of them."""
MOST_NUMBERS = 200_000_000
"""Draws times cells that are kept at most."""


def posterior_augmented(gathered: Gathered, told: Told) -> Posterior:
    """The posterior of incomplete cases."""
    scene = scene_of(told)
    refuse_gaps(told, scene)
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
    found = whole_drawn(drawn[:done], told, done == sampling.chains)
    counts = {name: np.zeros_like(alpha) for name, alpha in told.alpha.items()}
    notes = (*notes_of(told, chain.tables.pooled, found), *gap_notes(gathered))
    return assembled(told, scene, counts, found, cases_used(gathered.cases), notes)


def refuse_gaps(told: Told, scene: Scene) -> None:
    """Nothing, or an error about what needs complete cases."""
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


def gap_notes(gathered: Gathered) -> tuple[str, ...]:
    """What to know about a posterior of incomplete cases."""
    cells = sum(gathered.missing.values())
    return (
        f"{cells:,} missing cells were drawn together with the parameters; the log marginal "
        "likelihood is not computed (tc.average sums over all completions of a few cases)",
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Chain:
    """What every round needs.

    codes     (cases, variables) with gaps filled somehow; gap_case, gap_variable say which
    constant  (cells,) counts of the complete cases, numbered as in `scene`
    order     (cells,) the cell of the layout behind every cell of the scene
    """

    layout: Layout
    codes: Ints
    gap_case: Ints
    gap_variable: Ints
    constant: Floats
    order: Ints
    tables: Redrawn

    @staticmethod
    def of(gathered: Gathered, told: Told, scene: Scene) -> _Chain:
        layout = layout_of(told.structure.dag, gathered.variables)
        codes, constant = _codes(gathered, layout)
        gaps = np.argwhere(codes < 0)
        order = order_in(scene, layout)
        return _Chain(
            layout, codes, gaps[:, 0].copy(), gaps[:, 1].copy(), constant[order], order,
            Redrawn.of(told, scene),
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
            theta = self.tables.draw(self.constant + counts[self.order], random)
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


def _codes(gathered: Gathered, layout: Layout) -> tuple[Ints, Floats]:
    """The incomplete cases, one line each, and the counts of the complete ones."""
    data = gathered.cases
    codes = code_matrix(data, layout.names, np.arange(len(data))).astype(np.int64)
    weights = np.ones(len(data)) if data.weights is None else data.weights
    gaps: Bools = np.asarray((codes < 0).any(axis=1))
    times = times_of(gaps, weights)
    counts = np.zeros(layout.size)
    whole = codes[~gaps]
    for axes in layout.axes:
        at = whole[:, list(axes.variables)] @ np.array(axes.strides) + axes.start
        np.add.at(counts, at, weights[~gaps])
    return np.repeat(codes[gaps], times, axis=0), counts


def times_of(gaps: Bools, weights: Floats) -> Ints:
    """How often each incomplete case is filled in; an error about part of a case, or too many."""
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
    return times.astype(np.int64)


def order_in(scene: Scene, layout: Layout) -> Ints:
    """(cells of the scene,) the cell of the layout that each is."""
    out = np.empty(scene.cells.size, dtype=np.int64)
    every = np.arange(layout.size)
    for at, name in enumerate(layout.names):
        start = scene.cells.starts[name]
        mine = layout.block(every, at).ravel()
        out[start : start + mine.size] = mine
    return out


def whole_drawn(drawn: Floats, told: Told, complete: bool) -> Whole:
    """What all draws together say."""
    cells = drawn.shape[2]
    flat = drawn.reshape(drawn.shape[0] * drawn.shape[1], cells)
    size, rhat, error = effective_size(drawn), split_rhat(drawn), error_of_mean(drawn)
    tails = [(1 - told.asking.level) / 2, (1 + told.asking.level) / 2]
    lower, upper = np.quantile(flat, tails, axis=0)
    return Whole(
        np.arange(cells), flat.mean(axis=0), flat.std(axis=0), lower, upper, flat, error, size,
        rhat, np.zeros(cells, dtype=np.bool_), complete and precise(error, told.asking.sampling),
        {"cells and parameters drawn in turn": 1}, np.zeros(cells, dtype=np.int64),
    )  # fmt: skip
