"""Groups of cases with missing reals as flat arrays, for the kernel that adds up what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.families.conditional_moments import ConditionalMoments
from tacit.infer.normal.frames import Frame
from tacit.infer.normal.groups import Group, Grouped
from tacit.infer.normal.kinds import Kind, Part, Plan
from tacit.infer.normal.posterior import Parameters, open_axes

if TYPE_CHECKING:
    from tacit.kernels import reals_told as told

MOST_JOINT = 512
"""Configurations of open states that are weighed one by one; more go through a clique tree."""
MOST_FACTORS = 2**18
"""Numbers in the factors of a group; larger ones are solved as full matrices, one by one."""
MOST_LINES = 2**15
"""Numbers that each case of a group takes."""


@dataclass(frozen=True, slots=True, eq=False)
class _Size:
    """What a group needs at once: factors, lines per case, configurations, rows and tables."""

    factors: int
    lines: int
    densities: int
    joint: int
    rows: int
    unknown: int
    tables: int

    @staticmethod
    def of(plan: Plan, kind: Kind) -> _Size:
        """The sizes of one kind."""
        parts = [(prod(part.shape), part.component) for part in kind.parts]
        return _Size(
            factors=sum(many * own.size * (own.rows.size + own.size) for many, own in parts),
            lines=sum(many * own.size for many, own in parts),
            densities=sum(many for many, _ in parts),
            joint=prod(plan.layout.cards[place] for place in kind.opened),
            rows=max((own.rows.size for _, own in parts), default=0),
            unknown=max((own.size for _, own in parts), default=0),
            tables=len(kind.tables),
        )

    @property
    def small(self) -> bool:
        """Whether the kernel takes groups of this size."""
        lines = self.lines + self.densities
        return self.joint <= MOST_JOINT and self.factors <= MOST_FACTORS and lines <= MOST_LINES


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    """A kind as the kernel wants it.

    of_part  per part its configuration in each that is weighed
    tables   per table where it starts, what of it was observed, the strides of that, and the place
             of each configuration that is weighed
    """

    kind: Kind
    of_part: tuple[Ints, ...]
    tables: tuple[tuple[int, Ints, Ints, Ints], ...]

    @staticmethod
    def of(plan: Plan, kind: Kind) -> _Shape:
        """The shape of one kind."""
        cards = [plan.layout.cards[place] for place in kind.opened]
        states = np.indices(cards).reshape(len(cards), prod(cards))
        return _Shape(
            kind,
            tuple(_of_part(part, kind, states) for part in kind.parts),
            tuple(_of_table(plan, kind, family, states) for family in kind.tables),
        )


def _of_part(part: Part, kind: Kind, states: Ints) -> Ints:
    found = np.zeros(states.shape[1], np.int64)
    for place, card in zip(part.opened, part.shape, strict=True):
        found = found * card + states[kind.opened.index(place)]
    return found


def _of_table(plan: Plan, kind: Kind, family: int, states: Ints) -> tuple[int, Ints, Ints, Ints]:
    axes = plan.layout.axes[family]
    strides = dict(zip(axes.variables, axes.strides, strict=True))
    opened, seen = open_axes(plan, kind, family)
    found = np.zeros(states.shape[1], np.int64)
    for place in opened:
        found += strides[place] * states[kind.opened.index(place)]
    observed = np.array(seen, np.int64)
    return axes.start, observed, np.array([strides[place] for place in seen], np.int64), found


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """All small groups, for as many steps as there will be.

    need  the room that they take
    many  how many groups there are, those that are not small included
    """

    plan: Plan
    groups: told.Groups
    parts: told.Parts
    tables: told.Tables
    families: told.Regressions
    cases: told.Cases
    need: _Size
    many: int

    @staticmethod
    def of(held: Grouped, weights: Floats, centre: Floats) -> tuple[Compiled, tuple[Group, ...]]:
        """The small groups, and those that are left."""
        from tacit.kernels import reals_told as told

        plan = held.plan
        sizes = {id(group.kind): _Size.of(plan, group.kind) for group in held.groups}
        taken = [group for group in held.groups if sizes[id(group.kind)].small]
        left = tuple(group for group in held.groups if not sizes[id(group.kind)].small)
        kinds = {id(group.kind): group.kind for group in taken}
        shapes = {key: _Shape.of(plan, kind) for key, kind in kinds.items()}
        own = [shapes[id(group.kind)] for group in taken]
        compiled = Compiled(
            plan,
            _groups(taken, [sizes[id(group.kind)].joint for group in taken]),
            _parts(taken, own),
            _tables(own),
            _families(plan.frame, centre),
            told.Cases(held.reals, held.codes, weights),
            _largest([sizes[key] for key in kinds]),
            len(held.groups),
        )
        return compiled, left

    def run(self, parameters: Parameters) -> told.Sums:
        """What the cases say under these parameters."""
        from tacit.kernels import reals_told as told
        from tacit.kernels.unknown_reals import add_expected

        numbers, out = parameters.numbers, self.nothing()
        logs = np.zeros(self.plan.layout.size)
        for axes, own in zip(self.plan.layout.axes, parameters.logs, strict=True):
            if own is not None:
                logs[axes.start : axes.start + own.size] = own.ravel()
        add_expected(
            self.groups, self.parts, self.tables, self.families, self.cases,
            told.Numbers(numbers.slopes, numbers.levels, numbers.noise, logs), self._room(), out,
        )  # fmt: skip
        return out

    def nothing(self) -> told.Sums:
        """Sums of no cases."""
        from tacit.kernels import reals_told as told

        own, frame = self.families, self.plan.frame
        levels = sum(frame.configurations(place) for place in range(len(frame)))
        return told.Sums(
            np.zeros(levels),
            np.zeros(own.sums_at[-1]),
            np.zeros(own.products_at[-1]),
            np.zeros(self.plan.layout.size),
            np.zeros(self.many),
        )

    def sums_of(self, place: int, sums: told.Sums) -> tuple[Floats, Floats, Floats]:
        """Views of the sums of a variable: (configurations,), (..., k) and (..., k, k)."""
        own, level = self.families, int(self.families.level_at[place])
        many = self.plan.frame.configurations(place)
        size = int(own.axes_at[place + 1] - own.axes_at[place])
        return (
            sums.weight[level : level + many],
            sums.sums[own.sums_at[place] : own.sums_at[place + 1]].reshape(many, size),
            sums.products[own.products_at[place] : own.products_at[place + 1]].reshape(
                many, size, size
            ),
        )

    def moments(self, place: int, sums: told.Sums) -> ConditionalMoments:
        """The moments behind the sums of a variable, whose products are lower triangles."""
        own = self.families
        axes = own.axes[own.axes_at[place] : own.axes_at[place + 1]]
        weight, first, second = self.sums_of(place, sums)
        whole = np.tril(second) + np.tril(second, -1).swapaxes(1, 2)
        return centred(weight, first, whole, own.centre[axes])

    def _room(self) -> told.Room:
        from tacit.kernels import reals_told as told

        need, variables, block = self.need, len(self.plan.frame), told.BLOCK
        return told.Room(
            column=np.empty(variables, np.int64),
            factors=np.empty(need.factors),
            constant=np.empty(need.densities),
            held=np.empty((variables + need.lines, block)),
            right=np.empty((need.rows, block)),
            turned=np.empty((need.unknown, block)),
            density=np.empty((need.densities, block)),
            joint=np.empty((need.joint, block)),
            mass=np.empty(block),
            base=np.empty((need.tables, block), np.int64),
            total=np.empty(need.densities),
        )


def _largest(sizes: Sequence[_Size]) -> _Size:
    return _Size(
        *(
            max((getattr(each, name) for each in sizes), default=0)
            for name in _Size.__dataclass_fields__
        )
    )


def _ranges(found: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Where each begins, with the end of the last, and all in one."""
    ends = np.cumsum([0, *(each.size for each in found)])
    return ends, np.concatenate([np.zeros(0, np.int64), *found]).astype(np.int64)


def _groups(taken: Sequence[Group], joint: Sequence[int]) -> told.Groups:
    from tacit.kernels import reals_told as told

    cases_at, cases = _ranges([group.cases for group in taken])
    parts_at = np.cumsum([0, *(len(group.kind.parts) for group in taken)])
    tables_at = np.cumsum([0, *(len(group.kind.tables) for group in taken)])
    return told.Groups(cases_at, cases, parts_at, tables_at, np.array(joint, np.int64))


def _parts(taken: Sequence[Group], shapes: Sequence[_Shape]) -> told.Parts:
    from tacit.kernels import reals_told as told

    parts = [part for group in taken for part in group.kind.parts]
    rows_at, rows = _ranges([part.component.rows for part in parts])
    choice_at, choice = _ranges(
        [part.choice(codes_of(group, part)).ravel() for group in taken for part in group.kind.parts]
    )
    joint_at, of_joint = _ranges([each for shape in shapes for each in shape.of_part])
    unknown = np.array([part.component.size for part in parts], np.int64)
    many = np.array([prod(part.shape) for part in parts], np.int64)
    return told.Parts(rows_at, rows, unknown, many, choice_at, choice, joint_at, of_joint)


def _tables(shapes: Sequence[_Shape]) -> told.Tables:
    from tacit.kernels import reals_told as told

    tables = [each for shape in shapes for each in shape.tables]
    seen_at, seen = _ranges([each[1] for each in tables])
    _, strides = _ranges([each[2] for each in tables])
    joint_at, of_joint = _ranges([each[3] for each in tables])
    start = np.array([each[0] for each in tables], np.int64)
    return told.Tables(start, seen_at, seen, strides, joint_at, of_joint)


def _families(frame: Frame, centre: Floats) -> told.Regressions:
    from tacit.kernels import reals_told as told

    own = [np.append(near, place) for place, near in enumerate(frame.parents)]
    axes_at, axes = _ranges(own)
    many = [frame.configurations(place) for place in range(len(frame))]
    sums = [count * each.size for count, each in zip(many, own, strict=True)]
    products = [count * each.size**2 for count, each in zip(many, own, strict=True)]
    return told.Regressions(
        axes_at, axes, frame.slope_at, frame.level_at,
        np.cumsum([0, *sums]), np.cumsum([0, *products]), centre,
    )  # fmt: skip


def codes_of(group: Group, part: Part) -> Ints:
    """The observed states that choose the regressions of a part."""
    places = group.kind.held
    at = [places.index(each) for each in part.held]
    return np.asarray(group.codes[at], dtype=np.int64)


def centred(weight: Floats, sums: Floats, products: Floats, centre: Floats) -> ConditionalMoments:
    """The moments behind sums about a centre, regression by regression."""
    off = sums / np.where(weight > 0, weight, 1.0)[:, None]
    scatter = products - weight[:, None, None] * off[:, :, None] * off[:, None, :]
    diagonal = np.arange(off.shape[1])
    scatter[:, diagonal, diagonal] = np.maximum(scatter[:, diagonal, diagonal], 0.0)
    means = np.where(weight[:, None] > 0, centre + off, 0.0)
    return ConditionalMoments(weight, means, scatter)
