"""Small convex quadratic programs under linear rules, solved exactly by their active set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats

SINGULAR = 1e-11
"""Directions with less than this share of the largest curvature have none."""
MISSED = 1e-9
"""How far from a rule rounding may leave a solution, in units of the rule's own numbers."""


class NoSolutionError(Exception):
    """Nothing obeys all rules; never leaves `tacit`."""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """minimise  ½ xᵀHx - gᵀx   subject to  rows x = limits, or <= where not equal.

    curvature  H, symmetric and positive semidefinite; g is in its range
    """

    curvature: Floats
    slope: Floats
    rows: Floats
    limits: Floats
    equal: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The minimum, and per rule by how much it would fall per unit of its limit: of an inequality 0
    or more, with either sign of an equality."""

    x: Floats
    pull: Floats


def solve(program: Program) -> Solution:
    """The minimum, the shortest where several are equally low.

    Equalities are eliminated: x = x0 + N z over the null space of their rows, which for sharing and
    proportionality are the abstracted parents of Theorem 6.1.1. What is left is a least distance
    problem, whose dual is non-negative least squares (Lawson and Hanson 1974, ch. 23); it tells
    which inequalities bind, and with these as equalities the solution is computed once more.
    """
    scaled = _scaled(program)
    binding = scaled.equal | _binding(scaled)
    x, pull = _on(scaled, binding)
    scale = np.abs(program.rows).max(axis=1, initial=0.0)
    pull = pull / np.where(scale > 0, scale, 1.0)
    return Solution(x, np.where(scaled.equal, pull, np.maximum(pull, 0.0)))


def _scaled(program: Program) -> Program:
    """With rules whose largest factor is 1."""
    scale = np.abs(program.rows).max(axis=1, initial=0.0)
    scale = np.where(scale > 0, scale, 1.0)
    return Program(
        program.curvature, program.slope, program.rows / scale[:, None], program.limits / scale,
        program.equal,
    )  # fmt: skip


def _free(program: Program, which: Bools) -> tuple[Floats, Floats]:
    """A point on some of the rules taken as equalities, and a basis of what they leave free."""
    rows, limits, size = program.rows[which], program.limits[which], program.slope.size
    if not which.any():
        return np.zeros(size), np.eye(size)
    left, values, right = np.linalg.svd(rows)
    rank = int((values > 1e-10 * values.max(initial=0.0)).sum())
    point = right[:rank].T @ ((left[:, :rank].T @ limits) / values[:rank])
    if np.abs(rows @ point - limits).max(initial=0.0) > MISSED * (1 + np.abs(limits).max()):
        raise NoSolutionError
    return point, right[rank:].T


def _binding(program: Program) -> Bools:
    """Which inequalities hold the minimum back."""
    from scipy.optimize import nnls

    found = np.zeros(program.equal.size, dtype=np.bool_)
    if program.equal.all():
        return found
    point, basis = _free(program, program.equal)
    curvature = basis.T @ program.curvature @ basis
    slope = basis.T @ (program.slope - program.curvature @ point)
    values, vectors = np.linalg.eigh(curvature)
    least = SINGULAR * max(float(values.max(initial=0.0)), 1e-300)
    root = np.sqrt(np.maximum(values, least))
    centre = np.where(values > least, vectors.T @ slope / np.maximum(values, least), 0.0)
    which = np.flatnonzero(~program.equal)
    rows = (program.rows[which] @ basis @ vectors) / root
    room = program.limits[which] - program.rows[which] @ point - rows @ (root * centre)
    if (room >= -MISSED * 1e-3).all():
        return found
    missed = np.maximum(-room, 0.0) / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
    room = room / max(1.0, float(missed.max()))  # rules far off are met in another unit
    dual = np.vstack([-rows.T, -room[None, :]])
    target = np.zeros(len(dual))
    target[-1] = 1.0
    multipliers, off = nnls(dual, target, maxiter=60 * max(10, which.size))
    if off**2 <= 1e-18:
        raise NoSolutionError
    found[which] = multipliers > 1e-12 * multipliers.max()
    return found


def _on(program: Program, binding: Bools) -> tuple[Floats, Floats]:
    """The minimum with these rules as equalities, and all multipliers."""
    point, basis = _free(program, binding)
    curvature = basis.T @ program.curvature @ basis
    slope = basis.T @ (program.slope - program.curvature @ point)
    x = point + basis @ (_inverse(curvature) @ slope)
    pull = np.zeros(binding.size)
    if binding.any():
        fall = program.slope - program.curvature @ x
        pull[binding] = np.linalg.lstsq(program.rows[binding].T, fall, rcond=1e-10)[0]
    return x, pull


def _inverse(curvature: Floats) -> Floats:
    values, vectors = np.linalg.eigh(curvature)
    used = values > SINGULAR * max(float(values.max(initial=0.0)), 1e-300)
    basis = vectors[:, used]
    return np.asarray((basis / values[used]) @ basis.T)
