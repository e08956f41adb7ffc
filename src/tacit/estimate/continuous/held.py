"""What rules leave to regressions that hang together: a linear space, and a polytope in it.

Coefficients and intercepts, side by side in the coordinates of their gauges, are origin + basis z
with rows · z <= room. Variances that are equal or proportional are one class, v = ratio · t;
classes are fixed, bounded, or ordered, which is linear in log t. An inequality that others force to
hold with equality is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.continuous.gauges import Gauge
from tacit.estimate.continuous.tying import Group, Linear, Member

ROOM = 1e-9
"""An inequality with less room than this, in its own units, is an equality."""


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """Variances in classes.

    of      (members,) the class of each
    ratio   (members,) its variance over that of the class
    fixed   (classes,) the variance of a class where it is given, nan where it is learned
    rows    over logs of the variances of classes, rows · log t <= room
    inside  (classes,) logs that obey
    """

    of: Ints
    ratio: Floats
    fixed: Floats
    rows: Floats
    room: Floats
    inside: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A group of regressions as the rules leave it.

    starts  (members + 1,) where the coordinates of each begin
    owner   (size of z,) the member that each z belongs to; -1 where rules join several
    inside  a z with room on all sides
    """

    gauges: tuple[Gauge, ...]
    starts: Ints
    origin: Floats
    basis: Floats
    owner: Ints
    rows: Floats
    room: Floats
    inside: Floats
    noise: Noise

    @property
    def joined(self) -> bool:
        """Whether an equality ties coefficients of several regressions."""
        return bool((self.owner < 0).any())

    @property
    def closed(self) -> bool:
        """Whether every regression has a distribution of its own in closed form."""
        single = self.noise.of.size == np.unique(self.noise.of).size
        learned = bool(np.isnan(self.noise.fixed).all())
        bounded = len(self.room) or len(self.noise.room)
        return not (self.joined or bounded) and single and learned

    def taken(self, member: int) -> int:
        """How many directions the equalities take from a regression."""
        return int(self.starts[member + 1] - self.starts[member] - (self.owner == member).sum())

    def betas(self, z: Floats) -> list[Floats]:
        """Per member (..., coefficients..., intercept) at (..., size of z)."""
        b = self.origin + z @ self.basis.T
        return [
            gauge.point + b[..., first:last] @ gauge.turn.T
            for gauge, first, last in zip(
                self.gauges, self.starts[:-1], self.starts[1:], strict=True
            )
        ]


def held_of(group: Group, gauges: Mapping[Member, Gauge]) -> Held:
    """The group in the coordinates of its gauges."""
    own = tuple(gauges[each] for each in group.members)
    turn = np.zeros((int(group.starts[-1]),) * 2)
    for gauge, first, last in zip(own, group.starts[:-1], group.starts[1:], strict=True):
        turn[first:last, first:last] = gauge.turn
    point = np.concatenate([gauge.point for gauge in own])
    limits = group.means.limits - group.means.rows @ point
    rows, limits = scaled(group.means.rows @ turn, limits)
    equal, somewhere = interior(rows, limits, group.means.equal)
    origin, basis, owner = _space(rows[equal], limits[equal], group.starts)
    inner, room = rows[~equal] @ basis, limits[~equal] - rows[~equal] @ origin
    felt = np.abs(inner).max(axis=1, initial=0.0) > ROOM
    inside: Floats = np.asarray(basis.T @ (somewhere - origin))
    return Held(
        own, group.starts, origin, basis, owner, inner[felt], room[felt], inside,
        _noise(group.noise, len(own)),
    )  # fmt: skip


def scaled(rows: Floats, limits: Floats) -> tuple[Floats, Floats]:
    """The same rules with a largest factor of 1."""
    size = np.abs(rows).max(axis=1, initial=0.0)
    size = np.where(size > 0, size, 1.0)
    return rows / size[:, None], limits / size


def interior(rows: Floats, limits: Floats, equal: Bools) -> tuple[Bools, Floats]:
    """Which rows hold with equality wherever all hold, and a point where no other does."""
    held = equal.copy()
    while True:
        point, room = _roomiest(rows, limits, held, ~held)
        if room > ROOM:
            return held, point
        for at in np.flatnonzero(~held):
            alone = np.zeros(held.size, dtype=np.bool_)
            alone[at] = True
            if _roomiest(rows, limits, held, alone)[1] <= ROOM:
                held[at] = True


def _roomiest(
    rows: Floats, limits: Floats, equal: Bools, wanted: Bools
) -> tuple[Floats, float]:  # fmt: skip
    """maximise t <= 1  subject to rows · x + t <= limits where wanted, and all rules."""
    from scipy.optimize import linprog

    size = rows.shape[1]
    if equal.all():
        return _plane(rows, limits)[0], 1.0
    less = np.column_stack([rows[~equal], wanted[~equal].astype(np.float64)])
    tight = np.column_stack([rows[equal], np.zeros(int(equal.sum()))])
    found = linprog(
        np.append(np.zeros(size), -1.0), less, limits[~equal],
        tight if equal.any() else None, limits[equal] if equal.any() else None,
        bounds=[*[(None, None)] * size, (0.0, 1.0)],
    )  # fmt: skip
    assert found.x is not None, "rules were found to hold together before"
    return found.x[:-1], float(found.x[-1])


def _space(rows: Floats, limits: Floats, starts: Ints) -> tuple[Floats, Floats, Ints]:
    """The point of least length on the equalities, a basis of what they leave, and whose it is."""
    owners = [np.flatnonzero(np.add.reduceat(row != 0, starts[:-1]) > 0) for row in rows]
    size = int(starts[-1])
    if any(own.size > 1 for own in owners):
        origin, basis = _plane(rows, limits)
        return origin, basis, np.full(basis.shape[1], -1)
    origin, parts, owner = np.zeros(size), [], []
    for member, (first, last) in enumerate(pairwise(starts.tolist())):
        mine = [at for at, own in enumerate(owners) if own.size and own[0] == member]
        origin[first:last], part = _plane(rows[mine, first:last], limits[mine])
        wide = np.zeros((size, part.shape[1]))
        wide[first:last] = part
        parts.append(wide)
        owner += [member] * part.shape[1]
    return origin, np.concatenate(parts, axis=1), np.array(owner, dtype=np.int64)


def _plane(rows: Floats, limits: Floats) -> tuple[Floats, Floats]:
    size = rows.shape[1]
    if not len(rows):
        return np.zeros(size), np.eye(size)
    left, values, right = np.linalg.svd(rows)
    rank = int((values > 1e-10 * values.max(initial=0.0)).sum())
    point = right[:rank].T @ ((left[:, :rank].T @ limits) / values[:rank])
    return point, right[rank:].T


def _noise(linear: Linear, members: int) -> Noise:
    """The classes that equalities of variances make, and what inequalities say of them."""
    equal, inside = interior(linear.rows, linear.limits, linear.equal)
    group, away = np.arange(members), np.zeros(members)
    given = np.full(members, np.nan)
    for row, limit in zip(linear.rows[equal], linear.limits[equal], strict=True):
        up, *rest = np.flatnonzero(row)
        if rest and group[up] != group[rest[0]]:
            other = rest[0]
            gap = limit / row[up] + away[other] - away[up]
            moved = group == group[up]
            away[moved] += gap
            group[moved] = group[other]
        elif not rest:
            given[up] = limit / row[up]
    names, of = np.unique(group, return_inverse=True)
    fixed = np.full(names.size, np.nan)
    for member in np.flatnonzero(~np.isnan(given)):
        fixed[of[member]] = np.exp(given[member] - away[member])
    into = np.zeros((members, names.size))
    into[np.arange(members), of] = 1.0
    rows, room = linear.rows[~equal] @ into, linear.limits[~equal] - linear.rows[~equal] @ away
    learned = np.isnan(fixed)
    room = room - rows[:, ~learned] @ np.log(fixed[~learned])
    rows = np.where(learned, rows, 0.0)
    felt = np.abs(rows).max(axis=1, initial=0.0) > 0
    logs = np.array([(inside - away)[of == each].mean() for each in range(names.size)])
    return Noise(of, np.exp(away), fixed, rows[felt], room[felt], logs)
