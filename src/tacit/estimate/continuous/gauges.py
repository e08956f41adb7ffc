"""Regressions in coordinates of their own: near the cases, and in units of them.

b = (coefficients scaled..., level at the centre) stands for β = point + turn · b, so that large
means and odd units cost no digits. What cases and prior say of b is a quadratic form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.families.moments import Moments


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """The squares that b leaves, in units²: own - 2 slope · b + b · curvature b."""

    curvature: Floats
    slope: Floats
    own: float

    def at(self, b: Floats) -> Floats:
        """(...) of (..., size)"""
        bent = np.einsum("...i,ij,...j->...", b, self.curvature, b)
        return np.asarray(np.maximum(self.own - 2 * (b @ self.slope) + bent, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Gauge:
    """The coordinates of one regression.

    centre  (parents..., child)
    scale   (parents,)
    unit    of the child
    """

    centre: Floats
    scale: Floats
    unit: float

    @staticmethod
    def of(moments: Moments) -> Gauge:
        """Those in which these cases are centred and of standard deviation one."""
        root = np.sqrt(np.diag(moments.scatter) / moments.weight)
        root = np.where(root > 0, root, 1.0)
        return Gauge(moments.means, root[:-1], float(root[-1]))

    @property
    def turn(self) -> Floats:
        """(size, size) what a unit of b is worth in coefficients..., intercept."""
        found = np.diag(np.append(self.unit / self.scale, self.unit))
        found[-1, :-1] = -self.centre[:-1] * self.unit / self.scale
        return found

    @property
    def point(self) -> Floats:
        """(size,) coefficients..., intercept at b = 0."""
        return np.append(np.zeros(self.scale.size), self.centre[-1])

    def form(self, moments: Moments) -> Form:
        """What these cases say."""
        off = moments.means - self.centre
        second = moments.scatter + moments.weight * np.outer(off, off)
        size = self.scale.size + 1
        curvature, slope = np.empty((size, size)), np.empty(size)
        curvature[:-1, :-1] = second[:-1, :-1] / np.outer(self.scale, self.scale)
        curvature[:-1, -1] = curvature[-1, :-1] = moments.weight * off[:-1] / self.scale
        curvature[-1, -1] = moments.weight
        slope[:-1] = second[:-1, -1] / (self.scale * self.unit)
        slope[-1] = moments.weight * off[-1] / self.unit
        return Form(curvature, slope, float(second[-1, -1]) / self.unit**2)
