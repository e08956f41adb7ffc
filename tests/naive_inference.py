"""Oracles of inference and EM: the joint spelled out, case by case, path by path.

They import nothing of what they check. A network is read through its attributes alone; findings are
{variable: likelihood per state}; cases are dicts {variable: code}, missing cells simply absent.
`Tables` are {variable: array[parents..., child]} beside `parents` {variable: its parents}.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from math import inf, log, prod
from typing import Any

import numpy as np

Tables = Mapping[str, np.ndarray]
Parents = Mapping[str, Sequence[str]]
Case = Mapping[str, int]
Likelihoods = Mapping[str, Sequence[float]]


# --- one question -----------------------------------------------------------------------------


def tables_of(network: Any) -> dict[str, np.ndarray]:
    """The tables of a network."""
    return {name: np.array(network[name].values) for name in network.dag.parents}


def completions(tables: Tables, parents: Parents, case: Case) -> Iterator[tuple[Case, float]]:
    """Every way to fill what is missing of a case, with its probability by the chain rule."""
    open_names = [name for name in parents if name not in case]
    for codes in product(*(range(tables[name].shape[-1]) for name in open_names)):
        whole = {**case, **dict(zip(open_names, codes, strict=True))}
        yield whole, prod(float(tables[name][cell(whole, parents, name)]) for name in parents)


def cell(case: Case, parents: Parents, name: str) -> tuple[int, ...]:
    """Where a complete case stands in the table of a variable."""
    return tuple(case[other] for other in (*parents[name], name))


def weighed(network: Any, findings: Likelihoods) -> Iterator[tuple[Case, float]]:
    """Every configuration with P(configuration) x Π likelihood."""
    for case, chance in completions(tables_of(network), network.dag.parents, {}):
        yield case, chance * prod(float(each[case[name]]) for name, each in findings.items())


def posterior(network: Any, names: Sequence[str], findings: Likelihoods) -> np.ndarray:
    """P(names | findings), one axis per name; all nan if the findings are impossible."""
    found = np.zeros([len(network.variables[name].states) for name in names])
    for case, chance in weighed(network, findings):
        found[tuple(case[name] for name in names)] += chance
    with np.errstate(invalid="ignore"):
        return found / found.sum()


def mass(network: Any, findings: Likelihoods) -> float:
    """P(findings), up to the factor of soft ones."""
    return sum(chance for _, chance in weighed(network, findings))


def held(network: Any, case: Case) -> dict[str, np.ndarray]:
    """A case as findings: all likelihood in the state seen."""
    return {name: np.eye(len(network.variables[name].states))[code] for name, code in case.items()}


def most_probable(network: Any, of: Sequence[str], findings: Likelihoods) -> tuple[float, set]:
    """The largest P(of | findings), and all the states of `of` that reach it."""
    values = posterior(network, of, findings)
    top = float(values.max())
    best = {tuple(map(int, at)) for at in np.argwhere(values >= top * (1 - 1e-9))}
    return top, best


def mutual_information(network: Any, one: str, other: str, findings: Likelihoods) -> float:
    """Σ p(a, b) log(p(a, b) / p(a) p(b)) over all pairs of states."""
    joint = posterior(network, [one, other], findings)
    total = 0.0
    for a, b in product(*map(range, joint.shape)):
        if joint[a, b] > 0:
            total += joint[a, b] * log(joint[a, b] / (joint[a].sum() * joint[:, b].sum()))
    return total


# --- cases ------------------------------------------------------------------------------------


def cases_in(data: Any) -> list[dict[str, int]]:
    """The cases of a data set as dicts of what is observed."""
    return [
        {name: int(data[name][at]) for name in data.names if data[name][at] >= 0}
        for at in range(len(data))
    ]


def weights_in(data: Any) -> list[float]:
    """How often each case counts."""
    return [1.0] * len(data) if data.weights is None else [float(w) for w in data.weights]


def expected_counts(
    tables: Tables, parents: Parents, cases: Sequence[Case], weights: Sequence[float]
) -> tuple[dict[str, np.ndarray], float]:
    """E[N | cases] of every table, whole case by whole case, and the log-likelihood."""
    counts = {name: np.zeros(tables[name].shape) for name in parents}
    log_likelihood = 0.0
    for case, weight in zip(cases, weights, strict=True):
        ways = list(completions(tables, parents, case))
        total = sum(chance for _, chance in ways)
        if weight == 0:
            continue
        if total == 0:
            log_likelihood = -inf
            continue
        log_likelihood += weight * log(total)
        for whole, chance in ways:
            for name in parents:
                counts[name][cell(whole, parents, name)] += weight * chance / total
    return counts, log_likelihood


def rows_of(weights: np.ndarray) -> np.ndarray:
    """Each row divided by its sum, even where it holds nothing."""
    found = np.array(weights, dtype=float)
    for row in np.ndindex(found.shape[:-1]):
        total = found[row].sum()
        found[row] = found[row] / total if total > 0 else 1 / found.shape[-1]
    return found


def prior_term(tables: Tables, pseudo: Tables) -> float:
    """Σ pseudo log θ over the cells that have pseudo-counts."""
    total = 0.0
    for name, alpha in pseudo.items():
        for at in np.ndindex(alpha.shape):
            if alpha[at] != 0:
                total += alpha[at] * (log(tables[name][at]) if tables[name][at] > 0 else -inf)
    return total


def em(
    tables: Tables,
    parents: Parents,
    cases: Sequence[Case],
    weights: Sequence[float],
    pseudo: Tables,
    steps: int,
) -> tuple[dict[str, np.ndarray], list[float]]:
    """Alg 3.3.3: the tables after so many steps, and the objective before the first and after
    each."""
    here, trace = dict(tables), []
    for step in range(steps + 1):
        counts, log_likelihood = expected_counts(here, parents, cases, weights)
        trace.append(log_likelihood + prior_term(here, pseudo))
        if step < steps:
            here = {name: rows_of(counts[name] + pseudo[name]) for name in parents}
    return here, trace


# --- hidden Markov models ---------------------------------------------------------------------


def baum_welch(
    start: np.ndarray,
    move: np.ndarray,
    emit: np.ndarray,
    sequences: Sequence[Sequence[int]],
    steps: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[float]]:
    """Baum-Welch by enumerating every path through every sequence; all tables shared over time."""
    trace = []
    for _ in range(steps):
        first, pairs, seen = np.zeros_like(start), np.zeros_like(move), np.zeros_like(emit)
        total = 0.0
        for symbols in sequences:
            chances = {
                path: start[path[0]]
                * prod(move[a, b] for a, b in pairwise(path))
                * prod(emit[h, x] for h, x in zip(path, symbols, strict=True))
                for path in product(range(start.size), repeat=len(symbols))
            }
            likelihood = sum(chances.values())
            total += log(likelihood)
            for path, chance in chances.items():
                first[path[0]] += chance / likelihood
                for a, b in pairwise(path):
                    pairs[a, b] += chance / likelihood
                for h, x in zip(path, symbols, strict=True):
                    seen[h, x] += chance / likelihood
        trace.append(total)
        start, move, emit = rows_of(first), rows_of(pairs), rows_of(seen)
    return start, move, emit, trace


# --- clique trees -----------------------------------------------------------------------------


def runs_together(cliques: Sequence[Sequence[int]], above: Sequence[int]) -> bool:
    """The running intersection: the cliques that hold a variable hang together."""
    for v in {v for clique in cliques for v in clique}:
        holding = {at for at, clique in enumerate(cliques) if v in clique}
        roots = [at for at in holding if above[at] not in holding]
        if len(roots) != 1:
            return False
    return True


# --- integrals --------------------------------------------------------------------------------


def two_variable_integral(
    cases: Sequence[tuple[int | None, int | None]], alpha: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """P(cases) and the posterior means of A and of B given A (binary, Dirichlet(alpha, alpha) rows)
    by Gauss-Legendre quadrature over the three free parameters: exact for polynomials."""
    nodes, rule = np.polynomial.legendre.leggauss(24)
    place, rule = (nodes + 1) / 2, rule / 2
    a, b0, b1 = np.meshgrid(place, place, place, indexing="ij")
    volume = rule[:, None, None] * rule[None, :, None] * rule[None, None, :]
    beta = prod(range(alpha, 2 * alpha)) / prod(range(1, alpha))  # 1 / B(alpha, alpha)
    density = np.ones_like(a)
    for share in (a, b0, b1):
        density = density * beta * (share * (1 - share)) ** (alpha - 1)
    of_a, of_b = [1 - a, a], [[1 - b0, b0], [1 - b1, b1]]
    likelihood = np.ones_like(a)
    for one, other in cases:
        likelihood = likelihood * sum(
            of_a[i] * of_b[i][j]
            for i in (0, 1)
            for j in (0, 1)
            if one in (None, i) and other in (None, j)
        )
    posterior = volume * density * likelihood
    total = float(posterior.sum())
    mean_a = np.array([float((posterior * each).sum()) for each in of_a]) / total
    mean_b = np.array([[float((posterior * e).sum()) for e in row] for row in of_b]) / total
    return total, mean_a, mean_b
