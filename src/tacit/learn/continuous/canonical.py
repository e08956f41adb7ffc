"""Hidden variables in a form that does not depend on chance: signs, and the order of states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.counts import Counts
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments
from tacit.families.table import Table
from tacit.learn.continuous.problem import NormalIterate, NormalProblem
from tacit.learn.fits import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class Ending:
    """Where a run ended, written out: the network, and what the cases say under it."""

    network: Network
    evidence: Mapping[str, Evidence]

    @staticmethod
    def of(problem: NormalProblem, here: NormalIterate) -> Ending:
        """An iterate written out."""
        evidence = problem.expectation.evidence(here.sums)
        return Ending(problem.vector.network(here.theta), evidence)


def canonical(
    problem: NormalProblem, here: Ending, hidden: Iterable[str], fixed: Iterable[str] = ()
) -> Ending:
    """The same ending, equally likely: the first child of a hidden continuous variable rises with
    it, and the states of a hidden discrete one come the most common first.

    fixed  variables whose form rules speak of, or that a given start named
    """
    still = set(fixed)
    for name in hidden:
        if name in still:
            continue
        if name in problem.hidden:
            if _falls(here.network, name):
                here = _changed(here, name, _turned)
        elif not _scales_depend(problem, name):
            order = np.argsort(-_state_weights(here.evidence[name]), kind="stable")
            if _nameless(problem, name, order):
                here = _changed(here, name, _reordering(order))
    return here


def _nameless(problem: NormalProblem, name: str, order: Ints) -> bool:
    """Whether the states of a discrete variable may change places: no prior tells them apart, and
    nothing that was borrowed."""
    for each, pseudo in problem.pseudo.items():
        axes = [axis.name for axis in problem.vector.families[each]]
        if name in axes and not np.array_equal(
            np.take(pseudo, order, axis=axes.index(name)), pseudo
        ):
            return False
    return True


def _falls(network: Network, name: str) -> bool:
    """Whether the coefficients that its first child has for it add up to less than 0."""
    for child in network.dag.names:
        family = network[child]
        if name in family.parents and isinstance(family, LinearGaussian | ConditionalGaussian):
            at = _reals(family.variables).index(name)
            return bool(family.coefficients[..., at].sum() < 0)
    return False


def _scales_depend(problem: NormalProblem, name: str) -> bool:
    """Whether the scale of a hidden continuous variable is fixed in some states of this one."""
    families = problem.vector.families
    return any(name in [axis.name for axis in families[each]] for each in problem.hidden)


def _state_weights(evidence: Evidence) -> Floats:
    assert isinstance(evidence, Counts)
    return np.asarray(evidence.values.reshape(-1, evidence.values.shape[-1]).sum(axis=0))


Change = Callable[[Family, Evidence, str], tuple[Family, Evidence]]


def _changed(here: Ending, name: str, change: Change) -> Ending:
    """The ending with every family changed in which a variable stands."""
    families: dict[str, Family] = dict(here.network.families)
    evidence = dict(here.evidence)
    for each, family in here.network.families.items():
        if name in (*family.parents, each):
            families[each], evidence[each] = change(family, evidence[each], name)
    return Ending(Network(here.network.dag, here.network.variables, families), evidence)


def _turned(family: Family, evidence: Evidence, name: str) -> tuple[Family, Evidence]:
    """With the other sign of a continuous variable."""
    assert isinstance(family, LinearGaussian | ConditionalGaussian)
    assert isinstance(evidence, Moments | ConditionalMoments)
    reals = _reals(family.variables)
    signs = np.where([each == name for each in reals], -1.0, 1.0)
    own = signs[-1]
    slopes, level = family.coefficients * signs[:-1] * own, np.asarray(family.intercept * own)
    means, scatter = evidence.means * signs, evidence.scatter * np.outer(signs, signs)
    held: Evidence = (
        Moments(evidence.weight, means, scatter)
        if isinstance(evidence, Moments)
        else ConditionalMoments(evidence.weights, means, scatter)
    )
    if isinstance(family, LinearGaussian):
        return replace(family, coefficients=slopes, intercept=float(level)), held
    return replace(family, coefficients=slopes, intercept=level), held


def _reordering(order: Ints) -> Change:
    def change(family: Family, evidence: Evidence, name: str) -> tuple[Family, Evidence]:
        """With the states of a discrete variable in another order."""
        axis = [each.name for each in _discrete(family.variables)].index(name)

        def turned(values: Floats) -> Floats:
            return np.asarray(np.take(values, order, axis=axis))

        if isinstance(family, Table):
            assert isinstance(evidence, Counts)
            return Table(family.variables, turned(family.values)), Counts(turned(evidence.values))
        assert isinstance(family, ConditionalGaussian)
        assert isinstance(evidence, ConditionalMoments)
        parts = (family.coefficients, family.intercept, family.sd)
        sums = (evidence.weights, evidence.means, evidence.scatter)
        return (
            ConditionalGaussian(family.variables, *map(turned, parts)),
            ConditionalMoments(*map(turned, sums)),
        )

    return change


def _reals(variables: Iterable[Variable]) -> list[str]:
    return [each.name for each in variables if isinstance(each, Continuous)]


def _discrete(variables: Iterable[Variable]) -> list[Discrete]:
    return [each for each in variables if isinstance(each, Discrete)]
