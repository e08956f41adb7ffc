"""A network of tables as flat arrays: one vector of parameters, positions instead of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.errors import NetworkError
from tacit.core.network import Network
from tacit.core.variables import Discrete, Variable
from tacit.families.table import Table
from tacit.infer.chains import Chain, Links, links_in
from tacit.infer.readers import Reader, Reading, readings_in

if TYPE_CHECKING:
    from tacit.kernels.forests import Graph

Number = TypeVar("Number", np.float64, np.int64, np.bool_)


@dataclass(frozen=True, slots=True)
class Axes:
    """One family: where its block of parameters starts, its variables and their strides there."""

    start: int
    variables: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where every family of tables lies in one flat vector of parameters.

    names   the variables; everything else speaks of them by position
    cards   how many states each has
    axes    the family of each: parents..., child
    blocks  start and shape of every block of parameters; tied families share one
    chains  families of independent causes that were taken apart; their links come last
    readings  tables with shared rows that were; what they remember comes behind these
    """

    names: tuple[str, ...]
    cards: tuple[int, ...]
    axes: tuple[Axes, ...]
    blocks: tuple[tuple[int, tuple[int, ...]], ...]
    chains: tuple[Links, ...] = ()
    readings: tuple[Reading, ...] = ()

    @cached_property
    def size(self) -> int:
        """How many parameters there are."""
        start, shape = self.blocks[-1] if self.blocks else (0, (0,))
        return start + prod(shape)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The position of every name."""
        return {name: at for at, name in enumerate(self.names)}

    @cached_property
    def measured(self) -> tuple[str, ...]:
        """The variables that are no links of chains, and nothing remembered."""
        added = sum(len(each.own) for each in self.chains)
        added += sum(len(each.own) for each in self.readings)
        return self.names[: len(self.names) - added]

    @cached_property
    def state_at(self) -> Ints:
        """(variables + 1,) where the states of each variable stand among all states."""
        return np.concatenate([[0], np.cumsum(self.cards)]).astype(np.int64)

    @cached_property
    def touching(self) -> tuple[tuple[int, ...], ...]:
        """For every variable the families it stands in: its own and its children's."""
        found: list[list[int]] = [[] for _ in self.names]
        for family, axes in enumerate(self.axes):
            for variable in axes.variables:
                found[variable].append(family)
        return tuple(map(tuple, found))

    @cached_property
    def neighbours(self) -> tuple[frozenset[int], ...]:
        """The variables that share a family with each: the moral graph."""
        return tuple(
            frozenset(v for family in self.touching[at] for v in self.axes[family].variables) - {at}
            for at in range(len(self.names))
        )

    @cached_property
    def graph(self) -> Graph:
        """All of it as flat arrays, for kernels."""
        from tacit.kernels.forests import Graph
        from tacit.kernels.kinds import order_of_all

        axes_at, axes = _ragged([each.variables for each in self.axes])
        family = np.repeat(np.arange(len(self.axes)), np.diff(axes_at))
        touch_at, touch = _grouped(axes, family, len(self.names))
        near_at, near = _grouped(*_linked(axes_at, axes), len(self.names))
        strides = _ragged([each.strides for each in self.axes])[1]
        starts = np.array([each.start for each in self.axes], dtype=np.int64)
        cards = np.array(self.cards, dtype=np.int64)
        order, rank = np.empty_like(cards), np.empty_like(cards)
        links = (near_at, near, touch_at, touch)
        graph = Graph(cards, *links, axes_at, axes, strides, starts, order, rank)
        order_of_all(graph, order, rank)
        return graph

    @cached_property
    def rows(self) -> tuple[Ints, Ints]:
        """Where each row of the flat parameters starts, and how long it is."""
        lengths = [np.full(prod(shape[:-1]), shape[-1], dtype=np.int64) for _, shape in self.blocks]
        length = np.concatenate(lengths) if lengths else np.zeros(0, dtype=np.int64)
        return np.concatenate([[0], np.cumsum(length)[:-1]]).astype(np.int64), length

    def parameters(self, network: Network) -> Floats:
        """The tables of a network with this layout, in one vector; tied ones must agree."""
        theta = np.empty(self.size)
        for at, name in enumerate(self.names):
            table = network[name]
            assert isinstance(table, Table)
            start = self.axes[at].start
            theta[start : start + table.values.size] = table.values.ravel()
        return theta

    def block(self, flat: npt.NDArray[Number], variable: int) -> npt.NDArray[Number]:
        """The part of a flat vector that belongs to the family of a variable, as a table."""
        shape = tuple(self.cards[v] for v in self.axes[variable].variables)
        start = self.axes[variable].start
        return flat[start : start + prod(shape)].reshape(shape)


def _ragged(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Lists one after the other, and where each starts."""
    at = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(each) for each in lists], out=at[1:])
    return at, np.fromiter(chain.from_iterable(lists), dtype=np.int64, count=int(at[-1]))


def _grouped(key: Ints, value: Ints, keys: int) -> tuple[Ints, Ints]:
    """The values of every key, rising, one list after the other, and where each starts."""
    order = np.lexsort((value, key))
    at = np.zeros(keys + 1, dtype=np.int64)
    np.cumsum(np.bincount(key, minlength=keys), out=at[1:])
    return at, value[order]


def _linked(axes_at: Ints, axes: Ints) -> tuple[Ints, Ints]:
    """Every pair of variables that share a family, both ways, once."""
    size = np.diff(axes_at)
    many = np.repeat(size, size)  # each variable of a family beside all of it
    left = np.repeat(axes, many)
    start = np.repeat(np.repeat(axes_at[:-1], size), many)
    within = np.arange(left.size) - np.repeat(np.cumsum(many) - many, many)
    right = axes[start + within]
    pairs = np.unique(np.stack([left, right], axis=1)[left != right], axis=0)
    return pairs[:, 0], pairs[:, 1]


def layout_of(
    dag: Dag,
    variables: Mapping[str, Variable],
    tied: Iterable[Sequence[str]] = (),
    chains: Sequence[Chain] = (),
    order: Sequence[str] | None = None,
    readers: Sequence[Reader] = (),
) -> Layout:
    """The layout of a dag over discrete variables.

    tied    groups of variables whose families share one table; they must have the same shape
    chains  families of independent causes that were taken apart
    order   of the variables that are no links of these; that of the dag if not given
    readers  tables with shared rows that were taken apart, too
    """
    names = tuple(dag)
    if chains or readers:
        links = [name for chain in chains for name in chain.links]
        links += [name for reader in readers for name in reader.links]
        names = (*(order or [name for name in dag if name not in set(links)]), *links)
    cards = tuple(_card(variables[name]) for name in names)
    places = {name: at for at, name in enumerate(names)}
    leader = {name: group[0] for group in tied for name in group}
    starts: dict[str, int] = {}
    blocks: list[tuple[int, tuple[int, ...]]] = []
    axes, size = [], 0
    for name in names:
        who = tuple(places[other] for other in (*dag.parents[name], name))
        shape = tuple(cards[v] for v in who)
        key = leader.get(name, name)
        if key not in starts:
            starts[key] = size
            blocks.append((size, shape))
            size += prod(shape)
        strides = tuple(prod(shape[at + 1 :]) for at in range(len(shape)))
        axes.append(Axes(starts[key], who, strides))
    return Layout(
        names,
        cards,
        tuple(axes),
        tuple(blocks),
        links_in(places, chains),
        readings_in(places, readers),
    )


def _card(variable: Variable) -> int:
    if not isinstance(variable, Discrete):
        raise NetworkError(f"{variable.name!r} is continuous; exact inference here is for tables")
    return len(variable.states)
