"""Networks to pgmpy's values and back: all tables, or all linear Gaussians."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from tacit.core.errors import FormatError, NetworkError, OptionError, quoted
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import Table
from tacit.io.libraries import library, rounded_table, texts
from tacit.io.writing import tables_of


def to_pgmpy(network: Network) -> Any:
    """A pgmpy DiscreteBayesianNetwork with the same variables, states and tables; of a network of
    linear Gaussians a LinearGaussianBayesianNetwork."""
    library("pgmpy")
    if not any(isinstance(each, Continuous) for each in network.variables.values()):
        return _discrete(network)
    for name, family in network.families.items():
        if not isinstance(family, LinearGaussian):
            kind = family.to_plain()["family"].replace("-", " ")
            raise FormatError(
                f"pgmpy's networks hold tables only or linear Gaussians only, and {quoted(name)} "
                f"has a {kind} family beside others\n\nwrite a .json file, which holds every family"
            )
    return _gaussian(network)


def _discrete(network: Network) -> Any:
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


def _gaussian(network: Network) -> Any:
    """Intercept and coefficients are its beta."""
    model = import_module("pgmpy.models").LinearGaussianBayesianNetwork()
    cpd = import_module("pgmpy.factors.continuous").LinearGaussianCPD
    model.add_nodes_from(network.dag.names)
    model.add_edges_from(network.dag.arcs)
    for family in network.families.values():
        assert isinstance(family, LinearGaussian)
        beta = [family.intercept, *family.coefficients.tolist()]
        model.add_cpds(cpd(family.child, beta, family.sd, list(family.parents)))
    return model


def from_pgmpy(model: Any) -> Network:
    """The network of a pgmpy DiscreteBayesianNetwork or LinearGaussianBayesianNetwork; every node
    needs its table, or its coefficients."""
    if not (hasattr(model, "get_cpds") and hasattr(model, "nodes")):
        raise OptionError(f"a pgmpy network is expected, not a {type(model).__name__}")
    cpds = {str(cpd.variable): cpd for cpd in model.get_cpds()}
    straight = [hasattr(cpd, "beta") for cpd in cpds.values()]
    lacking = [node for node in model.nodes if str(node) not in cpds]
    if lacking:
        what = "linear Gaussian" if any(straight) else "table of probabilities"
        raise NetworkError(f"{str(lacking[0])!r} has no {what}")
    if any(straight):
        return Network.of(_regression(cpds[str(node)], model, node) for node in model.nodes)
    variables = {
        name: Discrete(name, texts(cpd.state_names[cpd.variable])) for name, cpd in cpds.items()
    }
    return Network.of(_table(cpds[str(node)], variables) for node in model.nodes)


def _table(cpd: Any, variables: dict[str, Discrete]) -> Table:
    child, *parents = (variables[str(name)] for name in cpd.variables)
    for parent, name in zip(parents, cpd.variables[1:], strict=True):
        if texts(cpd.state_names[name]) != parent.states:
            raise NetworkError(f"the table of {child.name!r} lists the states of {parent.name!r} "
                               "in another order than its own table")  # fmt: skip
    values = np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1)
    return rounded_table((*parents, child), values)


def _regression(cpd: Any, model: Any, node: Any) -> LinearGaussian:
    name, parents = str(node), texts(cpd.evidence)
    beta = np.asarray(cpd.beta, dtype=np.float64)
    if beta.shape != (1 + len(parents),):
        raise NetworkError(
            f"{name!r} has {len(parents)} parents and an intercept, but {beta.size} numbers in beta"
        )
    if set(parents) != set(texts(model.predecessors(node))):
        raise NetworkError(f"the arcs into {name!r} and the evidence of its CPD do not agree")
    variables = tuple(map(Continuous, (*parents, name)))
    return LinearGaussian(variables, beta[1:], float(beta[0]), float(cpd.std))
