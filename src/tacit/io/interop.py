"""Dags and networks to other libraries' values and back: networkx, pgmpy, pyAgrum."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.errors import DagError, FormatError, NetworkError, OptionError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.io.draft import rescaled, settled
from tacit.io.writing import tables_of

_log = logging.getLogger("tacit")


def to_networkx(structure: Dag | Network) -> Any:
    """A networkx DiGraph with an arc from every parent to its child."""
    networkx = _library("networkx")
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


def to_pgmpy(network: Network) -> Any:
    """A pgmpy DiscreteBayesianNetwork with the same variables, states and tables."""
    _library("pgmpy")
    tables = list(tables_of(network, "pgmpy's network"))
    model = import_module("pgmpy.models").DiscreteBayesianNetwork()
    cpd = import_module("pgmpy.factors.discrete").TabularCPD
    model.add_nodes_from(network.dag.names)
    model.add_edges_from(network.dag.arcs)
    for table in tables:
        size = table.values.shape[-1]
        model.add_cpds(
            cpd(
                table.child,
                size,
                table.values.reshape(-1, size).T,
                evidence=list(table.parents) or None,
                evidence_card=list(table.values.shape[:-1]) or None,
                state_names={name: list(states) for name, states in table.states.items()},
            )
        )
    return model


def from_pgmpy(model: Any) -> Network:
    """The network of a pgmpy DiscreteBayesianNetwork; every node needs its table."""
    if not (hasattr(model, "get_cpds") and hasattr(model, "nodes")):
        raise OptionError(f"a pgmpy network is expected, not a {type(model).__name__}")
    cpds = {str(cpd.variable): cpd for cpd in model.get_cpds()}
    lacking = [node for node in model.nodes if str(node) not in cpds]
    if lacking:
        raise NetworkError(f"{lacking[0]!r} has no table of probabilities")
    variables = {
        name: Discrete(name, _texts(cpd.state_names[cpd.variable])) for name, cpd in cpds.items()
    }
    return Network.of(_pgmpy_table(cpds[str(node)], variables) for node in model.nodes)


def _pgmpy_table(cpd: Any, variables: dict[str, Discrete]) -> Table:
    child, *parents = (variables[str(name)] for name in cpd.variables)
    for parent, name in zip(parents, cpd.variables[1:], strict=True):
        if _texts(cpd.state_names[name]) != parent.states:
            raise NetworkError(f"the table of {child.name!r} lists the states of {parent.name!r} "
                               "in another order than its own table")  # fmt: skip
    return _table((*parents, child), np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1))


def to_pyagrum(network: Network) -> Any:
    """A pyAgrum BayesNet with the same variables, states and tables."""
    pyagrum = _library("pyagrum")
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
        variables[variable.name()] = Discrete(variable.name(), _texts(variable.labels()))
    return Network.of(_pyagrum_table(model.cpt(node), variables) for node in nodes)


def _pyagrum_table(cpt: Any, variables: dict[str, Discrete]) -> Table:
    """pyAgrum names the child first and stores it fastest: its arrays run the other way round."""
    axes = tuple(variables[name] for name in reversed(cpt.names))
    return _table(axes, np.asarray(cpt.toarray(), dtype=np.float64))


def _table(axes: tuple[Discrete, ...], values: Floats) -> Table:
    """A table whose rows may be rounded, as those of files read in single precision are."""
    rows = values.reshape(-1, values.shape[-1])
    rows, off = settled(axes, rows, lambda _, what: FormatError(what))
    if off is not None:
        _log.info("%s", rescaled(axes[-1].name, off))
    return Table(axes, rows.reshape(values.shape))


def _texts(states: Iterable[Any]) -> tuple[str, ...]:
    return tuple(map(str, states))


def _library(name: str) -> Any:
    """A library that is only needed here; an error that says how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        extra = "networkx" if name == "networkx" else "tacit-bn[interop]"
        raise OptionError(f"this needs {name}\n\ninstall it with: pip install '{extra}'") from None
