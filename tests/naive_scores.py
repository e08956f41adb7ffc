"""Scores of whole dags spelled out, and the probability of cases told one after the other."""

from __future__ import annotations

from math import comb, lgamma, log, prod

import naive_structures as families


def of_dag(kind, columns, weights, states, dag):
    """The sum over the families of a dag given by the parents of each variable."""
    return sum(
        families.score(kind, columns, weights, states, child, parents)
        for child, parents in enumerate(dag)
    )


def prior_of_dag(kind, dag, beliefs=None):
    """The log prior of a dag in the words of its definition, up to a constant of the beliefs."""
    n = len(dag)
    if kind == "ArcPenalty":
        return -2.5 * sum(len(parents) for parents in dag)
    if kind == "ParentCounts":
        return sum(log(1 / (n * comb(n - 1, len(parents)))) for parents in dag)
    if kind == "DescriptionLength":
        return -sum(log(n) + log(comb(n, len(parents))) for parents in dag)
    assert kind == "ArcBeliefs"
    total = 0.0
    for tail in range(n):
        for head in range(n):
            believed = beliefs.get((tail, head), 0.2)
            if tail != head:
                there = tail in dag[head]
                total += log(believed if there else 1 - believed) - log(1 - believed)
    return total


def log_probability_in_turn(columns, states, dag, alpha):
    """log of the product over cases of P(case | the cases before it); alpha(rows, states)."""
    total = 0.0
    for child, parents in enumerate(dag):
        each = alpha(prod(states[parent] for parent in parents), states[child])
        seen = {}
        for case in range(len(columns[0])):
            row = seen.setdefault(
                tuple(columns[parent][case] for parent in parents), [each] * states[child]
            )
            total += log(row[columns[child][case]] / sum(row))
            row[columns[child][case]] += 1
    return total


def log_marginal_likelihood(table, alphas):
    """Of one table (rows, states), every cell with its own alpha."""
    total = 0.0
    for row, prior in zip(table, alphas, strict=True):
        total += lgamma(sum(prior)) - lgamma(sum(prior) + sum(row))
        total += sum(lgamma(a + n) - lgamma(a) for a, n in zip(prior, row, strict=True))
    return total


def same_class(one, other):
    """Whether two dags have the same links and the same parents that no link joins."""
    return _links(one) == _links(other) and _colliders(one) == _colliders(other)


def _links(dag):
    return {frozenset((tail, head)) for head, parents in enumerate(dag) for tail in parents}


def _colliders(dag):
    links = _links(dag)
    return {
        (frozenset((one, other)), head)
        for head, parents in enumerate(dag)
        for one in parents
        for other in parents
        if one != other and frozenset((one, other)) not in links
    }
