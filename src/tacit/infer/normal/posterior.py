"""What is known of everything missing in the cases of one group: normals, and what chooses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from tacit.arrays import Bools, Codes, Floats, Ints
from tacit.core.network import Network
from tacit.families.noisy import Noisy
from tacit.families.shared import SharedRows
from tacit.families.table import Table
from tacit.infer.engine import check_whole
from tacit.infer.normal.beliefs import CERTAIN, Beliefs, Factor, Scope, Tree
from tacit.infer.normal.components import System, system_of
from tacit.infer.normal.dense import Canonical, Moment, Solution
from tacit.infer.normal.frames import Numbers, numbers_of
from tacit.infer.normal.groups import Group, Grouped
from tacit.infer.normal.kinds import Kind, Part, Plan
from tacit.infer.normal.sparse import Sparse
from tacit.infer.reach import FAR
from tacit.infer.sizes import MEMORY_LIMIT, OBSERVE, too_large

DENSE = 2**18
"""Cells of loadings up to which a component is solved as a full matrix."""
BLOCK = 2**22
"""Numbers that a block of cases takes."""


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """The numbers of a network, as plans want them: those of Gaussians, and logs of tables."""

    numbers: Numbers
    logs: tuple[Floats | None, ...]

    @staticmethod
    def of(plan: Plan, network: Network) -> Parameters:
        """The parameters of a network that has this plan; independent causes are written out."""
        check_whole(network)
        logs: list[Floats | None] = []
        for name in plan.layout.names:
            family = network[name]
            if isinstance(family, Noisy | SharedRows):
                family = family.to_table()
            with np.errstate(divide="ignore"):
                logs.append(np.log(family.values) if isinstance(family, Table) else None)
        return Parameters(numbers_of(plan.frame, network), tuple(logs))


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """One part of a kind: its normal distributions, and how probable each of them is.

    means    (configurations, cases, unknowns)
    weights  (cases, configurations) of the open discrete parents; nan in cases that cannot be
    density  (configurations, cases) the log density of what was observed
    """

    part: Part
    solution: Solution
    means: Floats
    weights: Floats
    density: Floats

    def moments(self) -> tuple[Floats, Floats]:
        """(cases, unknowns) the mean and the variance of each, over all configurations."""
        mean = np.einsum("cb,bcu->cu", self.weights, self.means)
        apart = (self.means - mean) ** 2 + self.solution.variances()[:, None, :]
        return mean, np.einsum("cb,bcu->cu", self.weights, apart)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """All that is known of the missing cells of some cases of a group.

    cases  their positions
    mass   (cases,) the log density of what was observed around what is missing
    """

    group: Group
    cases: Ints
    mass: Floats
    parts: tuple[Solved, ...]
    beliefs: Beliefs | None

    def posterior(self, scope: Scope) -> Floats:
        """(cases, states...) of open discrete variables that stand in one family or part."""
        assert self.beliefs is not None
        return self.beliefs.of(scope)


def lost(found: Found) -> Bools:
    """(cases,) whether they are impossible, or so improbable that what they say of states is."""
    least = FAR if found.group.kind.opened else -np.finfo(np.float64).max
    return np.asarray(found.mass < least)


def solution_of(system: System) -> Solution:
    """The equations solved: as full matrices where they are small, else by sparse elimination."""
    part = system.component
    if part.rows.size * part.size > DENSE:
        return Sparse.of(system)
    return Canonical.of(system) or Moment.of(system)


def tree_of(plan: Plan, kind: Kind, together: Sequence[Scope] = ()) -> Tree | None:
    """The clique tree of what is discrete and open; None if nothing is."""
    if not kind.opened:
        return None
    scopes = [part.opened for part in kind.parts]
    scopes += [open_axes(plan, kind, table)[0] for table in kind.tables]
    cards = {place: plan.layout.cards[place] for place in kind.opened}
    tree = Tree.of(cards, [*scopes, *together])
    if 8 * tree.cells > MEMORY_LIMIT:
        raise too_large(plan.layout, tree.tree, MEMORY_LIMIT, OBSERVE)
    return tree


def solved(
    held: Grouped,
    group: Group,
    parameters: Parameters,
    together: Sequence[Scope] = (),
    soft: Sequence[Factor] = (),
) -> Iterator[Found]:
    """The missing cells of a group, a block of cases at a time.

    together  sets of open discrete variables whose joint posterior will be asked for
    soft      what else is known of open variables, in logs
    """
    kind, tree = group.kind, tree_of(held.plan, group.kind, together)
    pairs = []
    for part in kind.parts:
        chosen = part.choice(codes_of(kind, part, group.codes))
        system = system_of(held.plan.frame, part.component, parameters.numbers, chosen)
        pairs.append((system, solution_of(system)))
    width = sum(system.noise.size for system, _ in pairs) + (tree.cells if tree else 0)
    step = max(1, BLOCK // max(1, width))
    for start in range(0, group.cases.size, step):
        cases = group.cases[start : start + step]
        factors = [*soft, *table_factors(held, kind, parameters, cases)]
        yield _block(held, group, tree, pairs, factors, cases)


def _block(
    held: Grouped,
    group: Group,
    tree: Tree | None,
    pairs: Sequence[tuple[System, Solution]],
    factors: list[Factor],
    cases: Ints,
) -> Found:
    kind, reals = group.kind, held.reals[cases]
    mass, densities, means = np.zeros(cases.size), [], []
    for part, (system, solution) in zip(kind.parts, pairs, strict=True):
        known = system.known(reals)
        density = solution.log_density(known)
        means.append(solution.means(known))
        densities.append(density)
        if part.opened:
            bounded = np.minimum(density, CERTAIN).T.reshape(cases.size, *part.shape)
            factors.append((part.opened, bounded))
        else:
            mass = mass + density[0]
    beliefs = None
    if tree is not None:
        beliefs = tree.calibrated(factors, cases.size)
        mass = mass + np.where(beliefs.mass > CERTAIN / 2, np.inf, beliefs.mass)
    parts = []
    for at, part in enumerate(kind.parts):
        weights = np.ones((cases.size, 1))
        if beliefs is not None and part.opened:
            weights = beliefs.of(part.opened).reshape(cases.size, prod(part.shape))
        parts.append(Solved(part, pairs[at][1], means[at], weights, densities[at]))
    return Found(group, cases, mass, tuple(parts), beliefs)


def codes_of(kind: Kind, part: Part, codes: Codes) -> Codes:
    """The states of the held parents of a part, from those of its kind."""
    places = kind.held
    return codes[[places.index(each) for each in part.held]]


def open_axes(plan: Plan, kind: Kind, family: int) -> tuple[Scope, tuple[int, ...]]:
    """The open variables of a discrete family, in the order of its axes, and those observed."""
    axes = plan.layout.axes[family].variables
    missing = set(kind.opened)
    return tuple(v for v in axes if v in missing), tuple(v for v in axes if v not in missing)


def table_factors(
    held: Grouped, kind: Kind, parameters: Parameters, cases: Ints
) -> Iterator[Factor]:
    """The tables that speak of open variables, cut at what each case observed."""
    for family in kind.tables:
        opened, seen = open_axes(held.plan, kind, family)
        axes, logs = held.plan.layout.axes[family].variables, parameters.logs[family]
        assert logs is not None
        ordered = logs.transpose([axes.index(v) for v in (*seen, *opened)])
        if seen:
            yield opened, ordered[tuple(held.codes[cases, v] for v in seen)]
        else:
            yield opened, ordered[None]
