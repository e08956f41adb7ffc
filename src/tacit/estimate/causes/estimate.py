"""The strengths of independent causes from the configurations that were seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.estimate.causes.concave import Programme, most_likely, without_cases
from tacit.estimate.causes.limits import Limits, Room, room_of
from tacit.families.cause_counts import CauseCounts
from tacit.families.causes import Causes, Frame, values_of

EVEN = 0.5
"""A hazard that nothing determines."""


class CannotBeError(Exception):
    """Cases that no strengths within the limits could have brought about."""


@dataclass(frozen=True, slots=True, eq=False)
class CausesEstimate:
    """What the causes do, and what the evidence left open.

    undetermined  (causes + 1, levels - 1)  neither cases nor prior nor limits say anything
    """

    causes: Causes
    undetermined: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """How often each configuration reached a level, and how often it stayed below.

    present  (configurations, causes + 1)
    """

    present: Floats
    hits: Floats
    misses: Floats


def estimate_causes(
    frame: Frame, counts: CauseCounts, pseudo: Floats, limits: Limits | None = None
) -> CausesEstimate:
    """maximise  Σ N log P(child | parents) + Σ (expected + pseudo) log P(Z = level)   over all
    causes.

    With 1 - h(l) = exp(-ω(l)) the levels fall apart: level l sees the cases that reached it as
    hits and those that stayed below as misses, so each is a noisy-or of its own.

    pseudo  (causes + 1, levels)  what the prior adds to each cause alone
    limits  of a frame of two levels
    """
    present = frame.present(counts.columns(), len(counts.seen))
    values = counts.values[:, list(frame.order)]
    hazards = np.zeros((len(frame) + 1, frame.levels - 1))
    open_ = np.zeros(hazards.shape, dtype=np.bool_)
    for level in range(1, frame.levels):
        told = Told(present, values[:, level], values[:, :level].sum(axis=1))
        alone = np.stack([pseudo[:, :level].sum(axis=1), pseudo[:, level]])
        if counts.expected is not None:
            alone = alone + counts.expected[:, level - 1].T
        within = limits or Limits.none(len(frame) + 1)
        omega, open_[:, level - 1] = _strengths(told, alone[1], alone[0], within)
        hazards[:, level - 1] = -np.expm1(-omega)
    return CausesEstimate(Causes(frame, values_of(hazards)), open_)


def _strengths(told: Told, hits: Floats, misses: Floats, limits: Limits) -> tuple[Floats, Bools]:
    """ω of every cause, and which of them nothing determines."""
    room = room_of(limits)
    size = room.lower.size
    together = np.zeros((room.owner.size, size))
    together[np.arange(room.owner.size), room.owner] = 1.0
    alone = hits > 0
    whole = Programme(
        np.concatenate([told.present[told.hits > 0], np.eye(hits.size)[alone]]) @ together,
        np.concatenate([told.hits[told.hits > 0], hits[alone]]),
        (told.misses @ told.present + misses) @ together,
        np.zeros(int((told.hits > 0).sum() + alone.sum())),
    )
    omega, settled = room.lower.copy(), room.fixed.copy()
    boundless = _boundless(whole.missed, room)
    seen = (whole.present > 0).any(axis=0)
    open_ = boundless & ~seen
    omega[boundless & seen] = np.inf
    omega[open_] = np.maximum(-np.log(EVEN), omega[open_])
    settled |= boundless
    if np.isinf(omega[whole.missed > 0]).any():
        raise CannotBeError
    rest = _rest(whole, omega, settled)
    if ((rest.offset <= 0) & ~(rest.present > 0).any(axis=1)).any():
        raise CannotBeError
    if not settled.all():
        omega[~settled] = most_likely(rest, _part(room, ~settled))
    return omega[room.owner], open_[room.owner]


def _boundless(missed: Floats, room: Room) -> Bools:
    """The classes that nothing holds down: never missed, no upper bound, none such above them."""
    free = (missed <= 0) & np.isinf(room.upper) & ~room.fixed
    while True:
        held = ~free[room.pairs[:, 1]] & free[room.pairs[:, 0]]
        if not held.any():
            return free
        free[room.pairs[held, 0]] = False


def _rest(whole: Programme, omega: Floats, settled: Bools) -> Programme:
    """The programme of the strengths that are still open."""
    there = whole.present[:, settled] > 0
    offset = np.where(there, omega[settled], 0.0)
    sums = (offset * whole.present[:, settled]).sum(axis=1) if settled.any() else whole.offset
    rest = Programme(whole.present[:, ~settled], whole.reached, whole.missed[~settled], sums)
    return without_cases(rest, np.isfinite(sums))


def _part(room: Room, kept: Bools) -> Room:
    """The room of some classes; orders that lead out of it bind nothing in it."""
    place = np.cumsum(kept) - 1
    inside = kept[room.pairs].all(axis=1)
    return Room(place[room.owner], room.lower[kept], room.upper[kept], place[room.pairs[inside]])
