"""Oracles: definitions spelled out slowly. They import nothing of what they check.

A dag is a plain mapping {variable: parents}, a table a nested list or array `[parents..., child]`,
cases are a list of tuples. Where a network is needed, only its attributes are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import exp, inf, log, pi, prod, sqrt
from typing import Any

import numpy as np

Parents = Mapping[str, Sequence[str]]
Statement = tuple[frozenset[str], frozenset[str]]  # a pair of variables, and what is given


# --- dags and independence ------------------------------------------------------------------


def descends(parents: Parents, top: str) -> set[str]:
    """`top` and everything below it."""
    below = {top}
    while True:
        more = {name for name, who in parents.items() if set(who) & below} - below
        if not more:
            return below
        below |= more


def paths(parents: Parents, start: str, end: str) -> Iterator[tuple[str, ...]]:
    """Every path between two variables that repeats none, whatever the directions of its arcs."""
    near = {name: set(parents[name]) for name in parents}
    for name, who in parents.items():
        for parent in who:
            near[parent].add(name)

    def onward(path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if path[-1] == end:
            yield path
            return
        for name in sorted(near[path[-1]] - set(path)):
            yield from onward((*path, name))

    yield from onward((start,))


def blocked(parents: Parents, path: Sequence[str], given: set[str]) -> bool:
    """A chain or fork whose middle is given, or a collider with nothing given at or below it."""
    for before, middle, after in zip(path, path[1:], path[2:], strict=False):
        collider = before in parents[middle] and after in parents[middle]
        if collider and not descends(parents, middle) & given:
            return True
        if not collider and middle in given:
            return True
    return False


def separated(parents: Parents, one: str, other: str, given: set[str]) -> bool:
    """Whether every path between the two is blocked."""
    return all(blocked(parents, path, given) for path in paths(parents, one, other))


def subsets(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All subsets, the empty one first."""
    for size in range(len(names) + 1):
        yield from combinations(names, size)


def statements(names: Sequence[str]) -> Iterator[tuple[str, str, set[str]]]:
    """Every pair of variables with every set of others."""
    for one, other in combinations(sorted(names), 2):
        for given in subsets(sorted(set(names) - {one, other})):
            yield one, other, set(given)


def independences(parents: Parents, names: Sequence[str] | None = None) -> frozenset[Statement]:
    """All statements of independence between two of `names` that the dag makes."""
    return frozenset(
        (frozenset((one, other)), frozenset(given))
        for one, other, given in statements(list(names or parents))
        if separated(parents, one, other, given)
    )


def acyclic(parents: Parents) -> bool:
    """Whether variables can be taken away one by one, each without parents when its turn comes."""
    left = {name: set(who) for name, who in parents.items()}
    while left:
        free = [name for name, who in left.items() if not who & set(left)]
        if not free:
            return False
        for name in free:
            del left[name]
    return True


def all_dags(names: Sequence[str]) -> Iterator[dict[str, tuple[str, ...]]]:
    """Every dag over these names: each pair unconnected, or joined one way or the other."""
    pairs = list(combinations(names, 2))
    for choice in product((None, 0, 1), repeat=len(pairs)):
        parents: dict[str, list[str]] = {name: [] for name in names}
        for pair, way in zip(pairs, choice, strict=True):
            if way is not None:
                parents[pair[way]].append(pair[1 - way])
        if acyclic(parents):
            yield {name: tuple(who) for name, who in parents.items()}


def orientations(parents: Parents) -> Iterator[dict[str, tuple[str, ...]]]:
    """Every dag with the same arcs but for their directions."""
    arcs = [(tail, head) for head, who in parents.items() for tail in who]
    for turned in product((False, True), repeat=len(arcs)):
        other: dict[str, list[str]] = {name: [] for name in parents}
        for (tail, head), turn in zip(arcs, turned, strict=True):
            other[tail if turn else head].append(head if turn else tail)
        if acyclic(other):
            yield {name: tuple(who) for name, who in other.items()}


def is_imap(candidate: Parents, truth: Parents) -> bool:
    """Whether every independence of the candidate is one of the truth."""
    return independences(candidate) <= independences(truth, list(candidate))


def blanket(parents: Parents, name: str) -> set[str]:
    """The smallest set that separates `name` from all other variables."""
    others = sorted(set(parents) - {name})
    for given in subsets(others):
        rest = set(others) - set(given)
        if all(separated(parents, name, other, set(given)) for other in rest):
            return set(given)
    raise AssertionError("all other variables together separate from nothing")


def topological(parents: Parents, order: Sequence[str]) -> bool:
    """Whether the order names every variable once, parents before children."""
    place = {name: at for at, name in enumerate(order)}
    return sorted(order) == sorted(parents) and all(
        place[parent] < place[name] for name, who in parents.items() for parent in who
    )


# --- tables, joints and likelihoods ---------------------------------------------------------


def states(network: Any) -> dict[str, range]:
    """The codes of every variable of a network of tables."""
    return {name: range(len(network.variables[name].states)) for name in network.dag.parents}


def probability(network: Any, case: Mapping[str, int]) -> float:
    """The chain rule: P(x) = Π P(x_i given its parents)."""
    factors = []
    for name, who in network.dag.parents.items():
        cell = network[name].values
        for parent in who:
            cell = cell[case[parent]]
        factors.append(float(cell[case[name]]))
    return prod(factors)


def joint(network: Any, names: Sequence[str] | None = None) -> dict[tuple[int, ...], float]:
    """P(names) by adding up every configuration of the whole network."""
    codes = states(network)
    wanted = list(codes) if names is None else list(names)
    configurations = product(*(codes[name] for name in wanted))
    found: dict[tuple[int, ...], float] = dict.fromkeys(configurations, 0.0)
    for configuration in product(*codes.values()):
        case = dict(zip(codes, configuration, strict=True))
        found[tuple(case[name] for name in wanted)] += probability(network, case)
    assert abs(sum(found.values()) - 1) < 1e-9
    return found


def divergence(p: Any, q: Any) -> float:
    """KL(p, q) over every configuration."""
    names = list(p.dag.parents)
    ours, theirs = joint(p, names), joint(q, names)
    total = 0.0
    for configuration, chance in ours.items():
        if chance > 0:
            other = theirs[configuration]
            total += inf if other == 0 else chance * log(chance / other)
    return total


def counts(
    cases: Sequence[Sequence[int]], shape: Sequence[int], weights: Sequence[float] | None = None
) -> np.ndarray:
    """How often each configuration occurs, case by case; cases with a missing cell do not count."""
    table = np.zeros(shape)
    for at, case in enumerate(cases):
        if min(case) >= 0:
            table[tuple(case)] += 1 if weights is None else weights[at]
    return table


def shares(row: Sequence[float]) -> list[float]:
    """A row of weights divided by its sum, in fractions."""
    exact = [Fraction(float(value)) for value in row]
    return [float(value / sum(exact)) for value in exact]


def rows(table: Any) -> list[list[float]]:
    """One list per parent configuration."""
    array = np.asarray(table, dtype=float)
    return [list(map(float, row)) for row in array.reshape(-1, array.shape[-1])]


def log_predictives(codes: Sequence[int], alpha: Sequence[float]) -> float:
    """The log of the product of P(next code given those before), one after the other."""
    seen = list(map(float, alpha))
    total = 0.0
    for code in codes:
        total += log(seen[code] / sum(seen))
        seen[code] += 1
    return total


# --- Gaussians ------------------------------------------------------------------------------


def normal_log_density(value: float, mean: float, sd: float) -> float:
    """log of the bell curve at a value."""
    density = exp(-((value - mean) ** 2) / (2 * sd**2)) / (sd * sqrt(2 * pi))
    return log(density) if density != 0 else -inf


def least_squares(parents: np.ndarray, child: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Coefficients, intercept and sd (residual squares over cases) on the cases themselves."""
    design = np.column_stack([parents, np.ones(len(child))])
    solution, *_ = np.linalg.lstsq(design, child, rcond=None)
    off = child - design @ solution
    return solution[:-1], float(solution[-1]), float(np.sqrt(np.mean(off**2)))


# --- curves ---------------------------------------------------------------------------------


def integral(values: Sequence[float], places: Sequence[float]) -> float:
    """The area under a curve, by trapezia."""
    return sum(
        (right - left) * (low + high) / 2
        for left, right, low, high in zip(places, places[1:], values, values[1:], strict=False)
    )


def orders(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every order of the names."""
    yield from permutations(names)
