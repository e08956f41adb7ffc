"""The auxiliary network of a row: parameters, counts and rules as variables of a network.

MPL-C infers the parameters of a row in a network of its own, in which every parameter, every count
and every rule is a variable, and counts, the sum and the rules are observed. `tc.posterior`
computes what inference there would give; this shows the network. [estimation 3.2, Figure 1]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.errors import OptionError, listed, nearest
from tacit.core.grid import Grid, number
from tacit.knowledge.expansion import cell_label, instance
from tacit.learn.posteriors import Posterior


@dataclass(frozen=True, slots=True)
class AuxiliaryNode:
    """One variable of an auxiliary network; `observed` is its finding in words, or empty."""

    name: str
    kind: str
    parents: tuple[str, ...]
    distribution: str
    observed: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Auxiliary:
    """The auxiliary network of one row, and of rows that rules tie to it."""

    row: str
    nodes: tuple[AuxiliaryNode, ...]

    @property
    def dag(self) -> Dag:
        """Its structure."""
        return Dag({node.name: node.parents for node in self.nodes})

    def __str__(self) -> str:
        heads = ("variable", "kind", "parents", "distribution", "observed")
        rows = tuple(
            (node.name, node.kind, ", ".join(node.parents), node.distribution, node.observed)
            for node in self.nodes
        )
        return str(Grid(f"Auxiliary network of {self.row}", heads, rows, labels=5))

    def __repr__(self) -> str:
        return f"<Auxiliary network of {self.row}: {len(self.nodes)} variables>"


def auxiliary(
    posterior: Posterior, variable: str, given: Mapping[str, str] | None = None
) -> Auxiliary:
    """The auxiliary network of the row P(variable | given) of a posterior.

    given: a state for every parent
    """
    first = _row(posterior, variable, given or {})
    axes = posterior.cells.families[variable]
    size = len(axes[-1].states)
    mine = np.arange(first, first + size)
    rules = _rules_of(posterior, mine)
    cells = np.unique(np.concatenate([mine, *(cells for _, cells in rules)]))
    label = cell_label(posterior.cells, first).replace(f"={axes[-1].states[0]}", "", 1)
    nodes: list[AuxiliaryNode] = []
    for start in np.unique(posterior.cells.rows_of(cells)[0]).tolist():
        nodes += _row_nodes(posterior, start)
    for at, (text, mentioned) in enumerate(rules):
        names = tuple(_theta(posterior, cell) for cell in mentioned.tolist())
        nodes.append(AuxiliaryNode(f"C{at + 1}", "boolean", names, text, "true"))
    return Auxiliary(label, tuple(nodes))


def _row(posterior: Posterior, variable: str, given: Mapping[str, str]) -> int:
    """The first cell of the row."""
    families = posterior.cells.families
    if variable not in families:
        raise OptionError(f"there is no variable {variable!r}{nearest(variable, families)}")
    axes = families[variable]
    parents = {axis.name: axis for axis in axes[:-1]}
    wrong = [name for name in given if name not in parents]
    if wrong or set(given) != set(parents):
        said = listed(parents) if parents else "none"
        raise OptionError(
            f"a row of {variable!r} is named by a state of every parent\n\nparents: {said}"
        )
    codes = [axis.code(given[name]) for name, axis in parents.items()]
    return int(posterior.cells.block(variable)[(*codes, 0)])


def _rules_of(posterior: Posterior, mine: Ints) -> list[tuple[str, Ints]]:
    """Every linear statement that speaks of one of these cells, with all cells it speaks of."""
    bound = posterior.bound
    found: list[tuple[str, Ints]] = []
    if bound is None:
        return found
    rows = bound.rows
    for at in np.unique(rows.owner[np.isin(rows.cells, mine)]).tolist():
        cells = rows.cells[rows.at[at] : rows.at[at + 1]]
        found.append((instance(bound, at), cells))
    return found


def _theta(posterior: Posterior, cell: int) -> str:
    return f"θ {cell_label(posterior.cells, cell)}"


def _row_nodes(posterior: Posterior, start: int) -> list[AuxiliaryNode]:
    """Parameters, their sum, and the counts of one row."""
    cells = posterior.cells
    size = int(cells.rows_of(np.array([start]))[1][0])
    every = list(range(start, start + size))
    names = tuple(_theta(posterior, cell) for cell in every)
    row = cell_label(cells, start)
    row = "P(" + row.removeprefix("P(").split("=", 1)[0] + _condition(row)
    counts = [float(_counts(posterior)[cell]) for cell in every]
    products = posterior.settings.get("likelihood") == "binomial_product"
    nodes = [
        AuxiliaryNode(name, "continuous", (), _prior(posterior, cell))
        for name, cell in zip(names, every, strict=True)
    ]
    nodes.append(AuxiliaryNode(f"sum {row}", "deterministic", names, "Σ θ", "1"))
    total = f"N {row}"
    nodes.append(AuxiliaryNode(total, "integer", (), "any", number(float(sum(counts)))))
    for name, cell, seen in zip(names, every, counts, strict=True):
        parents = (total, name) if products else (total, *names)
        said = "Binomial(N, θ)" if products else "Multinomial(N, θ), this cell"
        count = f"N {cell_label(cells, cell)}"
        nodes.append(AuxiliaryNode(count, "integer", parents, said, number(float(seen))))
    return nodes


def _condition(label: str) -> str:
    _, bar, given = label.partition(" | ")
    return f" | {given}" if bar else ")"


def _counts(posterior: Posterior) -> Floats:
    if posterior.counts is None:
        raise OptionError("cells are missing: an auxiliary network shows counts of complete cases")
    return posterior.counts


def _prior(posterior: Posterior, cell: int) -> str:
    scene = posterior.scene
    assert scene is not None
    if scene.spread is not None and scene.centre is not None and np.isfinite(scene.spread[cell]):
        return f"TNormal({scene.centre[cell]:.3g}, {scene.spread[cell]:.3g})"
    alpha = float(scene.prior[cell])
    return "Uniform(0, 1)" if alpha == 1 else f"Dirichlet parameter {alpha:.4g}"
