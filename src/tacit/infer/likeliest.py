"""The most probable states of everything where families of independent causes are too large for
tables: branch and bound.

A maximum over everything cannot pass through the links of a chain, which are summed. But

log P(level | parents) = log(1 - exp(-s)) - Σ of what holds higher levels down,

s and the sum adding up over the parents, and log(1 - exp(-s)) is concave: for every t

log(1 - exp(-s)) <= log(1 - exp(-t)) + (s - t) / (exp(t) - 1),

which is a product over the parents again. The network of these bounds has small cliques; its
maximum bounds the true one, and meets it where t = s. (The bound of Jaakkola and Jordan 1999)
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.errors import SizeError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.causes import levels_of
from tacit.families.noisy import Noisy
from tacit.families.table import Table
from tacit.infer.chains import taken_apart
from tacit.infer.findings import Finding, combined
from tacit.infer.flat import Layout, layout_of
from tacit.infer.junction import Junction, compile_steps
from tacit.infer.sizes import check_size

SURE = 1e-10
"""Differences of logs that are no differences."""
TIGHTENINGS = 25
MOST_PARTS = 20_000
WIDEST, TINY = 300.0, 1e-12
"""How many powers of e the factors of a star may span, and the smallest t."""
STRONGEST = 60.0
"""Strengths beyond which nothing changes: exp(-60) is lost beside 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Star:
    """One family of independent causes in the network of bounds.

    child, parents  positions
    spokes          positions of the factors (parent, child)
    strength        per parent (states, levels - 1)  what it adds to s of every level
    """

    family: Noisy
    child: int
    parents: tuple[int, ...]
    spokes: tuple[int, ...]
    strength: tuple[Floats, ...]
    leak: Floats

    def least(self, codes: Ints) -> Floats:
        """(levels - 1,) the smallest t for which factors of open parents stay within a double."""
        total = np.zeros_like(self.leak)
        for parent, strength in zip(self.parents, self.strength, strict=True):
            if codes[parent] < 0:
                held = np.minimum(strength, STRONGEST)
                total += held.max(axis=0) - held.min(axis=0)
        return np.maximum(total / WIDEST, TINY)

    def cannot_be(self, codes: Ints) -> bool:
        """Whether all of it is known, and impossible."""
        who = [np.array([codes[v]]) for v in (*self.parents, self.child)]
        return bool(self.family.log_prob(who)[0] == -np.inf)

    def adds_up(self, states: Ints) -> Floats:
        """(levels - 1,) s of every level."""
        total = self.leak.copy()
        for parent, strength in zip(self.parents, self.strength, strict=True):
            total += strength[states[parent]]
        return np.minimum(total, STRONGEST)


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """A network whose maximum bounds that of the network, once its stars are filled in.

    theta  the parameters with findings multiplied in, stars still empty
    """

    layout: Layout
    plan: Junction
    stars: tuple[Star, ...]
    theta: Floats

    def filled(self, codes: Ints, bends: Sequence[Floats]) -> tuple[Floats, float]:
        """The parameters with stars bounded at these t, (levels - 1,) each, and the log of what
        was taken out of them so that no number that agrees with the codes overflows."""
        theta, taken = self.theta.copy(), 0.0
        for star, t in zip(self.stars, bends, strict=True):
            level = star.family.causes.frame.level
            slope = 1 / np.expm1(t)
            start = np.concatenate([[0.0], np.log(-np.expm1(-t)) - slope * t])
            rows = [*star.strength, star.leak[None, :]]
            factors = [_factor(row, slope) for row in rows]
            factors[-1] += start
            ends = (*star.parents, star.child)
            for place, end, factor in zip((*star.spokes, star.child), ends, factors, strict=True):
                top = _top(factor, int(codes[end]) if place != end else -1)
                block = self.layout.block(theta, place)
                block *= np.exp(factor - top)[:, level].reshape(block.shape)
                taken += top
        return theta, taken

    def best(self, codes: Ints, bends: Sequence[Floats]) -> tuple[float, Ints]:
        """The bound on every assignment that agrees with the codes, and the one that attains it."""
        from tacit.kernels.backtrack import eliminate_all, trace_best

        theta, taken = self.filled(codes, bends)
        every = np.ones(codes.size, dtype=np.bool_)
        value, mine, psi = eliminate_all(self.plan.tree, codes, every, theta)
        assigned = codes.copy()
        if value > -np.inf:
            trace_best(self.plan.tree, mine, codes, every, psi, assigned)
        return value + taken, assigned

    def value(self, assigned: Ints) -> float:
        """log P of an assignment and the findings."""
        total = 0.0
        stars = {star.child: star for star in self.stars}
        with np.errstate(divide="ignore"):
            for place, axes in enumerate(self.layout.axes):
                states = tuple(assigned[v] for v in axes.variables)
                total += float(np.log(self.layout.block(self.theta, place)[states]))
        for star in stars.values():
            family = star.family
            who = [np.array([assigned[v]]) for v in (*star.parents, star.child)]
            total += float(family.log_prob(who)[0])
        return total


def _top(factor: Floats, state: int) -> float:
    """The largest number of a factor, of one row if the state is known."""
    rows = factor if state < 0 else factor[state : state + 1]
    finite = rows[np.isfinite(rows)]
    return float(finite.max()) if finite.size else 0.0


def _factor(strength: Floats, slope: Floats) -> Floats:
    """(states, levels) what a parent adds to the bound of every level, as a log."""
    above = np.zeros((strength.shape[0], strength.shape[1] + 1))
    above[:, :-1] = -np.cumsum(strength[:, ::-1], axis=1)[:, ::-1]
    above[:, 1:] += slope * np.minimum(strength, STRONGEST)
    return above


def bounds_of(network: Network, findings: Sequence[Finding]) -> Bounds:
    """The network of bounds: factors of two variables as families of one-state variables."""
    apart = taken_apart(network)
    tables, chains = apart.network, apart.chains
    inner = {name for chain in chains for name in chain.links}
    arcs = {name: tables[name].parents for name in tables if name not in inner}
    variables = {name: tables.variables[name] for name in arcs}
    spokes: dict[str, list[str]] = {}
    for chain in chains:
        arcs[chain.child], spokes[chain.child] = (), []
        for parent in network[chain.child].parents:
            name = f"{chain.child}\x00{parent}"
            arcs[name], variables[name] = (parent, chain.child), Discrete(name, ("is",))
            spokes[chain.child].append(name)
    layout = layout_of(Dag(arcs), variables)
    theta = np.ones(layout.size)
    for name in arcs.keys() & set(tables):
        table = tables[name]
        if name not in spokes and isinstance(table, Table):
            layout.block(theta, layout.places[name])[...] = table.values
    for name, each in combined(findings).items():
        block = layout.block(theta, layout.places[name])
        block *= each.likelihood
    stars = tuple(_star(network, name, own, layout) for name, own in spokes.items())
    return Bounds(layout, compile_steps(layout, frozenset()), stars, theta)


def _star(network: Network, name: str, spokes: Sequence[str], layout: Layout) -> Star:
    family, places = network[name], layout.places
    assert isinstance(family, Noisy)
    causes = family.causes
    logs = -causes.logs
    return Star(
        family,
        places[name],
        tuple(places[parent] for parent in family.parents),
        tuple(places[spoke] for spoke in spokes),
        tuple(logs[states] for states in causes.frame.cause_of),
        logs[len(causes.frame)],
    )


def likeliest(network: Network, findings: Sequence[Finding]) -> tuple[float, dict[str, int]]:
    """log P of the most probable states of everything and the findings, and these states."""
    bounds = bounds_of(network, findings)
    codes = np.full(len(bounds.layout.names), -1, dtype=np.int64)
    for name, each in combined(findings).items():
        if each.state >= 0:
            codes[bounds.layout.places[name]] = each.state
    codes[[each == 1 for each in bounds.layout.cards]] = 0
    check_size(bounds.plan, codes)
    value, states = _searched(bounds, codes)
    return value, {name: int(states[bounds.layout.places[name]]) for name in network}


def _searched(bounds: Bounds, codes: Ints) -> tuple[float, Ints]:
    """The part with the highest bound is split until none can hold anything better."""
    number, bends = count(), [_middle(star) for star in bounds.stars]
    best, found = -np.inf, codes
    top, bends, value, states = _tightened(bounds, codes, bends)
    waiting = [(-top, next(number), codes, bends, states)]
    if value > best:
        best, found = value, states
    while waiting and -waiting[0][0] > best + SURE * max(1.0, abs(best)):
        _, step, part, bends, states = heapq.heappop(waiting)
        if step > MOST_PARTS:
            raise SizeError(
                f"the most probable states were not found among {MOST_PARTS:,} parts of all there "
                "are\n\nadd findings, or name a few variables: of=[...]"
            )
        at = _widest(bounds, part, bends, states)
        for state in range(bounds.layout.cards[at]):
            inside = part.copy()
            inside[at] = state
            top, tighter, value, reached = _tightened(bounds, inside, bends)
            if value > best:
                best, found = value, reached
            if top > best:
                heapq.heappush(waiting, (-top, next(number), inside, tighter, reached))
    return best, found


def _middle(star: Star) -> Floats:
    """A t to begin with: half of all that may come together."""
    most = star.leak + sum(each.max(axis=0) for each in star.strength)
    middle: Floats = np.clip(np.minimum(most, STRONGEST) / 2, 1e-3, STRONGEST)
    return middle


def _tightened(
    bounds: Bounds, codes: Ints, bends: list[Floats]
) -> tuple[float, list[Floats], float, Ints]:
    """The lowest bound found by moving every t towards the s of the best assignment, its t, and
    the best true value met on the way."""
    lowest, chosen = np.inf, bends
    best, found = -np.inf, codes
    if any(star.cannot_be(codes) for star in bounds.stars):
        return -np.inf, bends, -np.inf, codes
    least = [star.least(codes) for star in bounds.stars]
    bends = [np.maximum(t, low) for t, low in zip(bends, least, strict=True)]
    for step in range(TIGHTENINGS):
        top, states = bounds.best(codes, bends)
        if top == -np.inf:
            return -np.inf, bends, -np.inf, codes
        value = bounds.value(states)
        if value > best:
            best, found = value, states
        if top < lowest:
            lowest, chosen = top, bends
        if lowest - best <= SURE * max(1.0, abs(best)):
            return lowest, chosen, best, found
        share = 1 / (1 + step / 3)
        bends = [
            np.clip(t * (star.adds_up(states) / t) ** share, low, STRONGEST)
            for star, t, low in zip(bounds.stars, bends, least, strict=True)
        ]
    return lowest, chosen, best, found


def _widest(bounds: Bounds, codes: Ints, bends: Sequence[Floats], states: Ints) -> int:
    """The open variable to split next: of the star whose bound is farthest off, the parent that
    changes most; its child first, if that is open."""
    gaps = []
    for star, t in zip(bounds.stars, bends, strict=True):
        s = star.adds_up(states)
        level = int(star.family.causes.frame.level[states[star.child]])
        off = 0.0
        if level:
            at, bend = s[level - 1], t[level - 1]
            exact = float(levels_of(-np.array([[at]]))[0, 1])
            off = float(np.log(-np.expm1(-bend)) + (at - bend) / np.expm1(bend)) - exact
        gaps.append(off if np.isfinite(off) else np.inf)
    for at in np.argsort(-np.array(gaps), kind="stable"):
        star = bounds.stars[int(at)]
        if codes[star.child] < 0:
            return star.child
        reach = [
            float(np.minimum(strength, STRONGEST).max()) if codes[parent] < 0 else -1.0
            for parent, strength in zip(star.parents, star.strength, strict=True)
        ]
        if max(reach) >= 0:
            return star.parents[int(np.argmax(reach))]
    return int(np.flatnonzero(codes < 0)[0])
