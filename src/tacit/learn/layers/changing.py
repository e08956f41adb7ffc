"""Arcs from hidden variables to columns: which are worth having, and where a new one belongs.

[HV2 3.4, 3.5, 3.8]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats
from tacit.engines.curve_scores import STRAIGHT as LINE
from tacit.engines.curve_scores import CurveScorer
from tacit.engines.gaussian_scores import Reals
from tacit.engines.ideal import Ranker, ranker_of
from tacit.estimate.ideal.clusters import Cluster, Profiles, best_cluster, cluster_of
from tacit.estimate.ideal.profiles import assumed_ends, ideal_profile
from tacit.estimate.scores.values import Penalised
from tacit.learn.layers.fitting import Fitted, em, maximised
from tacit.learn.layers.model import BY_CODE, STRAIGHT, Belief, Layer, Points
from tacit.learn.structure.settings import IdealParent

WORTH = 1e-6
"""A change must gain more than this share of the score."""
SURE = 0.98
"""The new hidden variable is taken to be known no better than this at first."""


@dataclass(slots=True, eq=False)
class Bench:
    """The columns, how families are scored, and how many were.

    alike  the columns in sets that are shown in the same cases
    price  of a parameter
    """

    columns: Floats
    names: tuple[str, ...]
    score: Penalised
    method: IdealParent
    random: np.random.Generator
    alike: tuple[tuple[int, ...], ...]
    evaluations: int = 0

    @property
    def price(self) -> float:
        """What one parameter costs."""
        return self.score.per_parameter(float(self.columns.shape[1]))

    def worth(self, fitted: Fitted) -> float:
        """The log-likelihood less the price of the parameters."""
        return fitted.log_likelihood - self.price * fitted.layer.parameters

    def most(self) -> int:
        """Hidden parents of a column, at most."""
        bound = self.method.most_parents
        return len(self.columns) if bound is None else bound


def rewired(bench: Bench, fitted: Fitted) -> Bools:
    """(columns, hidden) the arcs that are best given the present beliefs, column by column.

    Columns share no parents' choice once the hidden variables are believed, so each climbs alone:
    add, delete or replace while the expected score gains.
    """
    layer = fitted.layer
    arcs = np.zeros_like(layer.arcs)
    for columns, scorer in scorers_at(bench, fitted):
        ranker = ranker_of(scorer, bench.method.similarity)
        for at, column in enumerate(columns):
            who = _climbed(bench, scorer, ranker, layer.hidden, at, layer.parents(column))
            arcs[column, list(who)] = True
    return arcs


def scorers_at(bench: Bench, fitted: Fitted) -> Iterator[tuple[tuple[int, ...], CurveScorer]]:
    """Columns that are shown in the same cases, and their families at the points of these: hidden
    variables are numbered first, then the columns."""
    layer, everywhere = fitted.layer, Points.of(fitted.belief, bench.columns)
    hidden = tuple(f"hidden {at}" for at in range(layer.hidden))
    kinds = np.where(layer.codes == STRAIGHT.code, LINE, layer.codes)
    for columns in bench.alike:
        points, which = everywhere.only(columns), list(columns)
        values = np.concatenate([points.values, points.columns])
        units = np.maximum(np.abs(values).max(axis=1), 1e-100)
        names = (*hidden, *(bench.names[at] for at in which))
        reals = Reals(names, (values / units[:, None]).T, units, points.weights)
        every = np.concatenate([np.full(layer.hidden, LINE, dtype=np.int64), kinds[which]])
        yield columns, CurveScorer.of(reals, bench.score, every)


def _climbed(
    bench: Bench, scorer: CurveScorer, ranker: Ranker, hidden: int, at: int,
    who: tuple[int, ...],
) -> tuple[int, ...]:  # fmt: skip
    """The parents of one column of the scorer after all changes that gain."""
    child = hidden + at
    here = scorer.family(child, who)
    while True:
        tried = set(_changes(bench, ranker, hidden, child, who))
        bench.evaluations += len(tried)
        scored = [(scorer.family(child, each), each) for each in sorted(tried)]
        best, found = max(scored, default=(-np.inf, who))
        if best <= here + WORTH * abs(here):
            return who
        here, who = best, found


def _changes(
    bench: Bench, ranker: Ranker, hidden: int, child: int, who: tuple[int, ...]
) -> list[tuple[int, ...]]:
    """Without each parent; with the first few others, added or in the place of each."""
    found = [tuple(each for each in who if each != out) for out in who]
    others = np.array([at for at in range(hidden) if at not in who], dtype=np.int64)
    if not others.size:
        return found
    many, foreseen = bench.method.k, ranker.foreseen(child, who)
    if len(who) < bench.most():
        rank = foreseen.adding[others]
        first = others[np.argsort(-rank, kind="stable")][:many]
        found += [tuple(sorted((*who, int(each)))) for each in first]
    for at, out in enumerate(who if bench.method.replace else ()):
        rank = foreseen.replacing[at][others]
        first = others[np.argsort(-rank, kind="stable")][:many]
        kept = [each for each in who if each != out]
        found += [tuple(sorted((*kept, int(each)))) for each in first]
    return found


def missed(bench: Bench, fitted: Fitted) -> Profiles:
    """What each column misses at the believed values of its parents, of length √M.

    Straight lines: the residuals. Curves: y ∘ g', its ideal parent in units of the column, without
    the corrections, which say nothing of the direction. A missing cell is expected to miss nothing.
    [HV2 3.5, 3.7]
    """
    layer, columns = fitted.layer, bench.columns
    rows = columns - layer.mean(fitted.belief.mean)[0].T
    for column in np.flatnonzero(layer.codes != STRAIGHT.code).tolist():
        rows[column] = _bent(layer, fitted.belief, column, columns[column])
    rows = np.nan_to_num(rows - np.nanmean(rows, axis=1, keepdims=True))
    spread = np.sqrt(np.mean(rows**2, axis=1, keepdims=True))
    return Profiles.of(rows / np.where(spread > 0, spread, 1.0))


def _bent(layer: Layer, belief: Belief, column: int, child: Floats) -> Floats:
    base, rise = float(layer.base[column]), float(layer.rise[column])
    activation = belief.mean @ layer.slopes[column] - layer.threshold[column]
    if not layer.arcs[column].any():
        base, rise = assumed_ends(child)
        activation = np.zeros_like(child)
    response = BY_CODE[int(layer.codes[column])]
    return ideal_profile(response, child, activation, base, rise).scaled


def place_of(bench: Bench, fitted: Fitted, everywhere: bool) -> Cluster | None:
    """The columns that a new hidden variable is to be a parent of, and its values to begin with."""
    layer = fitted.layer
    open_ = np.flatnonzero(layer.arcs.sum(axis=1) < bench.most())
    if open_.size < 2:
        return None
    profiles = missed(bench, fitted)
    if everywhere and layer.hidden:
        profile: Floats = bench.random.standard_normal((bench.columns.shape[1],))
        return Cluster(tuple(open_.tolist()), profile, 0.0, np.full(open_.size, 0.1))
    part = Profiles.of(profiles.rows[open_])
    all_ = tuple(range(open_.size))
    found = cluster_of(part, all_) if everywhere or not layer.hidden else best_cluster(part)
    if found is None:
        return None
    return replace(found, members=tuple(open_[list(found.members)].tolist()))


def inserted(bench: Bench, fitted: Fitted, cluster: Cluster) -> Fitted:
    """A further hidden variable above these columns, its beliefs beginning at the profile."""
    layer, belief = fitted.layer, fitted.belief
    told = float((cluster.cosines / (1 - np.minimum(cluster.cosines, SURE))).sum())
    variance = max(1 / (1 + told), 1 - SURE)
    mean = np.concatenate([belief.mean, np.sqrt(1 - variance) * cluster.profile[:, None]], axis=1)
    hidden = layer.hidden + 1
    covariance = np.zeros((len(mean), hidden, hidden))
    covariance[:, :-1, :-1] = belief.covariance
    covariance[:, -1, -1] = variance
    arc = np.zeros((len(layer.arcs), 1), np.bool_)
    arc[list(cluster.members)] = True
    begun = replace(
        layer,
        arcs=np.concatenate([layer.arcs, arc], axis=1),
        slopes=np.concatenate([layer.slopes, np.zeros((len(arc), 1))], axis=1),
    )
    points = Points.of(Belief(mean, covariance, belief.evidence), bench.columns)
    first = maximised(begun, points, arc[:, 0])
    return em(Fitted.at(first, bench.columns, mean), bench.columns)


def with_arcs(bench: Bench, fitted: Fitted, arcs: Bools) -> Fitted:
    """The same hidden variables with other arcs, fitted; those without a child are dropped."""
    kept = arcs.any(axis=0)
    layer, belief = fitted.layer, fitted.belief
    changed = (arcs != layer.arcs).any(axis=1)
    within = np.ix_(np.ones(len(belief.mean), np.bool_), kept, kept)
    left = Belief(belief.mean[:, kept], belief.covariance[within], belief.evidence)
    begun = replace(layer, arcs=arcs[:, kept], slopes=np.where(arcs, layer.slopes, 0.0)[:, kept])
    first = maximised(begun, Points.of(left, bench.columns), changed)
    return em(Fitted.at(first, bench.columns, left.mean), bench.columns)
