"""The most likely strengths of independent causes: a concave programme, solved from inside.

maximise over ω  Σ_cases p log(1 - exp(-s)) - g · ω,   s = Σ of ω over the causes that are there,

p being how often a case was reached and g how often each cause was there and the case was missed:
both terms are concave in ω = -log(1 - link). [EST 1.9]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.estimate.causes.limits import Room

TOLERANCE = 1e-11
"""Of the duality gap, as a share of the evidence."""
MOST_STEPS = 200
BACK = 0.995
"""Of the way to the nearest wall that a step may go."""


@dataclass(frozen=True, slots=True, eq=False)
class Programme:
    """The evidence about some strengths of which none is fixed.

    present  (cases, strengths)  how often each counts in a case
    reached  (cases,)            how often the case was reached; more than 0
    missed   (strengths,)        how often it was missed while each was there
    offset   (cases,)            what fixed strengths add to s
    """

    present: Floats
    reached: Floats
    missed: Floats
    offset: Floats

    def value(self, omega: Floats) -> float:
        """The objective."""
        s = self.present @ omega + self.offset
        with np.errstate(divide="ignore"):
            return float(self.reached @ np.log(-np.expm1(-s)) - self.missed @ omega)

    def slopes(self, omega: Floats) -> tuple[Floats, Floats]:
        """Gradient and minus the Hessian."""
        s = self.present @ omega + self.offset
        odds = 1 / np.expm1(np.minimum(s, 700.0))
        gradient = self.present.T @ (self.reached * odds) - self.missed
        bend = (self.present * (self.reached * odds * (1 + odds))[:, None]).T @ self.present
        return gradient, bend


@dataclass(frozen=True, slots=True, eq=False)
class Walls:
    """matrix @ ω >= bound."""

    matrix: Floats
    bound: Floats

    def slack(self, omega: Floats) -> Floats:
        """How far away each wall is."""
        return np.asarray(self.matrix @ omega - self.bound)


def walls_of(room: Room) -> Walls:
    """Lower bounds of all classes, then the upper bounds there are, then the orders."""
    size = room.lower.size
    each = np.eye(size)
    above = np.isfinite(room.upper)
    orders = each[room.pairs[:, 1]] - each[room.pairs[:, 0]]
    matrix = np.concatenate([each, -each[above], orders])
    bound = np.concatenate([room.lower, -room.upper[above], np.zeros(len(room.pairs))])
    return Walls(matrix, bound)


def most_likely(programme: Programme, room: Room) -> Floats:
    """The optimum, by a primal-dual interior-point method, walls that bind then taken exactly.

    (Boyd and Vandenberghe 2004, 11.7)
    """
    walls = walls_of(room)
    omega = room.inside()
    prices = 1.0 / walls.slack(omega)
    scale = 1.0 + float(programme.reached.sum() + programme.missed.max(initial=0.0))
    for _ in range(MOST_STEPS):
        gap = float(walls.slack(omega) @ prices)
        residual = programme.slopes(omega)[0] + walls.matrix.T @ prices
        if gap <= TOLERANCE * scale and np.abs(residual).max(initial=0.0) <= TOLERANCE * scale:
            break
        moved = _step(programme, walls, omega, prices, 0.1 * gap / max(prices.size, 1))
        if moved is None:
            break
        omega, prices = moved
    return _sharpened(programme, walls, omega, prices)


def _step(
    programme: Programme, walls: Walls, omega: Floats, prices: Floats, aim: float
) -> tuple[Floats, Floats] | None:
    """One Newton step towards slack * price = aim, cut back until the residual falls."""
    slack = walls.slack(omega)
    gradient, bend = programme.slopes(omega)
    weighed = bend + (walls.matrix * (prices / slack)[:, None]).T @ walls.matrix
    right = gradient + walls.matrix.T @ (aim / slack)
    move = np.linalg.solve(weighed, right)
    along = walls.matrix @ move
    rise = aim / slack - prices - prices / slack * along
    ways = np.append(-slack[along < 0] / along[along < 0], -prices[rise < 0] / rise[rise < 0])
    length = min(1.0, BACK * float(ways.min(initial=np.inf)))
    before = _residual(programme, walls, omega, prices, aim)
    for _ in range(40):
        tried = omega + length * move, prices + length * rise
        if _residual(programme, walls, *tried, aim) <= (1 - 0.01 * length) * before:
            return tried
        length /= 2
    return None


def _residual(
    programme: Programme, walls: Walls, omega: Floats, prices: Floats, aim: float
) -> float:
    gradient, _ = programme.slopes(omega)
    dual = gradient + walls.matrix.T @ prices
    return float(np.sqrt((dual**2).sum() + ((prices * walls.slack(omega) - aim) ** 2).sum()))


def _sharpened(programme: Programme, walls: Walls, found: Floats, prices: Floats) -> Floats:
    """The optimum with the walls that bind taken for equalities, if that is one."""
    binding = walls.slack(found) < prices
    omega, pull = found, prices[binding]
    for _ in range(20):
        newton = _on_walls(programme, walls, binding, omega)
        if newton is None or (walls.slack(newton[0])[~binding] < 0).any():
            return found
        moved = float(np.abs(newton[0] - omega).max(initial=0.0))
        omega, pull = newton
        if moved <= 1e-13 * (1 + float(np.abs(omega).max(initial=0.0))):
            break
    worse = programme.value(omega) < programme.value(found) - 1e-9
    return found if worse or (pull < 0).any() else _snapped(walls, binding, omega)


def _snapped(walls: Walls, binding: Bools, omega: Floats) -> Floats:
    """Bounds that bind are met to the last bit."""
    omega = omega.copy()
    for row, bound in zip(walls.matrix[binding], walls.bound[binding], strict=True):
        at = np.flatnonzero(row)
        if at.size == 1:
            omega[at[0]] = bound * row[at[0]]
    return omega


def _on_walls(
    programme: Programme, walls: Walls, binding: Bools, omega: Floats
) -> tuple[Floats, Floats] | None:
    """One Newton step along the walls that bind; the point and their prices."""
    matrix = walls.matrix[binding]
    gradient, bend = programme.slopes(omega)
    rows = len(matrix)
    system = np.block([[bend, -matrix.T], [matrix, np.zeros((rows, rows))]])
    right = np.concatenate([gradient, walls.bound[binding] - matrix @ omega])
    solution, *_ = np.linalg.lstsq(system, right, rcond=1e-13)
    moved = omega + solution[: omega.size]
    if (programme.present @ moved + programme.offset <= 0).any():
        return None
    return moved, solution[omega.size :]


def without_cases(programme: Programme, chosen: Bools) -> Programme:
    """The programme on some of its cases."""
    return replace(
        programme,
        present=programme.present[chosen],
        reached=programme.reached[chosen],
        offset=programme.offset[chosen],
    )
