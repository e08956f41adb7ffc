"""Missing pieces compiled: a clique tree per kind, base positions per context."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Codes, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.infer.cliques import CliqueTree, clique_tree
from tacit.infer.contexts import Pieces, code_matrix, find_pieces, members, piece_weights
from tacit.infer.flat import Layout
from tacit.infer.programs import Factor, ProgramBuilder
from tacit.infer.sizes import check_piece
from tacit.infer.triangulation import best_elimination

if TYPE_CHECKING:
    from tacit.kernels.trees import Batch, Program

ONE_CLIQUE = 24
"""Pieces with at most this many joint states are not worth a tree."""
CHUNKS = 8
"""Contexts are summed in this many parts whatever the threads, so that sums have the same bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """All contexts of some cases, ready to run.

    batch           the contexts: their kinds, base positions and weights
    work            cells, messages and dimensions that one worker needs
    open_variables  per kind, the missing variables
    open_homes      for each of them a clique of the kind, and its dimension there
    """

    layout: Layout
    program: Program
    batch: Batch
    work: tuple[int, int, int]
    open_variables: tuple[tuple[int, ...], ...]
    open_homes: tuple[tuple[tuple[int, int], ...], ...]
    pieces: Pieces


def compile_cases(data: Dataset, layout: Layout) -> Compiled:
    """Find the missing pieces of all cases, and write a program for every kind of them."""
    return compile_pieces(data, layout, find_pieces(data, layout))


def compile_pieces(data: Dataset, layout: Layout, pieces: Pieces) -> Compiled:
    """A program for every kind of piece, and base positions for every context."""
    from tacit.kernels.trees import Batch

    codes = code_matrix(data, layout.names, pieces.example)
    kinds = int(pieces.kind.max(initial=-1)) + 1
    by_kind = np.argsort(pieces.kind, kind="stable")
    edges = np.searchsorted(pieces.kind[by_kind], np.arange(kinds + 1))
    builder, opened, homes, blocks = ProgramBuilder(), [], [], []
    base_at, at = np.empty(pieces.kind.size, dtype=np.int64), 0
    for kind in range(kinds):
        contexts = by_kind[edges[kind] : edges[kind + 1]]
        piece = members(layout, codes[contexts[0]], int(pieces.first[contexts[0]]))
        families = sorted({family for v in piece for family in layout.touching[v]})
        tree = piece_tree(layout, piece)
        check_piece(layout, tree)
        builder.add(tree, piece_factors(layout, piece, families), layout.cards)
        block = base_positions(layout, families, codes[contexts], piece)
        base_at[contexts] = at + np.arange(contexts.size) * len(families)
        at += block.size
        blocks.append(block.ravel())
        opened.append(piece)
        homes.append(_homes(tree, piece))
    bases = np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.int64)
    batch = Batch(pieces.kind, base_at, bases, piece_weights(pieces, data.weights))
    return Compiled(
        layout, builder.program(), batch, builder.work(), tuple(opened), tuple(homes), pieces
    )


def _homes(tree: CliqueTree, piece: Sequence[int]) -> tuple[tuple[int, int], ...]:
    found: dict[int, tuple[int, int]] = {}
    for number, clique in enumerate(tree.cliques):
        for dim, v in enumerate(clique):
            found.setdefault(v, (number, dim))
    return tuple(found[v] for v in piece)


def piece_tree(layout: Layout, piece: Sequence[int]) -> CliqueTree:
    """One clique for small pieces, else the cheapest tree that the greedy orders find."""
    if len(piece) == 1 or prod(layout.cards[v] for v in piece) <= ONE_CLIQUE:
        return CliqueTree((tuple(piece),), (-1,))
    inside = frozenset(piece)
    return clique_tree(
        best_elimination({v: layout.neighbours[v] & inside for v in piece}, layout.cards)
    )


def piece_factors(layout: Layout, piece: Sequence[int], families: Sequence[int]) -> list[Factor]:
    """The families around a piece, cut down to its variables."""
    inside = frozenset(piece)
    return [
        Factor({
            v: stride
            for v, stride in zip(layout.axes[f].variables, layout.axes[f].strides, strict=True)
            if v in inside
        })
        for f in families
    ]  # fmt: skip


def base_positions(
    layout: Layout, families: Sequence[int], codes: Codes, piece: Sequence[int]
) -> Ints:
    """(contexts, families): where each family's entries that agree with the findings start."""
    inside = frozenset(piece)
    bases = np.empty((codes.shape[0], len(families)), dtype=np.int64)
    for local, family in enumerate(families):
        axes = layout.axes[family]
        bases[:, local] = axes.start
        for v, stride in zip(axes.variables, axes.strides, strict=True):
            if v not in inside:
                bases[:, local] += stride * codes[:, v].astype(np.int64)
    return bases


def parts_of(contexts: int) -> list[tuple[int, int]]:
    """Spans of contexts, cut by their number alone."""
    edges = np.linspace(0, contexts, (CHUNKS if contexts > 4 * CHUNKS else 1) + 1).astype(int)
    return [(int(a), int(b)) for a, b in pairwise(edges)]


def in_parts(contexts: int, part: Callable[[int, int, int], None], threads: int) -> int:
    """Call part(number, first, last) for every span, on so many threads; how many there were."""
    spans = parts_of(contexts)
    if threads == 1 or len(spans) == 1:
        for number, (first, last) in enumerate(spans):
            part(number, first, last)
    else:
        with ThreadPoolExecutor(min(threads, len(spans))) as pool:
            list(pool.map(part, range(len(spans)), *zip(*spans, strict=True)))
    return len(spans)


def run(compiled: Compiled, theta: Floats, threads: int = 1) -> tuple[Floats, Floats]:
    """Expected counts of all contexts under these parameters, and the log mass of each context."""
    from tacit.kernels.propagate import expected_counts
    from tacit.kernels.strided import room_for

    c, contexts = compiled, len(compiled.batch.kind)
    masses = np.zeros(contexts)
    outs = np.zeros((len(parts_of(contexts)), c.layout.size))

    def part(number: int, first: int, last: int) -> None:
        room = room_for(*c.work)
        expected_counts(c.program, c.batch, theta, first, last, room, outs[number], masses)

    in_parts(contexts, part, threads)
    return outs.sum(axis=0), masses


def log_masses(compiled: Compiled, theta: Floats, threads: int = 1) -> Floats:
    """log P(what is seen around each context, and through it), context by context."""
    from tacit.kernels.propagate import log_masses_of
    from tacit.kernels.strided import room_for

    c, masses = compiled, np.zeros(len(compiled.batch.kind))

    def part(number: int, first: int, last: int) -> None:
        del number
        log_masses_of(c.program, c.batch, theta, first, last, room_for(*c.work), masses)

    in_parts(masses.size, part, threads)
    return masses


@dataclass(frozen=True, slots=True, eq=False)
class ContextPosteriors:
    """The posteriors of the open variables of every context, side by side.

    at  (contexts,)  where those of a context start in `values`
    """

    at: Ints
    values: Floats
    log_masses: Floats


def context_posteriors(compiled: Compiled, theta: Floats, threads: int = 1) -> ContextPosteriors:
    """P(each open variable | its context) for every context, once."""
    from tacit.kernels.posteriors import Open, posteriors_of
    from tacit.kernels.strided import room_for

    c, kind = compiled, compiled.batch.kind
    widths = np.array(
        [sum(c.layout.cards[v] for v in each) for each in c.open_variables], dtype=int
    )
    at = np.concatenate([[0], np.cumsum(widths[kind] if kind.size else kind)]).astype(np.int64)
    values, masses = np.empty(int(at[-1])), np.zeros(kind.size)
    open_at = np.cumsum([0, *(len(each) for each in c.open_variables)]).astype(np.int64)
    homes = np.array([home for each in c.open_homes for home in each], dtype=np.int64).reshape(
        -1, 2
    )
    opened = Open(open_at, homes[:, 0].copy(), homes[:, 1].copy(), at)

    def part(number: int, first: int, last: int) -> None:
        del number
        room = room_for(*c.work)
        posteriors_of(c.program, c.batch, opened, theta, first, last, room, values, masses)

    in_parts(kind.size, part, threads)
    return ContextPosteriors(at[:-1], values, masses)
