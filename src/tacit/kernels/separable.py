"""Integrals along one cell of rows whose density is a product over cells, Π f_k(θ_k), Σ θ = 1.

F_k(s) = ∫ f_k(x) F_{k+1}(s - x) dx  is what cells k, k+1, ... weigh together when s is left to
them. What follows is kept at nodes, as the logarithm less the powers with which it falls to 0 at
its ends; `facts` holds all else that one integral asks for.
"""

from __future__ import annotations

from math import acos, cosh, exp, inf, isnan, log, log1p, nan, pi, sinh, sqrt

from numba import njit

from tacit.arrays import Floats

A, MISSES, CENTRE, WEIGHT, LOW, HIGH, CAPPED = range(7)
"""Columns of a cell: f(x) = x^(a - 1) (1 - x)^misses exp(-weight (x - centre)² / 2) from low to
high; whether a rule says how high."""
MIDDLE, REACH, OPEN, COLUMNS = 7, 8, 10, 12
"""Where about it lies; from where to where; whether it gets to a limit and is cut off there."""

LEFT, START, WIDE, GAP, ABOVE, LEAST, LAST, EDGE, SPAN, COUNT, FIRST, RISES, FALLS, OWN, NEXT = (
    *range(14),
    18,
)
FACTS = 22
"""Of one integral: s; where x starts and how wide it goes; what x leaves at least above `LEAST`,
and below the most; whether one cell follows. The piece of what follows: its edge, its width, its
nodes and the first of them, its powers. Then four columns of this cell and of the next."""

DOTS = 400
"""Points of one integral, at most."""
POINTS = 6
"""Nodes that an interpolated value is made of."""
_STEP = 0.18
_DEEP = 38.0
"""Parts of an integral that are smaller by e to this power are left out."""
_LITTLE = 1.5
_WIDE = 1.5
"""In v, integrands bend at least within this."""
_FAR = 690.0


@njit(cache=True, nogil=True)
def log_factor(of: Floats, at: int, x: float, other: float) -> float:
    """log f at x of the cell whose columns start there; `other` is 1 - x, with all its digits."""
    found = 0.0
    if of[at + A] != 1.0:
        found += (of[at + A] - 1.0) * log(x)
    if of[at + MISSES] != 0.0:
        found += of[at + MISSES] * log(other)
    if of[at + WEIGHT] != 0.0:
        found -= 0.5 * of[at + WEIGHT] * (x - of[at + CENTRE]) ** 2
    return found


@njit(cache=True, nogil=True)
def angle(edge: float, span: float, count: int, s: float) -> float:
    """Where s lies among the nodes of a piece.

    They are evenly spaced in the angle t of s = middle - half cos t. A smooth function of s is
    even about both ends of t, so that nodes beyond the ends are those before them.
    """
    turn = 1.0 - 2.0 * (s - edge) / span
    return acos(min(max(turn, -1.0), 1.0)) * count / pi - 0.5


@njit(cache=True, nogil=True)
def mirrored(at: int, count: int) -> int:
    """The node that stands for one beyond the ends."""
    if at < 0:
        return -1 - at
    return 2 * count - 1 - at if at >= count else at


@njit(cache=True, nogil=True)
def lagrange(u: float) -> tuple[float, float, float, float, float, float]:
    """The parts of values at 0, 1, ..., 5 in that of the polynomial through them at u."""
    a, b, c, d, e, f = u, u - 1.0, u - 2.0, u - 3.0, u - 4.0, u - 5.0
    ab, cd, ef = a * b, c * d, e * f
    return (
        b * cd * ef * (-1.0 / 120.0), a * cd * ef * (1.0 / 24.0), ab * d * ef * (-1.0 / 12.0),
        ab * c * ef * (1.0 / 12.0), ab * cd * f * (-1.0 / 24.0), ab * cd * e * (1.0 / 120.0),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def following(facts: Floats, values: Floats, s: float) -> float:
    """The smooth part of log F_{k+1} at s."""
    count = int(facts[COUNT])
    t = angle(facts[EDGE], facts[SPAN], count, s)
    first = int(t + 1.0) - 3
    parts = lagrange(t - first)
    found = 0.0
    start = int(facts[FIRST])
    for one in range(POINTS):
        found += parts[one] * values[start + mirrored(first + one, count)]
    return found


@njit(cache=True, nogil=True)
def height(facts: Floats, values: Floats, v: float) -> tuple[float, float, float]:
    """The log integrand at x = start + wide / (1 + e^-v), in v; x; and what it leaves above the
    least that is left."""
    small = exp(-abs(v))
    far = 1.0 / (1.0 + small)
    part, rest = (small * far, far) if v < 0 else (far, small * far)
    wide = facts[WIDE]
    x = facts[START] + wide * part
    rise = facts[GAP] + wide * rest
    left = facts[LEAST] + rise
    before = 1.0 - facts[LEFT]
    found = log_factor(facts, OWN, x, before + left)
    if facts[LAST] != 0.0:
        found += log_factor(facts, NEXT, left, before + x)
    else:
        found += following(facts, values, left)
        if facts[RISES] != 0.0:
            found += facts[RISES] * log(rise)
        if facts[FALLS] != 0.0:
            found += facts[FALLS] * log(facts[ABOVE] + wide * part)
    return found - abs(v) - 2.0 * log1p(small), x, rise


@njit(cache=True, nogil=True)
def parabola(at: Floats, of: Floats) -> tuple[float, float]:
    """Where the parabola through three points is largest, and minus its second derivative."""
    before = (of[1] - of[0]) / (at[1] - at[0])
    after = (of[2] - of[1]) / (at[2] - at[1])
    bend = 2.0 * (before - after) / (at[2] - at[0])
    if not 0.0 < bend < inf:
        return at[1], 0.0
    return 0.5 * (at[0] + at[1]) + before / bend, bend


@njit(cache=True, nogil=True)
def around(facts: Floats, values: Floats, three: Floats, guess: float, step: float) -> None:
    """Three places in v around the peak of the integrand, and the heights there.

    Uphill from a guess, with longer and longer steps.
    """
    at, of = three[:3], three[3:]
    for each in range(3):
        at[each] = guess + (each - 1) * step
        of[each] = nan
    for _ in range(100):
        for each in range(3):
            if isnan(of[each]):
                of[each] = height(facts, values, at[each])[0]
        if of[0] > of[1] and at[1] > -_FAR:
            at[2], of[2], at[1], of[1] = at[1], of[1], at[0], of[0]
            step *= 2.0
            at[0], of[0] = at[1] - step, nan
        elif of[2] > of[1] and at[1] < _FAR:
            at[0], of[0], at[1], of[1] = at[1], of[1], at[2], of[2]
            step *= 2.0
            at[2], of[2] = at[1] + step, nan
        elif of[1] - min(of[0], of[2]) < 0.05 and step < _FAR:
            step *= 3.0
            at[0], of[0], at[2], of[2] = at[1] - step, nan, at[1] + step, nan
        else:
            break


@njit(cache=True, nogil=True)
def between(at: Floats, of: Floats) -> float:
    """Where to look next: at the peak of the parabola, or half way to the farther or lower end."""
    left, right = at[1] - at[0], at[2] - at[1]
    if max(left, right) > 4.0 * min(left, right):
        return float(at[1] + (0.5 * right if right > left else -0.5 * left))
    new, _bend = parabola(at, of)
    short = 0.1 * min(left, right)
    if at[0] + short < new < at[2] - short and abs(new - at[1]) > short:
        return new
    return float(0.5 * (at[1] + (at[0] if of[0] < of[2] else at[2])))


@njit(cache=True, nogil=True)
def peak(facts: Floats, values: Floats, three: Floats) -> tuple[float, float]:
    """The peak between three places, and how wide it is, as soon as a parabola can say so."""
    at, of = three[:3], three[3:]
    for _ in range(60):
        if of[1] - min(of[0], of[2]) < _LITTLE:
            break
        new = between(at, of)
        value = height(facts, values, new)[0]
        side = 0 if new < at[1] else 2
        if value > of[1]:
            at[2 - side], of[2 - side] = at[1], of[1]
            at[1], of[1] = new, value
        else:
            at[side], of[side] = new, value
    best, bend = parabola(at, of)
    wide = 1.0 / sqrt(bend) if bend > 0.0 else at[2] - at[0]
    return min(max(best, at[0]), at[2]), min(wide, at[2] - at[0], _WIDE)


@njit(cache=True, nogil=True)
def points(
    facts: Floats, values: Floats, dots: Floats, count: int, best: float, wide: float
) -> int:
    """Add the points of an integral after the first `count`: x, what is left, log weights.

    v = best + wide sinh(t), t in even steps: at both ends the integrand falls at least as a power
    of e, which makes this fall as a power of a power.
    """
    top = -inf
    scale = log(wide * _STEP * facts[WIDE])
    for side in range(2):
        step = side
        while count < DOTS:
            t = _STEP * (step if side == 0 else -step)
            v = best + wide * sinh(t)
            if abs(v) > _FAR:
                break
            value, x, rest = height(facts, values, v)
            value += log(cosh(t))
            top = max(top, value)
            if not value > top - _DEEP:
                break
            dots[0, count], dots[1, count], dots[2, count] = x, rest, value + scale
            count += 1
            step += 1
    return count
