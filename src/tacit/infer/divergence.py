"""How far one network is from another, and how many cases a better start is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tacit.core.errors import NetworkError, OptionError, listed
from tacit.core.network import Network, check_network
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.infer.chains import written_out
from tacit.infer.marginals import joint, joint_gaussian


class Divergence(float):
    """KL(p, q) in nats, as a number; `families` says what each variable adds to it.

    families  {name: E_p[log p(x given its parents in p) - log q(x given its parents in q)]}; where
              both have the same arcs, each is a divergence of its own and not negative.
              Empty for Gaussian networks.
    """

    families: Mapping[str, float]

    def __new__(cls, value: float, families: Mapping[str, float] | None = None) -> Divergence:
        """The sum, with its parts."""
        number = super().__new__(cls, value)
        number.families = dict(families or {})
        return number


def divergence(p: Network, q: Network) -> Divergence:
    """KL(p, q) = Σ_x p(x) log(p(x) / q(x)), exact, p being the truth; inf where q rules out
    what p allows. [Sec. 2.2.7]"""
    check_network(p)
    check_network(q)
    if dict(p.variables) != dict(q.variables):
        apart = [name for name in p.variables if q.variables.get(name) != p.variables[name]]
        apart += [name for name in q.variables if name not in p.variables]
        raise NetworkError(f"the networks differ in their variables: {listed(apart)}")
    if all(isinstance(variable, Discrete) for variable in p.variables.values()):
        p, q = (written_out(each, "the divergence") for each in (p, q))
        parts = {name: _expected_log(p, p, name) - _expected_log(p, q, name) for name in p}
        return Divergence(sum(parts.values()), parts)
    for name, variable in p.variables.items():
        if isinstance(variable, Discrete):
            raise NetworkError(
                f"networks with continuous and discrete variables, here {name!r}, are mixtures of "
                "normals, whose divergence has no closed form\n\ncompare tc.log_likelihood of both "
                "on many cases of tc.sample"
            )
    return Divergence(_gaussian_divergence(p, q))


def _expected_log(truth: Network, network: Network, name: str) -> float:
    """E_truth[log P(name given its parents)] under `network`."""
    family = network[name]
    if not isinstance(family, Table):
        raise NetworkError(f"{name!r} has no table; mixed networks have no exact divergence here")
    weight = joint(truth, (*family.parents, name))
    used = weight > 0
    with np.errstate(divide="ignore"):
        return float(np.sum(weight[used] * np.log(family.values[used])))


def _gaussian_divergence(p: Network, q: Network) -> float:
    names, mean_p, cov_p = joint_gaussian(p)
    other, mean_q, cov_q = joint_gaussian(q)
    order = [other.index(name) for name in names]
    mean_q, cov_q = mean_q[order], cov_q[np.ix_(order, order)]
    sign_p, log_p = np.linalg.slogdet(cov_p)
    sign_q, log_q = np.linalg.slogdet(cov_q)
    if sign_p <= 0 or sign_q <= 0:
        raise NetworkError("a network with sd 0 has no density to compare")
    apart = mean_q - mean_p
    inverse = np.linalg.inv(cov_q)
    return float(
        0.5 * (np.trace(inverse @ cov_p) + apart @ inverse @ apart - len(names) + log_q - log_p)
    )


def equivalent_size(sizes: Sequence[float], scores: Sequence[float], score: float) -> float:
    """How many cases a baseline needs to reach `score`.

    sizes, scores: the baseline's learning curve, scores (average log score, higher is better) made
    to rise; between two sizes the score is taken as linear in log size, after one that scores -inf
    as a jump. nan if the curve never gets there, the first size if it starts there.
    [Sec. 8.1.2: report the ratio to the cases used]
    """
    size, value = np.asarray(sizes, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    if size.shape != value.shape or size.ndim != 1 or size.size < 1:
        raise OptionError("a learning curve needs one score for each size")
    if not ((size > 0).all() and (np.diff(size) > 0).all()):
        raise OptionError("the sizes of a learning curve must be positive and rise")
    if np.isnan(value).any() or np.isnan(score):
        raise OptionError("a score of the learning curve is no number")
    reached = np.maximum.accumulate(value)
    if score > reached[-1]:
        return float("nan")
    at = int(np.searchsorted(reached, score))
    if at == 0:
        return float(size[0])
    if np.isneginf(reached[at - 1]):
        return float(size[at])
    share = (score - reached[at - 1]) / (reached[at] - reached[at - 1])
    return float(size[at - 1] * (size[at] / size[at - 1]) ** share)
