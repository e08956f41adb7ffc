"""Posteriors of parts joined to one, and mixed over sets of rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.grid import counted
from tacit.learn.whole import Whole

NEGLIGIBLE = 1e-6
"""A set of rules less probable than this adds nothing that anyone could see."""


def joined(parts: Sequence[Whole], draws: int) -> Whole:
    """Independent parts side by side; every draw of one belongs to the same draw of the others."""
    kept = min([draws, *(part.draws.shape[0] for part in parts)])
    ways: dict[str, int] = {}
    for part in parts:
        for way, count in part.ways.items():
            ways[way] = ways.get(way, 0) + count
    none = np.zeros(0)
    ends = np.cumsum([part.cells.size for part in parts])
    stacked = {
        name: np.concatenate([none, *(getattr(part, name) for part in parts)])
        for name in ("mean", "sd", "lower", "upper", "error", "size", "rhat")
    }
    return Whole(
        cells=np.concatenate([none.astype(np.int64), *(part.cells for part in parts)]),
        draws=np.concatenate([np.zeros((kept, 0)), *(part.draws[:kept] for part in parts)], axis=1),
        exact=np.concatenate([none.astype(np.bool_), *(part.exact for part in parts)]),
        settled=all(part.settled for part in parts),
        ways=ways,
        block=_blocks(parts),
        powers=_Powers(ends, tuple(part.powers for part in parts)),
        **stacked,
    )


def _blocks(parts: Sequence[Whole]) -> Ints:
    """Blocks numbered on from part to part."""
    found, first = [np.zeros(0, dtype=np.int64)], 0
    for part in parts:
        found.append(part.block + first)
        first += 1 + int(part.block.max(initial=-1))
    return np.concatenate(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Powers:
    """Those of the part to which the positions belong; `ends` of the parts."""

    ends: Ints
    parts: tuple[Callable[[Ints], float | None], ...]

    def __call__(self, used: Ints) -> float | None:
        at = int(np.searchsorted(self.ends, used[0], side="right"))
        return self.parts[at](used - (self.ends[at - 1] if at else 0))


def mixed(parts: Sequence[Whole], weights: Floats, level: float, seed: int) -> Whole:
    """The mixture of posteriors of the same cells: mean and spread by their weights, draws from
    each as often as it is probable."""
    first = parts[0]
    shares = weights / weights.sum()
    aligned = [_aligned(part, first.cells) for part in parts]
    mean = sum(w * part.mean[at] for w, (part, at) in zip(shares, aligned, strict=True))
    square = sum(
        w * (part.sd[at] ** 2 + (part.mean[at] - mean) ** 2)
        for w, (part, at) in zip(shares, aligned, strict=True)
    )
    draws = _drawn(aligned, shares, np.random.default_rng([seed, 3]))
    tails = [(1 - level) / 2, (1 + level) / 2]
    lower, upper = np.quantile(draws, tails, axis=0)
    return Whole(
        cells=first.cells,
        mean=np.asarray(mean),
        sd=np.sqrt(square),
        lower=lower,
        upper=upper,
        draws=draws,
        error=np.sqrt(
            sum((w * part.error[at]) ** 2 for w, (part, at) in zip(shares, aligned, strict=True))
        ),
        size=np.min([part.size[at] for part, at in aligned], axis=0),
        rhat=np.max([part.rhat[at] for part, at in aligned], axis=0),
        exact=np.all([part.exact[at] for part, at in aligned], axis=0),
        settled=all(part.settled for part in parts),
        ways={f"mixed over {counted(len(parts), 'set')} of rules": 1},
        block=np.zeros(first.cells.size, dtype=np.int64),
    )


def _aligned(part: Whole, cells: Ints) -> tuple[Whole, Ints]:
    """The part, and where these cells stand in it."""
    order = np.argsort(part.cells)
    return part, order[np.searchsorted(part.cells, cells, sorter=order)]


def _drawn(
    parts: Sequence[tuple[Whole, Ints]], shares: Floats, random: np.random.Generator
) -> Floats:
    size = min(part.draws.shape[0] for part, _ in parts)
    ends = np.round(np.cumsum(shares) * size).astype(np.int64)
    starts = np.concatenate([[0], ends[:-1]])
    rows = [
        part.draws[: end - start][:, at]
        for (part, at), start, end in zip(parts, starts, ends, strict=True)
    ]
    drawn = np.concatenate(rows)
    return np.asarray(drawn[random.permutation(size)])
