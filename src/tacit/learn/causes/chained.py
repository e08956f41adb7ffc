"""Families of independent causes inside EM: chains of small tables beside whole cases.

A case of which nothing around the family is missing counts by its own likelihood, which is concave;
in any other the family is a chain, and what each cause did there is expected. Both together are
what the links are estimated from: the likelihood of the whole cases as it is, and the bound of EM
for the rest, which touches the likelihood at the present parameters. So no step lowers the
objective. [EST 1.9; Alg 3.3.3]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, quoted
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.engines.causes import cause_counts
from tacit.estimate.causes.likelihood import causes_log_likelihood
from tacit.families.cause_counts import CauseCounts
from tacit.families.causes import Causes, Frame
from tacit.families.noisy import Noisy
from tacit.families.table import Table
from tacit.infer.chains import Chain, chains_of
from tacit.infer.flat import Layout, layout_of
from tacit.learn.causes.counting import log_density, most_likely_causes
from tacit.learn.causes.kinds import Caused


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """One family of independent causes in EM.

    seen    the cases that lack nothing of it
    pseudo  (causes + 1, levels) what the estimate adds to every cause
    """

    caused: Caused
    chain: Chain
    layout: Layout
    seen: CauseCounts
    pseudo: Floats

    @property
    def name(self) -> str:
        """The child."""
        return self.chain.child

    @property
    def _frame(self) -> Frame:
        return self.caused.frame

    def leak(self, flat: Floats) -> Floats:
        """The block of the first link, what comes about though no parent has an effect."""
        return self.layout.block(flat, self.layout.places[self.chain.links[0]])

    def stages(self, flat: Floats) -> list[tuple[int, Floats]]:
        """Per parent, by number, its block: [link before, parent, link after]."""
        names = (*self.chain.links[1:], self.chain.child)
        blocks = [self.layout.block(flat, self.layout.places[name]) for name in names]
        return list(zip(self.chain.parents, blocks, strict=True))

    def causes(self, theta: Floats) -> Causes:
        """What these parameters say that each cause does: where nothing came before, the link
        after it is what the cause itself brought about."""
        frame, order = self._frame, list(self._frame.order)
        by_parent = {at: block[order[0]][:, order] for at, block in self.stages(theta)}
        rows = [by_parent[at][state] for at, state in frame.causes]
        values = np.array([*rows, self.leak(theta)[order]])
        return Causes(frame, values / values.sum(axis=1, keepdims=True))

    def write(self, theta: Floats, causes: Causes) -> None:
        """The tables of the chain, written into parameters."""
        self.leak(theta)[...] = causes.leak()
        stages = causes.stages(self.chain.parents)
        for (_, block), values in zip(self.stages(theta), stages, strict=True):
            block[...] = values / values.sum(axis=-1, keepdims=True)

    def counts(self, expected: Floats) -> CauseCounts:
        """What was seen, and what is expected of each cause where nothing before it had gone as
        far: hits where it reached a level, misses where it stayed below."""
        frame, order = self._frame, list(self._frame.order)
        found = np.zeros((len(frame) + 1, frame.levels - 1, 2))
        blocks = {
            at: block[order][:, :, order] for at, block in self.stages(np.maximum(expected, 0.0))
        }
        leak = np.maximum(self.leak(expected)[order], 0.0)
        for level in range(1, frame.levels):
            told = {at: block[:level].sum(axis=0) for at, block in blocks.items()}
            for row, (at, state) in enumerate(frame.causes):
                found[row, level - 1] = told[at][state, :level].sum(), told[at][state, level]
            found[-1, level - 1] = leak[:level].sum(), leak[level]
        return CauseCounts(self.seen.shape, self.seen.seen, self.seen.values, found)

    def estimated(self, expected: Floats) -> Causes:
        """The most likely strengths given what was seen and what is expected."""
        return most_likely_causes(self.caused, self.counts(expected), self.pseudo).causes

    def near(self, random: np.random.Generator, first: bool) -> Causes:
        """Strengths near what the cases say that lack nothing; shaken, unless it is the first."""
        frame = self._frame
        near = most_likely_causes(self.caused, self.seen, self.pseudo + 1.0).causes.values
        if not first:
            shaken = random.standard_gamma(np.maximum(near * frame.levels, 0.2)) + 1e-6
            near = 0.5 * near + 0.5 * shaken / shaken.sum(axis=1, keepdims=True)
        return self.obedient(Causes(frame, near))

    def drawn(self, random: np.random.Generator) -> Causes:
        """Strengths at random, as beside a hidden variable, whose states nothing tells apart."""
        rows = random.standard_gamma(np.ones((len(self._frame) + 1, self._frame.levels))) + 1e-6
        return self.obedient(Causes(self._frame, rows / rows.sum(axis=1, keepdims=True)))

    def obedient(self, causes: Causes) -> Causes:
        """The strengths nearest to these in divergence that obey the rules about them."""
        if self.caused.limits is None:
            return causes
        shape = self.seen.shape
        nothing = CauseCounts(shape, self.seen.seen[:0], np.zeros((0, shape[-1])))
        return most_likely_causes(self.caused, nothing, causes.values).causes


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """All families of independent causes of a network in EM.

    constant  flat counts of chains in cases that leave no doubt what its links are, though some
              parent is missing
    """

    families: tuple[Linked, ...]
    constant: Floats

    def maximised(self, theta: Floats, expected: Floats) -> Floats:
        """The parameters with the chains of these families estimated from expected counts."""
        for each in self.families:
            each.write(theta, each.estimated(expected))
        return theta

    def straightened(self, theta: Floats) -> Floats:
        """Parameters whose chains are those of independent causes: rows that say what a cause
        does alone are kept, the others follow."""
        theta = theta.copy()
        for each in self.families:
            each.write(theta, each.obedient(each.causes(theta)))
        return theta

    def values(self, theta: Floats) -> tuple[float, float]:
        """The log-likelihood of the families in the cases that lack nothing of them, and that
        with what the prior adds."""
        likelihood = density = 0.0
        for each in self.families:
            causes = each.causes(theta)
            likelihood += causes_log_likelihood(causes, each.seen)
            density += log_density(causes, each.pseudo)
        return likelihood, likelihood + density

    def begun(
        self, theta: Floats, hidden: Sequence[int], random: np.random.Generator, first: bool
    ) -> Floats:
        """Where a run starts."""
        for each in self.families:
            places = {each.layout.places[v.name] for v in each.caused.frame.variables}
            beside = not places.isdisjoint(hidden)
            each.write(theta, each.drawn(random) if beside else each.near(random, first))
        return theta

    @property
    def chains(self) -> tuple[Chain, ...]:
        """One per family."""
        return tuple(each.chain for each in self.families)

    @property
    def members(self) -> frozenset[int]:
        """The variables whose states have a meaning here: parents and children."""
        return frozenset(
            each.layout.places[v.name]
            for each in self.families
            for v in each.caused.frame.variables
        )


def chained(
    dag: Dag, families: Mapping[str, tuple[Discrete, ...]], causes: Mapping[str, Caused]
) -> tuple[Dag, dict[str, Discrete], tuple[Chain, ...]]:
    """The dag with every family of independent causes as a chain, and all variables of it."""
    variables = {name: axes[-1] for name, axes in families.items()}
    chains = chains_of(dag, variables, {name: each.frame for name, each in causes.items()})
    arcs: dict[str, tuple[str, ...]] = {name: dag.parents[name] for name in dag.names}
    for chain in chains:
        arcs |= chain.arcs()
        variables |= chain.variables()
    return Dag(arcs), variables, chains


def chained_layout(
    dag: Dag,
    families: Mapping[str, tuple[Discrete, ...]],
    causes: Mapping[str, Caused],
    tied: Sequence[Sequence[str]],
) -> tuple[Layout, tuple[Chain, ...]]:
    """The flat layout of the network with its chains, links last."""
    whole, variables, chains = chained(dag, families, causes)
    return layout_of(whole, variables, tied, chains, tuple(dag)), chains


def links_of(
    layout: Layout,
    chains: Sequence[Chain],
    causes: Mapping[str, Caused],
    pseudo: Mapping[str, Floats],
    data: Dataset,
) -> Links:
    """What EM needs of the families of independent causes, counted once."""
    found = []
    for chain in chains:
        caused = causes[chain.child]
        seen = _whole(data, caused.frame)
        found.append(Linked(caused, chain, layout, seen, pseudo[chain.child]))
    return Links(tuple(found), _settled(layout, found, data))


def _whole(data: Dataset, frame: Frame) -> CauseCounts:
    if all(variable.name in data for variable in frame.variables):
        return cause_counts(data, frame, available=True)
    shape = tuple(len(variable.states) for variable in frame.variables)
    none = np.zeros((0, len(shape) - 1), dtype=np.int64)
    return CauseCounts(shape, none, np.zeros((0, shape[-1])))


def _settled(layout: Layout, families: Sequence[Linked], data: Dataset) -> Floats:
    """Counts of chains whose child is seen at its lowest: every link is, too, and a cause whose
    parent is seen was missed for certain."""
    flat = np.zeros(layout.size)
    weights = np.ones(len(data)) if data.weights is None else data.weights
    for each in families:
        if each.name not in data:
            continue
        frame, lowest = each.caused.frame, each.caused.frame.order[0]
        low = data[each.name] == lowest
        columns = [data.columns.get(v.name) for v in frame.variables[:-1]]
        whole = np.ones(len(data), dtype=np.bool_)
        for column in columns:
            whole &= False if column is None else column >= 0
        low &= ~whole
        each.leak(flat)[lowest] += weights[low].sum()
        for at, block in each.stages(flat):
            column = columns[at]
            if column is not None:
                used = low & (column >= 0)
                np.add.at(block, (lowest, column[used].astype(np.int64), lowest), weights[used])
    return flat


def with_tables(network: Network, chains: Sequence[Chain]) -> Network:
    """A network with these families written as the tables of their chains."""
    families = dict(network.families)
    variables = dict(network.variables)
    for chain in chains:
        family = network[chain.child]
        if not isinstance(family, Noisy) or family.causes.frame.order != chain.frame.order:
            raise OptionError(
                f"{quoted(chain.child)} is to have links, and in the network to start from it has "
                'none such\n\nleave out start="given"'
            )
        tables: dict[str, Table] = {table.child: table for table in chain.tables(family)}
        families |= tables
        variables |= chain.variables()
    arcs = {name: family.parents for name, family in families.items()}
    return Network(Dag(arcs), variables, families)
