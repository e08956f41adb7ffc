"""Cases of mixtures, factors and dags with gaps, and EM as others have it or would write it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import tacit as tc

Step = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is to be learned: a dag, cases in a matrix or with states, what is hidden, the peer."""

    dag: tc.Dag
    data: tc.Dataset
    hidden: Mapping[str, Any]
    peer: str


def reals(x: np.ndarray) -> tc.Dataset:
    """A matrix as cases."""
    names = [f"X{at}" for at in range(x.shape[1])]
    columns = {name: np.ascontiguousarray(x[:, at]) for at, name in enumerate(names)}
    return tc.Dataset({name: tc.Continuous(name) for name in names}, columns)


def mixture(cases: int, size: int, states: int) -> Problem:
    """Diagonal normals that overlap."""
    random = np.random.default_rng(size)
    which = random.integers(states, size=cases)
    middle, sd = (
        random.normal(size=(states, size)),
        np.exp(0.3 * random.normal(size=(states, size))),
    )
    data = reals(middle[which] + sd[which] * random.normal(size=(cases, size)))
    dag = tc.Dag({"H": (), **dict.fromkeys(data.names, ("H",))})
    return Problem(dag, data, {"H": states}, "scikit-learn")


def factors(cases: int, size: int, hidden: int) -> Problem:
    """Columns that a few common factors move."""
    random = np.random.default_rng(size)
    common = random.normal(size=(cases, hidden)) @ random.normal(size=(hidden, size))
    data = reals(
        common + random.normal(size=(cases, size)) * np.exp(0.3 * random.normal(size=size))
    )
    names = tuple(f"F{at}" for at in range(hidden))
    dag = tc.Dag({**dict.fromkeys(names, ()), **dict.fromkeys(data.names, names)})
    return Problem(dag, data, dict.fromkeys(names, "continuous"), "scikit-learn")


def gaps(cases: int, size: int) -> Problem:
    """A dag of linear Gaussians with up to three parents each; a tenth of all cells is missing."""
    random = np.random.default_rng(size)
    x, parents = np.empty((cases, size)), dict[str, tuple[str, ...]]()
    for at in range(size):
        chosen = random.choice(at, min(at, int(random.integers(4))), replace=False) if at else []
        parents[f"X{at}"] = tuple(f"X{other}" for other in chosen)
        x[:, at] = x[:, list(chosen)] @ random.normal(size=len(chosen))
        x[:, at] += random.normal(size=cases)
    x[random.random(x.shape) < 0.1] = np.nan
    return Problem(tc.Dag(parents), reals(x), {}, "numpy")


def mixed(cases: int, size: int) -> Problem:
    """As many variables of three states as reals, whose parents are of both kinds; 10 % missing."""
    random = np.random.default_rng(size)
    states = [tc.Discrete(f"A{at}", ("a", "b", "c")) for at in range(size)]
    variables = [*states, *(tc.Continuous(f"X{at}") for at in range(size))]
    families: list[Any] = []
    for at, child in enumerate(variables):
        some = random.choice(at, min(at, int(random.integers(3))), replace=False) if at else []
        axes = [variables[other] for other in some]
        discrete = [axis for axis in axes if isinstance(axis, tc.Discrete)]
        if isinstance(child, tc.Discrete):
            rows = random.dirichlet(np.ones(3), size=[3] * len(discrete))
            families.append(tc.Table((*discrete, child), rows))
            continue
        shape, slopes = [3] * len(discrete), len(axes) - len(discrete)
        numbers = (random.normal(size=[*shape, slopes]), 2 * random.normal(size=shape))
        if discrete:
            sd = np.exp(0.3 * random.normal(size=shape))
            families.append(tc.ConditionalGaussian((*axes, child), *numbers, sd))
        else:
            families.append(tc.LinearGaussian((*axes, child), numbers[0], float(numbers[1]), 1.0))
    network = tc.Network.of(families)
    data = tc.sample(network, cases, seed=1, missing=tc.AtRandom(0.1))
    return Problem(network.dag, data, {}, "")


PROBLEMS: Mapping[str, Callable[[], Problem]] = {
    "mixture, 20,000 x 10, 5 states": lambda: mixture(20_000, 10, 5),
    "mixture, 100,000 x 20, 8 states": lambda: mixture(100_000, 20, 8),
    "3 factors, 20,000 x 20": lambda: factors(20_000, 20, 3),
    "20 Gaussians, 2,000 cases": lambda: gaps(2_000, 20),
    "100 Gaussians, 2,000 cases": lambda: gaps(2_000, 100),
    "8 tables, 8 Gaussians, 2,000 cases": lambda: mixed(2_000, 8),
}


def matrix(problem: Problem) -> np.ndarray:
    """The measured columns."""
    return np.stack([problem.data[name] for name in problem.data.names], axis=1)


def peer_mixture(problem: Problem, start: tc.Network | None, tolerance: float) -> Any:
    """scikit-learn's mixture, from its own start (k-means) or the one given."""
    from sklearn.mixture import GaussianMixture

    states = problem.hidden["H"]
    found = GaussianMixture(
        states, covariance_type="diag", reg_covar=0, tol=tolerance, max_iter=5000, random_state=0
    )
    if start is not None:
        own = [start[name] for name in problem.data.names]
        found.set_params(
            weights_init=start["H"].values,
            means_init=np.stack([each.intercept for each in own], axis=1),
            precisions_init=np.stack([each.sd**-2.0 for each in own], axis=1),
        )
    return found


def peer_factors(problem: Problem, tolerance: float) -> Any:
    """scikit-learn's factor analysis, without the randomised short cut."""
    from sklearn.decomposition import FactorAnalysis

    return FactorAnalysis(len(problem.hidden), tol=tolerance, max_iter=5000, svd_method="lapack")


def mixture_step(peer: Any, x: np.ndarray) -> Step:
    """One E and one M of a mixture that was fitted before."""

    def step() -> None:
        _, shares = peer._e_step(x)
        peer._m_step(x, shares)

    return step


def factor_step(problem: Problem, x: np.ndarray) -> float:
    """CPU seconds of one step of factor analysis: what 40 more take."""
    taken = []
    for steps in (10, 50):
        peer = peer_factors(problem, 0.0).set_params(max_iter=steps)
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer.fit(x)
        taken.append(time.process_time() - begin)
    return (taken[1] - taken[0]) / 40


class JointNormal:
    """EM for a dag of linear Gaussians by its joint normal: cases sorted by what they lack.

    What one would write with numpy: per pattern one solution, all pairs of columns summed.
    """

    def __init__(self, problem: Problem) -> None:
        self.x, self.names = matrix(problem), list(problem.data.names)
        self.parents = {
            self.names.index(name): [self.names.index(p) for p in problem.dag.parents[name]]
            for name in problem.dag
        }
        gone = np.isnan(self.x)
        self.patterns, which = np.unique(gone, axis=0, return_inverse=True)
        self.cases = [np.flatnonzero(which.ravel() == at) for at in range(len(self.patterns))]
        size = len(self.names)
        self.slopes, self.levels = np.zeros((size, size)), np.nanmean(self.x, axis=0)
        self.noise = np.nanvar(self.x, axis=0)

    def given(self, network: tc.Network) -> JointNormal:
        """With the parameters of a network."""
        for at, name in enumerate(self.names):
            own = network[name]
            self.slopes[at, self.parents[at]] = own.coefficients
            self.levels[at], self.noise[at] = own.intercept, own.sd**2
        return self

    def step(self) -> float:
        """E and M; the log-likelihood before it."""
        size, total = len(self.names), 0.0
        forward = np.linalg.inv(np.eye(size) - self.slopes)
        mean, spread = forward @ self.levels, (forward * self.noise) @ forward.T
        first, second = np.zeros(size), np.zeros((size, size))
        for gone, cases in zip(self.patterns, self.cases, strict=True):
            seen, z = ~gone, self.x[cases] - mean
            own = spread[np.ix_(seen, seen)]
            gain = np.linalg.solve(own, spread[np.ix_(seen, gone)]).T
            z[:, gone] = z[:, seen] @ gain.T
            first += z.sum(axis=0)
            second += z.T @ z
            left = spread[np.ix_(gone, gone)] - gain @ spread[np.ix_(seen, gone)]
            second[np.ix_(gone, gone)] += len(cases) * left
            squares = np.einsum("ci,ci->", z[:, seen], np.linalg.solve(own, z[:, seen].T).T)
            volume = np.linalg.slogdet(2 * np.pi * own)[1]
            total -= 0.5 * (len(cases) * volume + squares)
        count = len(self.x)
        scatter = second / count - np.outer(first, first) / count**2
        middle = mean + first / count
        for at, who in self.parents.items():
            slopes = np.linalg.solve(scatter[np.ix_(who, who)], scatter[who, at])
            self.slopes[at, who] = slopes
            self.levels[at] = middle[at] - slopes @ middle[who]
            self.noise[at] = scatter[at, at] - slopes @ scatter[who, at]
        return total
