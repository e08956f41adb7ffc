"""Ideal parents: the values that a further parent would need to make every case fit exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.families.responses import Response

BELOW, RANGE = 0.02, 1.04
"""Where a curve without parents is taken to begin, and its rise, in ranges of the child."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The ideal parent of one child, and how the curve runs there.

    ideal  (cases,)  y with x = base + rise r(activation + y); the nearest where none is exact
    slope  (cases,)  how fast the mean of x changes with y at that point, g'
    left   (cases,)  what the nearest y leaves of x; 0 where it is exact
    """

    ideal: Floats
    slope: Floats
    left: Floats

    @property
    def scaled(self) -> Floats:
        """y g' + what is left: in units of the child, so that similarities apply. [HV2 3.7]"""
        return self.ideal * self.slope + self.left


def ideal_profile(
    response: Response, child: Floats, activation: Floats, base: float, rise: float
) -> Profile:
    """y = r⁻¹((x - base) / rise) - activation, the share clipped into the image of r.

    Straight lines: the residual. Leave a parent's term out of the activation, and it is the profile
    for replacing that parent. [Def 7.1.1, Def 7.2.1, equation 7.6; erratum to §7.5]
    """
    share = response.clipped((child - base) / rise)
    whole = response.inverse(share)
    left = child - (base + rise * response.value(whole))
    return Profile(whole - activation, rise * response.slope(whole), left)


def assumed_ends(child: Floats) -> tuple[float, float]:
    """Base and rise of a curve without parents, which nothing determines. [HV2 3.1]"""
    low, high = float(np.nanmin(child)), float(np.nanmax(child))
    return low - BELOW * (high - low), RANGE * (high - low)
