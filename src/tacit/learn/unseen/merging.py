"""From many states of a hidden variable to one: what is merged, and what every step is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag

if TYPE_CHECKING:
    from tacit.kernels.merging import Cells

MOST_COMPARED = 10_000
"""States that are compared all with all; 400 MB of gains. Rarer ones join these first."""
TIE = 1e-9
"""Gains that differ by less are equal; per 10,000 cases."""
PER_CELL, SUMMED, UNIFORM = "per_cell", "summed", "uniform_k"
PRIORS = {SUMMED: 5.0, UNIFORM: 5.0, PER_CELL: 1.0}
"""The priors, with the strength of each unless told."""


@dataclass(frozen=True, slots=True)
class TableWeights:
    """How the prior of the tables around a hidden variable is laid out.

    summed     `strength` cases in every table; of these each first state has its even share, and
               a merged state what its parts had                                    [HV1 5.1.2]
    uniform_k  pairs are chosen so; but every number of states k is scored with `strength` cases
               spread evenly over the tables of k states, which is BDeu at k
    per_cell   `strength` cases in every cell, whatever k is
    """

    kind: str
    strength: float

    @property
    def grows(self) -> bool:
        """Whether the prior of a merged state is the sum of the two."""
        return self.kind != PER_CELL

    def __str__(self) -> str:
        return f"{self.kind}, {self.strength:g} {'a cell' if not self.grows else 'a table'}"


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A variable around the hidden one: its state in each line, and the share of the prior that
    each of its states has."""

    codes: Ints
    shares: Floats


@dataclass(frozen=True, slots=True, eq=False)
class FirstStates:
    """The states to begin with, each with a single configuration of the blanket.

    weights  (states,)  how many cases each holds
    keys     (states, cells) the cells of each: of its own family, and of each child cell and row
    alpha    (keys,)    the prior of each cell if there were one state
    sides    (keys, 2)  how often it counts in the own family and among children; rows count -1
    own      (own,)     the prior of each row of the hidden variable's family, were there one state
    totals   (own,)     how many cases each such row has
    """

    weights: Floats
    keys: Ints
    alpha: Floats
    sides: Floats
    own: Floats
    totals: Floats
    prior: TableWeights

    @staticmethod
    def of(
        dag: Dag, hidden: str, columns: Mapping[str, Column], weights: Floats, prior: TableWeights
    ) -> FirstStates:
        """One state per line of the columns."""
        parts = _parts(dag, hidden, {n: column.shares.size for n, column in columns.items()}, prior)
        keys, alpha, sides, at = [], [], [], 0
        own, own_alpha = _cells(columns, dag.parents[hidden], len(weights), prior, 1)
        for (names, cells), side in parts.items():
            key, each = _cells(columns, sorted(names), len(weights), prior, cells)
            keys.append(key + at)
            alpha.append(each)
            sides.append(np.tile(side, (each.size, 1)))
            at += each.size
        totals = np.asarray(np.bincount(own, weights, own_alpha.size), dtype=np.float64)
        return FirstStates(
            weights, np.stack(keys, axis=1), np.concatenate(alpha), np.concatenate(sides),
            own_alpha, totals, prior,
        )  # fmt: skip

    @property
    def states(self) -> int:
        """How many there are."""
        return len(self.weights)

    def constants(self, states: int | Floats) -> Floats:
        """What the rows of the own family say, by the number of states; no merge changes it but
        where every cell has the same prior."""
        k = np.atleast_1d(np.asarray(states, dtype=np.float64))
        rows = self.own * (1.0 if self.prior.grows else k[:, None])
        return np.asarray((gammaln(rows) - gammaln(rows + self.totals)).sum(axis=-1) + 0 * k)

    def likelihood_of_rows(self) -> float:
        """Σ N log N over the rows of the own family."""
        seen = self.totals[self.totals > 0]
        return float(seen @ np.log(seen))

    @property
    def sign(self) -> Floats:
        """(keys,) how often each cell counts in all."""
        return np.asarray(self.sides.sum(axis=1))

    def groups(self) -> tuple[Floats, Ints]:
        """Every prior that a cell has, if there were one state, and which each cell has."""
        alphas, group = np.unique(self.alpha, return_inverse=True)
        return alphas, group

    def cells(self, states: int) -> Cells:
        """The cells for the kernels, with the prior that one of so many states has."""
        from tacit.kernels.merging import Cells

        alpha = self.alpha / states if self.prior.grows else self.alpha
        return Cells(alpha, self.sign, self.sides, self.groups()[1])

    def lists(self) -> tuple[Ints, Ints, Floats]:
        """Where the cells of every state begin, which these are, in order, and their counts."""
        keys = np.sort(self.keys, axis=1)
        starts = np.arange(self.states + 1) * keys.shape[1]
        return starts, keys.ravel(), np.repeat(self.weights, keys.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """The way from the first states to a single one.

    merged       (states - 1, 2)  which two became the first of them
    gains        (states - 1,)    what the score of the walk gained
    scores       (states,)        by k - 1
    likelihoods  (states, 2)      by k - 1: the greatest log-likelihood of the hidden variable given
                                  its parents, and of its children
    """

    merged: Ints
    gains: Floats
    scores: Floats
    likelihoods: Floats

    @property
    def best(self) -> int:
        """The number of states that scores highest; of equals the smallest."""
        top = float(self.scores.max())
        return int(np.flatnonzero(self.scores >= top - TIE * max(1.0, abs(top) / 1e4))[0]) + 1


def walk(first: FirstStates, most: int = MOST_COMPARED) -> Walk:
    """Merge the pair that gains most until one state is left. [HV1 4.2, Alg. 7, erratum E36]"""
    from tacit.kernels.merge_pairs import merge_all

    states, prior = first.states, first.prior
    merged, gains = np.zeros((states - 1, 2), np.int64), np.zeros(states - 1)
    lists, cells = first.lists(), first.cells(states)
    tie = TIE * max(1.0, float(first.weights.sum()) / 1e4)
    merge_all(*lists, cells, prior.grows, max(2, most), tie, merged, gains)
    constants = first.constants(np.arange(1.0, states + 1))
    gains += (constants[:-1] - constants[1:])[::-1]
    return Walk(merged, gains, _scores(first, merged, gains), _likelihoods(first, merged))


def _scores(first: FirstStates, merged: Ints, gains: Floats) -> Floats:
    """By k - 1."""
    from tacit.kernels.merging import scores_along

    states = first.states
    if first.prior.kind == UNIFORM:
        scores = np.zeros(states)
        scores_along(*first.lists(), first.cells(1), first.groups()[0], merged, scores)
        return scores + first.constants(1)
    start = first.constants(states)[0] + _worth(first)
    return np.asarray(start + np.append(0.0, np.cumsum(gains)))[::-1].copy()


def _worth(first: FirstStates) -> float:
    """What the cells of all first states say."""
    cells = first.cells(first.states)
    alpha = cells.alpha[first.keys]
    rise = gammaln(alpha + first.weights[:, None]) - gammaln(alpha)
    return float((cells.sign[first.keys] * rise).sum())


def _likelihoods(first: FirstStates, merged: Ints) -> Floats:
    from tacit.kernels.merging import likelihood_changes

    changes = np.zeros((len(merged), 2))
    likelihood_changes(*first.lists(), first.cells(1), merged, changes)
    each = first.weights * np.log(first.weights)
    start = np.array([first.sides[first.keys, side].sum(axis=1) @ each for side in range(2)])
    start[0] -= first.likelihood_of_rows()
    return np.asarray(np.vstack([start, start + np.cumsum(changes, axis=0)])[::-1].copy())


def numbered(columns: Sequence[Ints], lines: int) -> tuple[Ints, Ints]:
    """Configurations by number, 0 for the first that is met when sorted, and a line of each."""
    found, first = np.zeros(lines, np.int64), np.zeros(min(1, lines), np.int64)
    for column in columns:
        wide = found * (int(column.max(initial=0)) + 1) + column
        _, first, found = np.unique(wide, return_index=True, return_inverse=True)
    return found, first


def _parts(
    dag: Dag, hidden: str, sizes: Mapping[str, int], prior: TableWeights
) -> dict[tuple[frozenset[str], int], Floats]:
    """The sets of variables whose configurations are cells or rows of a state, and how often each
    counts, in the own family and among children. A row of n cells has the prior of all."""
    parts: dict[tuple[frozenset[str], int], Floats] = {}

    def add(names: frozenset[str], cells: int, side: int, sign: float) -> None:
        known = (names, 1 if prior.grows else cells)
        parts.setdefault(known, np.zeros(2))[side] += sign

    add(frozenset(dag.parents[hidden]), 1, 0, 1.0)
    for child in dag.children[hidden]:
        others = frozenset(dag.parents[child]) - {hidden}
        add(others | {child}, 1, 1, 1.0)
        add(others, sizes[child], 1, -1.0)
    return parts


def _cells(
    columns: Mapping[str, Column], names: Sequence[str], lines: int, prior: TableWeights, cells: int
) -> tuple[Ints, Floats]:
    """Which configuration of some variables each line has, and the prior of each, which is that of
    so many cells."""
    number, line = numbered([columns[name].codes for name in names], lines)
    if not prior.grows:
        return number, np.full(line.size, prior.strength * cells)
    shares = [columns[name].shares[columns[name].codes[line]] for name in names]
    return number, np.asarray(prior.strength * prod(shares, start=np.ones(line.size)))


def completed_score(
    dag: Dag,
    hidden: Sequence[str],
    columns: Mapping[str, Column],
    weights: Floats,
    prior: TableWeights,
) -> float:
    """The log marginal likelihood of completed cases, of families with hidden variables."""
    families = dict.fromkeys(hidden)
    for name in hidden:
        families |= dict.fromkeys(dag.children[name])
    total = 0.0
    for child in families:
        parents = dag.parents[child]
        for names, cells, sign in (
            ((*parents, child), 1, 1.0),
            (parents, columns[child].shares.size, -1.0),
        ):
            number, alpha = _cells(columns, names, len(weights), prior, cells)
            counts = np.bincount(number, weights, alpha.size)
            total += sign * float((gammaln(alpha + counts) - gammaln(alpha)).sum())
    return total
