"""The toy problem of weight annealing: a few points, each the top of a hill. [Elidan 2004, 3.4]

Score(theta) = Σ w exp(-(x - theta)² / 2 width): a learner that only walks uphill ends on the hill
where it starts, and weights decide which hills there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np

from tacit.arrays import Floats
from tacit.learn.annealing.reweighting import adversarial_weights
from tacit.learn.annealing.settings import WeightAnnealing

GRID, FINER, LEVELS = 160, 40, 5
EXACT = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Hills:
    """Points with weights, as a problem of annealing whose hypotheses are places. [(3.6), (3.7)]

    places, weights, widths  (points,); all widths are 1 in (3.6), and the places in (3.7)
    """

    places: Floats
    weights: Floats
    widths: Floats

    @staticmethod
    def of(places: list[float], weights: list[float], widths: list[float] | None = None) -> Hills:
        """Points of width 1, unless told."""
        wide = np.ones(len(places)) if widths is None else np.array(widths)
        return Hills(np.array(places), np.array(weights), wide)

    def gradient(self, weights: Floats, hypothesis: float) -> Floats:
        """How high each hill stands here, per unit of weight."""
        del weights
        return np.exp(-((self.places - hypothesis) ** 2) / (2 * self.widths))

    def objective(self, hypothesis: float) -> float:
        """The score at the points' own weights."""
        return float(self.weights @ self.gradient(self.weights, hypothesis))

    def optimise(self, weights: Floats, hypothesis: float) -> float:
        """The top that lies uphill from here: the first place where the slope changes its sign."""
        here = float(np.clip(hypothesis, self.places.min(), self.places.max()))
        slope = self.slope(weights, np.array([here]))[0]
        end = float(self.places.max() if slope > 0 else self.places.min())
        points = GRID
        for _ in range(LEVELS):
            grid = np.linspace(here, end, points)
            past = self.slope(weights, grid) * np.sign(slope) <= 0
            at = int(np.argmax(past))
            if not past[at] or at == 0:
                return here if at == 0 and past[0] else end
            here, end, points = float(grid[at - 1]), float(grid[at]), FINER
        return (here + end) / 2

    def finish(self, hypothesis: float) -> float:
        """The top uphill at the points' own weights."""
        return self.optimise(self.weights, hypothesis)

    def slope(self, weights: Floats, places: Floats) -> Floats:
        """(places,) the derivative of the score."""
        apart = self.places - places[:, None]
        return np.exp(-(apart**2) / (2 * self.widths)) * apart / self.widths @ weights

    def tops(self) -> Floats:
        """All maxima at the points' own weights, from left to right."""
        found = sorted(self.finish(float(place)) for place in self.places)
        return np.array(
            [top for at, top in enumerate(found) if not at or top > found[at - 1] + EXACT]
        )

    def near(self, place: float) -> int:
        """The point that is nearest to a place."""
        return int(np.argmin(np.abs(self.places - place)))

    def pushed(self, place: float, temperature: float) -> float:
        """Where one adversarial reweighting of the own weights leads from this place."""
        settings = WeightAnnealing(None, floor=1e-100, least_effective=0.0)
        base = self.weights / self.weights.sum()
        slopes = self.gradient(base, place)
        found = adversarial_weights(settings, base, base, lambda _: slopes, temperature)
        return self.optimise(found.weights, place)


def ratio(distance: float) -> float:
    """R(d): two points of width 1 have two maxima while max(w1 / w2, w2 / w1) is below it.

    (d - s) / (d + s) exp(d s / 2), s = sqrt(d² - 4); below a distance of 2 there is one maximum
    only. [HV1 2.8; erratum E43]
    """
    if distance <= 2:
        return 1.0
    s = sqrt(distance**2 - 4)
    return (distance - s) / (distance + s) * exp(distance * s / 2)


def window(distance: float, better: float, worse: float) -> tuple[float, float]:
    """Temperatures between which one step leaves the lower top, and does not leave the higher.

    A step changes ln(w1 / w2) by the temperature, up to the other hill's height. [HV1 2.8]
    """
    lead = log(better / worse)
    return log(ratio(distance)) - lead, log(ratio(distance)) + lead


def leaves_at(hills: Hills, point: int, most: float = 50.0) -> float:
    """The temperature from which one step leads away from the top near a point, by bisection."""
    top = hills.finish(float(hills.places[point]))
    return _least(lambda heat: hills.near(hills.pushed(top, heat)) != point, most)


def _least(holds: Callable[[float], bool], most: float) -> float:
    low, high = 0.0, most
    while high - low > 1e-5:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return (low + high) / 2


def works_at(hills: Hills, step: float, most: int = 12) -> float | None:
    """A temperature at which forgetful steps lead from every top to the highest one, and stay.

    The lowest multiple of `step` that does; None where none does, up to the one at which every hill
    gives way. [proposition 3.4.2, with memory 0; erratum E24]
    """
    tops = hills.tops()
    goal = float(tops[int(np.argmax([hills.objective(float(top)) for top in tops]))])
    widest = float(np.diff(np.sort(hills.places)).max())
    highest = log(ratio(widest)) + log(hills.weights.max() / hills.weights.min()) + 1
    for heat in np.arange(step, highest, step):
        if all(_ends(hills, float(top), float(heat), most, goal) for top in tops):
            return float(heat)
    return None


def _ends(hills: Hills, here: float, temperature: float, most: int, goal: float) -> bool:
    """Whether repeated steps settle on a place from which the goal lies uphill."""
    for _ in range(most):
        after = hills.pushed(here, temperature)
        if abs(after - here) < EXACT:
            return abs(hills.finish(here) - goal) < 1e-3
        here = after
    return False
