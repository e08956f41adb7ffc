"""Incomplete cases completed by what a network says of their missing cells.

Given what was observed, the missing cells of a case fall apart into pieces that are independent of
each other. The joint posterior of each piece is kept once for all cases that share it; counts of
any family, whether the network has it or not, follow from the few pieces that it touches, so that
completions are never multiplied out over a whole case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Codes, Floats, Ints, code_type
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.engines.splitting import Split
from tacit.engines.table_scores import Columns
from tacit.infer.contexts import code_matrix
from tacit.infer.flat import layout_of
from tacit.infer.pieces import Compiled
from tacit.learn.structure.sem_splitting import split
from tacit.learn.structure.sem_writing import Lines, check_room, narrowed, pieces_of

if TYPE_CHECKING:
    from tacit.kernels.completing import Joints

FEW_KINDS = 32
"""Kinds of pieces up to which each is written out only as far as a question needs it."""
GROWN = (1_000_000, 16)
"""Lines that may come of it, or how many times more of them."""
AT_ONCE = 4_000_000
"""Joint states whose posteriors are computed at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Completion:
    """Cases and the posterior of all that is missing in them, under one network.

    variables  by number, hidden ones among them
    codes      (variables, lines)  -1 where missing
    joints     the joint posterior of every missing piece of every line
    pieces     per kind of missing piece, its variables
    marginals  the posterior of every missing cell, from `joints`
    slots      (variables,)     the row of `cell_at` that a variable with missing cells has
    cell_at    (slots, lines)   where the posterior of its cell starts in `marginals`
    split      which case each line is of, and how much of it: one line a case, unless a piece was
               so large that some of its cells had to be set first
    weights    (cases,)         how often each case counts
    """

    variables: tuple[Discrete, ...]
    states: Ints
    codes: Codes
    joints: Joints
    pieces: tuple[tuple[int, ...], ...]
    marginals: Floats
    slots: Ints
    cell_at: Ints
    split: Split
    weights: Floats

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""
        return tuple(variable.name for variable in self.variables)

    @property
    def gappy(self) -> frozenset[int]:
        """The variables with missing cells."""
        return frozenset(self.joints.members.tolist())

    @property
    def line_weights(self) -> Floats:
        """(lines,) how often each line counts."""
        return np.asarray(self.split.share * self.weights[self.split.case])

    def written_out(self, variables: Sequence[int], columns: Sequence[int] | None = None) -> Lines:
        """Lines in which none of these variables is missing.

        columns  whose cells will be looked at; None: those of all

        Pieces are written out whole if there are many kinds of them and they are small; else only
        as far as these variables need it.
        """
        touched = self._touched(variables)
        if not touched.any():
            return self.as_they_are
        if len(self.pieces) > FEW_KINDS:
            whole = int(self._counts(self.joints, touched).sum())
            if whole <= max(GROWN[0], GROWN[1] * self.codes.shape[1]):
                return self._lines(self.joints, touched, frozenset(), columns)
        joints, unsure = narrowed(self.joints, self.pieces, touched, frozenset(variables))
        return self._lines(joints, touched, unsure, columns)

    def written_out_whole(self, variables: Sequence[int]) -> Lines:
        """The same, with all other variables of the pieces that these touch."""
        return self._lines(self.joints, self._touched(variables), frozenset(), None)

    @property
    def as_they_are(self) -> Lines:
        """The lines with their gaps."""
        columns = Columns(self.variables, self.codes, self.states, self.line_weights)
        return Lines(columns, np.arange(self.codes.shape[1]))

    def lines_whole(self, variables: Sequence[int]) -> int:
        """How many lines `written_out_whole` would come to."""
        return int(self._counts(self.joints, self._touched(variables)).sum())

    def _touched(self, variables: Sequence[int]) -> Bools:
        """(kinds,) which have one of these variables."""
        at = self.joints.member_at
        inside = np.isin(self.joints.members, list(variables))
        return np.asarray(np.diff(np.append(0, np.cumsum(inside))[at]) > 0)

    def _counts(self, joints: Joints, touched: Bools) -> Ints:
        from tacit.kernels.completing import lines_needed

        counts = np.empty(self.codes.shape[1], dtype=np.int64)
        lines_needed(joints, touched, counts)
        return counts

    def _lines(
        self,
        joints: Joints,
        touched: Bools,
        unsure: frozenset[int],
        columns: Sequence[int] | None,
    ) -> Lines:
        from tacit.kernels.completing import write_out

        counts = self._counts(joints, touched)
        check_room(int(counts.sum()))
        origin = np.repeat(np.arange(counts.size), counts)
        weights = self.line_weights[origin]
        if columns is None:
            codes = self.codes[:, origin]
        else:
            codes = np.empty((len(self.variables), origin.size), dtype=self.codes.dtype)
            for column in columns:
                np.take(self.codes[column], origin, out=codes[column])
        write_out(joints, touched, counts, codes, weights)
        return Lines(Columns(self.variables, codes, self.states, weights), origin, unsure)

    def counts(self, family: Sequence[int]) -> Floats:
        """Expected counts of some variables together, an axis each."""
        shape = tuple(int(self.states[variable]) for variable in family)
        columns = self.written_out(family, family).columns
        cells = np.zeros(columns.cases, dtype=np.int64)
        for variable, states in zip(family, shape, strict=True):
            cells = cells * states + columns.codes[variable]
        return np.bincount(cells, columns.weights, prod(shape)).astype(np.float64).reshape(shape)


def completed(
    cases: Dataset, network: Network, names: Sequence[str], seed: int | Sequence[int] = 0
) -> Completion:
    """The posterior of what is missing in these cases; a name without a column is missing in all.

    names  the variables of the network, in the order in which the completion numbers them
    seed   of draws, where a piece is so large that its cells cannot all be set in every way
    """
    layout = layout_of(network.dag, network.variables)
    theta = layout.parameters(network)
    parts, compiled = split(cases, layout, theta, seed)
    place = np.array([list(names).index(name) for name in layout.names], dtype=np.int64)
    joints = _joints(compiled, theta, place, len(parts.cases))
    codes = code_matrix(parts.cases, names, np.arange(len(parts.cases))).T
    weights = np.ones(len(cases)) if cases.weights is None else np.array(cases.weights)
    variables = tuple(v for v in map(network.variables.get, names) if isinstance(v, Discrete))
    return completion_of(variables, codes, joints, parts, weights)


def completion_of(
    variables: tuple[Discrete, ...], codes: Codes, joints: Joints, split: Split, weights: Floats
) -> Completion:
    """Cases with the joint posteriors of what they lack.

    codes  (variables, lines)  -1 where missing
    """
    marginals, slots, cell_at = _marginals(joints, len(variables), codes.shape[1])
    held = np.ascontiguousarray(codes, dtype=code_type(int(joints.states.max(initial=1))))
    return Completion(
        variables, joints.states, held, joints, pieces_of(joints), marginals, slots, cell_at,
        split, weights,
    )  # fmt: skip


def _joints(compiled: Compiled, theta: Floats, place: Ints, lines: int) -> Joints:
    """The joint posterior of every context, all states of a kind in the order of its strides."""
    from tacit.kernels.completing import Joints

    layout, planted, pieces = compiled.layout, compiled.planted, compiled.pieces
    member_at, kind = planted.member_at, compiled.batch.kind
    cards = np.array(layout.cards, dtype=np.int64)[planted.members]
    strides = np.ones(cards.size, dtype=np.int64)
    size = np.ones(member_at.size - 1, dtype=np.int64)
    for k in range(size.size):
        span = slice(int(member_at[k]), int(member_at[k + 1]))
        below = np.cumprod(cards[span][::-1])[::-1]
        strides[span] = np.append(below[1:], 1)
        size[k] = below[0]
    joint_at = np.concatenate([[0], np.cumsum(size[kind])]).astype(np.int64)
    check_room(int(joint_at[-1]))
    joint = np.empty(int(joint_at[-1]))
    edges = np.searchsorted(kind, np.arange(size.size + 1))
    logs = _logs(theta)
    for k in range(size.size):
        step = max(1, AT_ONCE // int(size[k]))
        for first in range(int(edges[k]), int(edges[k + 1]), step):
            last = min(first + step, int(edges[k + 1]))
            into = joint[joint_at[first] : joint_at[last]].reshape(last - first, int(size[k]))
            into[...] = _posterior(compiled, logs, strides, int(size[k]), (first, last))
    order = np.argsort(pieces.case, kind="stable")
    piece_at = np.concatenate([[0], np.cumsum(np.bincount(pieces.case, minlength=lines))])
    states = np.empty(place.size, dtype=np.int64)
    states[place] = layout.cards
    members = place[planted.members]
    return Joints(
        piece_at.astype(np.int64), pieces.context[order], kind, size, joint_at, joint, member_at,
        members, strides, states,
    )  # fmt: skip


def _posterior(
    compiled: Compiled, logs: Floats, strides: Ints, size: int, span: tuple[int, int]
) -> Floats:
    """(contexts, joint states) of contexts of one kind: the product of the families around it.

    A context that cannot be is left even: no case of weight has one.
    """
    layout, planted, batch = compiled.layout, compiled.planted, compiled.batch
    first, last = span
    k = int(batch.kind[first])
    here = slice(int(planted.member_at[k]), int(planted.member_at[k + 1]))
    members = planted.members[here].tolist()
    number = np.arange(size)
    digit = {
        variable: number // stride % layout.cards[variable]
        for variable, stride in zip(members, strides[here].tolist(), strict=True)
    }
    families = planted.families[planted.family_at[k] : planted.family_at[k + 1]].tolist()
    sums = np.zeros((last - first, size))
    for local, family in enumerate(families):
        axes = layout.axes[family]
        offset = np.zeros(size, dtype=np.int64)
        for variable, stride in zip(axes.variables, axes.strides, strict=True):
            if variable in digit:
                offset += digit[variable] * stride
        sums += logs[batch.bases[batch.base_at[first:last] + local][:, None] + offset]
    highest = sums.max(axis=1, keepdims=True)
    sums = np.exp(sums - np.where(np.isneginf(highest), 0.0, highest))
    sums[np.isneginf(highest)[:, 0]] = 1.0
    return np.asarray(sums / sums.sum(axis=1, keepdims=True))


def _logs(theta: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(theta))


def _marginals(joints: Joints, variables: int, lines: int) -> tuple[Floats, Ints, Ints]:
    """The posterior of every missing cell, and per variable with gaps where each line's starts."""
    edges = np.searchsorted(joints.kind, np.arange(joints.size.size + 1))
    slots = np.zeros(variables, dtype=np.int64)
    gappy = np.unique(joints.members)
    slots[gappy] = np.arange(gappy.size)
    cell_at = np.full((max(1, gappy.size), lines), -1, dtype=np.int64)
    line_of = np.repeat(np.arange(lines), np.diff(joints.piece_at))
    by_context = np.argsort(joints.context, kind="stable")
    starts = np.searchsorted(joints.context[by_context], np.arange(joints.kind.size + 1))
    parts, done = [], 0
    for k in range(joints.size.size):
        first, last = int(edges[k]), int(edges[k + 1])
        members = joints.members[joints.member_at[k] : joints.member_at[k + 1]]
        shape = [int(joints.states[member]) for member in members]
        joint = joints.joint[joints.joint_at[first] : joints.joint_at[last]]
        table = joint.reshape(last - first, *shape)
        mine = by_context[starts[first] : starts[last]]
        for axis, member in enumerate(members.tolist()):
            others = tuple(at + 1 for at in range(len(shape)) if at != axis)
            parts.append(table.sum(axis=others).ravel())
            where = done + (joints.context[mine] - first) * shape[axis]
            cell_at[slots[member], line_of[mine]] = where
            done += parts[-1].size
    marginals = np.concatenate(parts) if parts else np.zeros(1)
    return marginals, slots, cell_at
