"""A few cases that stand for many: where all states are known, mean and scatter say everything.

A group whose states are all known is one normal distribution, and what it adds to likelihoods and
moments is a quadratic function of each case: a few cases with the same mean and the same scatter
stand for all of them, exactly, in every step.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.infer.normal.frames import Frame
from tacit.infer.normal.groups import Group, Grouped
from tacit.infer.normal.kinds import Kind

PIECE = 256
"""Rows that are made triangular at once: few enough that no library shares them among threads."""


def triangular(rows: Floats) -> Floats:
    """R of rows = Q R, from the triangles of pieces of them."""
    size = rows.shape[1]
    if not size:  # cases that show nothing of what they lack: their number alone counts
        return np.zeros((0, 0))
    piece = max(PIECE, 4 * size)
    while len(rows) > piece:
        padded = np.zeros((-(-len(rows) // piece) * piece, size))
        padded[: len(rows)] = rows
        pieces = padded.reshape(-1, piece, size)
        rows = np.asarray(np.linalg.qr(pieces, mode="r")).reshape(-1, size)
    return np.asarray(np.linalg.qr(rows, mode="r"))


def stand_ins(reals: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """As few cases as have the same weight, mean and scatter as these, and their weights.

    With S = RᵀR the scatter of n cases of m variables and W (m + 1, m) orthonormal columns that
    each add up to 0, the cases mean + √((m + 1) / n) W R, each of weight n / (m + 1), will do.
    """
    from scipy.linalg import helmert

    total, size = float(weights.sum()), reals.shape[1]
    mean = weights @ reals / total
    root = triangular((reals - mean) * np.sqrt(weights)[:, None])
    spread = helmert(size + 1).T @ root * np.sqrt((size + 1) / total)
    return mean + spread, np.full(size + 1, total / (size + 1))


def shortened(held: Grouped, weights: Floats) -> tuple[Grouped, Floats]:
    """The same groups, those without open states by stand-ins where these are fewer.

    Stand-ins come behind the cases, as lines of reals and weights.
    """
    groups, reals, added = list[Group](), [held.reals], [weights]
    count = len(weights)
    for group in held.groups:
        cases = group.cases[weights[group.cases] > 0]
        seen = _observed(held.plan.frame, group.kind)
        if not group.kind.opened and cases.size > seen.size + 1:
            values, own = stand_ins(held.reals[np.ix_(cases, seen)], weights[cases])
            lines = np.full((own.size, held.reals.shape[1]), np.nan)
            lines[:, seen] = values
            cases = np.arange(count, count + own.size)
            count += own.size
            reals.append(lines)
            added.append(own)
        if cases.size:
            groups.append(replace(group, cases=cases))
    whole = replace(held, groups=tuple(groups), reals=np.concatenate(reals))
    return whole, np.concatenate(added)


def _observed(frame: Frame, kind: Kind) -> Ints:
    """The observed variables in the families of a kind."""
    axes: set[int] = set()
    for part in kind.parts:
        for row in part.component.rows.tolist():
            axes.update((row, *frame.parents[row].tolist()))
    return np.array(sorted(axes - set(kind.reals.tolist())), np.int64)
