"""The information bottleneck spelled out, case by case and completion by completion.

Nothing of what it checks is imported. `shares` are {variable: array (cases, states)} of everything
unknown, taken for independent of each other given the case; a missing cell with nothing seen below
it is summed out, which leaves out its factor. `hidden` names those with a bottleneck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import exp, log

import numpy as np

Tables = Mapping[str, np.ndarray]
Parents = Mapping[str, Sequence[str]]
Shares = Mapping[str, np.ndarray]


def barren(parents: Parents, case: Mapping[str, int], hidden: Sequence[str]) -> set[str]:
    """The missing cells with nothing but missing cells below them."""
    children = {name: [c for c in parents if name in parents[c]] for name in parents}

    def silent(name: str) -> bool:
        return name not in case and name not in hidden and all(map(silent, children[name]))

    return {name for name in parents if silent(name)}


def completions(tables, parents, case, shares, at, hidden):
    """Every way to fill what is unknown of a case: its probability under the shares, and the
    variables that count."""
    counts = [name for name in parents if name not in barren(parents, case, hidden)]
    unknown = [name for name in counts if name not in case]
    for codes in product(*(range(tables[name].shape[-1]) for name in unknown)):
        whole = {**case, **dict(zip(unknown, codes, strict=True))}
        chance = 1.0
        for name, code in zip(unknown, codes, strict=True):
            chance *= float(shares[name][at, code])
        yield whole, chance, counts


def cell(case, parents, name):
    """Where a case stands in a table."""
    return tuple(case[other] for other in (*parents[name], name))


def expected_log(tables, parents, cases, weights, shares, hidden) -> float:
    """W E_Q log P(X, T)."""
    total = 0.0
    for at, (case, weight) in enumerate(zip(cases, weights, strict=True)):
        for whole, chance, names in completions(tables, parents, case, shares, at, hidden):
            if weight * chance > 0:
                total += weight * chance * sum(
                    log(tables[name][cell(whole, parents, name)]) for name in names
                )  # fmt: skip
    return total


def entropy(share: np.ndarray) -> float:
    """-Σ p log p."""
    return -sum(float(p) * log(p) for p in np.ravel(share) if p > 0)


def marginal(share, weights) -> np.ndarray:
    """Q(t) = Σ Q(y) Q(t|y)."""
    return np.asarray(weights @ share / weights.sum())


def information(share, weights) -> float:
    """I_Q(T; Y) by its definition."""
    mean, total = marginal(share, weights), 0.0
    for each, weight in zip(share, weights / np.sum(weights), strict=True):
        for p, q in zip(each, mean, strict=True):
            if weight * p > 0:
                total += weight * p * log(p / q)
    return total


def unknown_entropy(parents, cases, weights, shares, hidden) -> float:
    """W H_Q(everything unknown | Y)."""
    total = 0.0
    for at, (case, weight) in enumerate(zip(cases, weights, strict=True)):
        silent = barren(parents, case, hidden)
        for name, share in shares.items():
            if name not in case and name not in silent:
                total += weight * entropy(share[at])
    return total


def fit(tables, parents, cases, weights, shares, hidden) -> float:
    """W F[Q, P] = W E log P + W H(T|Y). [(6.3)]"""
    return expected_log(tables, parents, cases, weights, shares, hidden) + unknown_entropy(
        parents, cases, weights, shares, hidden
    )


def lagrangian(tables, parents, cases, weights, shares, hidden, gamma) -> float:
    """L⁺ = Σ I(T_i; Y) - γ (E log P - Σ E log Q(T_i)), with one hidden variable L_EM. [(6.10)]

    Cells that are merely missing have their entropy beside log P.
    """
    total = float(np.sum(weights))
    value = expected_log(tables, parents, cases, weights, shares, hidden) / total
    merely = {name: share for name, share in shares.items() if name not in hidden}
    value += unknown_entropy(parents, cases, weights, merely, hidden) / total
    told = 0.0
    for name in hidden:
        told += information(shares[name], weights)
        value += entropy(marginal(shares[name], weights))
    return told - gamma * value


def counts(tables, parents, cases, weights, shares, hidden) -> dict[str, np.ndarray]:
    """Expected counts under the shares."""
    found = {name: np.zeros_like(table) for name, table in tables.items()}
    for at, (case, weight) in enumerate(zip(cases, weights, strict=True)):
        for whole, chance, names in completions(tables, parents, case, shares, at, hidden):
            for name in names:
                found[name][cell(whole, parents, name)] += weight * chance
    return found


def most_likely(counted, alpha) -> dict[str, np.ndarray]:
    """(α + N) / Σ (α + N), row by row; rows of nothing even. [(2.12)]"""
    found = {}
    for name, table in counted.items():
        whole = table + alpha[name]
        rows = whole.sum(axis=-1, keepdims=True)
        found[name] = np.where(rows > 0, whole / np.where(rows > 0, rows, 1), 1 / whole.shape[-1])
    return found


def log_joint(tables, parents, cases, hidden_name) -> np.ndarray:
    """(cases, states) log P(x[y], t) of complete cases with one hidden variable."""
    states = tables[hidden_name].shape[-1]
    found = np.empty((len(cases), states))
    for at, case in enumerate(cases):
        for t in range(states):
            whole = {**case, hidden_name: t}
            found[at, t] = sum(log(tables[name][cell(whole, parents, name)]) for name in parents)
    return found


def update(share, logs, weights, gamma) -> np.ndarray:
    """Q(t|y) = Q(t)^(1-γ) P(x[y], t)^γ / Z, number by number. [(6.4)]"""
    mean, found = marginal(share, weights), np.empty_like(share)
    for at in range(len(share)):
        raw = [
            exp((1 - gamma) * log(mean[t]) + gamma * (logs[at, t] - max(logs[at])))
            for t in range(share.shape[1])
        ]
        found[at] = np.array(raw) / sum(raw)
    return found


def residual(share, parents, cases, weights, alpha, hidden_name, gamma, shapes) -> np.ndarray:
    """G(Q, γ) with P a function of Q through the M-step. [(6.5), (6.15) to (6.17)]"""
    shares = {hidden_name: share}
    counted = counts(shapes, parents, cases, weights, shares, [hidden_name])
    tables = most_likely(counted, alpha)
    logs = log_joint(tables, parents, cases, hidden_name)
    mean = marginal(share, weights)
    raw = (1 - gamma) * np.log(mean) + gamma * logs
    scale = np.log(np.exp(raw - raw.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True))
    return np.asarray(-np.log(share) + raw - raw.max(axis=1, keepdims=True) - scale)


def jacobian(residual_of, share, step=1e-6) -> np.ndarray:
    """∂G/∂Q by central differences, (cases x states, cases x states)."""
    size = share.size
    found = np.empty((size, size))
    for at in range(size):
        there = np.zeros(size)
        there[at] = step
        up, down = (residual_of(share + sign * there.reshape(share.shape)) for sign in (1, -1))
        found[:, at] = ((up - down) / (2 * step)).ravel()
    return found


def printed_jacobian(share, parents, cases, weights, alpha, hidden_name, gamma, shapes):
    """∂G/∂Q by the formulas of the source as the errata mend them. [(6.21), (6.24)]"""
    total = float(np.sum(weights))
    counted = counts(shapes, parents, cases, weights, {hidden_name: share}, [hidden_name])
    share_of_all = {name: (table + alpha[name]) / total for name, table in counted.items()}
    mean, states = marginal(share, weights), share.shape[1]
    children = [name for name in parents if hidden_name in parents[name]]

    def D(y: int, y0: int, t: int) -> float:  # noqa: N802 - as printed
        here, there = {**cases[y], hidden_name: t}, {**cases[y0], hidden_name: t}
        own = share_of_all[hidden_name]
        found = 0.0
        if all(here[p] == there[p] for p in parents[hidden_name]):
            found += 1 / own[cell(here, parents, hidden_name)]
        for child in children:
            if all(here[p] == there[p] for p in parents[child]):
                place = cell(here, parents, child)
                row = share_of_all[child][place[:-1]].sum()
                found += (here[child] == there[child]) / share_of_all[child][place] - 1 / row
        return float(found)

    found = np.zeros((len(cases), states, len(cases), states))
    for y, t, y0, t0 in np.ndindex(found.shape):
        rest = (t == t0) - share[y, t0]
        bracket = (1 - gamma) / mean[t0] + gamma * D(y, y0, t0)
        found[y, t, y0, t0] = weights[y0] / total * rest * bracket
        found[y, t, y0, t0] -= (t == t0 and y == y0) / share[y, t]
    return found.reshape(share.size, share.size)


def em_step(tables, parents, cases, weights, alpha, hidden):
    """One step of exact EM by enumeration of everything unknown; tables and log-likelihood."""
    found, likely = {name: np.zeros_like(t) for name, t in tables.items()}, 0.0
    for case, weight in zip(cases, weights, strict=True):
        unknown = [name for name in parents if name not in case]
        ways = []
        for codes in product(*(range(tables[name].shape[-1]) for name in unknown)):
            whole = {**case, **dict(zip(unknown, codes, strict=True))}
            chance = np.prod([tables[name][cell(whole, parents, name)] for name in parents])
            ways.append((whole, float(chance)))
        mass = sum(chance for _, chance in ways)
        likely += weight * log(mass)
        for whole, chance in ways:
            for name in parents:
                found[name][cell(whole, parents, name)] += weight * chance / mass
    return most_likely(found, alpha), likely


def total_correlation(shares, weights, hidden) -> float:
    """Σ H(T_i) - H(T), T being independent given the case."""
    joint = np.zeros([shares[name].shape[1] for name in hidden])
    for at, weight in enumerate(weights / np.sum(weights)):
        for codes in np.ndindex(joint.shape):
            joint[codes] += weight * np.prod(
                [shares[name][at, code] for name, code in zip(hidden, codes, strict=True)]
            )
    return sum(entropy(marginal(shares[name], weights)) for name in hidden) - entropy(joint)


def joint_information(shares, weights, hidden) -> float:
    """I_Q(T; Y) of all hidden variables together."""
    conditional = sum(
        weight * entropy(shares[name][at])
        for at, weight in enumerate(weights / np.sum(weights))
        for name in hidden
    )
    each = sum(entropy(marginal(shares[name], weights)) for name in hidden)
    return each - total_correlation(shares, weights, hidden) - conditional
