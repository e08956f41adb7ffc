"""Where the density of each case's bends is large: a centre, and a root of its covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.learn.bends.density import Density
from tacit.learn.bends.lattice import Lattice, guesses

MOST_STEPS = 30
CLOSE = 1e-7
APART = 1.5
"""Standard deviations of noise from the best guess, beyond which another peak is looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A centre (cases, bends) and a root (cases, bends, bends), lower triangular."""

    centre: Floats
    root: Floats

    def points(self, lattice: Lattice) -> Floats:
        """(cases, points, bends)"""
        return np.asarray(self.centre[:, None, :] + lattice.points @ self.root.swapaxes(1, 2))

    @property
    def log_volume(self) -> Floats:
        """(cases,) log of the determinant of the root."""
        return np.asarray(np.log(np.diagonal(self.root, axis1=1, axis2=2)).sum(axis=1))

    @staticmethod
    def of_moments(points: Floats, weights: Floats, floor: Frame) -> Frame:
        """That of weighted points, where they say something; else as before."""
        centre = np.einsum("mk,mkd->md", weights, points)
        off = points - centre[:, None, :]
        covariance = np.einsum("mk,mkd,mke->mde", weights, off, off)
        before = np.einsum("mij,mkj->mik", floor.root, floor.root)
        flat = np.linalg.eigvalsh(_against(covariance, floor.root))[:, 0] < 1e-6
        covariance = np.where(flat[:, None, None], before, covariance)
        centre = np.where(flat[:, None], floor.centre, centre)
        return Frame(centre, np.linalg.cholesky(covariance))


def _against(covariance: Floats, root: Floats) -> Floats:
    """A covariance in the units of a root."""
    half = np.linalg.solve(root, covariance)
    return np.asarray(np.linalg.solve(root, half.swapaxes(1, 2)))


def around_peaks(density: Density) -> Frame:
    """A frame around the highest peak, wider where another one counts as well.

    Damped Gauss-Newton steps from the best of guesses along the arcs, and from the best of those
    that are far from it.
    """
    tried = _forward(density)
    logs, noise = density.logs(tried), guesses(density.piece.bends.size)
    each, best = np.arange(len(tried)), logs.argmax(axis=1)
    near = ((noise[best][:, None, :] - noise) ** 2).sum(axis=2) < APART**2
    rival = np.where(near, -np.inf, logs).argmax(axis=1)
    twice = np.concatenate([each, each])
    starts = np.concatenate([tried[each, best], tried[each, rival]])
    both = _peak(density.some(twice), starts)
    heights = density.some(twice).logs(both.centre[:, None, :])[:, 0] + both.log_volume
    first, second = (Frame(both.centre[at], both.root[at]) for at in (each, each + len(each)))
    gap = second.centre - first.centre
    higher = heights[len(each) :] - heights[: len(each)]
    apart = (np.linalg.solve(first.root, gap[:, :, None])[:, :, 0] ** 2).sum(axis=1) > 1
    share = np.where(apart | (higher > 1), 1 / (1 + np.exp(-np.clip(higher, -50, 50))), 0.0)
    p, q = (1 - share)[:, None, None], share[:, None, None]
    wide = p * q * gap[:, :, None] * gap[:, None, :]
    covariance: Floats = p * _square(first.root) + q * _square(second.root) + wide
    centre: Floats = first.centre + share[:, None] * gap
    return Frame(centre, np.asarray(np.linalg.cholesky(covariance)))


def _square(root: Floats) -> Floats:
    return np.asarray(root @ root.swapaxes(1, 2))


def _peak(density: Density, start: Floats) -> Frame:
    """The peak near a point of every case, and the curvature there."""
    here, size = start.copy(), start.shape[1]
    damping, eye = np.full(len(here), 1e-2), np.eye(size)
    left, slope = density.local(here)
    cost = 0.5 * (left**2).sum(axis=1)
    for _ in range(MOST_STEPS):
        gradient = np.einsum("mfd,mf->md", slope, left)
        curvature = np.einsum("mfd,mfe->mde", slope, slope)
        scale = np.diagonal(curvature, axis1=1, axis2=2)[:, :, None] * eye
        damped = curvature + damping[:, None, None] * scale
        tried = here - np.linalg.solve(damped, gradient[:, :, None])[:, :, 0]
        left_there, slope_there = density.local(tried)
        there = 0.5 * (left_there**2).sum(axis=1)
        better, still = there <= cost, np.abs(there - cost) <= CLOSE
        here = np.where(better[:, None], tried, here)
        cost = np.where(better, there, cost)
        left = np.where(better[:, None], left_there, left)
        slope = np.where(better[:, None, None], slope_there, slope)
        damping = np.where(better, damping / 10, np.maximum(damping * 8, 1e-3))
        if (still | (damping > 1e4)).all():
            break
    curvature = np.einsum("mfd,mfe->mde", slope, slope)
    return Frame(here, np.linalg.cholesky(np.linalg.inv(curvature)))


def _forward(density: Density) -> Floats:
    """(cases, guesses, bends) drawn along the arcs, findings below not looked at."""
    shape, piece = density.shape, density.piece
    bends = {int(at): place for place, at in enumerate(piece.bends)}
    rest = {int(at) for at in piece.rest}
    noise = guesses(piece.bends.size)
    many = (len(piece.cases), len(noise))
    found: dict[int, Floats] = {}
    numbers = density.numbers
    for at in shape.order:
        if at not in bends and at not in rest:
            continue
        mean = np.zeros(many)
        for parent in shape.parents[at].tolist():
            known = found.get(parent)
            values = piece.values[:, [parent]] if known is None else known
            mean = mean + numbers.slopes[at, parent] * (values - shape.centre[parent])
        mean = numbers.base[at] + numbers.rise[at] * shape.response(at).value(mean)
        shaken = noise[:, bends[at]] * numbers.sds[at] if at in bends else 0.0
        found[at] = mean + shaken
    return np.stack([found[at] for at in bends], axis=2)
