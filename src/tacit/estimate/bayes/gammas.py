"""Chains over the gammas of a block: where they start, and which moves they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import EstimateError
from tacit.estimate.bayes.chains import go_all, worth
from tacit.estimate.ruled.splits import Tree

if TYPE_CHECKING:
    from tacit.kernels.chance import State
    from tacit.kernels.cone import Cone, Room
    from tacit.kernels.records import Record

_TRIED, _ENOUGH = 400, 0.5
"""Free draws that are tried, and the part of them that suffices to go on like that."""
_FREE = 0.6
"""What a free gamma costs beside one that inequalities cut."""
_NO_LIMIT = 2**62
_MOST_TO_ENTER = 10_000
_APART, _WARM, _TRIAL = 10, 100, 200
"""Sweeps under a flat density, sweeps to warm up, and sweeps of a trial of moves."""
_GOOD = 0.4
"""Effective draws per plain sweep that no other moves could better."""
_SCALE, _EXCHANGE = 2.0, 1.2
"""What scaling a group and exchanging mass cost beside drawing a gamma."""


@dataclass(frozen=True, slots=True, eq=False)
class Gammas:
    """Chains over the gammas of a block.

    g      (chains, branches)  where they stand
    states (chains, 4)  of their chance
    free   draws that inequalities refuse are thrown away, and the others are independent
    gain   effective draws of the slowest cell per gamma drawn, as a trial told
    """

    cone: Cone
    g: Floats
    states: State
    rooms: tuple[Room, ...]
    record: Record
    free: bool
    gain: float = np.inf

    @property
    def independent(self) -> bool:
        """Whether draws are independent of each other."""
        return self.free

    def go(self, chain: int, sweeps: int, *, noted: bool = True) -> None:
        """So many sweeps of a chain."""
        from tacit.kernels.cone import reject, walk

        room, state = self.rooms[chain], self.states[chain]
        if self.free:
            reject(self.cone, room, state, sweeps, _NO_LIMIT, self.record, chain)
            return
        at = chain if noted else -1
        walk(self.cone, self.g[chain], room, state, sweeps, self.record, at)

    def recording(self, record: Record) -> Gammas:
        """The same chains with another record."""
        return replace(self, record=record)


def gammas(tree: Tree, cone: Cone, point: Floats, states: State, record: Record) -> Gammas:
    """Chains that have warmed up; by rejection where enough free draws are accepted."""
    from tacit.kernels.cone import enter, reject, room_for

    chains = states.shape[0]
    rooms = tuple(room_for(cone) for _ in range(chains))
    share = _shares_at(tree, point)
    g = np.where(cone.faint[tree.paths.split], np.log(share), share)
    free = Gammas(cone, np.tile(g, (chains, 1)), states, rooms, record, free=True)
    hits = reject(cone, rooms[0], states[0], _TRIED, _TRIED, record, -1)
    if hits >= _ENOUGH * _TRIED:
        return free
    for chain in range(chains):
        room, state = rooms[chain], states[chain]
        if not enter(cone, free.g[chain], room, state, _MOST_TO_ENTER, record):
            raise EstimateError(
                "no table was found that obeys the ratios and the inequalities of these rows "
                "together\n\nleave out one of them"
            )
    best = _warmed(replace(free, free=False))
    gain = hits / _TRIED / (_FREE * cone.shape.size)
    return replace(free, gain=gain) if gain > best.gain else best


def _shares_at(tree: Tree, point: Floats) -> Floats:
    """(branches,) the shares that these cells have."""
    mass = np.zeros(tree.paths.split.size)
    for at, branch in tree.paths.levels:
        mass += np.bincount(branch, point[at], minlength=mass.size)
    total = np.bincount(tree.paths.split, mass, minlength=tree.paths.splits)
    return np.asarray(np.maximum(mass, 1e-290) / np.maximum(total, 1e-280)[tree.paths.split])


def _warmed(chains: Gammas) -> Gammas:
    """Walk apart under a flat density, then warm up, and choose the moves that are worth most.

    Scaling groups and exchanging mass cost more than a plain sweep and may gain much more; a short
    run of each says which, by the effective size of the slowest cell per unit of work.
    """
    cone = chains.cone
    go_all(replace(chains, cone=cone._replace(shape=np.ones_like(cone.shape))), _APART, noted=False)
    go_all(chains, _WARM, noted=False)
    best = replace(chains, gain=0.0)
    for moves in _mixes(cone):
        tried = replace(chains, cone=moves)
        gain = worth(tried, _TRIAL) / _work(moves)
        if gain > best.gain:
            best = replace(tried, gain=gain)
        if gain * _work(moves) > _GOOD:
            break
    return best


def _mixes(cone: Cone) -> list[Cone]:
    """The same with plain sweeps, with groups scaled, with mass exchanged as well, or a lot."""
    sizes = np.diff(cone.split_at)
    touched = (np.diff(cone.touch_at) > 0) & (sizes > 2) & ~cone.faint
    plain = cone._replace(scaled_at=np.zeros_like(cone.scaled_at))
    pairs = np.where(touched, sizes, 0)
    found = [plain]
    if cone.group_at.size > 1:
        found.append(cone)
    if touched.any():
        found += [cone._replace(exchanges=pairs), plain._replace(exchanges=4 * pairs)]
    return found


def _work(cone: Cone) -> float:
    """What a sweep costs, in gammas."""
    groups = int(cone.scaled_at[-1])
    return float(cone.shape.size + _SCALE * groups + _EXCHANGE * cone.exchanges.sum())
