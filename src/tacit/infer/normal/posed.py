"""One question to a network with continuous variables: what was found, and what is left open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import ImpossibleError, QueryError
from tacit.core.network import Network
from tacit.infer.findings import Finding, combined, contradiction
from tacit.infer.known import known_masses
from tacit.infer.normal.beliefs import Factor, Scope
from tacit.infer.normal.bulk import above
from tacit.infer.normal.findings import AnyFinding, states_found, values_found
from tacit.infer.normal.groups import Group, Grouped, grouped
from tacit.infer.normal.kinds import plan_of
from tacit.infer.normal.posterior import Found, Parameters, solved
from tacit.infer.reach import FAR


@dataclass(frozen=True, slots=True, eq=False)
class Posed:
    """The part of a network that a question needs, with its findings as a single case.

    states  what was found of discrete variables, one finding each
    known   log P of the families of which nothing is open
    """

    network: Network
    held: Grouped
    parameters: Parameters
    states: Mapping[str, Finding]
    known: float

    def found(self, group: Group, together: Sequence[Scope] = ()) -> Found:
        """What is known of one piece of what is open."""
        found = next(solved(self.held, group, self.parameters, together, self.soft(group)))
        if group.kind.opened and -np.inf < found.mass[0] < FAR:
            raise QueryError(
                "the findings are so far from all that the network expects that rounding decides "
                f"what they say of states (log density {found.mass[0]:.3g})"
                "\n\ncheck their values and units"
            )
        return found

    def soft(self, group: Group) -> list[Factor]:
        """What findings say of open variables of a piece."""
        return [self._soft(place) for place in group.kind.opened if self._said(place) is not None]

    def _said(self, place: int) -> Finding | None:
        return self.states.get(self.held.plan.layout.names[place])

    def _soft(self, place: int) -> Factor:
        said = self._said(place)
        assert said is not None
        with np.errstate(divide="ignore"):
            return (place,), np.log(said.likelihood)[None]

    def mass(self) -> float:
        """log P(findings), a density where they are real; up to the factor of soft ones."""
        total = [self.known, *(float(self.found(each).mass[0]) for each in self.held.groups)]
        return -np.inf if -np.inf in total else float(sum(total))


def pose(network: Network, findings: Sequence[AnyFinding], targets: Sequence[str] = ()) -> Posed:
    """The question what these findings say of the targets."""
    said = combined(states_found(findings))
    for each in said.values():
        if not each.likelihood.any():
            raise contradiction(each, findings)
    columns: dict[str, Floats | Any] = {
        name: np.array([each.state]) for name, each in said.items() if each.state >= 0
    }
    columns |= {name: np.array([value]) for name, value in values_found(findings).items()}
    part = above(network, {*targets, *said, *columns})
    case = Dataset({name: part.variables[name] for name in columns}, columns)
    plan = plan_of(part)
    known = float(known_masses(part, case)[0]) if columns else 0.0
    known += sum(float(np.log(said[name].likelihood[said[name].state])) for name in said
                 if name in columns)  # fmt: skip
    return Posed(part, grouped(plan, case, 1), Parameters.of(plan, part), said, known)


def explain(network: Network, findings: Sequence[AnyFinding]) -> ImpossibleError:
    """The error for findings that cannot be: a smallest set of them that contradicts."""
    kept = list(findings)
    for each in findings:
        rest = [other for other in kept if other is not each]
        if rest and pose(network, rest).mass() == -np.inf:
            kept = rest
    said = tuple(each.text for each in kept)
    if len(kept) == 1:
        return ImpossibleError(f"the network holds this finding impossible: {said[0]}", said)
    return ImpossibleError(
        f"the network holds these findings impossible together: {', '.join(said)}"
        "\n\nwithout any one of them the others are possible",
        said,
    )
