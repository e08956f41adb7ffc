"""Long arcs made straight: as few bends as the boxes beside them allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.reporting.layers import Layered

PASSES = 6


@dataclass(frozen=True, slots=True)
class Slots:
    """Who stands left and right of every point of a layered drawing, and how far off at least.

    left, right  the neighbouring points, -1 at the edge
    gap          the least distance of a point from its left neighbour
    """

    left: list[int]
    right: list[int]
    gap: list[float]
    width: float

    @staticmethod
    def of(cut: Layered, apart: Sequence[Sequence[float]], width: float) -> Slots:
        """The slots of rows whose points keep the distances `apart`."""
        slots = Slots([-1] * cut.points, [-1] * cut.points, [0.0] * cut.points, width)
        for row, gaps in zip(cut.rows, apart, strict=True):
            for at, gap in enumerate(gaps, 1):
                slots.left[row[at]], slots.right[row[at - 1]] = row[at - 1], row[at]
                slots.gap[row[at]] = gap
        return slots

    def bounds(self, point: int, across: Sequence[float]) -> tuple[float, float]:
        """How far a passage may move while its neighbours stay."""
        left, right = self.left[point], self.right[point]
        least = across[left] + self.gap[point] if left >= 0 else 0.0
        most = across[right] - self.gap[right] if right >= 0 else self.width
        return least, max(least, most)


def straighten(cut: Layered, across: list[float], slots: Slots) -> None:
    """Move the passages of long arcs so that each arc has as few bends as its slots allow.

    Several times over, from the left and from the right in turn, since arcs that run side by side
    make way for each other only one after the other.
    """
    chains = _chains(cut)
    for turn in range(PASSES):
        chains.sort(key=lambda chain: across[chain[1]], reverse=turn % 2 == 1)
        for chain in chains:
            _straighten_one(chain, across, slots)


def _chains(cut: Layered) -> list[list[int]]:
    """Every arc with passages, as the points from parent to child."""
    chains = []
    for tail in range(cut.real):
        for first in cut.down[tail]:
            chain, point = [tail], first
            while point >= cut.real:
                chain.append(point)
                point = cut.down[point][0]
            if len(chain) > 1:
                chains.append([*chain, point])
    return chains


def _straighten_one(chain: Sequence[int], across: list[float], slots: Slots) -> None:
    """Runs of passages that fit under each other, each as long as possible, from the parent on."""
    runs: list[tuple[float, float, list[int]]] = []
    for point in chain[1:-1]:
        low, high = slots.bounds(point, across)
        if runs and max(low, runs[-1][0]) <= min(high, runs[-1][1]):
            least, most, points = runs[-1]
            runs[-1] = max(low, least), min(high, most), [*points, point]
        else:
            runs.append((low, high, [point]))
    x, end = across[chain[0]], across[chain[-1]]
    for at, (low, high, points) in enumerate(runs):
        wanted = end if at == len(runs) - 1 and not low <= x <= high else x
        x = min(max(wanted, low), high)
        for point in points:
            across[point] = x
