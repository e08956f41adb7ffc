"""The most probable states and values where variables are continuous."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tacit.core.errors import QueryError, quoted
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.infer.normal.bulk import above
from tacit.infer.normal.findings import AnyFinding
from tacit.infer.normal.groups import Group
from tacit.infer.normal.posed import Posed, explain, pose
from tacit.infer.normal.posterior import table_factors, tree_of
from tacit.infer.normal.questions import normal_answer, state_probabilities


def peak(
    network: Network, of: Sequence[str] | None, findings: Sequence[AnyFinding]
) -> tuple[Mapping[str, str | float], float]:
    """The most probable values, and the log of how probable they are given the findings: a density
    where some are continuous.

    of: None for everything that is open; otherwise the rest is summed out
    """
    if of is None:
        return _everything(network, findings)
    if all(isinstance(network.variables[name], Discrete) for name in of):
        values = state_probabilities(above(network, _named(of, findings)), of, findings)
        best = np.unravel_index(int(values.argmax()), values.shape)
        states = {name: _state(network, name, int(at)) for name, at in zip(of, best, strict=True)}
        return states, float(np.log(values.max()))
    answer = normal_answer(above(network, _named(of, findings)), "", of, findings)
    if answer.weights.size > 1:
        raise QueryError(
            f"the distribution of {', '.join(map(quoted, of))} is a mixture of normals, whose peak "
            "has no closed form\n\nask tc.query for the mixture, or leave out of= for the most "
            "probable values of everything together"
        )
    codes = answer.configurations[0].tolist()
    states = {v.name: v.states[at] for v, at in zip(answer.variables, codes, strict=True)}
    sign, volume = np.linalg.slogdet(2 * np.pi * answer.covariances[0])
    return {**states, **answer.mean}, float(-0.5 * volume) if sign > 0 else np.inf


def _named(of: Sequence[str], findings: Sequence[AnyFinding]) -> set[str]:
    return {*of, *(each.name for each in findings)}


def _everything(
    network: Network, findings: Sequence[AnyFinding]
) -> tuple[Mapping[str, str | float], float]:
    """maximise  P(states, findings) · max p(reals | states, findings)  over the states open.

    The peak of a normal is its integral divided by its volume, so that dividing what each
    component says by its volume leaves a question about states alone.
    """
    posed = pose(network, findings, tuple(network))
    if posed.mass() == -np.inf:
        raise explain(network, findings)
    found: dict[str, str | float] = {}
    value = sum(_best_of(posed, group, found) for group in posed.held.groups)
    ordered = {name: found[name] for name in network if name in found}
    return ordered, float(value)


def _best_of(posed: Posed, group: Group, out: dict[str, str | float]) -> float:
    """Write the best values of a piece; the log of their density given its findings."""
    held, kind = posed.held, group.kind
    found, chosen = posed.found(group), dict[int, int]()
    peaks = [each.density[:, 0] - each.solution.log_volume() for each in found.parts]
    tree, value = tree_of(held.plan, kind), 0.0
    if tree is not None:
        factors = [*posed.soft(group)]
        factors += table_factors(held, kind, posed.parameters, group.cases)
        for part, each in zip(kind.parts, peaks, strict=True):
            if part.opened:
                factors.append((part.opened, each.reshape(1, *part.shape)))
        assert found.beliefs is not None
        value, states = tree.best(factors)
        value -= float(found.beliefs.mass[0])
        chosen |= states
        names = held.plan.layout.names
        out |= {names[v]: _state(posed.network, names[v], at) for v, at in states.items()}
    for part, solved in zip(kind.parts, found.parts, strict=True):
        which = 0
        for place, card in zip(part.opened, part.shape, strict=True):
            which = which * card + chosen[place]
        if not part.opened:
            value -= float(solved.solution.log_volume()[0])
        means = solved.means[which, 0]
        unknown = part.component.unknown.tolist()
        out |= {held.plan.frame.names[v]: float(x) for v, x in zip(unknown, means, strict=True)}
    return value


def _state(network: Network, name: str, code: int) -> str:
    variable = network.variables[name]
    assert isinstance(variable, Discrete)
    return variable.states[code]
