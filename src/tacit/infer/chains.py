"""Families of independent causes as chains of small tables, so that no clique holds all parents.

child = max(leak, Z_1, ..., Z_n) becomes Y_0 = leak, Y_i = max(Y_{i-1}, Z_i), child = Y_n: further
variables with as many states as the child, each with a table of three axes. Any question about the
network has the same answer, and cliques grow no longer with the number of parents. (Heckerman and
Breese 1996; Díez and Galán 2003 compare such decompositions)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Codes, Floats
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import SizeError, quoted
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.core.variables import Discrete, Variable
from tacit.families.causes import Frame
from tacit.families.noisy import Noisy
from tacit.families.shared import SharedRows
from tacit.families.table import Table
from tacit.infer.readers import Reader, readers_of
from tacit.infer.triangulation import eliminate

if TYPE_CHECKING:
    from tacit.infer.flat import Layout

FEW_CELLS = 32
"""Tables up to this size are written out rather than taken apart."""
MOST_CELLS = 2**20
"""Tables up to this size are written out where nothing else will do."""


@dataclass(frozen=True, slots=True)
class Chain:
    """One family taken apart.

    parents  in the order of the chain, by their number among the parents of the family
    links    the names of Y_0, ..., Y_{n-1}; Y_n is the child itself
    """

    child: str
    frame: Frame
    parents: tuple[int, ...]
    links: tuple[str, ...]

    def arcs(self) -> dict[str, tuple[str, ...]]:
        """The parents of every link, then of the child."""
        names = [variable.name for variable in self.frame.variables]
        follows = zip((*self.links[1:], self.child), self.links, self.parents, strict=True)
        rest = {after: (before, names[parent]) for after, before, parent in follows}
        return {self.links[0]: (), **rest}

    def variables(self) -> dict[str, Discrete]:
        """The links as variables, with the states of the child."""
        states = self.frame.variables[-1].states
        return {name: Discrete(name, states) for name in self.links}

    def axes(self) -> dict[str, tuple[Discrete, ...]]:
        """Parents..., child of every link, then of the child."""
        own = {variable.name: variable for variable in self.frame.variables} | self.variables()
        return {
            name: tuple(own[other] for other in (*parents, name))
            for name, parents in self.arcs().items()
        }

    def tables(self, family: Noisy) -> Iterator[Table]:
        """The tables of the links, then of the child."""
        causes, axes = family.causes, self.axes()
        yield Table(axes[self.links[0]], causes.leak())
        stages = causes.stages(self.parents)
        for name, stage in zip((*self.links[1:], self.child), stages, strict=True):
            yield Table(axes[name], stage / stage.sum(axis=-1, keepdims=True))


def chains_of(
    dag: Dag, variables: Mapping[str, Variable], frames: Mapping[str, Frame]
) -> tuple[Chain, ...]:
    """A chain for each of these families, its parents in an order that serves elimination: that
    in which a good elimination of the network takes them, where each family is a star."""
    place = _order(dag, variables, frames) if frames else {}
    taken = set(dag.names)
    found = []
    for child, frame in frames.items():
        names = dag.parents[child]
        parents = tuple(map(int, np.argsort([place[name] for name in names], kind="stable")))
        heads = ["the leak", *(quoted(names[at]) for at in parents[:-1])]
        links = tuple(_fresh(f"{child} up to {head}", taken) for head in heads)
        found.append(Chain(child, frame, parents, links if parents else ()))
    return tuple(chain for chain in found if chain.parents)


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    taken.add(name)
    return name


def _order(
    dag: Dag, variables: Mapping[str, Variable], frames: Mapping[str, Frame]
) -> dict[str, int]:
    names = tuple(dag)
    place = {name: at for at, name in enumerate(names)}
    near: dict[int, set[int]] = {at: set() for at in range(len(names))}
    cards = {place[name]: _card(variables[name]) for name in names}
    for name in names:
        around = [place[other] for other in (*dag.parents[name], name)]
        if name in frames:
            star = len(near)
            near[star], cards[star] = set(), cards[place[name]]
            pairs = [(star, other) for other in around]
        else:
            pairs = [(one, other) for one in around for other in around if one != other]
        for one, other in pairs:
            near[one].add(other)
            near[other].add(one)
    order = eliminate(near, cards).order
    rank = {v: at for at, v in enumerate(order)}
    return {name: rank[at] for name, at in place.items()}


def _card(variable: Variable) -> int:
    return len(variable.states) if isinstance(variable, Discrete) else 1


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """A network of tables only, and the families that became several of them."""

    network: Network
    chains: tuple[Chain, ...] = ()
    readers: tuple[Reader, ...] = ()


def taken_apart(network: Network) -> Apart:
    """The network with tables only: large families of independent causes as chains, large tables
    with shared rows as readers, small ones of either kind written out."""
    shared = {name: each for name, each in network.families.items() if isinstance(each, SharedRows)}
    whole, chains = _unchained(network)
    if not shared:
        return Apart(whole, chains)
    readers = readers_of(shared, set(whole.dag.names))
    large = {reader.family.child for reader in readers}
    families = {**whole.families}
    families |= {name: each.to_table() for name, each in shared.items() if name not in large}
    families |= {table.child: table for reader in readers for table in reader.tables()}
    variables = {name: each for reader in readers for name, each in reader.variables().items()}
    arcs = {name: family.parents for name, family in families.items()}
    found = Network(Dag(arcs), {**whole.variables, **variables}, families)
    return Apart(found, chains, readers)


def _unchained(network: Network) -> tuple[Network, tuple[Chain, ...]]:
    """The network with families of independent causes as chains or tables."""
    noisy = {name: each for name, each in network.families.items() if isinstance(each, Noisy)}
    if not noisy:
        return network, ()
    large = {
        name: each.causes.frame
        for name, each in noisy.items()
        if prod(len(variable.states) for variable in each.variables) > FEW_CELLS
    }
    chains = chains_of(network.dag, network.variables, large)
    tables = {name: each.to_table() for name, each in noisy.items() if name not in large}
    families = {**network.families, **tables}
    for chain in chains:
        family = noisy[chain.child]
        families |= {table.child: table for table in chain.tables(family)}
    arcs = {name: family.parents for name, family in families.items()}
    added = {name: each for chain in chains for name, each in chain.variables().items()}
    return Network(Dag(arcs), {**network.variables, **added}, families), chains


def written_out(network: Network, what: str) -> Network:
    """The network with every family of independent causes, and every one with shared rows, as a
    table; an error where one is too large for that.

    what: that needs tables, for the error
    """
    families = dict(network.families)
    if not any(isinstance(family, Noisy | SharedRows) for family in families.values()):
        return network
    for name, family in network.families.items():
        if isinstance(family, Noisy | SharedRows):
            cells = prod(len(variable.states) for variable in family.variables)
            if cells > MOST_CELLS:
                raise SizeError(
                    f"{what} needs the table of {quoted(name)}, and its {family.kind} with "
                    f"{counted(len(family.parents), 'parent')} would fill {cells:,} cells; the "
                    f"most that is written out is {MOST_CELLS:,}"
                )
            families[name] = family.to_table()
    return Network(network.dag, network.variables, families)


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """A chain in numbers: positions in a layout.

    around  the child and its parents
    own     Y_0, ..., Y_{n-1}
    lowest  the child's state that nothing brings about
    """

    child: int
    around: tuple[int, ...]
    own: tuple[int, ...]
    lowest: int


def links_in(places: Mapping[str, int], chains: Sequence[Chain]) -> tuple[Links, ...]:
    """The chains by position."""
    return tuple(
        Links(
            places[chain.child],
            tuple(places[variable.name] for variable in chain.frame.variables),
            tuple(places[name] for name in chain.links),
            chain.frame.order[0],
        )
        for chain in chains
    )


def settle(layout: Layout, codes: Codes, whole: bool = False) -> None:
    """Fill in what is known of chains: where the child is at its lowest, so is every link.

    codes  (cases, variables)
    whole  also those of families of which nothing is missing, whose state then matters to nobody
           who asks about missing pieces alone
    """
    for chain in layout.chains:
        low = codes[:, chain.child] == chain.lowest
        if whole:
            low |= (codes[:, chain.around] >= 0).all(axis=1)
        codes[np.ix_(low, chain.own)] = chain.lowest
    for reading in layout.readings:
        reading.settle(codes)


def settled_masses(network: Network, layout: Layout, cases: Dataset) -> Floats:
    """(cases,) log P of what chains hold whose child is at its lowest, of the parents that are
    seen: their links are settled, so that no missing piece counts it.

    Families of which nothing is missing are counted whole elsewhere.
    """
    total = np.zeros(len(cases))
    for chain in layout.chains:
        family = network[layout.names[chain.child]]
        assert isinstance(family, Noisy)
        if family.child not in cases:
            continue
        low = cases[family.child] == chain.lowest
        columns = {name: cases[name] for name in family.parents if name in cases}
        seen = np.array([column >= 0 for column in columns.values()]).reshape(-1, len(cases))
        low &= ~((len(columns) == len(family.parents)) & seen.all(axis=0))
        stays = family.causes.logs.sum(axis=1)
        total[low] += stays[len(family.causes.frame)]
        for states, name in zip(family.causes.frame.cause_of, family.parents, strict=True):
            if name in columns:
                used = low & (columns[name] >= 0)
                total[used] += stays[states[columns[name][used]]]
    return total


def impossible_causes(network: Network, layout: Layout, cases: Dataset) -> Bools:
    """(cases,) whether what is seen of some family that is no table cannot be."""
    gone: Bools = np.isneginf(settled_masses(network, layout, cases))
    for name in network:
        family = network[name]
        if isinstance(family, Noisy | SharedRows) and all(
            each in cases for each in (*family.parents, name)
        ):
            seen = [cases[each] for each in (*family.parents, name)]
            gone |= np.isneginf(family.log_prob(seen))
    return gone
