"""Cases to learn dags from: classic networks, and a wide table of a network made at random."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tacit as tc
from sides import Problem

Parents = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Cases and the dag that they were drawn from, by the numbers of the columns."""

    data: tc.Dataset
    truth: Parents

    def frame(self) -> Any:
        """The cases as pyAgrum takes them fastest: a frame of categories."""
        import pandas as pd

        return pd.DataFrame(
            {
                name: pd.Categorical.from_codes(self.data[name], self.data.variables[name].states)
                for name in self.data.names
            }
        )


def cases_of(name: str, cases: int) -> Cases:
    """Of a classic network, always the same ones; "wide" is the one made at random."""
    if name == "wide":
        return wide(1_000, cases)
    network = Problem(name, cases, Path()).network
    data = tc.sample(network, cases, seed=1)
    place = {each: at for at, each in enumerate(data.names)}
    truth = tuple(
        tuple(sorted(place[who] for who in network.dag.parents[each])) for each in data.names
    )
    return Cases(data, truth)


def wide(variables: int, cases: int) -> Cases:
    """Two to four states, up to three parents among the twenty variables before."""
    random = np.random.default_rng(1)
    sizes = random.integers(2, 5, variables)
    codes, truth = np.zeros((variables, cases), dtype=np.int8), []
    for head in range(variables):
        near = np.arange(max(0, head - 20), head)
        many = min(near.size, int(random.integers(0, 4)))
        tails = np.sort(random.choice(near, many, replace=False))
        table = random.dirichlet(np.full(sizes[head], 0.5), sizes[tails])
        row = table[tuple(codes[tails])].reshape(-1, sizes[head])
        below = random.random((cases, 1)) > np.cumsum(row, axis=1)[:, :-1]
        codes[head] = below.sum(axis=1)
        truth.append(tuple(tails.tolist()))
    names = [f"V{at}" for at in range(variables)]
    made = {
        name: tc.Discrete(name, tuple(map(str, range(many))))
        for name, many in zip(names, sizes.tolist(), strict=True)
    }
    return Cases(tc.Dataset(made, dict(zip(names, codes, strict=True))), tuple(truth))
