"""What hypothesis asks of a network: findings of every form, targets with and without states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tacit.core.errors import quoted
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table

STATES = ("a", "b", "c", "d")
LIKELIHOODS = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 3e-4])


def word(state: str) -> str:
    """A state as it is written in a query."""
    return '"not"' if state == "not" else quoted(state)


@dataclass(frozen=True, eq=False)
class Said:
    """One finding: as words of a query, as a value of `given`, and what it means.

    value  None where only words can say it
    """

    name: str
    words: str
    value: object
    likelihood: np.ndarray


@st.composite
def said_of(draw: st.DrawFn, network: Network, name: str) -> Said:
    """Something said of one variable: a state, not a state, a set, not a set, a likelihood."""
    states = network.variables[name].states
    size = len(states)
    likelihood, head = np.zeros(size), f"{quoted(name)}="
    kind = draw(
        st.sampled_from(["state", "set", "soft", "not", "not in"] if size > 1 else ["state"])
    )
    if kind == "soft":
        likelihood[:] = draw(st.lists(LIKELIHOODS, min_size=size, max_size=size).filter(any))
        pairs = {
            s: float(v) for s, v in zip(states, likelihood, strict=True) if v or draw(st.booleans())
        }
        inside = ", ".join(f"{word(state)}: {value!r}" for state, value in pairs.items())
        return Said(name, f"{head}{{{inside}}}", pairs, likelihood)
    most = size - 1 if kind == "not in" else size
    several = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=most, unique=True))
    codes = several[:1] if kind in ("state", "not") else several
    likelihood[codes] = 1.0
    inside = ", ".join(word(states[code]) for code in codes)
    inside = inside if kind in ("state", "not") else f"{{{inside}}}"
    if kind.startswith("not"):
        return Said(name, f"{head}not {inside}", None, 1.0 - likelihood)
    value = states[codes[0]] if kind == "state" else {states[code] for code in codes}
    return Said(name, head + inside, value, likelihood)


@st.composite
def findings(draw: st.DrawFn, network: Network, most: int = 3) -> list[Said]:
    """A few findings, sometimes several of one variable."""
    names = st.lists(st.sampled_from(network.dag.names), max_size=most)
    return [draw(said_of(network, name)) for name in draw(names)]


def meaning(said: list[Said]) -> dict[str, np.ndarray]:
    """What findings mean together: what is said of a variable twice is multiplied."""
    found: dict[str, np.ndarray] = {}
    for each in said:
        found[each.name] = found.get(each.name, 1.0) * each.likelihood
    return found


def random_network(
    seed: int, size: int = 5, sure: float = 0.0, most_states: int = 3, most_parents: int = 2
) -> Network:
    """A network by chance; `sure` is the share of rows that leave one state only."""
    random = np.random.default_rng(seed)
    families, variables = [], []
    for number in range(size):
        child = Discrete(f"V{number}", STATES[: int(random.integers(2, most_states + 1))])
        count = int(random.integers(0, min(number, most_parents) + 1))
        parents = [variables[at] for at in sorted(random.permutation(number)[:count])]
        shape = [len(variable.states) for variable in (*parents, child)]
        rows = random.dirichlet(np.ones(shape[-1]), size=shape[:-1])
        certain = random.random(shape[:-1]) < sure
        rows = np.where(certain[..., None], rows == rows.max(axis=-1, keepdims=True), rows)
        families.append(Table((*parents, child), rows))
        variables.append(child)
    return Network.of(families)
