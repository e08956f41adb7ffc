"""EM in which a state must pay for its parameters: those that cannot are given up, one by one.

From many states to one, as agglomeration goes, but with soft assignments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, prod
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.network import Network
from tacit.learn.unseen.agglomeration import agglomerate, measured
from tacit.learn.unseen.em_cardinality import Cardinality
from tacit.learn.unseen.merging import numbered

STEPS = 300
TOLERANCE = 1e-7
FAINT = 1e-3
"""Of a case in every cell, so that nothing is impossible."""


@dataclass(frozen=True, slots=True, eq=False)
class _Family:
    """A child of the hidden variable: its cell and row in each line, its states, and how many
    free parameters it has for each state of the hidden variable."""

    cell: Ints
    row: Ints
    states: int
    parameters: int


@dataclass(frozen=True, slots=True, eq=False)
class _Around:
    """The lines of a blanket with their weights, and the families with the hidden variable.

    row   the row of its own family in each line; rows how many its table has
    """

    weights: Floats
    row: Ints
    rows: int
    children: tuple[_Family, ...]

    @property
    def price(self) -> int:
        """Free parameters that one more state brings."""
        return self.rows + sum(child.parameters for child in self.children)

    def likelihoods(self, share: Floats) -> Floats:
        """(lines, states) log P(state, children | parents) after an M-step from these shares."""
        mass = share * self.weights[:, None]
        own = _sums(self.row, mass) + FAINT
        found = np.log(own / own.sum(axis=1, keepdims=True))[self.row]
        for child in self.children:
            cells, rows = _sums(child.cell, mass) + FAINT, _sums(child.row, mass)
            rows += FAINT * child.states
            found = found + np.log(cells)[child.cell] - np.log(rows)[child.row]
        return np.asarray(found)

    def score(self, log_likelihood: float, states: int) -> float:
        """BIC of the families with the hidden variable."""
        free = states * self.price - self.rows
        return log_likelihood - 0.5 * log(max(2.0, self.weights.sum())) * free


def penalised_em(
    cases: Any, dag: Dag | Network | str | Path, hidden: str, *, most: int = 12, seed: int = 0
) -> Cardinality:
    """EM from `most` states on, in which a state with fewer cases than half its parameters dies.

    Where EM stands still the network is scored by BIC, and the smallest state is given up, until
    one is left. [Figueiredo and Jain 2002, for tables; one state at a time]
    """
    around = _around(cases, dag, hidden)
    random = np.random.default_rng(seed)
    share = random.dirichlet(np.ones(min(most, len(around.weights))), len(around.weights))
    curve: dict[int, float] = {}
    likelihoods: dict[int, float] = {}
    while True:
        share, log_likelihood = _settled(around, share)
        states = share.shape[1]
        curve[states] = around.score(log_likelihood, states)
        likelihoods[states] = log_likelihood
        if states == 1:
            return Cardinality(hidden, curve, likelihoods, {}, "penalised EM")
        share = _less(share, int(np.argmin(around.weights @ share)))


def _settled(around: _Around, share: Floats) -> tuple[Floats, float]:
    """EM until it stands still; on the way states that cannot pay are given up."""
    last = -np.inf
    for _ in range(STEPS):
        joint = around.likelihoods(share)
        top = joint.max(axis=1, keepdims=True)
        lines = np.exp(joint - top)
        log_likelihood = float(around.weights @ (np.log(lines.sum(axis=1)) + top[:, 0]))
        share = lines / lines.sum(axis=1, keepdims=True)
        mass = around.weights @ share
        if share.shape[1] > 1 and mass.min() < around.price / 2:
            share, last = _less(share, int(np.argmin(mass))), -np.inf
        elif log_likelihood - last < TOLERANCE * abs(log_likelihood):
            break
        else:
            last = log_likelihood
    return share, log_likelihood


def _less(share: Floats, gone: int) -> Floats:
    """Without one state; its cases go to the others as they were, evenly where it had them all."""
    left = np.delete(share, gone, axis=1) + 1e-12
    return np.asarray(left / left.sum(axis=1, keepdims=True))


def _around(cases: Any, dag: Dag | Network | str | Path, hidden: str) -> _Around:
    found = agglomerate(cases, dag, hidden)
    tree, whole = found.tree, found.dag
    column = {name: tree.codes[:, at] for at, name in enumerate(tree.variables)}
    lines = len(tree.weights)

    def number(names: Sequence[str]) -> Ints:
        return numbered([column[name] for name in names], lines)[0]

    def sizes(names: Sequence[str]) -> int:
        return prod([measured(found.cases, name).shares.size for name in names])

    children = []
    for child in whole.children[hidden]:
        others = [name for name in whole.parents[child] if name != hidden]
        states = sizes([child])
        free = (states - 1) * sizes(others)
        children.append(_Family(number([*others, child]), number(others), states, free))
    parents = whole.parents[hidden]
    return _Around(tree.weights, number(parents), sizes(parents), tuple(children))


def _sums(number: Ints, mass: Floats) -> Floats:
    """(numbers, states) the mass of the lines with each number."""
    many = int(number.max(initial=0)) + 1
    return np.stack([np.bincount(number, each, many) for each in mass.T], axis=1)
