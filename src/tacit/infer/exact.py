"""Exact posteriors of one set of findings, by the network's compiled clique trees."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import ImpossibleError, SizeError, listed
from tacit.infer.engine import Engine, Observed
from tacit.infer.findings import Finding
from tacit.infer.junction import Junction

MEMORY_LIMIT = 8 * 2**30
"""Bytes that the potentials of one question may take."""


def check_size(plan: Junction, codes: Ints, limit: int = MEMORY_LIMIT) -> None:
    """Nothing, or an error that names the width and the largest clique, before memory is taken."""
    cards = plan.layout.cards
    sizes = [prod(cards[v] for v in clique if codes[v] < 0) for clique in plan.cliques.cliques]
    needed = 8 * sum(sizes)
    if needed > limit:
        at = int(np.argmax(sizes))
        widest = [v for v in plan.cliques.cliques[at] if codes[v] < 0]
        names = listed((plan.layout.names[v] for v in widest), 8)
        raise SizeError(
            f"exact inference needs {needed / 2**30:.1f} GiB, more than {limit / 2**30:.1f} GiB: "
            f"width {len(widest) - 1}, largest clique {sizes[at]:,} cells ({names})"
            "\n\nadd findings, or ask for an approximation: method=tc.LikelihoodWeighting(100_000)"
        )


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
    return marginals(engine, observed)[0]


def joint_posterior(engine: Engine, observed: Observed, targets: Sequence[int]) -> Floats:
    """P(targets | findings), one axis per target; all zero if the findings are impossible.

    A target that is observed has its mass in the state found.
    """
    from tacit.kernels.cut import joint_of

    wanted = [v for v in targets if observed.codes[v] < 0]
    plan = engine.junction(tuple(sorted(wanted)) if len(wanted) > 1 else ())
    check_size(plan, observed.codes)
    home = _home(plan, wanted)
    shape = [engine.layout.cards[v] for v in wanted]
    out = np.zeros(prod(shape))
    strides = np.zeros(len(engine.layout.names), dtype=np.int64)
    for at, v in enumerate(wanted):
        strides[v] = prod(shape[at + 1 :])
    mass = joint_of(plan.tree, home, observed.codes, observed.theta, strides, out)
    if mass == -np.inf:
        return np.zeros([engine.layout.cards[v] for v in targets])
    return _with_observed(out.reshape(shape), engine, observed, targets)


def _home(plan: Junction, wanted: Sequence[int]) -> int:
    if not wanted:
        return len(plan.cliques.cliques) - 1
    scope = set(wanted)
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
    said = ", ".join(each.text for each in kept)
    if len(kept) == 1:
        return ImpossibleError(f"the network holds this finding impossible: {said}")
    return ImpossibleError(
        f"the network holds these findings impossible together: {said}"
        "\n\neach of them alone, and any of them without the others, is possible"
        if len(kept) == 2
        else f"the network holds these findings impossible together: {said}"
    )
