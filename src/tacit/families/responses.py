"""How a curved family answers to its parents: the link functions, one line each.

A new one is a line in RESPONSES, its code in `kernels/responses.py`, and a family of three lines
beside `SigmoidGaussian`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats

MARGIN = 0.01
"""A share of the rise nearer than this to an end of the response is taken to be this near."""


@dataclass(frozen=True, slots=True)
class Response:
    """A smooth function r that rises, and its inverse.

    code        its number in the kernels
    value       r(a)
    slope       r'(a)
    inverse     a with r(a) = share, the share clipped into the image of r
    low, high   the ends of its image
    """

    code: int
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    low: float
    high: float

    def clipped(self, shares: Floats) -> Floats:
        """The shares moved into the image, a margin away from its ends."""
        return np.clip(shares, self.low + MARGIN, self.high - MARGIN)


def _sigmoid(a: Floats) -> Floats:
    low = np.exp(-np.abs(a))
    return np.asarray(np.where(a >= 0, 1.0, low) / (1.0 + low))


def _sigmoid_slope(a: Floats) -> Floats:
    share = _sigmoid(a)
    return np.asarray(share * (1.0 - share))


def _logit(share: Floats) -> Floats:
    return np.asarray(np.log(share / (1.0 - share)))


def _softplus(a: Floats) -> Floats:
    return np.asarray(np.maximum(a, 0.0) + np.log1p(np.exp(-np.abs(a))))


def _softplus_inverse(share: Floats) -> Floats:
    return np.asarray(share + np.log(-np.expm1(-share)))


def _one(a: Floats) -> Floats:
    return np.ones_like(a)


RESPONSES: Mapping[str, Response] = {
    "sigmoid": Response(0, _sigmoid, _sigmoid_slope, _logit, 0.0, 1.0),
    "softplus": Response(1, _softplus, _sigmoid, _softplus_inverse, 0.0, np.inf),
    "identity": Response(2, np.asarray, _one, np.asarray, -np.inf, np.inf),
}
"""By name; the identity is there to be compared with: it makes every formula the linear one."""
