"""Sets of missing variables that hang together, compiled: what has to be computed of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from tacit.arrays import Codes, Ints
from tacit.core.errors import SizeError, listed
from tacit.core.network import Network
from tacit.core.variables import Discrete, Variable
from tacit.infer.flat import Layout, layout_of
from tacit.infer.normal.components import Component, component_of, observed_family
from tacit.infer.normal.frames import Frame, frame_of

MOST_NUMBERS = 2**27
"""Numbers that the equations of one component may take in all its configurations."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A network as missing cells see it.

    layout  all variables, a continuous one being of one state: which are missing together
    coded   the variables as the layout has them
    frame   the continuous families
    real    per variable of the layout its place in the frame, -1 if it is discrete
    """

    layout: Layout
    coded: Mapping[str, Discrete]
    frame: Frame
    real: Ints

    def place(self, real: int) -> int:
        """Where a continuous variable stands in the layout."""
        return self.layout.places[self.frame.names[real]]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A component of continuous variables, and the discrete ones that choose its regressions.

    opened  discrete parents whose state is open, places in the layout; the component has one set
            of equations for each configuration of them
    shape   how many states each has
    held    discrete parents whose state was observed
    of_opened, of_held  (rows, parents) the stride of each in the configurations of each family
    """

    component: Component
    opened: tuple[int, ...]
    shape: tuple[int, ...]
    held: tuple[int, ...]
    of_opened: Ints
    of_held: Ints

    def choice(self, codes: Codes) -> Ints:
        """(configurations, rows) the regression each row has; `codes` of the held parents."""
        grid = np.indices(self.shape).reshape(len(self.shape), prod(self.shape))
        return np.asarray((self.of_opened @ grid).T + self.of_held @ codes.astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """What is missing together.

    reals   places in the frame
    opened  discrete variables, places in the layout
    parts   the continuous components, and observed families whose discrete parents are open
    tables  the discrete families that speak of an open variable, places in the layout
    """

    reals: Ints
    opened: tuple[int, ...]
    parts: tuple[Part, ...]
    tables: tuple[int, ...]

    @property
    def held(self) -> tuple[int, ...]:
        """The observed discrete variables that choose regressions."""
        return tuple(sorted({place for part in self.parts for place in part.held}))


def plan_of(network: Network) -> Plan:
    """The plan of a network of tables, linear and conditional Gaussians."""
    frame = frame_of(network)
    coded = {name: _coded(network.variables[name]) for name in network}
    layout = layout_of(network.dag, coded)
    real = np.array([frame.places.get(name, -1) for name in layout.names], np.int64)
    return Plan(layout, coded, frame, real)


def _coded(variable: Variable) -> Discrete:
    return variable if isinstance(variable, Discrete) else Discrete(variable.name, ("real",))


def kind_of(plan: Plan, members: Ints) -> Kind:
    """The kind of these missing variables, places in the layout."""
    reals = np.sort(plan.real[members])
    reals = reals[reals >= 0]
    opened = tuple(sorted(members[plan.real[members] < 0].tolist()))
    missing = set(members.tolist())
    parts = [part_of(plan, component_of(plan.frame, each), missing) for each in _apart(plan, reals)]
    taken = {int(row) for part in parts for row in part.component.rows}
    touched = sorted({family for place in opened for family in plan.layout.touching[place]})
    for family in touched:
        place = int(plan.real[family])
        if place >= 0 and place not in taken:
            parts.append(part_of(plan, observed_family(plan.frame, place), missing))
    tables = tuple(family for family in touched if plan.real[family] < 0)
    return Kind(reals, opened, tuple(parts), tables)


def _apart(plan: Plan, reals: Ints) -> Iterable[Ints]:
    """The continuous variables in components: those of one share families with each other."""
    left, layout = set(reals.tolist()), plan.layout
    while left:
        first = min(left)
        left.discard(first)
        found, waiting = [first], [first]
        while waiting:
            for near in layout.neighbours[plan.place(waiting.pop())]:
                real = int(plan.real[near])
                if real in left:
                    left.discard(real)
                    found.append(real)
                    waiting.append(real)
        yield np.array(sorted(found), np.int64)


def part_of(plan: Plan, component: Component, missing: set[int]) -> Part:
    """A component with the discrete parents of its rows, those among `missing` being open."""
    places = plan.layout.places
    switches = [plan.frame.switches[row] for row in component.rows.tolist()]
    every = sorted({places[each.name] for switch in switches for each in switch})
    opened = tuple(place for place in every if place in missing)
    held = tuple(place for place in every if place not in missing)
    shape = tuple(plan.layout.cards[place] for place in opened)
    _check_size(plan, component, opened, shape)
    strides = np.zeros((len(switches), len(every)), np.int64)
    for row, switch in enumerate(switches):
        cards = [len(each.states) for each in switch]
        for at, each in enumerate(switch):
            strides[row, every.index(places[each.name])] = prod(cards[at + 1 :])
    is_open = np.array([place in missing for place in every], np.bool_)
    return Part(component, opened, shape, held, strides[:, is_open], strides[:, ~is_open])


def _check_size(
    plan: Plan, component: Component, opened: Sequence[int], shape: Sequence[int]
) -> None:
    many = prod(shape)
    if many > 1 and many * component.rows.size * max(1, component.size) > MOST_NUMBERS:
        names = listed((plan.layout.names[place] for place in opened), 8)
        first = plan.frame.names[int(component.rows[0])]
        raise SizeError(
            f"the distribution of {first!r} and what is unknown with it is a mixture of {many:,} "
            f"normals, one for each configuration of {names}; that is too many to be exact"
            "\n\nobserve some of these, or more of the continuous variables"
        )
