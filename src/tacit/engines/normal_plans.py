"""Groups of cases with missing reals as flat arrays, for the kernel that adds up what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.engines.normal_shapes import Shape, Size
from tacit.families.conditional_moments import ConditionalMoments
from tacit.infer.normal.frames import Frame
from tacit.infer.normal.groups import Group, Grouped
from tacit.infer.normal.kinds import Plan
from tacit.infer.normal.posterior import Parameters

if TYPE_CHECKING:
    from tacit.kernels import reals_told as told


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
    need: Size
    many: int

    @staticmethod
    def of(held: Grouped, weights: Floats, centre: Floats) -> tuple[Compiled, tuple[Group, ...]]:
        """The small groups, and those that are left."""
        from tacit.kernels import reals_told as told

        plan = held.plan
        sizes = {id(group.kind): Size.of(plan, group.kind) for group in held.groups}
        taken = [group for group in held.groups if sizes[id(group.kind)].small]
        left = tuple(group for group in held.groups if not sizes[id(group.kind)].small)
        kinds = {id(group.kind): group.kind for group in taken}
        shapes = {key: Shape.of(plan, kind) for key, kind in kinds.items()}
        own = [shapes[id(group.kind)] for group in taken]
        compiled = Compiled(
            plan,
            _groups(taken, own, [sizes[id(group.kind)].joint for group in taken]),
            _parts(taken, own),
            _tables(own),
            _families(plan.frame, centre),
            told.Cases(held.reals, held.codes, weights),
            Size.largest([sizes[key] for key in kinds]),
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


def _ranges(found: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Where each begins, with the end of the last, and all in one."""
    ends = np.cumsum([0, *(each.size for each in found)])
    return ends, np.concatenate([np.zeros(0, np.int64), *found]).astype(np.int64)


def _groups(taken: Sequence[Group], shapes: Sequence[Shape], joint: Sequence[int]) -> told.Groups:
    from tacit.kernels import reals_told as told

    cases_at, cases = _ranges([group.cases for group in taken])
    parts_at = np.cumsum([0, *(len(shape.parts) for shape in shapes)])
    tables_at = np.cumsum([0, *(len(group.kind.tables) for group in taken)])
    return told.Groups(cases_at, cases, parts_at, tables_at, np.array(joint, np.int64))


def _parts(taken: Sequence[Group], shapes: Sequence[Shape]) -> told.Parts:
    from tacit.kernels import reals_told as told

    parts = [part for shape in shapes for part in shape.parts]
    groups = [group for group, shape in zip(taken, shapes, strict=True) for _ in shape.parts]
    rows_at, rows = _ranges([part.rows for part in parts])
    choices = [part.choice(group).ravel() for part, group in zip(parts, groups, strict=True)]
    choice_at, choice = _ranges(choices)
    joint_at, of_joint = _ranges([each for shape in shapes for each in shape.of_part])
    unknown = np.array([part.unknown for part in parts], np.int64)
    many = np.array([part.many for part in parts], np.int64)
    return told.Parts(rows_at, rows, unknown, many, choice_at, choice, joint_at, of_joint)


def _tables(shapes: Sequence[Shape]) -> told.Tables:
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


def centred(weight: Floats, sums: Floats, products: Floats, centre: Floats) -> ConditionalMoments:
    """The moments behind sums about a centre, regression by regression."""
    off = sums / np.where(weight > 0, weight, 1.0)[:, None]
    scatter = products - weight[:, None, None] * off[:, :, None] * off[:, None, :]
    diagonal = np.arange(off.shape[1])
    scatter[:, diagonal, diagonal] = np.maximum(scatter[:, diagonal, diagonal], 0.0)
    means = np.where(weight[:, None] > 0, centre + off, 0.0)
    return ConditionalMoments(weight, means, scatter)
