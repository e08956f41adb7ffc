"""Posteriors of networks with continuous variables: tables as ever, regressions in closed form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from tacit.core.dag import Dag
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.estimate.continuous.prior import NormalGamma, Scales
from tacit.knowledge.faults import fault
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.regressions import speaks_of_regressions
from tacit.learn.continuous.lines import Lines, lines_evidence, lines_of
from tacit.learn.counted import Counted
from tacit.learn.evidence import LogEvidence
from tacit.learn.posteriors import Posterior
from tacit.learn.structures import Structure


class Wished(Protocol):
    """What is needed of the wishes of a caller."""

    @property
    def structure(self) -> Structure:
        """All variables."""

    @property
    def knowledge(self) -> Knowledge | None:
        """The rules."""

    @property
    def gaussian(self) -> NormalGamma | None:
        """The prior of Gaussian families."""


W = TypeVar("W", bound=Wished)


def posterior_with_reals(
    counted: Counted, wish: W, of_tables: Callable[[W, Counted], Posterior]
) -> Posterior:
    """The posterior of tables under their rules, and of every regression under `NormalGamma`.

    Given complete cases they are independent: parameters of different families share no case's term
    of the likelihood. [Thm 2.2.3]
    """
    _refuse_regressions(wish.knowledge)
    discrete = [name for name, axes in counted.families.items() if isinstance(axes[-1], Discrete)]
    prior = wish.gaussian or NormalGamma()
    scales = Scales.within(counted.evidence, counted.families)
    prior.check_names(scales.names)
    normal = {
        name: prior.pseudo([axis.name for axis in axes if not isinstance(axis, Discrete)], scales)
        for name, axes in counted.families.items()
        if name not in discrete
    }
    lines = lines_of(counted.families, counted.evidence, normal)
    tables = of_tables(_of_tables(wish, counted, discrete), _part(counted, discrete))
    return _whole(tables, counted, lines, lines_evidence(counted.evidence, normal), prior)


def _of_tables(wish: W, counted: Counted, discrete: list[str]) -> W:
    """The same wish about the discrete variables alone; none of them has a continuous parent."""
    dag = wish.structure.dag
    part = Structure(
        Dag({name: dag.parents[name] for name in discrete}),
        {name: counted.variables[name] for name in discrete},
        wish.structure.notes,
    )
    return replace(wish, structure=part)  # type: ignore[type-var]


def _part(counted: Counted, discrete: list[str]) -> Counted:
    families = {name: counted.families[name] for name in discrete}
    evidence = {name: counted.evidence[name] for name in discrete}
    return Counted(families, evidence, counted.cases, counted.notes)


@dataclass(frozen=True, slots=True, eq=False)
class _Weigher:
    """Log marginal likelihood of tables and of regressions together."""

    tables: Callable[[], LogEvidence]
    lines: float

    def __call__(self) -> LogEvidence:
        found = self.tables()
        return replace(found, value=found.value + self.lines)


def _whole(
    tables: Posterior,
    counted: Counted,
    lines: dict[str, Lines],
    evidence: float,
    prior: NormalGamma,
) -> Posterior:
    families = {
        name: tables.network[name]
        if name in tables.network
        else lines[name].family(lines[name].mean)
        for name in counted.families
    }
    dag = Dag({name: tuple(axis.name for axis in axes[:-1])
               for name, axes in counted.families.items()})  # fmt: skip
    settings = {**tables.settings, "structure": str(dag), "normal_prior": prior.describe()}
    return replace(
        tables,
        network=Network(dag, counted.variables, families),
        lines=lines,
        settings=settings,
        weighed=None if tables.weighed is None else _Weigher(tables.weighed, evidence),
    )


def _refuse_regressions(knowledge: Knowledge | None) -> None:
    """Nothing, or an error about a rule that speaks of a regression."""
    for rule in () if knowledge is None else knowledge.rules:
        if speaks_of_regressions(rule):
            raise fault(
                rule, None, "tc.posterior holds rules about tables only",
                "tc.fit holds rules about regressions",
            )  # fmt: skip
