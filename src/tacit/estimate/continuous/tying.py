"""Rules about regressions made ready for estimation: which hang together, and how to solve them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.family import Family
from tacit.estimate.continuous.regressions import regressions
from tacit.estimate.continuous.ties import Block, Squares, Tied, joins, solve_block
from tacit.knowledge.conflicts import Conflict, conflict_error
from tacit.knowledge.slots import Regressed, Row, shape, width

Member: TypeAlias = tuple[str, int]
"""A regression: the child, and the configuration of its discrete parents."""
PINNED = -1
"""The number of the rule behind a row that no expert said."""


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """Rows over some numbers, those of a group.

    at    (rows,) which rows of `Regressed.rows`; PINNED for those that fix a scale
    rate  (rows,) what a limit of the row as written counts for in units of this one, nan where that
          depends on the solution
    """

    at: Ints
    rows: Floats
    limits: Floats
    equal: Bools
    rate: Floats

    def kept(self, which: Bools) -> Linear:
        """Some of the rows."""
        return Linear(
            self.at[which], self.rows[which], self.limits[which], self.equal[which],
            self.rate[which],
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Regressions that hang together by rules.

    means   rows over the coefficients and intercepts of all members, one after the other
    noise   rows over the logs of their variances
    starts  where the coefficients of each member begin, and where the last end
    """

    members: tuple[Member, ...]
    means: Linear
    noise: Linear
    starts: Ints

    @property
    def joins(self) -> bool:
        """Whether a rule joins coefficients of several regressions."""
        return joins(self.means.rows, self.starts)

    def block(self, squares: Mapping[Member, Squares]) -> Block:
        """The problem that this evidence poses."""
        return Block(
            tuple(squares[each] for each in self.members),
            self.means.rows, self.means.limits, self.means.equal,
            self.noise.rows, self.noise.limits, self.noise.equal,
        )  # fmt: skip

    def only(self, rules: Ints, rule: int, *, others: bool) -> Group:
        """The group with only one rule, or with all others; what is pinned stays."""

        def which(linear: Linear) -> Bools:
            own = np.where(linear.at < 0, PINNED, rules[linear.at])
            return np.asarray((own < 0) | ((own != rule) if others else (own == rule)))

        return Group(
            self.members,
            self.means.kept(which(self.means)),
            self.noise.kept(which(self.noise)),
            self.starts,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Ties:
    """Rules about regressions, bound and sorted into groups that do not touch each other."""

    bound: Regressed
    groups: tuple[Group, ...]

    @property
    def members(self) -> tuple[Member, ...]:
        """The regressions that rules speak of."""
        return tuple(each for group in self.groups for each in group.members)

    @property
    def rules(self) -> Ints:
        """(rows,) the rule of each row."""
        return np.array([row.rule for row in self.bound.rows], dtype=np.int64)

    def solved(self, squares: Mapping[Member, Squares]) -> tuple[Tied, ...]:
        """The optimum of every group."""
        return tuple(solve_block(group.block(squares)) for group in self.groups)

    def hold(self, families: Mapping[str, Family], slack: float) -> bool:
        """Whether families obey all rules, to within a share of the terms of each."""
        numbers = np.full(self.bound.slots.size, np.nan)
        for name, at in self.members:
            own = regressions(families[name])[at]
            found = np.concatenate([own.coefficients, [own.intercept, own.sd**2]])
            numbers[self.bound.slots.of_regression(name, at)] = found
        for row in self.bound.rows:
            terms = row.factors * numbers[row.slots]
            off = float(terms.sum()) - row.limit
            size = max(abs(row.limit), float(np.abs(terms).max()))
            if off > slack * size or (row.equal and off < -1e-6 * size):
                return False
        return True


def compile_ties(bound: Regressed, pinned: Sequence[Member] = ()) -> Ties:
    """The rules in groups; a `ConflictError` where they contradict each other.

    pinned  regressions of hidden variables, whose intercept is 0 and whose variance is 1
    """
    groups = [
        _group(bound, members, rows, [each for each in members if each in pinned])
        for members, rows in _apart(bound)
    ]
    found = [each for group in groups for each in _conflicts(bound, group)]
    if found:
        raise conflict_error(tuple(found), 0)
    return Ties(bound, tuple(groups))


def tie_conflicts(bound: Regressed) -> tuple[Conflict, ...]:
    """Smallest sets of rules about regressions that contradict each other."""
    groups = [_group(bound, members, rows, ()) for members, rows in _apart(bound)]
    return tuple(each for group in groups for each in _conflicts(bound, group))


def _apart(bound: Regressed) -> list[tuple[list[Member], list[int]]]:
    """Members and rows of every connected set of regressions."""
    leader: dict[Member, Member] = {}

    def first(member: Member) -> Member:
        while leader.setdefault(member, member) != member:
            member = leader[member]
        return member

    owners = [[_member(bound, int(slot)) for slot in row.slots] for row in bound.rows]
    for own in owners:
        for other in own[1:]:
            leader[first(other)] = first(own[0])
        first(own[0])
    found: dict[Member, tuple[list[Member], list[int]]] = {}
    for member in sorted(leader):
        found.setdefault(first(member), ([], []))[0].append(member)
    for at, own in enumerate(owners):
        found[first(own[0])][1].append(at)
    return list(found.values())


def _member(bound: Regressed, slot: int) -> Member:
    name = bound.slots.child(slot)
    return name, (slot - bound.slots.starts[name]) // width(bound.slots.families[name])


def _group(
    bound: Regressed, members: Sequence[Member], rows: Sequence[int], pinned: Sequence[Member]
) -> Group:
    slots = [bound.slots.of_regression(*member) for member in members]
    means = {int(s): at for at, s in enumerate(np.concatenate([each[:-1] for each in slots]))}
    noise = {int(each[-1]): at for at, each in enumerate(slots)}
    lines: list[tuple[int, Floats, float, bool, float]] = []
    logs: list[tuple[int, Floats, float, bool, float]] = []
    for at in rows:
        row = bound.rows[at]
        if int(row.slots[0]) in noise:
            logs += _log_row(at, row, noise)
        else:
            line = np.zeros(len(means))
            line[[means[int(slot)] for slot in row.slots]] = row.factors
            lines.append((at, line, row.limit, row.equal, 1.0))
    for name, configuration in pinned:
        own = bound.slots.of_regression(name, configuration)
        line, log = np.zeros(len(means)), np.zeros(len(noise))
        line[means[int(own[-2])]], log[noise[int(own[-1])]] = 1.0, 1.0
        lines.append((PINNED, line, 0.0, True, 1.0))
        logs.append((PINNED, log, 0.0, True, 1.0))
    starts = np.concatenate([[0], np.cumsum([each.size - 1 for each in slots])])
    return Group(tuple(members), _linear(lines, len(means)), _linear(logs, len(noise)), starts)


def _log_row(
    at: int, row: Row, noise: Mapping[int, int]
) -> list[tuple[int, Floats, float, bool, float]]:
    """A bound or a ratio of variances as a row over their logs; none where it always holds."""
    line = np.zeros(len(noise))
    places = [noise[int(slot)] for slot in row.slots]
    if len(places) == 1:
        factor, bound = float(row.factors[0]), row.limit / float(row.factors[0])
        if bound <= 0:
            return []
        line[places[0]] = np.sign(factor)
        return [(at, line, float(np.sign(factor) * np.log(bound)), row.equal, 1 / abs(row.limit))]
    up = int(np.argmax(row.factors))
    line[places[up]], line[places[1 - up]] = 1.0, -1.0
    ratio = -float(row.factors[1 - up]) / float(row.factors[up])
    return [(at, line, float(np.log(ratio)), row.equal, np.nan)]


def _linear(lines: Sequence[tuple[int, Floats, float, bool, float]], size: int) -> Linear:
    if not lines:
        none = np.zeros(0)
        return Linear(none.astype(np.int64), np.zeros((0, size)), none, none > 0, none)
    at, rows, limits, equal, rate = zip(*lines, strict=True)
    return Linear(
        np.array(at, np.int64), np.array(rows), np.array(limits), np.array(equal, np.bool_),
        np.array(rate),
    )  # fmt: skip


def _conflicts(bound: Regressed, group: Group) -> Iterator[Conflict]:
    """The fewest rules of a group that contradict each other, if some do."""
    for linear in (group.means, group.noise):
        if _feasible(linear):
            continue
        rules = np.array([PINNED if at < 0 else bound.rows[at].rule for at in linear.at])
        core = sorted(set(rules.tolist()) - {PINNED})
        for rule in list(core):
            fewer = [each for each in core if each != rule]
            if not _feasible(linear.kept(np.isin(rules, [*fewer, PINNED]))):
                core = fewer
        why = "no numbers obey it" if len(core) == 1 else "no numbers obey them together"
        if (rules == PINNED).any():
            why += "; a hidden continuous variable has intercept 0 and variance 1"
        yield Conflict(tuple(bound.rules[number] for number in core), why)


def _feasible(linear: Linear) -> bool:
    from scipy.optimize import linprog

    size = linear.rows.shape[1]
    if not linear.at.size:
        return True
    scale = np.abs(linear.rows).max(axis=1)
    rows, limits = linear.rows / scale[:, None], linear.limits / scale
    equal = linear.equal
    found = linprog(
        np.zeros(size), rows[~equal] if (~equal).any() else None,
        limits[~equal] if (~equal).any() else None, rows[equal] if equal.any() else None,
        limits[equal] if equal.any() else None, bounds=(None, None),
    )  # fmt: skip
    return bool(found.status == 0)


def configurations(bound: Regressed, name: str) -> int:
    """How many regressions a family has."""
    return int(np.prod(shape(bound.slots.families[name]), dtype=np.int64))
