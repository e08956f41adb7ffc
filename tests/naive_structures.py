"""Structure search spelled out: every dag, every tree, every family counted by a dictionary."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product
from math import inf, lgamma, log, prod, sqrt

import numpy as np

HOW_MANY_DAGS = (1, 1, 3, 25, 543, 29_281, 3_781_503)
"""Of 0, 1, 2, ... labelled nodes (Robinson 1973)."""


def counts(columns, weights, child, parents):
    """{(row, state): weight} and {row: weight}."""
    cells, rows = Counter(), Counter()
    for case, weight in enumerate(weights):
        row = tuple(int(columns[parent][case]) for parent in parents)
        cells[row, int(columns[child][case])] += weight
        rows[row] += weight
    return cells, rows


def greatest_log_likelihood(columns, weights, child, parents):
    cells, rows = counts(columns, weights, child, parents)
    return sum(n * log(n / rows[row]) for (row, _), n in cells.items() if n > 0)


def log_marginal_likelihood(columns, weights, states, child, parents, alpha):
    """Every cell of the table with the same alpha; rows without cases add nothing."""
    cells, rows = counts(columns, weights, child, parents)
    total = sum(lgamma(alpha + n) - lgamma(alpha) for n in cells.values())
    together = alpha * states[child]
    return total - sum(lgamma(together + n) - lgamma(together) for n in rows.values())


def log_complexity(n, k):
    """Szpankowski and Weinberger (2012), equation for the minimax regret of k letters."""
    if n <= 0 or k <= 1:
        return 0.0
    a = k / n
    c = 0.5 + 0.5 * sqrt(1 + 4 / a)
    return n * (log(a) + (a + 2) * log(c) - 1 / c) - 0.5 * log(c + 2 / a)


def score(kind, columns, weights, states, child, parents):
    """A family's score by the name of the score."""
    weight, rows = float(sum(weights)), prod(states[parent] for parent in parents)
    if kind == "BDeu":
        alpha = 3.5 / (rows * states[child])
        return log_marginal_likelihood(columns, weights, states, child, parents, alpha)
    if kind in ("K2", "Jeffreys", "Dirichlet"):
        alpha = {"K2": 1.0, "Jeffreys": 0.5, "Dirichlet": 0.3}[kind]
        return log_marginal_likelihood(columns, weights, states, child, parents, alpha)
    fit = greatest_log_likelihood(columns, weights, child, parents)
    price = {
        "LogLikelihood": lambda: 0.0,
        "BIC": lambda: 0.5 * log(weight) * rows * (states[child] - 1),
        "AIC": lambda: rows * (states[child] - 1),
        "QNML": lambda: log_complexity(weight, rows * states[child]) - log_complexity(weight, rows),
    }
    return fit - price[kind]()


def subsets(others):
    """All subsets of the others as tuples, numbered by their bits."""
    chosen = product((False, True), repeat=len(others))
    each = [
        tuple(one for one, keep in zip(others, reversed(kept), strict=True) if keep)
        for kept in chosen
    ]
    assert len(set(each)) == 2 ** len(others)
    return each


def family_table(kind, columns, weights, states):
    """(n, 2^(n-1)) every child with every set of the others."""
    n = len(states)
    return np.array(
        [
            [
                score(kind, columns, weights, states, child, parents)
                for parents in subsets([at for at in range(n) if at != child])
            ]
            for child in range(n)
        ]
    )


@lru_cache(maxsize=8)
def every_dag(n):
    """(dags, n) the number of each child's parents among the subsets of the others."""
    choices = [subsets([at for at in range(n) if at != child]) for child in range(n)]
    found = []

    def extend(chosen, reach):
        """reach[v]: a mask of v and all that v leads to through the arcs so far."""
        child = len(chosen)
        if child == n:
            found.append(tuple(chosen))
            return
        for number, parents in enumerate(choices[child]):
            if any(reach[child] >> parent & 1 for parent in parents):
                continue
            wider = [
                mask | reach[child] if any(mask >> parent & 1 for parent in parents) else mask
                for mask in reach
            ]
            extend([*chosen, number], wider)

    extend([], [1 << at for at in range(n)])
    assert len(found) == HOW_MANY_DAGS[n]
    return np.array(found, dtype=np.int8).reshape(len(found), n)


def totals(table):
    """The score of every dag."""
    dags = every_dag(len(table))
    return sum(table[child][dags[:, child]] for child in range(len(table)))


def limited(table, required, allowed, most):
    """The same scores, -inf where limits forbid a family."""
    table = np.array(table)
    for child in range(len(table)):
        others = [at for at in range(len(table)) if at != child]
        for number, parents in enumerate(subsets(others)):
            needed = {at for at in others if required[at, child]}
            fine = needed <= set(parents) and all(allowed[at, child] for at in parents)
            if not fine or len(parents) > most[child]:
                table[child, number] = -inf
    return table


def every_forest(n):
    """All choices of at most one parent per node that have no cycle, -1 for none."""
    found = [
        parents
        for parents in product(range(-1, n), repeat=n)
        if all(_ends(parents, node) for node in range(n))
    ]
    assert len(found) == (n + 1) ** (n - 1)  # Cayley: rooted forests of n labelled nodes
    return found


def _ends(parents, node):
    for _ in range(len(parents) + 1):
        if node < 0:
            return True
        node = parents[node]
    return False


def best_forest(gains, forced, spanning):
    """(roots, gain) of the best forest that has the forced arcs; None if there is none."""
    best = None
    for parents in every_forest(len(gains)):
        if any(one not in (-1, parents[at]) for at, one in enumerate(forced)):
            continue
        arcs = [(parent, at) for at, parent in enumerate(parents) if parent >= 0]
        free = [(tail, head) for tail, head in arcs if forced[head] < 0]
        gain = sum(gains[tail, head] for tail, head in free)
        roots = len(gains) - len(arcs)
        if gain > -inf:
            key = (-roots, gain) if spanning else (0, gain)
            best = key if best is None else max(best, key)
    return best


def mutual_information(columns, weights, one, other):
    """Σ p(x, y) log p(x, y) / p(x) p(y), times the weight of the cases."""
    both = Counter()
    for case, weight in enumerate(weights):
        both[int(columns[one][case]), int(columns[other][case])] += weight
    ones, others, total = Counter(), Counter(), sum(weights)
    for (x, y), weight in both.items():
        ones[x] += weight
        others[y] += weight
    return sum(n * log(n * total / (ones[x] * others[y])) for (x, y), n in both.items() if n > 0)


def information_given(columns, weights, one, other, given):
    """The mutual information within each state of `given`, added up."""
    return sum(
        mutual_information(
            columns,
            [w if int(columns[given][case]) == state else 0 for case, w in enumerate(weights)],
            one,
            other,
        )
        for state in {int(code) for code in columns[given]}
    )
