"""Agglomeration spelled out: every score counted anew by dictionaries, every pair tried."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import lgamma, log, prod


def families(dag, hidden):
    """The children and parents whose tables the hidden variable is in."""
    return [hidden, *(name for name, parents in dag.items() if hidden in parents)]


def _counts(columns, weights, names):
    found = Counter()
    for case, weight in enumerate(weights):
        found[tuple(columns[name][case] for name in names)] += weight
    return found


def score(dag, hidden, columns, weights, shares, prior, strength):
    """The log marginal likelihood of the families with the hidden variable.

    columns  {name: states}, the hidden one completed
    shares   {name: {state: its share of the prior}}
    """
    total = 0.0
    for child in families(dag, hidden):
        row_names, names = tuple(dag[child]), (*dag[child], child)
        for which, sign in ((names, 1), (row_names, -1)):
            for states, count in _counts(columns, weights, which).items():
                if prior == "per_cell":
                    alpha = strength * (1 if sign > 0 else len(shares[child]))
                else:
                    each = [shares[n][s] for n, s in zip(which, states, strict=True)]
                    alpha = strength * prod(each)
                total += sign * (lgamma(alpha + count) - lgamma(alpha))
    return total


def log_likelihoods(dag, hidden, columns, weights):
    """The greatest log-likelihood of the hidden variable given its parents, and of its children."""
    parts = []
    for child in families(dag, hidden):
        cells = _counts(columns, weights, (*dag[child], child))
        rows = _counts(columns, weights, tuple(dag[child]))
        parts.append(sum(n * log(n / rows[states[:-1]]) for states, n in cells.items()))
    return parts[0], sum(parts[1:])


def hidden_shares(leaves, prior):
    """The share of each state, given the first states that it holds: {state: [leaves]}."""
    if prior == "summed":
        whole = sum(map(len, leaves.values()))
        return {state: len(held) / whole for state, held in leaves.items()}
    return dict.fromkeys(leaves, 1 / len(leaves))


def gains(dag, hidden, columns, weights, shares, leaves, prior, strength):
    """{pair: change of the whole score} for every pair of the states that `leaves` holds."""

    def scored(groups):
        state_of = {leaf: state for state, held in groups.items() for leaf in held}
        completed = {**columns, hidden: [state_of[leaf] for leaf in columns[hidden]]}
        own = {**shares, hidden: hidden_shares(groups, prior)}
        return score(dag, hidden, completed, weights, own, prior, strength)

    before = scored(leaves)
    found = {}
    for one, other in combinations(sorted(leaves), 2):
        groups = {state: held for state, held in leaves.items() if state != other}
        groups[one] = [*leaves[one], *leaves[other]]
        found[one, other] = scored(groups) - before
    return before, found
