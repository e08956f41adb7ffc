"""Small networks and cases with gaps, made at random for tests."""

from __future__ import annotations

import numpy as np

import tacit as tc
from tacit.families.table import table


def network(text: str, states: dict[str, int], seed: int = 0, sharp: float = 1.0) -> tc.Network:
    """Tables at random: the smaller `sharp`, the nearer to certain their rows."""
    rng, dag = np.random.default_rng(seed), tc.Dag.parse(text)
    variables = {
        name: tc.Discrete(name, tuple(f"s{at}" for at in range(states.get(name, 2))))
        for name in dag.names
    }
    families = []
    for name in dag.names:
        axes = [variables[other] for other in (*dag.parents[name], name)]
        shape = [len(axis.states) for axis in axes]
        rows = rng.dirichlet(np.full(shape[-1], sharp), int(np.prod(shape[:-1])))
        families.append(table(axes[-1], axes[:-1], rows))
    return tc.Network.of(families)


def leaves_of(cause: str, effects: str, keeps: float = 0.85, turns: float = 0.2) -> tc.Network:
    """One binary variable above several that follow it."""
    both = {name: tc.Discrete(name, ("a", "b")) for name in (cause, *effects)}
    rows = [[keeps, 1 - keeps], [turns, 1 - turns]]
    families = [table(both[name], [both[cause]], rows) for name in effects]
    return tc.Network.of([table(both[cause], [], [0.4, 0.6]), *families])


def gappy(
    network: tc.Network, cases: int, missing: float, seed: int = 0, hidden: str = "",
    weighted: bool = False,
) -> tc.Dataset:  # fmt: skip
    """Cases of a network with cells missing at random and without the columns of `hidden`."""
    whole, rng = tc.sample(network, cases, seed=seed), np.random.default_rng(seed + 1)
    names = [name for name in network.dag.names if name not in hidden.split()]
    columns = {
        name: np.where(rng.random(cases) < missing, -1, np.asarray(whole[name], dtype=np.int64))
        for name in names
    }
    weights = rng.uniform(0, 2, cases) if weighted else None
    return tc.Dataset({name: network.variables[name] for name in names}, columns, weights)
