"""Noisy families the slow way: sums over everything that is open, one latent cause per parent."""

from __future__ import annotations

from itertools import product

import numpy as np


def log_likelihood(network, cases) -> float:
    """Σ over cases of log Σ over completions of Π P(child | parents), all spelled out."""
    names = list(network)
    sizes = [len(network.variables[name].states) for name in names]
    states = np.array(list(product(*map(range, sizes))))
    logs = np.zeros(len(states))
    place = {name: at for at, name in enumerate(names)}
    for name in names:
        family = network[name]
        columns = [states[:, place[other]] for other in (*family.parents, name)]
        logs += family.log_prob(columns)
    joint = np.exp(logs)
    assert abs(joint.sum() - 1) < 1e-9
    total = 0.0
    for case in range(len(cases)):
        agrees = np.ones(len(states), dtype=bool)
        for name in names:
            code = cases[name][case] if name in cases else -1
            if code >= 0:
                agrees &= states[:, place[name]] == code
        total += np.log(joint[agrees].sum())
    return float(total)


def log_prior(network, pseudo) -> float:
    """Σ pseudo log θ over tables, and over what each cause does alone; pseudo None is BDeu(1)."""
    total = 0.0
    for name in network:
        family = network[name]
        if hasattr(family, "causes"):
            rows = rows_of(family)
            each = 1 / 4 if pseudo is None else pseudo
            total += each * sum(np.log(row).sum() for row in rows[:-1])
            total += (1 / 2 if pseudo is None else pseudo) * np.log(rows[-1]).sum()
        else:
            each = 1 / family.values.size if pseudo is None else pseudo
            total += each * np.log(family.values).sum()
    return float(total)


def rows_of(family):
    """What every cause brings about by itself, the leak last."""
    if family.kind != "noisy-max":
        return [np.array([1 - link, link]) for link in [*family.links, family.leak]]
    rows = []
    for variable, link, off in zip(family.variables, family.links, family.absent, strict=False):
        rows += [row for state, row in zip(variable.states, link, strict=True) if state != off]
    return [*rows, family.leak]


def latent_em(codes, pseudo: float, steps: int):
    """EM for a noisy-or of causes that are there at code 1: E[cause i acted | the child is there]
    = link / P(child is there)."""
    there = np.hstack([codes[:, :-1] == 1, np.ones((len(codes), 1), dtype=bool)])
    child = codes[:, -1] == 1
    link = np.full(there.shape[1], 0.5)
    for _ in range(steps):
        chance = 1 - np.prod(np.where(there, 1 - link, 1.0), axis=1)
        acted = there * link / np.where(child, chance, 1.0)[:, None] * child[:, None]
        link = (acted.sum(axis=0) + pseudo) / (there.sum(axis=0) + 2 * pseudo)
    return link[:-1], link[-1]
