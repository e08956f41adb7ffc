"""Dags and networks to other libraries' values and back: networkx, pyAgrum."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.core.dag import Dag
from tacit.core.errors import DagError, OptionError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.io.libraries import library, rounded_table, texts
from tacit.io.writing import tables_of


def to_networkx(structure: Dag | Network) -> Any:
    """A networkx DiGraph with an arc from every parent to its child."""
    networkx = library("networkx")
    dag = structure.dag if isinstance(structure, Network) else structure
    graph = networkx.DiGraph()
    graph.add_nodes_from(dag.names)
    graph.add_edges_from(dag.arcs)
    return graph


def from_networkx(graph: Any) -> Dag:
    """The dag of a networkx DiGraph whose nodes are texts."""
    if not (hasattr(graph, "pred") and graph.is_directed() and not graph.is_multigraph()):
        raise OptionError("a networkx DiGraph is expected; arcs need one direction")
    for node in graph.nodes:
        if not isinstance(node, str):
            raise DagError(
                f"the node {node!r} is no text\n\nrename with networkx.relabel_nodes(graph, str)"
            )
    return Dag({node: tuple(graph.pred[node]) for node in graph.nodes})


def to_pyagrum(network: Network) -> Any:
    """A pyAgrum BayesNet with the same variables, states and tables."""
    pyagrum = library("pyagrum")
    tables = list(tables_of(network, "pyAgrum's network"))
    model = pyagrum.BayesNet("network")
    for table in tables:
        states = list(table.variables[-1].states)
        model.add(pyagrum.LabelizedVariable(table.child, table.child, states))
    for table in tables:
        for parent in reversed(table.parents):
            model.addArc(parent, table.child)
    for table in tables:
        cpt = model.cpt(table.child)
        order = [(*table.parents, table.child).index(name) for name in reversed(cpt.names)]
        cpt[:] = np.transpose(table.values, order)
    return model


def from_pyagrum(model: Any) -> Network:
    """The network of a pyAgrum BayesNet."""
    if not (hasattr(model, "cpt") and hasattr(model, "topologicalOrder")):
        raise OptionError(f"a pyAgrum BayesNet is expected, not a {type(model).__name__}")
    nodes = sorted(model.nodes())
    variables = {}
    for node in nodes:
        variable = model.variable(node)
        variables[variable.name()] = Discrete(variable.name(), texts(variable.labels()))
    return Network.of(_pyagrum_table(model.cpt(node), variables) for node in nodes)


def _pyagrum_table(cpt: Any, variables: dict[str, Discrete]) -> Table:
    """pyAgrum names the child first and stores it fastest: its arrays run the other way round."""
    axes = tuple(variables[name] for name in reversed(cpt.names))
    return rounded_table(axes, np.asarray(cpt.toarray(), dtype=np.float64))
