"""Mutual information where variables are continuous."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import QueryError, SizeError
from tacit.infer.normal.dense import FLAT, LOG_TURN
from tacit.infer.normal.mixtures import NormalAnswer

MOST_INTEGRATED = 3
REACH = 9.0
"""Standard deviations beyond which a normal holds less than 1e-18."""
PRECISION = 1e-8


def information(joint: NormalAnswer, ones: Sequence[str], others: Sequence[str]) -> float:
    """I(ones; others) in nats, of an answer about all of them.

    Of a normal in closed form. Of a mixture as an integral over the continuous variables, summed
    over the states: Σ_s ∫ p(s, x) log(p(s, x) / p(s₁, x₁) p(s₂, x₂)) dx.
    """
    if joint.weights.size == 1:
        return _of_normal(joint, ones, others)
    if len(joint.reals) > MOST_INTEGRATED:
        raise QueryError(
            f"the distribution of these variables is a mixture of normals, whose information is an "
            f"integral over {len(joint.reals)} dimensions; it is computed for {MOST_INTEGRATED} at "
            "most\n\nask about fewer continuous variables at once, or give more findings"
        )
    if not all(np.linalg.matrix_rank(each) == len(each) for each in joint.covariances):
        raise QueryError(
            "some of these variables are exact functions of others, and their distribution is a "
            "mixture: its information has no density to integrate"
        )
    return max(0.0, _integrated(joint, ones, others))


def _of_normal(joint: NormalAnswer, ones: Sequence[str], others: Sequence[str]) -> float:
    """-½ Σ log(1 - ρ²) over the canonical correlations ρ; inf where one is 1."""
    covariance, names = joint.covariances[0], list(joint.names)
    first = _whitened(covariance, [names.index(name) for name in ones if name in names])
    second = _whitened(covariance, [names.index(name) for name in others if name in names])
    if not first.size or not second.size:
        return 0.0
    shares = np.linalg.svd(first.T @ covariance @ second, compute_uv=False) ** 2
    if (shares >= 1 - FLAT).any():
        return float("inf")
    return max(0.0, float(-0.5 * np.log1p(-shares).sum()))


def _whitened(covariance: Floats, chosen: Sequence[int]) -> Floats:
    """(variables, directions) combinations of the chosen ones with variance 1, uncorrelated."""
    own = covariance[np.ix_(chosen, chosen)]
    scale = np.sqrt(np.maximum(np.diag(own), 0.0))
    scale = np.where(scale > 0, scale, 1.0)
    spread, basis = np.linalg.eigh(own / np.outer(scale, scale))
    kept = spread > FLAT * max(1, len(chosen))
    found = np.zeros((len(covariance), int(kept.sum())))
    found[chosen] = basis[:, kept] / np.sqrt(spread[kept]) / scale[:, None]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Marginal:
    """A mixture over some of the variables, each normal with the row of its states.

    chosen  places of the continuous variables
    row     (normals,) which states of this marginal it has; rows count `size`
    """

    chosen: Ints
    row: Ints
    size: int
    logs: Floats
    means: Floats
    inverses: Floats

    @staticmethod
    def of(joint: NormalAnswer, names: Sequence[str]) -> _Marginal:
        """The marginal of the variables with these names."""
        chosen = np.array([at for at, name in enumerate(joint.names) if name in names], np.int64)
        held = [at for at, each in enumerate(joint.variables) if each.name in names]
        _, row = np.unique(joint.configurations[:, held], axis=0, return_inverse=True)
        row = row.reshape(-1) if held else np.zeros(joint.weights.size, np.int64)
        own = joint.covariances[:, chosen][:, :, chosen]
        inverses = np.linalg.inv(np.linalg.cholesky(own))
        scale = np.log(np.diagonal(inverses, axis1=1, axis2=2)).sum(axis=1)
        logs = np.log(joint.weights) + scale - chosen.size * LOG_TURN / 2
        return _Marginal(chosen, row, int(row.max()) + 1, logs, joint.means[:, chosen], inverses)

    def log_density(self, points: Floats) -> Floats:
        """(rows, points) log p(states, x) at points (points, continuous variables)."""
        apart = points[None][:, :, self.chosen] - self.means[:, None]
        scaled = np.einsum("kij,kpj->kpi", self.inverses, apart)
        each = self.logs[:, None] - 0.5 * (scaled**2).sum(axis=2)
        found = np.full((self.size, len(points)), -np.inf)
        for at, row in enumerate(self.row.tolist()):
            found[row] = np.logaddexp(found[row], each[at])
        return found


def _integrated(joint: NormalAnswer, ones: Sequence[str], others: Sequence[str]) -> float:
    """Σ over normals of the mean of log(p(s, x) / p(s₁, x₁) p(s₂, x₂)) under each, by cubature.

    Each is integrated in the coordinates in which it is a standard normal.
    """
    from scipy.integrate import cubature

    both, one, other = (_Marginal.of(joint, each) for each in ([*ones, *others], ones, others))
    roots, size = np.linalg.cholesky(joint.covariances), len(joint.reals)
    total = 0.0
    for at, weight in enumerate(joint.weights.tolist()):

        def gain(standard: Floats, at: int = at) -> Floats:
            points = joint.means[at] + standard @ roots[at].T
            found = both.log_density(points)[both.row[at]]
            found = found - one.log_density(points)[one.row[at]]
            found = found - other.log_density(points)[other.row[at]]
            height = np.exp(-0.5 * (standard**2).sum(axis=1) - size * LOG_TURN / 2)
            return np.asarray(height * found)

        done = cubature(
            gain, [-REACH] * size, [REACH] * size, rtol=PRECISION, atol=PRECISION,
            max_subdivisions=20_000,
        )  # fmt: skip
        if done.status != "converged":
            raise SizeError(
                "the integral of this information did not settle: the normals of the mixture "
                "differ too much in scale\n\nask about fewer continuous variables at once"
            )
        total += weight * float(done.estimate)
    return total
