"""How much a candidate would gain as a parent, told by its likeness to the ideal one.

Everything is said in sums over cases, Σ w y z and the like, so that plain cases, weighted ones and
expected second moments (where cells are missing) go by the same formulas. [HV2 3.3, 3.6, 3.7]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What the similarities are made of.

    shared  (candidates,)  y · z, the ideal parent times each candidate
    own     y · y; where y is only expected, Σ E[(x - Uα - θ0)²]; of several y, a column of them,
            and then `shared` and `theirs` have a row for each
    theirs  (candidates,)  z · z; where z is only expected, Σ (mean² + variance)
    cases   the weight of all cases, M
    """

    shared: Floats
    own: float | Floats
    theirs: Floats
    cases: float

    @staticmethod
    def of(ideal: Floats, candidates: Floats, weights: Floats | None = None) -> Sums:
        """Of an ideal profile (cases,) and candidates (cases, candidates)."""
        weighed = ideal if weights is None else weights * ideal
        squares = candidates**2
        theirs = squares.sum(axis=0) if weights is None else weights @ squares
        cases = float(ideal.size if weights is None else weights.sum())
        return Sums(weighed @ candidates, float(weighed @ ideal), theirs, cases)

    @property
    def told(self) -> Floats:
        """(y · z)² / (z · z): what a coefficient takes off the squares; 0 for a candidate of 0."""
        safe = np.where(self.theirs > 0, self.theirs, 1.0)
        return np.where(self.theirs > 0, self.shared**2 / safe, 0.0)

    @property
    def likeness(self) -> Floats:
        """cos² of the angle between y and z."""
        own = np.asarray(self.own)
        return np.minimum(self.told / np.where(own > 0, own, np.inf), 1.0)


def c1(sums: Sums, variance: float | None = None) -> Floats:
    """(y · z)² / (2 σ² z · z): the gain in log-likelihood if only the coefficient is fitted.

    With σ² = y · y / M, the variance unless another is given, it is (M / 2) cos² φ.
    [Thm 7.1.2, Prop 7.1.3]
    """
    if variance is None:
        return np.asarray(0.5 * sums.cases * sums.likeness)
    return np.asarray(sums.told / (2 * variance))


def c2(sums: Sums) -> Floats:
    """-(M / 2) log sin² φ: the gain if coefficient and variance are fitted; C1 <= C2 <= true gain.

    [Thm 7.1.4]
    """
    with np.errstate(divide="ignore"):
        return np.asarray(-0.5 * sums.cases * np.log1p(-sums.likeness))


def replaced_c1(sums: Sums, residual: float, variance: float) -> Floats:
    """C1 of a replacement at a frozen variance: less what the parent that goes had told.

    residual  r · r of the family as it is; y misses the old parent, so it is no residual.
    [HV2 3.3, erratum to §7.2; equation 7.13]
    """
    return np.asarray(c1(sums, variance) - (sums.own - residual) / (2 * variance))


def replaced_c2(sums: Sums, residual: float) -> Floats:
    """C2 of a replacement: C2(y, z) - (M / 2) log(y · y / r · r), never above the true gain.

    [HV2 3.3, erratum to §7.2; equation 7.14]
    """
    return np.asarray(c2(sums) - 0.5 * sums.cases * np.log(sums.own / residual))


def best_coefficient(sums: Sums) -> tuple[Floats, Floats]:
    """α = y · z / z · z, and the variance it leaves. [Thm 7.1.4, as mended]"""
    safe = np.where(sums.theirs > 0, sums.theirs, 1.0)
    return sums.shared / safe, (sums.own - sums.told) / sums.cases
