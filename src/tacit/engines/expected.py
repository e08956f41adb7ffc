"""Expected statistics of incomplete cases: what is known is counted once, the rest is inferred.

Two strategies give the same numbers. `Contexts` merges equal missing pieces over all cases and
infers each once; `Trees` runs one clique tree for every incomplete case, either many cases side by
side or, where the tree is large, cut down to what agrees with the findings of each. The cheapest
is chosen by estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from tacit.arrays import Codes, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.variables import Variable
from tacit.engines.memory import statistics
from tacit.families.conditional_moments import AnyMoments
from tacit.infer.bulk import compiling
from tacit.infer.contexts import code_matrix, find_pieces, incomplete_cases
from tacit.infer.flat import Layout
from tacit.infer.junction import Junction, compile_junction
from tacit.infer.lanes import LaneTree, lane_tree
from tacit.infer.pieces import Compiled, compile_pieces, in_parts, parts_of, run
from tacit.infer.sizes import check_cases

STRATEGIES = ("auto", "contexts", "trees")
LONG = 0.2
"""Seconds of compiling from which on other ways are looked at."""
PASSES = 50
"""Passes that a fit makes, about."""
LANE_SECONDS, CUT_SECONDS, STEP_SECONDS = 3e-9, 5e-8, 6e-7
"""What a cell costs when cases run side by side, and a cell and a variable when a tree is cut."""
MOST_CELLS = 1_000_000
"""Trees with more are always cut."""


class Expectation(Protocol):
    """What one E-step needs."""

    @property
    def constant(self) -> Floats:
        """Counts that do not depend on the parameters, flat."""

    @property
    def known(self) -> Floats:
        """Counts of every family on the cases complete in it, flat; the same for any strategy."""

    def run(self, theta: Floats, threads: int = 1) -> tuple[Floats, float]:
        """Expected counts of the rest, flat, and its log-likelihood."""


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """Merged missing pieces, each with its weight."""

    constant: Floats
    compiled: Compiled

    @property
    def known(self) -> Floats:
        """Families that are seen whole are never inferred here."""
        return self.constant

    def run(self, theta: Floats, threads: int = 1) -> tuple[Floats, float]:
        """Each context once."""
        counts, masses = run(self.compiled, theta, threads)
        weights = self.compiled.batch.weights
        used = weights > 0
        return counts, float(weights[used] @ masses[used])


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Incomplete cases, each by one clique tree.

    junction  is cut down for each case
    lanes     runs many side by side, where that is cheaper
    """

    constant: Floats
    known: Floats
    junction: Junction
    lanes: LaneTree | None
    codes: Codes
    weights: Floats

    def run(self, theta: Floats, threads: int = 1) -> tuple[Floats, float]:
        """Each incomplete case once."""
        used = self.weights > 0
        counts, masses = self.by_case(theta, threads)
        return counts, float(self.weights[used] @ masses[used])

    def by_case(self, theta: Floats, threads: int = 1) -> tuple[Floats, Floats]:
        """Expected counts of the incomplete cases, and the log-likelihood of each."""
        if self.lanes is None:
            return self._cut(np.arange(len(self.codes)), theta, threads)
        counts, masses = self.lanes.expected(self.codes, self.weights, theta, threads)
        with np.errstate(divide="ignore"):
            masses = np.log(masses)
        lost = np.flatnonzero(masses == -np.inf)  # impossible, or too small for a float
        if lost.size:
            more, masses[lost] = self._cut(lost, theta, threads)
            counts += more
        return counts, masses

    def _cut(self, cases: Ints, theta: Floats, threads: int) -> tuple[Floats, Floats]:
        from tacit.kernels.cut import expected_by_tree

        tree, codes, weights = self.junction.tree, self.codes[cases], self.weights[cases]
        spans, masses = parts_of(len(cases)), np.zeros(len(cases))
        outs = np.zeros((len(spans), self.junction.layout.size))

        def part(number: int, first: int, last: int) -> None:
            span = slice(first, last)
            expected_by_tree(tree, codes[span], weights[span], theta, outs[number], masses[span])

        in_parts(spans, part, threads)
        return outs.sum(axis=0), masses


def expectation(
    data: Dataset,
    layout: Layout,
    families: Mapping[str, tuple[Variable, ...]],
    strategy: str = "auto",
    threads: int | None = None,
) -> Expectation:
    """The E-step of these cases; variables without a column are missing throughout."""
    if strategy not in STRATEGIES:
        raise OptionError(f"strategy={strategy!r} must be one of {', '.join(STRATEGIES)}")
    pieces = find_pieces(data, layout) if strategy != "trees" else None
    if pieces is None or (strategy == "auto" and compiling(pieces) > LONG):
        trees = _trees(data, layout, families, threads)
        if pieces is None or compiling(pieces) > PASSES * _seconds(trees):
            return trees
    known = _flat_counts(data, layout, families, threads)
    return Contexts(known, compile_pieces(data, layout, pieces))


def _trees(
    data: Dataset,
    layout: Layout,
    families: Mapping[str, tuple[Variable, ...]],
    threads: int | None,
) -> Trees:
    gaps = incomplete_cases(data, layout.names)
    complete = np.setdiff1d(np.arange(len(data)), gaps, assume_unique=True)
    constant = _flat_counts(data.take(complete), layout, families, threads)
    known = _flat_counts(data, layout, families, threads)
    weights = np.ones(gaps.size) if data.weights is None else data.weights[gaps]
    codes, junction = code_matrix(data, layout.names, gaps), compile_junction(layout)
    check_cases(junction, codes)
    cut = Trees(constant, known, junction, None, codes, weights)
    if junction.cells > MOST_CELLS:
        return cut
    return min(cut, replace(cut, lanes=lane_tree(layout)), key=_seconds)


def _seconds(trees: Trees) -> float:
    """About how long a pass takes, by measured costs per cell and variable."""
    cases, variables = len(trees.codes), len(trees.junction.layout.names)
    if trees.lanes is not None:
        return LANE_SECONDS * cases * trees.lanes.cells
    sample = trees.codes[:: max(1, cases // 20)]
    cells = np.mean([sum(trees.junction.sizes(codes)) for codes in sample]) if cases else 0.0
    return cases * (CUT_SECONDS * float(cells) + STEP_SECONDS * variables)


def _flat_counts(
    data: Dataset,
    layout: Layout,
    families: Mapping[str, tuple[Variable, ...]],
    threads: int | None,
) -> Floats:
    """Counts of the families whose columns are all there, each on the cases complete in it."""
    flat = np.zeros(layout.size)
    if not len(data):
        return flat
    whole = [axes for axes in families.values() if all(axis.name in data for axis in axes)]
    for name, counts in statistics(data, whole, threads=threads, missing="available").items():
        assert not isinstance(counts, AnyMoments)
        block = layout.block(flat, layout.places[name])
        block += counts.dense().values
    return flat
