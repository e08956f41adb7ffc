"""What is known of regressions under rules: their conjugate density, held to what rules leave.

With M the moments of the prior's cases and of those seen, and F degrees of freedom, the density of
a regression is

    v^(-(F + size) / 2 - 1) · exp(-R(β) / 2v),

R(β) the squares that β leaves. Held to rules [Def. 3.4.1, in the coordinates β and v] that is again
normal and inverse gamma where equalities take k directions of one regression: F + k degrees of
freedom. Inequalities cut it off: draws without them are kept where they obey, independent of each
other; where too few do, and where rules join coefficients of several regressions, z and the
variances are drawn in turn, each given the other. [PDK-35, PDK-36, PDKX-6]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma, log, pi

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.estimate.continuous.conjugate import Conjugate
from tacit.estimate.continuous.gauges import Form
from tacit.estimate.continuous.held import Held
from tacit.estimate.continuous.ties import Squares


@dataclass(frozen=True, slots=True, eq=False)
class Restrained:
    """A group of regressions, and what cases and prior say of each.

    known  moments and degrees of freedom of every member
    """

    held: Held
    known: tuple[Squares, ...]
    forms: tuple[Form, ...]

    @staticmethod
    def of(held: Held, known: Sequence[Squares]) -> Restrained:
        """The law of these regressions."""
        pairs = zip(held.gauges, known, strict=True)
        return Restrained(
            held, tuple(known), tuple(gauge.form(own.moments) for gauge, own in pairs)
        )

    @property
    def units(self) -> Floats:
        """(members,) squares are in these."""
        return np.array([gauge.unit**2 for gauge in self.held.gauges])

    def plane(self, member: int) -> tuple[Floats, Floats, float]:
        """Of one regression by itself: the curvature of its z, the best of them, and the squares
        that it leaves."""
        held, form = self.held, self.forms[member]
        here = slice(int(held.starts[member]), int(held.starts[member + 1]))
        basis = held.basis[here][:, held.owner == member]
        origin = held.origin[here]
        curvature = basis.T @ form.curvature @ basis
        slope = basis.T @ (form.slope - form.curvature @ origin)
        best: Floats = np.asarray(np.linalg.solve(curvature, slope), dtype=np.float64)
        left = float(form.at(origin + basis @ best)) * self.held.gauges[member].unit ** 2
        return curvature, best, left

    def marginal(self, member: int) -> tuple[float, float]:
        """Shape and rate of the inverse gamma of one variance, everything else integrated out."""
        freedom = self.known[member].divisor + self.held.taken(member)
        return freedom / 2, self.plane(member)[2] / 2

    def classes(self, shape: Floats, rate: Floats) -> tuple[Floats, Floats]:
        """Those of all classes, from those of their members: of a product of densities in t."""
        noise = self.held.noise
        many = noise.fixed.size
        shapes: Floats = np.asarray(np.bincount(noise.of, shape + 1, many) - 1, dtype=np.float64)
        return shapes, np.asarray(np.bincount(noise.of, rate / noise.ratio, many), dtype=np.float64)

    def conjugate(self, member: int) -> Conjugate:
        """In closed form, where equalities alone speak of one regression."""
        curvature, best, left = self.plane(member)
        held, gauge, mine = self.held, self.held.gauges[member], self.held.owner == member
        here = slice(int(held.starts[member]), int(held.starts[member + 1]))
        z = np.zeros(held.owner.size)
        z[mine] = best
        away = gauge.turn @ held.basis[here][:, mine]
        inverse = away @ np.linalg.inv(curvature) @ away.T / gauge.unit**2
        taken = held.taken(member)
        _, log_det = np.linalg.slogdet(curvature)
        freedom = self.known[member].divisor + taken
        return Conjugate(held.betas(z)[member], inverse, float(log_det), left, freedom, taken)

    def log_constant(self) -> float | None:
        """log ∫ of the densities over what equalities leave, up to what prior and posterior share;
        None where rules join several regressions."""
        if self.held.joined:
            return None
        members = range(len(self.known))
        found = [self.marginal(each) for each in members]
        shape, rate = self.classes(*np.array(found).T)
        noise, total = self.held.noise, 0.0
        for member in members:
            curvature, best, _ = self.plane(member)
            total += best.size / 2 * log(2 * pi) - 0.5 * float(np.linalg.slogdet(curvature)[1])
            total -= (found[member][0] + 1) * log(float(noise.ratio[member]))
        for a, b, t in zip(shape, rate, noise.fixed, strict=True):
            learned = bool(np.isnan(t))
            total += lgamma(a) - a * log(b) if learned else -(a + 1) * log(t) - b / t
        return total

    def free_draws(self, many: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        """(draws, size of z) and (draws, classes) without inequalities; nothing may join
        regressions."""
        held, noise = self.held, self.held.noise
        members = range(len(self.known))
        shape, rate = self.classes(*np.array([self.marginal(each) for each in members]).T)
        t = rate / random.standard_gamma(shape, (many, shape.size))
        t = np.where(np.isnan(noise.fixed), t, noise.fixed)
        z = np.empty((many, held.owner.size))
        for member in members:
            curvature, best, _ = self.plane(member)
            spread = np.sqrt(t[:, noise.of[member]] * noise.ratio[member])
            spread = spread / held.gauges[member].unit
            root = np.linalg.inv(np.linalg.cholesky(curvature)) if best.size else curvature
            away = random.standard_normal((many, best.size)) @ root
            z[:, held.owner == member] = best + spread[:, None] * away
        return z, t

    def obeyed(self, z: Floats, t: Floats) -> Bools:
        """(draws,) which draws keep the inequalities."""
        held, noise = self.held, self.held.noise
        return np.asarray(
            (z @ held.rows.T <= held.room).all(axis=1)
            & (np.log(t) @ noise.rows.T <= noise.room).all(axis=1)
        )

    def numbers(self, z: Floats, t: Floats) -> Floats:
        """(..., numbers) coefficients..., intercept and variance of all members, side by side."""
        noise, parts = self.held.noise, []
        for member, beta in enumerate(self.held.betas(z)):
            parts += [beta, t[..., [noise.of[member]]] * noise.ratio[member]]
        return np.concatenate(parts, axis=-1)
