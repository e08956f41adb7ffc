"""Posteriors of networks with continuous variables where cells are missing.

p(θ, missing cells given cases) is sampled in turn: the missing cells of each case given θ, all its
reals together and its states with these integrated out; tables and regressions given the cases so
completed, which are posteriors of complete cases. [1.8, by simulation; Tanner and Wong 1987]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.variables import Discrete
from tacit.engines.memory import statistics
from tacit.estimate.continuous.drawn import Drawn
from tacit.estimate.continuous.prior import Scales, pseudo_of
from tacit.estimate.continuous.walks import Walked
from tacit.learn.augmented import MOST_NUMBERS, WARM, gap_notes, order_in, refuse_gaps, whole_drawn
from tacit.learn.continuous.blanks import Blanks
from tacit.learn.continuous.lines import Known, Lines
from tacit.learn.continuous.posterior import Wished, of_discrete, prior_of, ties_of, whole_of
from tacit.learn.continuous.redrawn import LinesRedrawn, Regressions
from tacit.learn.counted import Counted, cases_used
from tacit.learn.gathered import Gathered
from tacit.learn.making import assembled, notes_of, posterior_of
from tacit.learn.posteriors import Posterior
from tacit.learn.redrawn import Redrawn
from tacit.learn.told import Told, scene_of

W = TypeVar("W", bound=Wished)
TURNS = "cells, tables and regressions drawn in turn"


def posterior_with_gaps(
    gathered: Gathered, wish: W, told_of: Callable[[W, Counted], Told]
) -> Posterior:
    """The posterior of incomplete cases, tables under their rules and regressions under theirs.

    Where no state is missing the tables are those of complete cases, exact as ever. [Thm 2.2.3]
    """
    families = gathered.families
    ties = ties_of(wish, families)
    discrete = [name for name, axes in families.items() if isinstance(axes[-1], Discrete)]
    prior = prior_of(wish)
    blanks = Blanks.of(wish.structure.dag, families, gathered.cases)
    weights = gathered.cases.weights
    columns = {name: blanks.columns[:, at] for at, name in enumerate(blanks.reals)}
    normal = pseudo_of(prior, families, Scales.of(columns, weights))
    part = of_discrete(wish, gathered.variables, discrete)
    told = told_of(part, _counted(gathered, discrete))
    scene = scene_of(told)
    tables = None
    if any(name in gathered.missing for name in discrete):
        refuse_gaps(told, scene)
        tables = Redrawn.of(told, scene)
    order = order_in(scene, blanks.layout)
    chain = _Chain(blanks, tables, order, LinesRedrawn.of(blanks, normal, ties), told)
    theta, numbers, complete = chain.run_all()
    if tables is None:
        made = posterior_of(told)
    else:
        found = whole_drawn(theta, told, complete)
        notes = notes_of(told, tables.pooled, found)
        counts = {name: np.zeros_like(alpha) for name, alpha in told.alpha.items()}
        used = cases_used(gathered.cases)
        made = assembled(told, scene, counts, replace(found, ways={}), used, notes)
    made = replace(made, counts=None, weighed=None, notes=(*made.notes, *gap_notes(gathered)))
    return whole_of(wish, made, chain.lines_of(numbers), prior, {TURNS: 1})


def _counted(gathered: Gathered, discrete: Sequence[str]) -> Counted:
    """The tables, counted on the cases that are complete in them."""
    families = {name: gathered.families[name] for name in discrete}
    found = statistics(gathered.cases, list(families.values()), missing="available")
    used, notes = cases_used(gathered.cases), gathered.cases.notes
    return Counted(families, {name: found[name] for name in families}, used, notes)


@dataclass(frozen=True, slots=True, eq=False)
class _Chain:
    """What every round needs.

    tables  None where no state is missing
    order   (cells,) the cell of the layout behind every cell of the scene
    """

    blanks: Blanks
    tables: Redrawn | None
    order: Ints
    lines: LinesRedrawn
    told: Told

    def run_all(self) -> tuple[Floats, Floats, bool]:
        """(chains, draws, cells) and (chains, draws, numbers), and whether all chains ended."""
        sampling, size = self.told.asking.sampling, self.order.size
        wide = sum(many * (wide + 1) for many, wide in self.blanks.shapes)
        most = MOST_NUMBERS // max(1, size + wide)
        each = max(4, min(sampling.draws, most) // sampling.chains)
        theta = np.full((sampling.chains, each, size), np.nan)
        numbers = np.full((sampling.chains, each, wide), np.nan)
        done = 0
        try:
            for number in range(sampling.chains):
                self._run(number, theta[number], numbers[number])
                done += 1
        except KeyboardInterrupt:
            if not done:
                raise
        return theta[:done], numbers[:done], done == sampling.chains

    def _run(self, number: int, theta: Floats, numbers: Floats) -> None:
        """One chain: rounds of drawing parameters and completing cases."""
        from tacit.kernels.chance import seeded
        from tacit.kernels.refilling import Numbers, refill

        asking, blanks = self.told.asking, self.blanks
        random = np.random.default_rng([asking.seed, 9, number])
        state = seeded(asking.seed, 9, number)
        codes, values = blanks.started(random)
        no_code, no_real = blanks.gaps
        ones, flat = np.ones(len(codes)), np.zeros(blanks.layout.size)
        steps, rounds = self.lines.begin(), WARM + len(theta)
        for round_ in range(rounds):
            sums = blanks.complete.copy()
            blanks.add(sums, codes, values, ones)
            if self.tables is not None:
                flat[self.order] = self.tables.draw(sums.counts[self.order], random)
            drawn = self.lines.draw(sums, steps, random, state)
            parameters = Numbers(flat, drawn.slopes, drawn.levels, drawn.noise)
            refill(state, blanks.tables, blanks.lines, parameters, codes, values, no_code, no_real)
            if round_ >= WARM:
                theta[round_ - WARM], numbers[round_ - WARM] = flat[self.order], drawn.flat
            if asking.told is not None and round_ % 50 == 0:
                asking.told(number * rounds + round_, rounds * asking.sampling.chains)

    def lines_of(self, numbers: Floats) -> dict[str, Lines]:
        """The regressions as all chains tell them."""
        slopes = sum(many * (wide - 1) for many, wide in self.blanks.shapes)
        levels = sum(many for many, _ in self.blanks.shapes)
        every = Regressions(*np.split(numbers, [slopes, slopes + levels], axis=2))
        found: dict[str, list[Known]] = {name: [] for name in self.blanks.reals}
        for name, configuration in self.lines.members():
            inside, level = self.lines.places(name, configuration)
            sd = np.sqrt(every.noise[:, :, [level]])
            own = [every.slopes[:, :, inside], every.levels[:, :, [level]], sd]
            walked = Walked.of(np.concatenate(own, axis=2), TURNS)
            none = np.full(walked.size.size, np.nan)
            found[name].append(Drawn(walked.values, none, walked.size, walked.rhat, walked.error))
        families = self.blanks.families
        return {name: Lines(families[name], tuple(each)) for name, each in found.items()}
