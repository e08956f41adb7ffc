"""Points that a density is summed over, around where it is large, and how sure the sums are.

Up to three dimensions they are two lattices, each lying in the holes of the other, in a ball of
standard deviations: sums over lattices of smooth densities converge geometrically, and where the
two agree so far, both together are far closer still [Trefethen and Weideman 2014]. In more
dimensions they are scrambled Sobol points of a Student's t, in sets that err independently
[Owen 1997]. The same points for all cases and all steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from math import lgamma, log, pi

import numpy as np

from tacit.arrays import Bools, Floats, Ints

RADIUS = 7.0
"""Standard deviations within which lattices lie."""
STEPS = {1: 0.4, 2: 0.8, 3: 1.1}
"""Between the points of one lattice, in standard deviations, by the number of dimensions."""
BALL = {1: 2.0, 2: 3.15, 3: 4.19}
"""Volumes of balls of radius 1."""
MOST_POINTS = 20_000
"""Of a finer lattice, where the first two do not agree."""
AGREE = {1: 1e-6, 2: 1e-4, 3: 1e-3}
"""How far sums over the two may be apart, in nats, by the number of dimensions."""
BEYOND = {1: 1e-8, 2: 1e-5, 3: 1e-5}
"""Points at the edge with a greater share say that there is more beyond."""
EDGE = 6.0
"""Points further out show whether something lies beyond the radius."""
SETS, EACH = 8, 128
"""Independent sets of draws, and draws of each."""
FREEDOM = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Points in standard deviations.

    points  (points, dimensions)
    logs    (points,) logs of the volume that each stands for, if its set were alone
    set_of  (points,)
    edge    (points,) whether it lies at the edge of the lattice
    drawn   whether the sets are independent draws
    """

    points: Floats
    logs: Floats
    set_of: Ints
    edge: Bools
    drawn: bool

    @property
    def sets(self) -> int:
        """How many there are."""
        return int(self.set_of[-1]) + 1

    def integrals(self, logs: Floats) -> Integrals:
        """Of densities whose logs are given at the points, (cases, points)."""
        whole = logs + self.logs
        top = whole.max(axis=1, keepdims=True)
        raw = np.exp(whole - np.where(np.isfinite(top), top, 0.0))
        ends = np.searchsorted(self.set_of, np.arange(self.sets))
        by_set = np.add.reduceat(raw, ends, axis=1)
        total = by_set.sum(axis=1)
        safe = np.where(total > 0, total, 1.0)[:, None]
        with np.errstate(divide="ignore"):
            found = top[:, 0] + np.log(total / self.sets)
        off, shares = by_set / safe - 1 / self.sets, raw / safe
        edge = shares[:, self.edge].sum(axis=1)
        if self.drawn:
            error = np.sqrt(self.sets * (off**2).sum(axis=1) / (self.sets - 1))
        else:
            error = np.abs(off).sum(axis=1) * self.sets / 2 + edge
        return Integrals(found, error, shares, edge)


@dataclass(frozen=True, slots=True, eq=False)
class Integrals:
    """Sums over points.

    logs    (cases,) logs of the integrals
    error   (cases,) how sure these are
    shares  (cases, points) what each point adds
    edge    (cases,) the share of the points at the edge: if it is large there is more beyond
    """

    logs: Floats
    error: Floats
    shares: Floats
    edge: Floats


@cache
def lattice(dimensions: int, level: int = 0) -> Lattice | None:
    """The points for so many dimensions; a higher level halves the steps. None where there would
    be too many."""
    if dimensions == 0:
        return Lattice(
            np.zeros((1, 0)), np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.bool_), False
        )
    if dimensions not in STEPS:
        return _draws(dimensions) if level == 0 else None
    step = STEPS[dimensions] / 2**level
    reach = int(np.ceil(RADIUS / step))
    if level and 2 * BALL[dimensions] * (RADIUS / step) ** dimensions > MOST_POINTS:
        return None
    grid = np.array(list(product(range(-reach, reach + 1), repeat=dimensions)), np.float64)
    both = [step * grid, step * (grid + 0.5)]
    near = [each[_inside(each)] for each in both]
    set_of = np.repeat([0, 1], [len(each) for each in near])
    points = np.concatenate(near)
    edge = (points**2).sum(axis=1) > EDGE**2
    return Lattice(points, np.full(len(points), dimensions * log(step)), set_of, edge, False)


def _inside(points: Floats) -> Bools:
    return np.asarray((points**2).sum(axis=1) <= RADIUS**2)


def _draws(dimensions: int) -> Lattice:
    from scipy.special import gammaincinv, ndtri
    from scipy.stats.qmc import Sobol

    sets = []
    for number in range(SETS):
        random = np.random.default_rng([12, dimensions, number])
        sets.append(Sobol(dimensions + 1, scramble=True, seed=random).random(EACH))
    cube = np.clip(np.concatenate(sets), 1e-12, 1 - 1e-12)
    chi = 2 * gammaincinv(FREEDOM / 2, cube[:, 0])
    points = ndtri(cube[:, 1:]) * np.sqrt(FREEDOM / chi)[:, None]
    constant = lgamma((FREEDOM + dimensions) / 2) - lgamma(FREEDOM / 2)
    constant -= dimensions / 2 * log(pi * FREEDOM)
    squares = (points**2).sum(axis=1)
    density = constant - (FREEDOM + dimensions) / 2 * np.log1p(squares / FREEDOM)
    set_of = np.repeat(np.arange(SETS), EACH).astype(np.int64)
    return Lattice(points, -density - log(EACH), set_of, np.zeros(len(points), np.bool_), True)


@cache
def guesses(dimensions: int, many: int = 32) -> Floats:
    """(many, dimensions) standard normal, the first of them 0."""
    from scipy.special import ndtri
    from scipy.stats.qmc import Sobol

    random = np.random.default_rng([13, dimensions])
    cube = Sobol(dimensions, scramble=True, seed=random).random(many)
    found = np.asarray(ndtri(np.clip(cube, 1e-6, 1 - 1e-6)))
    found[0] = 0.0
    return found
