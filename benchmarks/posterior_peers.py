"""Other ways to draw from a Dirichlet under rules: NUTS, rejection, and a plain Gibbs kernel.

    python benchmarks/posterior_peers.py --answer '{"states": 20, "rules": 8, "seed": 0, ...}'

answers with what NUTS draws, in a process of its own with one thread.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numba import njit

from tacit.arrays import Floats
from tacit.estimate.bayes.diagnostics import effective_size
from tacit.kernels.chance import below, seeded, uniform
from timing import fresh


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """One row: Dirichlet parameters, G θ <= h, and a point inside."""

    alpha: Floats
    matrix: Floats
    limits: Floats
    inside: Floats


def cut(states: int, rules: int, seed: int) -> Cut:
    """Rules that are true of a row drawn evenly: orders of two cells, and bounds on sums.

    Every second bound is from above, a tenth beyond the row's own value. The counts, two for every
    state, are from that row or, for odd seeds, from another, which the rules contradict.
    """
    random = np.random.default_rng((states, seed))
    truth = random.dirichlet(np.ones(states))
    matrix, limits = np.zeros((rules, states)), np.zeros(rules)
    for at in range(rules):
        if at % 2 == 0:
            low, high = sorted(random.choice(states, 2, replace=False), key=lambda i: truth[i])
            matrix[at, low], matrix[at, high] = 1.0, -1.0
        else:
            many = int(random.integers(2, max(3, states // 3) + 1))
            some = random.choice(states, many, replace=False)
            sign = 1.0 if at % 4 == 1 else -1.0
            matrix[at, some] = sign
            limits[at] = sign * truth[some].sum() * (1.0 + 0.1 * sign)
    seen = random.dirichlet(np.full(states, 2.0)) if seed % 2 else truth
    return Cut(random.multinomial(2 * states, seen) + 1.0, matrix, limits, truth)


def rate(values: Floats, cpu: float) -> float:
    """Effective draws of the slowest cell per second; values are (chains, draws, n)."""
    return float(effective_size(np.ascontiguousarray(values)).min()) / cpu


def by_rejection(given: Cut, seconds: float) -> float | None:
    """Independent draws per second; None if hardly any obeys the rules."""
    random, kept = np.random.default_rng(1), 0
    start, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        theta = random.dirichlet(given.alpha, 20_000)
        kept += int((theta @ given.matrix.T <= given.limits).all(axis=1).sum())
    return kept / (time.process_time() - cpu) if kept >= 10 else None


@njit
def _reach(matrix, slack, theta, i, j):
    """How much cell i can take from cell j, and give."""
    low, high = -theta[i], theta[j]
    for rule in range(slack.size):
        by = matrix[rule, i] - matrix[rule, j]
        if by > 0:
            high = min(high, slack[rule] / by)
        elif by < 0:
            low = max(low, slack[rule] / by)
    return low, high


@njit
def _gibbs(alpha, matrix, limits, theta, sweeps, state):
    """Pairs of cells exchange mass by a slice that shrinks: every cell once a sweep."""
    size = alpha.size
    slack = limits - matrix @ theta
    out = np.empty((sweeps, size))
    for sweep in range(sweeps):
        for i in range(size):
            j = below(state, size - 1)
            j += j >= i
            low, high = _reach(matrix, slack, theta, i, j)
            if not low < high:
                continue
            a, b = alpha[i] - 1.0, alpha[j] - 1.0
            level = a * math.log(theta[i]) + b * math.log(theta[j]) + math.log(uniform(state))
            while True:
                far = low + (high - low) * uniform(state)
                one, two = theta[i] + far, theta[j] - far
                if one > 0 and two > 0 and a * math.log(one) + b * math.log(two) >= level:
                    break
                low, high = (far, high) if far < 0 else (low, far)
            theta[i], theta[j] = one, two
            for rule in range(limits.size):
                slack[rule] -= far * (matrix[rule, i] - matrix[rule, j])
        out[sweep] = theta
    return out


def by_plain_gibbs(given: Cut, sweeps: int) -> float:
    """Four chains of so many sweeps from the point inside; a tenth before is not counted."""
    problem = given.alpha, given.matrix, given.limits
    _gibbs(*problem, given.inside.copy(), 1, seeded(0))
    cpu = time.process_time()
    chains = []
    for chain in range(4):
        theta, state = given.inside.copy(), seeded(1, chain)
        _gibbs(*problem, theta, sweeps // 10, state)
        chains.append(_gibbs(*problem, theta, sweeps, state))
    return rate(np.array(chains), time.process_time() - cpu)


def by_nuts(states: int, rules: int, seed: int, draws: int) -> dict[str, float | str]:
    """NumPyro in a process of its own with one thread; says so where it is not installed."""
    if find_spec("numpyro") is None:
        return {"failed": "NumPyro is not installed"}
    question = {"states": states, "rules": rules, "seed": seed, "draws": draws}
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    return fresh(__file__, question, XLA_FLAGS=flags, OMP_NUM_THREADS="1", JAX_PLATFORMS="cpu")


def _nuts(states: int, rules: int, seed: int, draws: int) -> dict[str, float]:
    """NUTS on the simplex through its stick-breaking transform, -∞ outside the rules.

    One chain from the point inside; compiling and warming up are not counted.
    """
    import jax
    import jax.numpy as jnp
    import numpyro
    from numpyro.infer import MCMC, NUTS, init_to_value

    jax.config.update("jax_enable_x64", True)
    given = cut(states, rules, seed)

    def model() -> None:
        theta = numpyro.sample("theta", numpyro.distributions.Dirichlet(jnp.array(given.alpha)))
        obeyed = jnp.all(jnp.array(given.matrix) @ theta <= jnp.array(given.limits))
        numpyro.factor("rules", jnp.where(obeyed, 0.0, -jnp.inf))

    kernel = NUTS(model, init_strategy=init_to_value(values={"theta": jnp.array(given.inside)}))
    chain = MCMC(kernel, num_warmup=draws // 2, num_samples=draws, progress_bar=False)
    chain.warmup(jax.random.PRNGKey(seed))
    chain.run(jax.random.PRNGKey(seed + 1), extra_fields=("diverging",))  # compiles the sampling
    cpu = time.process_time()
    chain.run(jax.random.PRNGKey(seed + 2), extra_fields=("diverging",))
    values = np.asarray(chain.get_samples(group_by_chain=True)["theta"])
    spent = time.process_time() - cpu
    return {
        "rate": rate(values, spent),
        "diverged": float(np.asarray(chain.get_extra_fields()["diverging"]).mean()),
        "spent": spent,
    }


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--answer", required=True)
    print(json.dumps(_nuts(**json.loads(options.parse_args().answer))))
