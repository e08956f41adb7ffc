"""Networks with one cause that nobody measures, and networks with none, drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table, table

CAUSE = "cause"
NEAR = 5
"""Parents are among so many variables that come before."""
SHARP = 0.5
"""Rows are Dirichlet(SHARP). [HV1 8.1]"""


@dataclass(frozen=True, slots=True)
class Shape:
    """How such networks look.

    measured  variables, of two or three states
    children  of the cause: from the first to the second number
    """

    measured: int = 12
    children: tuple[int, int] = (4, 6)

    def network(self, seed: int, states: int = 0) -> Network:
        """A random dag with random tables.

        In a random order every variable has up to two of the five before it as parents. The cause
        has any of the variables from some place on as its children, which keep one parent at most,
        none of them another child; half of the causes have a parent themselves.

        states  of the cause; 0: there is none, and nothing is taken from any parents
        """
        random = np.random.default_rng(seed)
        sizes = random.choice((2, 3), self.measured, p=(0.6, 0.4))
        variables = [_numbered(f"x{at + 1}", int(size)) for at, size in enumerate(sizes)]
        order = random.permutation(self.measured).tolist()
        many = int(random.integers(self.children[0], self.children[1] + 1))
        first = int(random.integers(0, self.measured - many + 1))
        children = random.permutation(order[first:])[:many].tolist() if states else []
        families, above = [], []
        if states:
            cause = _numbered(CAUSE, states)
            if first and random.random() < 0.5:
                above = [variables[int(random.choice(order[max(0, first - 3) : first]))]]
            families.append(_drawn(cause, above, random))
        for place, at in enumerate(order):
            before = order[max(0, place - NEAR) : place]
            parents = random.permutation(before)[: int(random.binomial(2, 0.5))].tolist()
            if at in children:
                parents = [each for each in parents if each not in children][:1]
            axes = [variables[each] for each in parents]
            families.append(
                _drawn(variables[at], [*axes, cause] if at in children else axes, random)
            )
        return Network.of(families)


def _drawn(child: Discrete, parents: Sequence[Discrete], random: np.random.Generator) -> Table:
    rows = int(np.prod([len(each.states) for each in parents], dtype=np.int64))
    return table(child, parents, random.dirichlet(np.full(len(child.states), SHARP), rows))


def _numbered(name: str, states: int) -> Discrete:
    return Discrete(name, tuple(str(at) for at in range(states)))
