"""Clique trees for one question: what findings leave open of the part of a network it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.infer.engine import Engine, Observed
from tacit.infer.flat import Layout
from tacit.infer.planting import Planted, Scopes, plant_one
from tacit.infer.sizes import MEMORY_LIMIT


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A compiled question.

    kept     (variables,)  the families that count
    planted  a clique tree over what is open in them; None if nothing is
    scopes   its cliques
    """

    engine: Engine
    kept: Bools
    planted: Planted | None
    scopes: Scopes | None

    def known(self, observed: Observed) -> float:
        """log P of the families whose variables are all found."""
        from tacit.kernels.questions import mass_of_found

        graph = self.engine.layout.graph
        return float(mass_of_found(graph, self.kept, observed.codes, observed.theta))

    def bases(self, planted: Planted, observed: Observed) -> Ints:
        """Where the entries of every family that agree with the findings start."""
        from tacit.kernels.kinds import base_positions

        first, bases = np.zeros(1, dtype=np.int64), np.empty(planted.families.size, dtype=np.int64)
        at, families = planted.family_at, planted.families
        codes = observed.codes[None, :]
        base_positions(self.engine.layout.graph, codes, first, first, at, families, first, bases)
        return bases

    def joint(self, observed: Observed, wanted: Sequence[int]) -> tuple[float, Floats]:
        """log P(findings), and P(wanted | findings) of open variables, flat."""
        from tacit.kernels.questions import joint_of

        mass, cards = self.known(observed), self.engine.layout.graph.cards
        strides = np.zeros(cards.size, dtype=np.int64)
        size = 1
        for v in reversed(wanted):
            strides[v] = size
            size *= int(cards[v])
        out = np.zeros(size)
        if self.planted is None or self.scopes is None or mass == -np.inf:
            return mass, out
        planted = self.planted
        home = self.scopes.home(wanted)
        dims = self.scopes.of(home)
        bases, space = self.bases(planted, observed), planted.space()
        mass += joint_of(
            planted.forest, bases, observed.theta, home, cards[dims], strides[dims], space, out
        )
        return mass, out

    def marginals(self, observed: Observed) -> tuple[float, Floats]:
        """log P(findings), and the posteriors of all variables side by side."""
        from tacit.kernels.flow import posteriors_of
        from tacit.kernels.trees import Batch

        mass, layout, codes = self.known(observed), self.engine.layout, observed.codes
        out = np.zeros(int(layout.state_at[-1]))
        out[(layout.state_at[:-1] + codes)[codes >= 0]] = 1.0
        if self.planted is None or mass == -np.inf:
            return mass, out
        planted, none = self.planted, np.zeros(1, dtype=np.int64)
        at = np.array([0, planted.widths(layout.graph.cards)[0]], dtype=np.int64)
        values, masses = np.empty(int(at[1])), np.empty(1)
        batch = Batch(none, none, self.bases(planted, observed), np.ones(1))
        space = planted.space()
        posteriors_of(planted.forest, batch, observed.theta, 0, 1, space, at, values, masses)
        if masses[0] > -np.inf:
            out[_states_of(layout, planted.members)] = values
        return mass + float(masses[0]), out


def _states_of(layout: Layout, members: Ints) -> Ints:
    """Where the states of these variables stand among all states."""
    cards = layout.graph.cards[members]
    before = np.cumsum(cards) - cards
    return np.asarray(np.arange(cards.sum()) + np.repeat(layout.state_at[members] - before, cards))


def ask(
    engine: Engine, observed: Observed, wanted: Sequence[int], limit: int = MEMORY_LIMIT
) -> Asked:
    """The plan of one question: variables neither wanted nor found nor above such ones are left
    out, and found ones cut away."""
    kept = np.zeros(len(engine.layout.names), dtype=np.bool_)
    kept[list(wanted)] = kept[list(observed.found)] = True
    return _compiled(engine, observed, wanted, kept, False, limit)


def ask_near(engine: Engine, observed: Observed, wanted: Sequence[int]) -> Asked:
    """The same without what findings separate from the wanted variables: a contradiction there
    goes unnoticed."""
    kept = np.zeros(len(engine.layout.names), dtype=np.bool_)
    kept[list(wanted)] = kept[list(observed.found)] = True
    return _compiled(engine, observed, wanted, kept, True, MEMORY_LIMIT)


def ask_all(engine: Engine, observed: Observed) -> Asked:
    """The plan for the posteriors of all variables."""
    kept = np.ones(len(engine.layout.names), dtype=np.bool_)
    return _compiled(engine, observed, (), kept, False, MEMORY_LIMIT)


def _compiled(
    engine: Engine, observed: Observed, wanted: Sequence[int], kept: Bools, near: bool, limit: int
) -> Asked:
    found, chosen = observed.codes >= 0, tuple(sorted(wanted))
    key = ("asked", found.tobytes(), kept.tobytes(), chosen, near, limit)
    return engine.kept(key, lambda: _make(engine, found, kept, chosen, near, limit))


def _make(
    engine: Engine, found: Bools, kept: Bools, wanted: Sequence[int], near: bool, limit: int
) -> Asked:
    from tacit.kernels.questions import narrow

    graph, codes = engine.layout.graph, np.where(found, 0, -1)
    if not kept.all():
        own = graph._replace(
            near_at=graph.near_at.copy(),
            near=np.empty_like(graph.near),
            touch_at=graph.touch_at.copy(),
            touch=np.empty_like(graph.touch),
        )
        narrow(graph, codes, np.array(wanted, dtype=np.int64), near, kept, own)
        graph = own
    open_codes = np.where(kept & ~found, -1, 0)
    if not (open_codes < 0).any():
        return Asked(engine, kept, None, None)
    return Asked(engine, kept, *plant_one(engine.layout, open_codes, wanted, graph, limit))
