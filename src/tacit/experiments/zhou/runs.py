"""One repetition: a target, three sources, five rules, and the distance of every estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.experiments.zhou import methods
from tacit.experiments.zhou.methods import PAPER, Mode
from tacit.experiments.zhou.search import Search, Stack, stacks_of
from tacit.experiments.zhou.worlds import Limits, World, draw_counts, free_cells, with_noise

SOURCES = (200, 300, 400)
"""Cases of the three sources."""
NOISY = 0.2
"""The share of fragments that are made anew at random in each source."""
WITHIN = 0.05
"""A rule lets a cell be this far from the truth, as a share of it."""
RULES = 5
TARGET = 100
COHERENT = "coherent"
"""MPL-TC+5 as Tacit would have it: `methods.OURS`."""
READINGS = {
    "floor .03": PAPER.floored(0.03),
    "floor .1": PAPER.floored(0.1),
    "tolerant": replace(PAPER, check="tolerant"),
}
"""Other floors of the spreads, which the paper does not print; and fragments are refused only where
their cases exclude a rule."""


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """What one repetition starts from.

    target   (cells,) counts
    sources  the same of each source, drawn from the truth with noise
    free     all free cells in random order; the first so many are ruled
    """

    world: World
    target: Floats
    sources: tuple[Floats, ...]
    free: Ints

    def limits(self, rules: int) -> Limits:
        """The truth within 5 %, of so many parameters."""
        return Limits.about(self.world, self.free[:rules], WITHIN)


def draw(world: World, cases: int, rng: np.random.Generator) -> Draw:
    """A target, three sources and an order of rules. [estimation 3.8]"""
    target = draw_counts(world, world.theta, cases, rng)
    sources = tuple(
        draw_counts(world, with_noise(world, NOISY, rng)[0], size, rng) for size in SOURCES
    )
    return Draw(world, target, sources, free_cells(world, rng))


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A draw with the fitness of all that could be borrowed, from which estimates are made."""

    given: Draw
    stacks: tuple[Stack, ...]
    search: Search

    @staticmethod
    def of(given: Draw) -> Trial:
        """All candidates of all sources."""
        stacks = stacks_of(given.world, given.sources)
        return Trial(given, stacks, Search.of(given.world, stacks, given.target))

    def constrained(self, rules: int) -> Floats:
        """MPL-C with so many rules."""
        return methods.constrained(self.given.world, self.given.target, self.given.limits(rules))

    def transferred(self, rules: int, rng: np.random.Generator, mode: Mode = PAPER) -> Floats:
        """MPL-TC with so many rules."""
        limits = self.given.limits(rules)
        loan = self.search.loan(limits, mode.check)
        return methods.transferred(self.given.world, self.given.target, limits, loan, rng, mode)


def estimates(trial: Trial, rng: np.random.Generator) -> dict[str, Floats]:
    """(cells,) of every method, all from the same cases and rules."""
    world, target = trial.given.world, trial.given.target
    return {
        "MLE": methods.most_likely(world, target),
        "MAP": methods.smoothed(world, target),
        "MPL-C+5": trial.constrained(RULES),
        "CPTAgg": methods.aggregated(world, target, trial.stacks),
        "MPL-TC+0": trial.transferred(0, rng),
        "MPL-TC+5": trial.transferred(RULES, rng),
        COHERENT: trial.transferred(RULES, rng, methods.OURS),
    }


def other_readings(trial: Trial, rng: np.random.Generator) -> dict[str, Floats]:
    """MPL-TC+5 where the paper leaves open what is meant."""
    return {name: trial.transferred(RULES, rng, mode) for name, mode in READINGS.items()}


def distances(world: World, made: Mapping[str, Floats]) -> dict[str, float]:
    """From the truth, per method."""
    return {name: methods.distance(world, each) for name, each in made.items()}
