"""The best tree there is, by dynamic programming over contexts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log, prod

import numpy as np

from tacit.arrays import Ints
from tacit.core.errors import SizeError
from tacit.estimate.local.growing import Bans, Told
from tacit.estimate.local.worth import RowWorth
from tacit.families.tree import Tree, tree_of

MOST_CONTEXTS = 250_000

Context = tuple[int, ...]
"""Per parent the states that cases can have, as bits."""
Question = tuple[int, tuple[int, ...]]
"""The parent that is asked for, and the sets of states of the branches, as bits."""


@dataclass(slots=True, eq=False)
class _Search:
    """What is known of contexts so far: what the best tree there is worth, and its question."""

    told: Told
    worth: RowWorth
    tests: str
    bans: Bans
    best: dict[Context, tuple[float, Question | None]] = field(default_factory=dict)

    def solved(self, context: Context, lines: Ints) -> float:
        """The worth of the best tree of a context, of which these are the cases."""
        if context in self.best:
            return self.best[context][0]
        value, chosen = self._leaf(context, lines), None
        questions = list(self._questions(context))
        toll = log(2.0 * len(questions)) if self.worth.priced and questions else 0.0
        for question in questions if lines.size else ():
            found = -toll
            for branch, inside in self._below(context, question, lines):
                found += self.solved(branch, inside)
            if found > value:
                value, chosen = found, question
        self.best[context] = value, chosen
        return value

    def _leaf(self, context: Context, lines: Ints) -> float:
        told = self.told
        counts = np.bincount(told.child[lines], told.weights[lines], told.shape[-1])
        share = prod(
            each.bit_count() / size for each, size in zip(context, told.sizes, strict=True)
        )
        rows = self.worth.of_rows(counts[None, :].astype(float), np.array([share]))
        return float(rows[0]) - self.worth.leaf

    def _questions(self, context: Context) -> Iterator[Question]:
        for axis, open_ in enumerate(context):
            states = [1 << at for at in range(self.told.sizes[axis]) if open_ >> at & 1]
            if len(states) < 2 or self._banned(context, axis):
                continue
            if self.tests != "one" or len(states) == 2:
                yield axis, tuple(states)
            if self.tests != "states" and len(states) > 2:
                for state in states:
                    yield axis, (state, open_ & ~state)

    def _banned(self, context: Context, axis: int) -> bool:
        first = np.concatenate([[0], np.cumsum(self.told.sizes)])
        for ban in np.flatnonzero(self.bans.axis == axis):
            room = self.bans.room[ban]
            meets = all(
                any(open_ >> at & 1 and room[first[other] + at] for at in range(size))
                for other, (open_, size) in enumerate(zip(context, self.told.sizes, strict=True))
            )
            if meets:
                return True
        return False

    def _below(
        self, context: Context, question: Question, lines: Ints
    ) -> Iterator[tuple[Context, Ints]]:
        axis, branches = question
        bits = np.left_shift(1, self.told.codes[axis][lines].astype(np.int64))
        for branch in branches:
            inside = lines[(bits & branch) > 0]
            yield (*context[:axis], branch, *context[axis + 1 :]), inside


def best_tree(
    told: Told, worth: RowWorth, tests: str = "any", bans: Bans | None = None
) -> tuple[Tree, float]:
    """The tree whose rows are worth most together, of all there are.

    maximise over trees  Σ over the leaves of worth(counts of the leaf) - what questions cost

    A context is a set of states for each parent; the best tree of a context is a leaf or the best
    question with the best trees of its branches, whatever was asked on the way there. So each
    context is solved once.
    """
    _check_small(told.sizes, tests)
    search = _Search(told, worth, tests, bans or Bans.none(told.sizes))
    root = tuple((1 << size) - 1 for size in told.sizes)
    value = search.solved(root, np.arange(len(told.weights)))
    axis, to, number = dict[int, int](), dict[int, Sequence[int]](), iter(range(2**62))

    def build(context: Context) -> int:
        node, (_, question) = next(number), search.best[context]
        if question is not None:
            asked, branches = question
            targets = [build((*context[:asked], b, *context[asked + 1 :])) for b in branches]
            axis[node] = asked
            to[node] = [
                next((t for t, b in zip(targets, branches, strict=True) if b >> at & 1), targets[0])
                for at in range(told.sizes[asked])
            ]
        return node

    return tree_of(axis, to, build(root)), value


def _check_small(sizes: Sequence[int], tests: str) -> None:
    each = [size + 1 if tests == "states" else 2**size - 1 for size in sizes]
    if prod(each) > MOST_CONTEXTS:
        raise SizeError(
            f"the best tree over {len(sizes)} parents would be sought among {prod(each):,} "
            f"contexts; the most are {MOST_CONTEXTS:,}\n\nleave out exact=True: a tree is grown"
        )
