"""Exact posteriors of one set of findings, by the network's compiled clique trees."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import ImpossibleError
from tacit.infer.engine import Engine, Observed
from tacit.infer.findings import Finding
from tacit.infer.junction import Junction
from tacit.infer.relevant import ancestral, near
from tacit.infer.sizes import MEMORY_LIMIT, check_size

CHEAP = 200_000
"""Cells up to which a tree of the whole network is not worth cutting for one question."""


def marginals(engine: Engine, observed: Observed) -> tuple[float, list[Floats]]:
    """log P(findings), and the posterior of every variable in the order of the layout."""
    from tacit.kernels.cut import all_marginals

    plan = engine.junction()
    check_size(plan, observed.codes)
    state_at = np.concatenate([[0], np.cumsum(engine.layout.cards)]).astype(np.int64)
    out = np.zeros(int(state_at[-1]))
    mass = all_marginals(plan.tree, observed.codes, observed.theta, state_at, out)
    return float(mass), [out[state_at[v] : state_at[v + 1]] for v in range(state_at.size - 1)]


def log_mass(engine: Engine, observed: Observed) -> float:
    """log P(findings), up to the factor of soft ones."""
    return _posterior(engine, observed, ())[0] if observed.found else 0.0


def joint_posterior(engine: Engine, observed: Observed, targets: Sequence[int]) -> Floats:
    """P(targets | findings), one axis per target; all zero if the findings are impossible.

    A target that is observed has its mass in the state found.
    """
    wanted = [v for v in targets if observed.codes[v] < 0]
    if not wanted:
        mass = log_mass(engine, observed)
        return _with_observed(np.array(float(mass > -np.inf)), engine, observed, targets)
    mass, values = _posterior(engine, observed, wanted)
    return _with_observed(values, engine, observed, targets)


def _posterior(engine: Engine, observed: Observed, wanted: Sequence[int]) -> tuple[float, Floats]:
    """log P(findings), and P(wanted | findings) of open variables."""
    from tacit.kernels.cut import joint_of

    plan = _plan(engine, observed, wanted)
    check_size(plan, observed.codes[_places(engine, plan)])
    shape = [engine.layout.cards[v] for v in wanted]
    out, strides = np.zeros(prod(shape)), np.zeros(len(engine.layout.names), dtype=np.int64)
    for at, v in enumerate(wanted):
        strides[v] = prod(shape[at + 1 :])
    home, places = _home(engine, plan, wanted), _places(engine, plan)
    codes = observed.codes[places]
    mass = joint_of(plan.tree, home, codes, observed.theta, strides[places], out)
    return float(mass), out.reshape(shape)


def _places(engine: Engine, plan: Junction) -> Ints:
    """Where the variables of a plan stand in the whole network."""
    return np.array([engine.layout.places[name] for name in plan.layout.names], dtype=np.int64)


def _plan(engine: Engine, observed: Observed, wanted: Sequence[int]) -> Junction:
    """A clique tree for one question.

    That of the whole network is there already, and good enough if it is small. Else variables
    neither wanted nor found nor above such ones are left out; and, if that is too large still,
    what findings separate from the wanted ones: a contradiction there goes unnoticed.
    """
    joined, codes = wanted if len(wanted) > 1 else (), observed.codes
    if sum(engine.junction().sizes(codes)) <= CHEAP:
        return engine.junction(joined)
    families: Collection[int] = ancestral(engine.layout, [*wanted, *observed.found])
    plan = engine.part(families, joined)
    if wanted and 8 * sum(plan.sizes(codes[_places(engine, plan)])) > MEMORY_LIMIT:
        plan = engine.part(near(engine.layout, families, codes, wanted), joined)
    return plan


def _home(engine: Engine, plan: Junction, wanted: Sequence[int]) -> int:
    scope = {plan.layout.places[engine.layout.names[v]] for v in wanted}
    return next(at for at, clique in enumerate(plan.cliques.cliques) if scope <= set(clique))


def _with_observed(
    values: Floats, engine: Engine, observed: Observed, targets: Sequence[int]
) -> Floats:
    """Put the axes of observed targets back, all mass in the state found."""
    for at, v in enumerate(targets):
        if observed.codes[v] >= 0:
            full = np.zeros((*values.shape[:at], engine.layout.cards[v], *values.shape[at:]))
            full[(slice(None),) * at + (int(observed.codes[v]),)] = values
            values = full
    return values


def explain_impossible(engine: Engine, findings: Sequence[Finding]) -> ImpossibleError:
    """The error for findings of probability 0: a smallest set of them that contradicts."""
    kept = list(findings)
    for each in list(findings):
        rest = [other for other in kept if other is not each]
        if rest and log_mass(engine, engine.observe(rest)) == -np.inf:
            kept = rest
    said = tuple(each.text for each in kept)
    if len(kept) == 1:
        return ImpossibleError(f"the network holds this finding impossible: {said[0]}", said)
    return ImpossibleError(
        f"the network holds these findings impossible together: {', '.join(said)}"
        "\n\nwithout any one of them the others are possible",
        said,
    )
