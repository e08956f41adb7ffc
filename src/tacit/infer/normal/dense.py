"""Components of moderate size, solved as full matrices, all configurations at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.families.gaussian import ROUNDING
from tacit.infer.normal.components import System

LOG_TURN = float(np.log(2 * np.pi))
FLAT = 1e-12
"""Directions of correlations with less variance than this have none, rounding aside."""


class Solution(Protocol):
    """The normal distribution that the equations of a component leave to its unknowns."""

    def means(self, known: Floats) -> Floats:
        """(configurations, cases, unknowns) the means, from (configurations, cases, rows)."""

    def log_density(self, known: Floats) -> Floats:
        """(configurations, cases) the log density of what was observed, unknowns integrated out."""

    def covariance(self, chosen: Ints) -> Floats:
        """(configurations, chosen, chosen) of some unknowns; it is the same for all cases."""

    def variances(self) -> Floats:
        """(configurations, unknowns)"""

    def log_volume(self) -> Floats:
        """(configurations,) ½ log det(2π covariance): what an integral is worth over its peak."""


@dataclass(frozen=True, slots=True, eq=False)
class Canonical:
    """Least squares on rows divided by their sd: the canonical form, by its square root.

    The largest rows come first, so that none is lost beside them. [Powell and Reid 1969]

    rows     (configurations, rows, unknowns) = Q · R; no product squares the condition
    turned   Q
    inverse  R⁻¹; the covariance is R⁻¹ R⁻ᵀ
    """

    rows: Floats
    sd: Floats
    turned: Floats
    inverse: Floats

    @staticmethod
    def of(system: System) -> Canonical | None:
        """The solution where all rows have noise, and none is lost beside others; else None."""
        if not bool((system.noise > 0).all()):
            return None
        sd = np.sqrt(system.noise)
        loadings = system.loadings()
        rows = loadings / sd[..., None]
        if rows.shape[-1] == rows.shape[-2]:  # nothing was seen below: triangular as it stands
            same = np.broadcast_to(np.eye(rows.shape[-1]), rows.shape)
            return Canonical(rows, sd, same, np.asarray(np.linalg.inv(loadings) * sd[..., None, :]))
        sizes = np.abs(rows).max(axis=-1, initial=0.0)
        order = np.argsort(-sizes, axis=-1, kind="stable")[..., None]
        ordered, upper = np.linalg.qr(np.take_along_axis(rows, order, axis=-2))
        if bool((np.diagonal(upper, axis1=-2, axis2=-1) == 0).any()):
            return None
        turned = np.empty_like(ordered)
        np.put_along_axis(turned, order, ordered, axis=-2)
        return Canonical(rows, sd, turned, np.linalg.inv(upper))

    def means(self, known: Floats) -> Floats:
        """The solution of least squares."""
        scaled = known / self.sd[:, None, :]
        return np.asarray(scaled @ self.turned @ self.inverse.swapaxes(-1, -2))

    def log_density(self, known: Floats) -> Floats:
        """What the residuals say."""
        scaled = known / self.sd[:, None, :]
        off = scaled - (scaled @ self.turned) @ self.turned.swapaxes(-1, -2)
        rows, unknowns = self.rows.shape[1:]
        scale = np.log(self.sd).sum(axis=-1) + (rows - unknowns) * LOG_TURN / 2
        with np.errstate(over="ignore"):  # out of all reach, so impossible
            squares = (off**2).sum(axis=-1)
        return np.asarray(-0.5 * squares + (self._log_root() - scale)[:, None])

    def covariance(self, chosen: Ints) -> Floats:
        """R⁻¹ R⁻ᵀ of the rows chosen."""
        held = self.inverse[:, chosen]
        return np.asarray(held @ held.swapaxes(-1, -2))

    def variances(self) -> Floats:
        """Its diagonal."""
        return np.asarray((self.inverse**2).sum(axis=-1))

    def _log_root(self) -> Floats:
        """½ log det of the covariance."""
        roots = np.abs(np.diagonal(self.inverse, axis1=-2, axis2=-1))
        return np.asarray(np.log(roots).sum(axis=-1))

    def log_volume(self) -> Floats:
        """From the diagonal of R⁻¹."""
        return np.asarray(self._log_root() + self.inverse.shape[-1] * LOG_TURN / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """Where some row is exact: the unknowns' joint moments, then corrected by what was seen.

    forward  (configurations, unknowns, unknowns) the inverse of the upper loadings
    lower    (configurations, seen, unknowns) the loadings of the observed children
    prior    (configurations, unknowns, unknowns) covariance before their values count
    scale    (configurations, seen) the sd of each
    basis    (configurations, seen, seen) directions of their correlations, and `spread` along them:
             0 where exact functions tie them
    """

    forward: Floats
    lower: Floats
    prior: Floats
    noise: Floats
    scale: Floats
    basis: Floats
    spread: Floats

    @staticmethod
    def of(system: System) -> Moment:
        """The solution, whatever rows have no noise."""
        size, loadings = system.component.size, system.loadings()
        forward: Floats = np.asarray(np.linalg.inv(loadings[:, :size]), dtype=np.float64)
        lower, noise = loadings[:, size:], system.noise[:, size:]
        prior = (forward * system.noise[:, None, :size]) @ forward.swapaxes(-1, -2)
        seen = lower @ prior @ lower.swapaxes(-1, -2)
        places = np.arange(noise.shape[1])
        seen[:, places, places] += noise
        scale = np.sqrt(np.maximum(seen[:, places, places], 0.0))
        safe: Floats = np.where(scale > 0, scale, 1.0)
        spread, basis = np.linalg.eigh(seen / (safe[:, :, None] * safe[:, None, :]))
        least = FLAT * max(1, noise.shape[1])
        kept: Floats = np.where(spread > least, spread, 0.0)
        return Moment(forward, lower, prior, noise, safe, basis, kept)

    def _gain(self) -> Floats:
        """(configurations, unknowns, seen)"""
        cross = self.prior @ self.lower.swapaxes(-1, -2) / self.scale[:, None, :]
        share = np.where(self.spread > 0, 1 / np.where(self.spread > 0, self.spread, 1.0), 0.0)
        inverse = (self.basis * share[:, None, :]) @ self.basis.swapaxes(-1, -2)
        return np.asarray(cross @ inverse / self.scale[:, None, :])

    def _ahead(self, known: Floats) -> tuple[Floats, Floats]:
        """Means before the observed children count, and how far these are off."""
        size = self.prior.shape[-1]
        mean = known[..., :size] @ self.forward.swapaxes(-1, -2)
        return mean, known[..., size:] - mean @ self.lower.swapaxes(-1, -2)

    def means(self, known: Floats) -> Floats:
        """The mean ahead, corrected."""
        mean, off = self._ahead(known)
        return np.asarray(mean + off @ self._gain().swapaxes(-1, -2))

    def log_density(self, known: Floats) -> Floats:
        """That of the observed children; inf where exact functions hold, -inf where they do not."""
        mean, off = self._ahead(known)
        along = (off / self.scale[:, None, :]) @ self.basis
        used: Bools = np.asarray(self.spread > 0)
        spread, seen = np.where(used, self.spread, 1.0), used[:, None, :]
        squares = np.where(seen, along**2 / spread[:, None, :], 0.0).sum(axis=-1)
        scale = (np.log(self.scale) + 0.5 * np.log(spread)).sum(axis=-1)
        found = -0.5 * squares - (scale + used.sum(axis=-1) * LOG_TURN / 2)[:, None]
        if used.all():
            return np.asarray(found)
        reach = np.abs(known[..., self.prior.shape[-1] :])
        reach += np.abs(mean) @ np.abs(self.lower).swapaxes(-1, -2) + 1e-300
        reach = (reach / self.scale[:, None, :]) @ np.abs(self.basis)
        on = (np.abs(along) <= ROUNDING * reach) | seen
        tied = ~seen.all(axis=-1)
        return np.where(tied, np.where(on.all(axis=-1), np.inf, -np.inf), found)

    def _covariance(self) -> Floats:
        gain = self._gain()
        left = np.eye(self.prior.shape[-1]) - gain @ self.lower
        noise = (gain * self.noise[:, None, :]) @ gain.swapaxes(-1, -2)
        found = left @ self.prior @ left.swapaxes(-1, -2) + noise
        return np.asarray((found + found.swapaxes(-1, -2)) / 2)

    def covariance(self, chosen: Ints) -> Floats:
        """By Joseph's form, which stays positive semidefinite."""
        return np.asarray(self._covariance()[:, chosen[:, None], chosen[None, :]])

    def variances(self) -> Floats:
        """Its diagonal."""
        return np.maximum(np.diagonal(self._covariance(), axis1=-2, axis2=-1), 0.0)

    def log_volume(self) -> Floats:
        """Of the directions that are not exactly known."""
        values = np.linalg.eigvalsh(self._covariance())
        used = values > FLAT * values.max(axis=-1, initial=0.0, keepdims=True)
        logs = np.log(np.where(used, values, 1.0)) + LOG_TURN
        return np.asarray(0.5 * np.where(used, logs, 0.0).sum(axis=-1))
