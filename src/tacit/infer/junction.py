"""One clique tree for a whole network, compiled once and cut down by the findings of each case."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Codes
from tacit.infer.cliques import CliqueTree, clique_tree, step_tree
from tacit.infer.flat import Layout
from tacit.infer.programs import Factor, ProgramBuilder
from tacit.infer.triangulation import best_elimination

if TYPE_CHECKING:
    from tacit.kernels.cut import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Junction:
    """A compiled clique tree over all variables: as cliques, and as the kernels run it."""

    layout: Layout
    cliques: CliqueTree
    tree: Tree

    @property
    def width(self) -> int:
        """The most variables of a clique, less one."""
        return max((len(clique) for clique in self.cliques.cliques), default=1) - 1

    @property
    def cells(self) -> int:
        """Of all cliques, without findings."""
        return int(self.tree.program.cells.sum())

    def sizes(self, codes: Codes) -> list[int]:
        """The cells of every clique that findings leave: codes per variable, -1 where open."""
        states = [
            1 if seen else card for seen, card in zip(codes >= 0, self.layout.cards, strict=True)
        ]
        return [prod(states[v] for v in clique) for clique in self.cliques.cliques]


def compile_junction(layout: Layout, joined: tuple[int, ...] = ()) -> Junction:
    """The cheapest tree found; `joined` variables are made to stand in one clique together."""
    neighbours = {v: set(layout.neighbours[v]) for v in range(len(layout.names))}
    for v in joined:
        neighbours[v].update(u for u in joined if u != v)
    return _compiled(layout, clique_tree(best_elimination(neighbours, layout.cards)))


def compile_steps(layout: Layout, last: frozenset[int]) -> Junction:
    """An elimination one variable at a time, those of `last` at the end."""
    neighbours = {v: layout.neighbours[v] for v in range(len(layout.names))}
    return _compiled(layout, step_tree(best_elimination(neighbours, layout.cards, last)))


def _compiled(layout: Layout, cliques: CliqueTree) -> Junction:
    from tacit.kernels.cut import Tree

    factors = [Factor(dict(zip(axes.variables, axes.strides, strict=True))) for axes in layout.axes]
    builder = ProgramBuilder()
    builder.add(cliques, factors, layout.cards)
    home = np.empty(len(layout.names), dtype=np.int64)
    sizes = [prod(layout.cards[v] for v in clique) for clique in cliques.cliques]
    for number in sorted(range(len(sizes)), key=lambda each: -sizes[each]):
        home[list(cliques.cliques[number])] = number
    counts = [len(axes.variables) for axes in layout.axes]
    tree = Tree(
        program=builder.program(),
        variables=np.array([v for clique in cliques.cliques for v in clique], dtype=np.int64),
        home=home,
        axes_at=np.cumsum([0, *counts]).astype(np.int64),
        axes=np.array([v for a in layout.axes for v in a.variables], dtype=np.int64),
        axes_strides=np.array([s for a in layout.axes for s in a.strides], dtype=np.int64),
        starts=np.array([a.start for a in layout.axes], dtype=np.int64),
        most_dims=builder.work()[2],
    )
    return Junction(layout, cliques, tree)
