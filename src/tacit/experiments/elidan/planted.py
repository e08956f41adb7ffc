"""Hierarchies drawn at random, and cases of what can be measured of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.infer.sampling import sample


def planted_hierarchy(
    dag: Dag, states: Mapping[str, int], seed: int, *, stays: float = 0.8, sharp: float = 0.5
) -> Network:
    """A network with the dag of a hierarchy.

    states  how many each variable has
    stays   the probability that a hidden variable is in the state of the hidden one above it, as
            far as it has such a state; the rest is shared evenly
    sharp   rows of leaves are Dirichlet(sharp); those of roots are even

    [HV2 4.4]
    """
    random = np.random.default_rng(seed)
    variables = {
        name: Discrete(name, tuple(str(at) for at in range(states[name]))) for name in dag.names
    }
    families = {}
    for name in dag:
        axes = tuple(variables[who] for who in (*dag.parents[name], name))
        shape = tuple(len(each.states) for each in axes)
        if not dag.parents[name]:
            values = np.full(shape, 1 / shape[-1])
        elif dag.children[name]:
            values = np.full(shape, (1 - stays) / (shape[1] - 1))
            values[np.arange(shape[0]), np.arange(shape[0]) % shape[1]] = stays
        else:
            values = random.dirichlet(np.full(shape[1], sharp), shape[0])
        families[name] = Table(axes, values)
    return Network(dag, variables, families)


def measured(network: Network, cases: int, seed: int) -> Dataset:
    """Cases of the leaves of a network."""
    leaves = [name for name in network.dag.names if not network.dag.children[name]]
    return sample(network, cases, seed=seed).select(leaves)
