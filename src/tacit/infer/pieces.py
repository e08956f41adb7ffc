"""Missing pieces compiled: a clique tree per kind, base positions per context."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dataset import Dataset
from tacit.infer.contexts import Pieces, find_pieces, piece_weights
from tacit.infer.flat import Layout
from tacit.infer.planting import MANY_RUNS, Planted, plant

if TYPE_CHECKING:
    from tacit.kernels.trees import Batch

ONE_CLIQUE = 24
"""Pieces with at most this many joint states are not worth a tree."""
CHUNKS = 8
"""Contexts are summed in this many parts whatever the threads, so that sums have the same bits."""
CONTEXT = 20
"""What a context costs beside its cells, in cells."""
WORTH_THREADS = 300_000
"""Cells below which threads cost more than they save."""


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """All contexts of some cases, ready to run.

    planted  a clique tree for every kind
    batch    the contexts: their kinds, base positions and weights
    """

    layout: Layout
    planted: Planted
    batch: Batch
    pieces: Pieces

    def spans(self) -> list[tuple[int, int]]:
        """Parts of about the same work, cut by the work alone."""
        kind = self.batch.kind
        done = np.cumsum(self.planted.cells[kind] + CONTEXT)
        if not kind.size or done[-1] < WORTH_THREADS:
            return [(0, kind.size)]
        edges = np.searchsorted(done, np.linspace(0, done[-1], CHUNKS + 1)[1:-1])
        return [(int(a), int(b)) for a, b in pairwise([0, *edges, kind.size])]


def compile_cases(data: Dataset, layout: Layout) -> Compiled:
    """Find the missing pieces of all cases, and make a clique tree for every kind of them."""
    return compile_pieces(data, layout, find_pieces(data, layout))


def compile_pieces(
    data: Dataset, layout: Layout, pieces: Pieces, effort: float = MANY_RUNS
) -> Compiled:
    """A clique tree for every kind of piece, and base positions for every context.

    effort  how much time the search for good trees may take, in runs of them
    """
    from tacit.kernels.kinds import base_positions
    from tacit.kernels.trees import Batch

    _, example = np.unique(pieces.kind, return_index=True)
    rows, first = pieces.row[example], pieces.first[example]
    planted = plant(layout, pieces.codes, rows, first, ONE_CLIQUE, effort)
    many = np.diff(planted.family_at)[pieces.kind] if pieces.kind.size else pieces.kind
    base_at = np.cumsum(many) - many
    bases = np.empty(int(many.sum()), dtype=np.int64)
    kinds, families = planted.family_at, planted.families
    base_positions(
        layout.graph, pieces.codes, pieces.row, pieces.kind, kinds, families, base_at, bases
    )
    batch = Batch(pieces.kind, base_at, bases, piece_weights(pieces, data.weights))
    return Compiled(layout, planted, batch, replace(pieces, codes=pieces.codes[:0]))


def parts_of(cases: int) -> list[tuple[int, int]]:
    """Spans of cases, cut by their number alone."""
    edges = np.linspace(0, cases, (CHUNKS if cases > 4 * CHUNKS else 1) + 1).astype(int)
    return [(int(a), int(b)) for a, b in pairwise(edges)]


def in_parts(
    spans: list[tuple[int, int]], part: Callable[[int, int, int], None], threads: int
) -> None:
    """Call part(number, first, last) for every span, on so many threads."""
    if threads == 1 or len(spans) == 1:
        for number, (first, last) in enumerate(spans):
            part(number, first, last)
    else:
        with ThreadPoolExecutor(min(threads, len(spans))) as pool:
            list(pool.map(part, range(len(spans)), *zip(*spans, strict=True)))


def run(compiled: Compiled, theta: Floats, threads: int = 1) -> tuple[Floats, Floats]:
    """Expected counts of all contexts under these parameters, and the log mass of each context."""
    from tacit.kernels.flow import expected_counts

    c, spans = compiled, compiled.spans()
    masses = np.zeros(c.batch.kind.size)
    outs = np.zeros((len(spans), c.layout.size))

    def part(number: int, first: int, last: int) -> None:
        space = c.planted.space()
        expected_counts(c.planted.forest, c.batch, theta, first, last, space, outs[number], masses)

    in_parts(spans, part, threads)
    return outs.sum(axis=0), masses


def log_masses(compiled: Compiled, theta: Floats, threads: int = 1) -> Floats:
    """log P(what is seen around each context, and through it), context by context."""
    from tacit.kernels.flow import log_masses_of

    c, masses = compiled, np.zeros(compiled.batch.kind.size)

    def part(number: int, first: int, last: int) -> None:
        del number
        log_masses_of(c.planted.forest, c.batch, theta, first, last, c.planted.space(), masses)

    in_parts(c.spans(), part, threads)
    return masses


@dataclass(frozen=True, slots=True, eq=False)
class ContextPosteriors:
    """The posteriors of the open variables of every context, side by side.

    at  (contexts + 1,)  where those of a context start in `values`
    """

    at: Ints
    values: Floats
    log_masses: Floats


def context_posteriors(compiled: Compiled, theta: Floats, threads: int = 1) -> ContextPosteriors:
    """P(each open variable | its context) for every context, once."""
    from tacit.kernels.flow import posteriors_of

    c, kind = compiled, compiled.batch.kind
    at = np.zeros(kind.size + 1, dtype=np.int64)
    if kind.size:
        np.cumsum(c.planted.widths(c.layout.graph.cards)[kind], out=at[1:])
    values, masses = np.empty(int(at[-1])), np.zeros(kind.size)

    def part(number: int, first: int, last: int) -> None:
        del number
        forest, space = c.planted.forest, c.planted.space()
        posteriors_of(forest, c.batch, theta, first, last, space, at, values, masses)

    in_parts(c.spans(), part, threads)
    return ContextPosteriors(at, values, masses)
