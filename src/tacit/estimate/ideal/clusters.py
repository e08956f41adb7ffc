"""Variables that miss the same: the profile that a common hidden parent would have. [HV2 3.5]"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi

import numpy as np

from tacit.arrays import Floats

SINGLE = 1
CERTAIN = 1 - 1e-9
"""A squared cosine is not taken to be nearer to one than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """What each variable misses, divided by its standard deviation, and all products.

    rows      (variables, cases)  y_i / σ_i; where cells are missing expected ones, of length √M too
    products  (variables, variables)  A = Σ over cases; M on its diagonal where σ is at its ML value
    """

    rows: Floats
    products: Floats

    @staticmethod
    def of(rows: Floats) -> Profiles:
        """Profiles given as (variables, cases)."""
        return Profiles(rows, rows @ rows.T)

    @property
    def cases(self) -> int:
        """M."""
        return int(self.rows.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    """Some variables, the best profile z* of one parent for all, and what that is worth.

    profile  (cases,) standardised
    score    Σ C2(y_i, z*) less the price of a coefficient each
    cosines  (members,) the squared cosine of each with z*
    """

    members: tuple[int, ...]
    profile: Floats
    score: float
    cosines: Floats


def leading(products: Floats, members: tuple[int, ...]) -> tuple[float, Floats]:
    """The greatest eigenvalue λ of A over the members, and its vector.

    Σ C1(y_i, z) is a Rayleigh quotient of A, greatest at z* = Σ v_i y_i / σ_i, where it is λ / 2.
    [7.10, 7.11; erratum to §7.3: A may be singular]
    """
    values, vectors = np.linalg.eigh(products[np.ix_(members, members)])
    return float(values[-1]), vectors[:, -1]


def cluster_score(products: Floats, members: tuple[int, ...], cases: int) -> tuple[float, Floats]:
    """Σ C2(y_i, z*) - (L / 2) log M, and the cosines; of one variable alone C1, since C2 is
    infinite there, as it is where the others are uncorrelated with it, so that z* is that one."""
    value, vector = leading(products, members)
    own = np.diag(products)[list(members)]
    cosines = np.minimum(value * vector**2 / np.where(own > 0, own, 1.0), CERTAIN)
    price = 0.5 * len(members) * log(max(cases, 1))
    if len(members) == SINGLE or (vector**2).max() > CERTAIN:
        return 0.5 * cases - price, cosines
    return float(-0.5 * cases * np.log1p(-cosines).sum() - price), cosines


def cluster_of(profiles: Profiles, members: tuple[int, ...]) -> Cluster:
    """These variables as a cluster, with its profile standardised and of a fixed sign."""
    score, cosines = cluster_score(profiles.products, members, profiles.cases)
    _, vector = leading(profiles.products, members)
    profile = vector @ profiles.rows[list(members)]
    profile = profile - profile.mean()
    spread = float(np.sqrt(np.mean(profile**2)))
    sign = 1.0 if vector[np.argmax(np.abs(vector))] > 0 else -1.0
    return Cluster(members, sign * profile / (spread or 1.0), score, cosines)


def root_term(cases: int) -> float:
    """The log-likelihood of a standardised root, which a further hidden variable has: a constant,
    since its scale is a matter of choice. [HV2 3.5]"""
    return -0.5 * cases * (log(2 * pi) + 1)


def best_cluster(profiles: Profiles) -> Cluster | None:
    """The best cluster of two or more that agglomeration sees; None below two variables.

    Every variable begins alone; the two clusters whose union changes the sum of the scores most,
    or lowers it least, are merged, until one is left. O(N²) scores in all.
    """
    clusters: dict[int, tuple[int, ...]] = {at: (at,) for at in range(len(profiles.rows))}
    if len(clusters) < 2:
        return None
    worth = {at: _score(profiles, members) for at, members in clusters.items()}
    gains: dict[tuple[int, int], tuple[float, float]] = {}

    def ask(one: int, other: int) -> None:
        both = _score(profiles, tuple(sorted(clusters[one] + clusters[other])))
        gains[one, other] = both - worth[one] - worth[other], both

    names = list(clusters)
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            ask(one, other)
    best: tuple[float, tuple[int, ...]] | None = None
    fresh = len(names)
    while gains:
        one, other = max(gains, key=lambda pair: (gains[pair][0], -pair[0], -pair[1]))
        score = gains[one, other][1]
        members = tuple(sorted(clusters.pop(one) + clusters.pop(other)))
        gains = {pair: gain for pair, gain in gains.items() if not {one, other} & set(pair)}
        if best is None or score > best[0]:
            best = score, members
        clusters[fresh], worth[fresh] = members, score
        for each in list(clusters):
            if each != fresh:
                ask(each, fresh)
        fresh += 1
    assert best is not None
    return cluster_of(profiles, best[1])


def _score(profiles: Profiles, members: tuple[int, ...]) -> float:
    return cluster_score(profiles.products, members, profiles.cases)[0]
