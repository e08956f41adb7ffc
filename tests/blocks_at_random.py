"""Blocks of overlapping rules that are consistent by construction, drawn around a random point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tacit.knowledge.blocks import Blocks
from tacit.knowledge.rows import Rows

Floats = npt.NDArray[np.float64]


@dataclass
class Drawn:
    """One block: the lengths of its rows, a point that keeps all rules, and the rules."""

    lengths: tuple[int, ...]
    inside: Floats
    rules: list[tuple[Floats, bool, float]] = field(default_factory=list)

    def add(self, factors: Floats, slack: float = 0.0, equal: bool = False) -> None:
        """Σ factors · θ <= its value at the point plus the slack, or equal to it."""
        if np.any(factors):
            self.rules.append((factors, equal, float(factors @ self.inside) + slack))

    @property
    def matrix(self) -> Floats:
        """(rules, cells) the factors."""
        return np.array([factors for factors, _, _ in self.rules]).reshape(-1, self.inside.size)


def drawn(rng: np.random.Generator, most_rows: int = 5, most_states: int = 50,
          rules: tuple[int, int] = (5, 20)) -> Drawn:  # fmt: skip
    """Masses against constants, masses against masses, proportions, `~`, chains, equalities."""
    lengths = tuple(
        int(n) for n in rng.integers(2, most_states + 1, rng.integers(1, most_rows + 1))
    )
    spread = float(rng.choice([0.3, 1.0, 5.0]))
    inside = np.concatenate([rng.dirichlet(np.full(n, spread)) + 1e-4 for n in lengths])
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    inside /= np.add.reduceat(inside, np.unique(starts))[np.unique(starts, return_inverse=True)[1]]
    block = Drawn(lengths, inside)
    for _ in range(int(rng.integers(rules[0], rules[1] + 1))):
        KINDS[int(rng.integers(len(KINDS)))](rng, block)
    return block


def _mass(rng: np.random.Generator, block: Drawn) -> Floats:
    """1 on some cells of one row."""
    row = int(rng.integers(len(block.lengths)))
    first, length = sum(block.lengths[:row]), block.lengths[row]
    factors = np.zeros(block.inside.size)
    factors[first + rng.choice(length, rng.integers(1, min(5, length)), replace=False)] = 1.0
    return factors


def _slack(rng: np.random.Generator) -> float:
    return float(rng.choice([0.0, 0.0, 0.001, 0.02, 0.1]))


def _bound(rng: np.random.Generator, block: Drawn) -> None:
    block.add(float(rng.choice([-1.0, 1.0])) * _mass(rng, block), _slack(rng))


def _interval(rng: np.random.Generator, block: Drawn) -> None:
    mass = _mass(rng, block)
    block.add(mass, _slack(rng) + 0.001)
    block.add(-mass, _slack(rng) + 0.001)


def _masses(rng: np.random.Generator, block: Drawn) -> None:
    block.add(_mass(rng, block) - _mass(rng, block), _slack(rng))


def _proportion(rng: np.random.Generator, block: Drawn) -> None:
    left, right = _mass(rng, block), _mass(rng, block)
    if not np.any(left * right):
        ratio = float(left @ block.inside / (right @ block.inside))
        block.rules.append((left - ratio * right, True, 0.0))


def _about(rng: np.random.Generator, block: Drawn) -> None:
    difference = _mass(rng, block) - _mass(rng, block)
    margin = abs(float(difference @ block.inside)) + _slack(rng)
    for sign in (-1.0, 1.0):
        if np.any(difference):
            block.rules.append((sign * difference, False, margin))


def _chain(rng: np.random.Generator, block: Drawn) -> None:
    cells = rng.choice(block.inside.size, min(4, block.inside.size), replace=False)
    cells = cells[np.argsort(block.inside[cells])]
    for low, high in pairwise(cells):
        factors = np.zeros(block.inside.size)
        factors[low], factors[high] = 1.0, -1.0
        block.rules.append((factors, False, 0.0))


def _equality(rng: np.random.Generator, block: Drawn) -> None:
    if sum(equal for _, equal, _ in block.rules) < block.inside.size - len(block.lengths) - 1:
        block.add(_mass(rng, block), equal=True)


KINDS = (_bound, _bound, _interval, _masses, _masses, _proportion, _about, _chain, _equality)


def degenerate(rng: np.random.Generator) -> Drawn:
    """Equal bounds, doubled rules, pairs of inequalities that make equalities, forced zeros."""
    block = drawn(rng, most_rows=3, most_states=8, rules=(2, 8))
    if rng.random() < 0.5:
        _force_a_zero(rng, block)
    for _ in range(int(rng.integers(1, 4))):
        mass = _mass(rng, block)
        block.add(mass, 0.0)
        block.add(-mass, 0.0)  # both bounds the same
    for _ in range(int(rng.integers(1, 4))):
        factors, equal, limit = block.rules[int(rng.integers(len(block.rules)))]
        scale = float(rng.choice([1.0, 2.0, 0.5]))
        block.rules.append((scale * factors, equal, scale * limit))
    mass = _mass(rng, block)
    block.add(mass, 1e-6)
    block.add(-mass, 0.0)  # a tight interval
    return block


def _force_a_zero(rng: np.random.Generator, block: Drawn) -> None:
    """The point moves to a face; rules that it no longer keeps are dropped."""
    row = int(np.argmax(block.lengths))
    first, length = sum(block.lengths[:row]), block.lengths[row]
    if length < 3:
        return
    kept = block.inside[first + 1 : first + length]
    block.inside[first + 1 : first + length] = kept / kept.sum()
    block.inside[first] = 0.0
    block.rules = [
        (factors, equal, limit)
        for factors, equal, limit in block.rules
        if (abs(factors @ block.inside - limit) < 1e-12 if equal
            else factors @ block.inside <= limit)
    ]  # fmt: skip
    factors = np.zeros(block.inside.size)
    factors[first] = 1.0
    block.rules.append((factors, False, 0.0))


def weights(rng: np.random.Generator, block: Drawn) -> Floats:
    """Counts with zeros, empty rows, few cases, or weights of very different sizes."""
    n = block.inside.size
    kind = int(rng.integers(5))
    found = [
        lambda: rng.integers(0, 40, n) * (rng.random(n) < 0.8),
        lambda: rng.poisson(0.5, n),
        lambda: 10.0 ** rng.uniform(-6, 9, n),
        lambda: rng.integers(1, 1000, n) + 0.5,
        lambda: rng.integers(0, 40, n) * np.repeat(rng.random(len(block.lengths)) < 0.6,
                                                   block.lengths),
    ][kind]()  # fmt: skip
    return np.asarray(found, dtype=np.float64) * (block.inside > 0)


def joined(drawn_blocks: Sequence[Drawn]) -> Blocks:
    """All of them as one value."""
    parts = [block.matrix for block in drawn_blocks]
    lengths = [length for block in drawn_blocks for length in block.lengths]
    sizes = np.array([block.inside.size for block in drawn_blocks])
    first = np.cumsum(sizes) - sizes
    found = [np.nonzero(part) for part in parts]
    rules = np.array([len(part) for part in parts])
    counts = [np.count_nonzero(part, axis=1) for part in parts]
    stated = [rule for block in drawn_blocks for rule in block.rules]
    total = int(rules.sum())
    rows = Rows(
        at=_up(np.concatenate([np.zeros(0, np.int64), *counts])),
        cells=np.concatenate([np.zeros(0, np.int64),
                              *(at[1] + start for at, start in zip(found, first, strict=True))]),
        factors=np.concatenate([np.zeros(0),
                                *(part[at] for part, at in zip(parts, found, strict=True))]),
        limits=np.array([limit for _, _, limit in stated], dtype=np.float64),
        equal=np.array([equal for _, equal, _ in stated], dtype=np.bool_),
        rule=np.arange(total),
        sign=np.ones(total, dtype=np.int64),
    )  # fmt: skip
    return Blocks(
        cells=np.arange(int(sizes.sum())),
        row=np.repeat(np.arange(len(lengths)), lengths),
        cell_at=_up(sizes),
        row_at=_up(np.array([len(block.lengths) for block in drawn_blocks])),
        rules=rows,
        rule_at=_up(rules),
        origin=np.arange(total),
    )


def _up(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
