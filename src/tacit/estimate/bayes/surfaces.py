"""Normalising constants over arbitrary surfaces, as printed: reference methods for small problems.

The dimension of a linear surface, the integral over a part of it, and the constant of a curved one
by cutting space into cubes. The integral is taken in the coordinates that are kept, so the same
ones are kept in every cube; with the area factor it is the surface's own measure.
[Alg 3.4.1 to 3.4.3 with ERR-12 to ERR-14; parameter domain knowledge 1.7.1]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import EstimateError

_TOUCHES = 1e-9
_NODES = 20

Integrand = Callable[[Floats], Floats]
"""The values (k,) at points (k, variables)."""


@dataclass(frozen=True, slots=True, eq=False)
class Substitution:
    """θ = constant + matrix · θ[kept]: what is left when implied equations are solved."""

    kept: Ints
    matrix: Floats
    constant: Floats

    @property
    def area(self) -> float:
        """The area of the surface over a unit of what is kept."""
        return float(np.sqrt(np.linalg.det(self.matrix.T @ self.matrix)))


@dataclass(frozen=True, slots=True, eq=False)
class Integral:
    """A value, and its standard error where points were drawn."""

    value: float
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """value(θ) = 0, or <= 0 where not `equal`; with its gradient."""

    value: Callable[[Floats], float]
    slope: Callable[[Floats], Floats]
    equal: bool = False


def surface_dimension(
    matrix: Floats, limits: Floats, eliminate: Sequence[int] = ()
) -> tuple[int, Substitution]:
    """The dimension of {θ : matrix · θ <= limits}, and what is left of θ there.

    An inequality that no point fulfils strictly is an equation: solve it for a variable and put it
    in everywhere, until none is left. What remains are the variables, not the constraints.
    [Alg 3.4.1, ERR-12]

    eliminate: variables to solve for, where they can be
    """
    count = matrix.shape[1]
    found = Substitution(np.arange(count), np.eye(count), np.zeros(count))
    while True:
        rows, rights = matrix @ found.matrix, limits - matrix @ found.constant
        flat = np.abs(rows).max(axis=1, initial=0.0) < _TOUCHES
        if np.any(rights[flat] < -_TOUCHES):
            raise _empty()
        tight = _implied(rows[~flat], rights[~flat])
        if tight is None:
            return found.kept.size, found
        found = _solved(found, rows[~flat][tight], float(rights[~flat][tight]), eliminate)


def _implied(rows: Floats, rights: Floats) -> int | None:
    """A row that holds with equality whenever all hold; None if there is none."""
    from scipy.optimize import linprog

    for number, row in enumerate(rows):
        best = linprog(row, A_ub=rows, b_ub=rights, bounds=(None, None), method="highs")
        if best.status == 2:
            raise _empty()
        if best.status == 0 and best.fun >= rights[number] - _TOUCHES:
            return number
    return None


def _empty() -> EstimateError:
    return EstimateError("no point obeys all of these limits: the surface is empty")


def _solved(
    before: Substitution, row: Floats, right: float, eliminate: Sequence[int]
) -> Substitution:
    """Solve row · θ[kept] = right for a variable, one of `eliminate` where it can be."""
    wanted = np.isin(before.kept, list(eliminate)) & (np.abs(row) > _TOUCHES)
    sizes = np.where(wanted, np.abs(row), 0.0) if wanted.any() else np.abs(row)
    out = int(np.argmax(sizes))
    rest = np.delete(np.arange(row.size), out)
    share = -row[rest] / row[out]
    inner = before.matrix[:, rest] + np.outer(before.matrix[:, out], share)
    constant = before.constant + before.matrix[:, out] * (right / row[out])
    return Substitution(before.kept[rest], inner, constant)


def surface_integral(
    f: Integrand,
    matrix: Floats,
    limits: Floats,
    cube: tuple[Floats, Floats],
    *,
    eliminate: Sequence[int] = (),
    area: bool = False,
    draws: int = 100_000,
    seed: int = 0,
) -> Integral:
    """∫ f over the part of {matrix · θ <= limits} in a cube, in the coordinates that are kept.

    0 where that part has a lower dimension than the surface, or where the variables to eliminate
    cannot be. A line is integrated by nodes; in more dimensions f is averaged over uniform points
    of the cube that are feasible, times the volume they stand for. [Alg 3.4.2, ERR-13]

    area: times the area factor, which makes it the surface's own measure
    """
    dimension, left = surface_dimension(matrix, limits, eliminate)
    bounds = np.concatenate([np.eye(matrix.shape[1]), -np.eye(matrix.shape[1])])
    all_rows = np.concatenate([matrix, bounds])
    all_limits = np.concatenate([limits, cube[1], -cube[0]])
    try:
        within, _ = surface_dimension(all_rows, all_limits)
    except EstimateError:
        return Integral(0.0, 0.0)
    if within < dimension or (eliminate and not area and np.isin(left.kept, list(eliminate)).any()):
        return Integral(0.0, 0.0)
    factor = left.area if area else 1.0
    rows, rights = all_rows @ left.matrix, all_limits - all_rows @ left.constant
    if dimension == 0:
        return Integral(factor * float(f(left.constant[None])[0]), 0.0)
    if dimension == 1:
        return Integral(factor * _line(f, left, rows[:, 0], rights), 0.0)
    low, high = cube[0][left.kept], cube[1][left.kept]
    points = np.random.default_rng(seed).uniform(low, high, (draws, dimension))
    feasible = (points @ rows.T <= rights + _TOUCHES).all(axis=1)
    values = np.zeros(draws)
    values[feasible] = f(left.constant + points[feasible] @ left.matrix.T)
    volume = factor * float(np.prod(high - low))
    return Integral(volume * float(values.mean()), volume * float(values.std()) / draws**0.5)


def _line(f: Integrand, left: Substitution, slopes: Floats, rights: Floats) -> float:
    steep = np.abs(slopes) > _TOUCHES
    ends = rights[steep] / slopes[steep]
    low = float(ends[slopes[steep] < 0].max())
    high = float(ends[slopes[steep] > 0].min())
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    at = 0.5 * (low + high) + 0.5 * (high - low) * nodes
    points = left.constant + at[:, None] * left.matrix[:, 0]
    return float(0.5 * (high - low) * weights @ f(points))


def curved_constant(
    f: Integrand,
    constraints: Sequence[Curve],
    epsilon: float,
    *,
    variables: int,
    reach: float = 1.0,
    eliminate: Sequence[int] = (),
    area: bool = False,
    expand: Callable[[Floats, Floats], Floats | None] | None = None,
    draws: int = 10_000,
) -> Integral:
    """∫ f over the surface that constraints describe, within [-reach, reach]^variables.

    Space is cut into cubes of side epsilon; in each the constraints are straightened at a point of
    it and the linear surface is integrated. The same variables are eliminated in every cube, the
    last ones if not said, since pieces with different measures do not add up. [Alg 3.4.3, ERR-14]

    expand: the point of a cube (low, high) to straighten at, its centre if not given; None: no
            piece of the surface is there
    """
    equations = sum(each.equal for each in constraints)
    out = tuple(eliminate) or tuple(range(variables - equations, variables))
    edges = np.linspace(-reach, reach, round(2 * reach / epsilon) + 1)
    value = variance = 0.0
    for corner in product(range(edges.size - 1), repeat=variables):
        low = edges[list(corner)]
        high = edges[[each + 1 for each in corner]]
        at = expand(low, high) if expand is not None else 0.5 * (low + high)
        if at is None:
            continue
        rows, limits = _straight(constraints, at)
        if _misses(rows, limits, low, high) or _on_a_face(rows, limits, high, edges[-1]):
            continue
        try:
            piece = surface_integral(
                f, rows, limits, (low, high), eliminate=out, area=area, draws=draws
            )
        except EstimateError:
            continue
        value, variance = value + piece.value, variance + piece.error**2
    return Integral(value, variance**0.5)


def _straight(constraints: Sequence[Curve], at: Floats) -> tuple[Floats, Floats]:
    """The first-order expansions as rows, each equation twice."""
    rows, limits = [], []
    for each in constraints:
        slope = np.asarray(each.slope(at), dtype=np.float64)
        right = float(slope @ at) - each.value(at)
        rows.append(slope)
        limits.append(right)
        if each.equal:
            rows.append(-slope)
            limits.append(-right)
    return np.array(rows), np.array(limits)


def _misses(rows: Floats, limits: Floats, low: Floats, high: Floats) -> bool:
    """Whether some row holds nowhere in the cube."""
    least = np.where(rows > 0, rows * low, rows * high).sum(axis=1)
    return bool(np.any(least > limits + _TOUCHES))


def _on_a_face(rows: Floats, limits: Floats, high: Floats, end: float) -> bool:
    """Whether the surface lies in a face that the next cube has as well."""
    for row, limit in zip(rows, limits, strict=True):
        at = np.flatnonzero(np.abs(row) > _TOUCHES)
        both = np.any(np.all(np.abs(rows + row) < _TOUCHES, axis=1))
        if at.size == 1 and both and abs(limit / row[at[0]] - high[at[0]]) < _TOUCHES:
            return bool(high[at[0]] < end - _TOUCHES)
    return False
