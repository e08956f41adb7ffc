"""How probable values of the bends of a piece are, the rest integrated out exactly.

Given the bends the residuals of the piece's families are ε(b) + A u, u the rest about its centre:
divided by their sds and with Q R = A they leave Q's complement of ε, and

    log ∫ P(b, u, seen) du = -½ |(I - Q Qᵀ) ε|² - Σ log sd - log |R| - ½ (families - rest) log 2π.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.families.responses import Response
from tacit.learn.bends.pieces import Piece
from tacit.learn.bends.shape import Numbers, Shape


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """The residuals of a piece under numbers, ready for any values of its bends.

    child     (cases, families) children less base, 0 where they are bends, the centre in the rest
    above     (cases, families) what the known parents add to the activation
    slopes    (families, bends) what the bends add
    own       (families, bends) 1 where the child is that bend
    responses those of curves, and which of the families answer so
    turned    Q; `upper` R
    """

    shape: Shape
    numbers: Numbers
    piece: Piece
    child: Floats
    above: Floats
    slopes: Floats
    own: Floats
    responses: tuple[tuple[Response, Ints], ...]
    rise: Floats
    sds: Floats
    turned: Floats
    upper: Floats
    constant: float

    @staticmethod
    def of(shape: Shape, numbers: Numbers, piece: Piece) -> Density:
        """The density of all cases of a piece."""
        families, bends, rest = piece.families, piece.bends, piece.rest
        values = piece.values - shape.centre
        known = np.where(np.isnan(piece.values), 0.0, values)
        slopes, sds = numbers.slopes[families], numbers.sds[families]
        at_bend = (families[:, None] == bends).astype(np.float64)
        filled = known[:, families] + shape.centre[families]
        child = np.where(at_bend.any(axis=1), 0.0, filled) - numbers.base[families]
        design = (families[:, None] == rest) - np.where(
            shape.bent[families, None], 0.0, slopes[:, rest]
        )
        turned, upper = np.linalg.qr(design / sds[:, None])
        size = np.log(np.abs(np.diag(upper))).sum() + np.log(sds).sum()
        constant = -size - 0.5 * (families.size - rest.size) * log(2 * pi)
        return Density(
            shape, numbers, piece, child, known @ slopes.T, slopes[:, bends], at_bend,
            _responses(shape, families), numbers.rise[families], sds, turned, upper,
            float(constant),
        )  # fmt: skip

    def some(self, chosen: Ints) -> Density:
        """That of some of the cases."""
        at = chosen
        return Density(
            self.shape, self.numbers, self.piece.some(at), self.child[at], self.above[at],
            self.slopes, self.own, self.responses, self.rise, self.sds, self.turned, self.upper,
            self.constant,
        )  # fmt: skip

    def residuals(self, points: Floats) -> Floats:
        """(cases, points, families) ε over sd, at (cases, points, bends)."""
        return self._both(points, steep=False)[0]

    def _both(self, points: Floats, *, steep: bool) -> tuple[Floats, Floats]:
        """Residuals, and how the means rise with the activations where that is asked for."""
        off = points - self.shape.centre[self.piece.bends]
        answer = self.above[:, None, :] + off @ self.slopes.T
        rising = np.broadcast_to(self.rise, answer.shape).copy() if steep else answer
        for response, at in self.responses:
            if steep:
                rising[:, :, at] *= response.slope(answer[:, :, at])
            answer[:, :, at] = self.rise[at] * response.value(answer[:, :, at])
        answer -= self.child[:, None, :]
        answer -= points @ self.own.T
        answer /= -self.sds
        return answer, rising

    def left(self, residuals: Floats) -> Floats:
        """What the rest cannot take up of residuals."""
        if not self.piece.rest.size:
            return residuals
        return np.asarray(residuals - (residuals @ self.turned) @ self.turned.T)

    def logs(self, points: Floats) -> Floats:
        """(cases, points) log density of the points and of what was seen."""
        left = self.left(self.residuals(points))
        return np.asarray(self.constant - 0.5 * np.einsum("mkf,mkf->mk", left, left))

    def local(self, points: Floats) -> tuple[Floats, Floats]:
        """(cases, families) residuals left at one point (cases, bends) each, and (cases, families,
        bends) their derivatives."""
        residuals, rising = self._both(points[:, None, :], steep=True)
        slope = self.own - rising[:, 0, :, None] * self.slopes
        slope = slope / self.sds[:, None]
        if self.piece.rest.size:
            slope = slope - self.turned @ (self.turned.T @ slope)
        return self.left(residuals)[:, 0, :], np.asarray(slope)

    def rest(self, points: Floats) -> Floats:
        """(cases, points, rest) the means of the rest, given the points."""
        along = self.residuals(points) @ self.turned
        return np.asarray(self.shape.centre[self.piece.rest] - along @ np.linalg.inv(self.upper).T)

    def rest_covariance(self) -> Floats:
        """(rest, rest) the same for all cases and points."""
        inverse = np.linalg.inv(self.upper)
        return np.asarray(inverse @ inverse.T)


def _responses(shape: Shape, families: Ints) -> tuple[tuple[Response, Ints], ...]:
    bent = [(at, shape.response(place)) for at, place in enumerate(families.tolist())
            if shape.bent[place]]  # fmt: skip
    kinds = {response.code: response for _, response in bent}
    return tuple(
        (response, np.array([at for at, own in bent if own is response], dtype=np.int64))
        for response in kinds.values()
    )
