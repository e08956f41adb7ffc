"""Random numbers for kernels: one small generator per chain, and what is drawn from it.

xoshiro256++ of Blackman and Vigna; normals by the ziggurat of Marsaglia and Tsang (as Doornik has
it), gammas by Marsaglia and Tsang's squeeze.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

from tacit.arrays import Floats

State: TypeAlias = npt.NDArray[np.uint64]

_LAYERS = 128
_EDGE, _AREA = 3.442619855899, 9.91256303526217e-3


def _ziggurat() -> tuple[Floats, Floats]:
    """The edges of the layers of equal area under the normal density, and what is inside each."""
    edges = np.zeros(_LAYERS + 1)
    height = math.exp(-0.5 * _EDGE * _EDGE)
    edges[0], edges[1] = _AREA / height, _EDGE
    for layer in range(2, _LAYERS):
        edges[layer] = math.sqrt(-2.0 * math.log(_AREA / edges[layer - 1] + height))
        height = math.exp(-0.5 * edges[layer] * edges[layer])
    return edges, edges[1:] / edges[:-1]


_EDGES, _INSIDE = _ziggurat()
_ONE_IN_2_53 = 1.0 / 9007199254740992.0


def seeded(seed: int, *keys: int) -> State:
    """The state of a generator of its own for every seed and sequence of keys."""
    words = np.random.SeedSequence(seed, spawn_key=keys).generate_state(4, np.uint64)
    return np.asarray(words, dtype=np.uint64)


@njit(cache=True, nogil=True, inline="always")
def _turned(word: np.uint64, by: int) -> np.uint64:
    return (word << np.uint64(by)) | (word >> np.uint64(64 - by))


@njit(cache=True, nogil=True)
def bits(state: State) -> np.uint64:
    """64 random bits."""
    found: np.uint64 = _turned(state[0] + state[3], 23) + state[0]
    kept = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= kept
    state[3] = _turned(state[3], 45)
    return found


@njit(cache=True, nogil=True)
def uniform(state: State) -> float:
    """Uniform in (0, 1): never 0 or 1."""
    return (np.float64(bits(state) >> np.uint64(12)) + 0.5) * (2.0 * _ONE_IN_2_53)


@njit(cache=True, nogil=True)
def below(state: State, size: int) -> int:
    """One of 0..size-1."""
    return int(uniform(state) * size)


@njit(cache=True, nogil=True)
def normal(state: State) -> float:
    """Standard normal."""
    while True:
        word = bits(state)
        layer = int(word & np.uint64(127))
        place = np.float64(word >> np.uint64(11)) * (2.0 * _ONE_IN_2_53) - 1.0
        if abs(place) < _INSIDE[layer]:
            return float(place * _EDGES[layer])
        if layer == 0:
            while True:
                beyond = -math.log(uniform(state)) / _EDGE
                if -2.0 * math.log(uniform(state)) > beyond * beyond:
                    break
            return _EDGE + beyond if place > 0 else -_EDGE - beyond
        x = place * _EDGES[layer]
        outer = math.exp(-0.5 * (_EDGES[layer] * _EDGES[layer] - x * x))
        inner = math.exp(-0.5 * (_EDGES[layer + 1] * _EDGES[layer + 1] - x * x))
        if inner + uniform(state) * (outer - inner) < 1.0:
            return float(x)


@njit(cache=True, nogil=True)
def gamma(state: State, shape: float) -> float:
    """Gamma of a shape of at least 1."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(state)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = uniform(state)
        square = x * x
        if u < 1.0 - 0.0331 * square * square:
            return d * v
        if math.log(u) < 0.5 * square + d * (1.0 - v + math.log(v)):
            return d * v


@njit(cache=True, nogil=True)
def log_gamma_draw(state: State, shape: float) -> float:
    """The logarithm of a gamma of any shape: G(a) = G(a + 1) U^(1/a)."""
    if shape >= 1.0:
        return math.log(gamma(state, shape))
    return math.log(gamma(state, shape + 1.0)) + math.log(uniform(state)) / shape
