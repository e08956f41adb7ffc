"""Exact posteriors of one set of findings, by the network's compiled clique trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import ImpossibleError, SizeError
from tacit.infer.asking import ask, ask_all, ask_near
from tacit.infer.engine import Engine, Observed
from tacit.infer.findings import Finding
from tacit.infer.sizes import MEMORY_LIMIT


def marginals(engine: Engine, observed: Observed) -> tuple[float, list[Floats]]:
    """log P(findings), and the posterior of every variable in the order of the layout."""
    mass, values = all_posteriors(engine, observed)
    return mass, np.split(values, engine.layout.state_at[1:-1])


def all_posteriors(engine: Engine, observed: Observed) -> tuple[float, Floats]:
    """log P(findings), and the posteriors of all variables side by side."""
    return ask_all(engine, observed).marginals(observed)


def log_mass(engine: Engine, observed: Observed) -> float:
    """log P(findings), up to the factor of soft ones."""
    return ask(engine, observed, ()).joint(observed, ())[0] if observed.found else 0.0


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
    """log P(findings), and P(wanted | findings) of open variables.

    If all that bears on the question is too large, what findings separate from the wanted
    variables is left out as well.
    """
    try:
        asked = ask(engine, observed, wanted, MEMORY_LIMIT)
    except SizeError:
        asked = ask_near(engine, observed, wanted)
    mass, values = asked.joint(observed, wanted)
    return mass, values.reshape([engine.layout.cards[v] for v in wanted])


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
