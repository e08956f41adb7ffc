"""Small networks with continuous variables, at random."""

from __future__ import annotations

import numpy as np

import tacit as tc


def gaussian_network(seed: int, size: int, near: float = 0.5) -> tc.Network:
    """Linear Gaussians, any two of them joined with probability `near`."""
    random = np.random.default_rng(seed)
    variables = [tc.Continuous(f"X{at}") for at in range(size)]
    families = []
    for at, variable in enumerate(variables):
        parents = [other for other in variables[:at] if random.random() < near]
        slopes, level = random.normal(size=len(parents)), random.normal()
        families.append(
            tc.LinearGaussian((*parents, variable), slopes, level, random.uniform(0.3, 2))
        )
    return tc.Network.of(families)


def mixed_network(seed: int, states: int = 3, reals: int = 4) -> tc.Network:
    """Variables with two or three states, then reals whose parents are of either kind."""
    random = np.random.default_rng(seed)
    discrete = [
        tc.Discrete(f"A{at}", ("a", "b", "c")[: random.integers(2, 4)]) for at in range(states)
    ]
    families: list = []
    for at, variable in enumerate(discrete):
        parents = [other for other in discrete[:at] if random.random() < 0.5]
        shape = [len(each.states) for each in (*parents, variable)]
        families.append(
            tc.Table((*parents, variable), random.dirichlet(np.ones(shape[-1]), shape[:-1]))
        )
    continuous: list[tc.Continuous] = []
    for at in range(reals):
        by = [other for other in discrete if random.random() < 0.5]
        near = [other for other in continuous if random.random() < 0.6]
        child = tc.Continuous(f"X{at}")
        shape = [len(each.states) for each in by]
        slopes = random.normal(size=(*shape, len(near)))
        levels, sds = 2 * random.normal(size=shape), random.uniform(0.3, 1.5, shape)
        if by:
            families.append(tc.ConditionalGaussian((*by, *near, child), slopes, levels, sds))
        else:
            families.append(tc.LinearGaussian((*near, child), slopes, float(levels), float(sds)))
        continuous.append(child)
    return tc.Network.of(families)


def found_in(network: tc.Network, data: tc.Dataset, case: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in data.names:
        value, variable = data[name][case], network.variables[name]
        if isinstance(variable, tc.Discrete):
            if value >= 0:
                found[name] = variable.states[value]
        elif not np.isnan(value):
            found[name] = float(value)
    return found


def beneath(
    seed: int, cases: int, gaps: float = 0.0, states: int = 2, kinds: str = "both"
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Columns beneath a variable that none of them measures, and its states: four reals and a
    fifth beneath one of these, and, of "both" kinds, three with states."""
    random = np.random.default_rng(seed)
    hidden = random.integers(states, size=cases)
    columns: dict[str, np.ndarray] = {}
    for at in range(4):
        level = 2.0 * random.permutation(states)
        columns[f"X{at}"] = level[hidden] + random.normal(size=cases)
    columns["X4"] = 0.8 * columns["X0"] + random.normal(size=cases)
    for at in range(3 if kinds == "both" else 0):
        chance = random.permutation(np.linspace(0.15, 0.85, states))
        yes = random.random(cases) < chance[hidden]
        columns[f"A{at}"] = np.where(yes, "yes", "no").astype(object)
    for name, column in columns.items():
        gone = random.random(cases) < gaps
        columns[name] = np.where(gone, np.nan if name[0] == "X" else None, column)
        if name[0] == "X":
            columns[name] = columns[name].astype(float)
    return columns, hidden
