"""Groups that grow: the two that predict held-out trials best together become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import SizeError
from tacit.estimate.processes.moments import ProcessMoments
from tacit.estimate.processes.steps import fit_own
from tacit.learn.processes.validation import Judge

MOST = 4_000
"""Groups to begin with: all pairs of them are compared by their courses."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Two groups that became one, and what that gained in cross-validated log-likelihood."""

    one: tuple[int, ...]
    other: tuple[int, ...]
    gain: float


@dataclass(frozen=True, slots=True)
class Merged:
    """The groups at the end, as positions of series, and how they came about."""

    groups: tuple[tuple[int, ...], ...]
    merges: tuple[Merge, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What a group looks like, for a first guess at whom it resembles.

    courses  (size,) of length 1 in each process, as the measurements weigh it
    energy   (processes,) the squares that each course explains
    """

    courses: Floats
    energy: Floats


def merged(
    judge: Judge,
    start: Sequence[Ints],
    neighbours: int,
    slack: float,
    ended: Callable[[], bool],
    told: Callable[[int, int], None],
) -> Merged:
    """Groups of which no two go better together, each tried with the most similar ones.

    Pairs that are each other's best partner merge in the same round, the best first; a pair is
    scored once. A merge gains in cross-validated log-likelihood, which is a sum over groups, or
    loses no more than `slack` standard errors of that gain over folds: which of many merges gains
    most is partly luck, and what luck has kept apart would stay apart.
    """
    if len(start) > MOST:
        raise SizeError(
            f"{len(start):,} groups are too many to compare in pairs; the most is {MOST:,}"
            "\n\nbegin from the cells of a partition: tc.Merging(start=tc.Partition())"
        )
    total = judge.parts.total()
    groups = [tuple(sorted(each.tolist())) for each in start]
    shapes = {group: shape_of(total, judge, group) for group in groups}
    merges: list[Merge] = []
    first = len(groups)
    while len(groups) > 1 and not ended():
        chosen = _best_pairs(judge, groups, shapes, neighbours, slack, ended)
        if not chosen:
            break
        for merge in chosen:
            both = tuple(sorted((*merge.one, *merge.other)))
            groups = [each for each in groups if each not in (merge.one, merge.other)] + [both]
            shapes[both] = shape_of(total, judge, both)
            merges.append(merge)
        told(first - len(groups), first - 1)
    order = sorted(groups, key=lambda group: (-len(group), group))
    return Merged(tuple(order), tuple(merges))


def shape_of(total: ProcessMoments, judge: Judge, group: tuple[int, ...]) -> Shape:
    """The first singular direction of the courses of its series, measured by the gram."""
    layout = judge.layout
    some = total.take(np.array(group))
    single = fit_own(some, layout).courses[0]
    courses, energy = np.zeros(layout.size), np.zeros(len(layout.lengths))
    for process, block in enumerate(layout.blocks):
        root = np.sqrt(np.einsum("ii->i", some.gram[0].mean(axis=0))[block])
        part = root[:, None] * single[block]
        if part.shape[0] <= part.shape[1]:
            direction = np.linalg.eigh(part @ part.T)[1][:, -1]
        else:
            direction = part @ np.linalg.eigh(part.T @ part)[1][:, -1]
            direction /= max(np.linalg.norm(direction), 1e-300)
        courses[block] = direction
        energy[process] = float(np.sum((direction @ part) ** 2))
    return Shape(courses, energy)


def lost_by_merging(shapes: Sequence[Shape], judge: Judge) -> Floats:
    """(groups, groups) the squares that courses in common would leave beyond those of two groups.

    Two matrices with one singular direction each, of energies a and b at an angle of cosine c, have
    together the largest eigenvalue (a + b + √((a-b)² + 4abc²))/2; the rest of a + b is lost.
    """
    lost = np.zeros((len(shapes), len(shapes)))
    for process, block in enumerate(judge.layout.blocks):
        courses = np.stack([shape.courses[block] for shape in shapes])
        energy = np.array([shape.energy[process] for shape in shapes])
        both = energy[:, None] + energy
        apart = (energy[:, None] - energy) ** 2
        near = 4 * energy[:, None] * energy * (courses @ courses.T) ** 2
        lost += (both - np.sqrt(apart + near)) / 2
    return lost


def _best_pairs(
    judge: Judge,
    groups: Sequence[tuple[int, ...]],
    shapes: dict[tuple[int, ...], Shape],
    neighbours: int,
    slack: float,
    ended: Callable[[], bool],
) -> list[Merge]:
    """Pairs worth merging, each the best for both of its groups, the best first."""
    lost = lost_by_merging([shapes[group] for group in groups], judge)
    np.fill_diagonal(lost, np.inf)
    near = np.argsort(lost, axis=1, kind="stable")[:, :neighbours]
    pairs = sorted(
        {(min(a, int(b)), max(a, int(b))) for a, row in enumerate(near) for b in row if a != b}
    )
    found: list[Merge] = []
    for one, other in pairs:
        if ended():
            return []
        both = np.array(sorted((*groups[one], *groups[other])))
        gains = judge.folds(both)
        gains = gains - judge.folds(np.array(groups[one])) - judge.folds(np.array(groups[other]))
        gain = float(gains.sum())
        if gain > -slack * float(np.sqrt(gains.size) * gains.std(ddof=1)):
            found.append(Merge(groups[one], groups[other], gain))
    best: dict[tuple[int, ...], float] = {}
    for each in found:
        for group in (each.one, each.other):
            best[group] = max(best.get(group, -np.inf), each.gain)
    found.sort(key=lambda each: (-each.gain, each.one, each.other))
    chosen, taken = [], set()
    for each in found:
        free = each.one not in taken and each.other not in taken
        if free and each.gain == best[each.one] == best[each.other]:
            chosen.append(each)
            taken |= {each.one, each.other}
    return chosen
