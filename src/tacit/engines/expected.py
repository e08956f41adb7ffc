"""Expected statistics of incomplete cases: what is known is counted once, the rest is inferred.

Two strategies give the same numbers. `Contexts` merges equal missing pieces over all cases and
infers each once; `Trees` runs one clique tree per incomplete case, cut down to what agrees with
its findings. The cheaper one is chosen by estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.arrays import Codes, Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.variables import Variable
from tacit.engines.memory import statistics
from tacit.families.moments import Moments
from tacit.infer.contexts import Pieces, code_matrix, find_pieces, incomplete_cases
from tacit.infer.flat import Layout
from tacit.infer.junction import Junction, compile_junction
from tacit.infer.pieces import Compiled, compile_pieces, in_parts, parts_of, run
from tacit.infer.sizes import check_cases

STRATEGIES = ("auto", "contexts", "trees")


class Expectation(Protocol):
    """What one E-step needs."""

    @property
    def constant(self) -> Floats:
        """Counts that do not depend on the parameters, flat."""

    def run(self, theta: Floats, threads: int = 1) -> tuple[Floats, float]:
        """Expected counts of the rest, flat, and its log-likelihood."""


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """Merged missing pieces, each with its weight."""

    constant: Floats
    compiled: Compiled

    def run(self, theta: Floats, threads: int = 1) -> tuple[Floats, float]:
        """Each context once."""
        counts, masses = run(self.compiled, theta, threads)
        weights = self.compiled.batch.weights
        used = weights > 0
        return counts, float(weights[used] @ masses[used])


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Incomplete cases, each with a cut of one clique tree."""

    constant: Floats
    junction: Junction
    codes: Codes
    weights: Floats

    def run(self, theta: Floats, threads: int = 1) -> tuple[Floats, float]:
        """Each incomplete case once."""
        from tacit.kernels.cut import expected_by_tree

        masses = np.zeros(len(self.codes))
        outs = np.zeros((len(parts_of(len(self.codes))), self.junction.layout.size))

        def part(number: int, first: int, last: int) -> None:
            span = slice(first, last)
            expected_by_tree(
                self.junction.tree,
                self.codes[span],
                self.weights[span],
                theta,
                outs[number],
                masses[span],
            )

        in_parts(parts_of(len(self.codes)), part, threads)
        used = self.weights > 0
        return outs.sum(axis=0), float(self.weights[used] @ masses[used])


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
    pieces = find_pieces(data, layout)
    if strategy == "auto":
        strategy = _cheaper(pieces, layout)
    if strategy == "contexts":
        known = _flat_counts(data, layout, families, threads)
        return Contexts(known, compile_pieces(data, layout, pieces))
    gaps = incomplete_cases(data, layout.names)
    complete = np.setdiff1d(np.arange(len(data)), gaps, assume_unique=True)
    known = _flat_counts(data.take(complete), layout, families, threads)
    weights = np.ones(gaps.size) if data.weights is None else data.weights[gaps]
    codes, junction = code_matrix(data, layout.names, gaps), compile_junction(layout)
    check_cases(junction, codes)
    return Trees(known, junction, codes, weights)


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
        assert not isinstance(counts, Moments)
        block = layout.block(flat, layout.places[name])
        block += counts.dense().values
    return flat


def _cheaper(pieces: Pieces, layout: Layout) -> str:
    """Contexts unless compiling their kinds would cost more than many passes of trees.

    In microseconds, measured: compiling a kind of k variables takes about 60 k; a tree pass about
    0.6 per variable and case. A fit makes some tens of passes.
    """
    if not pieces.kind.size:
        return "contexts"
    _, example = np.unique(pieces.kind, return_index=True)
    compiling = 60.0 * float(pieces.size[example].sum())
    passing = 0.6 * len(layout.names) * np.unique(pieces.case).size
    return "contexts" if compiling < 50 * passing else "trees"
