"""The information bottleneck of two variables, by itself: the machinery's own yardstick."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacit.arrays import Floats, readonly
from tacit.core.errors import OptionError
from tacit.core.options import is_number
from tacit.learn.bottleneck.completion import TINY


@dataclass(frozen=True, slots=True, eq=False)
class Compression:
    """What T keeps of Y to tell of X.

    shares       (y, t)  Q(t|y)
    meaning      (t, x)  Q(x|t); rows of states that died out are those of X overall
    kept, told   I(T; Y) and I(T; X), in nats
    objective    I(T; Y) - beta I(T; X)
    trace        the objective after every step
    """

    shares: Floats
    meaning: Floats
    kept: float
    told: float
    objective: float
    trace: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", readonly(self.shares))
        object.__setattr__(self, "meaning", readonly(self.meaning))


def information_bottleneck(
    joint: npt.ArrayLike,
    states: int,
    beta: float,
    *,
    seed: int | None = None,
    restarts: int = 5,
    tolerance: float = 1e-12,
    max_steps: int = 2000,
) -> Compression:
    """Compress Y into T so that T still tells of X:

    minimise  I(T; Y) - beta I(T; X)  over Q(t|y),

    by iterating Q(t|y) = Q(t) / Z exp(-beta D(Q(X|y) | Q(X|t))), which never raises it, from
    several random starts. With beta 1 or less nothing is worth keeping.
    [Tishby, Pereira and Bialek 1999; HV2 1, (6.1), HV2-1; the limit is a minimum, erratum]

    joint   (y, x) Q(y, x), or counts of it
    states  of T
    """
    table = np.asarray(joint, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all() or (table < 0).any() or not table.any():
        raise OptionError("joint= must be a table (y, x) of probabilities or counts, 0 or more")
    for name, value, least in (("states", states, 1), ("restarts", restarts, 1)):
        if not (type(value) is int and value >= least):
            raise OptionError(f"{name}={value!r} must be a whole number, {least} or more")
    if not is_number(beta) or beta < 0:
        raise OptionError(f"beta={beta!r} must be a number, 0 or more")
    table = table[table.sum(axis=1) > 0] / table.sum()
    random = np.random.default_rng(seed)
    runs = (
        _run(table, random.dirichlet(np.ones(states), len(table)), beta, tolerance, max_steps)
        for _ in range(restarts)
    )
    return min(runs, key=lambda each: each.objective)


def _run(joint: Floats, shares: Floats, beta: float, tolerance: float, steps: int) -> Compression:
    weights = joint.sum(axis=1)
    given, trace = joint / weights[:, None], list[float]()
    known = (given * np.log(np.maximum(given, TINY))).sum(axis=1)
    for _ in range(steps):
        mean, meaning = _moments(joint, weights, shares)
        trace.append(_value(weights, shares, mean, meaning, joint.sum(axis=0), beta)[2])
        if len(trace) > 1 and trace[-2] - trace[-1] < tolerance:
            break
        apart = known[:, None] - given @ np.log(np.maximum(meaning, TINY)).T
        logs = np.log(np.maximum(mean, TINY)) - beta * apart
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
    mean, meaning = _moments(joint, weights, shares)
    kept, told, value = _value(weights, shares, mean, meaning, joint.sum(axis=0), beta)
    return Compression(shares, meaning, kept, told, value, (*trace, value))


def _moments(joint: Floats, weights: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Q(t), and Q(x|t)."""
    mean = weights @ shares
    alive = mean > 0
    meaning = np.where(
        alive[:, None], shares.T @ joint / np.where(alive, mean, 1.0)[:, None], joint.sum(axis=0)
    )
    return mean, meaning


def _value(
    weights: Floats, shares: Floats, mean: Floats, meaning: Floats, overall: Floats, beta: float
) -> tuple[float, float, float]:
    """I(T; Y), I(T; X) and I(T; Y) - beta I(T; X)."""
    kept = _information(weights, shares, mean)
    told = _information(mean, meaning, overall)
    return kept, told, kept - beta * told


def _information(weights: Floats, rows: Floats, mean: Floats) -> float:
    logs = np.log(np.maximum(rows, TINY)) - np.log(np.maximum(mean, TINY))
    return max(float(weights @ (rows * logs).sum(axis=1)), 0.0)
