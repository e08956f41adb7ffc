"""Posteriors of networks with continuous variables: tables as ever, and regressions beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from tacit.core.dag import Dag
from tacit.core.errors import OptionError
from tacit.core.network import Network
from tacit.core.variables import Discrete, Variable
from tacit.estimate.continuous.prior import (
    GaussianPrior,
    NormalGamma,
    Scales,
    WeakNormal,
    pseudo_of,
)
from tacit.estimate.continuous.tying import Ties
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.regressions import speaks_of_regressions
from tacit.learn.continuous.lines import Lines, lines_evidence, lines_of
from tacit.learn.continuous.restrained import ROUGH, Weigher, diagnosed, ruled_lines
from tacit.learn.counted import Counted
from tacit.learn.posteriors import Posterior
from tacit.learn.ruled import certain_part, ruled
from tacit.learn.structures import Structure
from tacit.learn.whole import Asking

AGREED = 1.05
"""Chains whose R-hat is above this are not in the same places."""


class Wished(Protocol):
    """What is needed of the wishes of a caller."""

    @property
    def structure(self) -> Structure:
        """All variables."""

    @property
    def knowledge(self) -> Knowledge | None:
        """The rules."""

    @property
    def gaussian(self) -> GaussianPrior | None:
        """The prior of Gaussian families."""

    @property
    def asking(self) -> Asking:
        """What is wanted of the posterior."""


W = TypeVar("W", bound=Wished)


def posterior_with_reals(
    counted: Counted, wish: W, of_tables: Callable[[W, Counted], Posterior]
) -> Posterior:
    """The posterior of tables and of regressions under their rules, each under its prior.

    Given complete cases they are independent: parameters of different families share no case's term
    of the likelihood. [Thm 2.2.3]
    """
    ties = ties_of(wish, counted.families)
    discrete = [name for name, axes in counted.families.items() if isinstance(axes[-1], Discrete)]
    prior = prior_of(wish)
    normal = pseudo_of(prior, counted.families, Scales.within(counted.evidence, counted.families))
    ruled = ruled_lines(ties, counted.evidence, normal, wish.asking)
    lines = lines_of(counted.families, counted.evidence, normal, ruled.known)
    free = lines_evidence(counted.evidence, normal, ruled.known)
    tables = of_tables(of_discrete(wish, counted.variables, discrete), _part(counted, discrete))
    weigher = None if tables.weighed is None else Weigher(tables.weighed, ruled.weighed, free)
    return whole_of(wish, replace(tables, weighed=weigher), lines, prior, ruled.ways)


def ties_of(wish: Wished, families: Mapping[str, tuple[Variable, ...]]) -> Ties | None:
    """What rules say of the regressions; an error about any rule that does not fit."""
    if wish.knowledge is None:
        return None
    known = ruled(certain_part(wish.knowledge), wish.structure.dag, families)
    return None if known is None else known.ties


def prior_of(wish: Wished) -> GaussianPrior:
    """The prior of Gaussian families; an error if it is none."""
    prior = wish.gaussian or NormalGamma()
    if prior == WeakNormal(0):
        raise OptionError(
            "tc.WeakNormal(0) is no prior, and a posterior of Gaussian families needs one"
            "\n\nleave it out, or say how many cases it is worth: tc.WeakNormal(1)"
        )
    return prior


def of_discrete(wish: W, variables: Mapping[str, Variable], discrete: Sequence[str]) -> W:
    """The same wish about the discrete variables alone; none of them has a continuous parent."""
    dag = wish.structure.dag
    part = Structure(
        Dag({name: dag.parents[name] for name in discrete}),
        {name: variables[name] for name in discrete},
        wish.structure.notes,
    )
    knowledge = wish.knowledge
    if knowledge is not None:
        structure = set(map(id, knowledge.structure))
        kept = [
            rule
            for rule in knowledge.rules
            if id(rule) not in structure and not speaks_of_regressions(rule)
        ]
        knowledge = Knowledge(tuple(kept))
    return replace(wish, structure=part, knowledge=knowledge)  # type: ignore[type-var]


def _part(counted: Counted, discrete: list[str]) -> Counted:
    families = {name: counted.families[name] for name in discrete}
    evidence = {name: counted.evidence[name] for name in discrete}
    return Counted(families, evidence, counted.cases, counted.notes)


def whole_of(
    wish: Wished,
    tables: Posterior,
    lines: dict[str, Lines],
    prior: GaussianPrior,
    ways: Mapping[str, int],
) -> Posterior:
    """Tables and regressions as one posterior."""
    dag = wish.structure.dag
    families = {
        name: tables.network[name]
        if name in tables.network
        else lines[name].family(lines[name].mean)
        for name in dag.names
    }
    variables = {name: family.variables[-1] for name, family in families.items()}
    drawn = [each for own in lines.values() for each in own.drawn]
    notes = tables.notes
    if drawn and max(float(each.rhat.max()) for each in drawn) > AGREED:
        notes = (*notes, ROUGH)
    settings = {**tables.settings, "structure": str(dag), "normal_prior": prior.describe()}
    if wish.knowledge is not None:
        settings["knowledge"] = str(wish.knowledge)
    return replace(
        tables,
        network=Network(dag, variables, families),
        lines=lines,
        settings=settings,
        notes=notes,
        diagnostics=diagnosed(tables.diagnostics, drawn, ways),
    )
