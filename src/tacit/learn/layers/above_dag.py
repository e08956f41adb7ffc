"""Hidden variables above clusters of what the lines of a network leave over. [HV2 3.5]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import ColumnError, OptionError, listed, nearest, quoted
from tacit.core.interrupts import Asked
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.estimate.estimates import ML, Estimate
from tacit.estimate.gaussians import SINGULAR
from tacit.estimate.ideal.clusters import Profiles, best_cluster
from tacit.estimate.scores.values import BIC
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments
from tacit.infer.prediction import predict
from tacit.learn.counted import cases_used
from tacit.learn.fit import fit
from tacit.learn.fits import Fit, Stop
from tacit.learn.hidden import REAL
from tacit.learn.layers.proposed import (
    Held,
    Parts,
    RealHunt,
    bic_of,
    enough,
    fitted_to_all,
    free_names,
    held_out,
    led,
    proposal_of,
    proposals_of,
)
from tacit.learn.progress import Report
from tacit.learn.structures import Structure, as_structure
from tacit.learn.unseen.places import alike
from tacit.learn.unseen.proposals import HiddenProposal, HiddenProposals

SHOWN, FEWEST = 3, 2
"""Clusters of a round that are tried, and children that a hidden variable keeps."""
BELIEVED = 0.9
"""Of how residuals go with their common profile, at the start: they are part of it themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ground:
    """What every trial stands on.

    known  hidden variables that are in already
    base   the network with them, fitted to the cases to learn from; score: its BIC
    """

    parts: Parts
    hunt: RealHunt
    known: tuple[str, ...]
    base: Fit
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class _Tried:
    """A cluster with a hidden variable above it, fitted to the cases to learn from."""

    name: str
    children: tuple[str, ...]
    fit: Fit
    gain: float
    held: Held
    turn: int


def above_dag(parts: Parts, hunt: RealHunt, told: Report, asked: Asked) -> HiddenProposals:
    """Clusters of variables whose residuals under a network go together: in rounds the best gets a
    hidden parent, which then explains what it can of the residuals of the next."""
    dag, known = _whole_dag(as_structure(hunt.network), parts.whole)
    start: Any = hunt.network if known else dag
    without_ = _fitted(start, parts.whole, known, hunt.seed)
    base = _fitted(start, parts.train, known, hunt.seed, ML())
    ground = _Ground(parts, hunt, known, base, bic_of(base, parts.train))
    first, tried, accepted = ground.score, list[_Tried](), list[_Tried]()
    for turn in range(1, hunt.most + 1):
        told(turn - 1, hunt.most, ground.score - first)
        found = list(_round(ground, turn, asked))
        tried += found
        best = max(found, key=lambda each: each.gain, default=None)
        if best is None or not enough(best.gain, best.held, hunt.evidence):
            break
        accepted.append(best)
        known = (*ground.known, best.name)
        ground = replace(ground, known=known, base=best.fit, score=ground.score + best.gain)
        if asked():
            break
    kept = _apart(accepted, tried)
    ends = {each: _fitted_on(each, parts.whole, hunt.seed) for each in kept}
    proposals = [_proposed(each, ends[each], accepted, hunt) for each in kept]
    end = ends[accepted[-1]] if accepted else without_
    stop = Stop.INTERRUPTED if asked() else Stop.CONVERGED
    return proposals_of(proposals, (end, without_), first, parts, hunt, stop)


def _round(ground: _Ground, turn: int, asked: Asked) -> Iterator[_Tried]:
    """A hidden variable above each of the best clusters in turn, as far as its arcs pay."""
    parts = ground.parts
    name = next(free_names((*parts.whole.names, *ground.known), ground.hunt.name))
    for loadings in _clusters(ground.base.network, parts.train, SHOWN):
        if asked():
            return
        paying = _paying(ground, name, loadings)
        if paying is None:
            continue
        children, found = paying
        gain = bic_of(found, parts.train) - ground.score
        held = held_out(found.network, ground.base.network, parts.test)
        yield _Tried(name, children, found, gain, held, turn)


def _paying(
    ground: _Ground, name: str, loadings: Mapping[str, float]
) -> tuple[tuple[str, ...], Fit] | None:
    """The hidden variable above as many of these as are worth an arc, and the fit; None where
    noise shrinks to nothing.

    An arc that is expected to gain less than its price goes, the idlest first; two stay.
    """
    price = BIC().per_parameter(ground.parts.train.total_weight)
    found = _led(ground, name, _widened(ground.base.network, name, loadings))
    members = tuple(loadings)
    while found is not None and len(members) > FEWEST:
        gains = {each: _gain(found, name, each) for each in members}
        idlest = min(members, key=gains.__getitem__)
        if gains[idlest] >= price:
            break
        members = tuple(each for each in members if each != idlest)
        found = _led(ground, name, _narrowed(found.network, name, idlest))
    return None if found is None else (members, found)


def _led(ground: _Ground, name: str, start: Network) -> Fit | None:
    return led(start, ground.parts.train, (*ground.known, name), ground.hunt.seed)


def _widened(network: Network, name: str, loadings: Mapping[str, float]) -> Network:
    """The network with a hidden root above some variables, whose residuals go with it so far."""
    root = Continuous(name)
    families: list[LinearGaussian] = [LinearGaussian((root,), np.zeros(0), 0.0, 1.0)]
    for each in network:
        family = network[each]
        assert isinstance(family, LinearGaussian)
        if each in loadings:
            share = BELIEVED * loadings[each]
            axes = (*family.variables[:-1], root, family.variables[-1])
            slopes = np.append(family.coefficients, share * family.sd)
            sd = family.sd * float(np.sqrt(1 - share**2))
            family = LinearGaussian(axes, slopes, family.intercept, sd)
        families.append(family)
    return Network.of(families)


def _narrowed(network: Network, name: str, child: str) -> Network:
    """The network without the arc to a child, which follows it as noise."""
    family = network[child]
    assert isinstance(family, LinearGaussian)
    at = family.parents.index(name)
    axes = tuple(each for each in family.variables if each.name != name)
    sd = float(np.hypot(family.sd, family.coefficients[at]))
    less = LinearGaussian(axes, np.delete(family.coefficients, at), family.intercept, sd)
    return Network.of([less if each == child else network[each] for each in network])


def _gain(found: Fit, name: str, child: str) -> float:
    """What the arc to a child is expected to gain, all else as it is believed."""
    held = found.evidence[child]
    assert isinstance(held, Moments)
    at = found.network[child].parents.index(name)
    less = np.delete(np.arange(held.means.size), at)
    without = _left(held.scatter[np.ix_(less, less)])
    return 0.5 * held.weight * float(np.log(without / _left(held.scatter)))


def _left(scatter: Floats) -> float:
    """The squares of the last that the others leave."""
    inner, cross = scatter[:-1, :-1], scatter[:-1, -1]
    explained = cross @ np.linalg.lstsq(inner, cross, rcond=None)[0] if len(inner) else 0.0
    return max(float(scatter[-1, -1] - explained), SINGULAR * float(scatter[-1, -1]))


def _fitted(
    start: Any, cases: Dataset, known: tuple[str, ...], seed: int, estimate: Estimate | None = None
) -> Fit:
    """A dag without hidden variables, or a network with those known, from its numbers."""
    if not known:
        return fit(start, cases, estimate=estimate, seed=seed, progress=False)
    return fit(
        start, cases, hidden=dict.fromkeys(known, REAL), start="given", estimate=estimate,
        seed=seed, progress=False,
    )  # fmt: skip


def _fitted_on(tried: _Tried, whole: Dataset, seed: int) -> Fit:
    """The same with all cases."""
    network = tried.fit.network
    return fitted_to_all(network, whole, [name for name in network if name not in whole], seed)


def _apart(accepted: Sequence[_Tried], tried: Sequence[_Tried]) -> list[_Tried]:
    """Those accepted, then the others by gain; of those that mean the same children the first."""
    found = list(accepted)
    for each in sorted(tried, key=lambda each: -each.gain):
        mine = frozenset(each.children)
        if not any(alike(mine, frozenset(other.children)) for other in found):
            found.append(each)
    return found


def _proposed(
    tried: _Tried, end: Fit, accepted: Sequence[_Tried], hunt: RealHunt
) -> HiddenProposal:
    good = tried in accepted
    told = (tried.gain, *tried.held)
    found = proposal_of(tried.name, tried.children, told, end, good, tried.turn)
    if good or not enough(tried.gain, tried.held, hunt.evidence):
        return found
    return replace(found, why="another of its round gains more")


def _whole_dag(structure: Structure, cases: Dataset) -> tuple[Dag, tuple[str, ...]]:
    """The dag with the columns that it does not name, without arcs; and the hidden variables that
    a network knows already."""
    dag, known = structure.dag, list[str]()
    for name in dag.names:
        if name in cases:
            continue
        if structure.network is None or not isinstance(structure.network[name], LinearGaussian):
            near = nearest(name, cases.names)
            raise ColumnError(
                f"the dag names {name!r}, which is no column of the cases{near}"
                f"\n\ncolumns: {listed(cases.names)}"
            )
        known.append(name)
    missing = [name for name in cases.names if name not in dag]
    if known and missing:
        raise ColumnError(
            f"a network with hidden variables names all columns, and {quoted(missing[0])} is not "
            "in it\n\nleave the column out, or fit the network with it first"
        )
    return Dag({**dag.parents, **dict.fromkeys(missing, ())}), tuple(known)


def _clusters(network: Network, cases: Dataset, most: int) -> Iterator[dict[str, float]]:
    """Disjoint clusters of residuals that are worth more than their coefficients, and how each
    member goes with what they have in common, from -1 to 1."""
    rows = _residuals(network, cases)
    left = list(range(len(cases.names)))
    for _ in range(most):
        found = best_cluster(Profiles.of(rows[left])) if len(left) > 1 else None
        if found is None or found.score <= 0:
            return
        members = [left[each] for each in found.members]
        along = rows[members] @ found.profile / rows.shape[1]
        yield {cases.names[each]: float(at) for each, at in zip(members, along, strict=True)}
        left = [each for each in left if each not in members]


def _residuals(network: Network, cases: Dataset) -> Floats:
    """(variables, cases) what each family misses, the expected where cells are missing, of length
    √M: with columns of other lengths the leading vector would lean to the longest alone."""
    gaps = cases_used(cases).missing or any(name not in cases for name in network)
    told = predict(network, cases) if gaps else cases
    known = {name: np.asarray(told[name], dtype=np.float64) for name in network}
    rows = []
    for name in cases.names:
        family = network[name]
        if not isinstance(family, LinearGaussian):
            raise OptionError(f"the family of {name!r} is no straight line\n\ngive a dag instead")
        parents = [known[each] for each in family.parents]
        rows.append(known[name] - np.asarray(family.mean(parents, len(cases))))
    residuals = np.array(rows)
    spread = np.sqrt((residuals**2).mean(axis=1, keepdims=True))
    return residuals / np.where(spread > 0, spread, 1.0)
