"""Kinds of gaps as the kernel of missing reals wants them: parts, sizes, places in tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from tacit.arrays import Ints
from tacit.infer.normal.groups import Group
from tacit.infer.normal.kinds import Kind, Part, Plan
from tacit.infer.normal.posterior import open_axes

MOST_JOINT = 512
"""Configurations of open states that are weighed one by one; more go through a clique tree."""
MOST_FACTORS = 2**18
"""Numbers in the factors of a group; larger ones are solved as full matrices, one by one."""
MOST_LINES = 2**15
"""Numbers that each case of a group takes."""


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """Parts whose configurations are the same: one with unknowns, or families without any."""

    parts: tuple[Part, ...]

    @property
    def rows(self) -> Ints:
        """The places of all families."""
        return np.concatenate([part.component.rows for part in self.parts])

    @property
    def unknown(self) -> int:
        """How many unknowns there are."""
        return self.parts[0].component.size

    @property
    def many(self) -> int:
        """How many configurations there are."""
        return prod(self.parts[0].shape)

    def choice(self, group: Group) -> Ints:
        """(configurations, rows) the regression each row has."""
        return np.concatenate([p.choice(codes_of(group, p)) for p in self.parts], axis=1)


def _merged(kind: Kind) -> tuple[Merged, ...]:
    apart = [Merged((part,)) for part in kind.parts if part.component.size]
    alike: dict[tuple[int, ...], list[Part]] = {}
    for part in kind.parts:
        if not part.component.size:
            alike.setdefault(part.opened, []).append(part)
    return (*apart, *(Merged(tuple(parts)) for parts in alike.values()))


@dataclass(frozen=True, slots=True, eq=False)
class Size:
    """What a group needs at once: factors, lines per case, configurations, rows and tables."""

    factors: int
    lines: int
    densities: int
    joint: int
    rows: int
    unknown: int
    tables: int

    @staticmethod
    def of(plan: Plan, kind: Kind) -> Size:
        """The sizes of one kind."""
        parts = [(each.many, each.unknown, each.rows.size) for each in _merged(kind)]
        return Size(
            factors=sum(many * unknown * (rows + unknown) for many, unknown, rows in parts),
            lines=sum(many * unknown for many, unknown, _ in parts),
            densities=sum(many for many, _, _ in parts),
            joint=prod(plan.layout.cards[place] for place in kind.opened),
            rows=max((rows for _, _, rows in parts), default=0),
            unknown=max((unknown for _, unknown, _ in parts), default=0),
            tables=len(kind.tables),
        )

    @staticmethod
    def largest(sizes: Sequence[Size]) -> Size:
        """What all of these need, one after the other."""
        return Size(
            *(
                max((getattr(each, name) for each in sizes), default=0)
                for name in Size.__dataclass_fields__
            )
        )

    @property
    def small(self) -> bool:
        """Whether the kernel takes groups of this size."""
        lines = self.lines + self.densities
        return self.joint <= MOST_JOINT and self.factors <= MOST_FACTORS and lines <= MOST_LINES


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A kind as the kernel wants it.

    parts    those with the same configurations together
    of_part  per part its configuration in each that is weighed
    tables   per table where it starts, what of it was observed, the strides of that, and the place
             of each configuration that is weighed
    """

    parts: tuple[Merged, ...]
    of_part: tuple[Ints, ...]
    tables: tuple[tuple[int, Ints, Ints, Ints], ...]

    @staticmethod
    def of(plan: Plan, kind: Kind) -> Shape:
        """The shape of one kind."""
        cards = [plan.layout.cards[place] for place in kind.opened]
        states = np.indices(cards).reshape(len(cards), prod(cards))
        parts = _merged(kind)
        return Shape(
            parts,
            tuple(_of_part(each.parts[0], kind, states) for each in parts),
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


def codes_of(group: Group, part: Part) -> Ints:
    """The observed states that choose the regressions of a part."""
    places = group.kind.held
    at = [places.index(each) for each in part.held]
    return np.asarray(group.codes[at], dtype=np.int64)
