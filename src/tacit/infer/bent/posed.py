"""One question around curves: what is found, what is asked, and the cloud of bends it needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Column, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import ImpossibleError, QueryError, listed, quoted
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table, cells
from tacit.infer.bent.clouds import Cloud, explored
from tacit.infer.bent.straight import Straight, exact_families
from tacit.infer.findings import Finding
from tacit.infer.known import joined
from tacit.infer.normal.beliefs import Factor
from tacit.infer.normal.groups import Group, Grouped, grouped
from tacit.infer.normal.kinds import plan_of
from tacit.infer.normal.posterior import Parameters
from tacit.infer.reach import FAR

POINTS = 16_384
"""Weighted points of a question, if nobody says how many."""
FORWARD = 4_096
"""Cases drawn along the arcs, with which the search for points begins."""
FEWEST = 100
"""Points that the weights must be worth before an answer is given."""


@dataclass(frozen=True, slots=True, eq=False)
class Bent:
    """A question as a single case.

    values  what has a value: states as codes, reals as they are
    soft    what else was found of variables with states
    """

    straight: Straight
    values: Mapping[str, Column]
    soft: Mapping[str, Finding]

    def cloud(self, points: int, seed: int, *, total: bool = False) -> Cloud:
        """Weighted values of the bends: their density with the findings, the rest integrated
        out; `total`: only how much there is of it is asked for."""
        self._refuse_exact()
        random = np.random.default_rng([seed, 10])
        columns, logs = self._forward(FORWARD, random)
        parts = [np.asarray(columns[name], np.float64) for name in self.straight.bends]
        start: Floats = np.column_stack(parts)
        if not np.isfinite(logs).any():
            raise ImpossibleError(
                f"none of {FORWARD:,} cases drawn along the arcs agrees with the findings"
                "\n\nthey are impossible, or next to it"
            )
        found = explored(lambda at: self.held(at).log_density(), start, logs, points, seed)
        if not total and found.log_total < FAR:
            raise ImpossibleError(
                "the findings are so far from all that the network expects that rounding decides "
                f"what they say (log density {found.log_total:.3g})\n\ncheck their values and units"
            )
        if not found.size >= FEWEST:
            raise QueryError(
                f"what is unknown around {self._curves()} has no exact answer, and drawing does "
                f"not give one either: {found.logs.size:,} weighted draws of "
                f"{listed(map(quoted, self.straight.bends), 4)} are worth {found.size:.0f}, and "
                f"{FEWEST} are needed\n\ngive more findings, or more draws: "
                f"method=tc.LikelihoodWeighting({8 * found.logs.size})"
            )
        return found

    def _curves(self) -> str:
        names = [quoted(name) for name in self.straight.curves]
        return f"{listed(names, 4)}, {'a curve' if len(names) == 1 else 'curves'},"

    def _refuse_exact(self) -> None:
        exact = exact_families(self.straight)
        if exact:
            raise QueryError(
                f"{quoted(exact[0])} is an exact function of its parents, and what is unknown "
                f"around {self._curves()} is drawn: no draw meets an exact function"
                "\n\ngive it a small sd, or observe the parents of the curve"
            )

    def held(self, points: Floats) -> HeldCases:
        """The question with these values of the bends: (points, bends), a case for each."""
        many = len(points)
        columns = self._repeated(many)
        columns |= {name: points[:, at] for at, name in enumerate(self.straight.bends)}
        whole = self.straight.completed(columns, many)
        network = self.straight.network
        cases = Dataset({name: network.variables[name] for name in whole}, whole)
        plan = plan_of(network)
        parameters = Parameters.of(plan, network)
        return HeldCases(self, cases, grouped(plan, cases, many), parameters)

    def soft_factors(self, held: Grouped, group: Group) -> list[Factor]:
        """What findings say of open variables of a piece."""
        names = held.plan.layout.names
        with np.errstate(divide="ignore"):
            return [
                ((place,), np.log(self.soft[names[place]].likelihood)[None])
                for place in group.kind.opened
                if names[place] in self.soft
            ]

    def _repeated(self, many: int) -> dict[str, Column]:
        """What has a value, for so many cases."""
        found: dict[str, Column] = {}
        for name, column in self.values.items():
            found[name] = column[np.zeros(many, np.int64)]
        return found

    def _forward(self, many: int, random: np.random.Generator) -> tuple[dict[str, Column], Floats]:
        """Cases drawn along the arcs of the original, values kept, and logs of their weights."""
        source = self.straight.source
        columns = self._repeated(many)
        logs = np.zeros(many)
        for name in self.straight.families:
            family = source[name]
            parents = [columns[each] for each in family.parents]
            if name in self.values:
                logs = joined(logs, family.log_prob([*parents, columns[name]]))
            elif name in self.soft and isinstance(family, Table):
                columns[name], more = _weighed(family, parents, self.soft[name], many, random)
                logs = joined(logs, more)
            else:
                columns[name] = family.sample(parents, many, random)
        return columns, logs


def _weighed(
    family: Table, parents: list[Column], said: Finding, many: int, random: np.random.Generator
) -> tuple[Column, Floats]:
    weighed = family.values * said.likelihood
    chance = weighed.sum(axis=-1)
    row: Ints = cells(chance.shape, parents) if parents else np.zeros(many, dtype=np.int64)
    even = np.full_like(weighed, 1 / weighed.shape[-1])
    safe = np.where(chance > 0, chance, 1.0)[..., None]
    rows = np.where(chance[..., None] > 0, weighed / safe, even)
    with np.errstate(divide="ignore"):
        return Table(family.variables, rows).sample(parents, many, random), np.log(chance.ravel())[
            row
        ]


@dataclass(frozen=True, slots=True, eq=False)
class HeldCases:
    """The question once for each point, straight."""

    bent: Bent
    cases: Dataset
    held: Grouped
    parameters: Parameters

    def log_density(self) -> Floats:
        """(points,) of the point and the findings, all else integrated out."""
        from tacit.infer.normal.posterior import solved

        straight, total = self.bent.straight, np.zeros(len(self.cases))
        for name in straight.network:
            family = straight.network[name]
            members = (*family.parents, name)
            if name not in straight.silent and all(each in self.cases for each in members):
                total = joined(total, family.log_prob([self.cases[each] for each in members]))
        for group in self.held.groups:
            soft = self.bent.soft_factors(self.held, group)
            for found in solved(self.held, group, self.parameters, (), soft):
                total[found.cases] = joined(total[found.cases], found.mass)
        return total


def values_of(
    network: Network, states: Collection[Finding], reals: Mapping[str, float]
) -> tuple[dict[str, Column], dict[str, Finding]]:
    """Findings as a single case, and those that leave several states open."""
    values: dict[str, Column] = {name: np.array([value]) for name, value in reals.items()}
    for each in states:
        if each.state >= 0 and isinstance(network.variables[each.name], Discrete):
            values[each.name] = np.array([each.state])
    return values, {each.name: each for each in states if each.state < 0}
